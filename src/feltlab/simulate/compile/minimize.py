"""An automaton minimized by Moore's refinement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def minimize(fixed: Ints, child: Ints) -> tuple[Ints, Ints]:
    """The class of each state, and a state of each class.

    States are equivalent if their rows of `fixed` are the same and every child (where it is not below 0, which is fixed
    too) is alike.

    >>> minimize(np.array([[1], [1], [2], [2]]), np.array([[2], [3], [-1], [-1]]))[0].tolist()
    [0, 0, 1, 1]
    """
    rows = np.concatenate([fixed, np.minimum(child, 0)], axis=1)
    like = _classes(rows)
    while True:
        children = np.where(child >= 0, like[np.maximum(child, 0)], -1)
        finer = _classes(np.concatenate([like[:, None], children], axis=1))
        if finer.max(initial=0) == like.max(initial=0):
            _, lead = np.unique(finer, return_index=True)
            return finer, lead
        like = finer


def _classes(rows: Ints) -> Ints:
    _, like = np.unique(rows, axis=0, return_inverse=True)
    return like.reshape(-1)
