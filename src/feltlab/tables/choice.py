"""Which table of a sheet: the one choice that commands, programs, the lab, the service and the database all make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from feltlab.bounds import Between, Length, Word, Words
from feltlab.cards import cards
from feltlab.strategy import DEFAULT, Strategy, parse_strategy

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class TableChoice(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of a sheet, as somebody chooses it. What is left out is the sheet's usual table.

    `paytables` are ids, as `P1`, or `wager=id`; `offered` are side wagers; `pays` replaces printed pays, as
    `{"bad-beat/20-beaten": "25:1"}`; `remove` are cards gone from the shoe, as `As Kd`.

    >>> TableChoice(decks=2, remove="As Kd").removed
    (3, 49)
    """

    decks: Annotated[int, Between(1, 99)] | None = None  # the sheet says which, and which it has
    option: Words | None = None
    paytables: Annotated[Sequence[Word], Length(0, 40)] = ()
    rules: Annotated[Mapping[Word, Words], Length(0, 60)] = {}
    offered: Annotated[Sequence[Word], Length(0, 40)] | None = None
    pays: Annotated[Mapping[Annotated[str, Length(0, 130)], Words], Length(0, 200)] = {}
    remove: Annotated[str, Length(0, 1500)] = ""
    strategy: Word = str(DEFAULT)

    @property
    def removed(self) -> tuple[int, ...]:
        """The cards that are gone from the shoe."""
        return tuple(cards(self.remove)) if self.remove.strip() else ()

    @property
    def played_by(self) -> Strategy:
        """How hands are played."""
        return parse_strategy(self.strategy)


def _taking(
    make: Callable[P, TableChoice],
) -> Callable[[Callable[[S, TableChoice], T]], Callable[Concatenate[S, P], T]]:
    """A decorator for functions of a choice, so that callers can name its parts as arguments; declared once, above."""

    def decorate(use: Callable[[S, TableChoice], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(use)
        def chosen(subject: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return use(subject, make(*args, **kwargs))

        return chosen

    return decorate


choosing = _taking(TableChoice)
