"""How hands are played: strategies that are computed, the chart that ships for a table, or a chart of one's own.

Every strategy is one of these few types, and `parse_strategy` is the one place that reads its name. A name never leads
to a file: who wants a chart's file played reads it (`load_chart`) and hands over the chart. So no name that stands in a
sheet, or comes from somewhere else, can make anything be read.
"""

from __future__ import annotations

from dataclasses import dataclass

from feltlab.errors import FeltlabError, nearest
from feltlab.strategy.chart import Chart

COMPUTED = "basic, composition, bonus[:WAGER] or joint[:WAGER]:RATIO"
LONGEST = 60  # characters of a name that are shown


@dataclass(frozen=True)
class Basic:
    """Basic strategy: one action for every total against every up card, the best on average over the hands with it."""

    def __str__(self) -> str:
        return "basic"


@dataclass(frozen=True)
class Composition:
    """The best play of the main wager, by the cards of the hand."""

    def __str__(self) -> str:
        return "composition"


@dataclass(frozen=True)
class Bonus:
    """The best play of a side wager, and then of the main one. Without a wager it is the sheet's own."""

    wager: str | None = None

    def __str__(self) -> str:
        return ":".join(["bonus", *([self.wager] if self.wager else [])])


@dataclass(frozen=True)
class Joint:
    """The best play of the main wager and a side wager together, whose stake is `ratio` times the main one.

    >>> str(Joint(0.5, "bad-beat"))
    'joint:bad-beat:0.5'
    """

    ratio: float
    wager: str | None = None

    def __str__(self) -> str:
        return ":".join(["joint", *([self.wager] if self.wager else []), f"{self.ratio!r}".removesuffix(".0")])


@dataclass(frozen=True)
class Standard:
    """The basic strategy chart that ships with Feltlab for a table's decks and rules. It is looked up, not computed."""

    def __str__(self) -> str:
        return "standard"


Strategy = Basic | Composition | Bonus | Joint | Standard | Chart
NAMES = ("basic", "composition", "bonus", "joint", "standard")
DEFAULT = Basic()


def parse_strategy(name: str) -> Strategy:
    """The strategy of a name; refused with what it could be.

    >>> parse_strategy("joint:bad-beat:0.5")
    Joint(ratio=0.5, wager='bad-beat')
    """
    word, *rest = name.split(":")
    if word not in NAMES:
        raise FeltlabError(
            f"there is no strategy '{name[:LONGEST]}'; it is {COMPUTED}, or standard ({nearest(word, NAMES)})"
        )
    if word in ("basic", "composition", "standard"):
        if rest:
            raise FeltlabError(f"the strategy '{word}' takes nothing after it; write '{word}'")
        return Basic() if word == "basic" else Composition() if word == "composition" else Standard()
    if word == "bonus":
        if len(rest) > 1:
            raise FeltlabError("the strategy 'bonus' takes one side wager after it, as 'bonus:WAGER'")
        return Bonus(*rest)
    if len(rest) not in (1, 2):
        raise FeltlabError("the strategy 'joint' needs how much the side wager is of the main one, as 'joint:0.5'")
    return Joint(_ratio(rest[-1]), *rest[:-1])


def is_strategy_name(text: str) -> bool:
    """Whether a text is, or was meant as, the name of a strategy and not a chart's file.

    >>> is_strategy_name("joint:0.5"), is_strategy_name("my/chart.txt")
    (True, False)
    """
    return text.partition(":")[0] in NAMES


def as_strategy(given: str | Strategy) -> Strategy:
    """A strategy that is given by its name or as itself."""
    return parse_strategy(given) if isinstance(given, str) else given


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
