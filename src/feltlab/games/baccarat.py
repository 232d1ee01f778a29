"""Baccarat (punto banco): what a hand is worth, who draws a third card, who wins.

>>> banker_draws(6, 6), banker_draws(6, NO_THIRD), total(7, 8)
(1, 0, 5)
"""

from __future__ import annotations

from feltlab.cards import rank as rank_of
from feltlab.games.rules import HouseRule
from feltlab.marks import rule

MAX_SPOTS = 14
NO_THIRD = -1
BANKER, PLAYER, TIE = 0, 1, 2

RULES = (
    HouseRule("tie", ("8", "9"), "8", "what a tie pays, to 1"),
    HouseRule("base-wager", ("optional", "mandatory"), "optional", "whether a side wager needs Player, Banker or Tie beside it"),
)  # fmt: skip


@rule
def points(rank: int) -> int:
    """The points of a rank: tens and pictures count 0."""
    return rank if rank < 10 else 0


@rule
def card_points(card: int) -> int:
    """The points of a card; 0 for no card."""
    return points(rank_of(card))


@rule
def total(*counts: int) -> int:
    """The last digit of the sum of the points."""
    return sum(counts) % 10


@rule
def is_natural(sum_of: int) -> int:
    """Whether a two-card total is a natural, 8 or 9, which ends the coup."""
    return 1 if sum_of >= 8 else 0


@rule
def player_draws(player: int, banker: int) -> int:
    """Whether Player takes a third card, given both two-card totals."""
    return 1 if player <= 5 and not is_natural(banker) else 0


@rule
def banker_draws(banker: int, third: int) -> int:
    """Whether Banker takes a third card, given its total and the points of Player's third (NO_THIRD if Player stood).

    Not defined when either hand is a natural.
    """
    if third == NO_THIRD:
        return 1 if banker <= 5 else 0
    if banker <= 2:
        return 1
    if banker == 3:
        return 1 if third != 8 else 0
    if banker == 4:
        return 1 if 2 <= third <= 7 else 0
    if banker == 5:
        return 1 if 4 <= third <= 7 else 0
    if banker == 6:
        return 1 if 6 <= third <= 7 else 0
    return 0


@rule
def outcome(player: int, banker: int) -> int:
    """BANKER, PLAYER or TIE: the higher total wins."""
    if player > banker:
        return PLAYER
    return BANKER if banker > player else TIE
