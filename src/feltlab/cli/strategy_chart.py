"""Prints a strategy's chart in the terminal, in the colours of printed charts. Every cell has its code as well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from feltlab.strategy.chart import Cell, card_letter
from feltlab.strategy.chart_text import CODES, ROWS, UP_CARDS
from feltlab.strategy.drawing import NO_SUCH_CARD, Drawing, meaning, row_label

COLOURS = {
    "S": "#ffffff on #af0000",
    "H": "#000000 on #afd7af",
    "D": "#ffffff on #005faf",
    "P": "#000000 on #ffd75f",
    "R": "#000000 on #bcbcbc",
}
"""Colours by the first letter of a code. The text has a colour too, since the terminal's may be light or dark."""

FEW_COLOURS = {
    "S": "bright_white on red",
    "H": "black on green",
    "D": "bright_white on blue",
    "P": "black on bright_yellow",
    "R": "black on white",
}
"""Colours for a terminal with 16 colours."""

DRAWN = {"hard": range(5, 21), "soft": range(13, 21), "pair": range(1, 11)}
"""The rows with a choice to make: hard 4 and soft 12 are pairs, and 21 always stands."""

LABEL, CELL, GAP = 11, 4, 4
WIDTH = LABEL + 10 * CELL
LEGEND = 28
MOST_HANDS = 30


def print_chart(screen: Console, drawing: Drawing, bonus: str = "") -> None:
    """Print the blocks, the legend, and what the cells leave out; a wide terminal has the blocks side by side.

    `bonus` is the side wager that the strategy plays for.
    """
    hard, soft, pairs = (list(_block(screen, drawing, kind)) for kind in DRAWN)
    legend = list(_legend(screen, drawing))
    star = [Text.assemble((" *  ", "bold"), f" only while {bonus} can still win; see below")] if drawing.marked else []
    if screen.is_terminal and screen.width >= 2 * WIDTH + GAP:
        left, right = [*hard, Text(), *legend, *star], [*soft, Text(), *pairs]
        for one, other in zip_longest(left, right, fillvalue=Text()):
            one.pad_right(WIDTH + GAP - one.cell_len)
            _print(screen, Text.assemble(one, other))
    else:
        for line in (*hard, Text(), *soft, Text(), *pairs, Text(), *_beside(screen, legend, LEGEND), *star):
            _print(screen, line)
    _print_changes(screen, drawing, bonus)
    _print_exceptions(screen, drawing)


def _print(screen: Console, line: Text) -> None:
    if not screen.is_terminal:
        line.rstrip()
    screen.print(line, no_wrap=True, overflow="ignore", crop=False)


def _style(screen: Console, code: str) -> str:
    colours = FEW_COLOURS if screen.color_system in ("standard", "windows") else COLOURS
    return ("bold " if code.endswith("*") else "") + colours.get(code[0], "dim")


def _block(screen: Console, drawing: Drawing, kind: str) -> Iterator[Text]:
    """The lines of a block. Neighbouring rows that consist of the same single code are merged."""
    yield Text(f"{kind:<{LABEL}}" + "".join(f" {card_letter(up):<{CELL - 1}}" for up in UP_CARDS), style="bold")
    rows: list[tuple[list[int], list[str]]] = []
    for place in (place for place in ROWS[kind] if place in DRAWN[kind]):
        codes = [_shown(drawing, Cell(kind, place, up)) for up in UP_CARDS]
        if kind != "pair" and rows and rows[-1][1] == codes and len(set(codes)) == 1:
            rows[-1][0].append(place)
        else:
            rows.append(([place], codes))
    for places, codes in rows:
        label = "-".join(dict.fromkeys(row_label(kind, place) for place in (places[0], places[-1])))
        cells = ((f" {code:<{CELL - 1}}", _style(screen, code)) for code in codes)
        yield Text.assemble(f"{f'{kind} {label}':<{LABEL}}", *cells)


def _shown(drawing: Drawing, cell: Cell) -> str:
    return f"{drawing.marked[cell]}*" if cell in drawing.marked else drawing.cells.get(cell, NO_SUCH_CARD)


def _legend(screen: Console, drawing: Drawing) -> Iterator[Text]:
    """The legend of the codes in this chart."""
    used = {*drawing.cells.values(), *drawing.marked.values(), *(play.code for play in drawing.exceptions)}
    for code in CODES:
        if code in used:
            yield Text.assemble((f" {code:<3}", _style(screen, code)), f" {meaning(code)}")


def _beside(screen: Console, entries: list[Text], wide: int) -> Iterator[Text]:
    """Entries in as many columns as there is room for, to be read downwards."""
    height = -(-len(entries) // max(1, min(screen.width, 2 * WIDTH) // wide))
    for row in range(height):
        line = Text()
        for entry in entries[row::height]:
            line.append_text(entry)
            line.pad_right(wide - entry.cell_len)
        line.rstrip()
        yield line


def _print_changes(screen: Console, drawing: Drawing, bonus: str) -> None:
    if drawing.changes:
        screen.print(Text(f"\nWhat {bonus} changes while it can still win", style="bold"))
    for play in drawing.changes:
        with_it, without = meaning(play.bonus or play.code), meaning(play.code)
        screen.print(Text(f"{play.name} v {card_letter(play.up)}: {with_it} (without it: {without})"))


def _print_exceptions(screen: Console, drawing: Drawing) -> None:
    lines = drawing.hand_lines()
    if not lines:
        return
    screen.print(Text("\nHands that are not played as their cells say", style="bold"))
    shown = lines[:MOST_HANDS]
    for line in _beside(screen, [Text(line) for line in shown], max(map(len, shown)) + 1):
        _print(screen, line)
    if len(lines) > MOST_HANDS:
        screen.print(Text(f"and {len(lines) - MOST_HANDS:,} more, which --csv and --chart write down", style="dim"))
