"""The links of hash chains: each is the SHA-256 of the one before and of what follows it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from feltlab.errors import FeltlabError

START = "0" * 64  # what the first link of a chain follows
OPENING = ("id", "name", "sheet", "config", "config_sha256", "opened_by", "opened_at")
STEP = ("table_id", "seq", "round", "person", "at", "command", "moves", "events", "state")
TRANSFER = (
    "at", "source", "target", "amount", "source_after", "target_after", "why", "table_id", "seq", "bet",
)  # fmt: skip
BEGAN = ("number", "shoe", "began", "began_at", "first_seq")
ENDED = ("number", "ended_at", "last_seq")
_SHOE = re.compile(r'\{"event":"shoe","number":(\d+)')  # within a text these quotes would be escaped
ACT = ("id", "at", "by", "act", "subject", "detail")
PERSON = ("id", "kind", "name", "password", "salt", "made_at")
_KINDS = {int, str, type(None)}  # of the values that links are made of


class Unlinked(FeltlabError):
    """A row of which no link can be made."""


class Leftover(FeltlabError):
    """A row that is kept beside the steps of a table, and belongs to none of them."""


def link(before: str, row: list[Any]) -> str:
    """The link of a row after the link before it: what is hashed is both, as one JSON list.

    >>> link(START, [1, "open", None])[:16]
    '4e315be7a1528659'
    """
    return hashlib.sha256(msgspec.json.encode([before, *row])).hexdigest()


def values(row: Any, columns: tuple[str, ...]) -> list[Any]:
    """The columns of a row that a link is made of, in their order.

    Numbers and texts alone: in JSON bytes look like the text that is their base64.
    """
    found = [row[column] for column in columns]
    if not _KINDS.issuperset(map(type, found)):
        odd = next(column for column, value in zip(columns, found, strict=True) if type(value) not in _KINDS)
        raise Unlinked(f"no link can be made of a row whose {odd} is neither a text nor a whole number")
    return found


def of_table(row: Any) -> str:
    """The first link of a table: how it was opened, which never changes."""
    return link(START, values(row, OPENING))


def of_person(row: Any) -> str:
    """What acts say of a person's row. Nobody can tell the name from it: the salt is as good as a key until it is gone."""
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
    """The link of a step: the step with all that was stored with it, its transfers, sealed shoes and rounds.

    What else is stored with a step, settled wagers and seeds and secrets of shoes, is in its events too.
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
    """Rows that lie beside steps, in their order, taken as far as they belong to one."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = iter(rows)
        self.next: Any = next(self._rows, None)

    def take(self, column: str, value: int) -> list[Any]:
        """The next rows that have this value."""
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
    """The stored steps of a table and what their links must be. All rows come in their order, and none is held on to.

    After the last step, rows that belong to none are `Leftover`.
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
            raise Leftover(f"a {what} ({_told(rest.next)}) is kept that belongs to no step")
    if over.next is not None and (over.next["last_seq"], over.next["ended_at"]) != (None, None):
        raise Leftover(f"a round ({_told(over.next)}) is kept as one that ended, but no step ended it")


def _told(row: Any) -> str:
    """Which row it is, in short."""
    return ", ".join(f"{key} {row[key]}" for key in ("table_id", "id", "number", "seq") if key in row)


def of_state(text: str) -> str:
    """What a step keeps of the table's state after it."""
    return hashlib.sha256(text.encode()).hexdigest()
