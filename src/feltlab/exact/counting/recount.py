"""A wager on a few named cards, counted from one composition after another: where it is decided is found once."""

from __future__ import annotations

from math import perm

import numpy as np
from numpy.typing import NDArray

from feltlab.exact.counting.first_cards import cards_of, view
from feltlab.exact.counting.named_cards import Count
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import card_points
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

PLENTY = 5  # of each card: no case is left out because a card is gone
CARDS = 52


class _Cases(Count):
    """Deals every case once, and notes which cards decide which outcome."""

    def __init__(self, wager: Wager) -> None:
        shoe = ShoeComposition((PLENTY,) * CARDS)
        super().__init__(wager, shoe, card_points, cards_of, view)
        self.suits_alike = self.ranks_alike = False
        self.kinds = shoe.classes(self.detail, card_points)
        self.found = [(list(dealt.values()), outcome) for dealt, outcome, _ in self.walk({}, 1)]


class Recount:
    """A blackjack wager that looks at named cards alone, ready to be counted from any composition.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> from feltlab.exact.counting.first_cards import law
    >>> slick, shoe = set_up(load("big-slick-blackjack")).wagers["big-slick"], ShoeComposition.of(6, range(40))
    >>> bool(np.allclose(Recount(slick).chances(shoe), np.array(law(slick, shoe).ways) / law(slick, shoe).total))
    True
    """

    def __init__(self, wager: Wager) -> None:
        cases = _Cases(wager)
        self._outcomes = len(wager.cells.outcomes)
        self._classes, self._kinds = _classes(cases.detail), len(cases.kinds)
        place = {card: number for number, (card, _) in enumerate(cases.kinds)}
        self._groups: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for size in range(len(cases.cards) + 1):
            some = [([place[card] for card in cards], outcome) for cards, outcome in cases.found if len(cards) == size]
            if some:
                dealt = np.array([cards for cards, _ in some], dtype=np.int64).reshape(len(some), size)
                self._groups.append((dealt, np.array([outcome for _, outcome in some])))

    def chances(self, shoe: ShoeComposition) -> NDArray[np.float64]:
        """How likely each outcome is."""
        counts = np.bincount(self._classes, np.array(shoe.counts), self._kinds)
        found = np.zeros(self._outcomes)
        for dealt, outcomes in self._groups:
            ways = np.ones(len(dealt))
            for place in range(dealt.shape[1]):
                before = (dealt[:, :place] == dealt[:, place : place + 1]).sum(axis=1)
                ways *= np.maximum(counts[dealt[:, place]] - before, 0)
            found += np.bincount(outcomes, ways, self._outcomes) / perm(shoe.size, dealt.shape[1])
        return found


def _classes(detail: Detail) -> NDArray[np.int64]:
    """The class of each card, in the order in which a composition names them."""
    if detail == Detail.CARD:
        return np.arange(CARDS)
    kinds = [card_points(card) if detail == Detail.POINTS else card // 4 for card in range(CARDS)]
    order = list(dict.fromkeys(kinds))
    return np.array([order.index(kind) for kind in kinds])
