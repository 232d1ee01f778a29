"""How names look, when sessions were used, and a check of the key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from feltlab.floor.people.lookalikes import looks

revision = "accounts"
down_revision = "kept_sheets"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Names that are there already stay: of two that look the same, the older one keeps the look to itself."""
    op.create_table(
        "seals",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.add_column("sessions", sa.Column("used_at", NUMBER, nullable=True))
    op.add_column("people", sa.Column("looks", sa.String(length=200), nullable=True))
    people = sa.table("people", sa.column("id", NUMBER), sa.column("name", sa.String), sa.column("looks", sa.String))
    db, taken = op.get_bind(), set()
    for id, name in db.execute(sa.select(people.c.id, people.c.name).order_by(people.c.id)).all():
        look = looks(name)
        if look in taken:
            continue  # it can be logged in to as before; nobody new can look like it either
        taken.add(look)
        db.execute(people.update().where(people.c.id == id).values(looks=look))
    op.create_index("people_looks", "people", ["looks"], unique=True)
