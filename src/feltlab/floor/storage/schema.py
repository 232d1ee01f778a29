"""The schema of the database. Times are milliseconds since 1970, money is cents, texts that are not names are JSON.

`transfers`, `steps` and `acts` are append-only: triggers refuse anything else (see migrations).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only plain integers

people = Table(
    "people",
    metadata,
    Column("id", NUMBER, primary_key=True),
    Column("kind", String(8), nullable=False),  # house, player, guest, or gone
    Column("name", String(40), nullable=False, unique=True),  # nowhere else but in the state of tables they sit at
    Column("password", String(200)),  # argon2's own text; a guest has none
    Column("made_at", NUMBER, nullable=False),
    Column("salt", String(32)),  # so that hashes of the row do not tell the name; it goes with the name
    Column("looks", String(200)),  # how the name looks: no other may look the same
    Index("people_looks", "looks", unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the cookie's value, which is nowhere in the database
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("made_at", NUMBER, nullable=False),
    Column("ends_at", NUMBER, nullable=False),
    Column("used_at", NUMBER),  # when it was last seen, within a few minutes
)

factors = Table(
    "factors",
    metadata,
    Column("person", ForeignKey("people.id"), primary_key=True),
    Column("sealed", LargeBinary, nullable=False),  # the secret of a second factor
    Column("last", NUMBER, nullable=False),  # the counter of the last code that was used: none is used twice
    Column("recovery", Text, nullable=False),  # digests of the recovery codes that are left
    Column("confirmed_at", NUMBER),  # None until a first code has come: then it is asked for
)

own_limits = Table(
    "own_limits",
    metadata,
    Column("person", ForeignKey("people.id"), primary_key=True),
    Column("loss", NUMBER),  # cents that they allow themselves to lose in a day of play; None: no limit
    Column("minutes", Integer),  # that they play in one
    Column("later_loss", NUMBER),  # what holds instead from `later_at` on
    Column("later_minutes", Integer),
    Column("later_at", NUMBER),
    Column("began", NUMBER),  # the last day of play, and what it has cost
    Column("lost", NUMBER, nullable=False),
)

sheets = Table(
    "sheets",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("text", Text, nullable=False),
    Column("kept_at", NUMBER, nullable=False, server_default="0"),  # or asked for, last
)

tables = Table(
    "tables",
    metadata,
    Column("id", NUMBER, primary_key=True),
    Column("name", String(60), nullable=False),
    Column("status", String(8), nullable=False),  # open or closed
    Column("sheet", ForeignKey("sheets.sha256"), nullable=False),
    Column("config", Text, nullable=False),
    Column("config_sha256", String(64), nullable=False),
    Column("seq", NUMBER, nullable=False),  # the last step; every change is a step
    Column("state", Text, nullable=False),
    Column("deadline", NUMBER),  # when somebody's time is up
    Column("opened_by", ForeignKey("people.id")),
    Column("opened_at", NUMBER, nullable=False),
    Column("closed_at", NUMBER),
    Index("tables_deadline", "deadline"),
)

shoes = Table(
    "shoes",
    metadata,
    Column("table_id", ForeignKey("tables.id"), primary_key=True),
    Column("number", NUMBER, primary_key=True),
    Column("commitment", String(64), nullable=False),
    Column("sealed", LargeBinary, nullable=False),  # the secret, encrypted with a key that is not in the database
    Column("seeds", Text, nullable=False),
    Column("secret", Text),  # in plain words once the shoe is over
    Column("opened_at", NUMBER, nullable=False),
    Column("revealed_at", NUMBER),
)

rounds = Table(
    "rounds",
    metadata,
    Column("table_id", ForeignKey("tables.id"), primary_key=True),
    Column("number", NUMBER, primary_key=True),
    Column("shoe", NUMBER, nullable=False),
    Column("began", Integer, nullable=False),  # how many cards of the shoe had been dealt
    Column("began_at", NUMBER, nullable=False),
    Column("ended_at", NUMBER),
    Column("first_seq", NUMBER, nullable=False),
    Column("last_seq", NUMBER),
)

steps = Table(
    "steps",
    metadata,
    Column("table_id", ForeignKey("tables.id"), primary_key=True),
    Column("seq", NUMBER, primary_key=True),
    Column("round", NUMBER),
    Column("person", ForeignKey("people.id")),
    Column("at", NUMBER, nullable=False),
    Column("command", Text, nullable=False),  # what was asked of the table
    Column("moves", Text, nullable=False),  # what that asked of the round: with the cards, all that is needed to replay
    Column("events", Text, nullable=False),
    Column("state", String(64), nullable=False, server_default=""),  # SHA-256 of the table's state after it
    Column("link", String(64), nullable=False, server_default=""),  # SHA-256 of the link before and of this step
    Index("steps_round", "table_id", "round"),
)

bets = Table(
    "bets",
    metadata,
    Column("table_id", ForeignKey("tables.id"), primary_key=True),
    Column("round", NUMBER, primary_key=True),
    Column("bet", Integer, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("spot", Integer, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("wager", String(60), nullable=False),
    Column("first", NUMBER, nullable=False),  # as laid, before a double
    Column("stake", NUMBER, nullable=False),
    Column("back", NUMBER, nullable=False),
    Column("lines", Text, nullable=False),
    Column("at", NUMBER, nullable=False),
    Index("bets_person", "person", "at"),
)

seals = Table(
    "seals",
    metadata,
    Column("name", String(20), primary_key=True),
    Column("sealed", LargeBinary, nullable=False),  # nothing, encrypted with the key: so another key is known at once
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("table_id", ForeignKey("tables.id")),
    Column("balance", NUMBER, nullable=False),
    Column("reserved", NUMBER, nullable=False, server_default=text("0")),  # what may still be won: see `ledger`
    Index("accounts_table", "table_id"),
)

transfers = Table(
    "transfers",
    metadata,
    Column("id", NUMBER, primary_key=True),
    Column("at", NUMBER, nullable=False),
    Column("source", ForeignKey("accounts.name"), nullable=False),
    Column("target", ForeignKey("accounts.name"), nullable=False),
    Column("amount", NUMBER, nullable=False),
    Column("source_after", NUMBER, nullable=False),
    Column("target_after", NUMBER, nullable=False),
    Column("why", String(20), nullable=False),
    Column("table_id", ForeignKey("tables.id")),
    Column("seq", NUMBER),
    Column("bet", Integer),
    CheckConstraint("amount > 0", name="amount_above_nothing"),
    CheckConstraint("source <> target", name="two_accounts"),
    Index("transfers_step", "table_id", "seq"),
)

requests = Table(
    "requests",
    metadata,
    Column("id", String(100), primary_key=True),  # the person and the key that the client chose
    Column("digest", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", NUMBER, nullable=False),
    Index("requests_at", "at"),
)

acts = Table(
    "acts",
    metadata,
    Column("id", NUMBER, primary_key=True),  # without a gap
    Column("at", NUMBER, nullable=False),
    Column("by", ForeignKey("people.id")),  # nobody: who holds the database, by a command; or the server itself
    Column("act", String(20), nullable=False),
    Column("subject", String(60), nullable=False),  # what it was done to, for example `person 12` or `table 3`
    Column("detail", Text, nullable=False),
    Column("link", String(64), nullable=False),  # SHA-256 of the link before and of this row
)

APPEND_ONLY = ("transfers", "steps", "acts")
