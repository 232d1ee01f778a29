"""Second factors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "factors"
down_revision = "accounts"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """One row for each account that has one, or is about to."""
    op.create_table(
        "factors",
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("last", NUMBER, nullable=False),
        sa.Column("recovery", sa.Text(), nullable=False),
        sa.Column("confirmed_at", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["person"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("person"),
    )
