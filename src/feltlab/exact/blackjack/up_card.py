"""A shoe against one up card: how likely each next card is, and how the dealer ends, for every hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feltlab.exact.blackjack.dealer_ends import ENDS, NATURAL_END, SIZES, Floats, ends
from feltlab.exact.blackjack.nodes import Nodes
from feltlab.exact.blackjack.splits.terms import Share, shares
from feltlab.games.blackjack import House
from feltlab.hands.draws import next_card_chances
from feltlab.hands.graph import hands
from feltlab.hands.peek import natural_hole, peeks

Bools = NDArray[np.bool_]


@dataclass
class Against:
    """What a player knows against an up card of `up` points. All chances are by row of `Nodes`.

    Where the dealer has looked for a natural and has none, `draw` and `ends` know it; `natural` is the chance before.
    `spoil` is the chance of a natural after one more card is drawn, where it is still possible then. The dealer's ends
    take longest: they are computed for hands by themselves, and for rows of splits once they are needed.
    """

    house: House
    up: int
    chance: float
    looked: bool
    left: Floats
    draw: Floats
    natural: Floats
    spoil: Floats
    ends: Floats
    done: Bools
    version: int = 0  # how often rows were added

    def complete(self, rows: Bools) -> None:
        """Compute the dealer's ends for some rows, where they are missing."""
        missing = rows & ~self.done
        if not missing.any():
            return
        found = ends(self.left[missing], self.up, self.house, by_cards=self.ends.shape[2] > 1)
        if self.looked:
            found[:, NATURAL_END] = 0
            none = 1 - self.natural[missing]
            found /= np.maximum(none, 1e-300)[:, None, None]
            found[none <= 0, 0, -1] = 1  # a natural is certain: any end will do, since none is ever come to
        self.ends[missing] = found
        self.done |= missing
        self.version += 1

    def ends_for(self, by_cards: bool) -> Floats:
        """The dealer's ends as a wager looks at them: apart by number of cards, or together."""
        return self.ends if by_cards or self.ends.shape[2] == 1 else self.ends.sum(axis=2, keepdims=True)

    def split_hands(
        self, nodes: Nodes, pair: int, again: tuple[bool, bool], rank_cards: float
    ) -> Iterator[tuple[Share, float, int, Floats]]:
        """The hands of a split: each share, how often it counts, its node of one card, and its second card's chances.

        `again` says whether the first hand and the others are split again. Where only like tens pair, `rank_cards` is
        how many of the pair's rank the shoe had; else 0.
        """
        reach = [0.0, 1.0]  # by n: how likely n - 1 more of the pair's cards come, one after another
        for share in shares(self.house.most_hands if any(again) else 2, *again):
            while len(reach) <= share.others:
                reach.append(reach[-1] * self._next_is_pair(nodes, pair, len(reach) - 1, rank_cards))
            if reach[share.others]:
                start = int(nodes.start[pair - 1, share.others])
                draw = self.draw[nodes.row[start]].copy()
                if not share.any:
                    draw[pair - 1] -= self._next_is_pair(nodes, pair, share.others, rank_cards)
                yield share, share.times * reach[share.others], start, draw

    def _next_is_pair(self, nodes: Nodes, pair: int, others: int, rank_cards: float) -> float:
        """How likely the next card makes a pair that can be split, with `others` pair cards in sibling hands."""
        row = nodes.row[nodes.start[pair - 1, others]]
        like = 1.0
        if rank_cards:
            tens = self.left[row, 9]
            like = max(rank_cards - 1 - others, 0.0) / tens if tens else 0.0
        return float(self.draw[row, pair - 1] * like)


def against(counts: Sequence[int], up: int, house: House, nodes: Nodes, *, by_cards: bool = False) -> Against:
    """The tables for an up card, from how many cards of 1 to 10 points are in the shoe with it.

    `by_cards` keeps the dealer's ends apart by number of cards, as a third axis.
    """
    cards = np.array(counts, dtype=np.float64)
    chance = cards[up - 1] / cards.sum()
    cards[up - 1] -= 1
    left = np.maximum(cards - nodes.gone, 0)
    size = np.maximum(left.sum(axis=1), 1)
    hole = natural_hole(up)
    looked = peeks(house, up)
    spoil, natural = np.zeros_like(left), np.zeros(len(left))
    if hole >= 0:
        natural = left[:, hole] / size
        if not looked:
            spoil = np.repeat(left[:, hole, None], 10, axis=1)
            spoil[:, hole] -= 1
            spoil = np.maximum(spoil, 0) / np.maximum(size - 1, 1)[:, None]
    room = np.zeros((len(left), ENDS, SIZES if by_cards else 1))
    none = np.zeros(len(left), dtype=np.bool_)
    draw = next_card_chances(left, hole if looked else -1)
    made = Against(house, up, float(chance), looked, left, draw, natural, spoil, room, none)
    made.complete(np.isin(np.arange(len(left)), nodes.row[: len(hands().size)]))
    return made
