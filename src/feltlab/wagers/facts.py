"""What a wager may look at when it is settled: named small integers, each with a finite range.

A *view* is one settled hand, coup or hit card, as a named tuple of small integers. A *fact* names one of its fields; a
*card function* asks a question about a few of its cards. Both are the same in every engine: a view is made by a marked
function, so that compiled engines make it by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import NamedTuple

from feltlab import cards
from feltlab.wagers.types import BOOL, COLOR, INT, RANK, SUIT, Type

Known = str
"""When a fact is known: `deal` (first cards and up card), `hand` (the hand as it stands), `hit` (the hit card),
`second` (the dealer's second card), `dealer` (the dealer's finished hand), `result` (everything)."""


class Detail(IntEnum):
    """How closely a question looks at cards: at their points, at their ranks, or at their suits as well."""

    POINTS = 0
    RANK = 1
    CARD = 2


class Fact(NamedTuple):
    """A named field of a view: its type, its range and when it is known."""

    name: str
    type: Type
    low: int
    high: int
    known: Known
    sentence: str

    @property
    def field(self) -> str:
        """The view's field: the name with its dot as an underscore."""
        return self.name.replace(".", "_")


class CardFunction(NamedTuple):
    """A question about named cards: how many it takes, and its highest answer (None: the number of cards counted).

    `by_rank` questions take a rank before the cards: `count(ace, first, second)`.
    """

    name: str
    function: Callable[..., int]
    fewest: int
    most: int
    type: Type
    high: int | None
    sentence: str
    by_rank: bool = False
    detail: Detail = Detail.RANK


class Vocabulary(NamedTuple):
    """Everything that a condition on one game may name."""

    game: str
    view: type[tuple[int, ...]]
    cards: Mapping[str, Known]
    facts: Mapping[str, Fact]
    functions: Mapping[str, CardFunction]


def yes_no(name: str, known: Known, sentence: str) -> Fact:
    """A fact that is either true or false."""
    return Fact(name, BOOL, 0, 1, known, sentence)


def vocabulary(
    game: str,
    view: type[tuple[int, ...]],
    named_cards: Mapping[str, Known],
    facts: tuple[Fact, ...],
    points: Callable[[int], int],
    most_points: int,
    most_cards: int,
) -> Vocabulary:
    """A game's own facts, with the card functions that all games share."""

    def about(
        name: str,
        function: Callable[..., int],
        sentence: str,
        *,
        fewest: int = 2,
        most: int = most_cards,
        kind: Type = BOOL,
        high: int | None = 1,
        by_rank: bool = False,
        detail: Detail = Detail.RANK,
    ) -> CardFunction:
        return CardFunction(name, function, fewest, most, kind, high, sentence, by_rank, detail)

    shared = (
        about("rank", cards.rank, "the rank of a card", fewest=1, most=1, kind=RANK, high=13),
        about(
            "suit",
            cards.suit,
            "the suit of a card",
            fewest=1,
            most=1,
            kind=SUIT,
            high=cards.NO_SUIT,
            detail=Detail.CARD,
        ),
        about(
            "color",
            cards.color,
            "the colour of a card",
            fewest=1,
            most=1,
            kind=COLOR,
            high=cards.NO_COLOR,
            detail=Detail.CARD,
        ),
        about(
            "points",
            points,
            "what a card counts in this game",
            fewest=1,
            most=1,
            kind=INT,
            high=most_points,
            detail=Detail.POINTS,
        ),
        about("pair", cards.same_rank, "two cards of one rank", most=2),
        about("trips", cards.same_rank, "three cards of one rank", fewest=3, most=3),
        about("same_rank", cards.same_rank, "all of one rank"),
        about("suited", cards.same_suit, "all of one suit", detail=Detail.CARD),
        about("flush", cards.same_suit, "all of one suit", detail=Detail.CARD),
        about("same_color", cards.same_color, "all of one colour", detail=Detail.CARD),
        about("identical", cards.identical, "all the same card, rank and suit", detail=Detail.CARD),
        about("straight", cards.straight, "neighbouring ranks, the ace high or low"),
        about("straight_ace_high", cards.straight_ace_high, "neighbouring ranks, the ace only high"),
        about("matches", cards.matches, "how many of the others have the first card's rank", kind=INT, high=None),
        about(
            "count",
            cards.count,
            "how many of the cards have a rank, for example count(ace, first, second)",
            fewest=1,
            kind=INT,
            high=None,
            by_rank=True,
        ),
        about(
            "suited_matches",
            cards.suited_matches,
            "how many of the others are the first card",
            kind=INT,
            high=None,
            detail=Detail.CARD,
        ),
    )
    return Vocabulary(
        game, view, named_cards, {fact.name: fact for fact in facts}, {item.name: item for item in shared}
    )
