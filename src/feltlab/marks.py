"""The mark on every function that is a rule of a game.

A marked function takes and gives small integers (or named tuples of them) and calls nothing but other marked
functions, so that `feltlab.compile` can hand it to numba as it stands. Marking costs nothing: the function stays
plain Python, and no game has to import a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar


class Numbers(Protocol):
    """An array of whole numbers, lent to a rule that reads or writes in it."""

    def __getitem__(self, place: int, /) -> int:
        """The number at a place."""
        ...

    def __setitem__(self, place: int, number: int, /) -> None:
        """Set the number at a place."""
        ...


F = TypeVar("F", bound=Callable[..., Any])

MARKED: dict[str, Callable[..., Any]] = {}
"""Every marked function by its qualified name, for example `feltlab.games.blackjack.total`."""


def rule(function: F) -> F:
    """Mark a pure function on small integers as a rule that engines may compile."""
    MARKED[f"{function.__module__}.{function.__name__}"] = function
    return function


def seldom(function: F) -> F:
    """Mark a rule as long and rarely called, so that a compiler does not inline it."""
    function.seldom = True  # type: ignore[attr-defined] # an attribute of our own
    return function
