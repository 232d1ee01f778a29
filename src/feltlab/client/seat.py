"""A seat at a table: lay wagers, ask for the deal, answer the table's questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from feltlab.errors import FeltlabError
from feltlab.floor.tables.shapes import CardsView, Now, RoundView, TurnView

if TYPE_CHECKING:
    from feltlab.client.client import Client


class Seat:
    """My place at a table. `now` is the table as the last answer told it; `look` asks again."""

    def __init__(self, client: Client, table: int, answer: dict[str, Any]) -> None:
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
        """The table as it is now."""
        self.now = self._client.now(self.table)
        return self.now

    @property
    def spots(self) -> tuple[int, ...]:
        """The spots that I play; none if I have left."""
        return next((seat.spots for seat in self.now.seats if seat.name == self._client.name), ())

    @property
    def chips(self) -> int:
        """My chips at the table, beside my wagers."""
        return next((seat.chips for seat in self.now.seats if seat.name == self._client.name), 0)

    @property
    def my_turn(self) -> TurnView | None:
        """What the table asks of me, with exactly what is legal; None while it asks nothing of me."""
        waits = self.now.waits
        return waits if waits and waits.kind != "bets" and waits.spot in self.spots else None

    @property
    def betting(self) -> bool:
        """Does the table wait for wagers?"""
        return self.now.waits is not None and self.now.waits.kind == "bets"

    @property
    def round(self) -> RoundView:
        """The round in play, or the last one as it was left."""
        if self.now.round is None:
            raise FeltlabError("no round has been played at this table yet")
        return self.now.round

    def hand(self) -> CardsView:
        """The hand that the table asks about."""
        asked = self.my_turn
        if asked is None:
            raise FeltlabError("the table asks nothing of you now")
        return next(hand for hand in self.round.spots[str(asked.spot)] if hand.hand == asked.hand)

    # ---- what I do

    def bet(self, bets: Mapping[str, int], spot: int | None = None) -> list[dict[str, Any]]:
        """Set the wagers of a spot (the first of mine, unless named), in cents; they replace what lies there."""
        return self._change("PUT", "bets", {"spot": spot or self.spots[0], "bets": dict(bets)})

    def deal(self) -> list[dict[str, Any]]:
        """No more bets from me."""
        return self._change("POST", "deal")

    def act(self, action: str, *, side: Mapping[str, int] | None = None, amount: int = 0) -> list[dict[str, Any]]:
        """Answer the table's question; `amount` is for `insure`, `side` are wagers on the next card."""
        asked = self.my_turn
        if asked is None:
            raise FeltlabError("the table asks nothing of you now")
        move = {"turn": asked.turn, "spot": asked.spot, "action": action, "side": dict(side or {}), "amount": amount}
        return self._change("POST", "moves", move)

    def add_seed(self, seed: str) -> list[dict[str, Any]]:
        """Mix a text of mine into the order of the shoe, before its first card."""
        return self._change("POST", "seeds", {"seed": seed})

    def bring(self, amount: int) -> list[dict[str, Any]]:
        """Bring more chips."""
        return self._change("POST", "chips", {"amount": amount})

    def leave(self) -> list[dict[str, Any]]:
        """Leave with all chips; with wagers in play, when the round is over."""
        return self._change("DELETE", "seat")
