"""Whole shoes: put in order a few cards at a time as they are dealt, by Fisher and Yates from the front.

A *pick* says which of the cards that are left comes next; three of them fit into one number.
"""

from __future__ import annotations

from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.kernels.cursor import (
    AGAIN,
    AT,
    BEGAN,
    BITS,
    CARDS_A_TURN,
    FILLED,
    MASK,
    MOST_TURNS,
    NUMBER,
    ORDER_MASK,
    OUT,
    REJECTED,
    SHOE,
    STACKED,
    TURN,
    ShoeSpec,
    Workspace,
)
from feltlab.simulate.kernels.philox import WORD, block, three_below, unfair


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
def fair_picks(shoe: ShoeSpec, number: int, turn: int, word: int, left: int) -> int:
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
def turn_picks(shoe: ShoeSpec, number: int, turn: int, filled: int) -> tuple[int, int, int, int]:
    """The picks of a turn, three at a time, where so many cards are in order."""
    a, b, c, d = block(number & WORD, number >> 32, turn, SHOE, shoe.low, shoe.high)
    left = shoe.size - filled
    return three_picks(a, left), three_picks(b, left - 3), three_picks(c, left - 6), three_picks(d, left - 9)


@rule
@seldom
def put_with_care(shoe: ShoeSpec, order: Numbers, begin: int, filled: int, number: int, turn: int) -> int:
    """Put up to twelve more cards in their order, where a word may be unfair or the shoe ends."""
    for word in block(number & WORD, number >> 32, turn, SHOE, shoe.low, shoe.high):
        left = shoe.size - filled
        if left > 0:
            # Beyond the last card there is room, in which nothing lies and nothing is picked from.
            put_three(order, begin + filled, fair_picks(shoe, number, turn, word, left))
            filled += min(left, 3)
    return filled


@rule
def put_turn(shoe: ShoeSpec, order: Numbers, begin: int, filled: int, number: int, turn: int, a: int, b: int, c: int, d: int) -> int:  # fmt: skip
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
def shuffle_on(shoe: ShoeSpec, order: Numbers, filled: int, number: int, turn: int) -> int:
    """Put up to twelve more cards of a shoe in their order; how many are in order then."""
    a, b, c, d = turn_picks(shoe, number, turn, filled)
    return put_turn(shoe, order, 0, filled, number, turn, a, b, c, d)


@rule
def fill_picks(shoe: ShoeSpec, number: int, turns: int, picks: Numbers) -> None:
    """The picks of a shoe's first turns. A processor makes several at a time."""
    for turn in range(turns):
        a, b, c, d = turn_picks(shoe, number, turn, turn * CARDS_A_TURN)
        picks[turn] = a
        picks[MOST_TURNS + turn] = b
        picks[2 * MOST_TURNS + turn] = c
        picks[3 * MOST_TURNS + turn] = d


@rule
def shuffle_far(shoe: ShoeSpec, order: Numbers, begin: int, number: int, far: int, picks: Numbers) -> tuple[int, int]:
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
def begin_shoe(shoe: ShoeSpec, space: Workspace, deck: int, number: int) -> None:
    """A full shoe, to be shuffled as it is dealt."""
    work = space.work
    work[AT] = 0
    work[TURN] = 0
    work[BEGAN] = 0
    work[NUMBER] = number
    work[OUT] = 0
    work[FILLED] = shoe.size if shoe.mode == STACKED else 0
    for place in range(shoe.size):
        space.order[place] = space.tab[deck + place]


@rule
def put_in_order(shoe: ShoeSpec, order: Numbers, work: Numbers, far: int) -> None:
    """Put the cards of a shoe in order that are dealt before a place, if they are not."""
    while work[FILLED] < min(far, shoe.size):
        work[FILLED] = shuffle_on(shoe, order, work[FILLED], int(work[NUMBER]), int(work[TURN]))
        work[TURN] += 1


@rule
@seldom
def run_out(shoe: ShoeSpec, order: Numbers, work: Numbers) -> None:
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
