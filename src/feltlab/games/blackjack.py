"""Blackjack: hand values, legal actions, when the dealer draws, who wins.

Everything here is a pure function on small integers. A hand is given by its `hard` total (every ace counted as 1) and
its number of `aces`; its value depends on nothing else.

>>> total(18, 1), is_soft(8, 1), total(8, 1)
(18, 1, 18)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from feltlab.cards import rank as rank_of
from feltlab.games.rules import ANY_RATIO, YES_NO, HouseRule
from feltlab.marks import rule
from feltlab.money import parse_pay

MAX_SPOTS = 7

STAND, HIT, DOUBLE, SPLIT, SURRENDER = 1, 2, 4, 8, 16
ACTIONS = {"stand": STAND, "hit": HIT, "double": DOUBLE, "split": SPLIT, "surrender": SURRENDER}

LOST, PUSHED, WON = 0, 1, 2

ANY_TWO, NINE_TO_ELEVEN, TEN_TO_ELEVEN = 0, 1, 2
NO_SURRENDER, LATE, EARLY = 0, 1, 2
PEEK, NONE_ORIGINAL, NONE_ALL = 0, 1, 2

RULES = (
    HouseRule("soft17", ("hit", "stand"), "hit", "what the dealer does with a soft 17"),
    HouseRule("natural", ANY_RATIO, "3:2", "what a player's natural pays: any ratio, such as 3:2, 6:5 or 1:1"),
    HouseRule("double", ("any", "9-11", "10-11"), "any", "the two-card totals that may be doubled"),
    HouseRule("das", YES_NO, "yes", "whether a hand may be doubled after a split"),
    HouseRule("resplit", ("2", "3", "4"), "4", "the most hands that a player may split to"),
    HouseRule("resplit-aces", YES_NO, "no", "whether aces may be split again"),
    HouseRule("hit-split-aces", YES_NO, "no", "whether a split ace may take more than one card"),
    HouseRule("unlike-tens", YES_NO, "yes", "whether unlike cards valued ten (king and queen) may be split"),
    HouseRule("surrender", ("none", "late", "early"), "none", "giving up half the wager: not at all, after or before the dealer looks for a natural"),
    HouseRule("hole-card", ("peek", "none-original", "none-all"), "peek", "the dealer's second card: dealt and looked at under an ace or ten, or drawn last, a dealer's natural then taking the original wager only or all wagers"),
)  # fmt: skip


class House(NamedTuple):
    """The house rules that affect play, as small integers for compiled engines."""

    hits_soft_17: int
    doubling: int
    double_after_split: int
    most_hands: int
    resplit_aces: int
    hit_split_aces: int
    split_unlike_tens: int
    surrender: int
    hole_card: int


def house(rules: Mapping[str, str]) -> House:
    """Convert named house rules to the integers that the functions below take.

    >>> house({rule.key: rule.default for rule in RULES}).most_hands
    4
    """
    yes = {"yes": 1, "no": 0}
    return House(
        hits_soft_17=int(rules["soft17"] == "hit"),
        doubling={"any": ANY_TWO, "9-11": NINE_TO_ELEVEN, "10-11": TEN_TO_ELEVEN}[rules["double"]],
        double_after_split=yes[rules["das"]],
        most_hands=int(rules["resplit"]),
        resplit_aces=yes[rules["resplit-aces"]],
        hit_split_aces=yes[rules["hit-split-aces"]],
        split_unlike_tens=yes[rules["unlike-tens"]],
        surrender={"none": NO_SURRENDER, "late": LATE, "early": EARLY}[rules["surrender"]],
        hole_card={"peek": PEEK, "none-original": NONE_ORIGINAL, "none-all": NONE_ALL}[rules["hole-card"]],
    )


@rule
def points(rank: int) -> int:
    """The points of a rank: 1 for an ace, 10 for pictures."""
    return min(rank, 10)


@rule
def card_points(card: int) -> int:
    """The points of a card; 0 for no card."""
    return points(rank_of(card))


@rule
def is_soft(hard: int, aces: int) -> int:
    """Whether an ace counts as 11."""
    return 1 if aces > 0 and hard <= 11 else 0


@rule
def total(hard: int, aces: int) -> int:
    """The best total: one ace counts as 11 where that does not bust."""
    return hard + 10 if is_soft(hard, aces) else hard


@rule
def is_natural(hard: int, aces: int, cards: int, hands: int) -> int:
    """Whether a hand is an ace and a ten as dealt, not after a split."""
    return 1 if cards == 2 and hands == 1 and total(hard, aces) == 21 else 0


@rule
def is_pair(house: House, first: int, second: int) -> int:
    """Whether two ranks make a pair that this house allows to be split."""
    if first == second:
        return 1
    return 1 if house.split_unlike_tens and points(first) == 10 and points(second) == 10 else 0


@rule
def legal_actions(house: House, hard: int, aces: int, cards: int, first: int, second: int, hands: int) -> int:
    """The legal actions on a hand, as a sum of STAND, HIT, DOUBLE, SPLIT and SURRENDER.

    `first` and `second` are the ranks of the hand's first two cards, `hands` the number of hands on the spot. A hand
    of 21 stands; so does a split ace with its one card, unless the house lets it be hit or split again.
    """
    actions = STAND
    sum_of = total(hard, aces)
    split_ace = hands > 1 and first == 1
    if cards == 2 and hands < house.most_hands and is_pair(house, first, second):
        if not split_ace or house.resplit_aces:
            actions += SPLIT
    if cards == 2 and hands == 1 and house.surrender != NO_SURRENDER and sum_of < 21:
        actions += SURRENDER
    if sum_of >= 21 or (split_ace and not house.hit_split_aces):
        return actions
    actions += HIT
    if cards == 2 and (hands == 1 or house.double_after_split):
        lowest = 9 if house.doubling == NINE_TO_ELEVEN else 10
        if house.doubling == ANY_TWO or lowest <= sum_of <= 11:
            actions += DOUBLE
    return actions


@rule
def dealer_draws(house: House, hard: int, aces: int) -> int:
    """Whether the dealer must take another card."""
    sum_of = total(hard, aces)
    if sum_of == 17 and is_soft(hard, aces):
        return house.hits_soft_17
    return 1 if sum_of < 17 else 0


@rule
def may_be_natural(up_rank: int) -> int:
    """Whether the dealer can have a natural with this up card."""
    return 1 if up_rank == 1 or points(up_rank) == 10 else 0


@rule
def insurance_offered(up_rank: int) -> int:
    """Whether insurance and even money are offered: against an ace."""
    return 1 if up_rank == 1 else 0


@rule
def even_money_offered(up_rank: int, natural: int, pays: int, to: int) -> int:
    """Whether a natural against an ace may be paid 1 to 1 at once: where a natural pays 3 to 2.

    Only there does insuring half the wager guarantee exactly that, which is all that even money is.
    """
    return 1 if natural and insurance_offered(up_rank) and 2 * pays == 3 * to else 0


def never_done(rules: Mapping[str, str]) -> frozenset[str]:
    """The facts about a player's hand that are always false under these rules.

    >>> sorted(never_done({"natural": "6:5", "surrender": "none"})), sorted(never_done({"natural": "3:2", "surrender": "late"}))
    (['even_money', 'surrendered'], [])
    """
    pays = parse_pay(rules["natural"])
    excluded = {
        "surrendered": rules["surrender"] == "none",
        "even_money": not even_money_offered(1, 1, *pays.as_integer_ratio()),
    }
    return frozenset(fact for fact, never in excluded.items() if never)


@rule
def surrenders_before_peek(house: House, up_rank: int) -> int:
    """Whether a player may surrender before the dealer checks for a natural."""
    return 1 if house.surrender == EARLY and house.hole_card == PEEK and may_be_natural(up_rank) else 0


@rule
def outcome(sum_of: int, natural: int, dealer_sum: int, dealer_natural: int) -> int:
    """LOST, PUSHED or WON: a hand's total against the dealer's. A natural beats any other 21."""
    if sum_of > 21:
        return LOST
    if natural or dealer_natural:
        return PUSHED + natural - dealer_natural
    if dealer_sum > 21 or sum_of > dealer_sum:
        return WON
    return PUSHED if sum_of == dealer_sum else LOST
