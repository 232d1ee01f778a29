"""Writes many rows with one statement, which is compiled once and not for every row."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import msgspec
from sqlalchemy import (
    BindParameter,
    Connection,
    Dialect,
    Insert,
    LargeBinary,
    String,
    Text,
    Update,
    bindparam,
    column,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.sql import visitors
from sqlalchemy.types import TypeEngine

Rows = list[dict[str, Any]]


def write_rows(db: Connection, statement: Insert | Update, rows: Rows) -> None:
    """Execute an insert or update for each row. All rows have the same columns; no rows are fine.

    SQLite runs in this process and executes a short statement for each row. PostgreSQL gets all rows in one statement, to
    save round trips.
    """
    if not rows:
        return
    text, order = _prepared(statement, db.dialect, tuple(rows[0]))
    if order:
        db.exec_driver_sql(text, [tuple(row[name] for name in order) for row in rows])
    else:
        db.exec_driver_sql(text, {"rows": msgspec.json.encode(rows).decode()})


@lru_cache(64)
def _prepared(statement: Insert | Update, dialect: Dialect, columns: tuple[str, ...]) -> tuple[str, list[str]]:
    """A statement's text, and the order of its parameters if it is executed for each row."""
    compiled: Any = statement.compile(dialect=dialect, column_keys=list(columns))
    if dialect.name == "sqlite":
        return str(compiled), list(compiled.positiontup)
    types = {name: compiled.binds[name].type for name in columns}
    return str(_of_rows(statement, types).compile(dialect=dialect)), []


def _of_rows(statement: Insert | Update, types: dict[str, TypeEngine[Any]]) -> Insert | Update:
    """The same statement for a list of rows in JSON, which PostgreSQL processes in order."""
    columns = [
        column(name, Text() if isinstance(type, (String, LargeBinary)) else type) for name, type in types.items()
    ]
    rows = func.json_to_recordset(bindparam("rows", type_=JSON()))
    given = rows.table_valued(*columns).render_derived("given", with_types=True)
    value = {  # msgspec writes bytes in base64
        name: func.decode(given.c[name], literal_column("'base64'")) if isinstance(type, LargeBinary) else given.c[name]
        for name, type in types.items()
    }
    if isinstance(statement, Insert):
        return statement.from_select(list(types), select(*value.values()))

    def from_row(element: Any, **_: Any) -> Any:
        return value.get(element.key) if isinstance(element, BindParameter) else None

    return cast("Update", visitors.replacement_traverse(statement, {}, from_row))
