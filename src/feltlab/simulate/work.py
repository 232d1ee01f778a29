"""What is to be dealt, as plain numbers that can be sent to any engine, and what comes of dealing a part of it.

Work is cut into *batches* of rounds or shoes, numbered from 0. A batch is dealt from its own counters alone, so parts can
be dealt anywhere, in any order, again if one is lost; they are added up to the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.simulate.compile.layout import Game
from feltlab.simulate.kernels import coups, quick, rounds
from feltlab.simulate.kernels.cursor import CHUNK, FRESH, MOST_TURNS, ORDER_MASK, ShoeSpec, Workspace
from feltlab.simulate.kernels.quick import Quick

Ints = NDArray[np.int64]
Small = NDArray[np.int16]
READY = 4 * max(CHUNK, MOST_TURNS)  # the openings of a chunk and notes on them, or the picks of a shoe
ORDER = ORDER_MASK + 17  # the cards of two shoes, and room for reading a few beyond the last


class Part(NamedTuple):
    """What some batches came to: counts by cell, and the products of their column sums added up."""

    first: int
    batches: int
    counts: Ints
    cross: Ints


@dataclass(frozen=True)
class Work:
    """A simulation: the shoe and the tables of the game, and how much of it there is.

    `weights` makes columns of cells: of each way to end of each wager, and of the rounds, how often it comes in a cell.
    """

    shoe: ShoeSpec
    tab: Small
    spec: Ints
    game: Game | None  # None for baccarat
    quick: Quick | None
    cells: int
    cut: int
    burn: int
    batch: int  # rounds or shoes in each
    units: int  # rounds or shoes in all
    weights: Ints

    @property
    def fresh(self) -> bool:
        """Whether every round is dealt from a full shoe."""
        return self.shoe.mode == FRESH

    @property
    def batches(self) -> int:
        """How many batches there are; the last one may be smaller."""
        return -(-self.units // self.batch)

    def size(self, batch: int) -> int:
        """How many rounds or shoes a batch has."""
        return min(self.batch, self.units - batch * self.batch)

    @property
    def digest(self) -> str:
        """A name for everything that decides the counts of a batch."""
        words = sha256()
        for part in (self.tab, self.spec, self.weights):
            words.update(np.ascontiguousarray(part).tobytes())
        # The spelling of the first version, so that checkpoints of earlier versions can be continued.
        shoe = ", ".join(f"{name}={value}" for name, value in self.shoe._asdict().items())
        others = (self.game, self.quick, self.cells, self.cut, self.burn, self.batch)
        words.update(f"(Shoe({shoe}), {repr(others)[1:]}".encode())
        return words.hexdigest()

    def compile(self) -> None:
        """Compile the kernel: it deals nothing."""
        self._dealer()(0, 0, np.zeros(self.cells, dtype=np.int64))

    def rows(self, first: int, batches: int) -> Ints:
        """The counts of some batches, a row each."""
        rows = np.zeros((batches, self.cells), dtype=np.int64)
        dealer = self._dealer()
        for place, row in enumerate(rows):
            dealer((first + place) * self.batch, self.size(first + place), row)
        return rows

    def _dealer(self) -> Callable[[int, int, Ints], object]:
        """A function that deals some rounds or shoes from a number on into a row of counts, in a workspace of its own."""
        order, ready = np.zeros(ORDER, dtype=np.int16), np.zeros(READY, dtype=np.int64)
        shoe, game, tab, spec = self.shoe, self.game, self.tab, self.spec
        if game is None:
            deck, asks, about = self.coup_tables()
            table = coups.played()
            if self.fresh:
                return lambda first, count, row: coups.deal_fresh(
                    first, count, shoe, deck, table, asks, about, ready, row
                )
            return lambda first, count, row: coups.deal_shoes(
                first, count, shoe, deck, order, ready, self.cut, self.burn, table, asks, about, row
            )
        space, quickly = Workspace(tab, spec, order, np.zeros(rounds.WORK, dtype=np.int64), order), self.quick
        if quickly is None and self.fresh:
            return lambda first, count, row: rounds.deal_fresh(
                first, count, game, shoe, space._replace(counts=row), ready, None
            )
        if quickly is None:
            return lambda first, count, row: rounds.deal_shoes(
                first, count, self.cut, self.burn, game, shoe, space._replace(counts=row), None
            )
        if self.fresh:
            return lambda first, count, row: quick.deal_fresh(
                first, count, game, quickly, shoe, space._replace(counts=row), ready
            )
        return lambda first, count, row: quick.deal_shoes(
            first, count, self.cut, self.burn, game, quickly, shoe, space._replace(counts=row), ready
        )

    def coup_tables(self) -> tuple[Small, Ints | None, Small | None]:
        """Of baccarat: the deck, and the questions about cards with their answers, where there are any."""
        deck, answers = self.tab[: self.shoe.size], self.tab[self.shoe.size :]
        return (deck, self.spec, answers) if self.asks else (deck, None, None)

    @property
    def asks(self) -> bool:
        """Whether there are questions about single cards of a coup."""
        return len(self.spec) > 1

    def part(self, first: int, batches: int, rows: Ints | None = None) -> Part:
        """Some batches, dealt (unless their rows are given) and added up."""
        counts = self.rows(first, batches) if rows is None else rows
        columns = (counts.astype(np.float64) @ self.weights).astype(np.int64)  # whole numbers far below 2**53
        return Part(first, batches, counts.sum(axis=0), columns.T @ columns)


def pieces(todo: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of batches cut into pieces of at most `most`.

    >>> list(pieces([(0, 5), (7, 8)], 3))
    [(0, 3), (3, 5), (7, 8)]
    """
    for first, after in todo:
        for begin in range(first, after, most):
            yield begin, min(begin + most, after)
