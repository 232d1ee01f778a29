"""The graph of blackjack hands: every hand that is not bust, as its number of cards of each value.

The order of a hand's cards does not matter to its play, so a hand is a multiset: 3,082 of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import is_soft, total
from feltlab.hands.states import HandKind

Ints = NDArray[np.int64]
BUST = -1
CARDS = range(1, 11)
"""What a card can count. Arrays have place 0 for an ace and place 9 for a ten."""


@dataclass(frozen=True)
class HandGraph:
    """All hands, the lower hard totals first: a hand with one more card always comes later.

    `kinds` are what wagers can see of their cards. `bust_kind` is the kind of a hand that is bust by one more card.
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
    kinds: tuple[HandKind, ...]
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
def hands() -> HandGraph:
    """The graph, built once."""
    worth = np.arange(1, 11)
    multisets = sorted(_multisets(1, 21, [0] * 10), key=lambda counts: (int(np.dot(counts, worth)), counts))[1:]
    number = {counts: place for place, counts in enumerate(multisets)}
    cards = np.array(multisets, dtype=np.int64)
    hard, aces = cards @ worth, cards[:, 0]
    child = np.full((len(multisets), 10), BUST, dtype=np.int64)
    for place, counts in enumerate(multisets):
        for drawn in range(min(10, 21 - int(hard[place]))):
            child[place, drawn] = number[(*counts[:drawn], counts[drawn] + 1, *counts[drawn + 1 :])]
    size = cards.sum(axis=1)
    kinds: dict[HandKind, int] = {}
    kind, bust_kind = np.zeros(len(multisets), dtype=np.int64), np.full((len(multisets), 10), BUST, dtype=np.int64)
    for place, (sum_of, count, number_of) in enumerate(zip(hard.tolist(), aces.tolist(), size.tolist(), strict=True)):
        kind[place] = kinds.setdefault(HandKind(total(sum_of, count), is_soft(sum_of, count), number_of), len(kinds))
        for drawn in range(max(0, 21 - sum_of), 10) if sum_of < 21 else ():
            bust_kind[place, drawn] = kinds.setdefault(HandKind(sum_of + drawn + 1, 0, number_of + 1), len(kinds))
    seen = np.array(list(kinds), dtype=np.int64)[kind]
    return HandGraph(cards, size, hard, aces, seen[:, 0], seen[:, 1], child, kind, bust_kind, tuple(kinds), number)
