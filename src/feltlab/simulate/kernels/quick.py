"""Most rounds of blackjack, quickly: those on one spot that end within ten cards and split nothing.

A processor loses more time by guessing wrong where a round goes on than by dealing it. So here nothing is guessed: a
hand that has ended goes on to itself whatever card comes, and the same few steps are taken for every round. What has not
ended by then is played in full by `rounds`; both count the same round in the same cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.compile import bare_kernel
from feltlab.marks import Numbers, rule
from feltlab.simulate.compile.dealer import STEP
from feltlab.simulate.compile.layout import Game
from feltlab.simulate.kernels.cursor import (
    AT,
    BEGAN,
    BITS,
    CHUNK,
    FILLED,
    MASK,
    OUT,
    REJECTED,
    SIX,
    TURN,
    ShoeSpec,
    Workspace,
    entries_at,
    fill_openings,
    next_entries,
    next_places,
    opening_at,
    other_places,
    points_of,
    tick,
)
from feltlab.simulate.kernels.rounds import (
    NATURAL,
    SEEN,
    ask_hole,
    cards_cell,
    deal_place,
    hit_end,
    play_fresh,
    play_round,
)
from feltlab.simulate.kernels.shuffling import begin_shoe, put_in_order, shuffle_far

Ints = NDArray[np.int64]
FAR = (1 << 20) - 1  # beyond every table: says to a compiler that no place is below 0
AFTER_FOUR = 4 * BITS
SLOW = 2 * CHUNK  # where the rounds of a chunk are noted that are not quick
FEW, MANY = 2, SIX  # steps for each side: as many as there are cards
MARGIN = 24  # cards that the last round of a shoe seldom needs more than


class Quick(NamedTuple):
    """Where the tables of quick rounds begin. Endings are numbered after positions, and a dealer's ways after states;
    after both comes a number for what is to be played in full.
    """

    on: int  # can rounds be quick at this table?
    positions: int
    slow: int
    states: int
    late: int
    start: int
    stopped: int
    go: int
    waits: int
    second: int
    natural: int
    next: int


class QuickTables(NamedTuple):
    """The tables of quick rounds."""

    start: Ints
    stopped: Ints
    go: Ints
    waits: Ints  # -1 where a hand that has ended waits for the dealer's
    second: Ints
    natural: Ints  # -1 where the dealer's two cards are one
    next: Ints


def quick_tables(start: Ints, stopped: Ints, go: Ints, need: Ints, second: Ints, after: Ints) -> QuickTables:
    """Tables in which what has ended stays where it is. No card (0 points) means that six were not enough."""
    positions, endings, states = len(go), len(need), len(after)
    slow = positions + endings
    ways = -int(min(second.min(), after.min(initial=0)))  # the last way to end, as -1 - its number
    late = states + ways
    go = np.concatenate(
        [_encoded(go, positions, slow), np.repeat(np.arange(positions, slow + 1)[:, None], STEP, axis=1)]
    )
    after = np.concatenate(
        [_encoded(after, states, late), np.repeat(np.arange(states, late + 1)[:, None], STEP, axis=1)]
    )
    go[:positions, 0], after[:states, 0] = slow, late
    waits = -np.concatenate([np.zeros(positions, dtype=np.int64), need > 1, [0]]).astype(np.int64)
    natural = -(second == -1 - NATURAL).astype(np.int64)
    return QuickTables(
        _encoded(start, positions, slow), positions + stopped, go, waits, _encoded(second, states, late), natural, after
    )


def _encoded(to: Ints, here: int, slow: int) -> Ints:
    """Where something leads: on, to an end (below 0 before), or to what takes longer (a split)."""
    return np.where(to < 0, here - 1 - to, np.where(to < here, to, slow)).astype(np.int64)


@rule
def look(tab: Numbers, place: int) -> int:
    """What a table says; no place in it is below 0."""
    return tab[place & FAR]


@rule
def below(one: int, other: int) -> int:
    """-1 where one number is below another, else 0: all bits of a mask, and no question that could be guessed wrong."""
    return (one - other) >> 63


@rule
def chosen(mask: int, one: int, other: int) -> int:
    """One number where a mask is -1, the other where it is 0."""
    return other ^ ((one ^ other) & mask)


@rule
def quick_round(game: Game, quick: Quick, space: Workspace, cards: int, more: int, steps: int) -> int:
    """Play and count a round whose first four cards and more are these, with so many steps for each side.

    It gives how many cards it took. 0: it is to be played in full. Such a round is counted too, in a cell of no meaning:
    that is sooner done than to ask.
    """
    tab, counts = space.tab, space.counts
    first, up, second, hole = cards & MASK, cards >> BITS & MASK, cards >> 2 * BITS & MASK, cards >> 3 * BITS & MASK
    two = points_of(up) * STEP + points_of(hole)
    state, natural = look(tab, quick.second + two), look(tab, quick.natural + two)
    place = deal_place(game, space, first, second, up)
    begun = look(tab, chosen(natural, quick.stopped, quick.start) + place)
    ending, taken, fifth = begun, 4, more & MASK
    for _ in range(steps):
        hit = below(ending, quick.positions)
        ending = look(tab, quick.go + ending * STEP + points_of(more))
        more >>= BITS & hit
        taken -= hit
    hits = taken - 4
    state = chosen(look(tab, quick.waits + ending) | natural, state, quick.states + SEEN)
    for _ in range(steps):
        drawn = below(state, quick.states)
        state = look(tab, quick.next + state * STEP + points_of(more))
        more >>= BITS & drawn
        taken -= drawn
    slow = below(ending, quick.positions) | below(quick.slow - 1, ending)
    slow |= below(state, quick.states) | below(quick.late - 1, state)
    if game.on_hits:
        slow |= below(1, hits)  # of several hit cards, pairs are counted
        hit = below(begun, quick.positions)
        end = hit_end(game, space, begun & hit, first, second, up, fifth)
        tick(counts, chosen(hit & ~slow, game.at_hits + end, game.at_slow), 1)
    code = ask_hole(game, space, first, second, up, hole) * game.ways + state - quick.states
    column = look(tab, game.columns + (code & ~slow))
    tick(counts, chosen(slow, game.at_slow, (ending - quick.positions) * game.column_count + column), 1)
    if game.on_cards:
        tick(counts, chosen(slow, game.at_slow, cards_cell(game, space, first, second, up, hole)), 1)
    return taken & ~slow


@rule
def quick_fresh(game: Game, quick: Quick, space: Workspace, places: int) -> int:
    """A round from a full shoe that begins at six places, if those cards are enough."""
    cards = entries_at(space.tab, game.deck, places)
    return quick_round(game, quick, space, cards, cards >> AFTER_FOUR, FEW)


@rule
def longer_fresh(game: Game, quick: Quick, shoe: ShoeSpec, space: Workspace, number: int, places: int) -> int:
    """The same with four cards more."""
    cards = entries_at(space.tab, game.deck, places)
    others, count = next_places(shoe, number, places)
    more = cards >> AFTER_FOUR | next_entries(space.tab, game.deck, others, min(count, SIX - 2)) << 2 * BITS
    return quick_round(game, quick, space, cards, more, MANY)


@rule
def six_next(order: Numbers, at: int) -> int:
    """The next six cards of a shoe in order."""
    here = at & MASK
    return (
        order[here]
        | order[here + 1] << BITS
        | order[here + 2] << 2 * BITS
        | order[here + 3] << 3 * BITS
        | order[here + 4] << 4 * BITS
        | order[here + 5] << 5 * BITS
    )


@rule
def deal_shoe(game: Game, quick: Quick, shoe: ShoeSpec, space: Workspace, cut: int) -> None:
    """Deal a shoe from where it stands to the cut card: rounds that are quick, and those that are not."""
    work, at, rounds = space.work, space.work[AT], 0
    while at < shoe.size - cut and not work[OUT]:
        put_in_order(shoe, space.order, work, at + 4 + SIX)
        cards = six_next(space.order, at)
        taken = quick_round(game, quick, space, cards, cards >> AFTER_FOUR, FEW) if at + SIX <= shoe.size else 0
        if taken == 0 and at + 4 + SIX <= shoe.size:
            taken = quick_round(game, quick, space, cards, six_next(space.order, at + 4), MANY)
        rounds += taken > 0
        at += taken
        if taken == 0:
            work[AT] = at
            work[BEGAN] = at
            _, left = play_round(game, shoe, space, None, 0, 0)
            at = work[AT] - left
    tick(space.counts, game.at_rounds, rounds)


@bare_kernel
def deal_fresh(
    first: int, rounds: int, game: Game, quick: Quick, shoe: ShoeSpec, space: Workspace, openings: Numbers
) -> None:
    """Rounds from a full shoe each: of a chunk at a time all that are quick, then the others."""
    pair, end, counts = first >> 1, first + rounds, space.counts
    while 2 * pair < end:
        fill_openings(shoe, pair, openings)
        begin, after, slow = max(first - 2 * pair, 0), min(end - 2 * pair, 2 * CHUNK), 0
        for place in range(begin, after):
            at = opening_at(place)
            if openings[at] == REJECTED:
                openings[at] = other_places(shoe, 2 * pair + place)
        for place in range(begin, after):
            taken = quick_fresh(game, quick, space, openings[opening_at(place)])
            openings[SLOW + slow] = place
            slow += taken == 0
        counts[game.at_rounds] += after - begin
        for which in range(slow):
            place = openings[SLOW + which]
            number, places = 2 * pair + place, openings[opening_at(place)]
            if longer_fresh(game, quick, shoe, space, number, places) == 0:
                counts[game.at_rounds] -= 1
                play_fresh(game, shoe, space, None, number, places)
        pair += CHUNK
    counts[game.at_slow] = 0


@bare_kernel
def deal_shoes(first: int, shoes: int, cut: int, burn: int, game: Game, quick: Quick, shoe: ShoeSpec, space: Workspace, picks: Numbers) -> None:  # fmt: skip
    """Whole shoes, each shuffled, burnt and dealt to the cut card."""
    for number in range(first, first + shoes):
        begin_shoe(shoe, space, game.deck, number)
        space.work[AT] = burn
        space.work[FILLED], space.work[TURN] = shuffle_far(
            shoe, space.order, 0, number, shoe.size - cut + MARGIN, picks
        )
        deal_shoe(game, quick, shoe, space, cut)
    space.counts[game.at_slow] = 0
