"""Traces read back: every hand and coup with its cards, what was done with it, and the cells it was counted in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD
from feltlab.hands.actions import SPLIT
from feltlab.simulate.kernels.rounds import ACTED, ENDED, LOST, ON_CARDS, ON_HIT, OVER, TO_DEALER, TO_SPOT
from feltlab.simulate.trace.dealing import CARD_BITS

Ints = NDArray[np.int64]
WHAT, SPOT, HAND = 38, 35, 32  # where in a word its kind, spot and hand are
NO_CELL = -1
COUP_CARDS = 6


class Ragged(NamedTuple):
    """Rows of different lengths, one after another in `values`: row `n` is from `begins[n]` up to `begins[n + 1]`."""

    values: Ints
    begins: Ints

    @property
    def lengths(self) -> Ints:
        """How long each row is."""
        return np.diff(self.begins)

    @property
    def rows(self) -> Ints:
        """The row of each value."""
        return np.repeat(np.arange(len(self.begins) - 1), self.lengths)

    def lists(self) -> list[list[int]]:
        """The rows as lists."""
        values, begins = self.values.tolist(), self.begins.tolist()
        return [values[begin:end] for begin, end in pairwise(begins)]


def ragged(rows: Ints, values: Ints, count: int) -> Ragged:
    """Values sorted into `count` rows, each into its own; values of one row keep their order.

    >>> ragged(np.array([1, 0, 1]), np.array([7, 8, 9]), 3).lists()
    [[8], [7, 9], []]
    """
    return Ragged(
        values[np.argsort(rows, kind="stable")], np.concatenate([[0], np.bincount(rows, minlength=count).cumsum()])
    )


@dataclass(frozen=True)
class TracedHands:
    """The hands of a trace of blackjack, from its first round to its last, spot by spot and from the left.

    Rounds are numbered from 0 on; a round that could not be dealt to its end has a number and no hands. After a split the
    card that stayed is a hand's first one.
    """

    rounds: int
    round: Ints
    spot: Ints
    hand: Ints
    cell: Ints
    on_cards: Ints  # the cell of the spot's wagers on cards alone; NO_CELL for other hands than the first
    cards: Ragged
    actions: Ragged  # the kernel's codes; a hand that has to stand stands
    hits: Ragged  # cells of the wagers on hit cards
    dealer: Ragged  # cards, by round


def decode_hands(words: Ints) -> TracedHands:
    """The hands in the words of a trace."""
    what, place, hand, value = words >> WHAT, words >> SPOT & 7, words >> HAND & 7, words & (1 << HAND) - 1
    over = what >= OVER  # or lost
    round_: Ints = np.cumsum(over) - over
    rounds = int(over.sum())
    kept = ~(what == LOST)[np.flatnonzero(over)][round_]
    what, place, hand, value, round_ = (part[kept] for part in (what, place, hand, value, round_))
    place |= round_ << 3  # of a spot among all that were dealt
    hand = _lies_in(what, place, hand, value)
    key = place << 3 | hand
    ended = key[what == ENDED]
    row = np.searchsorted(ended, key)

    def by_hand(kind: int) -> Ragged:
        return ragged(row[what == kind], value[what == kind], len(ended))

    on_cards = np.full(len(ended), NO_CELL)
    on_cards[row[what == ON_CARDS]] = value[what == ON_CARDS]
    dealer = what == TO_DEALER
    return TracedHands(
        rounds, ended >> 6, ended >> 3 & 7, ended & 7, value[what == ENDED], on_cards,
        by_hand(TO_SPOT), by_hand(ACTED), by_hand(ON_HIT), ragged(round_[dealer], value[dealer], rounds),
    )  # fmt: skip


def _lies_in(what: Ints, place: Ints, hand: Ints, value: Ints) -> Ints:
    """The hand of each word; for a card that a split moved, the one in which it lies then.

    It waits there for the hand's turn, and the cards split off last come first.
    """
    lies = hand.copy()
    split = (what == ACTED) & (value == SPLIT)
    looked_at = np.flatnonzero(np.isin(place, place[split]) & (split | (what == TO_SPOT)))
    looked_at = looked_at[np.argsort(place[looked_at], kind="stable")]
    spot, card, turn = -1, -1, 0
    waiting: list[int] = []
    for word in looked_at.tolist():
        if place[word] != spot:
            spot, turn = place[word], 0
        if split[word]:
            waiting.append(card)
            continue
        if hand[word] > turn:
            turn += 1
            lies[waiting.pop()] = turn
        card = word
    return lies


class TracedCoups(NamedTuple):
    """Coups of baccarat, a row each: their cells, and Player's three cards and Banker's three (NO_CARD: not dealt)."""

    cell: Ints
    cards: Ints


def decode_coups(words: Ints) -> TracedCoups:
    """The coups in the words of a trace."""
    shifts = CARD_BITS * np.arange(COUP_CARDS - 1, -1, -1)
    cards = (words[:, None] >> shifts & (1 << CARD_BITS) - 1) + NO_CARD
    return TracedCoups(words >> CARD_BITS * COUP_CARDS, cards)
