"""A player that follows basic strategy and wagers on everything that a table offers: an example, and a test."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from feltlab.cards import card
from feltlab.client.client import Client
from feltlab.client.seat import Seat
from feltlab.floor.tables.shapes import TurnView
from feltlab.strategy import standard_chart

SURRENDER_ASKED = ("surrender", "stand", "hit", "split", "double")


class Bot:
    """Plays one seat. `stakes` are cents by wager; what a table offers beyond them is left alone.

    Bot(seat, default_stakes(client.table(1)["about"])).play(rounds=10)
    """

    def __init__(self, seat: Seat, about: Mapping[str, Any], stakes: Mapping[str, int]) -> None:
        self.seat, self.about, self.stakes = seat, about, stakes
        config = about["config"]
        blackjack = about["game"] == "blackjack"
        self._chart = standard_chart(config["decks"], config["rules"]) if blackjack else None

    def play(self, rounds: int, patience: float = 30.0) -> int:
        """Play so many rounds at a table where nobody else keeps it waiting; gives how many were played."""
        for played in range(rounds):
            if not self.bet():
                return played
            self.seat.deal()
            self._finish(time.monotonic() + patience)
        return rounds

    def bet(self) -> bool:
        """Lay the wagers of all my spots; False when the chips do not reach."""
        laid = self.before_deal()
        if sum(laid.values()) * len(self.seat.spots) > self.seat.chips:
            return False
        for spot in self.seat.spots:
            self.seat.bet(laid, spot)
        return True

    def before_deal(self) -> dict[str, int]:
        """What goes on each spot before the deal."""
        placed = {wager["id"]: wager["placed"] for wager in self.about["wagers"]}
        return {id: amount for id, amount in self.stakes.items() if "before-deal" in placed.get(id, ())}

    def _finish(self, until: float) -> None:
        while not self.seat.betting and time.monotonic() < until:
            if asked := self.seat.my_turn:
                self.answer(asked)
            else:
                time.sleep(0.05)
                self.seat.look()

    def answer(self, asked: TurnView) -> None:
        """Answer a question as basic strategy does: no insurance, no even money."""
        if asked.kind == "insurance":
            self.seat.act("decline")
            return
        action = self.choose(asked)
        side = {id: self.stakes[id] for id in asked.side.get(action, ()) if id in self.stakes}
        self.seat.act(action, side=side if sum(side.values()) <= self.seat.chips else {})

    def choose(self, asked: TurnView) -> str:
        """The action of basic strategy for the hand that is asked about."""
        assert self._chart is not None and self.seat.round.dealer is not None
        cards = [card(name) for name in self.seat.hand().cards]
        up = card(self.seat.round.dealer.cards[0])
        if asked.kind == "surrender":
            wish = self._chart.choose(cards, up, SURRENDER_ASKED, None)
            return "surrender" if wish == "surrender" else "continue"
        return self._chart.choose(cards, up, asked.actions, None)


def default_stakes(about: Mapping[str, Any], main: int = 1000, side: int = 500) -> dict[str, int]:
    """A stake on every wager but insurance, within the table's limits."""
    stakes = {}
    for wager in about["wagers"]:
        if "insurance" not in wager["placed"]:
            wish = main if wager["base"] else side
            stakes[wager["id"]] = min(max(wish, wager["least"]), wager["most"])
    return stakes


def join(url: str, table: int, spots: tuple[int, ...], chips: int = 1_000_000) -> Bot:
    """A guest who buys chips, sits down and is ready to play."""
    client = Client(url).guest()
    client.buy_chips(chips)
    about = client.table(table)["about"]
    return Bot(client.sit(table, spots, chips), about, default_stakes(about))
