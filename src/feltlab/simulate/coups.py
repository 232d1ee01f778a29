"""Baccarat dealt by the billion: six cards from the shoe, and what they make.

The first cards' points and the next two cards decide a coup, so every coup that there is was played once, by the
game's functions, into a table (`played`); a kernel draws cards and counts classes. Wagers cost nothing while the cards
are dealt: the lines of all of them are asked afterwards, of the classes.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from feltlab.cards import NO_CARD
from feltlab.compile import bare_kernel
from feltlab.games.baccarat import NO_THIRD, banker_draws, is_natural, player_draws, total
from feltlab.marks import Numbers, rule
from feltlab.simulate.asked import answered
from feltlab.simulate.cursor import FRESH, SHOE_MASK, Shoe, Small, card_of, points_of, shuffle_on, six_places
from feltlab.simulate.philox import WORD, block
from feltlab.wagers.baccarat_facts import CLASSES, coup_class

CARDS_SHIFT = 9  # an entry of the table is a class and, above it, how many cards the coup takes
CLASS = (1 << CARDS_SHIFT) - 1
MOST_CARDS = 6


@cache
def played() -> Small:
    """Every coup: by the sums of both hands' first points (0 to 18), and the points of the next two cards."""
    table = np.zeros((19, 19, 10, 10), dtype=np.int16)
    for player, banker, fifth, sixth in np.ndindex(19, 19, 10, 10):
        table[player, banker, fifth, sixth] = _finished(total(player), total(banker), fifth, sixth)
    return table.reshape(-1)


def _finished(player: int, banker: int, fifth: int, sixth: int) -> int:
    cards = {"player": 2, "banker": 2}
    if not is_natural(player) and not is_natural(banker):
        third, after = NO_THIRD, fifth
        drawn = player_draws(player, banker)
        if drawn:
            third, after = fifth, sixth
            cards["player"] = 3
        if banker_draws(banker, third):
            banker = total(banker, after)
            cards["banker"] = 3
        if drawn:
            player = total(player, third)
    taken = cards["player"] + cards["banker"]
    return coup_class(player, cards["player"], banker, cards["banker"]) | taken << CARDS_SHIFT


@rule
def six_cards(shoe: Shoe, deck: Numbers, number: int, first: int, second: int) -> tuple[int, int, int, int, int, int]:
    """Six cards of a full shoe for a round, from the words of its counter."""
    a, b, c, d, e, f = six_places(shoe, number, first, second)
    return deck[a], deck[b], deck[c], deck[d], deck[e], deck[f]


@rule
def coup(table: Numbers, p1: int, b1: int, p2: int, b2: int, fifth: int, sixth: int) -> int:
    """The class of a coup and how many cards it takes, from the shoe's entries in the order in which they come."""
    player, banker = points_of(p1) + points_of(p2), points_of(b1) + points_of(b2)
    return table[((player * 19 + banker) * 10 + points_of(fifth)) * 10 + points_of(sixth)]


@rule
def cards_of(found: int, p1: int, b1: int, p2: int, b2: int, fifth: int, sixth: int) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """The cards of a coup in the order of its view: Player's three and Banker's three, -1 for one not dealt."""
    number = found & CLASS
    banker_third = number & 1
    player_third = (number // 20) & 1
    third = card_of(fifth) if player_third else NO_CARD
    other = NO_CARD
    if banker_third:
        other = card_of(sixth) if player_third else card_of(fifth)
    return card_of(p1), card_of(p2), third, card_of(b1), card_of(b2), other


@rule
def cell_of(
    spec: Numbers | None, asked: Numbers | None, found: int, p1: int, b1: int, p2: int, b2: int, fifth: int, sixth: int
) -> int:
    """Where a coup is counted: by its class, and by the answers to questions about its cards."""
    cell = found & CLASS
    if spec is not None:
        cards = cards_of(found, p1, b1, p2, b2, fifth, sixth)
        cell += CLASSES * answered(spec, asked, 0, 0, cards[0], cards[1], cards[2], cards[3], cards[4], cards[5])  # type: ignore[arg-type] # both or none
    return cell


@bare_kernel
def deal_fresh(
    first: int,
    rounds: int,
    shoe: Shoe,
    deck: Numbers,
    table: Numbers,
    spec: Numbers | None,
    asked: Numbers | None,
    counts: Numbers,
) -> None:
    """Rounds from a full shoe each, counted by cell. Two rounds share a counter, which makes words for both."""
    for pair in range(first >> 1, (first + rounds + 1) >> 1):
        words = block(pair & WORD, pair >> 32, 0, FRESH, shoe.low, shoe.high)
        for half in range(2):
            number = 2 * pair + half
            if number < first or number >= first + rounds:
                continue
            one, other = (words[2], words[3]) if half else (words[0], words[1])
            a, b, c, d, e, f = six_cards(shoe, deck, number, one, other)
            found = coup(table, a, b, c, d, e, f)
            counts[cell_of(spec, asked, found, a, b, c, d, e, f)] += 1


@bare_kernel
def deal_shoes(first: int, shoes: int, shoe: Shoe, deck: Numbers, order: Numbers, cut: int, burn: int, table: Numbers, spec: Numbers | None, asked: Numbers | None, counts: Numbers) -> int:  # fmt: skip
    """Whole shoes, each shuffled, burnt and dealt to the cut card; how many rounds there were."""
    rounds = 0
    for number in range(first, first + shoes):
        for place in range(shoe.size):
            order[place] = deck[place]
        filled, turn, at = 0, 0, burn
        while at < shoe.size - cut:
            while filled < min(at + MOST_CARDS, shoe.size):
                filled = shuffle_on(shoe, order, filled, number, turn)
                turn += 1
            here = at & SHOE_MASK
            a, b, c = order[here], order[here + 1], order[here + 2]
            d, e, f = order[here + 3], order[here + 4], order[here + 5]
            found = coup(table, a, b, c, d, e, f)
            counts[cell_of(spec, asked, found, a, b, c, d, e, f)] += 1
            at += found >> CARDS_SHIFT
            rounds += 1
    return rounds
