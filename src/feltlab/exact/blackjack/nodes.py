"""The nodes of exact play: hands of the graph, seen with other cards gone.

A *node* is a hand by itself, or one split hand, given `others` more pair cards in its sibling hands. What is gone from
the shoe is the node's *row*; nodes with the same cards gone share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from feltlab.hands.graph import BUST, Ints, hands

KEY = 64 ** np.arange(10, dtype=np.int64)  # makes one number of how many cards there are of each kind


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
    """The nodes with up to `others` more pair cards in sibling hands."""
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
