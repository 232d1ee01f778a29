"""Many rows by one statement, whose text is made once and not once for every row."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Update

Rows = list[dict[str, Any]]


def write_rows(db: Connection, statement: Insert | Update, rows: Rows) -> None:
    """Carry an insert or update out for each row; all rows have the same columns. Nothing for no rows."""
    if not rows:
        return
    text, order = _prepared(statement, db.dialect, tuple(rows[0]))
    db.exec_driver_sql(text, [tuple(row[name] for name in order) for row in rows] if order else rows)


@lru_cache(64)
def _prepared(statement: Insert | Update, dialect: Dialect, columns: tuple[str, ...]) -> tuple[str, list[str]]:
    """A statement's text, and the order of its parameters where a driver knows them by their places."""
    compiled: Any = statement.compile(dialect=dialect, column_keys=list(columns))
    return str(compiled), list(compiled.positiontup or ())
