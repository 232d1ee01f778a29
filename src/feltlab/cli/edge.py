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
    modified_line,
    print_grid,
    print_json,
    setups,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from feltlab.exact.shoe import Composition
    from feltlab.figures import Figures
    from feltlab.sheets import Setup
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
    cards, dealer's cards and hit cards; not those that depend on how a hand is played.
    """
    from feltlab.cards import cards
    from feltlab.exact.shoe import Composition
    from feltlab.sheets import load

    found = load(sheet)
    if wager is not None:
        found.wager(wager)
    gone = cards(remove) if remove else ()
    results: list[dict[str, object]] = []
    seen: set[object] = set()
    for setup in setups(found, decks, option, paytable or [ALL], rule, None, pay):
        shoe = Composition.of(setup.decks, gone)
        left_out = []
        for made, figures in _figures(setup, shoe, wager):
            key = (setup.decks, setup.option, made.id, made.paytable)
            if key in seen:
                continue
            seen.add(key)
            if figures is None:
                left_out.append(made.id)
            elif json:
                results.append(_as_json(setup, made, figures))
            else:
                _print(console(), setup, made, figures)
        if left_out and not json:
            console().print(f"Not counted here, since they depend on play: {', '.join(left_out)}\n", style="dim")
    if json:
        print_json(results)


def _figures(setup: Setup, shoe: Composition, wanted: str | None) -> Iterator[tuple[Wager, Figures | None]]:
    from feltlab.exact import baccarat, first_cards
    from feltlab.figures import Figures

    counted = baccarat.classes(shoe) if setup.sheet.game == "baccarat" else None
    for id, wager in setup.wagers.items():
        if wanted not in (None, id):
            continue
        if counted is not None:
            yield wager, Figures(baccarat.law(wager, shoe, counted))
        elif first_cards.can_be_counted(wager):
            yield wager, Figures(first_cards.law(wager, shoe))
        else:
            yield wager, None


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
    screen.print(
        f"  house edge {float(figures.house_edge):.4%}, hit frequency {float(figures.hit_frequency):.4%},"
        f" standard deviation {figures.standard_deviation:.4f}, of {figures.law.total:,} {figures.law.counted}\n"
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
        "total": figures.law.total,
        "counted": figures.law.counted,
        "lines": [
            {
                "name": row.name,
                "pays": pay_text(row.pays),
                "combinations": row.combinations,
                "probability": float(row.probability),
                "return": float(row.returns),
            }
            for row in figures.rows
        ],
    }
