"""What was done beside play, and by whom."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from feltlab.floor.storage.migrations.guards import only_add

revision = "acts"
down_revision = "bounds"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """A table that is only added to."""
    op.create_table(
        "acts",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("by", NUMBER, nullable=True),
        sa.Column("act", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=60), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["by"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    only_add("acts")
