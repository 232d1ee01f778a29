"""Checks that each value of a row has the type of its column, which SQLite does not enforce."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import Row, Select

from feltlab.errors import FeltlabError

Refuse = Callable[[str], FeltlabError]
WORDS = {"int": "a whole number", "str": "a text", "bytes": "bytes", "float": "a fraction", "NoneType": "nothing"}


def sound(rows: Iterable[Row[Any]], asked: Select[Any], refuse: Refuse) -> Iterator[Row[Any]]:
    """The same rows; the first with a value of a wrong type is refused by name."""
    known: set[tuple[type, ...]] = set()  # most rows of a table have the same types
    for row in rows:
        kinds = tuple(map(type, row))
        if kinds not in known:
            _check(row, asked, refuse)
            known.add(kinds)
        yield row


def _check(row: Row[Any], asked: Select[Any], refuse: Refuse) -> None:
    for value, column in zip(row, asked.selected_columns, strict=True):
        wanted = column.type.python_type
        if type(value) is not wanted and not (value is None and getattr(column, "nullable", True)):
            found = WORDS.get(type(value).__name__, type(value).__name__)
            raise refuse(f"{_name(row, asked)} is kept with {found} as its {column.key}, not {WORDS[wanted.__name__]}")


def _name(row: Row[Any], asked: Select[Any]) -> str:
    """The table and the key of a row, truncated if it is long."""
    columns = list(asked.selected_columns)
    table = next(iter(columns[0].base_columns)).table
    key = [str(value)[:70] for value, column in zip(row, columns, strict=True) if getattr(column, "primary_key", False)]
    return f"the row {'-'.join(key)} of {getattr(table, 'name', 'a table')}"
