"""Draws the tables of docs/soak.md on a long betting phase: the cost of a command against the changes before it.

    python bench/plot_betting.py

Both axes are logarithmic. The figures are those that `bench/betting.py` printed; nothing is measured here.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
TABLE = re.compile(r"^changes +(.+)\n((?: *[\d,]+(?: +[\d.]+)+\n)+)", re.MULTILINE)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b")  # told apart by people who see red and green alike
TITLES = ("now", "before: a refusal played the round again")
WIDE, HIGH, LEFT, TOP = 340, 260, 60, 40
MOST_CHANGES, LEAST_MS, MOST_MS = 10_000, 0.1, 2_000


def x_of(changes: float) -> float:
    """Where a number of changes stands in a panel."""
    return WIDE * (math.log10(changes) - 1) / (math.log10(MOST_CHANGES) - 1)


def y_of(ms: float) -> float:
    """Where a cost stands in a panel."""
    return HIGH * (1 - math.log(ms / LEAST_MS) / math.log(MOST_MS / LEAST_MS))


def panel(title: str, names: list[str], rows: list[list[float]]) -> str:
    """One table: a line for each command, with its name where it ends."""
    parts = [f'<text y="-14" class="title">{title}</text>', f'<rect width="{WIDE}" height="{HIGH}" class="frame"/>']
    parts += [
        f'<text x="{x_of(changes):.1f}" y="{HIGH + 18}" text-anchor="middle">{changes:,}</text>'
        for changes in (10, 100, 1_000, 10_000)
    ]
    for ms in (0.1, 1, 10, 100, 1_000):
        y = y_of(ms)
        parts.append(f'<path d="M0 {y:.1f}h{WIDE}" class="grid"/>')
        parts.append(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{ms:g}</text>')
    for column, (name, colour) in enumerate(zip(names, COLOURS, strict=True), 1):
        points = " ".join(f"{x_of(row[0]):.1f},{y_of(row[column]):.1f}" for row in rows)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"><title>{name}</title></polyline>'
        )
    return "".join(parts)


def drawing(page: str) -> str:
    """The tables of a page, side by side."""
    panels, names = [], []
    for place, (table, title) in enumerate(zip(TABLE.finditer(page), TITLES, strict=True)):
        names = re.split(r"  +", table[1].strip())
        rows = [[float(cell.replace(",", "")) for cell in line.split()] for line in table[2].splitlines()]
        left = LEFT + place * (WIDE + LEFT)
        panels.append(f'<g transform="translate({left} {TOP})">{panel(title, names, rows)}</g>')
    key = "".join(
        f'<g transform="translate({LEFT + 140 * place} {TOP + HIGH + 50})"><path d="M0 -4h22" stroke="{colour}" '
        f'stroke-width="2"/><text x="28">{name}</text></g>'
        for place, (name, colour) in enumerate(zip(names, COLOURS, strict=True))
    )
    width, height = 2 * (WIDE + LEFT) + 30, TOP + HIGH + 65
    style = (
        "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.frame{fill:none;stroke:#999}.grid{stroke:#ddd}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        'aria-label="Milliseconds for one command against the changes before it in the round">'
        f'<style>{style}</style><rect width="{width}" height="{height}" fill="#fff"/>{"".join(panels)}{key}</svg>\n'
    )


if __name__ == "__main__":
    (DOCS / "screenshots" / "betting.svg").write_text(drawing((DOCS / "soak.md").read_text()))
