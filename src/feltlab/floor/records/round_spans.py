"""Checks the rows of a table's rounds against its steps, from the step that opens a round to the step that ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from feltlab.floor.records.stored import Differs
from feltlab.floor.tables.events import CalledOff, RoundOpened, TableClosed
from feltlab.rounds.events import RoundEnded

OPENED, OVER, CALLED_OFF, CLOSED = (
    str(kind.__struct_config__.tag) for kind in (RoundOpened, RoundEnded, CalledOff, TableClosed)
)
# This cannot match inside a string, where quotes are escaped, and `check_text` checks how events are written.
_MARKS = re.compile(rf'\{{"event":"({OPENED}|{OVER}|{CALLED_OFF}|{CLOSED})"(?:,"number":(\d{{1,18}}))?')


def check_text(step: Any) -> None:
    """Check that the events of a step are written in their canonical form, so that a text search for an event finds it."""
    text = step["events"]
    try:
        events = msgspec.json.decode(text)
        plain = msgspec.json.encode(events).decode() == text and all(next(iter(event)) == "event" for event in events)
    except (ValueError, TypeError, LookupError, StopIteration, RecursionError) as error:
        raise Differs(f"the events of step {step['table_id']}-{step['seq']} cannot be read: {error}") from None
    if not plain:
        raise Differs(f"the events of step {step['table_id']}-{step['seq']} are not written as events are")


class Spans:
    """Checks that each row of `rounds` agrees with the steps that opened, played and ended the round."""

    def __init__(self, table: int, rows: Iterator[Any]) -> None:
        self.table = table
        self._rows = rows
        self.playing: Any = None  # the row of the round that is not over
        self.last = 0  # the number of the last round
        self.over: list[int] = []  # the rounds of the shoe in use that are over
        self.closed = False

    def follow(self, step: Any, shoe: int | None) -> None:
        """Follow a step; `shoe` is the shoe in use when it begins."""
        opened = self.playing
        for kind, number in _MARKS.findall(step["events"]):
            if kind == OPENED:
                self._open(step, int(number) if number else None, shoe)
                opened = self.playing
            elif self.playing is not None:
                self._end(step)
            self.closed |= kind == CLOSED
        played = step["moves"] != "[]"
        if step["round"] != (opened["number"] if opened is not None and played else None) or (played and not opened):
            of = f"round {opened['number']} is in play" if opened is not None else "no round is in play"
            asked = "something" if played else "nothing"
            name, kept = f"step {self.table}-{step['seq']}", step["round"]
            raise Differs(f"{name} is kept as one of round {kept}, but {of}, and {asked} is asked of it")

    def _open(self, step: Any, number: int | None, shoe: int | None) -> None:
        if self.playing is not None:
            raise Differs(f"step {self.table}-{step['seq']} opens a round while another is in play")
        row = next(self._rows, None)
        if row is None or row["number"] != number:
            kept = f", and {row['number']} is kept as the next" if row is not None else ", which is not kept"
            raise Differs(f"step {self.table}-{step['seq']} opens round {number}{kept}")
        self._compare(row, {"shoe": shoe, "began_at": step["at"], "first_seq": step["seq"]})
        self.playing, self.last = row, row["number"]

    def _end(self, step: Any) -> None:
        self._compare(self.playing, {"ended_at": step["at"], "last_seq": step["seq"]})
        self.over.append(self.playing["number"])
        self.playing = None

    def _compare(self, row: Any, expected: dict[str, Any]) -> None:
        for what, value in expected.items():
            if row[what] != value:
                name = f"round {self.table}-{row['number']}"
                raise Differs(f"{name} is kept with {what} {row[what]}, but the steps say {value}")

    def take_over(self) -> list[int]:
        """Take the rounds that ended since the last call: those of a shoe, when it is finished."""
        taken, self.over = self.over, []
        return taken

    def check_end(self) -> None:
        """Check after the last step that no row is left, and that the row of a round in play has no end."""
        if self.playing is not None:
            self._compare(self.playing, {"ended_at": None, "last_seq": None})
        if extra := next(self._rows, None):
            raise Differs(f"round {self.table}-{extra['number']} is kept, but no step opened it")
