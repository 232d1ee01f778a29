"""Runs a simulation of a table as a separate program (`python -m feltlab.lab.dealing`).

It reads what to deal from standard input and reports its progress, one line of JSON each, up to twice a second in the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic

import msgspec

from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError
from feltlab.figures import Figures
from feltlab.lab.choice import analysis_of, headline_of, modified, sheet_of, strategy_of
from feltlab.lab.dealing_shapes import DealtWager, Report, SimulationJob
from feltlab.lab.limits import confine
from feltlab.simulate.engines.names import engine
from feltlab.simulate.run import Progress
from feltlab.simulate.stats.sampled import Sampled
from feltlab.simulation import Simulation, simulation
from feltlab.strategy import Strategy

NICE = 15
SHORTEST, LONGEST = 0.05, 0.5  # seconds between two reports: often at first, for the curve


def deal(job: SimulationJob, tell: Callable[[Report], object]) -> None:
    """Run a simulation, and report its progress."""
    sheet, asked = sheet_of(job.text), job.asked
    analysis = analysis_of(asked.table, sheet)
    strategy = strategy_of(asked.table, sheet)
    headline = "; ".join([headline_of(asked.table, analysis), *modified(analysis)])
    tell(Report(headline))
    exact = {id: _exact(analysis, id, strategy) for id in analysis.setup.wagers}
    began = last = monotonic()

    def report(dealt: int, seconds: float, sampled: list[Sampled], *, done: bool) -> None:
        wagers = [_wager(one, exact[one.wager.id], comparable=asked.mode == "fresh") for one in sampled]
        tell(Report(headline, dealt, dealt / seconds if seconds > 0 else 0.0, wagers, done))

    def progress(ask: Callable[[], Progress]) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= min(LONGEST, max(SHORTEST, (now - began) / 10)):
            last, state = now, ask()
            report(state.rounds, state.seconds, state.sampled, done=False)

    made: Simulation = simulation(
        analysis,
        rounds=asked.rounds,
        seed=asked.seed,
        mode=asked.mode,
        spots=asked.spots,
        strategy=strategy,
        engine=engine("cpu:1"),
        tell=progress,
    )
    made.run.go()
    report(made.run.dealt, made.run.seconds, made.run.sampled(), done=True)


def _exact(analysis: Analysis, wager: str, strategy: Strategy | None) -> float | None:
    try:
        return float(Figures(analysis.law(wager, strategy, whole_rounds=False)).house_edge)
    except FeltlabError:  # not counted
        return None


def _wager(one: Sampled, exact: float | None, *, comparable: bool) -> DealtWager:
    if not one.bets:
        return DealtWager(one.wager.id, one.wager.name, 0, None, None, exact, None)
    edge = one.house_edge
    z = edge.z(exact) if exact is not None and comparable else None
    return DealtWager(one.wager.id, one.wager.name, one.bets, edge.value, edge.error, exact, z)


def main() -> None:
    """Run the simulation on standard input."""
    confine(NICE)

    def tell(report: Report) -> None:
        sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
        sys.stdout.buffer.flush()

    try:
        deal(msgspec.json.decode(sys.stdin.buffer.read(), type=SimulationJob), tell)
    except FeltlabError as error:
        tell(Report(done=True, why=str(error)))
    except MemoryError:
        tell(Report(done=True, why="that takes more memory than a simulation may use"))


if __name__ == "__main__":
    main()
