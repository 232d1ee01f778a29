"""The names of strategies that are computed: basic, composition, bonus[:WAGER] and joint[:WAGER]:RATIO."""

from __future__ import annotations

NAMES = ("basic", "composition", "bonus", "joint")


def has_wager_in_view(name: str) -> bool:
    """Does a strategy by this name look at a side wager? A chart's file may."""
    return name.partition(":")[0] not in ("basic", "composition")


def named_wager(name: str) -> str | None:
    """The side wager that a strategy's name says to play for; None where it is the sheet's own.

    >>> named_wager("bonus:bad-beat"), named_wager("joint:bad-beat:0.5"), named_wager("joint:0.5")
    ('bad-beat', 'bad-beat', None)
    """
    word, *rest = name.split(":")
    said = {"bonus": 1, "joint": 2}.get(word)
    return rest[0] if len(rest) == said else None
