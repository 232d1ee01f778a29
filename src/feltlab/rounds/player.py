"""A player that follows a chart, for examples, tests and `feltlab deal`."""

from __future__ import annotations

from collections.abc import Mapping

from feltlab.errors import FeltlabError, Refused
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Act, AnyCommand, Deal, Insure, PlaceBet
from feltlab.strategy import Chart
from feltlab.tables.table import Table

Bets = Mapping[str, int]
"""Cents by wager: on each spot before the deal, or on each card for wagers on hit cards."""


def default_bets(table: Table, main: int = 1000, side: int = 500) -> dict[str, int]:
    """A bet on every wager that the table offers except insurance, larger on the base wagers.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> from feltlab.tables.table import open_table
    >>> default_bets(open_table(set_up(load("bad-beat-blackjack"))))
    {'main': 1000, 'bad-beat': 500}
    """
    bets: dict[str, int] = {}
    coin = table.rounding.coin
    for id, wager in table.setup.wagers.items():
        if any(clause.at == "insurance" for clause in wager.placed):
            continue
        wanted = main if id in table.setup.sheet.base_ids else side
        if wager.at_most is not None:
            wanted = min(wanted, int(bets.get("main", main) * wager.at_most))
        amount = min(table.most(id), max(table.limits[id].least, wanted)) // coin * coin
        bets[id] = amount or coin
    return bets


def place_bets(round_: BlackjackRound | BaccaratRound, spots: int, bets: Bets) -> None:
    """Place the bets that go down before the deal, on spots 1 to `spots`."""
    for spot in range(1, spots + 1):
        for id, amount in bets.items():
            if round_.table.wager(id).before_deal:
                round_.do(PlaceBet(spot, id, amount))


def choose_command(round_: BlackjackRound, chart: Chart, bets: Bets) -> AnyCommand:
    """The command by which a chart answers the round's decision. It never takes insurance."""
    waits = round_.waits_for
    if waits is None:
        raise Refused("the round is over")
    if waits.kind == "insurance":
        return Insure(waits.spot)
    hand, up = round_.hands.hand(waits.spot, waits.hand), round_.hands.dealer.cards[0]
    if waits.kind == "surrender":
        actions = ("surrender", "stand", "hit", "split", "double")
        choice = chart.choose(hand.cards, up, actions, bonus_alive(round_, waits.spot, waits.hand))
        return Act(waits.spot, "surrender" if choice == "surrender" else "continue")
    action = chart.choose(hand.cards, up, waits.actions, bonus_alive(round_, waits.spot, waits.hand))
    side = {id: bets[id] for id in waits.side.get(action, ()) if id in bets}
    return Act(waits.spot, action, side)


def bonus_alive(round_: BlackjackRound, spot: int, hand: int) -> bool:
    """Whether a side wager that was placed before the deal still rides on this hand."""
    base = round_.table.setup.sheet.base_ids
    return any(bet.hand == hand and bet.wager not in base for bet in round_.felt.open(spot))


def play(round_: BlackjackRound | BaccaratRound, chart: Chart | None, bets: Bets, spots: int = 1) -> None:
    """Play a round to its end: the bets, the deal, and every decision by the chart, which baccarat does not need."""
    if chart is None and isinstance(round_, BlackjackRound):
        raise FeltlabError("a round of blackjack needs a chart to play by")
    place_bets(round_, spots, bets)
    round_.do(Deal())
    while chart is not None and isinstance(round_, BlackjackRound) and not round_.over:
        round_.do(choose_command(round_, chart, bets))
