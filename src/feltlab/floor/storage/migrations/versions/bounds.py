"""Balances are bounded, and room is kept for what can still be won."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "bounds"
down_revision = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LARGEST = 2**53
MADE = "(NEW.source = 'bank' OR NEW.source LIKE 'float:%')"
TOO_MUCH = (
    f"({MADE} AND NEW.target NOT IN ('bank', 'house') AND NEW.target_after > {LARGEST})"
    f" OR (NEW.target LIKE 'float:%' AND NEW.target_after > {LARGEST})"
    f" OR (NEW.source LIKE 'float:%' AND NEW.source_after < -{LARGEST})"
)
WORDS = "nobody holds so much, and no table owes it"


def upgrade() -> None:
    """A column, and a trigger on new transfers: balances of older versions may lie beyond the bound, and stay as they are."""
    op.add_column("accounts", sa.Column("reserved", NUMBER, server_default=sa.text("0"), nullable=False))
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER transfers_bounded BEFORE INSERT ON transfers WHEN {TOO_MUCH} "
            f"BEGIN SELECT RAISE(ABORT, '{WORDS}'); END"
        )
        return
    op.execute(
        f"CREATE FUNCTION transfers_bounded() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'check_violation'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER transfers_bounded BEFORE INSERT ON transfers FOR EACH ROW WHEN ({TOO_MUCH}) "
        "EXECUTE FUNCTION transfers_bounded()"
    )
