"""Names that people can tell apart: allowed characters, look-alikes, and names reserved for the house.

Players' names are written in Latin letters, with or without diacritics, and digits. So no letter of another script can pass
for one that looks the same; the remaining look-alikes (case, diacritics, `0` and `O`, `rn` and `m`) are folded by `looks`.
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
    """The normal form of a name, of several that are equivalent in Unicode."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def looks(name: str) -> str:
    """How a name looks: equal for names that look the same at a glance.

    >>> looks("H\u00f6use") == looks("h0u5e") == looks("HO USE"), looks("Bill") == looks("BiII"), looks("Ada") == looks("Ida")
    (True, True, False)
    """
    return _alike(tidy(name))[:LONGEST_LOOKS]


def _alike(text: str) -> str:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(sign))
    folded = "".join(sign for sign in plain.translate(ALIKE) if sign.isalnum())
    for pair, letter in PAIRS:
        folded = folded.replace(pair, letter)
    return folded


def check_name(name: str, *, house: bool = False) -> str:
    """The normal form of a name, refused if it cannot be shown to others or could be taken for the house.

    >>> check_name("  Ada  Quill ")
    'Ada Quill'
    """
    tidied = tidy(name)
    if not NAME.fullmatch(tidied) or not tidied.isprintable():
        raise Refused("a name is 3 to 40 letters and digits, with spaces, dots, hyphens or apostrophes between them")
    if not all(map(_is_allowed, tidied)):
        raise Refused("a name is written in Latin letters and digits, so that no two look the same")
    if tidied.lower().startswith("guest"):
        raise Refused("names that begin with guest are for guests")
    if not house and _is_reserved(tidied):
        raise Refused(f"'{tidied}' could be taken for the house; choose another name")
    return tidied


def _is_allowed(sign: str) -> bool:
    """Whether it is a Latin letter (perhaps with diacritics), a digit, or may stand between them."""
    first = unicodedata.normalize("NFKD", sign.casefold())[0]
    return (first.isascii() and (first.isalnum() or first in " .'-")) or sign.casefold() in LETTERS


_RESERVED = {_alike(word) for word in RESERVED}


def _is_reserved(name: str) -> bool:
    """Whether a word of a name, or all words joined, is reserved; digits at the end make no difference."""
    words = [*re.split(r"[ .'-]+", name), "".join(re.split(r"[ .'-]+", name))]
    folded = {_alike(shown) for word in words for shown in (word, word.rstrip("0123456789"))}
    return any(word in _RESERVED or word.removeprefix("the") in _RESERVED for word in folded)
