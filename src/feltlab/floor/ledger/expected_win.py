"""What the house expects to win by the exact figures. Counting takes up to a minute for a table.

Run as a program (`python -m feltlab.floor.ledger.expected_win`), it reads a query from standard input and writes the answer,
so that a server can count in another process.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from feltlab.errors import FeltlabError
from feltlab.floor.house.config import read_config
from feltlab.lab.limits import confine
from feltlab.money import Rounding

NICE = 10
ANY = "*"  # stands for every wager of a table, if none could be counted


class Expected(Struct, frozen=True):
    """The expected win of the house from a stake of 1 and its variance, or a note on why they are unknown."""

    edge: float | None = None
    variance: float | None = None
    note: str = ""


class ExpectedQuery(NamedTuple):
    """A query for the expected wins at a table: its configuration and the text of its sheet."""

    config: str
    sheet: str

    @classmethod
    def of(cls, config: str, sheet: str) -> ExpectedQuery:
        """The query for a table. What does not affect the figures is left out, so that similar tables share a query."""
        plain = replace(
            read_config(config),
            limits={},
            jurisdiction=None,
            rounding=Rounding(),
            behind_cut=0,
            burn=0,
            seats=1,
            decision_seconds=1,
            betting_seconds=1,
        )
        return cls(plain.text(), sheet)


def count(query: ExpectedQuery) -> dict[str, Expected]:
    """The expected wins by wager, with basic strategy."""
    from feltlab.analysis import Analysis  # noqa: PLC0415 # heavy, and only needed to count

    analysis = Analysis(read_config(query.config).table(query.sheet).setup)
    expected: dict[str, Expected] = {}
    for id in analysis.setup.wagers:
        try:
            figures = next(iter(analysis.all_figures(id))).figures
        except FeltlabError as error:
            expected[id] = Expected(note=str(error))
            continue
        if figures.varies_by_round:
            expected[id] = Expected(float(figures.house_edge), float(figures.variance))
        else:
            expected[id] = Expected(note="the results of whole rounds are not counted")
    return expected


def main() -> None:
    """Answer the query on standard input."""
    confine(NICE)
    query = msgspec.json.decode(sys.stdin.buffer.read(), type=ExpectedQuery)
    try:
        expected = count(query)
    except MemoryError:
        expected = {ANY: Expected(note="its exact figures need more memory than is allowed")}
    sys.stdout.buffer.write(msgspec.json.encode(expected))


if __name__ == "__main__":
    main()
