"""Reads the small text files that people write (sheets, jurisdictions, charts), with errors of one line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from feltlab.errors import SheetError, listed, nearest, plain_words

LARGEST_FILE = 1_000_000

LONGEST_TEXT = 2000
LONGEST_LINE = 5000
MOST_KEY_PARTS = 20  # of a dotted key such as a.b.c: the parser takes quadratic time in them

T = TypeVar("T")
Structs = Mapping[str, type[msgspec.Struct]]
"""The struct at each path of a file, for example `$.wager[]`; used to suggest the nearest key."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table in a file. Its texts are non-empty and bounded, its ids can be typed, its decks are 1 to 8.

    msgspec could check this with `Meta` annotations, but those can crash the interpreter at exit (msgspec issue 717).
    """

    def __post_init__(self) -> None:
        """Check the fields; msgspec adds the entry's place to what is raised here."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str):
                    _check_text(name, item)
                elif name == "decks" and isinstance(item, int) and not 1 <= item <= 8:
                    shown = item if abs(item) < 10**9 else "a number that large"  # int-to-str has a digit limit
                    raise ValueError(f"'decks' are 1 to 8, not {shown}")


_IDS = frozenset({"id", "key", "at", "wager", "family", "excludes", "default", "placed", "settled", "needs", "values"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,59}", re.ASCII)


def _check_text(name: str, text: str) -> None:
    if not text.strip():
        raise ValueError(f"'{name}' is empty")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"'{name}' is longer than {LONGEST_TEXT} characters")
    if name in _IDS and not _ID.fullmatch(text):
        raise ValueError(f"'{name}' is not an id; use letters, digits and -, for example bad-beat")


# Key parts joined by dots, anywhere on a line. A string could match as well, but nobody writes such a string.
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DOTTED = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_KEY_PARTS}}}")


def read_text(path: Path) -> str:
    """Read a small text file; refused in one line if it is not one."""
    shown = str(path) if str(path).isprintable() else ascii(str(path))
    try:
        if path.is_dir():
            raise SheetError(f"{shown} is a folder; give the path of a file in it")
        if not path.exists():
            raise SheetError(f"{shown} does not exist; give a built-in name or the path of a file that does")
        if not path.is_file():
            raise SheetError(f"{shown} is not a plain file; give the path of one")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise SheetError(f"{shown[:80]} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LARGEST_FILE:
        raise SheetError(f"{shown} is larger than {LARGEST_FILE:,} bytes, the most that a file may have")
    if b"\x00" in data:
        raise SheetError(f"{shown} is not a text file")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SheetError(f"{shown} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def exists(path: Path) -> bool:
    """Whether there is something at this path. A name that no file system can hold does not exist."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML into plain values; the parser's own message names the line and column."""
    for number, line in enumerate(text.split("\n"), 1):  # TOML's own line ends, which are fewer than splitlines()'s
        if len(line) > LONGEST_LINE:
            raise SheetError(f"{where}: line {number} is longer than {LONGEST_LINE} characters; break it up")
        if _DOTTED.search(line):
            raise SheetError(f"{where}: line {number}, a dotted key has more than {MOST_KEY_PARTS} parts")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SheetError(f"{where} is not TOML: {' '.join(str(error).split())}") from None
    except ValueError:  # a number of thousands of digits, which int() refuses
        raise SheetError(f"{where} is not TOML: a number in it is too long; a sheet needs none above 8") from None
    except RecursionError:
        raise SheetError(f"{where} is nested too deeply; a sheet needs no more than four levels") from None
    _check_characters(data, where, ())
    return data


# Control characters, bidirectional overrides, and separators that some programs take for the end of a line.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def check_characters(text: str, where: str) -> None:
    """Refuse control characters: the text is shown in terminals, logs and on pages."""
    if match := _CONTROL.search(text):
        raise SheetError(f"{where}: it contains the control character U+{ord(match[0]):04X}; remove it")


def _check_characters(value: Any, where: str, place: tuple[str, ...]) -> None:
    if isinstance(value, str):
        check_characters(value, f"{where}: {', '.join(place)}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_characters(key, f"{where}: {', '.join((*place, 'a key'))}")
            _check_characters(inner, where, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            _check_characters(inner, where, (*place[:-1], f"{place[-1]} {number}"))


def decode(data: dict[str, Any], kind: type[T], where: str, structs: Structs) -> T:
    """Convert plain values to a frozen struct; the error names a key that is unknown, missing or of the wrong type."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise SheetError(f"{where}: {_explain(str(error), data, structs)}") from None


_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `(\$[^`]*)`)?", re.DOTALL)


def _explain(message: str, data: dict[str, Any], structs: Structs) -> str:
    unknown = _UNKNOWN.fullmatch(message)  # first: a key may look like the place of a mistake
    what, _, place = message.partition(" - at `") if not unknown else ("", "", unknown[2] or "")
    place = place.rstrip("`") or "$"
    if place.startswith("key"):  # how msgspec reports a bad key of a table
        what, place = f"{plain_words(what)} as a key", "$"
    if unknown:
        struct = structs.get(re.sub(r"\[\d+\]", "[]", place))
        fields = struct.__struct_fields__ if struct else ()
        what = f"unknown key '{unknown[1]}'; {nearest(unknown[1], fields)}"
    else:
        what = plain_words(what) + _choices(place, structs)
    readable = _readable_place(place, data)
    return f"{readable}: {what}" if readable else what


def _choices(place: str, structs: Structs) -> str:
    """The allowed words at a place, where only a few are allowed."""
    parent, _, key = re.sub(r"\[\d+\]", "[]", place).removesuffix("[]").rpartition(".")
    fields = msgspec.structs.fields(structs[parent]) if parent in structs else ()
    words = [word for field in fields if field.encode_name == key for word in _literals(field.type)]
    return f"; it is {listed(words)}" if words else ""


def _literals(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [word for word in get_args(kind) if isinstance(word, str)]
    return [word for part in get_args(kind) for word in _literals(part)]


def _readable_place(place: str, data: Any) -> str:
    """A path such as `$.wager[1].line[0]` in words, with ids and names where there are any."""
    words = []
    for key, number in re.findall(r"\.(\w+)|\[(\d{1,9}|\.\.\.)\]", place):
        if key:
            words.append(key)
            data = data.get(key) if isinstance(data, dict) else None
        else:
            inside = isinstance(data, list) and number.isdigit() and int(number) < len(data)
            data = data[int(number)] if inside else None
            label = (data.get("id") or data.get("name")) if isinstance(data, dict) else None
            ordinal = str(int(number) + 1) if number.isdigit() else "?"
            words[-1:] = [f"{words[-1]} {ordinal}" if words else ordinal]
            if isinstance(label, str):
                words[-1] += f" ('{label[:40]}')"
    return ", ".join(words)
