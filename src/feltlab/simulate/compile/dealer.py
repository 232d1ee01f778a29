"""The dealer as an automaton: from the up card through the cards drawn to a column, a way in which the hand ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import House, dealer_draws, is_natural, total
from feltlab.hands.graph import CARDS
from feltlab.hands.states import NATURAL, SEEN, SEEN_NATURAL, UNSEEN, DealerHand
from feltlab.wagers.conditions import Atom

Small = NDArray[np.int16]
STEP = 16  # a state's row in the table: what a card counts is a place in it


class Column(NamedTuple):
    """A dealer's hand, and what is answered about its second card."""

    dealer: DealerHand
    hole: Mapping[Atom, int]


@dataclass(frozen=True)
class DealerAutomaton:
    """`second[up * 16 + points]` and `next[state * 16 + points]` are states, or (below 0) ways to end, as -1 - place.

    The first ways to end are: nothing seen, a second card seen and no natural, a natural seen, a natural.
    """

    second: Small
    next: Small
    ways: tuple[DealerHand, ...]


def dealer_automaton(house: House, *, by_cards: bool) -> DealerAutomaton:
    """The dealer's automaton; with `by_cards`, hands of one total are kept apart by their number of cards."""
    ways: dict[DealerHand, int] = {UNSEEN: 0, SEEN: 1, SEEN_NATURAL: 2, NATURAL: 3}
    states: dict[tuple[int, int, int], int] = {}
    waiting: list[tuple[int, int, int]] = []

    def place(hard: int, aces: int, cards: int) -> int:
        if is_natural(hard, aces, cards, 1):
            return -1 - ways[NATURAL]
        if not dealer_draws(house, hard, aces):
            end = DealerHand(total(hard, aces), cards if by_cards else 3, 0, 1)
            return -1 - ways.setdefault(end, len(ways))
        key = hard, min(aces, 1), cards if by_cards else 3
        if key not in states:
            states[key] = len(states)
            waiting.append(key)
        return states[key]

    second = np.zeros(11 * STEP, dtype=np.int16)
    for up in CARDS:
        for drawn in CARDS:
            second[up * STEP + drawn] = place(up + drawn, (up == 1) + (drawn == 1), 2)
    rows: dict[int, list[int]] = {}
    while waiting:
        hard, aces, cards = waiting.pop()
        row = [0] * STEP
        for drawn in CARDS:
            row[drawn] = place(hard + drawn, aces + (drawn == 1), cards + 1)
        rows[states[hard, aces, cards]] = row
    table = np.array([rows[state] for state in range(len(rows))], dtype=np.int16).reshape(-1)
    return DealerAutomaton(second, table, tuple(ways))


def columns(ways: Sequence[DealerHand], holes: Sequence[Mapping[Atom, int]]) -> tuple[Column, ...]:
    """Every way to end with every answer about the second card, the answers counting most."""
    return tuple(Column(dealer, hole) for hole in holes for dealer in ways)
