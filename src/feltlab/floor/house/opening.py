"""Opens tables, for the house and for players who practise, and stores the texts of sheets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select, update

from feltlab.errors import Refused
from feltlab.floor.house.config import Config, Wish, configure
from feltlab.floor.ledger.accounts import HOUSE, felt, table_float
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.people import acts
from feltlab.floor.people.people import still_here
from feltlab.floor.records import links
from feltlab.floor.records.damage import Damaged, intact
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.store import save
from feltlab.floor.tables.commands import OpenTable
from feltlab.floor.tables.live import Live, Person
from feltlab.floor.tables.procedure import perform
from feltlab.floor.tables.state import TableState
from feltlab.money import LARGEST_AMOUNT, amount_text
from feltlab.tables.payments import check_payments

LONGEST_NAME = 60
MOST_OPEN = 1000
MOST_OWN = 3
MOST_PRACTICE = 100  # for all players, so that there is room for the house's tables
MOST_OWED = 2**57  # cents that the house may have won or lost, so that all open tables can be added in 64 bits
IDLE = 3_600_000  # ms after which an idle table of a player is closed
GIVES_WAY = 600_000  # ms after which an idle table is closed for a new one, if there are too many
UNUSED_SHEET = 30 * 24 * 3_600_000  # ms after which a sheet that no table uses is deleted
MOST_UNUSED_SHEETS = 1000  # of at most 60 kB each
MOST_AT_ONCE = 500


def open_table(db: Connection, wish: Wish, person: Person | None, seal: Seal, now: int) -> int:
    """Open a table with its first shoe, and return its number. Refused with the rule that the request breaks."""
    config, text = configure(wish)
    config.table(text)
    return open_configured(db, config, text, wish.name, person, seal, now)


def open_configured(
    db: Connection, config: Config, text: str, name: str, person: Person | None, seal: Seal, now: int
) -> int:
    """Open a table whose configuration was made elsewhere, as servers do; raises `NotSetUp` if it is not set up yet."""
    table = config.ready_table(text)
    if person is not None:
        still_here(db, person.id)
    if person is not None and person.kind != "house":  # with a sheet of their own, players could win any amount
        check_payments(table, config.seats, LARGEST_AMOUNT)
    name = " ".join(name.split()) or table.setup.sheet.file.name
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(f"a table's name is at most {LONGEST_NAME} printable characters")
    t = schema.tables
    if len(db.execute(select(t.c.id).where(t.c.status == "open").limit(MOST_OPEN)).all()) >= MOST_OPEN:
        raise Refused(f"{MOST_OPEN} tables are open; close some first")
    ledger = Ledger(db, now)
    if abs(owed := ledger.balance(HOUSE)) > MOST_OWED:
        raise Refused(f"the house stands at {amount_text(owed)}: no more tables are opened with this database")
    keep_sheet(db, config.sheet_sha256, text, now)
    row: dict[str, Any] = {
        "name": name,
        "status": "open",
        "sheet": config.sheet_sha256,
        "config": config.text(),
        "config_sha256": config.sha256(),
        "seq": 0,
        "state": "{}",
        "opened_by": person.id if person else None,
        "opened_at": now,
    }
    id: int = db.execute(insert(t).values(row).returning(t.c.id)).scalar_one()
    live = Live(id, name, config, table, seal)
    live.link = opening = links.of_table({**row, "id": id})
    ledger.open(felt(id))
    ledger.open(table_float(id))
    step = perform(live, OpenTable(), person, ledger, now)
    ledger.store()
    save(db, [live], [step], live.writes)
    acts.record(db, at=now, by=row["opened_by"], act="open", subject=acts.of_table(id), detail={"link": opening})
    return id


def may_open(db: Connection, person: Person) -> None:
    """Refuse a player who has too many tables open, or any player if all together have too many."""
    tables = _practice(db)
    if _of(person, tables) >= MOST_OWN:
        raise Refused(f"you have {MOST_OWN} tables open; close one first")
    if len(tables) >= MOST_PRACTICE:
        raise Refused(f"players have {MOST_PRACTICE} tables open; try again when some of them are closed")


def left_alone(db: Connection, now: int, idle: int = IDLE) -> list[int]:
    """Players' tables that have been idle for this long, the longest first; they can be closed."""
    idle_since: list[tuple[int, int]] = []
    for table in _practice(db):
        with suppress(Damaged), intact(table.id, "its state"):
            state = msgspec.json.decode(table.state, type=TableState)
            played = (spot.since for spot in state.spots.values())
            last = max(played, default=state.at) if state.seats else state.at
            if last < now - idle:
                idle_since.append((last, table.id))
    return [table for _, table in sorted(idle_since)]


def in_the_way(db: Connection, person: Person, now: int) -> list[int]:
    """The idle table to close so that a player can open another, if players have as many as they may."""
    tables = _practice(db)
    full = len(tables) >= MOST_PRACTICE and _of(person, tables) < MOST_OWN
    return left_alone(db, now, GIVES_WAY)[:1] if full else []


def _of(person: Person, tables: Sequence[Row[Any, Any, Any]]) -> int:
    """How many of these tables a person opened."""
    return sum(table.opened_by == person.id for table in tables)


def _practice(db: Connection) -> Sequence[Row[Any, Any, Any]]:
    """The open tables that players opened."""
    t, p = schema.tables, schema.people
    tables = select(t.c.id, t.c.opened_by, t.c.state).join(p, p.c.id == t.c.opened_by)
    return db.execute(tables.where(t.c.status == "open", p.c.kind != "house")).all()


def opener_of(db: Connection, table: int) -> int | None:
    """Who opened a table."""
    t = schema.tables
    return db.execute(select(t.c.opened_by).where(t.c.id == table)).scalar()


def keep_sheet(db: Connection, sha256: str, text: str, now: int) -> None:
    """Store the text of a sheet under its hash."""
    sheets = schema.sheets
    if not db.execute(update(sheets).where(sheets.c.sha256 == sha256).values(kept_at=now)).rowcount:
        db.execute(insert(sheets).values(sha256=sha256, text=text, kept_at=now))


def forget_sheets(db: Connection, now: int) -> None:
    """Delete sheets that no table uses: those not stored again for a month, and all but the latest ones."""
    sheets = schema.sheets
    unused = ~select(schema.tables.c.id).where(schema.tables.c.sheet == sheets.c.sha256).exists()
    latest = select(sheets.c.sha256).where(unused).order_by(sheets.c.kept_at.desc(), sheets.c.sha256)
    many = db.execute(latest.offset(MOST_UNUSED_SHEETS)).scalars().all()
    old = sheets.c.kept_at < now - UNUSED_SHEET
    db.execute(delete(sheets).where(unused, old))
    for start in range(0, len(many), MOST_AT_ONCE):
        db.execute(delete(sheets).where(unused, sheets.c.sha256.in_(many[start : start + MOST_AT_ONCE])))


def kept_sheet(db: Connection, sha256: str) -> str | None:
    """The text of a stored sheet."""
    sheets = schema.sheets
    return db.execute(select(sheets.c.text).where(sheets.c.sha256 == sha256)).scalar()
