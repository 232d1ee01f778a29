"""Errors of one line: what is wrong, where, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches

LONGEST_NAME = 60  # longer names are not compared with others, which would take quadratic time
MOST_NAMES = 40
LONGEST_SENTENCE = 700


class FeltlabError(Exception):
    """Anything a user can fix. Its text is one line for a person; commands print it and exit with code 2."""


class SheetError(FeltlabError):
    """A sheet, strategy or jurisdiction file is invalid."""


class SetupError(FeltlabError):
    """The sheet, the game or the jurisdiction does not allow the requested table."""


class NotCountedError(FeltlabError):
    """The exact analysis does not cover a figure. The text says why, and points to simulation."""


class Refused(FeltlabError):
    """A wager or an action is not allowed now. The text is the reason, in words for the player."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for an unknown word: the closest known one, or all known ones when none is close.

    Its time and its length are bounded, however long the word is and however many are known.

    >>> nearest("totl", ["total", "soft"])
    "did you mean 'total'?"
    >>> nearest("zzz", ["total", "soft"])
    'known: soft, total'
    """
    names = sorted(known)
    short = [name for name in names if len(name) <= LONGEST_NAME]
    close = get_close_matches(word, short, n=1) if len(word) <= LONGEST_NAME else []
    if close:
        return f"did you mean '{close[0]}'?"
    if not short:
        return "there are none here" if not names else "none is similar"
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return "known: " + ", ".join(short[:MOST_NAMES]) + more


def one_sentence(text: str) -> str:
    """An error's text on one line, truncated to `LONGEST_SENTENCE` characters.

    >>> len(one_sentence("x" * 100_000))
    700
    """
    text = " ".join(text.splitlines())
    return text if len(text) <= LONGEST_SENTENCE else text[: LONGEST_SENTENCE - 3] + "..."


def listed(words: Iterable[object], last: str = "or") -> str:
    """Words joined as in a sentence.

    >>> listed([1, 2, 6])
    '1, 2 or 6'
    """
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


# msgspec's messages are for programmers; these are for the people who wrote the data.
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "keys with values",
    "null": "nothing",
    "bytes": "bytes",
    "date": "a date",
    "time": "a time",
    "datetime": "a date and a time",
}
_PLACE = re.compile(r" - at `(?:[^`]*)`$")


def _kinds(types: str) -> str:
    return listed(_KINDS.get(kind.strip(), kind.strip()) for kind in types.split("|"))


_WORDS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Expected `array` of length (\d+)", lambda m: f"expected a list of {m[1]}"),
    (r"Expected `array` of at least length (\d+)", lambda m: f"expected a list of {m[1]} or more"),
    (r"Expected `([^`]+)`, got `([^`]+)`", lambda m: f"expected {_kinds(m[1])}, not {_kinds(m[2])}"),
    (r"Expected `([^`]+)`", lambda m: f"expected {_kinds(m[1])}"),
    (r"Object missing required field `([^`]+)`", lambda m: f"missing key '{m[1]}'"),
    (r"Object contains unknown field `([^`]+)`", lambda m: f"unknown key '{m[1]}'"),
    (r"Invalid (?:enum )?value (.+)", lambda m: f"{m[1]} is not an allowed value"),
    (r"Integer value out of range", lambda m: "this number is too large"),
    (r"Invalid UTF-8 encoded string", lambda m: "this is not written in UTF-8"),
    (r"Input data was truncated", lambda m: "it ends too early"),
    (r"JSON is malformed: .*\(byte (\d+)\)", lambda m: f"it is not valid JSON at byte {int(m[1]) + 1}"),
    (r"maximum recursion depth exceeded.*", lambda m: "it is nested too deeply"),
)


def plain_words(message: str) -> str:
    """A message from msgspec in plain words, without the place at its end.

    >>> plain_words("Expected `int`, got `str` - at `$.amount`")
    'expected a whole number, not a text'
    >>> plain_words("Expected `str | array`, got `float`")
    'expected a text or a list, not a number'
    """
    what = _PLACE.sub("", message)
    for pattern, words in _WORDS:
        if match := re.match(pattern, what):
            return words(match)
    return "this cannot be read" if re.match(r"[A-Z]", what) else what


def with_place(message: str) -> str:
    """A message from msgspec in plain words, with its place, if it names one, in front.

    >>> with_place("Expected `int`, got `float` - at `$.amount`")
    'amount: expected a whole number, not a number'
    """
    place = re.search(r" - at `\$\.?([^`]+)`$", message)
    return f"{place[1]}: {plain_words(message)}" if place else plain_words(message)
