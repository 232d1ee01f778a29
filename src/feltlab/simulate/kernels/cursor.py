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
from feltlab.simulate.kernels.philox import WORD, block, three_below, unfair

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


class ShoeSpec(NamedTuple):
    """How cards are drawn from a deck: the entries of a full shoe, each a card and, in its low bits, what it counts."""

    mode: int
    size: int
    rest: int  # words whose rest is below this are unfair
    low: int
    high: int


class Workspace(NamedTuple):
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


def shoe_spec(mode: int, size: int, seed: int) -> ShoeSpec:
    """How to draw from a shoe of this size by a seed."""
    return ShoeSpec(mode, size, unfair(size, size, size), seed & WORD, seed >> 32 & WORD)


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


@rule
def six_places(shoe: ShoeSpec, first: int, second: int) -> int:
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
def two_openings(shoe: ShoeSpec, pair: int) -> tuple[int, int]:
    """The first six places of two rounds, which share a counter: it makes words for both."""
    a, b, c, d = block(pair & WORD, pair >> 32, 0, FRESH, shoe.low, shoe.high)
    return six_places(shoe, a, b), six_places(shoe, c, d)


@rule
def fill_openings(shoe: ShoeSpec, pair: int, openings: Numbers) -> None:
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
def other_places(shoe: ShoeSpec, number: int) -> int:
    """Six places for a round whose first ones were rejected."""
    again, found = 0, REJECTED
    while found == REJECTED:
        again += 1
        first, second, _, _ = block(number & WORD, number >> 32, again, AGAIN, shoe.low, shoe.high)
        found = six_places(shoe, first, second)
    return found


@rule
def opening_of(shoe: ShoeSpec, number: int) -> int:
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
def next_places(shoe: ShoeSpec, number: int, opening: int) -> tuple[int, int]:
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
def more_places(shoe: ShoeSpec, tab: Numbers, deck: int, work: Numbers) -> tuple[int, int]:
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
