"""Triggers that keep a table's rows as they were written; and how a migration lifts them for as long as it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op


@contextmanager
def lifted(table: str) -> Iterator[None]:
    """Rows of a table can be changed while this lasts."""
    if op.get_bind().dialect.name == "sqlite":
        for act in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_no_{act}")
    else:
        op.execute(f"DROP TRIGGER {table}_only_added ON {table}")
        op.execute(f"DROP FUNCTION {table}_only_added")
    yield
    only_add(table)


def only_add(table: str) -> None:
    """From now on rows are only added to a table."""
    words = f"rows of {table} are never changed or removed"
    if op.get_bind().dialect.name == "sqlite":
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{words}'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_only_added() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{words}'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_only_added()"
    )
