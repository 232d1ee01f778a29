"""All wagers of a baccarat table at once, as quickly as a person can drag a slider.

The coups are counted by compiled code, and every wager is weighed on the same count: a composition in, the ordered
six-card sequences of every outcome of every wager out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import perm

import numpy as np
from numpy.typing import NDArray

from feltlab.compile import compiled
from feltlab.exact.baccarat.sequences import COUNTED, looks_at_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.baccarat import card_points
from feltlab.wagers.baccarat_facts import CLASSES, VIEWS
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

MOST_CARDS = 1400  # more, and the ordered six-card sequences would not fit in 63 bits


class CoupCounter:
    """Some wagers that look at no single cards, ready to be counted from one composition after another.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> banker = set_up(load("bad-beat-baccarat")).wagers["banker"]
    >>> CoupCounter([banker]).laws(ShoeComposition.of(8))[0].ways[1]
    2292252566437888
    """

    def __init__(self, wagers: Sequence[Wager]) -> None:
        self.wagers = [wager for wager in wagers if not looks_at_cards(wager)]
        self._count = compiled()["feltlab.exact.baccarat.sequences.count_coups"]
        rows = [[wager.cells.outcome(view) for view in VIEWS] for wager in self.wagers]
        sizes = [len(wager.cells.outcomes) for wager in self.wagers]
        self._ends = np.cumsum(sizes)[:-1]
        self._fits = np.zeros((sum(sizes), CLASSES), dtype=np.int64)
        for first, row in zip([0, *self._ends.tolist()], rows, strict=True):
            self._fits[np.array(row) + first, np.arange(CLASSES)] = 1

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sequences of every outcome of every wager, one after another, from how many cards are of 0 to 9 points."""
        ways = np.zeros(CLASSES, dtype=np.int64)
        self._count(counts, int(counts.sum()), ways)
        found: NDArray[np.int64] = self._fits @ ways
        return found

    def laws(self, shoe: ShoeComposition) -> list[Law]:
        """The law of each wager."""
        if shoe.size > MOST_CARDS:
            raise ValueError(f"{shoe.size} cards have more six-card sequences than can be counted so")
        sums = self.sums(np.array(shoe.by_points(card_points, 10), dtype=np.int64))
        total = perm(shoe.size, 6)
        parts = np.split(sums, self._ends)
        return [
            Law(wager, tuple(part.tolist()), total, COUNTED) for wager, part in zip(self.wagers, parts, strict=True)
        ]
