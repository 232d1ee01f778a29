"""What a wager on baccarat may look at: one coup."""

from __future__ import annotations

from typing import NamedTuple

from feltlab.cards import NO_CARD
from feltlab.games import baccarat
from feltlab.games.baccarat import BANKER, PLAYER, TIE, card_points, is_natural, outcome, total
from feltlab.marks import rule
from feltlab.wagers.facts import Fact, vocabulary, yes_no
from feltlab.wagers.types import INT, Type

CLASSES = 400
RESULT = Type("result", {"banker": BANKER, "player": PLAYER, "tie": TIE})


class CoupView(NamedTuple):
    """A finished coup as its wagers see it. A third card that was not dealt is -1."""

    player_first: int
    player_second: int
    player_third: int
    banker_first: int
    banker_second: int
    banker_third: int
    player_total: int
    player_cards: int
    player_natural: int
    banker_total: int
    banker_cards: int
    banker_natural: int
    result: int
    margin: int
    winner_total: int
    winner_cards: int
    loser_total: int
    loser_cards: int


@rule
def coup_view(p1: int, p2: int, p3: int, b1: int, b2: int, b3: int) -> CoupView:
    """Make the view of a coup from its cards."""
    player = total(card_points(p1), card_points(p2), card_points(p3))
    banker = total(card_points(b1), card_points(b2), card_points(b3))
    player_cards = 3 if p3 >= 0 else 2
    banker_cards = 3 if b3 >= 0 else 2
    player_natural = 1 if player_cards == 2 and is_natural(player) else 0
    banker_natural = 1 if banker_cards == 2 and is_natural(banker) else 0
    result = outcome(player, banker)
    margin = abs(player - banker)
    winner, winner_cards, loser, loser_cards = player, player_cards, banker, banker_cards
    if result == BANKER:
        winner, winner_cards, loser, loser_cards = banker, banker_cards, player, player_cards
    # By position: numba cannot compile a call with this many keywords.
    return CoupView(
        *(p1, p2, p3, b1, b2, b3),
        *(player, player_cards, player_natural, banker, banker_cards, banker_natural),
        *(result, margin, winner, winner_cards, loser, loser_cards),
    )


@rule
def coup_class(player: int, player_cards: int, banker: int, banker_cards: int) -> int:
    """The number of a class of coups: totals and card counts of both hands."""
    return ((player * 2 + player_cards - 2) * 10 + banker) * 2 + banker_cards - 2


def class_view(number: int) -> CoupView:
    """The view of a representative coup of a class, for wagers that look at no single cards."""
    rest, banker_third = divmod(number, 2)
    rest, banker = divmod(rest, 10)
    player, player_third = divmod(rest, 2)
    cards: list[int] = []
    for sum_of, third in ((player, player_third), (banker, banker_third)):
        # A king and the card that makes the total; the third card, if any, is a five.
        second = (sum_of - 5) % 10 if third else sum_of
        cards += [48, 4 * (second - 1) if second else 48, 16 if third else NO_CARD]
    return coup_view(*cards)


VIEWS = [class_view(number) for number in range(CLASSES)]
"""The representative view of each class."""


def _hand(name: str) -> tuple[Fact, ...]:
    return (
        Fact(f"{name}.total", INT, 0, 9, "result", f"{name.capitalize()}'s total"),
        Fact(f"{name}.cards", INT, 2, 3, "result", f"how many cards {name.capitalize()} has"),
        yes_no(f"{name}.natural", "result", f"{name.capitalize()} has 8 or 9 with two cards"),
    )


VOCABULARY = vocabulary(
    "baccarat",
    CoupView,
    {f"{hand}.{place}": "result" for hand in ("player", "banker") for place in ("first", "second", "third")},
    (
        *_hand("player"),
        *_hand("banker"),
        Fact("result", RESULT, 0, 2, "result", "who won the coup"),
        Fact("margin", INT, 0, 9, "result", "by how many points the coup was won, 0 in a tie"),
        Fact("winner.total", INT, 0, 9, "result", "the winning hand's total (in a tie: Player's)"),
        Fact("winner.cards", INT, 2, 3, "result", "how many cards the winning hand has (in a tie: Player's)"),
        Fact("loser.total", INT, 0, 9, "result", "the losing hand's total (in a tie: Banker's)"),
        Fact("loser.cards", INT, 2, 3, "result", "how many cards the losing hand has (in a tie: Banker's)"),
    ),
    baccarat.card_points,
    most_points=9,
    most_cards=6,
)
