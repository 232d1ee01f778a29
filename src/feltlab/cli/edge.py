"""`feltlab edge`: the figures of every wager, as game-maths pages print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

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
    may_double_split,
    modified_line,
    options,
    pairs,
    print_grid,
    print_json,
    progress,
    strategy_named,
)
from feltlab.errors import FeltlabError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from feltlab.analysis import Figured
    from feltlab.sheets import Sheet
    from feltlab.strategy import Strategy
    from feltlab.tables import Setup
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
    remove: Annotated[
        str | None, typer.Option(metavar="CARDS", help="Cards removed from the shoe, such as 'As Kd'.")
    ] = None,
    json: Json = False,
) -> None:
    """House edge, probabilities and returns by exact analysis.

    By default for every printed value. A wager that depends on play is analysed for a strategy, by default basic strategy.
    A wager on hit cards has two figures: by the up card alone, and in play.
    """
    from feltlab.analysis import Analysis
    from feltlab.sheets import load
    from feltlab.tables import TableChoice

    found, gone = load(sheet), TableChoice(remove=remove or "").removed
    if strategy and found.game != "blackjack":
        raise FeltlabError(f"--strategy: {found.id} is {found.game}, which has no decisions")
    wanted = _Wanted(wager, paytable or [], strategy or [], pairs(rule, "--rule"), pairs(pay, "--pay"))
    results: list[dict[str, object]] = []
    for setup, made in list(_wagers(found, decks, option, wanted)):  # all of them first: no figure before a mistake
        progress(f"{made.id}, {setup.headline()}")
        chosen = _strategies(wanted.strategies, das=may_double_split(setup))
        for figured in Analysis(setup, gone).all_figures(made.id, chosen):
            if json:
                results.append(_as_json(setup, made, figured, gone))
            else:
                progress("")
                _print(console(), setup, made, figured, gone)
    progress("")
    if json:
        print_json(results)


class _Wanted(NamedTuple):
    """The user's options, except decks and option."""

    wager: str | None
    paytables: list[str]
    strategies: list[str]
    rules: dict[str, str]
    pays: dict[str, str]


def _strategies(names: list[str], *, das: bool) -> list[Strategy]:
    """The named strategies, or else the default."""
    from feltlab.strategy import DEFAULT

    return [strategy_named(name, das=das) for name in names] or [DEFAULT]


def _wagers(sheet: Sheet, decks: str | None, option: str | None, wanted: _Wanted) -> Iterator[tuple[Setup, Wager]]:
    """Every wanted wager with every wanted paytable that is printed for the decks, each at a table of its own."""
    from feltlab.analysis import offered_for
    from feltlab.tables import set_up

    shown = [sheet.wager(wanted.wager)] if wanted.wager else [*sheet.base.wager, *sheet.side_wagers]
    names, played_for = _paytables(sheet, shown, wanted), _strategies(wanted.strategies, das=True)
    for place in wanted.pays:
        if sheet.wager(place.partition("/")[0]) not in shown:
            raise FeltlabError(f"--pay {place}: --wager limits this to {wanted.wager}")
    for count in deck_counts(sheet, decks):
        for chosen in options(sheet, option):
            for item in shown:
                own = {place: text for place, text in wanted.pays.items() if place.partition("/")[0] == item.id}
                for posted in _posted(sheet, item, count, names):
                    made = set_up(
                        sheet,
                        decks=count,
                        option=chosen,
                        paytables=[f"{item.id}={posted}"] if item.paytable else [],
                        rules=wanted.rules,
                        offered=offered_for(sheet, item, count, played_for),
                        pays=own,
                    )
                    yield made, made.wagers[item.id]


def _paytables(sheet: Sheet, shown: list[WagerDefinition], wanted: _Wanted) -> list[str]:
    """The named paytables; each must belong to a wager that is shown."""
    names = []
    for item in wanted.paytables:
        wager, _, name = item.rpartition("=")
        owners = [sheet.wager(wager)] if wager else shown
        known = list(dict.fromkeys(id for owner in owners for id in owner.paytable_ids()))
        if item != ALL and (name not in known or not any(owner in shown for owner in owners)):
            raise FeltlabError(f"{wager or sheet.id} has no paytable '{name}' here; {nearest(name, known)}")
        names += [name] if item != ALL else []
    return names


def _posted(sheet: Sheet, wager: WagerDefinition, decks: int | None, names: list[str]) -> list[str]:
    """The paytables of a wager that are printed for the decks and, if any are named, are among them."""
    count = sheet.check_decks(decks) if decks is not None else sheet.usual_decks
    return [table.id for table in sheet.printed(wager, count) if not names or table.id in names]


def _print(screen: Console, setup: Setup, wager: Wager, figured: Figured, gone: tuple[int, ...]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from feltlab.cards import names

    figures = figured.figures
    where = [f"{setup.decks} deck" + ("s" if setup.decks > 1 else "")]
    where += [f"option {setup.option}"] if setup.option else []
    where += [f"paytable {wager.paytable}"] if len(wager.definition.paytable_ids()) > 1 else []
    where += [f"strategy {figured.figures.law.strategy}"] if figured.figures.law.strategy else []
    where += [f"without {names(gone)}"] if gone else []
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


def _as_json(setup: Setup, wager: Wager, figured: Figured, gone: tuple[int, ...]) -> dict[str, object]:
    from fractions import Fraction

    from feltlab.cards import name as card_name
    from feltlab.money import pay_text

    figures, whole = figured.figures, figured.figures.varies_by_round
    by_round = ("hit_frequency", "push_frequency", "variance")
    wanted = ("house_edge", "element_of_risk", "average_wager", *(by_round if whole else ()))
    numbers = {name: getattr(figures, name) for name in wanted}

    def exact(number: object) -> str | None:
        return f"{number.numerator}/{number.denominator}" if isinstance(number, Fraction) else None

    return {
        "sheet": setup.sheet.id,
        "wager": wager.id,
        "paytable": wager.paytable,
        "option": setup.option,
        "decks": setup.decks,
        "rules": dict(setup.rules),
        "modified": bool(setup.differences),
        "strategy": figured.figures.law.strategy,
        "known": figured.known,
        "removed": [card_name(card) for card in gone],
        **dict.fromkeys(by_round),
        **{name: float(number) for name, number in numbers.items()},
        "standard_deviation": figures.standard_deviation if whole else None,
        "skewness": figures.skewness if whole else None,
        "largest_pay": pay_text(figures.largest_pay),
        "exact": {name: exact(number) for name, number in numbers.items() if isinstance(number, Fraction)},
        "total": figures.law.total if figures.law.counted else None,
        "counted": figures.law.counted or None,
        "results": [{"net": float(net), "probability": float(chance)} for net, chance in figures.results]
        if whole
        else None,
        "sampled": figures.law.results.sampled if figures.law.results else 0.0,
        "lines": [
            {
                "name": row.name,
                "pays": pay_text(row.pays),
                "combinations": row.combinations,
                "probability": float(row.probability),
                "return": float(row.returns),
                "exact": {"probability": exact(row.probability), "return": exact(row.returns)},
            }
            for row in figures.rows
        ],
    }
