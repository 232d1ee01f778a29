"""A strategy as a chart, with its cost, for the page and for `feltlab strategy`."""

from __future__ import annotations

from typing import Any

from feltlab.exact.blackjack.advice.chart import plays
from feltlab.exact.blackjack.advice.deviations import Deviation, deviations
from feltlab.exact.blackjack.game import Played
from feltlab.figures import Figures
from feltlab.games.blackjack import ACTIONS
from feltlab.lab.chart_shapes import ChartChange, ChartDeviation, ChartHand, ChartRow, LabChart
from feltlab.lab.choice import analysis_of
from feltlab.sheets import Sheet
from feltlab.strategy import Composition, Joint
from feltlab.strategy.chart import Cell, card_letter
from feltlab.strategy.chart_text import UP_CARDS
from feltlab.strategy.drawing import NO_SUCH_CARD, Drawing, draw, meaning
from feltlab.tables import Setup, TableChoice


def chart(choice: TableChoice, sheet: Sheet, ratio: float | None = None) -> LabChart:
    """The chart of a table's strategy or, with a ratio, of the best play for both stakes."""
    strategy = choice.played_by if ratio is None else Joint(ratio)
    analysis = analysis_of(choice, sheet)
    played = analysis.play(strategy)
    drawing, costs = drawn(played, analysis.setup), cost_data(played)
    data = chart_data(drawing)
    rows = [
        ChartRow(kind, label, codes, [drawing.marked.get(cell) for cell in _cells(drawing, kind, label)])
        for kind, label, codes in drawing.rows()
    ]
    used = {code for row in rows for code in (*row.codes, *row.bonus) if code and code != NO_SUCH_CARD}
    used |= {play.code for play in drawing.exceptions} | {play.bonus or play.code for play in drawing.changes}
    return LabChart(
        strategy=str(strategy),
        house_edge=edges(played),
        up_cards=[card_letter(up) for up in UP_CARDS],
        rows=rows,
        meanings={code: meaning(code) for code in sorted(used)},
        hands=[ChartHand(**hand) for hand in data["hands"]],
        changes=[ChartChange(**hand) for hand in data["bonus"]],
        cost=costs["cost"],
        deviations=[ChartDeviation(**one) for one in costs["deviations"]],
    )


def _cells(drawing: Drawing, kind: str, label: str) -> list[Cell]:
    """The cells of a row."""
    total = {card_letter(up): up for up in UP_CARDS}[label] if kind == "pair" else int(label)
    return [Cell(kind, total, up) for up in UP_CARDS]


def drawn(played: Played, setup: Setup) -> Drawing:
    """Draw the chart of a strategy at a table."""
    legal = [action for action in ACTIONS if action != "double" or setup.house.double_after_split]
    return draw(plays(played), legal)


def edges(played: Played) -> dict[str, float]:
    """The house edge of the main wager, and of the side wager that is played for."""
    by_wager = {"main": -played.expected}
    if played.side is not None:
        by_wager[played.side.id] = float(Figures(played.law(played.side)).house_edge)
    return by_wager


def chart_data(drawing: Drawing) -> dict[str, Any]:
    """The chart as data: codes by block, row and up card, then exact hands, and what a bonus changes."""
    rows: dict[str, dict[str, dict[str, str]]] = {}
    for kind, label, codes in drawing.rows():
        rows.setdefault(kind, {})[label] = dict(zip(map(card_letter, UP_CARDS), codes, strict=True))
    hands = [{"hand": play.name, "up": card_letter(play.up), "code": play.code} for play in drawing.exceptions]
    bonus = [
        {"hand": play.name, "up": card_letter(play.up), "code": play.bonus, "without": play.code}
        for play in drawing.changes
    ]
    return {"chart": rows, "hands": hands, "bonus": bonus}


def cost_of(played: Played) -> tuple[float | None, list[Deviation]]:
    """What playing for the side wager costs the main wager, and the hands as dealt that contribute to it.

    None if no side wager is played for. The cost is relative to the best play of the main wager by composition.
    """
    if played.side is None:
        return None, []
    return played.game.play(Composition()).expected - played.expected, deviations(played.game, played.side)


def cost_data(played: Played) -> dict[str, Any]:
    """The cost and the hands as data."""
    cost, found = cost_of(played)
    rows = [{**it._asdict(), "hand": ",".join(map(card_letter, it.hand)), "up": card_letter(it.up)} for it in found]
    return {"cost": cost, "deviations": rows}
