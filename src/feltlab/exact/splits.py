"""Splits without approximation: what all hands of a split are worth, from what one hand is worth.

The hands of a split draw from one shoe, each by its own cards alone. The cards that have not been seen are as likely to
lie in any order, so a hand is worth the same wherever it stands in the order of play: it matters only which other cards
are known. Those are the pair's cards in other hands, and, where a hand was not split again, that its second card was
*not* the pair's. The last is counted out: not-a-pair is everything, less a pair. What remains are hands that see so
many other cards of the pair and nothing else, each with a whole number.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import comb
from typing import NamedTuple


class Share(NamedTuple):
    """How often one hand of a split counts that sees `others` more cards of the pair in other hands.

    `first` is the first hand of the spot. An `any` hand keeps whatever second card comes; one that is not is split
    again if that card makes a pair, and so counts only where it does not.
    """

    first: bool
    any: bool
    others: int
    times: int


@cache
def shares(most_hands: int, first_again: bool, others_again: bool) -> tuple[Share, ...]:
    """The hands of a split to at most so many, where the first hand and the others are split again or not.

    Splitting once gives two hands that keep what comes:

    >>> shares(2, True, True)
    (Share(first=False, any=True, others=1, times=1), Share(first=True, any=True, others=1, times=1))
    """
    found: Counter[tuple[bool, bool, int]] = Counter()

    def fill(first: bool | None, open_: int, hands: int, drawn: int, kept: int, free: int) -> None:
        """Deal second cards: to the first hand (`first` says how it ended, None not yet), then to the open others."""
        if first is None:
            if first_again and hands < most_hands:
                fill(None, open_ + 1, hands + 1, drawn + 1, kept, free)
                fill(False, open_, hands, drawn, kept, free)
            else:
                fill(True, open_, hands, drawn, kept, free)
        elif open_ and others_again and hands < most_hands:
            fill(first, open_ + 1, hands + 1, drawn + 1, kept, free)
            fill(first, open_ - 1, hands, drawn, kept + 1, free)
        else:
            count(first, drawn, kept, free + open_)

    def count(first: bool, drawn: int, kept: int, free: int) -> None:
        without = kept + (not first)  # hands whose second card is known not to make a pair
        for role, any_, hands in ((True, first, 1), (False, False, kept), (False, True, free)):
            known = without - (not any_)
            for pairs in range(known + 1):
                found[role, any_, 1 + drawn + pairs] += (-1) ** pairs * comb(known, pairs) * hands

    fill(None, 1, 2, 0, 0, 0)
    return tuple(Share(*key, times) for key, times in sorted(found.items()) if times)


def most_others(most_hands: int) -> int:
    """The most other cards of a pair that any share sees."""
    return max(share.others for share in shares(most_hands, True, True))
