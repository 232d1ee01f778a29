"""Limits that players set themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "own_limits"
down_revision = "factors"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """One row for each player who has set any."""
    op.create_table(
        "own_limits",
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("loss", NUMBER, nullable=True),
        sa.Column("minutes", sa.Integer(), nullable=True),
        sa.Column("later_loss", NUMBER, nullable=True),
        sa.Column("later_minutes", sa.Integer(), nullable=True),
        sa.Column("later_at", NUMBER, nullable=True),
        sa.Column("began", NUMBER, nullable=True),
        sa.Column("lost", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["person"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("person"),
    )
