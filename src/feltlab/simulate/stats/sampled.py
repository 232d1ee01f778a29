"""A law by dealing, and how far chance may have moved it: standard errors of everything that it gives.

What varies between rounds is kept as a matrix: how the numbers of ways to end vary together. Rounds from full shoes on
one spot are independent of each other, so it comes from the rounds themselves. Rounds of one shoe, and spots against one
dealer, are not; batches of shoes or rounds are, so it comes from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.simulate.stats.cells import Meaning, Measured
from feltlab.simulate.stats.chi_square import p_value
from feltlab.simulate.stats.tally import Tally
from feltlab.wagers.law import Law, Results
from feltlab.wagers.wager import Wager

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CONFIDENCE = 1.959963984540054  # standard errors on either side for 95 %
FEWEST_BATCHES = 20  # fewer, and the spread between them says little
RARE = 1e-12


class Estimate(NamedTuple):
    """A figure with its standard error."""

    value: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true figure is, with 95 % confidence."""
        return self.value - CONFIDENCE * self.error, self.value + CONFIDENCE * self.error

    def z(self, exact: float) -> float:
        """How many standard errors it is above an exact figure."""
        difference = self.value - exact
        if self.error > 0:
            return difference / self.error
        return 0.0 if abs(difference) < RARE else float("inf") * (1 if difference > 0 else -1)


class Fit(NamedTuple):
    """A chi-square over all ways to end against an exact law."""

    chi_square: float
    degrees: int

    @property
    def p(self) -> float:
        """How likely chance alone is to do worse."""
        return p_value(self.chi_square, self.degrees)


