"""Simulations of a table for programs and notebooks, with sampled figures beside the exact ones.

>>> from feltlab.analysis import analyse
>>> dealt = simulate(analyse("bad-beat-baccarat", decks=8), rounds=100_000, seed=7)
>>> edge = dealt["bad-beat"].figure("house_edge")
>>> print(f"{edge.estimate.value:.3f} with an error of {edge.estimate.error:.3f}; exactly {edge.exact:.3f}")
0.069 with an error of 0.011; exactly 0.069
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from feltlab import html
from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError, nearest
from feltlab.figures import Figures
from feltlab.hands.cut_card import default_cut
from feltlab.simulate.engines.names import Engine, engine
from feltlab.simulate.prepare import MODES, DealSettings, PlayerPlans, Prepared, prepare
from feltlab.simulate.run import Run, Tell, Until
from feltlab.simulate.stats.sampled import CONFIDENCE, FEWEST_BATCHES, Estimate, Fit, Sampled
from feltlab.strategy import Strategy, as_strategy

FIGURES = (
    "house_edge", "element_of_risk", "average_wager", "hit_frequency", "push_frequency", "variance",
    "standard_deviation", "skewness",
)  # fmt: skip
FAR = 4.0  # standard errors, which chance alone exceeds once in 16,000 times
UNLIKELY = 1e-4


class Comparison(NamedTuple):
    """A sampled figure beside the exact one, if there is one."""

    estimate: Estimate
    exact: float | None

    @property
    def z(self) -> float | None:
        """The difference in standard errors."""
        return None if self.exact is None else self.estimate.z(self.exact)


@dataclass(frozen=True)
class Compared:
    """A wager's sampled and exact figures. They are `comparable` if both are for the same way of dealing."""

    sampled: Sampled
    exact: Figures | None
    why_not: str
    comparable: bool

    def figure(self, name: str) -> Comparison:
        """One of `FIGURES`."""
        whole = self.exact is not None and (self.exact.varies_by_round or name in FIGURES[:3])
        return Comparison(getattr(self.sampled, name), float(getattr(self.exact, name)) if whole else None)

    def line(self, outcome: int) -> Comparison:
        """The frequency of an outcome."""
        exact = None if self.exact is None else float(self.exact.law.probability(outcome))
        return Comparison(self.sampled.line(outcome), exact)

    @property
    def house_edge(self) -> Estimate:
        """The sampled house edge with its standard error."""
        return self.figure("house_edge").estimate

    @property
    def z(self) -> float | None:
        """By how many standard errors the sampled house edge exceeds the exact one."""
        return self.figure("house_edge").z

    @cached_property
    def fit(self) -> Fit | None:
        """A chi-square test over all lines; None if the figures are not comparable or nothing was dealt."""
        if self.exact is None or not self.comparable or not self.sampled.bets:
            return None
        return self.sampled.fit(self.exact.law)

    @property
    def warning(self) -> str | None:
        """A warning if it disagrees with the exact analysis, else None."""
        if not self.comparable or self.z is None or self.fit is None:
            return None
        id = self.sampled.wager.id
        if abs(self.z) > FAR:
            return (
                f"{id}: the edge is {abs(self.z):.1f} standard errors {'above' if self.z > 0 else 'below'} the exact one;"
                " chance alone hardly does that"
            )
        if self.fit.p < UNLIKELY:
            return f"{id}: the lines disagree with the exact ones (chi-square, p = {self.fit.p:.2g})"
        return None


