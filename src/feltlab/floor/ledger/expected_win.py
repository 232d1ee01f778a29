"""What wagers are expected to win for the house, by the exact figures. Counting takes a while: up to a minute a table.

Run as a program (`python -m feltlab.floor.ledger.expected_win`), it reads a question from its input and writes the answer, so that
a server can have it counted beside its own work.
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
ANY = "*"  # stands for every wager of a table, where none of them could be counted


class Expected(Struct, frozen=True):
    """What a wager of one is expected to win for the house, and how that varies; or a note on why nobody knows."""

    edge: float | None = None
    variance: float | None = None
    note: str = ""


class ExpectedQuery(NamedTuple):
    """Rules whose wagers are to be counted: a configuration, and the text of its sheet."""

    config: str
    sheet: str

    @classmethod
    def of(cls, config: str, sheet: str) -> ExpectedQuery:
        """The question for a table. What does not change the figures is left out, so that like tables ask it once."""
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


def count(question: ExpectedQuery) -> dict[str, Expected]:
    """By wager, with basic strategy."""
    from feltlab.analysis import Analysis  # noqa: PLC0415 # heavy, and only for who counts

    analysis = Analysis(read_config(question.config).table(question.sheet).setup)
    found: dict[str, Expected] = {}
    for id in analysis.setup.wagers:
        try:
            figures = next(iter(analysis.all_figures(id))).figures
        except FeltlabError as error:
            found[id] = Expected(note=str(error))
            continue
        if figures.varies_by_round:
            found[id] = Expected(float(figures.house_edge), float(figures.variance))
        else:
            found[id] = Expected(note="what whole rounds win is not counted")
    return found


def main() -> None:
    """Answer a question."""
    confine(NICE)
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=ExpectedQuery)
    try:
        found = count(question)
    except MemoryError:
        found = {ANY: Expected(note="its exact figures take more memory to count than they may")}
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
