"""What a law and a wager give together: house edge, hit frequency, variance, and the return of every line.

All figures are exact fractions where the law is. The house edge is what the house wins of the initial stake; pushes
stay in the denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import NamedTuple

from feltlab.money import pay_text
from feltlab.wagers.law import Law


class Row(NamedTuple):
    """A way to end: its name, what it pays, in how many ways, how likely, and what it adds to the return."""

    name: str
    pays: Fraction
    combinations: int
    probability: Fraction
    returns: Fraction


@dataclass(frozen=True)
class Figures:
    """The figures of one wager under one law."""

    law: Law

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every outcome, the printed lines in their order and the wager lost by no line last."""
        lines, outcomes = self.law.wager.lines, self.law.wager.cells.outcomes
        found = []
        for place in sorted(range(len(outcomes)), key=lambda place: outcomes[place].lines or (len(lines),)):
            outcome = outcomes[place]
            name = " and ".join(lines[line].name for line in outcome.lines) or "Lose"
            chance = self.law.probability(place)
            found.append(Row(name, outcome.pays, self.law.ways[place], chance, chance * outcome.pays))
        return tuple(found)

    def _moment(self, power: int) -> Fraction:
        return sum((row.probability * row.pays**power for row in self.rows), Fraction(0))

    @cached_property
    def expected(self) -> Fraction:
        """What a player wins on average for a stake of 1."""
        return self._moment(1)

    @property
    def house_edge(self) -> Fraction:
        """What the house wins on average of a stake of 1."""
        return -self.expected

    @property
    def hit_frequency(self) -> Fraction:
        """How often the wager wins something."""
        return sum((row.probability for row in self.rows if row.pays > 0), Fraction(0))

    @property
    def push_frequency(self) -> Fraction:
        """How often the stake comes back."""
        return sum((row.probability for row in self.rows if row.pays == 0), Fraction(0))

    @cached_property
    def variance(self) -> Fraction:
        """The variance of what a stake of 1 wins."""
        return self._moment(2) - self.expected**2

    @property
    def standard_deviation(self) -> float:
        """Its square root."""
        return sqrt(self.variance)

    @property
    def skewness(self) -> float:
        """The third standardised moment; 0 for a wager that cannot vary."""
        if self.variance == 0:
            return 0.0
        mean = self.expected
        third = self._moment(3) - 3 * mean * self._moment(2) + 2 * mean**3
        return float(third) / self.standard_deviation**3

    @property
    def largest_pay(self) -> Fraction:
        """The most that it can pay and does, in some case."""
        return max(row.pays for row in self.rows if row.combinations)

    def as_text(self) -> list[tuple[str, str, str, str, str]]:
        """The rows as game-maths pages print them: event, pays, combinations, probability, return."""
        return [
            (
                row.name,
                pay_text(row.pays),
                f"{row.combinations:,}" if self.law.counted else "-",
                f"{float(row.probability):.6f}",
                f"{float(row.returns):.6f}",
            )
            for row in self.rows
        ]
