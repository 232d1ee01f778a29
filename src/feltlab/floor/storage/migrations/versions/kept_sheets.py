"""When a sheet was kept, so that those that no table uses can be forgotten."""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "kept_sheets"
down_revision = "chains"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """A time for each sheet. Those of before are taken to be kept now."""
    op.add_column("sheets", sa.Column("kept_at", NUMBER, nullable=False, server_default="0"))
    op.execute(sa.text("UPDATE sheets SET kept_at = :now").bindparams(now=time.time_ns() // 1_000_000))
