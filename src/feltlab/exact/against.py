"""A shoe against one up card: how likely each next card is, and how the dealer ends, for every hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from feltlab.exact.dealer_ends import NATURAL, Floats, ends
from feltlab.exact.hands import Nodes
from feltlab.games.blackjack import PEEK, House, may_be_natural


@dataclass(frozen=True)
class Against:
    """What a player knows with an up card of so many points. All chances are by row of `Nodes`.

    Where the dealer has looked for a natural and has none, `draw` and `ends` know it; `natural` is the chance before.
    `spoil` is the chance of a natural after one more card is drawn, where it is still possible then.
    """

    up: int
    chance: float
    looked: bool
    left: Floats
    draw: Floats
    ends: Floats
    natural: Floats
    spoil: Floats

    def ends_for(self, by_cards: bool) -> Floats:
        """The dealer's ends as a wager looks at them: apart by number of cards, or together."""
        return self.ends if by_cards or self.ends.shape[2] == 1 else self.ends.sum(axis=2, keepdims=True)

    def next_is_pair(self, nodes: Nodes, pair: int, others: int, rank_cards: float) -> float:
        """How likely the next card makes a pair that can be split, with so many more of it in other hands.

        Where only like tens pair, `rank_cards` is how many of the pair's rank the shoe had; else 0.
        """
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
    weighed = ends(left, up, house, by_cards=by_cards)
    natural = weighed[:, NATURAL].sum(axis=1)
    draw = left / size[:, None]
    spoil = np.zeros_like(draw)
    looked = bool(may_be_natural(up)) and house.hole_card == PEEK
    if may_be_natural(up):
        hole = 9 if up == 1 else 0
        others, rest = np.maximum(size - 1, 1), np.maximum(size - left[:, hole], 1)
        if looked:
            draw = left * ((size - 1 - left[:, hole]) / (others * rest))[:, None]
            draw[:, hole] = left[:, hole] / others
            weighed[:, NATURAL] = 0
            weighed /= np.maximum(1 - natural, 1e-300)[:, None, None]
        else:
            spoil = np.repeat(left[:, hole, None], 10, axis=1)
            spoil[:, hole] -= 1
            spoil = np.maximum(spoil, 0) / others[:, None]
    return Against(up, float(chance), looked, left, np.maximum(draw, 0), weighed, natural, spoil)
