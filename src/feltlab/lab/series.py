"""Curves of a wager's house edge: over deck counts, over a pay, by removed card, by depth of the shoe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replaced
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from feltlab.analysis import Analysis, offered_for
from feltlab.cards import RANKS
from feltlab.errors import FeltlabError, SetupError, nearest
from feltlab.figures import Figures
from feltlab.lab.choice import analysis_of, strategy_of
from feltlab.money import pay_text
from feltlab.sheets import Sheet
from feltlab.strategy import Bonus, Joint
from feltlab.tables import TableChoice
from feltlab.wagers.law import Law

Over = Literal["decks", "pay", "removed", "depth"]
NAMES = {"decks": "decks", "pay": "pay to 1", "removed": "card gone", "depth": "share of the shoe dealt"}
STEPS, FEW_STEPS = 10, 4  # from zero to the present pay


class Point(Struct, frozen=True):
    """A house edge; for several shoes the mean, the 5th and 95th percentile, and how often the player has the edge."""

    x: float
    label: str
    house_edge: float
    low: float | None = None
    high: float | None = None
    share: float | None = None


class Series(Struct, frozen=True):
    """A curve of a wager's house edge."""

    over: Over
    x_name: str
    points: list[Point]


def series(choice: TableChoice, sheet: Sheet, wager: str, over: Over, line: str | None = None) -> Series:
    """The curve of a wager's house edge over deck counts, a line's pay, single removed cards, or the depth of the shoe."""
    if wager not in analysis_of(choice, sheet).setup.wagers:
        raise FeltlabError(f"this table does not offer '{wager[:60]}'; {nearest(wager, sheet.wagers)}")
    if over == "depth":
        from feltlab.lab.depth import depths  # noqa: PLC0415 # needs numpy and numba

        points = list(depths(analysis_of(choice, sheet), wager))
    elif over == "decks":
        points = list(_decks(choice, sheet, wager))
    elif over == "pay":
        points = list(_pays(choice, sheet, wager, line))
    else:
        points = list(_removed(choice, sheet, wager))
    return Series(over, NAMES[over], points)


def _law(analysis: Analysis, choice: TableChoice, wager: str) -> Law:
    made = analysis.setup.wagers[wager]
    strategy = None if made.on_hit_cards else strategy_of(choice, analysis.setup.sheet)
    return analysis.law(wager, strategy, whole_rounds=False)


def _edge(law: Law) -> float:
    return float(Figures(law).house_edge)


def _decks(choice: TableChoice, sheet: Sheet, wager: str) -> Iterator[Point]:
    """A point for every deck count that the wager's paytable is printed for; the table's other wagers are left out."""
    posted = analysis_of(choice, sheet).setup.wagers[wager].paytable
    own = {place: pay for place, pay in choice.pays.items() if place.partition("/")[0] == wager}
    definition = sheet.wager(wager)
    for decks in sheet.decks:
        if all(table.id != posted for table in sheet.printed(definition, decks)):
            continue
        offered = offered_for(sheet, definition, decks, [choice.played_by])
        kept = [named for named in choice.paytables if named.partition("=")[0] in offered]
        tables = [f"{wager}={posted}"] if definition.paytable else []
        tables += [named for named in kept if not named.startswith(f"{wager}=")]
        one = replace(choice, decks=decks, paytables=tables, pays=own, offered=offered)
        yield Point(decks, str(decks), _edge(_law(analysis_of(one, sheet), one, wager)))


def _pays(choice: TableChoice, sheet: Sheet, wager: str, line: str | None) -> Iterator[Point]:
    """Points for a line's pay from zero to twice its present value. If play does not depend on it, one law serves all."""
    analysis = analysis_of(choice, sheet)
    lines = {one.id: one for one in analysis.setup.wagers[wager].lines}
    if line not in lines:
        raise SetupError(f"name a line of {wager} whose pay is to change; {nearest(line or '', lines)}")
    law = _law(analysis, choice, wager)
    free = law.strategy is None or (wager != "main" and not isinstance(choice.played_by, Bonus | Joint))
    steps = STEPS if free else FEW_STEPS
    usual = lines[line].pays if lines[line].pays > 0 else Fraction(1)
    for number in range(2 * steps + 1):
        pay = usual * number / steps
        one = replace(choice, pays={**choice.pays, f"{wager}/{line}": pay_text(pay)})
        other = analysis_of(one, sheet)
        made = replaced(law, wager=other.setup.wagers[wager]) if free else _law(other, one, wager)
        yield Point(float(pay), pay_text(pay), _edge(made))


def _removed(choice: TableChoice, sheet: Sheet, wager: str) -> Iterator[Point]:
    """A point for each rank, with one more card of it removed."""
    for number, rank in enumerate(RANKS, 1):
        one = replace(choice, remove=f"{choice.remove} {rank}s".strip())
        yield Point(number, rank, _edge(_law(analysis_of(one, sheet), one, wager)))