@dataclass(repr=False)
class Simulation:
    """A simulation of a table. Made by `simulation`, or run to its end by `simulate`."""

    analysis: Analysis
    dealing: DealSettings
    strategy: Strategy | None
    run: Run
    _compared: tuple[int, list[Compared]] | None = field(default=None, repr=False)

    @property
    def played_by(self) -> str | None:
        """The name of the strategy, if the game has decisions."""
        return None if self.strategy is None else str(self.strategy)

    def compared(self) -> list[Compared]:
        """Every wager of the table with its sampled and exact figures."""
        if self._compared is None or self._compared[0] != self.run.dealt:
            self._compared = self.run.dealt, [self._compare(sampled) for sampled in self.run.sampled()]
        return self._compared[1]

    def _compare(self, sampled: Sampled) -> Compared:
        comparable = self.dealing.mode == "fresh"
        try:
            law = self.analysis.law(sampled.wager.id, self.strategy)
        except FeltlabError as error:  # not counted, or never offered
            return Compared(sampled, None, str(error), comparable)
        return Compared(sampled, Figures(law), "", comparable)

    def __getitem__(self, wager: str) -> Compared:
        by_id = {compared.sampled.wager.id: compared for compared in self.compared()}
        if wager not in by_id:
            raise FeltlabError(f"this table does not offer '{wager}'; {nearest(wager, by_id)}")
        return by_id[wager]

    @property
    def lost(self) -> int:
        """The number of rounds that could not be finished, because every card was on the felt."""
        cell = self.run.meaning.lost
        return 0 if cell is None else int(self.run.tally.counts[cell])

    def __repr__(self) -> str:
        wagers = ", ".join(f"{one.sampled.wager.id} {one.house_edge.value:.2%}" for one in self.compared())
        return f"<{self.run.dealt:,} rounds of {self.analysis.setup.sheet.file.name}: house edge {wagers}>"

    def _repr_html_(self) -> str:
        rows = [
            [
                one.sampled.wager.name,
                f"{one.house_edge.value:.4%}",
                f"{CONFIDENCE * one.house_edge.error:.4%}",
                "" if one.z is None or one.exact is None else f"{float(one.exact.house_edge):.4%}",
                "" if one.z is None else f"{one.z:+.2f}",
            ]
            for one in self.compared()
        ]
        caption = f"{self.analysis.setup.sheet.file.name}, {self.run.dealt:,} rounds"
        notes = [self.analysis.headline(), *self.warnings()]
        return html.table(caption, ["wager", "house edge", "± 95 %", "exact", "z"], rows, notes)

    def warnings(self) -> list[str]:
        """Warnings about the figures."""
        warnings = [warning for compared in self.compared() if (warning := compared.warning)]
        if self.lost:
            warnings.append(f"{self.lost:,} rounds are left out: every card was on the felt before they ended")
        if not self.run.independent(self.run.meaning) and self.run.tally.batches < FEWEST_BATCHES:
            warnings.append(f"the errors are rough, from {self.run.tally.batches} batches only: deal more rounds")
        return warnings


def simulation(
    analysis: Analysis,
    *,
    rounds: int,
    seed: int,
    mode: str = "fresh",
    cut: int | None = None,
    spots: int = 1,
    strategy: str | Strategy | None = None,
    engine: Engine,
    until: Until | None = None,
    checkpoint: Path | None = None,
    tell: Tell = lambda progress: None,
    say: Callable[[str], object] = lambda words: None,
) -> Simulation:
    """Prepare a simulation, to be run with `Simulation.run.go`."""
    setup = analysis.setup
    if mode not in MODES:
        raise FeltlabError(f"--mode '{mode}': it is fresh (a full shoe for every round) or shoe (whole shoes)")
    if cut is not None and mode == "fresh":
        raise FeltlabError("--cut: only whole shoes have a cut card; add --mode shoe")
    playing, played_by = None, None
    if setup.sheet.game == "blackjack":
        played_by = as_strategy(strategy or analysis.strategy)
        played = analysis.play(played_by)
        playing = PlayerPlans(played.plans, played.side.id if played.side else None)
    elif strategy is not None:
        raise FeltlabError(f"--strategy: {setup.sheet.id} is {setup.sheet.game}, which has no decisions")
    counts = analysis.shoe.counts
    behind = default_cut(sum(counts)) if cut is None else cut
    dealing = DealSettings(mode, counts, seed, behind if mode == "shoe" else 0, spots)

    def prepared(units: int, batch: int) -> Prepared:
        return prepare(setup, dealing, playing, units, batch)

    settings = {
        "sheet": setup.sheet.id,
        "table": setup.headline(),
        "rules": ",".join(f"{key}={value}" for key, value in setup.rules.items()),
        "wagers": ",".join(setup.wagers),
        "mode": mode,
        "seed": str(seed),
        "cut card": str(dealing.cut),
        "spots": str(spots),
        "strategy": str(played_by or "none"),
    }
    run = Run(prepared, mode, rounds, engine, until, checkpoint, settings, tell, say)
    return Simulation(analysis, dealing, played_by, run)


def simulate(
    table: Analysis,
    *,
    rounds: int,
    seed: int = 0,
    mode: str = "fresh",
    cut: int | None = None,
    spots: int = 1,
    strategy: str | Strategy | None = None,
    engine_name: str = "cpu",
) -> Simulation:
    """Simulate this many rounds of a table, by default from full shoes on one spot.

    The same seed gives the same counts on every engine.
    """
    made = simulation(
        table, rounds=rounds, seed=seed, mode=mode, cut=cut, spots=spots, strategy=strategy, engine=engine(engine_name)
    )
    made.run.go()
    return made
