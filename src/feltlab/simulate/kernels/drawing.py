"""The next card, wherever cards come from: a few are at hand as one number, and more are brought when they are dealt."""

from __future__ import annotations

from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.kernels.cursor import (
    AT,
    BITS,
    FILLED,
    FRESH,
    MASK,
    OUT,
    SIX,
    TURN,
    ShoeSpec,
    Workspace,
    more_places,
)
from feltlab.simulate.kernels.shuffling import put_in_order, run_out


@rule
@seldom
def refill(shoe: ShoeSpec, tab: Numbers, deck: int, order: Numbers, work: Numbers) -> tuple[int, int]:
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
def draw(shoe: ShoeSpec, space: Workspace, deck: int, cards: int, left: int) -> tuple[int, int, int]:
    """The next card, and what is at hand then."""
    if left == 0:
        cards, left = refill(shoe, space.tab, deck, space.order, space.work)
    return cards & MASK, cards >> BITS, left - 1
