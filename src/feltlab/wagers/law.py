"""A law: the probability of each outcome of a wager, whether it was counted, weighed or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from feltlab import html
from feltlab.wagers.wager import Wager

Number = Fraction | float


class Results(NamedTuple):
    """The distribution of what a whole round wins on a first stake of 1.

    `variance` is exact. How rounds of three and more hands are distributed over the results may come from a sample:
    `sampled` is the probability of such a round, and so the share of the chances that is sampled.
    """

    chances: Mapping[Fraction, float]
    variance: float
    sampled: float = 0.0


@dataclass(frozen=True, repr=False)
class Law:
    """The ways of each outcome of a wager, in the order of its cells' outcomes, and their total.

    Counted ways are whole numbers, and figures from them are exact fractions; weighed ones are probabilities. `counted`
    names what is counted (ordered six-card sequences, ordered deals of the named cards); it is empty where the ways only
    stand for probabilities.

    A wager on each hand of a spot can end in several ways in one round, and on raised stakes. Its ways are hands per
    round, `stakes` is the average stake on each outcome for a first stake of 1, and `results` is what whole rounds win.
    """

    wager: Wager
    ways: tuple[int, ...] | tuple[float, ...]
    total: int | float
    counted: str
    stakes: tuple[float, ...] | None = None
    results: Results | None = None
    strategy: str | None = None  # the strategy, where the law depends on play

    def __post_init__(self) -> None:
        if min(self.ways) < 0:
            raise ValueError(f"{self.wager.id} has an outcome with {min(self.ways)} ways")
        if self.exact and sum(self.ways) != self.total:
            raise ValueError(f"the ways of {self.wager.id} add up to {sum(self.ways)}, not to {self.total}")

    @property
    def exact(self) -> bool:
        """Whether the ways are whole numbers."""
        return isinstance(self.total, int)

    def probability(self, outcome: int) -> Number:
        """The probability of an outcome, exact where the ways were counted. For a wager on each hand: hands per round."""
        ways = self.ways[outcome]
        return (
            Fraction(ways, self.total) if isinstance(ways, int) and isinstance(self.total, int) else ways / self.total
        )

    def stake(self, outcome: int) -> Number:
        """The average stake on an outcome, for a first stake of 1."""
        return self.probability(outcome) if self.stakes is None else self.stakes[outcome]

    def __repr__(self) -> str:
        under = f", strategy {self.strategy}" if self.strategy else ""
        return f"<Law of {self.wager.id}: {len(self.ways)} outcomes{under}>"

    def _repr_html_(self) -> str:
        """The table shown in a notebook."""
        rows = [
            (
                self.wager.outcome_name(outcome),
                f"{ways:,}",
                f"{float(self.probability(place)):.6f}",
            )
            for place, (outcome, ways) in enumerate(zip(self.wager.cells.outcomes, self.ways, strict=True))
        ]
        return html.table(self.wager.name, ("outcome", self.counted or "ways", "probability"), rows)
