"""Bets on the felt, and where the money is: with the players, on the felt, or with the house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from feltlab.rounds.events import AnyEvent, BetPlaced, BetRaised, BetSettled, BetTakenBack


@dataclass
class Bet:
    """A wager on the felt. `hand` is the id of the hand it rides on; `settled` is the event that settled it."""

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
    laid: int = 0  # how many were ever placed: the number of a bet that is taken back is not used again

    def apply(self, event: AnyEvent) -> None:
        """Apply an event; events that concern no bet change nothing."""
        match event:
            case BetPlaced(bet, spot, hand, wager, amount):
                self.bets[bet] = Bet(bet, spot, hand, wager, amount)
                self.laid = bet
            case BetRaised(bet, amount):
                self.bets[bet].stake += amount
            case BetTakenBack(bet):
                del self.bets[bet]
            case BetSettled():
                self.bets[event.bet].settled = event
            case _:
                pass

    def open(self, spot: int | None = None) -> list[Bet]:
        """The bets still on the felt, in the order in which they were placed."""
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


PLAYER, FELT, HOUSE = "player", "felt", "house"


class ChipMove(NamedTuple):
    """Chips that an event moves. The player is whoever plays the spot."""

    bet: int
    spot: int
    source: str
    target: str
    amount: int


def moves(event: AnyEvent, spots: dict[int, int]) -> list[ChipMove]:
    """The money that an event moves. `spots` maps each bet to its spot, and is updated with new bets.

    >>> moves(BetSettled(1, 3, 0, "main", (), "3:2", stake=1000, back=2500), {1: 3})
    [ChipMove(bet=1, spot=3, source='felt', target='player', amount=1000), ChipMove(bet=1, spot=3, source='house', target='player', amount=1500)]
    """
    match event:
        case BetPlaced(bet, spot, _, _, amount):
            spots[bet] = spot
            chips = [ChipMove(bet, spot, PLAYER, FELT, amount)]
        case BetRaised(bet, amount):
            chips = [ChipMove(bet, spots[bet], PLAYER, FELT, amount)]
        case BetTakenBack(bet, spot, _, amount):
            chips = [ChipMove(bet, spot, FELT, PLAYER, amount)]
        case BetSettled(bet, spot):
            kept, won = min(event.stake, event.back), event.back - event.stake
            chips = [
                ChipMove(bet, spot, FELT, PLAYER, kept),
                ChipMove(bet, spot, FELT, HOUSE, -won) if won < 0 else ChipMove(bet, spot, HOUSE, PLAYER, won),
            ]
        case _:
            chips = []
    return [move for move in chips if move.amount]


@dataclass
class Cash:
    """Where the money of a log is. The three parts always add up to zero: no event makes or loses a cent."""

    players: dict[int, int] = field(default_factory=dict)
    felt: int = 0
    house: int = 0

    @classmethod
    def of(cls, log: Iterable[AnyEvent]) -> Cash:
        """The money after all events of a log."""
        cash = cls()
        spots: dict[int, int] = {}
        for event in log:
            for move in moves(event, spots):
                cash._add(move.source, move.spot, -move.amount)
                cash._add(move.target, move.spot, move.amount)
        return cash

    def _add(self, where: str, spot: int, amount: int) -> None:
        if where == PLAYER:
            self.players[spot] = self.players.get(spot, 0) + amount
        elif where == FELT:
            self.felt += amount
        else:
            self.house += amount

    @property
    def total(self) -> int:
        """The sum of players, felt and house: always 0."""
        return sum(self.players.values()) + self.felt + self.house
