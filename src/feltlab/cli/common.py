"""What commands share: options, setting up tables, and printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.errors import FeltlabError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from feltlab.rounds.shoe import Shoe
    from feltlab.sheets import Sheet
    from feltlab.strategy import Strategy
    from feltlab.tables import Setup
    from feltlab.tables.table import Limit, Table

ALL = "all"
MOST_TABLES = 500
NARROWEST = 60  # columns; narrower tables would lose words

SheetName = Annotated[str, typer.Argument(metavar="SHEET", help="A built-in name or the path of a TOML file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
Decks = Annotated[str | None, typer.Option(metavar="N|all", help="How many decks.")]
Option = Annotated[str | None, typer.Option(metavar="O|all", help="An option of the sheet.")]
Paytables = Annotated[
    list[str] | None, typer.Option("--paytable", metavar="T|WAGER=T|all", help="A paytable; may be repeated.")
]
OneDecks = Annotated[str | None, typer.Option("--decks", metavar="N", help="How many decks.")]
OneOption = Annotated[str | None, typer.Option("--option", metavar="O", help="An option of the sheet.")]
OnePaytables = Annotated[
    list[str] | None, typer.Option("--paytable", metavar="T|WAGER=T", help="A paytable; may be repeated.")
]
Rules = Annotated[list[str] | None, typer.Option("--rule", metavar="KEY=VALUE", help="A house rule; may be repeated.")]
HOW = "How hands are played: basic, composition, bonus[:WAGER], joint[:WAGER]:RATIO, standard, or a chart's file"
Strategies = Annotated[list[str] | None, typer.Option("--strategy", metavar="S", help=f"{HOW}; repeatable.")]
OneStrategy = Annotated[str | None, typer.Option("--strategy", metavar="S", help=f"{HOW}.")]
Offered = Annotated[
    list[str] | None,
    typer.Option("--offer", metavar="WAGER", help="Offer only these side wagers (none: no side wager); repeatable."),
]
Pays = Annotated[
    list[str] | None, typer.Option("--pay", metavar="WAGER/LINE=RATIO", help="Another pay than printed; repeatable.")
]
BetOptions = Annotated[
    list[str] | None, typer.Option("--bet", metavar="WAGER=AMOUNT", help="What to wager; may be repeated.")
]
Limits = Annotated[
    list[str] | None, typer.Option("--limit", metavar="WAGER=LEAST-MOST", help="A table limit; may be repeated.")
]
Law = Annotated[str | None, typer.Option("--jurisdiction", metavar="NAME|FILE", help="Check against its limits.")]
RoundingOption = Annotated[str, typer.Option("--rounding", help="Payments between two coins: down, nearest or up.")]
Coin = Annotated[str, typer.Option(help="The smallest coin of the table.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same cards; without one, they are random.")]


def strategy_named(strategy: str, *, das: bool) -> Strategy:
    """The strategy of `--strategy`: a strategy's name, or a chart's file, which is read only here.

    `das` says whether the table lets split hands be doubled, which some codes of a chart depend on.
    """
    from pathlib import Path

    from feltlab.errors import nearest
    from feltlab.files import exists
    from feltlab.strategy import load_chart, parse_strategy
    from feltlab.strategy.spec import COMPUTED, LONGEST, NAMES, is_strategy_name

    if is_strategy_name(strategy):
        return parse_strategy(strategy)
    if not strategy or not exists(Path(strategy)):
        hint = nearest(strategy.partition(":")[0], NAMES)
        raise FeltlabError(
            f"there is no strategy and no file '{strategy[:LONGEST]}'; it is {COMPUTED}, standard, or a chart's file ({hint})"
        )
    return load_chart(strategy, das=das)


def may_double_split(setup: Setup) -> bool:
    """Whether split hands may be doubled at a table. A game without splits has no such rule."""
    return setup.rules.get("das") == "yes"


def pairs(given: list[str] | None, what: str) -> dict[str, str]:
    """Parse options of the form KEY=VALUE.

    >>> pairs(["soft17=stand"], "--rule")
    {'soft17': 'stand'}
    """
    found: dict[str, str] = {}
    for item in given or []:
        key, equals, value = item.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise FeltlabError(f"{what} '{item}': write it as KEY=VALUE")
        if key.strip() in found:
            raise FeltlabError(f"{what} '{key.strip()}' is given twice")
        found[key.strip()] = value.strip()
    return found


def amounts(given: list[str] | None) -> dict[str, int]:
    """Parse options of the form WAGER=AMOUNT, in cents."""
    from feltlab.money import parse_amount

    found = {key: parse_amount(value) for key, value in pairs(given, "--bet").items()}
    if "insurance" in found:
        raise FeltlabError("--bet insurance: insurance is answered in the round; basic strategy takes none")
    return found


def shoe(table: Table, seed: int | None) -> Shoe:
    """A shoe for a table: by seed if there is one, otherwise random."""
    from feltlab.rounds.shoe import seeded, shuffled

    if seed is not None and seed < 0:
        raise FeltlabError(f"--seed {seed}: a seed is 0 or more")
    return seeded(table.setup.decks, seed) if seed is not None else shuffled(table.setup.decks)


def limits(given: list[str] | None) -> dict[str, Limit]:
    """Parse options of the form WAGER=LEAST-MOST."""
    from feltlab.money import parse_amount
    from feltlab.tables.table import Limit

    found = {}
    for key, value in pairs(given, "--limit").items():
        least, dash, most = value.partition("-")
        if not dash:
            raise FeltlabError(f"--limit '{key}={value}': write it like {key}=1-100")
        found[key] = Limit(parse_amount(least), parse_amount(most))
    return found


def deck_counts(sheet: Sheet, decks: str | None) -> list[int | None]:
    """The deck counts of `--decks`; None stands for the sheet's usual one."""
    if decks is None:
        return [None]
    if decks == ALL:
        return list(sheet.decks)
    if not decks.isdecimal() or len(decks) > 3:
        raise FeltlabError(f"--decks '{decks}': write a number of decks, or all")
    return [int(decks)]


