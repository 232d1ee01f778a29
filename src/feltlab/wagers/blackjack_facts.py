"""What a wager on blackjack may look at: one hand and the dealer, or one hit card."""

from __future__ import annotations

from typing import NamedTuple

from feltlab.games import blackjack
from feltlab.games.blackjack import LOST, PUSHED, WON, card_points, is_natural, is_soft, outcome, total
from feltlab.marks import rule
from feltlab.wagers.facts import Fact, vocabulary, yes_no
from feltlab.wagers.types import INT, Type

RESULT = Type("result", {"lose": LOST, "push": PUSHED, "win": WON})

# Bounds that no play can exceed. A player may hit every total below 21, each card counting at least 1, so a hand has at
# most 20 cards before its last; the dealer's longest draw is seven aces, a five, four aces and any card.
MOST_CARDS = 21
MOST_DEALER_CARDS = 13
MOST_TOTAL = 30
MOST_DEALER_TOTAL = 26


class HandView(NamedTuple):
    """A hand against the dealer as its wagers see it. Cards that were not dealt are -1; what is not known yet is 0."""

    first: int
    second: int
    up: int
    hole: int
    hit: int
    total: int
    soft: int
    cards: int
    hand: int
    split: int
    doubled: int
    stood: int
    surrendered: int
    bust: int
    natural: int
    even_money: int
    result: int
    dealer_total: int
    dealer_cards: int
    dealer_bust: int
    dealer_natural: int


@rule
def hand_view(
    first: int,
    second: int,
    up: int,
    hole: int,
    hit: int,
    hard: int,
    aces: int,
    cards: int,
    hand: int,
    hands: int,
    doubled: int,
    stood: int,
    surrendered: int,
    even_money: int,
    dealer_hard: int,
    dealer_aces: int,
    dealer_cards: int,
) -> HandView:
    """Make the view of a hand. `dealer_cards` is 0 until the dealer's hand is finished."""
    dealer_natural = 0
    if hole >= 0:
        ace = 1 if card_points(up) == 1 or card_points(hole) == 1 else 0
        dealer_natural = is_natural(card_points(up) + card_points(hole), ace, 2, 1)
    natural = is_natural(hard, aces, cards, hands)
    sum_of = total(hard, aces)
    soft = is_soft(hard, aces)
    split = 1 if hands > 1 else 0
    bust = 1 if sum_of > 21 else 0
    dealer_sum = total(dealer_hard, dealer_aces) if dealer_cards > 0 else 0
    dealer_bust = 1 if dealer_sum > 21 else 0
    result = LOST if surrendered else outcome(sum_of, natural, dealer_sum, dealer_natural)
    # By position: numba cannot compile a call with this many keywords.
    return HandView(
        *(first, second, up, hole, hit),
        *(sum_of, soft, cards, hand, split, doubled, stood, surrendered, bust, natural, even_money),
        *(result, dealer_sum, dealer_cards, dealer_bust, dealer_natural),
    )


VOCABULARY = vocabulary(
    "blackjack",
    HandView,
    {"first": "deal", "second": "deal", "up": "deal", "hole": "second", "hit": "hit"},
    (
        Fact("total", INT, 4, MOST_TOTAL, "hand", "the hand's best total"),
        yes_no("soft", "hand", "an ace of the hand counts as 11"),
        Fact("cards", INT, 2, MOST_CARDS, "hand", "how many cards the hand has"),
        Fact("hand", INT, 1, 4, "hand", "which of the spot's hands it is, 1 for the first"),
        yes_no("split", "hand", "the hand comes from a split"),
        yes_no("doubled", "hand", "the hand was doubled"),
        yes_no("stood", "hand", "the player stood, or had to, without doubling: a natural and a split ace too"),
        yes_no("surrendered", "hand", "the player gave the hand up for half"),
        yes_no("bust", "hand", "the hand is over 21"),
        yes_no("natural", "hand", "an ace and a ten as dealt, not after a split"),
        yes_no("even_money", "hand", "the player took even money for a natural"),
        Fact("result", RESULT, 0, 2, "result", "how the hand fared against the dealer"),
        Fact("dealer.total", INT, 0, MOST_DEALER_TOTAL, "dealer", "the dealer's final total"),
        Fact("dealer.cards", INT, 0, MOST_DEALER_CARDS, "dealer", "how many cards the dealer has"),
        yes_no("dealer.bust", "dealer", "the dealer is over 21"),
        yes_no("dealer.natural", "second", "the dealer has an ace and a ten"),
    ),
    blackjack.card_points,
    most_points=10,
    most_cards=4,
)
