"""Charts as text, in one format for the standard ones that come with Feltlab and for a user's own.

decks: 4-8
rules: soft17=hit

2   3   4   5   6   7   8   9   T   A
hard 16  S   S   S   S   S   H   H   Rh  Rh  Rh
soft 18  Ds  Ds  Ds  Ds  Ds  S   S   H   H   H
pair 8   P   P   P   P   P   P   P   P   P   Rp

hand T,2 v 4: H          an exact hand, which comes before the chart
hand A,8 v 6 bonus: S    only while the bonus wager can still win (no bonus: only when it cannot)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from feltlab.errors import SheetError, nearest
from feltlab.files import check_characters, read_text
from feltlab.strategy.chart import Actions, Cell, Chart, Exact, card_letter

HERE = Path(__file__).parent / "charts"
UP_CARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
ROWS = {"hard": range(4, 22), "soft": range(12, 22), "pair": UP_CARDS}

CODES: Mapping[str, Actions] = {
    "S": ("stand",),
    "H": ("hit", "stand"),
    "D": ("double", "hit", "stand"),
    "Ds": ("double", "stand"),
    "P": ("split",),
    "Rh": ("surrender", "hit", "stand"),
    "Rs": ("surrender", "stand"),
    "Rp": ("surrender", "split"),
    "Rd": ("surrender", "double", "hit", "stand"),
}
"""The actions of each code; the first legal one is taken. A pair that cannot be split is played as its total."""

IF_DOUBLING_AFTER_SPLIT: Mapping[str, tuple[str, str]] = {"Ph": ("P", "H"), "Pd": ("P", "D"), "Ps": ("P", "S")}
"""Codes that split only where a split hand may be doubled."""

_POINTS = {card_letter(count): count for count in range(1, 11)} | {"10": 10, "J": 10, "Q": 10, "K": 10}
_ROW = re.compile(r"^[ \t]*(?:hard|soft|pair)[ \t]+\w", re.MULTILINE)
_HAND = re.compile(r"hand ([\w,]+) v (\w+)( bonus| no bonus)?\s*:\s*(\w+)")


def standard_chart(decks: int, rules: Mapping[str, str]) -> Chart:
    """The built-in basic strategy chart whose rules fit a deck count and house rules best."""
    size = "1" if decks == 1 else "2" if decks == 2 else "4-8"
    name = f"decks-{size}-{'h17' if rules['soft17'] == 'hit' else 's17'}"
    if rules["hole-card"] == "none-all":
        name = f"decks-4-8-{name[-3:]}-no-hole"
    return _shipped(name, rules["das"] == "yes")


@cache
def _shipped(name: str, das: bool) -> Chart:
    return parse_chart(read_text(HERE / f"{name}.txt"), name, das=das)


def shipped_names() -> list[str]:
    """The charts that come with Feltlab."""
    return sorted(path.stem for path in HERE.glob("*.txt"))


def load_chart(path: str, *, das: bool = True) -> Chart:
    """Load a chart from a user's file. This is the only place where a chart is read from a given path."""
    return parse_chart(read_text(Path(path)), path, das=das)


def parse_chart(text: str, name: str, *, das: bool = True) -> Chart:
    """Parse a chart. Every cell of every row must be present."""
    check_characters(text, name)
    if text.strip() and not _ROW.search(text):  # not a chart at all: nothing of it is quoted in the error
        raise SheetError(f"{name} is not a chart: it has no row that begins with hard, soft or pair, such as 'hard 16'")
    chart: dict[Cell, Actions] = {}
    exact: dict[Exact, Actions] = {}
    columns: list[int] | None = None
    source = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.split("#")[0].strip(), f"{name}, line {number}"
        words = line.split()
        if not words or words[0] in ("decks:", "rules:"):
            continue
        if words[0] == "source:":
            source = line.removeprefix("source:").strip()
        elif words[0] == "hand":
            key, code = _exact(line, where)
            exact[key] = _actions(code, das, where)
        elif words[0] in ROWS:
            chart.update(_row(words, columns, das, where))
        else:
            columns = [_points(word, where) for word in words]
    for kind, totals in ROWS.items():
        for total in totals:
            for up in UP_CARDS:
                if Cell(kind, total, up) not in chart:
                    row = card_letter(total) if kind == "pair" else total
                    raise SheetError(f"{name}: the chart has a hole at {kind} {row} against {card_letter(up)}")
    return Chart(name, chart, exact, source)


def _row(words: list[str], columns: list[int] | None, das: bool, where: str) -> dict[Cell, Actions]:
    if columns is None:
        raise SheetError(f"{where}: a line with the up cards, 2 3 4 5 6 7 8 9 T A, comes before the first row")
    kind, label, codes = words[0], words[1] if len(words) > 1 else "", words[2:]
    total = _points(label, where) if kind == "pair" else int(label) if re.fullmatch(r"[0-9]{1,2}", label) else 0
    if total not in ROWS[kind]:
        raise SheetError(f"{where}: there is no row '{kind} {label}'; hard 4 to 21, soft 12 to 21, pair 2 to A")
    if len(codes) != len(columns):
        raise SheetError(f"{where}: {len(codes)} codes for {len(columns)} up cards")
    row = {Cell(kind, total, up): _actions(code, das, where) for up, code in zip(columns, codes, strict=True)}
    if kind != "pair" and any("split" in actions for actions in row.values()):
        raise SheetError(f"{where}: {kind} {label} cannot be split; only rows of pairs can")
    return row


def _exact(line: str, where: str) -> tuple[Exact, str]:
    match = _HAND.fullmatch(line)
    if not match:
        raise SheetError(f"{where}: an exact hand is written like 'hand T,2 v 4: H'")
    hand = tuple(sorted(_points(word, where) for word in match[1].split(",")))
    bonus = None if match[3] is None else match[3] == " bonus"
    return Exact(hand, _points(match[2], where), bonus), match[4]


def _points(word: str, where: str) -> int:
    if word.upper() not in _POINTS:
        raise SheetError(f"{where}: '{word}' is not a card; write 2 to 9, T or A")
    return _POINTS[word.upper()]


def _actions(code: str, das: bool, where: str) -> Actions:
    if code in IF_DOUBLING_AFTER_SPLIT:
        code = IF_DOUBLING_AFTER_SPLIT[code][0 if das else 1]
    if code not in CODES:
        raise SheetError(f"{where}: '{code}' is not a code; {nearest(code, [*CODES, *IF_DOUBLING_AFTER_SPLIT])}")
    return CODES[code]
