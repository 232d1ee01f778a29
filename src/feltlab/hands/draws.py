"""How likely each next card is, for many shoes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def next_card_chances(left: Floats, excluded: int) -> Floats:
    """How likely each next card is from some shoes, rows of what is left; the dealer's unseen hole card is among it.

    Where the hole card is known not to be of one kind (-1: nothing is known), that kind is the likelier to come, as
    `peek.next_card_ways` counts it:

    >>> next_card_chances(np.array([[2.0, 2.0]]), excluded=1).tolist()
    [[0.3333333333333333, 0.6666666666666666]]
    """
    size = np.maximum(left.sum(axis=1), 1)
    draw: Floats = left / size[:, None]
    if excluded < 0:
        return draw
    others, rest = np.maximum(size - 1, 1), np.maximum(size - left[:, excluded], 1)
    draw = left * ((size - 1 - left[:, excluded]) / (others * rest))[:, None]
    draw[:, excluded] = left[:, excluded] / others
    return draw.clip(min=0)
