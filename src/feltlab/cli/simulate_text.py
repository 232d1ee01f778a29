"""Shows a simulation: a progress bar while it runs, then tables or JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from feltlab.cli.common import modified_line, print_grid, progress
from feltlab.money import pay_text
from feltlab.simulate.stats.sampled import CONFIDENCE, Estimate, Sampled
from feltlab.simulation import FIGURES, Compared, Comparison, Simulation

if TYPE_CHECKING:
    from rich.progress import Progress as Live
    from rich.progress import TaskID

    from feltlab.simulate.run import Progress

REDRAW_SECONDS = 0.5


class Bar:
    """A progress bar with rounds, rate, time left, an edge and its error; shown only at a terminal."""

    def __init__(self, made: Simulation) -> None:
        self.made, self.drawn = made, 0.0
        self.live: Live | None = None
        self.task: TaskID | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def tell(self, ask: Callable[[], Progress]) -> None:
        """Draw the progress, if it is time to."""
        if sys.stderr is None or not sys.stderr.isatty() or monotonic() - self.drawn < REDRAW_SECONDS:
            return
        self.drawn, found = monotonic(), ask()
        if self.live is None:
            self._begin()
        assert self.live is not None and self.task is not None
        words = f"{found.rounds:,} rounds, {rate_text(found.rate)}, {edge_text(self._watched(found.sampled))}"
        self.live.update(self.task, completed=found.rounds, total=max(found.of, found.rounds), description=words)

    def _begin(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        progress("")
        columns = BarColumn(bar_width=24), TextColumn("{task.description}"), TimeRemainingColumn(compact=True)
        self.live = Progress(*columns, console=Console(file=sys.stderr, highlight=False), transient=True)
        self.task = self.live.add_task("")
        self.live.start()

    def _watched(self, sampled: list[Sampled]) -> Sampled:
        """The wager of `--until`, or else the first side wager, or else the first wager."""
        wanted = self.made.run.until.wager if self.made.run.until else None
        base = self.made.analysis.setup.sheet.base_ids
        named = [one for one in sampled if one.wager.id == wanted]
        return (named or [one for one in sampled if one.wager.id not in base] or sampled)[0]


def rate_text(rate: float) -> str:
    """A rate in rounds a second.

    >>> rate_text(21_300_000)
    '21.3 million a second'
    """
    if rate >= 1e9:
        return f"{rate / 1e9:.1f} billion a second"
    return f"{rate / 1e6:.1f} million a second" if rate >= 1e5 else f"{rate:,.0f} a second"


def edge_text(sampled: Sampled) -> str:
    """A wager's edge with its 95 % error."""
    edge = sampled.house_edge
    return f"{sampled.wager.id} {edge.value:.4%} ± {CONFIDENCE * edge.error:.4%}"


