"""`feltlab audit`: every figure that a sheet prints, compared with the computed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import Json, console, print_grid, print_json, progress

if TYPE_CHECKING:
    from rich.console import Console

    from feltlab.audit import Alternative, Finding

COLOURS = {"holds": "green", "holds within the noise of a simulation": "yellow"}


def audit(
    sheet: Annotated[
        str | None, typer.Argument(metavar="SHEET", help="A sheet; without one, all built-in ones.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare every printed figure with the computed one, with the reason if it does not hold.

    Each figure is computed under the reading and the strategy that the sheet file gives for it. Other readings in the file
    are computed too.
    """
    from feltlab.audit import alternatives
    from feltlab.audit import audit as find
    from feltlab.sheets import builtin_names, load

    chosen = [load(sheet)] if sheet else [load(name) for name in builtin_names()]
    findings: list[Finding] = []
    others: list[Alternative] = []
    for one in chosen:
        count = sum(len(claim.values) for claim in one.file.claim)
        for number, finding in enumerate(find(one), 1):
            progress(f"{one.id}: {number} of {count}")
            findings.append(finding)
        others += alternatives(one)
        progress("")
    if json:
        figures = [{**finding._asdict(), "difference": finding.difference} for finding in findings]
        for figure in figures:
            figure["others"] = [other._asdict() for other in figure["others"]]
        print_json({"claims": figures, "other_readings": [other._asdict() for other in others]})
        return
    screen = console()
    for one in chosen:
        _print(screen, one.file.name, [finding for finding in findings if finding.sheet == one.id])
        _print_others(screen, [other for other in others if other.sheet == one.id])


def _print(screen: Console, name: str, found: list[Finding]) -> None:
    from rich.markup import escape
    from rich.table import Table

    screen.print(f"[bold]{escape(name)}[/]")
    if not found:
        screen.print("  The sheet prints no figures of its own.\n", style="dim")
        return
    grid = Table("wager", box=None, pad_edge=False, padding=(0, 1))
    for column in ("table", "decks", "printed", "computed"):
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column("verdict")
    for finding in found:
        low, high = finding.computed
        grid.add_row(
            "  " + escape(finding.wager) + ("" if finding.figure == "house-edge" else ", option 1 less option 2"),
            finding.paytable,
            " and ".join(map(str, finding.decks)),
            escape(finding.printed),
            f"{low:.3%}" if low == high else f"{low:.2%} to {high:.2%}",
            f"[{COLOURS.get(finding.verdict, 'red')}]{finding.verdict}[/]: {escape(finding.words)}",
        )
    print_grid(screen, grid)
    strategies = sorted({finding.strategy for finding in found if finding.strategy})
    played = f"Played by strategy {', '.join(strategies)}. " if strategies else ""
    holding = sum(finding.verdict in COLOURS for finding in found)
    screen.print(f"  {played}{holding} of {len(found)} printed figures hold.\n")


def _print_others(screen: Console, others: list[Alternative]) -> None:
    from rich.markup import escape
    from rich.table import Table

    if not others:
        return
    grid = Table("other reading", box=None, pad_edge=False, padding=(0, 1))
    for column in ("table", "decks", "as read", "so"):
        grid.add_column(column, justify="right", no_wrap=True)
    for other in others:
        read = f"{other.read:.3%}" if other.read is not None else "-"
        label = other.other if other.read is None else f"{other.wager}, {other.other}"
        grid.add_row("  " + escape(label), other.paytable, str(other.decks), read, f"{other.computed:.3%}")
    print_grid(screen, grid)
    screen.print("")
