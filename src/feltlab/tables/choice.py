"""The choice of a table: one type for the commands, programs, the lab, the service and the database."""

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
    """The choices that make a table of a sheet. What is left out is the sheet's usual table.

    `paytables` are ids such as `P1`, or `wager=id`; `offered` are side wagers; `pays` replaces printed pays, for example
    `{"bad-beat/20-beaten": "25:1"}`; `remove` names cards removed from the shoe, for example `As Kd`.

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
        """The cards removed from the shoe."""
        return tuple(cards(self.remove)) if self.remove.strip() else ()

    @property
    def played_by(self) -> Strategy:
        """The strategy that hands are played by."""
        return parse_strategy(self.strategy)


def _with_arguments_of(
    make: Callable[P, TableChoice],
) -> Callable[[Callable[[S, TableChoice], T]], Callable[Concatenate[S, P], T]]:
    """Make the decorator below: `P` carries the fields of `TableChoice`, so that they are declared once."""

    def decorate(function: Callable[[S, TableChoice], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(function)
        def call(subject: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return function(subject, make(*args, **kwargs))

        return call

    return decorate


with_choice_arguments = _with_arguments_of(TableChoice)
"""Decorates a function of a choice, so that callers pass the fields of the choice as arguments."""
