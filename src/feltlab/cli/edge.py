"""`feltlab edge`: the figures of every wager, as game-maths pages print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import (
    ALL,
    Decks,
    Json,
    Option,
    Pays,
    Paytables,
    Rules,
    SheetName,
    Strategies,
    console,
    deck_counts,
    modified_line,
    options,
    pairs,
    print_grid,
    print_json,
    progress,
)
from feltlab.errors import FeltlabError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from feltlab.analysis import Figured
    from feltlab.sheets import Setup, Sheet
    from feltlab.wagers.definition import WagerDefinition
    from feltlab.wagers.wager import Wager


def edge(
    sheet: SheetName,
    decks: Decks = ALL,
    wager: Annotated[str | None, typer.Option(help="Only this wager.")] = None,
    paytable: Paytables = None,
    option: Option = ALL,
    rule: Rules = None,
    strategy: Strategies = None,
    pay: Pays = None,
    remove: Annotated[str | None, typer.Option(metavar="CARDS", help="Cards gone from the shoe, as 'As Kd'.")] = None,
    json: Json = False,
) -> None:
    """House edge, probabilities and returns by exact analysis.

    What is not named means every printed value. A wager that depends on play is analysed for a strategy, unless named
    for basic strategy. A wager on hit cards has two figures: by the up card alone, and in play.
    """
    from feltlab.analysis import BASIC, Analysis
    from feltlab.cards import cards
    from feltlab.sheets import load

    found, gone = load(sheet), tuple(cards(remove) if remove else ())
    results: list[dict[str, object]] = []
    for setup, made in _wagers(found, decks, wager, paytable, option, pairs(rule, "--rule"), pairs(pay, "--pay")):
        progress(f"{made.id}, {setup.headline()}")
        for figured in Analysis(setup, gone).all_figures(made.id, strategy or [BASIC]):
            if json:
                results.append(_as_json(setup, made, figured))
            else:
                progress("")
                _print(console(), setup, made, figured)
    progress("")
    if json:
        print_json(results)


def _wagers(
    sheet: Sheet,
    decks: str | None,
    wager: str | None,
    paytable: list[str] | None,
    option: str | None,
    rules: dict[str, str],
    pays: dict[str, str],
) -> Iterator[tuple[Setup, Wager]]:
    """Every wanted wager with every wanted paytable that is printed for the decks, each at a table of its own."""
    from feltlab.sheets import set_up

    wanted = [sheet.wager(wager)] if wager else [*sheet.base.wager, *sheet.side_wagers]
    names = [item.rpartition("=")[2] for item in paytable or [] if item != ALL]
    known = [name for item in wanted for name in item.paytable_ids()]
    for name in names:
        if name not in known:
            raise FeltlabError(f"{sheet.id} has no paytable '{name}'; {nearest(name, known)}")
    for place in pays:
        sheet.wager(place.partition("/")[0])
    for count in deck_counts(sheet, decks):
        for chosen in options(sheet, option):
            for item in wanted:
                own = {place: text for place, text in pays.items() if place.partition("/")[0] == item.id}
                for posted in _posted(sheet, item, count, names):
                    made = set_up(
                        sheet,
                        decks=count,
                        option=chosen,
                        paytables=[f"{item.id}={posted}"] if item.paytable else [],
                        rules=rules,
                        offered=[] if item.id in sheet.base_ids else [item.id],
                        pays=own,
                    )
                    yield made, made.wagers[item.id]


def _posted(sheet: Sheet, wager: WagerDefinition, decks: int | None, names: list[str]) -> list[str]:
    """The paytables of a wager that are printed for the decks and, where some are named, named."""
    count = sheet.check_decks(decks) if decks is not None else sheet.usual_decks
    return [table.id for table in sheet.printed(wager, count) if not names or table.id in names]


def _print(screen: Console, setup: Setup, wager: Wager, figured: Figured) -> None:
    from rich.markup import escape
    from rich.table import Table

    figures = figured.figures
    where = [f"{setup.decks} deck" + ("s" if setup.decks > 1 else "")]
    where += [f"option {setup.option}"] if setup.option else []
    where += [f"paytable {wager.paytable}"] if len(wager.definition.paytable_ids()) > 1 else []
    where += [f"strategy {figured.strategy}"] if figured.strategy else []
    where += (
        [{"up-card": "only the up card known", "in-play": "every card hit"}[figured.known]] if figured.known else []
    )
    screen.print(f"[bold]{escape(wager.name)}[/]  ({escape(wager.id)}; {escape(', '.join(where))})")
    if changed := modified_line(setup):
        screen.print(escape(changed), style="yellow")
    grid = Table("event", box=None, pad_edge=False, padding=(0, 1))
    for column in figures.columns[1:]:
        if column != "combinations" or figures.law.counted:
            grid.add_column(column, justify="right", no_wrap=True)
    for name, pays, combinations, *numbers in figures.as_text():
        grid.add_row("  " + escape(name), pays, *([combinations] if figures.law.counted else []), *numbers)
    print_grid(screen, grid)
    screen.print(f"  {figures.sentence}\n")


def _as_json(setup: Setup, wager: Wager, figured: Figured) -> dict[str, object]:
    from fractions import Fraction

    from feltlab.money import pay_text

    figures = figured.figures
    names = ("house_edge", "element_of_risk", "hit_frequency", "push_frequency", "variance", "average_wager")
    numbers = {name: getattr(figures, name) for name in names}
    return {
        "sheet": setup.sheet.id,
        "wager": wager.id,
        "paytable": wager.paytable,
        "option": setup.option,
        "decks": setup.decks,
        "rules": dict(setup.rules),
        "modified": bool(setup.differences),
        "strategy": figured.strategy,
        "known": figured.known,
        **{name: float(number) for name, number in numbers.items()},
        "standard_deviation": figures.standard_deviation,
        "skewness": figures.skewness,
        "largest_pay": pay_text(figures.largest_pay),
        "exact": {name: str(number) for name, number in numbers.items() if isinstance(number, Fraction)},
        "total": figures.law.total if figures.law.counted else None,
        "counted": figures.law.counted or None,
        "results": [{"net": float(net), "probability": float(chance)} for net, chance in figures.results],
        "sampled": figures.law.results.sampled if figures.law.results else 0.0,
        "lines": [
            {
                "name": row.name,
                "pays": pay_text(row.pays),
                "combinations": row.combinations,
                "probability": float(row.probability),
                "return": float(row.returns),
                "exact": str(row.probability) if isinstance(row.probability, Fraction) else None,
            }
            for row in figures.rows
        ],
    }
