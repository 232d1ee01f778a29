"""Mutants of rule sheets: every pay, every part of every condition, every clause that takes or needs something."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from mutants import COMPARISONS, JOINS, Mutant, Source

DROPPED = ("take", "needs")  # kinds of clauses that are also left out, one at a time
CLAUSES = ("placed", "take", "needs", "settled")

# A named value becomes another of its kind: one that the loader accepts, so that only a played round can notice.
SIBLINGS = {
    "lose": "push",
    "push": "win",
    "win": "lose",
    "ace": "king",
    "king": "queen",
    "banker": "player",
    "player": "tie",
    "tie": "banker",
    "late": "early",
    "early": "late",
    "peek": "none_all",
    "none_original": "none_all",
    "plain": "bonus",
    "bonus": "plain",
    "commission": "no_commission",
    "no_commission": "commission",
}

_STRING_OR_COMMENT = re.compile(r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|\#[^\n]*""")
_MARKER = "\ufffc"
_TOKEN = re.compile(r"\d+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?|[=!<>]=|[<>]", re.ASCII)
_RATIO = re.compile(r"(?P<lost>lose )?(?P<pays>\d+):(?P<to>\d+)")


class Quoted(str):
    """A string of a sheet that knows where its text begins in the file."""

    __slots__ = ("at",)
    at: int


def sheet_mutants(file: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a sheet."""
    source = Source(file, text)
    sheet = read_with_places(text)
    for name, condition in sheet.get("define", {}).items():
        yield from _condition(source, condition, f"define {name}")
    for wager in sheet.get("wager", []):
        yield from _lines(source, wager)
        yield from _paytables(source, wager)
        for kind in CLAUSES:
            yield from _clauses(source, wager, kind)


def read_with_places(text: str) -> dict[str, Any]:
    """A TOML file as plain values whose strings are `Quoted`.

    tomllib tells no places. So each string is first replaced by a numbered marker; where a marker comes out of the
    parser, the string with that number went in. The result must equal the file as tomllib reads it unmarked.
    """
    found: list[Quoted] = []

    def mark(match: re.Match[str]) -> str:
        if match["string"] is None:
            return ""
        quoted = Quoted(tomllib.loads(f"value = {match[0]}")["value"])
        quoted.at = match.start() + 1
        found.append(quoted)
        return f'"{_MARKER}{len(found) - 1}"'

    def restored(value: Any) -> Any:
        if isinstance(value, dict):
            return {restored(key): restored(item) for key, item in value.items()}
        if isinstance(value, list):
            return [restored(item) for item in value]
        is_marker = isinstance(value, str) and value.startswith(_MARKER)
        return found[int(value.removeprefix(_MARKER))] if is_marker else value

    sheet: dict[str, Any] = restored(tomllib.loads(_STRING_OR_COMMENT.sub(mark, text)))
    if sheet != tomllib.loads(text):
        raise ValueError("the places of this file's strings cannot be found; does it have strings of several lines?")
    return sheet


def _lines(source: Source, wager: dict[str, Any]) -> Iterator[Mutant]:
    for line in wager["line"]:
        place = f"{wager['id']}, line {line.get('id', line['name'])}"
        yield from _condition(source, line["when"], place)
        if "pays" in line:
            yield _pay(source, line["pays"], place)


def _paytables(source: Source, wager: dict[str, Any]) -> Iterator[Mutant]:
    for table in wager.get("paytable", []):
        decks = "".join(f", {count} decks" for count in table.get("decks", []))
        for key, pays in table["pays"].items():
            yield _pay(source, pays, f"{wager['id']}, paytable {table['id']}{decks}, {key}")


def _clauses(source: Source, wager: dict[str, Any], kind: str) -> Iterator[Mutant]:
    given = wager.get(kind, [])
    if isinstance(given, Quoted):
        if kind in DROPPED:
            yield source.mutant(given.at - 1, f'"{given}"', "[]", f"{wager['id']}, {kind}")
        return
    for clause in given:
        place = f"{wager['id']}, {kind} at {clause['at']}"
        if "when" in clause:
            yield from _condition(source, clause["when"], place)
        if kind in DROPPED:
            yield _without(source, clause, place)


def _without(source: Source, clause: dict[str, Quoted], place: str) -> Mutant:
    """Leave a clause out, with the comma after it: the brackets around its strings are its own."""
    start = source.text.rindex("{", 0, min(string.at for string in clause.values()))
    end = source.text.index("}", max(string.at + len(string) for string in clause.values())) + 1
    comma = re.compile(r"\s*,").match(source.text, end)
    return source.mutant(start, source.text[start : comma.end() if comma else end], "", place)


def _pay(source: Source, pay: Quoted, place: str) -> Mutant:
    return source.mutant(pay.at, pay, _other_pay(pay), place)


def _other_pay(pay: str) -> str:
    """A pay that the loader accepts and that no stake can mistake for the old one."""
    ratio = _RATIO.fullmatch(pay)
    if ratio and ratio["lost"]:
        return f"lose {ratio['pays']}:{int(ratio['to']) + 1}"
    if ratio:
        return f"{int(ratio['pays']) + 1}:{ratio['to']}"
    return "push" if pay == "lose" else "1:1"


def _condition(source: Source, condition: Quoted, place: str) -> Iterator[Mutant]:
    """Each operator, number, `not` and named value. A condition with none of these is turned around as a whole."""
    span = condition.at, condition.at + len(condition)
    changes = [(match.start(), *change) for match in _TOKEN.finditer(condition) if (change := _change(match))]
    for start, old, new in changes or [(0, str(condition), f"not ({condition})")]:
        yield source.mutant(condition.at + start, old, new, place, span)


def _change(token: re.Match[str]) -> tuple[str, str] | None:
    word = token[0]
    if word.isdecimal():
        return word, str(int(word) + 1)
    if word == "not":
        return "not ", ""
    new = JOINS.get(word) or SIBLINGS.get(word) or (COMPARISONS.get(word) if word != "in" else None)
    return (word, new) if new else None
