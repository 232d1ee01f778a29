"""What has been dealt so far: parts added up, in any order, each once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from feltlab.simulate.work import Ints, Part, Work

Exact = NDArray[np.object_]


@dataclass
class Tally:
    """Counts by cell, products of columns, and which batches they are of.

    The products are Python's own integers: they may pass 64 bits in a long run.
    """

    counts: Ints
    cross: Exact
    done: list[tuple[int, int]] = field(default_factory=list)  # ranges of batches, from and up to, in order, apart

    @classmethod
    def of(cls, work: Work) -> Tally:
        """Nothing dealt yet."""
        columns = work.weights.shape[1]
        return cls(np.zeros(work.cells, dtype=np.int64), np.zeros((columns, columns), dtype=object))

    @property
    def batches(self) -> int:
        """How many batches have been dealt."""
        return sum(after - first for first, after in self.done)

    def add(self, part: Part) -> None:
        """Add a part; adding a part twice is an error."""
        first, after = part.first, part.first + part.batches
        if any(first < other_after and other_first < after for other_first, other_after in self.done):
            raise ValueError(f"batches {first} to {after - 1} have been counted before")
        self.counts += part.counts
        self.cross += part.cross.astype(object)
        self.done = _joined([*self.done, (first, after)])

    def todo(self, batches: int) -> list[tuple[int, int]]:
        """The ranges of this many batches that are still to be dealt.

        >>> Tally(np.zeros(1), np.zeros(1), [(2, 4)]).todo(6)
        [(0, 2), (4, 6)]
        """
        ranges, begin = [], 0
        for first, after in [*self.done, (batches, batches)]:
            if begin < min(first, batches):
                ranges.append((begin, min(first, batches)))
            begin = max(begin, after)
        return ranges


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, after in sorted(ranges):
        if joined and joined[-1][1] == first:
            joined[-1] = joined[-1][0], after
        else:
            joined.append((first, after))
    return joined
