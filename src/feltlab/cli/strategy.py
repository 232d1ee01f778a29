"""`feltlab strategy`: draws a strategy as a chart, in the usual colours."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import (
    ALL,
    Json,
    OneDecks,
    OneOption,
    OnePaytables,
    OneStrategy,
    Rules,
    console,
    may_double_split,
    modified_line,
    pairs,
    print_json,
    setups,
    strategy_named,
)
from feltlab.errors import FeltlabError, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from feltlab.exact.blackjack.game import Played
    from feltlab.strategy.drawing import Drawing
    from feltlab.tables import Setup

PLAIN = "bad-beat-blackjack"  # its base game is plain blackjack, for every number of decks
STDOUT = "-"


def strategy(
    game: Annotated[
        str,
        typer.Argument(metavar="SHEET|RULES", help="A blackjack sheet, or house rules such as soft17=stand,das=no."),
    ],
    decks: OneDecks = None,
    option: OneOption = None,
    paytable: OnePaytables = None,
    rule: Rules = None,
    strategy: OneStrategy = None,
    remove: Annotated[
        str | None, typer.Option(metavar="CARDS", help="Cards removed from the shoe, such as 'As Kd'.")
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write kind, total and a code for each up card, then single hands; - prints."
        ),
    ] = None,
    chart: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a chart that --strategy takes; - prints it.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw the chart of a strategy, with the house edge that it leaves.

    RULES are house rules of plain blackjack, separated by commas; decks=N may be among them.
    """
    from rich.text import Text

    from feltlab.cards import names
    from feltlab.cli.strategy_chart import print_chart
    from feltlab.exact.blackjack.game import Blackjack
    from feltlab.exact.blackjack.strategies import play
    from feltlab.lab.chart import chart_data, cost_data, drawn
    from feltlab.lab.chart import edges as edges_of
    from feltlab.strategy import DEFAULT, Bonus, Joint
    from feltlab.tables import TableChoice

    if [csv, chart].count(STDOUT) + json > 1:
        raise FeltlabError("only one of --csv -, --chart - and --json can be printed; give the others a file")
    setup, name = _table(game, decks, option, paytable, rule)
    chosen = DEFAULT if strategy is None else strategy_named(strategy, das=may_double_split(setup))
    if _is_rules(game) and isinstance(chosen, Bonus | Joint):
        raise FeltlabError(f"the strategy '{chosen}' is for a side wager; name a sheet that has one instead of rules")
    gone = TableChoice(remove=remove or "").removed
    played = play(Blackjack.of(setup, gone), setup, chosen)
    drawing, edges = drawn(played, setup), edges_of(played)
    headline = f"{name}; strategy {chosen}" + (f", without {names(gone)}" if gone else "")
    if csv is not None:
        _write(csv, drawing.csv())
    if chart is not None:
        _write(chart, _chart_text(setup, drawing, headline, edges))
    if json:
        about = {**_about(setup, plain=_is_rules(game)), "removed": [names([card]) for card in gone]}
        print_json({**about, "strategy": str(chosen), "house_edge": edges, **chart_data(drawing), **cost_data(played)})
    elif STDOUT not in (csv, chart):
        screen, title = console(), name.partition("  ")[0]
        screen.print(Text.assemble((title, "bold"), headline.removeprefix(title)))
        screen.print(Text(_edges_line(edges), style="bold"))
        if not _is_rules(game) and (changed := modified_line(setup)):
            screen.print(Text(changed, style="yellow"))
        screen.print()
        print_chart(screen, drawing, played.side.id if played.side else "")
        for line in _costs(played):
            screen.print(Text(line))


def _costs(played: Played) -> Iterator[str]:
    """Describe what playing for the side wager costs."""
    from feltlab.lab.chart import cost_of
    from feltlab.strategy.chart import card_letter

    cost, found = cost_of(played)
    if played.side is not None:
        yield f"\nThis strategy costs the main wager {cost:.4%} of its stake. The cost and gain of each change when it comes"
        yield f"up, in stakes of main and of {played.side.id}, and the {played.side.id} stake from which it pays:"
    for deviation in found:
        hand = ",".join(map(card_letter, deviation.hand))
        yield (
            f"{hand} v {card_letter(deviation.up)}: {deviation.action} for {deviation.instead_of}, -{deviation.cost:.4f}"
            f" and +{deviation.gain:.4f}; from {deviation.ratio:.2%} of the main stake"
        )


def _table(
    game: str,
    decks: str | None,
    option: str | None,
    paytable: list[str] | None,
    rule: list[str] | None,
) -> tuple[Setup, str]:
    """The table for the options, and its name."""
    from feltlab.games.blackjack import RULES
    from feltlab.games.rules import choose
    from feltlab.sheets import load

    if ALL in (decks, option, *(paytable or [])):
        raise FeltlabError("a chart is for one table; name one value instead of all")
    if not _is_rules(game):
        sheet = load(game)
        if sheet.game != "blackjack":
            raise FeltlabError(f"{sheet.id} is {sheet.game}: {sheet.game} has no decisions, so there is no chart of it")
        (setup,) = setups(sheet, decks, option, paytable, rule, None, None)
        return setup, f"{sheet.file.name}  {setup.headline()}"
    if option is not None or paytable:
        raise FeltlabError("--option and --paytable are a sheet's; plain blackjack has none")
    rules = pairs([item for item in game.split(",") if item.strip()] + (rule or []), "house rule")
    if "decks" in rules and decks is not None:
        raise FeltlabError("the number of decks is given twice, by decks= and by --decks")
    decks, plain = rules.pop("decks", decks), load(PLAIN)
    if decks is not None and decks not in map(str, plain.decks):
        raise FeltlabError(f"'{decks}' decks: plain blackjack is played with {listed(plain.decks)}")
    choose(RULES, rules)
    (setup,) = setups(plain, decks, None, None, [f"{key}={value}" for key, value in rules.items()], ["none"], None)
    count = f"{setup.decks} deck" + ("s" if setup.decks > 1 else "")
    return setup, "Blackjack  " + ", ".join([count, *(f"{key}={setup.rules[key]}" for key in rules)])


def _is_rules(game: str) -> bool:
    from pathlib import Path

    from feltlab.files import exists

    return "=" in game and not exists(Path(game))


def _edges_line(edges: dict[str, float]) -> str:
    return "house edge " + ", ".join(f"{edge:.4%} on {wager}" for wager, edge in edges.items())


def _chart_text(setup: Setup, drawing: Drawing, headline: str, edges: dict[str, float]) -> str:
    facts = {
        "decks": str(setup.decks),
        "rules": " ".join(f"{key}={value}" for key, value in setup.rules.items()),
        "source": "computed by feltlab strategy",
    }
    return drawing.text([headline, _edges_line(edges)], facts)


def _write(path: str, text: str) -> None:
    """Write a file, or print it where the path is a dash."""
    from pathlib import Path

    if path == STDOUT:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FeltlabError(f"{path[:80]} cannot be written: {getattr(error, 'strerror', None) or error}") from None


def _about(setup: Setup, *, plain: bool) -> dict[str, object]:
    """The table as JSON; plain blackjack has no sheet."""
    return {
        "sheet": None if plain else setup.sheet.id,
        "decks": setup.decks,
        "option": None if plain else setup.option,
        "paytables": setup.paytables,
        "rules": dict(setup.rules),
        "modified": not plain and bool(setup.differences),
    }
