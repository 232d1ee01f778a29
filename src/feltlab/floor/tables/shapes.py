"""The shapes in which a table is told of: for the service, and for programs that talk to it."""

from __future__ import annotations

from msgspec import Struct


class SeatView(Struct, frozen=True):
    """Somebody at the table, and their chips.

    `gone`: they seem to be. `kept` says until when each spot is theirs if nothing is dealt to it; those in play are not in it.
    """

    name: str
    spots: tuple[int, ...]
    chips: int
    ready: bool
    away: bool
    leaving: bool
    gone: bool = False
    kept: dict[str, int] = {}


class ShoeView(Struct, frozen=True):
    """The shoe: its commitment, the seeds that players added, and how much of it is gone."""

    number: int
    commitment: str
    cut: bool
    seeds: list[tuple[str, str]]
    cards: int
    dealt: int
    behind_cut: int


class BetView(Struct, frozen=True):
    """A wager on the felt, or what came back of it."""

    bet: int
    spot: int
    hand: int
    wager: str
    stake: int
    back: int | None = None
    lines: tuple[str, ...] = ()


class CardsView(Struct, frozen=True):
    """Some cards and what they are worth. `how` says how the hand ended."""

    hand: int
    cards: list[str]
    total: int
    soft: bool
    how: str = ""
    doubled: bool = False


class RoundView(Struct, frozen=True):
    """The round in play, or the last one as it was left. Blackjack has spots and a dealer; baccarat has Player and Banker."""

    number: int
    step: str
    bets: list[BetView]
    spots: dict[str, list[CardsView]] = {}
    dealer: CardsView | None = None
    player: CardsView | None = None
    banker: CardsView | None = None


class TurnView(Struct, frozen=True):
    """What the table waits for, and exactly what is legal. `turn` goes with the answer; `until` is when time is up.

    `who` are those that it waits for. Time that nobody waits for is not told.
    """

    kind: str
    turn: str
    spot: int
    hand: int
    actions: tuple[str, ...]
    side: dict[str, tuple[str, ...]]
    most: int
    until: int | None
    who: tuple[str, ...] = ()


class Now(Struct, frozen=True):
    """A table as it is after the step `seq`. `following` is the round that wagers are for: the open one, or the next."""

    table: int
    seq: int
    status: str
    seats: list[SeatView]
    shoe: ShoeView
    round: RoundView | None
    following: int
    waits: TurnView | None