@dataclass(frozen=True)
class Sampled:
    """One wager as it was dealt. `counts` are its ways to end, `rounds` the spots' rounds."""

    measured: Measured
    counts: Ints
    rounds: int
    spread: Floats  # how the counts vary together, in all
    by_batches: bool
    several: Mapping[Fraction, int]  # rounds with several bets, by what they win
    alone: Ints  # counts of bets that are the only one of their round

    @property
    def wager(self) -> Wager:
        """The wager."""
        return self.measured.wager

    @property
    def bets(self) -> int:
        """How many bets were settled."""
        return int(self.counts.sum())

    @cached_property
    def pays(self) -> Floats:
        """What each way to end wins of a first stake of 1."""
        outcomes = self.wager.cells.outcomes
        return np.array([float(outcomes[way.outcome].pays) * way.stake for way in self.measured.ways])

    @property
    def per(self) -> int:
        """What figures are by: rounds, or of a wager that is not laid in every round, bets."""
        return self.rounds if self.measured.each_round else max(self.bets, 1)

    @cached_property
    def law(self) -> Law:
        """The law that was dealt."""
        ways = [0] * len(self.wager.cells.outcomes)
        stakes = [0] * len(ways)
        for way, count in zip(self.measured.ways, self.counts.tolist(), strict=True):
            ways[way.outcome] += count
            stakes[way.outcome] += count * way.stake
        if not self.measured.results:
            return Law(self.wager, tuple(ways), self.bets, "")
        rounds = float(self.rounds)
        chances = {net: count / rounds for net, count in self.results.items()}
        mean = sum(float(net) * chance for net, chance in chances.items())
        variance = sum((float(net) - mean) ** 2 * chance for net, chance in chances.items())
        found = Results(chances, variance)
        by_round = tuple(count / rounds for count in ways)
        return Law(self.wager, by_round, 1.0, "", tuple(stake / rounds for stake in stakes), found)

    @cached_property
    def results(self) -> dict[Fraction, int]:
        """How often whole rounds won what: of a wager of which there may be several in a round."""
        found = dict(self.several)
        outcomes = self.wager.cells.outcomes
        for way, count in zip(self.measured.ways, self.alone.tolist(), strict=True):
            net = outcomes[way.outcome].pays * way.stake
            found[net] = found.get(net, 0) + count
        return {net: count for net, count in sorted(found.items()) if count}

    # ---- figures with their errors

    def _estimate(self, value: float, slope: Floats) -> Estimate:
        """A figure that changes by `slope` with each of the counts."""
        return Estimate(value, sqrt(max(float(slope @ self.spread @ slope), 0.0)))

    @cached_property
    def house_edge(self) -> Estimate:
        """What the house wins of a first stake of 1: added up in whole numbers, so that it is the same on every machine."""
        outcomes = self.wager.cells.outcomes
        counted = zip(self.measured.ways, self.counts.tolist(), strict=True)
        edge = -float(
            sum((outcomes[way.outcome].pays * way.stake * count for way, count in counted), Fraction()) / self.per
        )
        slope = -self.pays / self.per
        if not self.measured.each_round:
            slope = slope - edge / self.per
        return self._estimate(edge, slope)

    @cached_property
    def average_wager(self) -> Estimate:
        """All that is wagered for a first stake of 1."""
        stakes = np.array([way.stake for way in self.measured.ways], dtype=np.float64)
        if not self.measured.results:
            return Estimate(1.0, 0.0)
        return self._estimate(float(stakes @ self.counts) / self.rounds, stakes / self.rounds)

    @cached_property
    def element_of_risk(self) -> Estimate:
        """What the house wins of all that is wagered."""
        if not self.measured.results:
            return self.house_edge
        stakes = np.array([way.stake for way in self.measured.ways], dtype=np.float64)
        wagered = float(stakes @ self.counts)
        risk = -float(self.pays @ self.counts) / wagered
        return self._estimate(risk, (-self.pays - risk * stakes) / wagered)

    def _share(self, wins: bool) -> Estimate:
        """How often a round (or bet) wins, or pushes; spread as widely as the edge is beyond independent rounds."""
        nets = self.by_net
        total = sum(nets.values())
        share = sum(count for net, count in nets.items() if (net > 0 if wins else net == 0)) / max(total, 1)
        return Estimate(share, sqrt(share * (1 - share) / max(total, 1)) * self._wider)

    @cached_property
    def by_net(self) -> dict[Fraction, int]:
        """How often rounds won what; of a wager that is not laid in every round, how often bets did."""
        if self.measured.results:
            return self.results
        outcomes = self.wager.cells.outcomes
        found: dict[Fraction, int] = {}
        for way, count in zip(self.measured.ways, self.counts.tolist(), strict=True):
            found[outcomes[way.outcome].pays] = found.get(outcomes[way.outcome].pays, 0) + count
        return found

    @cached_property
    def _moments(self) -> tuple[int, float, list[float]]:
        """How many rounds or bets, their mean, and their central moments up to the sixth."""
        nets = self.by_net
        total = max(sum(nets.values()), 1)
        values, counts = np.array([float(net) for net in nets]), np.array(list(nets.values()), dtype=np.float64)
        mean = float(values @ counts) / total
        return total, mean, [float((values - mean) ** power @ counts) / total for power in range(7)]

    @cached_property
    def _wider(self) -> float:
        """How much wider the edge is spread than independent rounds would spread it."""
        total, _, moments = self._moments
        alone = sqrt(moments[2] / total)
        return self.house_edge.error / alone if alone > 0 else 1.0

    @property
    def hit_frequency(self) -> Estimate:
        """How often it wins something."""
        return self._share(True)

    @property
    def push_frequency(self) -> Estimate:
        """How often the stake comes back."""
        return self._share(False)

    @cached_property
    def variance(self) -> Estimate:
        """The variance of what a stake of 1 wins in a round."""
        total, _, moments = self._moments
        return Estimate(moments[2], sqrt(max(moments[4] - moments[2] ** 2, 0.0) / total) * self._wider)

    @cached_property
    def standard_deviation(self) -> Estimate:
        """Its square root."""
        value = sqrt(self.variance.value)
        return Estimate(value, self.variance.error / (2 * value) if value else 0.0)

    @cached_property
    def skewness(self) -> Estimate:
        """The third standardised moment, its error by the moments up to the sixth."""
        total, _, central = self._moments
        if central[2] <= 0:
            return Estimate(0.0, 0.0)
        deviation = sqrt(central[2])
        m = [moment / deviation**power for power, moment in enumerate(central)]
        skew = m[3]
        # The mean square of x^3 - 3 x - skew - 3/2 skew (x^2 - 1), the influence of a standardised result x.
        square = m[6] - 6 * m[4] + 9 - 3 * skew * m[5] + 2.25 * skew**2 * m[4] + 8.75 * skew**2
        return Estimate(skew, sqrt(max(square, 0.0) / total) * self._wider)

    def line(self, outcome: int) -> Estimate:
        """How often an outcome comes: in a round, or of a wager that is not laid in every round, of its bets."""
        chosen = np.array([float(way.outcome == outcome) for way in self.measured.ways])
        value = float(chosen @ self.counts) / self.per
        slope = chosen / self.per
        if not self.measured.each_round:
            slope = slope - value / self.per
        return self._estimate(value, slope)

    # ---- against an exact law

    def fit(self, exact: Law) -> Fit:
        """A chi-square of all ways to end against an exact law: how far the counts are from it, by how they vary."""
        expected = self.expected(exact) * self.per
        difference = self.counts - expected
        spread = self.spread
        if not self.measured.each_round:  # shares of bets: what varies is each way less its share of all
            share = np.eye(len(expected)) - np.outer(expected / self.per, np.ones(len(expected)))
            spread = share @ spread @ share.T
            difference = share @ self.counts
        kept = (self.counts > 0) | (expected > 0)
        spread, difference = spread[np.ix_(kept, kept)], difference[kept]
        if np.any(np.diag(spread) <= 0) and np.any(np.abs(difference[np.diag(spread) <= 0]) > 0.5):
            return Fit(float("inf"), 1)
        scale = np.sqrt(np.maximum(np.diag(spread), RARE))
        values, vectors = np.linalg.eigh(spread / np.outer(scale, scale))
        real = values > 1e-9
        along = vectors.T @ (difference / scale)
        return Fit(float((along[real] ** 2 / values[real]).sum()), int(real.sum()))

    def expected(self, exact: Law) -> Floats:
        """How often each way to end should come by an exact law: by round, or by bet."""
        found = np.zeros(len(self.measured.ways))
        for place, way in enumerate(self.measured.ways):
            chance, stake = float(exact.probability(way.outcome)), float(exact.stake(way.outcome))
            twice = stake - chance if exact.stakes is not None else 0.0  # on doubled hands lies the stake twice
            found[place] = twice if way.stake > 1 else chance - twice
        return found