def options(sheet: Sheet, option: str | None) -> list[str | None]:
    """The options of `--option`; None stands for the sheet's usual one."""
    return (list(sheet.options) or [None]) if option == ALL else [option]


def setups(
    sheet: Sheet,
    decks: str | None,
    option: str | None,
    paytable: list[str] | None,
    rule: list[str] | None,
    offer: list[str] | None,
    pay: list[str] | None,
) -> list[Setup]:
    """The setups for a command's options: one, or one for every printed value of `all`."""
    from feltlab.tables import set_up

    offered = [] if offer == ["none"] else offer
    return [
        set_up(
            sheet,
            decks=count,
            option=chosen,
            paytables=posted,
            rules=pairs(rule, "--rule"),
            offered=offered,
            pays=pairs(pay, "--pay"),
        )
        for count in deck_counts(sheet, decks)
        for chosen in options(sheet, option)
        for posted in _postings(sheet, paytable or [], count, offered)
    ]


def _postings(sheet: Sheet, paytable: list[str], decks: int | None, offer: list[str] | None) -> list[list[str]]:
    """The paytables to post: with `all`, every combination that is printed for the decks."""
    if paytable != [ALL]:
        return [paytable]
    choices = [
        [f"{wager.id}={table.id}" for table in sheet.printed(wager, decks or sheet.usual_decks)]
        for wager in sheet.side_wagers
        if wager.paytable and (offer is None or wager.id in offer)
    ]
    choices = [posted for posted in choices if posted]
    if prod(map(len, choices)) > MOST_TABLES:
        raise FeltlabError(f"--paytable all: that is more than {MOST_TABLES} tables; name the paytables of some wagers")
    return [list(chosen) for chosen in product(*choices)]


def tables(chosen: Iterable[Setup], limit: list[str] | None, law: str | None, rounding: str, coin: str) -> list[Table]:
    """Open a table for each setup."""
    from feltlab import jurisdictions
    from feltlab.money import Rounding, parse_amount
    from feltlab.tables.table import open_table

    if rounding not in ("down", "nearest", "up"):
        raise FeltlabError(f"--rounding '{rounding}': it is down, nearest or up")
    rule = Rounding(rounding, parse_amount(coin))  # type: ignore[arg-type] # checked above
    profile = jurisdictions.load(law) if law else None
    return [open_table(setup, limits=limits(limit), rounding=rule, jurisdiction=profile) for setup in chosen]


def table_json(table: Table) -> dict[str, object]:
    """A table as JSON, with everything that is needed to recompute its payments."""
    setup = table.setup
    return {
        "sheet": setup.sheet.id,
        "sha256": setup.sheet.sha256,
        "game": setup.sheet.game,
        "decks": setup.decks,
        "option": setup.option,
        "paytables": setup.paytables,
        "rules": dict(setup.rules),
        "modified": bool(setup.differences),
        "differences": [difference._asdict() for difference in setup.differences],
        "limits": {id: limit._asdict() for id, limit in table.limits.items()},
        "rounding": table.rounding._asdict(),
        "jurisdiction": table.jurisdiction and {"id": table.jurisdiction.id, "as_of": table.jurisdiction.as_of},
        "notes": list(table.notes),
    }


def print_heading(screen: Console, table: Table) -> None:
    """Print what is played at a table, and how it differs from the sheet."""
    from rich.markup import escape

    setup = table.setup
    screen.print(f"[bold]{escape(setup.sheet.file.name)}[/]  {escape(setup.headline())}; {table.rounding.sentence()}")
    if changed := modified_line(setup):
        screen.print(escape(changed), style="yellow")
    if law := table.jurisdiction:
        screen.print(escape(f"checked against {law.name}, as of {law.as_of}"), style="dim")
    for note in table.notes:
        screen.print(escape(note), style="dim")


def modified_line(setup: Setup) -> str | None:
    """The mark on a table whose rules or pays differ from the sheet's own."""
    if not setup.differences:
        return None
    return "modified: " + "; ".join(difference.sentence() for difference in setup.differences)


def progress(words: str) -> None:
    """Show progress at a terminal, on one line that the next words replace."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{words}")
        sys.stderr.flush()


def print_json(data: object) -> None:
    """Print JSON on standard output."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def console() -> Console:
    """The console for tables; plain if standard output is not a terminal."""
    from rich.console import Console

    screen = Console(file=sys.stdout, highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())
    screen.width = max(screen.width, NARROWEST)
    return screen


def print_grid(screen: Console, grid: Grid) -> None:
    """Print a table at its full width: a terminal may wrap its lines, but no word is lost."""
    from rich.measure import Measurement

    needed = Measurement.get(screen, screen.options.update(max_width=1000), grid).maximum
    wide = screen.width
    screen.width = max(wide, needed)
    screen.print(grid)
    screen.width = wide
