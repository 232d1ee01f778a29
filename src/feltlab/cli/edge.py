"""`feltlab edge`: the figures of every wager that can be counted, as game-maths pages print them."""

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
    console,
    deck_counts,
    modified_line,
    options,
    pairs,
    print_grid,
    print_json,
)
from feltlab.errors import FeltlabError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from feltlab.exact.shoe import Composition
    from feltlab.figures import Figures
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
    pay: Pays = None,
    remove: Annotated[str | None, typer.Option(metavar="CARDS", help="Cards gone from the shoe, as 'As Kd'.")] = None,
    json: Json = False,
) -> None:
    """House edge, probabilities and returns by exact counting.

    What is not named means every printed value. In this version: all baccarat wagers, and blackjack wagers on first
    cards, hit cards or the dealer's hand; not those that depend on how a hand is played.
    """
    from feltlab.cards import cards
    from feltlab.exact.shoe import Composition
    from feltlab.sheets import load

    found = load(sheet)
    gone = cards(remove) if remove else ()
    results: list[dict[str, object]] = []
    left_out: dict[str, None] = {}
    for setup, made in _wagers(found, decks, wager, paytable, option, pairs(rule, "--rule"), pairs(pay, "--pay")):
        figures = _figures(setup, made, Composition.of(setup.decks, gone))
        if figures is None:
            left_out[made.id] = None
        elif json:
            results.append(_as_json(setup, made, figures))
        else:
            _print(console(), setup, made, figures)
    if json:
        print_json(results)
    elif left_out:
        console().print(f"Not counted here, since they depend on play: {', '.join(left_out)}", style="dim")


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


def _figures(setup: Setup, wager: Wager, shoe: Composition) -> Figures | None:
    from feltlab.exact.engines import law
    from feltlab.figures import Figures

    blackjack = setup.sheet.game == "blackjack"
    found = law(setup.sheet.game, wager, shoe, setup.house if blackjack else None)
    return Figures(found) if found else None


def _print(screen: Console, setup: Setup, wager: Wager, figures: Figures) -> None:
    from rich.markup import escape
    from rich.table import Table

    where = [f"{setup.decks} deck" + ("s" if setup.decks > 1 else "")]
    where += [f"option {setup.option}"] if setup.option else []
    where += [f"paytable {wager.paytable}"] if len(wager.definition.paytable_ids()) > 1 else []
    screen.print(f"[bold]{escape(wager.name)}[/]  ({wager.id}; {', '.join(where)})")
    if changed := modified_line(setup):
        screen.print(escape(changed), style="yellow")
    grid = Table("event", box=None, pad_edge=False, padding=(0, 1))
    for column in ("pays", "combinations", "probability", "return"):
        grid.add_column(column, justify="right", no_wrap=True)
    for name, *numbers in figures.as_text():
        grid.add_row("  " + escape(name), *numbers)
    print_grid(screen, grid)
    counted = f", of {figures.law.total:,} {figures.law.counted}" if figures.law.counted else ""
    screen.print(
        f"  house edge {float(figures.house_edge):.4%}, hit frequency {float(figures.hit_frequency):.4%},"
        f" standard deviation {figures.standard_deviation:.4f}{counted}\n"
    )


def _as_json(setup: Setup, wager: Wager, figures: Figures) -> dict[str, object]:
    from feltlab.money import pay_text

    exact = ("house_edge", "hit_frequency", "push_frequency", "variance")
    return {
        "sheet": setup.sheet.id,
        "wager": wager.id,
        "paytable": wager.paytable,
        "option": setup.option,
        "decks": setup.decks,
        "rules": dict(setup.rules),
        "modified": bool(setup.differences),
        "strategy": None,
        **{name: float(getattr(figures, name)) for name in exact},
        "element_of_risk": float(figures.house_edge),
        "standard_deviation": figures.standard_deviation,
        "skewness": figures.skewness,
        "largest_pay": pay_text(figures.largest_pay),
        "exact": {name: str(getattr(figures, name)) for name in exact},
        "total": figures.law.total if figures.law.counted else None,
        "counted": figures.law.counted or None,
        "lines": [
            {
                "name": row.name,
                "pays": pay_text(row.pays),
                "combinations": row.combinations if figures.law.counted else None,
                "probability": float(row.probability),
                "return": float(row.returns),
            }
            for row in figures.rows
        ],
    }
