"""Cards for a kernel: from a full shoe for every round, or from one shoe after another, in the order of their counters.

Which cards come depends on the seed and the number of the round or shoe alone. A *place* is where a card lies in the
full shoe, an *entry* the card itself with what it counts. Six of either fit into one number, which a processor keeps at
hand: a kernel's next cards are such a number, and how many are left in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.philox import WORD, block, three_below, unfair

Ints = NDArray[np.int64]
Small = NDArray[np.int16]

FRESH, SHOE, AGAIN, MORE = 0, 1, 2, 3  # streams of random numbers that have nothing in common
STACKED = 4  # no random numbers: the cards are in order already
POINTS_BITS = 4
BITS, MASK = 10, 1023  # of an entry or a place among six
MOST_CARDS = MASK - 15
ORDER_MASK = 2 * MASK + 1  # of a place in two shoes, one after the other
SIX = 6
CARDS_A_TURN = 12  # put in order with one block of random numbers
MOST_TURNS = 88
REJECTED = -1
CHUNK = 64  # pairs of rounds whose random numbers are made at once

# What a cursor keeps in a kernel's work: the next card that is not at hand, how many are in order, blocks of random
# numbers used, where the round began, the number of the round or shoe, whether the cards ran out, and the six places
# that a round began with.
AT, FILLED, TURN, BEGAN, NUMBER, OUT, OPENING = 0, 1, 2, 3, 4, 5, 6
SEEN = 7  # then the places that a round's cards came from, once it needs more than six
WORK = SEEN + MASK + 1


class Shoe(NamedTuple):
    """How cards are drawn from a deck, the entries of a full shoe: each a card and, in its low bits, what it counts."""

    mode: int
    size: int
    rest: int  # words whose rest is below this are unfair
    low: int
    high: int


class Room(NamedTuple):
    """What a kernel works with: tables of small and of large numbers, cards in order, notes, and what it counts."""

    tab: Numbers
    spec: Numbers
    order: Numbers
    work: Numbers
    counts: Numbers


def deck_of(counts: Sequence[int], points: Callable[[int], int]) -> Small:
    """The entries of a shoe with so many of each card.

    >>> deck_of([1, 2] + [0] * 50, lambda card: 7).tolist()
    [7, 23, 23]
    """
    entries = [card << POINTS_BITS | points(card) for card in range(52) for _ in range(counts[card])]
    return np.array(entries, dtype=np.int16)


def shoe_of(mode: int, size: int, seed: int) -> Shoe:
    """How to draw from so many cards by a seed."""
    return Shoe(mode, size, unfair(size, size, size), seed & WORD, seed >> 32 & WORD)


@rule
def points_of(entry: int) -> int:
    """What a card of a shoe counts."""
    return entry & 15


@rule
def card_of(entry: int) -> int:
    """Which card it is; -1 where there is none."""
    return entry >> 4


@rule
def tick(counts: Numbers, cell: int, times: int) -> None:
    """Count some more in a cell. An engine whose threads count in the same place brings its own."""
    counts[cell] += times


# ---- rounds from a full shoe


@rule
def six_places(shoe: Shoe, first: int, second: int) -> int:
    """Six places in a full shoe from two words; rejected where one comes twice or a word is unfair."""
    size = shoe.size & MASK  # says to a compiler that short products do
    a, b, c, left = three_below(first, size, size, size)
    d, e, f, over = three_below(second, size, size, size)
    twice = (
        (a == b) | (a == c) | (a == d) | (a == e) | (a == f) | (b == c) | (b == d) | (b == e)
        | (b == f) | (c == d) | (c == e) | (c == f) | (d == e) | (d == f) | (e == f)
    )  # fmt: skip
    packed = a | b << BITS | c << 2 * BITS | d << 3 * BITS | e << 4 * BITS | f << 5 * BITS
    return REJECTED if twice | (left < shoe.rest) | (over < shoe.rest) else packed


@rule
def two_openings(shoe: Shoe, pair: int) -> tuple[int, int]:
    """The first six places of two rounds, which share a counter: it makes words for both."""
    a, b, c, d = block(pair & WORD, pair >> 32, 0, FRESH, shoe.low, shoe.high)
    return six_places(shoe, a, b), six_places(shoe, c, d)


@rule
def fill_openings(shoe: Shoe, pair: int, openings: Numbers) -> None:
    """The openings of a chunk of pairs from one on, those of even rounds first. A processor does several at a time."""
    for place in range(CHUNK):
        one, other = two_openings(shoe, pair + place)
        openings[place] = one
        openings[CHUNK + place] = other


@rule
def opening_at(place: int) -> int:
    """Where the opening of a round of a chunk is."""
    return (place & 1) * CHUNK + (place >> 1)


@rule
@seldom
def other_places(shoe: Shoe, number: int) -> int:
    """Six places for a round whose first ones were rejected."""
    again, found = 0, REJECTED
    while found == REJECTED:
        again += 1
        first, second, _, _ = block(number & WORD, number >> 32, again, AGAIN, shoe.low, shoe.high)
        found = six_places(shoe, first, second)
    return found


@rule
def opening_of(shoe: Shoe, number: int) -> int:
    """The first six places of one round."""
    one, other = two_openings(shoe, number >> 1)
    places = other if number & 1 else one
    return other_places(shoe, number) if places == REJECTED else places


@rule
def place_of(places: int, turn: int) -> int:
    """One of six places."""
    return (places >> (turn * BITS)) & MASK


@rule
def entries_at(tab: Numbers, deck: int, places: int) -> int:
    """The entries at six places of a deck."""
    return (
        tab[deck + place_of(places, 0)]
        | tab[deck + place_of(places, 1)] << BITS
        | tab[deck + place_of(places, 2)] << 2 * BITS
        | tab[deck + place_of(places, 3)] << 3 * BITS
        | tab[deck + place_of(places, 4)] << 4 * BITS
        | tab[deck + place_of(places, 5)] << 5 * BITS
    )


@rule
def is_among(place: int, places: int, count: int) -> int:
    """Is a place among the first of six?"""
    found = False
    for turn in range(SIX):
        found |= (turn < count) & (place_of(places, turn) == place)
    return found


@rule
def next_places(shoe: Shoe, number: int, opening: int) -> tuple[int, int]:
    """Up to six more places of a full shoe after the six that a round began with, none of them twice; how many."""
    first, second, _, _ = block(number & WORD, number >> 32, 0, MORE, shoe.low, shoe.high)
    found, count = 0, 0
    for word in (first, second):
        a, b, c, rest = three_below(word, shoe.size & MASK, shoe.size & MASK, shoe.size & MASK)
        for place in (a, b, c):
            new = (rest >= shoe.rest) & (not is_among(place, opening, SIX)) & (not is_among(place, found, count))
            found |= place * new << (count * BITS)
            count += new
    return found, count


@rule
def next_entries(tab: Numbers, deck: int, places: int, count: int) -> int:
    """The entries at up to six places of a deck."""
    found = 0
    for turn in range(SIX):
        found |= tab[deck + place_of(places, turn)] * (turn < count) << (turn * BITS)
    return found


@rule
@seldom
def more_places(shoe: Shoe, tab: Numbers, deck: int, work: Numbers) -> tuple[int, int]:
    """Up to six more cards of a full shoe, none of which this round has had."""
    turn, filled, number = int(work[TURN]), work[FILLED], int(work[NUMBER])
    work[TURN] = turn + 1
    if turn == 0:
        places, left = next_places(shoe, number, int(work[OPENING]))
        for place in range(SIX):
            work[SEEN + place] = place_of(work[OPENING], place)
            work[SEEN + SIX + place] = place_of(places, place)
        work[FILLED] = SIX + left
        return next_entries(tab, deck, places, left), left
    words = block(number & WORD, number >> 32, turn, MORE, shoe.low, shoe.high)
    cards, left = 0, 0
    for word in (words[0], words[1]):
        a, b, c, rest = three_below(word, shoe.size, shoe.size, shoe.size)
        if rest >= shoe.rest:
            for place in (a, b, c):
                new = True
                for before in range(filled):
                    if work[SEEN + before] == place:
                        new = False
                if new:
                    work[SEEN + filled] = place
                    filled += 1
                    cards |= tab[deck + place] << (left * BITS)
                    left += 1
    work[FILLED] = filled
    return cards, left


# ---- whole shoes


@rule
def bounds(left: int) -> tuple[int, int, int]:
    """How many cards the next three are picked from; at least one, where there are none."""
    return max(left, 1) & MASK, max(left - 1, 1) & MASK, max(left - 2, 1) & MASK


@rule
def three_picks(word: int, left: int) -> int:
    """Which of the cards that are left come next, three of them; rejected where the word may be unfair."""
    one, two, three = bounds(left)
    a, b, c, rest = three_below(word, one, two, three)
    return REJECTED if rest < one * two * three else a | b << BITS | c << 2 * BITS


@rule
def fair_picks(shoe: Shoe, number: int, turn: int, word: int, left: int) -> int:
    """The same, for sure: by other words, if this one is unfair."""
    one, two, three = bounds(left)
    again = 0
    while True:
        a, b, c, rest = three_below(word, one, two, three)
        if rest >= unfair(one, two, three):
            return a | b << BITS | c << 2 * BITS
        again += 1
        own = again << 2 * BITS | turn << BITS | left
        word, _, _, _ = block(number & WORD, number >> 32, own, AGAIN, shoe.low, shoe.high)


@rule
def swap(order: Numbers, one: int, other: int) -> None:
    """Two cards change places."""
    entry = order[other]
    order[other] = order[one]
    order[one] = entry


@rule
def put_three(order: Numbers, here: int, picks: int) -> None:
    """Put three more cards of a shoe in their order.

    Fisher and Yates from the front: a shoe that is dealt to its cut card is shuffled no further.
    """
    here = here & ORDER_MASK
    swap(order, here, here + (picks & MASK))
    swap(order, here + 1, here + 1 + (picks >> BITS & MASK))
    swap(order, here + 2, here + 2 + (picks >> 2 * BITS & MASK))


@rule
def turn_picks(shoe: Shoe, number: int, turn: int, filled: int) -> tuple[int, int, int, int]:
    """The picks of a turn, three at a time, where so many cards are in order."""
    a, b, c, d = block(number & WORD, number >> 32, turn, SHOE, shoe.low, shoe.high)
    left = shoe.size - filled
    return three_picks(a, left), three_picks(b, left - 3), three_picks(c, left - 6), three_picks(d, left - 9)


@rule
@seldom
def put_with_care(shoe: Shoe, order: Numbers, begin: int, filled: int, number: int, turn: int) -> int:
    """Put up to twelve more cards in their order, where a word may be unfair or the shoe ends."""
    for word in block(number & WORD, number >> 32, turn, SHOE, shoe.low, shoe.high):
        left = shoe.size - filled
        if left > 0:
            # Beyond the last card there is room, in which nothing lies and nothing is picked from.
            put_three(order, begin + filled, fair_picks(shoe, number, turn, word, left))
            filled += min(left, 3)
    return filled


@rule
def put_turn(shoe: Shoe, order: Numbers, begin: int, filled: int, number: int, turn: int, a: int, b: int, c: int, d: int) -> int:  # fmt: skip
    """Put up to twelve more cards of a shoe in their order by its picks; how many are in order then."""
    if (a | b | c | d) < 0 or filled + CARDS_A_TURN > shoe.size:
        return put_with_care(shoe, order, begin, filled, number, turn)
    here = begin + filled
    put_three(order, here, a)
    put_three(order, here + 3, b)
    put_three(order, here + 6, c)
    put_three(order, here + 9, d)
    return filled + CARDS_A_TURN


@rule
def shuffle_on(shoe: Shoe, order: Numbers, filled: int, number: int, turn: int) -> int:
    """Put up to twelve more cards of a shoe in their order; how many are in order then."""
    a, b, c, d = turn_picks(shoe, number, turn, filled)
    return put_turn(shoe, order, 0, filled, number, turn, a, b, c, d)


@rule
def fill_picks(shoe: Shoe, number: int, turns: int, picks: Numbers) -> None:
    """The picks of a shoe's first turns. A processor makes several at a time."""
    for turn in range(turns):
        a, b, c, d = turn_picks(shoe, number, turn, turn * CARDS_A_TURN)
        picks[turn] = a
        picks[MOST_TURNS + turn] = b
        picks[2 * MOST_TURNS + turn] = c
        picks[3 * MOST_TURNS + turn] = d


