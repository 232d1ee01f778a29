"""A law: how likely each outcome of a wager is. Exact ones are whole numbers of ways; the type is the same for all."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from feltlab.wagers.wager import Wager


@dataclass(frozen=True)
class Law:
    """The ways of each outcome of a wager, in the order of its cells' outcomes, and all ways together.

    `counted` says what one way is (an ordered six-card sequence, an ordered deal of named cards); empty where the ways
    only stand for probabilities and mean nothing to a reader.
    """

    wager: Wager
    ways: tuple[int, ...]
    total: int
    counted: str

    def __post_init__(self) -> None:
        if sum(self.ways) != self.total or min(self.ways) < 0:
            raise ValueError(f"the ways of {self.wager.id} add up to {sum(self.ways)}, not to {self.total}")

    def probability(self, outcome: int) -> Fraction:
        """How likely an outcome is, exactly."""
        return Fraction(self.ways[outcome], self.total)