def sampled(meaning: Meaning, tally: Tally, *, independent: bool) -> list[Sampled]:
    """Every wager of a simulation. `independent` says that rounds have nothing to do with each other."""
    dealt = int(meaning.rounds @ tally.counts)
    rounds = dealt * meaning.spots
    begins, found = meaning.begins(), []
    for measured, begin in zip(meaning.measured, begins, strict=False):
        ways = len(measured.ways)
        inside = measured.cells >= 0
        counts = np.bincount(measured.cells[inside], tally.counts[inside], ways).astype(np.int64)
        several = measured.several if measured.several is not None else np.zeros_like(measured.cells)
        single = inside & (several == 0)
        alone = np.bincount(measured.cells[single], tally.counts[single], ways).astype(np.int64)
        if independent:
            spread = _of_rounds(measured, counts, alone, tally.counts, rounds)
        else:
            spread = _of_batches(tally, begin, counts, dealt)
        nets = {net: int(tally.counts[cell]) for cell, net in measured.results}
        found.append(Sampled(measured, counts, rounds, spread, not independent, nets, alone))
    return found


def _of_rounds(measured: Measured, counts: Ints, alone: Ints, cells: Ints, rounds: int) -> Floats:
    """From rounds that are independent: the products of a round's counts, less those of their means."""
    products = np.diag(alone.astype(np.float64))
    if measured.pairs is not None:
        for cell, one, other in measured.pairs.tolist():
            products[one, other] += cells[cell]
    means = counts.astype(np.float64)
    return products - np.outer(means, means) / max(rounds, 1)


def _of_batches(tally: Tally, begin: int, counts: Ints, rounds: int) -> Floats:
    """From batches: the products of what each has more or less than its rounds should have."""
    part = slice(begin, begin + len(counts))
    by_rounds, squares, batches = tally.cross[part, -1], int(tally.cross[-1, -1]), tally.batches
    if batches < 2 or rounds == 0:
        return np.zeros((len(counts), len(counts)))
    # In exact numbers: the differences are small beside what they are taken of.
    share = np.array([Fraction(int(count), rounds) for count in counts], dtype=object)
    spread = tally.cross[part, part] - np.outer(share, by_rounds) - np.outer(by_rounds, share)
    spread = spread + np.outer(share, share) * squares
    found: Floats = spread.astype(np.float64) * batches / (batches - 1)
    return found
