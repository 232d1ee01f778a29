"""A seat at a table: place wagers, ask for the deal, answer the table's questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from feltlab.errors import FeltlabError
from feltlab.floor.tables.shapes import CardsView, Now, RoundView, TurnView


class Session(Protocol):
    """What a seat needs of a client."""

    name: str

    def change(self, method: str, path: str, body: object = None) -> Any:
        """Send a request that changes something."""

    def now(self, table: int) -> Now:
        """The present state of a table."""
        ...


class Seat:
    """My seat at a table. `now` is the table as of the last answer; `look` refreshes it."""

    def __init__(self, client: Session, table: int, answer: dict[str, Any]) -> None:
        self._client = client
        self.table = table
        self.events: list[dict[str, Any]] = []
        self._take(answer)

    def _take(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        self.now = msgspec.convert(answer["now"], Now)
        self.events = answer.get("events", [])
        return self.events

    def _change(self, method: str, what: str, body: object = None) -> list[dict[str, Any]]:
        return self._take(self._client.change(method, f"/tables/{self.table}/{what}", body))

    # ---- what I see

    def look(self) -> Now:
        """Refresh and return the present state of the table."""
        self.now = self._client.now(self.table)
        return self.now

    @property
    def spots(self) -> tuple[int, ...]:
        """My spots; none if I have left."""
        return next((seat.spots for seat in self.now.seats if seat.name == self._client.name), ())

    @property
    def chips(self) -> int:
        """My chips at the table, without my wagers."""
        return next((seat.chips for seat in self.now.seats if seat.name == self._client.name), 0)

    @property
    def my_turn(self) -> TurnView | None:
        """The question that the table asks me, with exactly what is legal; None while it asks me nothing."""
        waits = self.now.waits
        return waits if waits and waits.kind != "bets" and waits.spot in self.spots else None

    @property
    def betting(self) -> bool:
        """Whether the table waits for wagers."""
        return self.now.waits is not None and self.now.waits.kind == "bets"

    @property
    def round(self) -> RoundView:
        """The round in play, or the last one as it ended."""
        if self.now.round is None:
            raise FeltlabError("no round has been played at this table yet")
        return self.now.round

    def hand(self) -> CardsView:
        """The hand that the table's question is about."""
        question = self.my_turn
        if question is None:
            raise FeltlabError("it is not your turn")
        return next(hand for hand in self.round.spots[str(question.spot)] if hand.hand == question.hand)

    # ---- what I do

    def bet(self, bets: Mapping[str, int], spot: int | None = None) -> list[dict[str, Any]]:
        """Set the wagers in cents of a spot, by default my first one; they replace those there now."""
        return self._change("PUT", "bets", {"spot": spot or self.spots[0], "bets": dict(bets)})

    def deal(self) -> list[dict[str, Any]]:
        """Ask for the deal."""
        return self._change("POST", "deal")

    def act(self, action: str, *, side: Mapping[str, int] | None = None, amount: int = 0) -> list[dict[str, Any]]:
        """Answer the table's question; `amount` is for `insure`, `side` are wagers on the next card."""
        question = self.my_turn
        if question is None:
            raise FeltlabError("it is not your turn")
        move = {
            "turn": question.turn,
            "spot": question.spot,
            "action": action,
            "side": dict(side or {}),
            "amount": amount,
        }
        return self._change("POST", "moves", move)

    def add_seed(self, seed: str) -> list[dict[str, Any]]:
        """Add a seed to the order of the shoe, before its first card."""
        return self._change("POST", "seeds", {"seed": seed})

    def bring(self, amount: int) -> list[dict[str, Any]]:
        """Bring more chips."""
        return self._change("POST", "chips", {"amount": amount})

    def leave(self) -> list[dict[str, Any]]:
        """Leave with all chips; with wagers in play, when the round is over."""
        return self._change("DELETE", "seat")
