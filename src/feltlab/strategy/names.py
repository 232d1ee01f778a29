"""The names of strategies that are computed: basic, composition, bonus[:WAGER] and joint[:WAGER]:RATIO.

A name never leads to a file. Whoever wants a chart's file played reads it (`feltlab.strategy.load`) and hands over the
strategy itself: so no name that stands in a sheet, or comes from somewhere else, can make anything be read.
"""

from __future__ import annotations

from typing import NamedTuple

from feltlab.errors import FeltlabError, nearest

NAMES = ("basic", "composition", "bonus", "joint")
COMPUTED = "basic, composition, bonus[:WAGER] or joint[:WAGER]:RATIO"
LONGEST = 60  # of a name that is shown


class Named(NamedTuple):
    """What a name says: which strategy, for which side wager (None: the sheet's own), and how much that is of the main one."""

    word: str
    wager: str | None = None
    ratio: float = 0.0


def is_computed(name: str) -> bool:
    """Is this the name of a computed strategy, and not of anything else?

    >>> is_computed("joint:0.5"), is_computed("my/chart.txt")
    (True, False)
    """
    return name.partition(":")[0] in NAMES


def read_name(name: str) -> Named:
    """What the name of a computed strategy says; refused where it is no such name.

    >>> read_name("joint:bad-beat:0.5")
    Named(word='joint', wager='bad-beat', ratio=0.5)
    """
    word, *rest = name.split(":")
    if word not in NAMES:
        raise FeltlabError(f"there is no strategy '{name[:LONGEST]}'; it is {COMPUTED} ({nearest(word, NAMES)})")
    if word in ("basic", "composition") and rest:
        raise FeltlabError(f"the strategy '{word}' takes nothing after it; write '{word}'")
    if word == "bonus" and len(rest) > 1:
        raise FeltlabError("the strategy 'bonus' takes one side wager after it, as 'bonus:WAGER'")
    if word == "joint" and len(rest) not in (1, 2):
        raise FeltlabError("the strategy 'joint' needs how much the side wager is of the main one, as 'joint:0.5'")
    return Named(word, named_wager(name), _ratio(rest[-1]) if word == "joint" else 0.0)


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


def _ratio(text: str) -> float:
    try:
        ratio = float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio < float("inf"):
        raise FeltlabError(
            f"'{text[:LONGEST]}' is no ratio of the side wager to the main one; write a number, as 'joint:0.5'"
        )
    return ratio
