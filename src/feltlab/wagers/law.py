"""A law: how likely each outcome of a wager is. The type is the same whether it was counted, weighed or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from feltlab import html
from feltlab.wagers.wager import Wager

Number = Fraction | float


class Results(NamedTuple):
    """What a whole round can win of a first stake of 1, and how likely each is.

    `variance` is exact. Rounds of three and more hands may be shared out among the results by a sample: `sampled` is
    how likely such a round is, and so how much of the chances is a sample's.
    """

    chances: Mapping[Fraction, float]
    variance: float
    sampled: float = 0.0


@dataclass(frozen=True, repr=False)
class Law:
    """The ways of each outcome of a wager, in the order of its cells' outcomes, and all ways together.

    Counted ways are whole numbers, and all figures from them exact fractions; weighed ones are chances. `counted` says
    what one way is (an ordered six-card sequence, an ordered deal of named cards); empty where the ways only stand for
    probabilities and mean nothing to a reader.

    A wager on each hand of a spot can end in several ways in one round, and on raised stakes: `stakes` is then what
    lies on each outcome on average, for a first stake of 1, the ways are hands a round, and `results` what whole rounds
    can win.
    """

    wager: Wager
    ways: tuple[int, ...] | tuple[float, ...]
    total: int | float
    counted: str
    stakes: tuple[float, ...] | None = None
    results: Results | None = None
    strategy: str | None = None  # how hands are played, where that matters

    def __post_init__(self) -> None:
        if min(self.ways) < 0:
            raise ValueError(f"{self.wager.id} has an outcome with {min(self.ways)} ways")
        if self.exact and sum(self.ways) != self.total:
            raise ValueError(f"the ways of {self.wager.id} add up to {sum(self.ways)}, not to {self.total}")

    @property
    def exact(self) -> bool:
        """Are the ways whole numbers?"""
        return isinstance(self.total, int)

    def probability(self, outcome: int) -> Number:
        """How likely an outcome is: exactly, where the ways were counted. Of a wager on each hand: hands a round."""
        ways = self.ways[outcome]
        return (
            Fraction(ways, self.total) if isinstance(ways, int) and isinstance(self.total, int) else ways / self.total
        )

    def stake(self, outcome: int) -> Number:
        """What lies on an outcome on average, for a first stake of 1."""
        return self.probability(outcome) if self.stakes is None else self.stakes[outcome]

    def __repr__(self) -> str:
        under = f", strategy {self.strategy}" if self.strategy else ""
        return f"<Law of {self.wager.id}: {len(self.ways)} outcomes{under}>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        rows = [
            (
                self.wager.outcome_name(outcome),
                f"{ways:,}",
                f"{float(self.probability(place)):.6f}",
            )
            for place, (outcome, ways) in enumerate(zip(self.wager.cells.outcomes, self.ways, strict=True))
        ]
        return html.table(self.wager.name, ("outcome", self.counted or "ways", "probability"), rows)