@rule
def shuffle_far(shoe: Shoe, order: Numbers, begin: int, number: int, far: int, picks: Numbers) -> tuple[int, int]:
    """Put the first cards of a shoe in order, that lies from `begin` on: how many are then, and the turns it took."""
    turns = min((far + CARDS_A_TURN - 1) // CARDS_A_TURN, (shoe.size + CARDS_A_TURN - 1) // CARDS_A_TURN)
    fill_picks(shoe, number, turns, picks)
    filled = 0
    for turn in range(turns):
        a, b = picks[turn], picks[MOST_TURNS + turn]
        c, d = picks[2 * MOST_TURNS + turn], picks[3 * MOST_TURNS + turn]
        filled = put_turn(shoe, order, begin, filled, number, turn, a, b, c, d)
    return filled, turns


@rule
def begin_shoe(shoe: Shoe, room: Room, deck: int, number: int) -> None:
    """A full shoe, to be shuffled as it is dealt."""
    work = room.work
    work[AT] = 0
    work[TURN] = 0
    work[BEGAN] = 0
    work[NUMBER] = number
    work[OUT] = 0
    work[FILLED] = shoe.size if shoe.mode == STACKED else 0
    for place in range(shoe.size):
        room.order[place] = room.tab[deck + place]


@rule
def put_in_order(shoe: Shoe, order: Numbers, work: Numbers, far: int) -> None:
    """Put the cards of a shoe in order that are dealt before a place, if they are not."""
    while work[FILLED] < min(far, shoe.size):
        work[FILLED] = shuffle_on(shoe, order, work[FILLED], int(work[NUMBER]), int(work[TURN]))
        work[TURN] += 1


@rule
@seldom
def run_out(shoe: Shoe, order: Numbers, work: Numbers) -> None:
    """Every card has been dealt in the middle of a round: the discards are shuffled and dealt on.

    Where there are none, the round cannot be played; it is dealt the last card over and over, and not counted.
    """
    felt = shoe.size - work[BEGAN]
    if shoe.mode != SHOE or work[BEGAN] <= 0:
        work[OUT] = 1
        work[AT] = shoe.size - 1
        return
    for _ in range(felt):  # what lies on the felt goes to the front, the discards behind it
        last = order[shoe.size - 1]
        for place in range(shoe.size - 1, 0, -1):
            order[place] = order[place - 1]
        order[0] = last
    work[BEGAN] = 0
    work[AT] = felt
    work[FILLED] = felt


@rule
@seldom
def refill(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers) -> tuple[int, int]:
    """More cards at hand, and how many."""
    cards, left = 0, 0
    while left == 0:
        if shoe.mode == FRESH:
            if work[TURN] > 0 and work[FILLED] >= shoe.size:
                work[OUT] = 1
                return tab[deck], 1
            cards, left = more_places(shoe, tab, deck, work)
            continue
        if work[AT] >= shoe.size:
            run_out(shoe, order, work)
        put_in_order(shoe, order, work, work[AT] + SIX)
        left = min(SIX, shoe.size - work[AT])
        for place in range(left):
            cards |= order[work[AT] + place] << (place * BITS)
        work[AT] += left
    return cards, left


@rule
def draw(shoe: Shoe, room: Room, deck: int, cards: int, left: int) -> tuple[int, int, int]:
    """The next card, and what is at hand then."""
    if left == 0:
        cards, left = refill(shoe, room.tab, deck, room.order, room.work)
    return cards & MASK, cards >> BITS, left - 1
