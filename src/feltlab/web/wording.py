"""What is wrong with a request, in plain words: a sentence for each kind of mistake, and never the library's own.

The value itself is never said: it may be a password.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from feltlab.errors import listed

MOST_MISTAKES = 10
_FROM = ("body", "query", "path", "header")
Context = Mapping[str, Any]


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {'entries' if one == 'entry' else one + 's'}"


def _bound(word: str, key: str) -> Callable[[Context], str]:
    return lambda context: f"expected a number {word} {context[key]:,}"


_SENTENCES: Mapping[str, Callable[[Context], str]] = {
    "missing": lambda _: "this is missing",
    "extra_forbidden": lambda _: "nothing of this name is known here",
    "int_type": lambda _: "expected a whole number",
    "int_parsing": lambda _: "expected a whole number",
    "int_parsing_size": lambda _: "expected a whole number that is not so long",
    "int_from_float": lambda _: "expected a whole number",
    "float_type": lambda _: "expected a number",
    "float_parsing": lambda _: "expected a number",
    "finite_number": lambda _: "expected a number that has an end",
    "string_type": lambda _: "expected a text",
    "string_unicode": lambda _: "expected a text whose letters can be written",
    "string_too_short": lambda c: f"expected a text of {_count(c['min_length'], 'letter')} or more",
    "string_too_long": lambda c: f"expected a text of at most {_count(c['max_length'], 'letter')}",
    "string_pattern_mismatch": lambda _: "there is nothing of this name",
    "list_type": lambda _: "expected a list",
    "tuple_type": lambda _: "expected a list",
    "dict_type": lambda _: "expected names with values",
    "model_type": lambda _: "expected names with values",
    "model_attributes_type": lambda _: "expected names with values",
    "too_short": lambda c: f"expected {_count(c['min_length'], 'entry')} or more",
    "too_long": lambda c: f"expected at most {_count(c['max_length'], 'entry')}",
    "literal_error": lambda c: f"expected {_either(c['expected'])}",
    "json_invalid": lambda _: "this is no JSON that can be read",
    "greater_than_equal": _bound("of at least", "ge"),
    "less_than_equal": _bound("of at most", "le"),
}
UNKNOWN = "this is not as it should be"


def _either(said: str) -> str:
    """The words of a choice, which the library lists in quotes."""
    words = said.split("'")[1::2]
    return listed(words) if words else said


def mistakes(found: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What is wrong, place by place."""
    return [{"at": ".".join(map(str, one["loc"])), "what": _what(one)} for one in found[:MOST_MISTAKES]]


def _what(one: Mapping[str, Any]) -> str:
    sentence = _SENTENCES.get(one["type"])
    return sentence(one.get("ctx") or {}) if sentence else UNKNOWN


def detail_of(wrong: Sequence[Mapping[str, str]], count: int) -> str:
    """All of it in a line: the first mistake, and how many there are."""
    if not wrong:
        return "the request is not as it should be"
    source, _, place = wrong[0]["at"].partition(".")
    first = f"{place if source in _FROM and place else wrong[0]['at']}: {wrong[0]['what']}"
    return first if count == 1 else f"{first} (the first of {count} mistakes)"


def status_words(status: int, method: str) -> str:
    """What an answer without an error of our own says: an address that is not there, a method that is not for it."""
    if status == HTTPStatus.NOT_FOUND:
        return "there is nothing at this address"
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return f"this address does not take {method[:10]}"
    return HTTPStatus(status).phrase.lower()
