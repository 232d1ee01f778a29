"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from feltlab.floor.storage.migrations.guards import only_add

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Tables, then the triggers that keep transfers and steps from being changed."""
    op.create_table(
        "people",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("made_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "requests",
        sa.Column("id", sa.String(length=100), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("requests_at", "requests", ["at"], unique=False)
    op.create_table(
        "sheets",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("made_at", NUMBER, nullable=False),
        sa.Column("ends_at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["person"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "tables",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("sheet", sa.String(length=64), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("config_sha256", sa.String(length=64), nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("deadline", NUMBER, nullable=True),
        sa.Column("opened_by", NUMBER, nullable=True),
        sa.Column("opened_at", NUMBER, nullable=False),
        sa.Column("closed_at", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["opened_by"],
            ["people.id"],
        ),
        sa.ForeignKeyConstraint(
            ["sheet"],
            ["sheets.sha256"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("tables_deadline", "tables", ["deadline"], unique=False)
    op.create_table(
        "accounts",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("table_id", NUMBER, nullable=True),
        sa.Column("balance", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_index("accounts_table", "accounts", ["table_id"], unique=False)
    op.create_table(
        "bets",
        sa.Column("table_id", NUMBER, nullable=False),
        sa.Column("round", NUMBER, nullable=False),
        sa.Column("bet", sa.Integer(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("spot", sa.Integer(), nullable=False),
        sa.Column("hand", sa.Integer(), nullable=False),
        sa.Column("wager", sa.String(length=60), nullable=False),
        sa.Column("first", NUMBER, nullable=False),
        sa.Column("stake", NUMBER, nullable=False),
        sa.Column("back", NUMBER, nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["person"],
            ["people.id"],
        ),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.PrimaryKeyConstraint("table_id", "round", "bet"),
    )
    op.create_index("bets_person", "bets", ["person", "at"], unique=False)
    op.create_table(
        "rounds",
        sa.Column("table_id", NUMBER, nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("shoe", NUMBER, nullable=False),
        sa.Column("began", sa.Integer(), nullable=False),
        sa.Column("began_at", NUMBER, nullable=False),
        sa.Column("ended_at", NUMBER, nullable=True),
        sa.Column("first_seq", NUMBER, nullable=False),
        sa.Column("last_seq", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.PrimaryKeyConstraint("table_id", "number"),
    )
    op.create_table(
        "shoes",
        sa.Column("table_id", NUMBER, nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("seeds", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("opened_at", NUMBER, nullable=False),
        sa.Column("revealed_at", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.PrimaryKeyConstraint("table_id", "number"),
    )
    op.create_table(
        "steps",
        sa.Column("table_id", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("round", NUMBER, nullable=True),
        sa.Column("person", NUMBER, nullable=True),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"],
            ["people.id"],
        ),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
    op.create_index("steps_round", "steps", ["table_id", "round"], unique=False)
    op.create_table(
        "transfers",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("source", sa.String(length=60), nullable=False),
        sa.Column("target", sa.String(length=60), nullable=False),
        sa.Column("amount", NUMBER, nullable=False),
        sa.Column("source_after", NUMBER, nullable=False),
        sa.Column("target_after", NUMBER, nullable=False),
        sa.Column("why", sa.String(length=20), nullable=False),
        sa.Column("table_id", NUMBER, nullable=True),
        sa.Column("seq", NUMBER, nullable=True),
        sa.Column("bet", sa.Integer(), nullable=True),
        sa.CheckConstraint("amount > 0", name="amount_above_nothing"),
        sa.CheckConstraint("source <> target", name="two_accounts"),
        sa.ForeignKeyConstraint(
            ["source"],
            ["accounts.name"],
        ),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["tables.id"],
        ),
        sa.ForeignKeyConstraint(
            ["target"],
            ["accounts.name"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("transfers_step", "transfers", ["table_id", "seq"], unique=False)
    for table in ("transfers", "steps"):
        only_add(table)
