"""`feltlab deal`: deals rounds and explains them line by line."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import (
    BetOptions,
    Coin,
    Decks,
    Json,
    Law,
    Limits,
    Offered,
    OneStrategy,
    Option,
    Pays,
    Paytables,
    RoundingOption,
    Rules,
    Seed,
    SheetName,
    amounts,
    console,
    may_double_split,
    print_heading,
    setups,
    shoe,
    strategy_named,
    table_json,
    tables,
)
from feltlab.errors import FeltlabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from feltlab.rounds.baccarat import BaccaratRound
    from feltlab.rounds.blackjack import BlackjackRound
    from feltlab.rounds.events import AnyEvent
    from feltlab.strategy import Chart
    from feltlab.tables import Setup
    from feltlab.tables.table import Table

MOST_ROUNDS = 100_000


def deal(
    sheet: SheetName,
    rounds: Annotated[int, typer.Option(help="How many rounds to deal at each table.")] = 1,
    seed: Seed = None,
    decks: Decks = None,
    option: Option = None,
    paytable: Paytables = None,
    rule: Rules = None,
    offer: Offered = None,
    pay: Pays = None,
    bet: BetOptions = None,
    spots: Annotated[int, typer.Option(help="How many spots are played.")] = 1,
    strategy: OneStrategy = None,
    limit: Limits = None,
    jurisdiction: Law = None,
    rounding: RoundingOption = "down",
    coin: Coin = "0.01",
    json: Json = False,
) -> None:
    """Deal rounds and explain them, bets and payments included.

    By default at the sheet's usual table; `all` deals at a table for every printed value.
    """
    from feltlab.sheets import load

    if not 1 <= rounds <= MOST_ROUNDS:
        raise FeltlabError(f"--rounds {rounds}: deal 1 to {MOST_ROUNDS:,} rounds")
    chosen = setups(load(sheet), decks, option, paytable, rule, offer, pay)
    opened = tables(chosen, limit, jurisdiction, rounding, coin)
    if not 1 <= spots <= opened[0].most_spots:
        raise FeltlabError(f"--spots {spots}: this game has 1 to {opened[0].most_spots} spots")
    given = amounts(bet)
    if json:
        _print_json(opened, lambda table: _rounds(table, rounds, seed, given, spots, strategy))
        return
    for table in opened:
        dealt = _rounds(table, rounds, seed, given, spots, strategy)
        first = next(dealt)  # bets that are refused are refused before anything is printed
        print_heading(console(), table)
        for number, round_ in enumerate(chain([first], dealt), 1):
            console().print(f"\n[bold]Round {number}[/]")
            print_log(table, round_.log)


def _rounds(
    table: Table, count: int, seed: int | None, given: dict[str, int], spots: int, strategy: str | None
) -> Iterator[BlackjackRound | BaccaratRound]:
    """Deal rounds from one shoe, which is shuffled when its cut card has come out."""
    from feltlab.rounds.open import open_round
    from feltlab.rounds.player import default_bets, play

    chart = _chart(table.setup, strategy) if table.setup.sheet.game == "blackjack" else None
    bets = {**default_bets(table), **given}
    source = shoe(table, seed)
    for _ in range(count):
        source.begin_round()
        round_ = open_round(table, source)
        play(round_, chart, bets, spots)
        yield round_


def _chart(setup: Setup, strategy: str | None) -> Chart:
    """The chart to play by: the built-in one for the table, unless a strategy is named."""
    from feltlab.strategy import Chart, Standard, standard_chart

    chosen = Standard() if strategy is None else strategy_named(strategy, das=may_double_split(setup))
    if isinstance(chosen, Standard):
        return standard_chart(setup.decks, setup.rules)
    if isinstance(chosen, Chart):
        return chosen
    from feltlab.analysis import Analysis  # which takes a while to load

    return Analysis(setup).play(chosen).chart


def print_log(table: Table, log: list[AnyEvent]) -> None:
    """Print a round's log in words, step by step."""
    from feltlab.rounds.narration import narrate

    screen = console()
    for sentence in narrate(table, log):
        if sentence.opens:
            screen.print(f" {sentence.number}  {sentence.text}", style="bold", markup=False)
        elif sentence.step == "over":
            screen.print(f" =  {sentence.text}", style="bold", markup=False)
        else:
            screen.print(f"    {sentence.text}", markup=False)


def _print_json(opened: list[Table], rounds: Callable[[Table], Iterator[BlackjackRound | BaccaratRound]]) -> None:
    """Print a list of tables with their rounds, one per line, as they are dealt."""
    import json
    import sys

    for place, table in enumerate(opened):
        dealt = rounds(table)
        first = next(dealt)
        head = json.dumps(table_json(table), ensure_ascii=False)
        sys.stdout.write(("[\n" if place == 0 else ",\n") + head[:-1] + ', "rounds": [')
        for number, round_ in enumerate(chain([first], dealt), 1):
            words = words_json(table, round_.log)
            said = json.dumps({"round": number, **round_json(round_), "words": words}, ensure_ascii=False)
            sys.stdout.write(("\n" if number == 1 else ",\n") + said)
        sys.stdout.write("\n]}")
    sys.stdout.write("\n]\n")


def words_json(table: Table, log: list[AnyEvent]) -> list[dict[str, str]]:
    """A round's log in words, as JSON."""
    from feltlab.rounds.narration import narrate

    return [{"step": sentence.step, "text": sentence.text} for sentence in narrate(table, log)]


def round_json(round_: BlackjackRound | BaccaratRound) -> dict[str, object]:
    """A finished round as JSON: hands, bets, nets in cents, and the log, from which it can be replayed."""
    import msgspec

    from feltlab.cards import name
    from feltlab.rounds.blackjack import BlackjackRound

    def named(cards: list[int]) -> list[str]:
        return [name(card) for card in cards]

    if isinstance(round_, BlackjackRound):
        spots = round_.hands.spots
        hands: dict[str, object] = {
            "dealer": named(round_.hands.dealer.cards),
            "spots": {number: [named(hand.cards) for hand in spot.hands] for number, spot in spots.items()},
        }
    else:
        hands = {"player": named(round_.coup.player), "banker": named(round_.coup.banker)}
    bets = [msgspec.to_builtins(bet.settled) for bet in round_.felt.bets.values()]
    log = [msgspec.to_builtins(event) for event in round_.log]
    return {"hands": hands, "bets": bets, "nets": round_.felt.nets(), "log": log}
