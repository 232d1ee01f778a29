"""The types of facts: yes or no, a number, or one of a few named values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Type(NamedTuple):
    """A type of value. `names` are its named values; values of `ordered` types can be compared with < and added."""

    name: str
    names: Mapping[str, int]
    ordered: bool = False

    def describe(self) -> str:
        """What a value of this type looks like, for error messages."""
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
    """Whether values of these two types can be compared."""
    return left == right or (left.ordered and right.ordered)
