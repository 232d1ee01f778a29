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
from feltlab.simulate.compile.card_tables import answered
from feltlab.simulate.kernels.cursor import (
    CHUNK,
    MASK,
    ORDER_MASK,
    REJECTED,
    ShoeSpec,
    Small,
    card_of,
    fill_openings,
    opening_at,
    other_places,
    place_of,
    points_of,
    tick,
)
from feltlab.simulate.kernels.shuffling import shuffle_far
from feltlab.wagers.baccarat_facts import CLASSES, coup_class

CARDS_SHIFT = 9  # an entry of the table is a class and, above it, how many cards the coup takes
SECOND_SHOE = MASK + 1  # where the second of two shoes begins
CLASS = (1 << CARDS_SHIFT) - 1
MOST_CARDS = 6
TAKEN = 19 * 19 * 10 * 10  # where the table says how many cards coups take


@cache
def played() -> Small:
    """Every coup: by the sums of both hands' first points (0 to 18), and the points of the next two cards."""
    table = np.zeros((19, 19, 10, 10), dtype=np.int16)
    for player, banker, fifth, sixth in np.ndindex(19, 19, 10, 10):
        table[player, banker, fifth, sixth] = _finished(total(player), total(banker), fifth, sixth)
    taken = table[:, :, :, 0] >> CARDS_SHIFT  # which the sixth card does not change
    return np.concatenate([table.reshape(-1), taken.reshape(-1)])


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
def coup(table: Numbers, p1: int, b1: int, p2: int, b2: int, fifth: int, sixth: int) -> int:
    """The class of a coup and how many cards it takes, from the shoe's entries in the order in which they come."""
    player, banker = points_of(p1) + points_of(p2), points_of(b1) + points_of(b2)
    return table[((player * 19 + banker) * 10 + points_of(fifth)) * 10 + points_of(sixth)]


@rule
def cards_taken(table: Numbers, p1: int, b1: int, p2: int, b2: int, fifth: int) -> int:
    """How many cards a coup takes: known sooner than what it comes to, so that the next one can begin."""
    player, banker = points_of(p1) + points_of(p2), points_of(b1) + points_of(b2)
    return table[TAKEN + (player * 19 + banker) * 10 + points_of(fifth)]


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


@rule
def fresh_cell(shoe: ShoeSpec, deck: Numbers, table: Numbers, spec: Numbers | None, asked: Numbers | None, number: int, places: int) -> int:  # fmt: skip
    """Where a coup from a full shoe is counted that is dealt the cards at six places."""
    if places == REJECTED:
        places = other_places(shoe, number)
    a, b, c = deck[place_of(places, 0)], deck[place_of(places, 1)], deck[place_of(places, 2)]
    d, e, f = deck[place_of(places, 3)], deck[place_of(places, 4)], deck[place_of(places, 5)]
    return cell_of(spec, asked, coup(table, a, b, c, d, e, f), a, b, c, d, e, f)


@rule
def next_coup(order: Numbers, at: int, table: Numbers, spec: Numbers | None, asked: Numbers | None, counts: Numbers) -> int:  # fmt: skip
    """Deal and count the coup that begins at a place of a shoe in order; where the next one begins."""
    here = at & ORDER_MASK
    a, b, c = order[here], order[here + 1], order[here + 2]
    d, e, f = order[here + 3], order[here + 4], order[here + 5]
    tick(counts, cell_of(spec, asked, coup(table, a, b, c, d, e, f), a, b, c, d, e, f), 1)
    return at + cards_taken(table, a, b, c, d, e)


@rule
def ready_shoe(
    shoe: ShoeSpec, deck: Numbers, order: Numbers, begin: int, cut: int, number: int, picks: Numbers
) -> None:
    """A shoe in order from a place on, as far as it is dealt."""
    for place in range(shoe.size):
        order[begin + place] = deck[place]
    shuffle_far(shoe, order, begin, number, shoe.size - cut + MOST_CARDS, picks)


@bare_kernel
def deal_fresh(first: int, rounds: int, shoe: ShoeSpec, deck: Numbers, table: Numbers, spec: Numbers | None, asked: Numbers | None, openings: Numbers, counts: Numbers) -> None:  # fmt: skip
    """Rounds from a full shoe each, counted by cell."""
    pair, end = first >> 1, first + rounds
    while 2 * pair < end:
        fill_openings(shoe, pair, openings)
        for place in range(max(first - 2 * pair, 0), min(end - 2 * pair, 2 * CHUNK)):
            places = openings[opening_at(place)]
            tick(counts, fresh_cell(shoe, deck, table, spec, asked, 2 * pair + place, places), 1)
        pair += CHUNK


@bare_kernel
def deal_shoes(first: int, shoes: int, shoe: ShoeSpec, deck: Numbers, order: Numbers, picks: Numbers, cut: int, burn: int, table: Numbers, spec: Numbers | None, asked: Numbers | None, counts: Numbers) -> None:  # fmt: skip
    """Whole shoes, each shuffled, burnt and dealt to the cut card."""
    last = first + shoes
    for number in range(first, last, 2):
        # Two shoes at a time: where the next coup of one begins is found while the other's is looked up.
        one, other = burn, SECOND_SHOE + burn
        end, other_end = shoe.size - cut, SECOND_SHOE + shoe.size - cut
        ready_shoe(shoe, deck, order, 0, cut, number, picks)
        if number + 1 < last:
            ready_shoe(shoe, deck, order, SECOND_SHOE, cut, number + 1, picks)
        else:
            other = other_end
        while one < end and other < other_end:
            one = next_coup(order, one, table, spec, asked, counts)
            other = next_coup(order, other, table, spec, asked, counts)
        while one < end:
            one = next_coup(order, one, table, spec, asked, counts)
        while other < other_end:
            other = next_coup(order, other, table, spec, asked, counts)
