"""What a fact can be: a yes or no, a number, or one of a few names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Type(NamedTuple):
    """A kind of value. `names` are its named values; `ordered` ones can be compared with < and added up."""

    name: str
    names: Mapping[str, int]
    ordered: bool = False

    def describe(self) -> str:
        """What a value of this type looks like, for an error message."""
        if self == BOOL:
            return "yes or no"
        if self == INT:
            return "a number"
        named = ", ".join(self.names)
        return f"2 to 10 or one of {named}" if self.ordered else f"one of {named}"


BOOL = Type("bool", {})
INT = Type("int", {}, ordered=True)
RANK = Type("rank", {"ace": 1, "ten": 10, "jack": 11, "queen": 12, "king": 13, "none": 0}, ordered=True)
SUIT = Type("suit", {"clubs": 0, "diamonds": 1, "hearts": 2, "spades": 3, "none": 4})
COLOR = Type("color", {"black": 0, "red": 1, "none": 2})


def comparable(left: Type, right: Type) -> bool:
    """May values of these two types stand on the two sides of a comparison?"""
    return left == right or (left.ordered and right.ordered)
