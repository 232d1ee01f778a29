"""A chart: for each hand against each up card, the preferred actions, best first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from feltlab.cards import RANKS, rank
from feltlab.errors import FeltlabError
from feltlab.games.blackjack import card_points, is_soft, points, total

Actions = tuple[str, ...]
"""Actions in order of preference; the first legal one is taken."""


class Cell(NamedTuple):
    """A cell of a chart: `hard`, `soft` or `pair`; the total (for a pair, the points of one card); the up card's points."""

    kind: str
    total: int
    up: int


class Exact(NamedTuple):
    """One exact hand: the sorted points of its cards, the up card's points, and whether the bonus wager can still win
    (None: either).
    """

    cards: tuple[int, ...]
    up: int
    bonus: bool | None = None


@dataclass(frozen=True)
class Chart:
    """How to play, hand by hand. Exact hands come first, then pairs; a pair that is not split is played as its total."""

    name: str
    cells: Mapping[Cell, Actions]
    exact: Mapping[Exact, Actions]
    source: str = ""

    def __str__(self) -> str:
        return self.name

    def preferences(self, cards: Sequence[int], up: int, bonus: bool | None = None) -> list[Actions]:
        """What the chart says about a hand, the most specific entry first."""
        counts = [card_points(card) for card in cards]
        aces = sum(rank(card) == 1 for card in cards)
        hand, up_points = tuple(sorted(counts)), card_points(up)
        cells: list[Cell] = []
        if len(counts) == 2 and counts[0] == counts[1]:
            cells.append(Cell("pair", counts[0], up_points))
        kind = "soft" if is_soft(sum(counts), aces) else "hard"
        cells.append(Cell(kind, total(sum(counts), aces), up_points))
        exact = [self.exact.get(Exact(hand, up_points, bonus)), self.exact.get(Exact(hand, up_points))]
        return [actions for actions in (*exact, *(self.cells.get(cell) for cell in cells)) if actions]

    def choose(self, cards: Sequence[int], up: int, legal: Collection[str], bonus: bool | None = None) -> str:
        """The best legal action for a hand against an up card."""
        for actions in self.preferences(cards, up, bonus):
            for action in actions:
                if action in legal:
                    return action
        shown = "".join(RANKS[rank(card) - 1] for card in cards)
        raise FeltlabError(f"the chart '{self.name}' has no legal action for {shown} against {RANKS[rank(up) - 1]}")


def card_letter(count: int) -> str:
    """The letter for a card of this many points in a chart.

    >>> card_letter(1), card_letter(10)
    ('A', 'T')
    """
    return RANKS[points(count) - 1]
