"""What is known of the dealer's hole card: whether a natural is ruled out, and what that says of the next card."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from feltlab.games.blackjack import PEEK, House, may_be_natural


def natural_hole(up: int) -> int:
    """The place (its points less one) of the hole card that makes a natural with an up card; -1 where none does.

    >>> natural_hole(1), natural_hole(10), natural_hole(6)
    (9, 0, -1)
    """
    return next((place for place in range(10) if {up, place + 1} == {1, 10}), -1)


def peeks(house: House, up: int) -> bool:
    """Whether the dealer looks for a natural under this up card."""
    return house.hole_card == PEEK and bool(may_be_natural(up))


def natural_ruled_out(house: House, up: int) -> bool:
    """Whether the dealer is known to have no natural when players' naturals are paid."""
    return house.hole_card == PEEK or not may_be_natural(up)


def next_card_ways(left: Sequence[int], excluded: Collection[int]) -> list[int]:
    """The ways in which each card comes next from what is left, counted together with a hole card that is none of some.

    The excluded cards are the likelier to come: the hole card takes one of the others away.

    >>> next_card_ways([2, 2], excluded=[1])
    [2, 4]
    """
    holes = sum(left) - sum(left[place] for place in excluded)
    return [count * (holes - (place not in excluded)) for place, count in enumerate(left)]
