"""What is wrong with a request, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from feltlab.web.http.shapes import Mistake

MOST_MISTAKES = 10


def said(mistakes: Sequence[Mistake]) -> list[dict[str, str]]:
    """The first mistakes, as an answer lists them."""
    return [{"at": ".".join(map(str, one.at)), "what": one.what} for one in mistakes[:MOST_MISTAKES]]


def detail_of(mistakes: Sequence[Mistake]) -> str:
    """All of them in a line: the first one, and how many there are.

    >>> detail_of([Mistake(("body", "bets", "main"), "expected a whole number"), Mistake(("body", "spot"), "this is missing")])
    'bets.main: expected a whole number (the first of 2 mistakes)'
    """
    (source, *place), what = mistakes[0]
    first = f"{'.'.join(map(str, place or [source]))}: {what}"
    return first if len(mistakes) == 1 else f"{first} (the first of {len(mistakes)} mistakes)"


def status_words(status: int, method: str) -> str:
    """What an answer without an error of our own says: an address that is not there, a method that is not for it."""
    if status == HTTPStatus.NOT_FOUND:
        return "there is nothing at this address"
    return f"this address does not take {method[:10]}"
