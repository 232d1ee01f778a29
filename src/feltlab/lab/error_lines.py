"""Finds the line of a mistake in a sheet's text from the names in the error."""

from __future__ import annotations

import re
from typing import NamedTuple

_AT_LINE = re.compile(r"\bline (\d{1,9})(?:,| is longer)")
_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z][\w.-]*)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*=""")
_PLACE = re.compile(r"(\w+)(?: '([^']*)'| (\d{1,9})(?: \('[^']*'\))?)?(?:, (?:at '[^']*')?|: |$)")
_NAMING = ("id", "name", "key")
LISTS = ("wager", "line", "paytable", "rule", "option", "source", "reading", "claim", "procedure")


class Section(NamedTuple):
    """A section of the text under a header; the first has none. Lines are counted from 0, and `end` is exclusive."""

    path: str
    start: int
    end: int


def sections(lines: list[str]) -> list[Section]:
    """The sections of a text, in order."""
    heads = [("", 0)]
    for number, line in enumerate(lines):
        if found := _HEADER.fullmatch(line):
            heads.append((found[2], number))
    ends = [number for _, number in heads[1:]] + [len(lines)]
    return [Section(path, start, end) for (path, start), end in zip(heads, ends, strict=True)]


def line_of(text: str, error: str) -> int | None:
    r"""The line of a sheet's text, counted from 1, that an error is about; None if unknown.

    >>> text = 'id = "x"\n\n[[wager]]\nid = "pair"\nplced = "deal"\n'
    >>> line_of(text, "wager 1 ('pair'): unknown key 'plced'; did you mean 'placed'?"), line_of(text, "nothing is so")
    (5, None)
    """
    lines = text.split("\n")
    if (found := _AT_LINE.search(error)) and 0 < int(found[1]) <= len(lines):
        return int(found[1])
    parts = sections(lines)
    inside = owner = parts[0]
    path, rest, places = "", error, 0
    while found := _PLACE.match(rest):
        word, name, number = found[1], found[2], found[3]
        if word == "line" and path == "wager.paytable":  # a line's condition, or what the paytable pays for it
            step = _step(lines, parts, owner, "wager", word, name, number)
            if step is None or _quoted(lines, step, rest[found.end() :]) is None:
                rest = rest[found.end() :]
                break
            path = "wager"
        else:
            step = _step(lines, parts, inside, path, word, name, number) if word in LISTS else None
        if step is None:
            break
        owner = step if word == "wager" else owner
        path, inside, places, rest = f"{path}.{word}".strip("."), step, places + 1, rest[found.end() :]
    return _within(lines, parts, inside, rest, named=places > 0)


def _step(
    lines: list[str], parts: list[Section], inside: Section, path: str, word: str, name: str | None, number: str | None
) -> Section | None:
    """The section of a named or numbered entry within the section reached so far."""
    wanted = f"{path}.{word}".strip(".")
    after = [part for part in parts if part.start >= inside.end or not path]
    found = []
    for part in after:
        if path and part.path == path:  # the beginning of the next entry of the same kind
            break
        if part.path == wanted:
            found.append(part)
    if number is not None:
        return found[int(number) - 1] if 0 < int(number) <= len(found) else None
    return next((part for part in found if name is None or name in _names(lines, part)), None)


def _names(lines: list[str], part: Section) -> list[str]:
    """The names of an entry: its id, name and key."""
    pattern = re.compile(rf"""\s*(?:{"|".join(_NAMING)})\s*=\s*(?:"([^"]*)"|'([^']*)')""")
    return [found[1] or found[2] for line in lines[part.start : part.end] if (found := pattern.match(line))]


def _within(lines: list[str], parts: list[Section], inside: Section, rest: str, *, named: bool) -> int | None:
    """The line of the key that the rest of an error names, or else the line of the entry."""
    unknown = re.search(r"unknown key '([^']*)'", rest)
    words = [unknown[1]] if unknown else re.findall(r"[\w-]+", rest)[:3]
    if not unknown and named and (at := _quoted(lines, inside, rest)) is not None:
        return at
    if not unknown and named:
        words.append("when")  # most mistakes in a line are in its condition
    if words[:1] == ["define"]:
        names = set(re.findall(r"'([\w-]+)'", rest)) | set(re.findall(r"define: (\w+)", rest))
        for part in parts:
            if part.path == "define" and (at := _key(lines, part, names)) is not None:
                return at
    for word in words:
        if (at := _key(lines, inside, {word})) is not None:
            return at
        for part in parts:
            if part.path == word:
                return part.start + 1
    return inside.start + 1 if named else None


def _key(lines: list[str], part: Section, names: set[str]) -> int | None:
    for number in range(part.start, part.end):
        found = _KEY.match(lines[number])
        if found and (found[1] or found[2] or found[3]) in names:
            return number + 1
    return None


def _quoted(lines: list[str], part: Section, error: str) -> int | None:
    """The line of a section that contains something quoted in the error, the longest quotation first."""
    for text in sorted(re.findall(r"'([^']{2,})'", error), key=len, reverse=True):
        for number in range(part.start, part.end):
            if text in lines[number]:
                return number + 1
    return None
