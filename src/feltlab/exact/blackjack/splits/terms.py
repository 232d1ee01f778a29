"""Splits without approximation: what all hands of a split are worth, from what one hand is worth.

The hands of a split draw from one shoe, each by its own cards alone. The cards that have not been seen are as likely to
lie in any order, so a hand is worth the same wherever it stands in the order of play: it matters only which other cards
are known. Those are the pair's cards in other hands, and, where a hand was not split again, that its second card was
*not* the pair's. The last is counted out: not-a-pair is everything, less a pair. What remains are hands that see so
many other cards of the pair and nothing else, each with a whole number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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


class PairShare(NamedTuple):
    """How often two hands of a split count together that see `others` more cards of the pair in other hands.

    `first` says that the one is the first hand of the spot; `any` is for the one and for the other.
    """

    first: bool
    any: tuple[bool, bool]
    others: int
    times: int


class _Dealt(NamedTuple):
    """A way to deal second cards: how the first hand ended, pair cards drawn, other hands without and with any card."""

    first_any: bool
    drawn: int
    kept: int
    free: int

    @property
    def without(self) -> int:
        """The hands whose second card is known not to make a pair."""
        return self.kept + (not self.first_any)


def _dealt(most_hands: int, first_again: bool, others_again: bool) -> Iterator[_Dealt]:
    """Deal second cards in every way: to the first hand until it is not split again, then to the others."""

    def fill(first_any: bool | None, open_: int, hands: int, drawn: int, kept: int) -> Iterator[_Dealt]:
        if first_any is None:
            if first_again and hands < most_hands:
                yield from fill(None, open_ + 1, hands + 1, drawn + 1, kept)
                yield from fill(False, open_, hands, drawn, kept)
            else:
                yield from fill(True, open_, hands, drawn, kept)
        elif open_ and others_again and hands < most_hands:
            yield from fill(first_any, open_ + 1, hands + 1, drawn + 1, kept)
            yield from fill(first_any, open_ - 1, hands, drawn, kept + 1)
        else:
            yield _Dealt(first_any, drawn, kept, open_)

    return fill(None, 1, 2, 0, 0)


def _without_pairs(known: int) -> Iterator[tuple[int, int]]:
    """Not-a-pair is everything, less a pair: how many cards are counted as pairs after all, with sign and number."""
    for pairs in range(known + 1):
        yield pairs, (-1) ** pairs * comb(known, pairs)


@cache
def shares(most_hands: int, first_again: bool, others_again: bool) -> tuple[Share, ...]:
    """The hands of a split to at most `most_hands`, where the first hand and the others are split again or not.

    Splitting once gives two hands that keep what comes:

    >>> shares(2, True, True)
    (Share(first=False, any=True, others=1, times=1), Share(first=True, any=True, others=1, times=1))
    """
    found: Counter[tuple[bool, bool, int]] = Counter()
    for way in _dealt(most_hands, first_again, others_again):
        for first, any_, hands in ((True, way.first_any, 1), (False, False, way.kept), (False, True, way.free)):
            for pairs, times in _without_pairs(way.without - (not any_)) if hands else ():
                found[first, any_, 1 + way.drawn + pairs] += times * hands
    return tuple(Share(*key, times) for key, times in sorted(found.items()) if times)


@cache
def pair_shares(most_hands: int, first_again: bool, others_again: bool) -> tuple[PairShare, ...]:
    """Every two hands of a split to at most `most_hands`.

    >>> pair_shares(2, True, True)
    (PairShare(first=True, any=(True, True), others=0, times=1),)
    """
    found: Counter[tuple[bool, tuple[bool, bool], int]] = Counter()
    for way in _dealt(most_hands, first_again, others_again):
        kept, free = way.kept, way.free
        cases = (
            (True, (way.first_any, False), kept),
            (True, (way.first_any, True), free),
            (False, (False, False), comb(kept, 2)),
            (False, (False, True), kept * free),
            (False, (True, True), comb(free, 2)),
        )
        for first, any_, hands in cases:
            for pairs, times in _without_pairs(way.without - any_.count(False)) if hands else ():
                found[first, any_, way.drawn + pairs] += times * hands
    return tuple(PairShare(*key, times) for key, times in sorted(found.items()) if times)


def most_others(most_hands: int) -> int:
    """The most other cards of a pair that any share sees."""
    return max(share.others for share in shares(most_hands, True, True))
