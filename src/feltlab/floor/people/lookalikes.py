"""Names that others can tell apart: what a name may be made of, how it looks, and which are not for players.

Players' names are written in Latin letters, with marks or without, and digits. So no letter of another script can stand in for
one that looks the same, and what is left of look-alikes (case, marks, `0` and `O`, `rn` and `m`) is folded into one by `looks`.
"""

from __future__ import annotations

import re
import unicodedata

from feltlab.errors import Refused

NAME = re.compile(r"[^\W_][\w .'-]{1,38}[^\W_]")
LONGEST_LOOKS = 200
LETTERS = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "ł": "l",
    "þ": "p",
    "\u0131": "l",
    "ŋ": "n",
}
ALIKE = str.maketrans({**LETTERS, "0": "o", "1": "l", "i": "l", "|": "l", "5": "s"})
PAIRS = (("vv", "w"), ("rn", "m"))
RESERVED = (
    *("house", "dealer", "bank", "banker", "operator", "casino", "croupier", "cashier", "admin", "administrator"),
    *("support", "staff", "feltlab", "system", "server", "security", "moderator"),
)


def tidy(name: str) -> str:
    """One way to write a name, of several that are the same to Unicode."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def looks(name: str) -> str:
    """How a name looks: two that look the same at a glance give the same.

    >>> looks("H\u00f6use") == looks("h0u5e") == looks("HO USE"), looks("Bill") == looks("BiII"), looks("Ada") == looks("Ida")
    (True, True, False)
    """
    return _alike(tidy(name))[:LONGEST_LOOKS]


def _alike(text: str) -> str:
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))
    found = "".join(one for one in plain.translate(ALIKE) if one.isalnum())
    for pair, one in PAIRS:
        found = found.replace(pair, one)
    return found


def check_name(name: str, *, house: bool = False) -> str:
    """A name that can be shown to others, and that nobody takes for the house's.

    >>> check_name("  Ada  Quill ")
    'Ada Quill'
    """
    found = tidy(name)
    if not NAME.fullmatch(found) or not found.isprintable():
        raise Refused("a name is 3 to 40 letters and digits, with spaces, dots, hyphens or apostrophes between them")
    if not all(map(_is_known, found)):
        raise Refused("a name is written in Latin letters and digits, so that no two look the same")
    if found.lower().startswith("guest"):
        raise Refused("names that begin with guest are for guests")
    if not house and _is_reserved(found):
        raise Refused(f"'{found}' could be taken for the house; choose another name")
    return found


def _is_known(sign: str) -> bool:
    """Is it a Latin letter (perhaps with marks), a digit, or what may stand between them?"""
    first = unicodedata.normalize("NFKD", sign.casefold())[0]
    return (first.isascii() and (first.isalnum() or first in " .'-")) or sign.casefold() in LETTERS


_RESERVED = {_alike(word) for word in RESERVED}


def _is_reserved(name: str) -> bool:
    """Is a word of it, or all of it together, one of the house's? Numbers after it make no difference."""
    words = [*re.split(r"[ .'-]+", name), "".join(re.split(r"[ .'-]+", name))]
    found = {_alike(shown) for word in words for shown in (word, word.rstrip("0123456789"))}
    return any(one in _RESERVED or one.removeprefix("the") in _RESERVED for one in found)
