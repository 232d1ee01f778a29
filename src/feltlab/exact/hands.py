"""The graph of blackjack hands: every hand that is not bust, as so many cards of each number of points.

The order of a hand's cards does not matter to its play, so a hand is a multiset: 3,082 of them. A *node* is a hand
seen with other cards gone: by itself, or as one of a pair's hands while so many more of the pair's cards lie in other
hands. What is gone from the shoe is the node's *row*; nodes that have the same cards gone share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import is_soft, total

Ints = NDArray[np.int64]
BUST = -1
KEY = 64 ** np.arange(10, dtype=np.int64)  # makes one number of how many cards there are of each kind
CARDS = range(1, 11)
"""What a card can count. Arrays have place 0 for an ace and place 9 for a ten."""


@dataclass(frozen=True)
class Hands:
    """All hands, the lower hard totals first: a hand with one more card always comes later.

    Wagers see a hand's total, whether it is soft, and how many cards it has: its *kind*. `bust_kind` is the kind of a
    hand that is bust by one more card.
    """

    cards: Ints
    size: Ints
    hard: Ints
    aces: Ints
    total: Ints
    soft: Ints
    child: Ints
    kind: Ints
    bust_kind: Ints
    kinds: tuple[tuple[int, int, int], ...]
    number: dict[tuple[int, ...], int]

    def of(self, *points: int) -> int:
        """The number of the hand with these cards.

        >>> graph = hands()
        >>> graph.total[graph.of(1, 8)], graph.child[graph.of(10, 9), 9] == BUST
        (np.int64(19), np.True_)
        """
        counts = [0] * 10
        for count in points:
            counts[count - 1] += 1
        return self.number[tuple(counts)]


def _multisets(least: int, left: int, counts: list[int]) -> Iterator[tuple[int, ...]]:
    yield tuple(counts)
    for points in range(least, min(left, 10) + 1):
        counts[points - 1] += 1
        yield from _multisets(points, left - points, counts)
        counts[points - 1] -= 1


@cache
def hands() -> Hands:
    """The graph, built once."""
    worth = np.arange(1, 11)
    found = sorted(_multisets(1, 21, [0] * 10), key=lambda counts: (int(np.dot(counts, worth)), counts))[1:]
    number = {counts: place for place, counts in enumerate(found)}
    cards = np.array(found, dtype=np.int64)
    hard, aces = cards @ worth, cards[:, 0]
    child = np.full((len(found), 10), BUST, dtype=np.int64)
    for place, counts in enumerate(found):
        for drawn in range(min(10, 21 - int(hard[place]))):
            child[place, drawn] = number[(*counts[:drawn], counts[drawn] + 1, *counts[drawn + 1 :])]
    size = cards.sum(axis=1)
    kinds: dict[tuple[int, int, int], int] = {}
    kind, bust_kind = np.zeros(len(found), dtype=np.int64), np.full((len(found), 10), BUST, dtype=np.int64)
    for place, (sum_of, count, number_of) in enumerate(zip(hard.tolist(), aces.tolist(), size.tolist(), strict=True)):
        kind[place] = kinds.setdefault((total(sum_of, count), is_soft(sum_of, count), number_of), len(kinds))
        for drawn in range(max(0, 21 - sum_of), 10) if sum_of < 21 else ():
            bust_kind[place, drawn] = kinds.setdefault((sum_of + drawn + 1, 0, number_of + 1), len(kinds))
    seen = np.array(list(kinds), dtype=np.int64)[kind]
    return Hands(cards, size, hard, aces, seen[:, 0], seen[:, 1], child, kind, bust_kind, tuple(kinds), number)


@dataclass(frozen=True)
class Nodes:
    """All hands by themselves, then for each pair card those with 1, 2, ... others of it in other hands.

    `start[points - 1][others]` is the node of one card of the pair; `first` is where that block of nodes begins.
    """

    hand: Ints
    row: Ints
    child: Ints
    gone: Ints
    start: Ints
    first: Ints


@cache
def nodes(others: int) -> Nodes:
    """The nodes with up to so many other cards of the pair in other hands."""
    graph = hands()
    blocks_hand, blocks_child = [np.arange(len(graph.size))], [graph.child]
    gone = [graph.cards]
    start, first = np.zeros((10, others + 1), dtype=np.int64), np.zeros((10, others + 2), dtype=np.int64)
    begin = len(graph.size)
    for place in range(10):
        start[place, 0] = graph.of(place + 1)
        held = np.flatnonzero(graph.cards[:, place])
        within = np.full(len(graph.size) + 1, BUST)
        within[held] = np.arange(len(held))
        child = within[graph.child[held]]
        for out in range(1, others + 1):
            blocks_hand.append(held)
            blocks_child.append(np.where(child == BUST, BUST, child + begin))
            less = graph.cards[held].copy()
            less[:, place] += out
            gone.append(less)
            first[place, out] = begin
            start[place, out] = begin + within[graph.of(place + 1)]
            begin += len(held)
        first[place, others + 1] = begin
    everything = np.concatenate(gone)
    keys = everything @ KEY
    _, lead, row = np.unique(keys, return_index=True, return_inverse=True)
    return Nodes(np.concatenate(blocks_hand), row, np.concatenate(blocks_child), everything[lead], start, first)
