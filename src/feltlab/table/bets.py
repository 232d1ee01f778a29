"""Bets on the felt, and where every cent is: with the players, on the felt, or with the house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from feltlab.table.events import AnyEvent, BetPlaced, BetRaised, BetSettled


@dataclass
class Bet:
    """A wager on the felt. `hand` is the id of the hand that it rides on; `settled` is how it came off."""

    id: int
    spot: int
    hand: int
    wager: str
    stake: int
    settled: BetSettled | None = None


@dataclass
class Felt:
    """The bets of a round, as its events leave them."""

    bets: dict[int, Bet] = field(default_factory=dict)

    def apply(self, event: AnyEvent) -> None:
        """Follow an event that touches a bet; others leave the felt as it is."""
        match event:
            case BetPlaced(bet, spot, hand, wager, amount):
                self.bets[bet] = Bet(bet, spot, hand, wager, amount)
            case BetRaised(bet, amount):
                self.bets[bet].stake += amount
            case BetSettled():
                self.bets[event.bet].settled = event
            case _:
                pass

    def open(self, spot: int | None = None) -> list[Bet]:
        """The bets still on the felt, in the order they were placed."""
        return [bet for bet in self.bets.values() if bet.settled is None and spot in (None, bet.spot)]

    def find(self, spot: int, wager: str, hand: int = 0) -> Bet | None:
        """The open bet of a spot on a wager, if there is one."""
        for bet in self.open(spot):
            if bet.wager == wager and bet.hand == hand:
                return bet
        return None

    def nets(self) -> dict[int, int]:
        """What each spot has won or lost on its settled bets."""
        nets: dict[int, int] = {}
        for bet in self.bets.values():
            back = bet.settled.back if bet.settled else 0
            nets[bet.spot] = nets.get(bet.spot, 0) + back - bet.stake
        return nets


@dataclass
class Cash:
    """Where the money of a log is. The three always add up to nothing: no event makes or loses a cent."""

    players: dict[int, int] = field(default_factory=dict)
    felt: int = 0
    house: int = 0

    @classmethod
    def of(cls, log: Iterable[AnyEvent]) -> Cash:
        """Follow the money through a log."""
        cash = cls()
        spots: dict[int, int] = {}
        for event in log:
            match event:
                case BetPlaced(bet, spot, _, _, amount):
                    spots[bet] = spot
                    cash._move(spot, amount)
                case BetRaised(bet, amount):
                    cash._move(spots[bet], amount)
                case BetSettled():
                    cash._move(event.spot, -event.back)
                    # What lay on the felt is gone; the house has the difference, or has paid it.
                    cash.felt += event.back - event.stake
                    cash.house += event.stake - event.back
                case _:
                    pass
        return cash

    def _move(self, spot: int, amount: int) -> None:
        self.players[spot] = self.players.get(spot, 0) - amount
        self.felt += amount

    @property
    def total(self) -> int:
        """Players, felt and house together: always 0."""
        return sum(self.players.values()) + self.felt + self.house
