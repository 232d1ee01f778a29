"""Cards for a kernel: from a full shoe for every round, or from one shoe after another, in the order of their counters.

A *cursor* is where a kernel stands in its cards. Cards are put in order a few at a time, as they are asked for; which
cards come depends on the seed and the number of the round or shoe alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.philox import CARDS_A_WORD, WORD, block, three_below, unfair

Ints = NDArray[np.int64]
Small = NDArray[np.int16]

FRESH, SHOE, AGAIN = 0, 1, 2  # streams of random numbers that have nothing in common
STACKED = 3  # no random numbers: the cards are in order already
POINTS_BITS = 4
SHOE_MASK = 1023  # a shoe has fewer cards; says to the compiler that no place in it is below 0
MOST_CARDS = SHOE_MASK - 15

# The places of a cursor: the next card, how many are in order, blocks of random numbers used, where the round began,
# the number of the round or shoe, and whether the cards ran out.
AT, FILLED, TURN, BEGAN, NUMBER, OUT = 0, 1, 2, 3, 4, 5
WORDS = 6  # then four words of random numbers that are not used up,
SEEN = 10  # and the places in the full shoe that a round's cards came from
WORK = SEEN + SHOE_MASK + 1


class Shoe(NamedTuple):
    """How cards are drawn from a deck, the entries of a full shoe: each a card and, in its low bits, what it counts."""

    mode: int
    size: int
    rest: int  # words whose rest is below this are unfair
    low: int
    high: int


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
def swap(order: Numbers, one: int, other: int) -> None:
    """Two cards change places."""
    entry = order[other]
    order[other] = order[one]
    order[one] = entry


@rule
def shuffle_on(shoe: Shoe, order: Numbers, filled: int, number: int, turn: int) -> int:
    """Put up to twelve more cards of a shoe in their order; how many are in order then.

    Fisher and Yates from the front: a shoe that is dealt to its cut card is shuffled no further.
    """
    words = block(number & WORD, number >> 32, turn, SHOE, shoe.low, shoe.high)
    for word in words:
        left = shoe.size - filled
        if left <= 0:
            break
        one, two, three = left, max(left - 1, 1), max(left - 2, 1)
        a, b, c, rest = three_below(word, one, two, three)
        if rest < one * two * three and rest < unfair(one, two, three):
            continue
        here = filled & SHOE_MASK
        swap(order, here, (here + a) & SHOE_MASK)
        if left > 1:
            swap(order, here + 1, (here + 1 + b) & SHOE_MASK)
        if left > 2:
            swap(order, here + 2, (here + 2 + c) & SHOE_MASK)
        filled += min(left, CARDS_A_WORD)
    return filled


@rule
def six_places(shoe: Shoe, number: int, first: int, second: int) -> tuple[int, int, int, int, int, int]:
    """Six places in a full shoe for a round, from two words of its counter; other words until no place comes twice."""
    again, size = 0, shoe.size
    while True:
        a, b, c, left = three_below(first, size, size, size)
        d, e, f, over = three_below(second, size, size, size)
        twice = (
            (a == b) | (a == c) | (a == d) | (a == e) | (a == f) | (b == c) | (b == d) | (b == e)
            | (b == f) | (c == d) | (c == e) | (c == f) | (d == e) | (d == f) | (e == f)
        )  # fmt: skip
        if not (twice | (left < shoe.rest) | (over < shoe.rest)):
            return a, b, c, d, e, f
        again += 1
        first, second, _, _ = block(number & WORD, number >> 32, again, AGAIN, shoe.low, shoe.high)


@rule
def first_six(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers, number: int) -> None:
    """The first six cards of a round from a full shoe; the other two words of its block are kept for more."""
    words = block(number & WORD, number >> 32, 0, FRESH, shoe.low, shoe.high)
    work[WORDS + 2] = words[2]
    work[WORDS + 3] = words[3]
    a, b, c, d, e, f = six_places(shoe, number, words[0], words[1])
    put(tab, deck, order, work, 0, a)
    put(tab, deck, order, work, 1, b)
    put(tab, deck, order, work, 2, c)
    put(tab, deck, order, work, 3, d)
    put(tab, deck, order, work, 4, e)
    put(tab, deck, order, work, 5, f)
    work[AT] = 0
    work[FILLED] = 6
    work[TURN] = 2


@rule
def put(tab: Numbers, deck: int, order: Numbers, work: Numbers, filled: int, place: int) -> None:
    """Put the card at a place of the full shoe in order."""
    work[SEEN + filled] = place
    order[filled] = tab[deck + place]


@rule
@seldom
def draw_on(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers) -> None:
    """Up to three more cards of a full shoe, none of which this round has had."""
    turn = work[TURN]
    work[TURN] = turn + 1
    if turn & 3 == 0:
        words = block(work[NUMBER] & WORD, work[NUMBER] >> 32, turn >> 2, FRESH, shoe.low, shoe.high)
        for place in range(4):
            work[WORDS + place] = words[place]
    a, b, c, rest = three_below(work[WORDS + (turn & 3)], shoe.size, shoe.size, shoe.size)
    if rest >= shoe.rest:
        add(tab, deck, order, work, a)
        add(tab, deck, order, work, b)
        add(tab, deck, order, work, c)


@rule
def add(tab: Numbers, deck: int, order: Numbers, work: Numbers, place: int) -> None:
    """Take the card at a place of the shoe, unless this round has it already."""
    filled = work[FILLED]
    for before in range(filled):
        if work[SEEN + before] == place:
            return
    put(tab, deck, order, work, filled, place)
    work[FILLED] = filled + 1


@rule
def begin(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers, number: int) -> None:
    """A full shoe again, for a round or to be dealt to its cut card."""
    work[AT] = 0
    work[FILLED] = 0
    work[TURN] = 0
    work[BEGAN] = 0
    work[NUMBER] = number
    work[OUT] = 0
    if shoe.mode == FRESH:
        first_six(shoe, tab, deck, order, work, number)
        return
    for place in range(shoe.size):
        order[place] = tab[deck + place]
    if shoe.mode == STACKED:
        work[FILLED] = shoe.size


@rule
@seldom
def refill(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers) -> None:
    """More cards in order, so that there is a next one."""
    while work[AT] >= work[FILLED]:
        if work[FILLED] >= shoe.size:
            run_out(shoe, order, work)
            if work[OUT]:
                return
        if shoe.mode == FRESH:
            draw_on(shoe, tab, deck, order, work)
        else:
            work[FILLED] = shuffle_on(shoe, order, work[FILLED], work[NUMBER], work[TURN])
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
def draw(shoe: Shoe, tab: Numbers, deck: int, order: Numbers, work: Numbers) -> int:
    """The next card."""
    if work[AT] >= work[FILLED]:
        refill(shoe, tab, deck, order, work)
    at = work[AT]
    work[AT] = at + 1
    return order[at & SHOE_MASK]
