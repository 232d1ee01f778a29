"""The public shapes of a table, for the service and for programs that use it."""

from __future__ import annotations

from msgspec import Struct


class SeatView(Struct, frozen=True):
    """A player at the table, with their chips.

    `gone`: they seem to have gone. `kept` is until when each spot is theirs if nothing is dealt to it; spots in play are
    left out.
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
    """The shoe: its commitment, the players' seeds, and how many cards are dealt."""

    number: int
    commitment: str
    cut: bool
    seeds: list[tuple[str, str]]
    cards: int
    dealt: int
    behind_cut: int


class BetView(Struct, frozen=True):
    """A wager on the felt, with what it returned once it is settled."""

    bet: int
    spot: int
    hand: int
    wager: str
    stake: int
    back: int | None = None
    lines: tuple[str, ...] = ()


class CardsView(Struct, frozen=True):
    """A hand: its cards and total. `how` says how it ended."""

    hand: int
    cards: list[str]
    total: int
    soft: bool
    how: str = ""
    doubled: bool = False


class RoundView(Struct, frozen=True):
    """The round in play, or the last one as it ended. Blackjack has spots and a dealer; baccarat has Player and Banker."""

    number: int
    step: str
    bets: list[BetView]
    spots: dict[str, list[CardsView]] = {}
    dealer: CardsView | None = None
    player: CardsView | None = None
    banker: CardsView | None = None


class TurnView(Struct, frozen=True):
    """What the table waits for, with exactly what is legal. `turn` is sent with the answer; `until` is the deadline.

    `who` are the players it waits for. A deadline that keeps nobody waiting is left out.
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
    """A table after the step `seq`. `following` is the round that new wagers are for: the open one, or the next."""

    table: int
    seq: int
    status: str
    seats: list[SeatView]
    shoe: ShoeView
    round: RoundView | None
    following: int
    waits: TurnView | None
