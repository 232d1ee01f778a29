"""Bounds of what people send, declared where a field is declared: `decks: Annotated[int, Between(1, 8)]`.

They hold for a request's data, which the service reads by them and documents by them (`web/http/shapes.py`). Code that
makes such a struct itself is not checked. They are not `msgspec.Meta`, for the reason that `docs/design.md` gives.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple


class Between(NamedTuple):
    """A number from `least` to `most`."""

    least: int
    most: int


class Length(NamedTuple):
    """A text of so many characters, or a list or mapping of so many entries."""

    least: int
    most: int


class Pattern(NamedTuple):
    """A text that a regular expression matches as a whole."""

    expression: str


Word = Annotated[str, Length(1, 60)]
Words = Annotated[str, Length(0, 60)]
