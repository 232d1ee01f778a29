"""Questions about single cards as a kernel takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.compile.card_questions import CARD_VALUES, Questions

Ints = NDArray[np.int64]
Small = NDArray[np.int16]

# A description is the number of groups, and of each group: how many cards it looks at, their places (of six: those of a
# coup, or a hand's first and second, the up card, the hole card and the hit card), where its table begins, and how many
# answers there are.
PLACES, BEGINS, CODES, STRIDE = 1, 7, 8, 9


class PackedQuestions(NamedTuple):
    """Some questions, described in numbers, and their tables one after another."""

    spec: Ints
    table: Small


def pack_questions(questions: Questions) -> PackedQuestions:
    """The tables of some questions."""
    spec = np.zeros(1 + STRIDE * len(questions.groups), dtype=np.int64)
    spec[0] = len(questions.groups)
    begin = 0
    for group, row in zip(questions.groups, spec[1:].reshape(-1, STRIDE), strict=True):
        row[0] = len(group.fields)
        row[PLACES : PLACES + len(group.fields)] = group.fields
        row[BEGINS], row[CODES] = begin, len(group.answers)
        begin += len(group.table)
    tables = [group.table for group in questions.groups] or [np.zeros(0, dtype=np.int64)]
    return PackedQuestions(spec, np.concatenate(tables).astype(np.int16))


@rule
@seldom
def answered(spec: Numbers, table: Numbers, at_spec: int, at_table: int, a: int, b: int, c: int, d: int, e: int, f: int) -> int:  # fmt: skip
    """The number of the answers to all questions about six cards; 0 where nothing is asked."""
    code = 0
    for group in range(spec[at_spec]):
        own = at_spec + 1 + group * STRIDE
        place = 0
        for turn in range(spec[own]):
            at = spec[own + PLACES + turn]
            card = a if at == 0 else b if at == 1 else c if at == 2 else d if at == 3 else e if at == 4 else f
            place = place * CARD_VALUES + card + 1
        code = code * spec[own + CODES] + table[at_table + spec[own + BEGINS] + place]
    return code
