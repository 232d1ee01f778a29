"""The strategies: computed ones, the built-in chart for a table, or the user's own chart.

Every strategy is one of these few types, and `parse_strategy` is the only place that parses a strategy's name. A name
never leads to a file: to play a chart's file, load it with `load_chart` and pass the chart. So no name in a sheet or a
request can cause a file to be read.
"""

from __future__ import annotations

from dataclasses import dataclass

from feltlab.errors import FeltlabError, nearest
from feltlab.strategy.chart import Chart

COMPUTED = "basic, composition, bonus[:WAGER] or joint[:WAGER]:RATIO"
LONGEST = 60  # characters of a name that are shown in errors


@dataclass(frozen=True)
class Basic:
    """Basic strategy: for each total against each up card, the action that is best on average over its hands."""

    def __str__(self) -> str:
        return "basic"


@dataclass(frozen=True)
class Composition:
    """The best play of the main wager, by the cards of the hand."""

    def __str__(self) -> str:
        return "composition"


@dataclass(frozen=True)
class Bonus:
    """The best play of a side wager and, among equals, of the main one. Without a wager: the sheet's first."""

    wager: str | None = None

    def __str__(self) -> str:
        return ":".join(["bonus", *([self.wager] if self.wager else [])])


@dataclass(frozen=True)
class Joint:
    """The best play of the main wager and a side wager together, where the side stake is `ratio` times the main one.

    >>> str(Joint(0.5, "bad-beat"))
    'joint:bad-beat:0.5'
    """

    ratio: float
    wager: str | None = None

    def __str__(self) -> str:
        return ":".join(["joint", *([self.wager] if self.wager else []), f"{self.ratio!r}".removesuffix(".0")])


@dataclass(frozen=True)
class Standard:
    """The built-in basic strategy chart for a table's decks and rules: looked up, not computed."""

    def __str__(self) -> str:
        return "standard"


Strategy = Basic | Composition | Bonus | Joint | Standard | Chart
NAMES = ("basic", "composition", "bonus", "joint", "standard")
DEFAULT = Basic()


def parse_strategy(name: str) -> Strategy:
    """Parse the name of a strategy.

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
            raise FeltlabError("the strategy 'bonus' takes one side wager after it: 'bonus:WAGER'")
        return Bonus(*rest)
    if len(rest) not in (1, 2):
        raise FeltlabError(
            "the strategy 'joint' needs the ratio of the side stake to the main one, for example 'joint:0.5'"
        )
    return Joint(_ratio(rest[-1]), *rest[:-1])


def is_strategy_name(text: str) -> bool:
    """Whether a text is meant as the name of a strategy, not as a chart's file.

    >>> is_strategy_name("joint:0.5"), is_strategy_name("my/chart.txt")
    (True, False)
    """
    return text.partition(":")[0] in NAMES


def as_strategy(given: str | Strategy) -> Strategy:
    """A strategy, given as itself or by its name."""
    return parse_strategy(given) if isinstance(given, str) else given


def _ratio(text: str) -> float:
    try:
        ratio = float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio < float("inf"):
        raise FeltlabError(
            f"'{text[:LONGEST]}' is not a ratio of the side stake to the main one; write a number, for example 'joint:0.5'"
        )
    return ratio
