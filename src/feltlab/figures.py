"""The figures of a wager under a law: house edge, hit frequency, variance, and the return of every line.

All figures are exact fractions if the law is counted. The house edge is the share of the initial stake that the house wins
on average; pushes stay in the denominator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, sqrt
from typing import NamedTuple

from feltlab import html
from feltlab.errors import NotCountedError
from feltlab.money import pay_text
from feltlab.wagers.law import Law, Number


class Row(NamedTuple):
    """An outcome: its name, its pay, its number of ways, its probability, and its part of the return.

    For a wager on each hand, the probability is the average number of hands per round that end this way.
    """

    name: str
    pays: Fraction
    combinations: int | None
    probability: Number
    returns: Number
    lines: tuple[str, ...] = ()  # the ids of the lines that it pays


@dataclass(frozen=True, repr=False)
class Figures:
    """The figures of one wager under one law."""

    law: Law

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every outcome, the printed lines in order and a loss by no line last."""
        lines, outcomes = self.law.wager.lines, self.law.wager.cells.outcomes
        found = []
        for place in sorted(range(len(outcomes)), key=lambda place: outcomes[place].lines or (len(lines),)):
            outcome, ways = outcomes[place], self.law.ways[place]
            counted = ways if self.law.counted and isinstance(ways, int) else None
            name = self.law.wager.outcome_name(outcome)
            returns = times(self.law.stake(place), outcome.pays)
            ids = self.law.wager.line_ids(outcome)
            found.append(Row(name, outcome.pays, counted, self.law.probability(place), returns, ids))
        return tuple(found)

    @cached_property
    def results(self) -> tuple[tuple[Fraction, Number], ...]:
        """The possible wins of a stake of 1 with their probabilities: by line, or for a wager on each hand by whole round."""
        if self.law.results is not None:
            return tuple(sorted(self.law.results.chances.items()))
        if self.law.stakes is not None:
            raise NotCountedError(
                f"the results of whole rounds are not counted here for {self.law.wager.id}: simulate it"
            )
        return tuple((row.pays, row.probability) for row in self.rows)

    @property
    def varies_by_round(self) -> bool:
        """Whether the results of whole rounds are known, which they may not be for a wager on each hand."""
        return self.law.stakes is None or self.law.results is not None

    def _moment(self, power: int) -> Number:
        return add(times(chance, net**power) for net, chance in self.results)

    @cached_property
    def expected(self) -> Number:
        """The player's average win per stake of 1."""
        return add(row.returns for row in self.rows)

    @property
    def house_edge(self) -> Number:
        """The house's average win per stake of 1."""
        return -self.expected

    @cached_property
    def average_wager(self) -> Number:
        """The average total wagered per first stake of 1, which is more if hands are doubled and split."""
        return add(self.law.stakes) if self.law.stakes is not None else Fraction(1)

    @property
    def element_of_risk(self) -> Number:
        """The house's average win per unit of all money wagered."""
        if self.law.stakes is None:
            return self.house_edge
        return float(self.house_edge) / float(self.average_wager)

    @property
    def hit_frequency(self) -> Number:
        """The probability that the wager wins."""
        return add(chance for net, chance in self.results if net > 0)

    @property
    def push_frequency(self) -> Number:
        """The probability that the stake is returned."""
        return add(chance for net, chance in self.results if net == 0)

    @cached_property
    def variance(self) -> Number:
        """The variance of the win of a stake of 1."""
        if self.law.results is not None:
            return self.law.results.variance
        return self._moment(2) - self.expected**2

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the win of a stake of 1."""
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
        """The highest pay with a positive probability."""
        return max(row.pays for row in self.rows if row.probability)

    @property
    def sentence(self) -> str:
        """The figures in one line."""
        parts = [f"house edge {float(self.house_edge):.4%}"]
        if self.law.stakes is not None:
            parts.append(f"element of risk {float(self.element_of_risk):.4%}")
            parts.append(f"average wager {float(self.average_wager):.4f}")
        if self.varies_by_round:
            parts.append(f"hit frequency {float(self.hit_frequency):.4%}")
            parts.append(f"standard deviation {self.standard_deviation:.4f}")
        if self.law.strategy is not None:
            parts.append(f"strategy {self.law.strategy}")
        if self.law.counted:
            parts.append(f"of {self.law.total:,} {self.law.counted}")
        return ", ".join(parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles of the columns of `as_text`."""
        return ("event", "pays", "combinations", "hands a round" if self.law.stakes else "probability", "return")

    def __repr__(self) -> str:
        return f"<Figures of {self.law.wager.id}: {self.sentence}>"

    def __str__(self) -> str:
        rows = [self.columns, *self.as_text()]
        wide = [max(len(row[place]) for row in rows) for place in range(len(self.columns))]
        lines = [
            "  ".join(text.rjust(wide[place]) if place else text.ljust(wide[0]) for place, text in enumerate(row))
            for row in rows
        ]
        return "\n".join([self.law.wager.name, *lines, self.sentence])

    def _repr_html_(self) -> str:
        """The table shown in a notebook."""
        return html.table(self.law.wager.name, self.columns, self.as_text(), [self.sentence])

    def as_text(self) -> list[tuple[str, str, str, str, str]]:
        """The rows as game-maths pages print them: event, pays, combinations, probability, return."""
        return [
            (
                row.name,
                pay_text(row.pays),
                f"{row.combinations:,}" if row.combinations is not None else "-",
                f"{float(row.probability):.6f}",
                f"{float(row.returns) + 0.0:.6f}",  # turns -0.0 into 0.0
            )
            for row in self.rows
        ]


def times(one: Number, other: Fraction) -> Number:
    """Multiply, exactly if the first factor is exact."""
    return one * other if isinstance(one, Fraction) else one * float(other)


def add(numbers: Iterable[Number]) -> Number:
    """Add, exactly if all numbers are exact."""
    terms = list(numbers)
    exact = [number for number in terms if isinstance(number, Fraction)]
    return sum(exact, Fraction(0)) if len(exact) == len(terms) else fsum(map(float, terms))