def print_result(screen: Console, made: Simulation, compared: list[Compared], *, lines: bool) -> None:
    """Print the result as tables."""
    setup = made.analysis.setup
    screen.print(f"[bold]{escape(setup.sheet.file.name)}[/]  {escape(made.analysis.headline())}")
    if changed := modified_line(setup):
        screen.print(escape(changed), style="yellow")
    for sentence in sentences(made):
        screen.print(escape(sentence))
    shoes = made.dealing.mode == "shoe"
    beside = ("fresh shoe", "difference", "± 95 %") if shoes else ("exact", "z", "lines, p")
    grid = Table("wager", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("house edge", "± 95 %", *beside, "bets"):
        grid.add_column(column, justify="right", no_wrap=True)
    for one in compared:
        grid.add_row(escape(one.sampled.wager.id), *_summary(one, shoes=shoes), f"{one.sampled.bets:,}")
    screen.print()
    print_grid(screen, grid)
    for one in compared:
        if lines and one.sampled.bets:
            _print_lines(screen, one)
    for one in compared:
        if one.why_not:
            screen.print(escape(f"not counted exactly: {one.why_not}"), style="dim")
    for words in made.warnings():
        screen.print(f"[bold]warning:[/] {escape(words)}", style="yellow")


def _summary(one: Compared, *, shoes: bool) -> tuple[str, ...]:
    if not one.sampled.bets:
        return "none made", "", "", "", ""
    edge, exact = one.sampled.house_edge, one.figure("house_edge").exact
    mine = f"{edge.value:.4%}", f"{CONFIDENCE * edge.error:.4%}"
    if exact is None:
        return *mine, "-", "-", "-"
    if shoes:
        return *mine, f"{exact:.4%}", f"{edge.value - exact:+.4%}", f"{CONFIDENCE * edge.error:.4%}"
    return *mine, f"{exact:.4%}", f"{one.z:+.2f}", f"{one.fit.p:.3f}" if one.fit else "-"


def sentences(made: Simulation) -> list[str]:
    """Two lines about what was dealt and how."""
    run, dealing = made.run, made.dealing
    from_ = (
        f"from {run.shoes:,} shoes, the cut card {dealing.cut} from the end"
        if dealing.mode == "shoe"
        else "from full shoes"
    )
    words = [f"{run.dealt:,} rounds {from_}"]
    words += [f"{dealing.spots} spots"] if dealing.spots > 1 else []
    words += [f"strategy {made.played_by}"] if made.played_by else []
    words.append(f"seed {dealing.seed}")
    speed = f"{run.engine}: {run.seconds:.1f} s, {rate_text(run.fresh_rounds / run.seconds if run.seconds else 0)}"
    return [", ".join(words), speed]


def _print_lines(screen: Console, one: Compared) -> None:
    wager = one.sampled.wager
    screen.print(f"\n[bold]{escape(wager.name)}[/]  ({escape(wager.id)})")
    grid = Table("event", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("pays", "count", "probability", "± 95 %", "exact", "z"):
        grid.add_column(column, justify="right", no_wrap=True)
    for name, pays, count, beside in rows(one):
        exact = "-" if beside.exact is None else f"{beside.exact:.6f}"
        z = "-" if beside.z is None else f"{beside.z:+.2f}"
        error = CONFIDENCE * beside.estimate.error
        grid.add_row("  " + escape(name), pays, f"{count:,}", f"{beside.estimate.value:.6f}", f"{error:.6f}", exact, z)
    print_grid(screen, grid)
    if one.fit:
        screen.print(f"  chi-square {one.fit.chi_square:.1f} on {one.fit.degrees} degrees, p = {one.fit.p:.4f}")


def rows(one: Compared) -> Iterable[tuple[str, str, int, Comparison]]:
    """Every outcome of a wager: its name, pay, count, and frequency beside its probability."""
    wager = one.sampled.wager
    outcomes = wager.cells.outcomes
    for place in sorted(range(len(outcomes)), key=lambda place: outcomes[place].lines or (len(wager.lines),)):
        count = sum(
            int(count)
            for way, count in zip(one.sampled.measured.ways, one.sampled.counts, strict=True)
            if way.outcome == place
        )
        yield wager.outcome_name(outcomes[place]), pay_text(outcomes[place].pays), count, one.line(place)


def as_json(made: Simulation, compared: list[Compared]) -> dict[str, object]:
    """The whole result as JSON."""
    setup, run, dealing = made.analysis.setup, made.run, made.dealing
    return {
        "sheet": setup.sheet.id,
        "decks": setup.decks,
        "option": setup.option,
        "paytables": setup.paytables,
        "rules": dict(setup.rules),
        "modified": bool(setup.differences),
        "mode": dealing.mode,
        "cut": dealing.cut if dealing.mode == "shoe" else None,
        "spots": dealing.spots,
        "strategy": made.played_by,
        "seed": dealing.seed,
        "engine": str(run.engine),
        "rounds": run.dealt,
        "shoes": run.shoes if dealing.mode == "shoe" else None,
        "lost": made.lost,
        "complete": not run.stopped,
        "seconds": run.seconds,
        "rounds_a_second": run.fresh_rounds / run.seconds if run.seconds else None,
        "warnings": made.warnings(),
        "wagers": [_wager_json(one) for one in compared],
    }


def _wager_json(one: Compared) -> dict[str, object]:
    sampled = one.sampled
    wager = sampled.wager
    found: dict[str, object] = {"wager": wager.id, "paytable": wager.paytable, "bets": sampled.bets}
    if sampled.bets:
        found |= {name: _figure_json(one.figure(name)) for name in FIGURES}
        found["results"] = [{"net": float(net), "count": count} for net, count in sampled.by_net.items()]
        found["lines"] = [
            {"name": name, "pays": pays, "count": count, "probability": _figure_json(beside)}
            for name, pays, count, beside in rows(one)
        ]
    fit = one.fit
    found["fit"] = fit and {"chi_square": fit.chi_square, "degrees": fit.degrees, "p": fit.p}
    found["not_counted"] = one.why_not or None
    return found


def _figure_json(beside: Comparison) -> dict[str, Any]:
    estimate: Estimate = beside.estimate
    low, high = estimate.interval
    return {
        "value": estimate.value,
        "error": estimate.error,
        "low": low,
        "high": high,
        "exact": beside.exact,
        "z": beside.z,
    }
