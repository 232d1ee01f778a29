"""A bot that plays basic strategy and wagers on everything that a table offers, as an example and for tests."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from feltlab.cards import card
from feltlab.client.client import Client
from feltlab.client.seat import Seat
from feltlab.errors import FeltlabError
from feltlab.floor.tables.shapes import TurnView
from feltlab.strategy import standard_chart

SURRENDER_ACTIONS = ("surrender", "stand", "hit", "split", "double")


class Bot:
    """Plays one seat. `stakes` are cents by wager; other wagers are not placed.

    Bot(seat, default_stakes(client.table(1)["about"])).play(rounds=10)
    """

    def __init__(self, seat: Seat, about: Mapping[str, Any], stakes: Mapping[str, int]) -> None:
        self.seat, self.about, self.stakes = seat, about, stakes
        config = about["config"]
        blackjack = about["game"] == "blackjack"
        self._chart = standard_chart(config["decks"], config["rules"]) if blackjack else None

    def play(self, rounds: int, patience: float = 30.0) -> int:
        """Play this many rounds at a table where nobody else keeps it waiting; returns how many were played."""
        for played in range(rounds):
            if not self.bet():
                return played
            self.seat.deal()
            self._finish(time.monotonic() + patience)
        return rounds

    def bet(self) -> bool:
        """Place the wagers of all my spots; False if the chips do not suffice."""
        bets = self.before_deal()
        if sum(bets.values()) * len(self.seat.spots) > self.seat.chips:
            return False
        for spot in self.seat.spots:
            self.seat.bet(bets, spot)
        return True

    def before_deal(self) -> dict[str, int]:
        """The stakes for each spot before the deal."""
        placed = {wager["id"]: wager["placed"] for wager in self.about["wagers"]}
        return {id: amount for id, amount in self.stakes.items() if "before-deal" in placed.get(id, ())}

    def _finish(self, until: float) -> None:
        while not self.seat.betting and time.monotonic() < until:
            if question := self.seat.my_turn:
                self.answer(question)
            else:
                time.sleep(0.05)
                self.seat.look()

    def answer(self, question: TurnView) -> None:
        """Answer a question by basic strategy, which takes no insurance and no even money."""
        if question.kind == "insurance":
            self.seat.act("decline")
            return
        action = self.choose(question)
        side = {id: self.stakes[id] for id in question.side.get(action, ()) if id in self.stakes}
        self.seat.act(action, side=side if sum(side.values()) <= self.seat.chips else {})

    def choose(self, question: TurnView) -> str:
        """The action of basic strategy for the hand in question."""
        dealer = self.seat.round.dealer
        if self._chart is None or dealer is None:
            raise FeltlabError("there is nothing to choose: this table does not play blackjack")
        cards = [card(name) for name in self.seat.hand().cards]
        up = card(dealer.cards[0])
        if question.kind == "surrender":
            choice = self._chart.choose(cards, up, SURRENDER_ACTIONS, None)
            return "surrender" if choice == "surrender" else "continue"
        return self._chart.choose(cards, up, question.actions, None)


def default_stakes(about: Mapping[str, Any], main: int = 1000, side: int = 500) -> dict[str, int]:
    """A stake on every wager but insurance, within the table's limits."""
    stakes = {}
    for wager in about["wagers"]:
        if "insurance" not in wager["placed"]:
            wanted = main if wager["base"] else side
            stakes[wager["id"]] = min(max(wanted, wager["least"]), wager["most"])
    return stakes


def join(url: str, table: int, spots: tuple[int, ...], chips: int = 1_000_000) -> Bot:
    """Join a table as a guest: buy chips, sit down, and return a bot that is ready to play."""
    client = Client(url).guest()
    client.buy_chips(chips)
    about = client.table(table)["about"]
    return Bot(client.sit(table, spots, chips), about, default_stakes(about))
