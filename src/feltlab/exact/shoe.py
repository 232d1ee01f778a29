"""What is left in a shoe: how many of each card, and the classes that counting needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from feltlab.cards import name
from feltlab.errors import SetupError
from feltlab.wagers.facts import Detail

FEWEST = 6  # a coup may take six cards


@dataclass(frozen=True)
class ShoeComposition:
    """How many of each of the 52 cards are left."""

    counts: tuple[int, ...]

    @classmethod
    def of(cls, decks: int, removed: Iterable[int] = ()) -> ShoeComposition:
        """Some decks, less the removed cards.

        >>> ShoeComposition.of(8, [3, 3]).size
        414
        """
        counts = [decks] * 52
        for card in removed:
            counts[card] -= 1
            if counts[card] < 0:
                raise SetupError(f"{name(card)} cannot be removed {decks + 1} times from {decks} decks")
        return cls(tuple(counts))

    def __post_init__(self) -> None:
        if len(self.counts) != 52 or any(not isinstance(count, int) or count < 0 for count in self.counts):
            raise SetupError("a composition is 52 whole numbers, none below 0: how many of each card are left")
        if self.size < FEWEST:
            raise SetupError(f"{self.size} cards are too few for a round; at least {FEWEST} must be left")

    @property
    def size(self) -> int:
        """How many cards are left."""
        return sum(self.counts)

    def by_points(self, points: Callable[[int], int], size: int) -> list[int]:
        """How many cards are left of each number of points, from 0 to size - 1."""
        counts = [0] * size
        for card, count in enumerate(self.counts):
            counts[points(card)] += count
        return counts

    def classes(self, detail: Detail, points: Callable[[int], int]) -> list[tuple[int, int]]:
        """The cards as closely as a wager looks at them: a card that stands for each class, and the class's count."""
        if detail == Detail.CARD:
            return [(card, count) for card, count in enumerate(self.counts) if count]
        classes: dict[int, tuple[int, int]] = {}
        for card, count in enumerate(self.counts):
            kind = points(card) if detail == Detail.POINTS else card // 4
            stands, before = classes.get(kind, (card, 0))
            classes[kind] = (stands, before + count)
        return [(card, count) for card, count in classes.values() if count]

    def suits_alike(self) -> bool:
        """Whether every suit has as many cards of each rank, and no rank is gone."""
        ranks = [self.counts[place : place + 4] for place in range(0, 52, 4)]
        return all(len(set(rank)) == 1 and rank[0] > 0 for rank in ranks)

    def ranks_alike(self) -> bool:
        """Whether there are as many of every card."""
        return len(set(self.counts)) == 1
