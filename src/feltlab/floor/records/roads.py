"""The scoreboard of a baccarat shoe: the five roads that players follow. They describe past coups and predict nothing.

A road is a list of marks on a grid of six rows. The big road begins a new column when the other side wins; the three derived
roads show how regular it is, red for regular and blue for irregular.

>>> roads(["banker", "banker", "player", "tie", "banker"]).big
[Mark(column=0, row=0, is_='banker', ties=0), Mark(column=0, row=1, is_='banker', ties=0), \
Mark(column=1, row=0, is_='player', ties=1), Mark(column=2, row=0, is_='banker', ties=0)]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.floor.desk import NotFound
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import read
from feltlab.rounds.events import CoupEnded

ROWS = 6
TIE, REGULAR, IRREGULAR = "tie", "red", "blue"


class Mark(Struct, frozen=True, rename={"is_": "is"}):
    """A mark on a grid: who won, or the colour of a derived road. `ties` is the number of ties before the next winner."""

    column: int
    row: int
    is_: str
    ties: int = 0


class Roads(Struct, frozen=True):
    """The bead plate, the big road, and the three derived ones."""

    bead: list[Mark]
    big: list[Mark]
    big_eye: list[Mark]
    small: list[Mark]
    cockroach: list[Mark]


class CoupResult(Struct, frozen=True):
    """A coup of the shoe: its round, who won, and both totals."""

    round: str
    result: str
    player: int
    banker: int


class Scoreboard(Struct, frozen=True):
    """The results and roads of a table's shoe."""

    table: int
    shoe: int
    results: list[CoupResult]
    roads: Roads


def scoreboard(db: Connection, table: int, game: str, shoe: int) -> Scoreboard:
    """The scoreboard of a table's shoe. Only baccarat has one."""
    if game != "baccarat":
        raise NotFound(f"table {table} has no scoreboard: it is not baccarat")
    r, p = schema.rounds, schema.steps
    found = db.execute(
        select(r.c.number, p.c.events)
        .join(p, (p.c.table_id == r.c.table_id) & (p.c.seq == r.c.last_seq))
        .where(r.c.table_id == table, r.c.shoe == shoe)
        .order_by(r.c.number)
    )
    results = [
        CoupResult(f"{table}-{number}", event.result, event.player, event.banker)
        for number, events in found
        for event in read(events)
        if isinstance(event, CoupEnded)
    ]
    return Scoreboard(table, shoe, results, roads([coup.result for coup in results]))


def roads(results: Sequence[str]) -> Roads:
    """All five roads of some results, each `player`, `banker` or `tie`."""
    bead = [Mark(*divmod(place, ROWS), result) for place, result in enumerate(results)]
    columns, ties = _columns(results)
    marks = iter(ties)
    big = [Mark(mark.column, mark.row, mark.is_, next(marks)) for mark in _laid(columns)]
    lengths = [len(column) for column in columns]
    derived = [_laid(_columns(_colours(lengths, back))[0]) for back in (1, 2, 3)]
    return Roads(bead, big, *derived)


def _columns(results: Iterable[str]) -> tuple[list[list[str]], list[int]]:
    """Runs of equal results, and the ties after each result; ties before the first winner count with it."""
    columns: list[list[str]] = []
    ties: list[int] = []
    early = 0
    for result in results:
        if result == TIE:
            if ties:
                ties[-1] += 1
            else:
                early += 1
            continue
        if not columns or columns[-1][0] != result:
            columns.append([])
        columns[-1].append(result)
        ties.append(early)
        early = 0
    return columns, ties


def _laid(columns: Iterable[Sequence[str]]) -> list[Mark]:
    """Place each run down a column of its own; at the bottom, or where a mark is in the way, it turns right."""
    marks: list[Mark] = []
    taken: set[tuple[int, int]] = set()
    top = 0
    for run in columns:
        while (top, 0) in taken:
            top += 1
        column, row = top, 0
        for place, is_ in enumerate(run):
            if place and row + 1 < ROWS and column == top and (column, row + 1) not in taken:
                row += 1
            elif place:
                column += 1
            taken.add((column, row))
            marks.append(Mark(column, row, is_))
    return marks


def _colours(lengths: Sequence[int], back: int) -> list[str]:
    """The colours of a derived road, which compares each entry of the big road with the column `back` columns earlier.

    For the first entry of a column, it is regular if the column before it was as long as the earlier column; for any other
    entry, if the earlier column reaches this row or ended more than one row above it.
    """
    colours = []
    for column, length in enumerate(lengths):
        for row in range(length):
            if row == 0 and column > back:
                regular = lengths[column - 1] == lengths[column - 1 - back]
            elif row > 0 and column >= back:
                regular = lengths[column - back] != row
            else:
                continue
            colours.append(REGULAR if regular else IRREGULAR)
    return colours
