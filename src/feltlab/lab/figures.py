"""The figures of a table's wagers, for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct, field

from feltlab.analysis import Analysis, Figured
from feltlab.errors import FeltlabError, nearest
from feltlab.exact.methods import is_counted
from feltlab.figures import Figures
from feltlab.lab.choice import analysis_of, headline_of, modified, strategy_of
from feltlab.money import pay_text
from feltlab.sheets import Sheet
from feltlab.strategy import Strategy
from feltlab.tables import TableChoice
from feltlab.wagers.wager import Wager

Part = Literal["counted", "played", "all"]
_Find = Callable[[], Iterator[Figured]]


class LineFigures(Struct, frozen=True):
    """An outcome: `id` is the line's id, or empty for a loss by no line. `return` is its part of the player's return."""

    id: str
    name: str
    pays: str
    combinations: str | None
    probability: float
    returns: float = field(name="return")


class WagerFigures(Struct, frozen=True):
    """The figures of a wager, or the reason why there are none in `why_not`. Wagers on hit cards have two, see `known`."""

    id: str
    name: str
    base: bool
    paytable: str
    known: str | None = None
    strategy: str | None = None
    why_not: str | None = None
    house_edge: float | None = None
    element_of_risk: float | None = None
    average_wager: float | None = None
    hit_frequency: float | None = None
    push_frequency: float | None = None
    standard_deviation: float | None = None
    variance: float | None = None
    skewness: float | None = None
    largest_pay: str | None = None
    total: str | None = None
    counted: str | None = None
    lines: list[LineFigures] = []


class FiguresAnswer(Struct, frozen=True):
    """The figures of a table: its headline, how it differs from the sheet, its pays, and the figures of every wager."""

    headline: str
    modified: list[str]
    pays: dict[str, dict[str, str]]
    wagers: list[WagerFigures]


def figures(choice: TableChoice, sheet: Sheet, part: Part, wagers: list[str] | None = None) -> FiguresAnswer:
    """The figures of a table's wagers: the counted ones, those that depend on play, or all.

    The results of whole rounds of the main wager take some seconds, and are included only with all.
    """
    analysis = analysis_of(choice, sheet)
    setup = analysis.setup
    for id in wagers or ():
        if id not in setup.wagers:
            raise FeltlabError(f"this table does not offer '{id[:60]}'; {nearest(id, setup.wagers)}")
    found = [
        figured
        for wager in setup.wagers.values()
        if wagers is None or wager.id in wagers
        for figured in _wager(analysis, wager, part, strategy_of(choice, sheet))
    ]
    return FiguresAnswer(
        headline=headline_of(choice, analysis),
        modified=modified(analysis),
        pays={id: {line.id: pay_text(line.pays) for line in lines} for id, lines in setup.payable.items()},
        wagers=found,
    )


def _wager(analysis: Analysis, wager: Wager, part: Part, strategy: Strategy | None) -> Iterator[WagerFigures]:
    if part != "played" and is_counted(analysis.setup.sheet.game, wager):
        yield from _figures_or_reason(analysis, wager, None, lambda: analysis.counted_figures(wager.id))
    if part != "counted" and strategy is not None:
        whole = part == "all"
        if wager.on_hit_cards or not is_counted(analysis.setup.sheet.game, wager):
            yield from _figures_or_reason(
                analysis,
                wager,
                strategy,
                lambda: analysis.played_figures(wager.id, [strategy], whole_rounds=whole),
            )


def _figures_or_reason(
    analysis: Analysis, wager: Wager, strategy: Strategy | None, find: _Find
) -> Iterator[WagerFigures]:
    base = wager.id in analysis.setup.sheet.base_ids
    try:
        payable = {line.id for line in analysis.setup.payable[wager.id]}
        for figured in find():
            yield _wager_figures(wager, base, figured, payable)
    except FeltlabError as error:
        known = {True: "in-play" if strategy else "up-card"}.get(wager.on_hit_cards)
        yield WagerFigures(
            wager.id,
            wager.name,
            base,
            wager.paytable,
            known,
            None if strategy is None else str(strategy),
            why_not=str(error),
        )


def _wager_figures(wager: Wager, base: bool, figured: Figured, payable: set[str]) -> WagerFigures:
    found, law = figured.figures, figured.figures.law
    whole = found.varies_by_round
    return WagerFigures(
        id=wager.id,
        name=wager.name,
        base=base,
        paytable=wager.paytable,
        known=figured.known,
        strategy=law.strategy,
        house_edge=float(found.house_edge),
        element_of_risk=float(found.element_of_risk),
        average_wager=float(found.average_wager),
        hit_frequency=float(found.hit_frequency) if whole else None,
        push_frequency=float(found.push_frequency) if whole else None,
        standard_deviation=found.standard_deviation if whole else None,
        variance=float(found.variance) if whole else None,
        skewness=found.skewness if whole else None,
        largest_pay=pay_text(found.largest_pay),
        total=str(law.total) if law.counted else None,
        counted=law.counted or None,
        lines=_lines(found, payable),
    )


def _lines(found: Figures, payable: set[str]) -> list[LineFigures]:
    """A line for each outcome that is possible at the table."""
    return [
        LineFigures(
            "+".join(row.lines),
            row.name,
            pay_text(row.pays),
            str(row.combinations) if row.combinations is not None else None,
            float(row.probability),
            float(row.returns) + 0.0,  # turns -0.0 into 0.0
        )
        for row in found.rows
        if payable.issuperset(row.lines)
    ]
