"""The links of hash chains: each is the SHA-256 of the link before it and of a row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from feltlab.errors import FeltlabError

START = "0" * 64  # stands for the link before the first one
OPENING = ("id", "name", "sheet", "config", "config_sha256", "opened_by", "opened_at")
STEP = ("table_id", "seq", "round", "person", "at", "command", "moves", "events", "state")
TRANSFER = (
    "at", "source", "target", "amount", "source_after", "target_after", "why", "table_id", "seq", "bet",
)  # fmt: skip
BEGAN = ("number", "shoe", "began", "began_at", "first_seq")
ENDED = ("number", "ended_at", "last_seq")
_SHOE = re.compile(r'\{"event":"shoe","number":(\d+)')  # cannot match inside a string, where quotes are escaped
ACT = ("id", "at", "by", "act", "subject", "detail")
PERSON = ("id", "kind", "name", "password", "salt", "made_at")
_TYPES = {int, str, type(None)}  # of the values that links are made of


class Unlinked(FeltlabError):
    """A row that no link can be made of."""


class Leftover(FeltlabError):
    """A stored row that belongs to no step of its table."""


def link(before: str, row: list[Any]) -> str:
    """The link of a row: the hash of the link before it and the row, as one JSON list.

    >>> link(START, [1, "open", None])[:16]
    '4e315be7a1528659'
    """
    return hashlib.sha256(msgspec.json.encode([before, *row])).hexdigest()


def values(row: Any, columns: tuple[str, ...]) -> list[Any]:
    """The columns of a row that a link is made of, in order.

    Only numbers and texts are allowed, because in JSON bytes cannot be told from the text of their base64 form.
    """
    hashed = [row[column] for column in columns]
    if not _TYPES.issuperset(map(type, hashed)):
        odd = next(column for column, value in zip(columns, hashed, strict=True) if type(value) not in _TYPES)
        raise Unlinked(f"no link can be made of a row whose {odd} is neither a text nor a whole number")
    return hashed


def of_table(row: Any) -> str:
    """The first link of a table, made of how it was opened."""
    return link(START, values(row, OPENING))


def of_person(row: Any) -> str:
    """The hash of a person's row in acts. The row's salt keeps the name from being guessed from it."""
    return link(START, values(row, PERSON))


def of_step(
    before: str,
    step: Any,
    transfers: Iterable[Any],
    *,
    sealed: Iterable[bytes],
    began: Iterable[Any],
    ended: Iterable[Any],
) -> str:
    """The link of a step: of the step and what is stored with it, its transfers, sealed shoes and rounds.

    Everything else stored with a step (settled wagers, seeds and secrets of shoes) is in its events too.
    """
    rows = [
        values(step, STEP),
        [values(row, TRANSFER) for row in transfers],
        [hashlib.sha256(secret).hexdigest() for secret in sealed],
        [values(row, BEGAN) for row in began],
        [values(row, ENDED) for row in ended],
    ]
    return link(before, rows)


class Along:
    """Rows stored beside steps, in order, which are taken step by step."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = iter(rows)
        self.next: Any = next(self._rows, None)

    def take(self, column: str, value: int) -> list[Any]:
        """Take the next rows that have this value."""
        taken = []
        while self.next is not None and self.next[column] == value:
            taken.append(self.next)
            self.next = next(self._rows, None)
        return taken


def linked(
    opening: str,
    steps: Iterable[Any],
    *,
    transfers: Iterable[Any],
    shoes: Iterable[Any],
    began: Iterable[Any],
    ended: Iterable[Any],
) -> Iterator[tuple[Any, str]]:
    """The stored steps of a table with the links that they must have. All rows are streamed in order.

    Raises `Leftover` if there are rows after the last step that belong to none.
    """
    moved, opened, begun, over = (Along(rows) for rows in (transfers, shoes, began, ended))
    last = opening
    for step in steps:
        shoe_numbers = [int(number) for number in _SHOE.findall(step["events"])]
        last = of_step(
            last,
            step,
            moved.take("seq", step["seq"]),
            sealed=[row["sealed"] for number in shoe_numbers for row in opened.take("number", number)],
            began=begun.take("first_seq", step["seq"]),
            ended=over.take("last_seq", step["seq"]),
        )
        yield step, last
    for what, rest in (("transfer", moved), ("shoe", opened), ("round", begun)):
        if rest.next is not None:
            raise Leftover(f"a {what} ({_describe(rest.next)}) is kept that belongs to no step")
    if over.next is not None and (over.next["last_seq"], over.next["ended_at"]) != (None, None):
        raise Leftover(f"a round ({_describe(over.next)}) is kept as one that ended, but no step ended it")


def _describe(row: Any) -> str:
    """A short name of a row."""
    return ", ".join(f"{key} {row[key]}" for key in ("table_id", "id", "number", "seq") if key in row)


def of_state(text: str) -> str:
    """The hash of a table's state, which is stored with the step before it."""
    return hashlib.sha256(text.encode()).hexdigest()
