"""What goes wrong, said in one line: what, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class FeltlabError(Exception):
    """Anything a user can mend. Its text is one line for a person; commands print it and exit with 2."""


class SheetError(FeltlabError):
    """A sheet, strategy or jurisdiction file says something that cannot be so."""


class SetupError(FeltlabError):
    """A table was asked for that the sheet, the game or the jurisdiction does not allow."""


class NotCountedError(FeltlabError):
    """A figure that the exact analysis does not reach. The text says why, and that simulation can."""


class Refused(FeltlabError):
    """A wager or an action is not allowed now. The text is the reason, in words for the player."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a word nobody knows: the closest known one, or all of them when none is close.

    >>> nearest("totl", ["total", "soft"])
    "did you mean 'total'?"
    >>> nearest("zzz", ["total", "soft"])
    'known: soft, total'
    """
    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known: " + ", ".join(names) if names else "none is known here"


def listed(words: Iterable[object], last: str = "or") -> str:
    """Words as a person lists them.

    >>> listed([1, 2, 6])
    '1, 2 or 6'
    """
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"
