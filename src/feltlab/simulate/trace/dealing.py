"""Dealing with a trace: the same rounds and coups, counted in the same cells, and everything that happened told.

A trace is an array of words, the first of which says how many there are. It is read back by `feltlab.simulate.trace.decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.compile import bare_kernel
from feltlab.marks import Numbers, rule
from feltlab.simulate.compile.layout import Game
from feltlab.simulate.kernels import coups
from feltlab.simulate.kernels.coups import cards_of, cell_of, coup, fresh_cell, next_coup, ready_shoe
from feltlab.simulate.kernels.cursor import (
    AT,
    BEGAN,
    FRESH,
    OUT,
    REJECTED,
    SIX,
    STACKED,
    ShoeSpec,
    Workspace,
    other_places,
    place_of,
    two_openings,
)
from feltlab.simulate.kernels.rounds import MOST_HANDS, WORK, begin_fresh, play_round
from feltlab.simulate.kernels.shuffling import begin_shoe
from feltlab.simulate.work import ORDER, READY, Work
from feltlab.wagers.blackjack_facts import MOST_CARDS, MOST_DEALER_CARDS

Ints = NDArray[np.int64]
WORDS = 1 << 20  # of a trace: 8 MB, about 100,000 hands
CARD_BITS = 6  # of a card of a coup, which is told as its cell and, below it, its six cards


def most_words(spots: int) -> int:
    """The most words that a round of blackjack on so many spots can be told in.

    Each of a spot's hands is a word for every card, for the action that took it and for the wagers on it, one for the
    action that closed it and one for its ending; a spot has its splits (one less than hands) and wagers on cards alone.
    """
    return spots * (MOST_HANDS * (3 * MOST_CARDS + 2) + MOST_HANDS) + MOST_DEALER_CARDS + 1


class Chunk(NamedTuple):
    """What was dealt in one go: the words of its trace, the shoe's number (0: each round had its own) and how many
    rounds came before the first.
    """

    words: Ints
    shoe: int
    before: int


TracedDeal = Callable[[int, int, Ints], Iterator[Chunk]]
"""Deals the rounds or shoes from one number up to another and counts them; what is told comes in chunks."""


def traced(work: Work) -> TracedDeal:
    """Deals the rounds or shoes of some work, no more at once than there is room for in a trace."""
    return _coups(work) if work.game is None else _rounds(work, work.game)


def _rounds(work: Work, game: Game) -> TracedDeal:
    """Blackjack: the trace has room for so many rounds, whatever they are."""
    shoe, trace, most = work.shoe, np.zeros(1 + WORDS, dtype=np.int64), WORDS // most_words(game.spots)
    order, notes = np.zeros(ORDER, dtype=np.int16), np.zeros(WORK, dtype=np.int64)

    def fresh(first: int, after: int, counts: Ints) -> Iterator[Chunk]:
        space = Workspace(work.tab, work.spec, order, notes, counts)
        for begin in range(first, after, most):
            trace[0] = 0
            tell_rounds(begin, min(most, after - begin), False, 0, 0, game, shoe, space, trace)
            yield _chunk(trace, 0, begin)

    def shoes(first: int, after: int, counts: Ints) -> Iterator[Chunk]:
        space = Workspace(work.tab, work.spec, order, notes, counts)
        for number in range(first, after):
            before = 0
            while before == 0 or (notes[AT] < shoe.size - work.cut and not notes[OUT]):
                trace[0] = 0
                tell_rounds(number, most, before > 0, work.cut, work.burn, game, shoe, space, trace)
                yield _chunk(trace, number + 1, before)
                before += most

    return fresh if work.fresh else shoes


def _coups(work: Work) -> TracedDeal:
    """Baccarat, of which a coup is one word."""
    shoe, (deck, spec, asked), table = work.shoe, work.coup_tables(), coups.played()
    trace = np.zeros(1 + WORDS, dtype=np.int64)
    order, picks = np.zeros(ORDER, dtype=np.int16), np.zeros(READY, dtype=np.int64)

    def fresh(first: int, after: int, counts: Ints) -> Iterator[Chunk]:
        for begin in range(first, after, WORDS):
            trace[0] = 0
            tell_coups(begin, min(WORDS, after - begin), shoe, deck, table, spec, asked, counts, trace)
            yield _chunk(trace, 0, begin)

    def shoes(first: int, after: int, counts: Ints) -> Iterator[Chunk]:
        for number in range(first, after):
            trace[0] = 0
            tell_shoe(number, shoe, deck, order, picks, work.cut, work.burn, table, spec, asked, counts, trace)
            yield _chunk(trace, number + 1, 0)

    return fresh if work.fresh else shoes


def _chunk(trace: Ints, shoe: int, before: int) -> Chunk:
    return Chunk(trace[1 : trace[0] + 1].copy(), shoe, before)


@bare_kernel
def tell_rounds(number: int, most: int, begun: bool, cut: int, burn: int, game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers) -> None:  # fmt: skip
    """Rounds of blackjack, so many at the most: from a full shoe each, the first of this number; or of the shoe of this
    number, up to its cut card, on from where it stands if it has begun.
    """
    work = space.work
    cards, left = 0, 0
    if shoe.mode != FRESH and not begun:
        begin_shoe(shoe, space, game.deck, number)
        work[AT] = burn
    for place in range(most):
        if shoe.mode == FRESH:
            places = two_openings(shoe, (number + place) >> 1)[(number + place) & 1]
            cards, left = begin_fresh(game, shoe, space, number + place, places), SIX
        else:
            if work[AT] - left >= shoe.size - cut or work[OUT]:
                break
            work[BEGAN] = work[AT] - left
        cards, left = play_round(game, shoe, space, trace, cards, left)
    if shoe.mode != FRESH:
        work[AT] -= left  # the cards at hand go back, to come first when the shoe is dealt on


@rule
def tell_coup(trace: Numbers, table: Numbers, spec: Numbers | None, asked: Numbers | None, a: int, b: int, c: int, d: int, e: int, f: int) -> None:  # fmt: skip
    """Write a coup down: its cell and, in the order of its view, its cards, each as its number and one."""
    found = coup(table, a, b, c, d, e, f)
    told = cell_of(spec, asked, found, a, b, c, d, e, f)
    for card in cards_of(found, a, b, c, d, e, f):
        told = told << CARD_BITS | card + 1
    trace[0] += 1
    trace[trace[0]] = told


@bare_kernel
def tell_coups(first: int, rounds: int, shoe: ShoeSpec, deck: Numbers, table: Numbers, spec: Numbers | None, asked: Numbers | None, counts: Numbers, trace: Numbers) -> None:  # fmt: skip
    """Coups from a full shoe each."""
    for number in range(first, first + rounds):
        places = two_openings(shoe, number >> 1)[number & 1]
        counts[fresh_cell(shoe, deck, table, spec, asked, number, places)] += 1
        if places == REJECTED:
            places = other_places(shoe, number)
        a, b, c = deck[place_of(places, 0)], deck[place_of(places, 1)], deck[place_of(places, 2)]
        d, e, f = deck[place_of(places, 3)], deck[place_of(places, 4)], deck[place_of(places, 5)]
        tell_coup(trace, table, spec, asked, a, b, c, d, e, f)


@bare_kernel
def tell_shoe(number: int, shoe: ShoeSpec, deck: Numbers, order: Numbers, picks: Numbers, cut: int, burn: int, table: Numbers, spec: Numbers | None, asked: Numbers | None, counts: Numbers, trace: Numbers) -> None:  # fmt: skip
    """A whole shoe of coups; a stacked one is dealt as it lies."""
    if shoe.mode == STACKED:
        for place in range(shoe.size):
            order[place] = deck[place]
    else:
        ready_shoe(shoe, deck, order, 0, cut, number, picks)
    at = burn
    while at < shoe.size - cut:
        a, b, c, d, e, f = order[at], order[at + 1], order[at + 2], order[at + 3], order[at + 4], order[at + 5]
        tell_coup(trace, table, spec, asked, a, b, c, d, e, f)
        at = next_coup(order, at, table, spec, asked, counts)
