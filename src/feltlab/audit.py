"""The audit: every figure that a sheet prints, compared with the computed one.

A claim is computed under the reading and the strategy that the sheet file gives for it. If it does not follow, the other
reading that the file names is computed too, to show what may have been meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

from feltlab.analysis import Analysis
from feltlab.figures import Figures
from feltlab.sheets import Sheet
from feltlab.sheets.model import Claim, Reading
from feltlab.sheets.sheet import GAME_RULES
from feltlab.tables import set_up
from feltlab.wagers.definition import WagerDefinition

HOLDS, NOISE, NOT = "holds", "holds within the noise of a simulation", "does not follow from the sheet"
ROUNDS = 10**9  # of a typical simulation in the trade; its noise is three standard errors
NEAR = 0.001  # a tenth of a percentage point, within which another reading counts as the probable cause


class Other(NamedTuple):
    """The same figure under another reading."""

    reading: str
    wager: str
    computed: float


class Finding(NamedTuple):
    """A printed figure and the computed one, as fractions: 0.0971 for 9.71 %."""

    sheet: str
    wager: str
    paytable: str
    figure: str
    source: str
    decks: tuple[int, ...]
    option: str | None
    rules: dict[str, str]
    strategy: str | None
    printed: str
    claimed: float
    computed: tuple[float, float]
    verdict: str
    words: str
    others: tuple[Other, ...] = ()

    @property
    def difference(self) -> float:
        """The computed figure less the printed one; for a range, the largest difference."""
        return max((value - self.claimed for value in self.computed), key=abs)


class Alternative(NamedTuple):
    """The house edge of a wager under another reading; `read` is the edge under the sheet's own reading, if any."""

    sheet: str
    reading: str
    wager: str
    paytable: str
    decks: int
    read: float | None
    other: str
    computed: float


def alternatives(sheet: Sheet) -> Iterator[Alternative]:
    """The house edges under the other readings of a sheet, which are other wagers or other values of a rule.

    >>> from feltlab.sheets import load
    >>> [f"{it.other}: {it.computed:.0%}" for it in alternatives(load("bad-beat-baccarat")) if it.decks == 8]
    ['super-shot-as-one: -157%']
    """
    own = [rule for rule in sheet.rules if rule not in GAME_RULES[sheet.game]]
    for reading in sheet.file.reading:
        if reading.wager is not None:
            yield from _as_wager(sheet, reading.id, reading.wager)
        for rule in own:
            if rule.key == reading.rule:
                for value in rule.values:
                    if value != rule.default:
                        yield from _by_rule(sheet, reading.id, rule.key, value)


def _printed(sheet: Sheet, wager: WagerDefinition) -> Iterator[tuple[str, int]]:
    """Each paytable of a wager with each deck count that it is printed for."""
    for decks in sheet.decks:
        for table in sheet.printed(wager, decks):
            yield table.id, decks


def _as_wager(sheet: Sheet, reading: str, id: str) -> Iterator[Alternative]:
    for paytable, decks in _printed(sheet, sheet.wager(id)):
        figures = Analysis(set_up(sheet, decks=decks)).figures(id, None, paytable)
        yield Alternative(sheet.id, reading, id, paytable, decks, None, id, float(figures.house_edge))


def _by_rule(sheet: Sheet, reading: str, key: str, value: str) -> Iterator[Alternative]:
    for wager in sheet.side_wagers:
        for paytable, decks in _printed(sheet, wager):
            read = Analysis(set_up(sheet, decks=decks)).figures(wager.id, None, paytable)
            if f"rule.{key.replace('-', '_')}" in read.law.wager.constants():
                other = Analysis(set_up(sheet, decks=decks, rules={key: value})).figures(wager.id, None, paytable)
                edges = float(read.house_edge), float(other.house_edge)
                if edges[0] != edges[1]:
                    yield Alternative(
                        sheet.id, reading, wager.id, paytable, decks, edges[0], f"{key}={value}", edges[1]
                    )


def audit(sheet: Sheet) -> Iterator[Finding]:
    """Audit every claim of a sheet.

    >>> from feltlab.sheets import load
    >>> {finding.verdict for finding in audit(load("big-slick-blackjack"))}
    {'does not follow from the sheet'}
    """
    readings = {reading.id: reading for reading in sheet.file.reading}
    for claim in sheet.file.claim:
        for paytable, printed in claim.values.items():
            reading = readings.get(claim.reading or "")
            if claim.figure == "house-edge":
                yield _edge(sheet, claim, paytable, printed, reading)
            else:
                yield _difference(sheet, claim, paytable, printed, reading)


def _figures(sheet: Sheet, claim: Claim, paytable: str, decks: int | None, option: str | None, wager: str) -> Figures:
    several = len(sheet.wager(claim.wager).paytable_ids()) > 1
    posted = [f"{claim.wager}={paytable}"] if several else []
    setup = set_up(sheet, decks=decks, option=option, rules=claim.rules, paytables=posted)
    return Analysis(setup).figures(wager, claim.strategy, paytable)


def _edge(sheet: Sheet, claim: Claim, paytable: str, printed: str, reading: Reading | None) -> Finding:
    figures = _figures(sheet, claim, paytable, claim.decks, claim.option, claim.wager)
    edge, claimed = float(figures.house_edge), _fraction(printed)
    decks = figures_decks(sheet, claim)
    off = abs(edge - claimed)
    noise = 3 * figures.standard_deviation / sqrt(ROUNDS)
    others: list[Other] = []
    if off <= _half_unit(printed):
        verdict, words = HOLDS, "the exact figure rounds to the printed one"
    elif off <= noise:
        verdict = NOISE
        words = f"off by {off * 100:.3f} points; three standard errors of {ROUNDS:,} rounds are {noise * 100:.3f}"
    else:
        verdict, words = NOT, f"off by {off * 100:.2f} points"
        if reading is not None and reading.wager is not None:
            other = float(_figures(sheet, claim, paytable, claim.decks, claim.option, reading.wager).house_edge)
            others.append(Other(reading.id, reading.wager, other))
            near = abs(other - claimed) <= NEAR
            words += f"; as '{sheet.wager(reading.wager).name}' it would be {other:.2%}, " + (
                "the probable cause" if near else "which does not explain it either"
            )
    return Finding(
        *(sheet.id, claim.wager, paytable, claim.figure, claim.source, decks, claim.option, dict(claim.rules)),
        *(figures.law.strategy, printed, claimed, (edge, edge), verdict, words, tuple(others)),
    )


def figures_decks(sheet: Sheet, claim: Claim) -> tuple[int, ...]:
    """The deck counts of a claim: its own, or all for which the sheet prints edges of the wager."""
    if claim.decks is not None:
        return (claim.decks,)
    claimed = {other.decks for other in sheet.file.claim if other.wager == claim.wager and other.decks is not None}
    return tuple(sorted(claimed)) or (sheet.usual_decks,)


def _difference(sheet: Sheet, claim: Claim, paytable: str, printed: str, reading: Reading | None) -> Finding:
    """The difference of the house edges in options 1 and 2, for each deck count."""
    decks, claimed, found = figures_decks(sheet, claim), _fraction(printed), []
    for count in decks:
        one, two = (_figures(sheet, claim, paytable, count, option, claim.wager).house_edge for option in ("1", "2"))
        found.append(float(one) - float(two))
    off = max(abs(value - claimed) for value in found)
    holds = off <= _half_unit(printed)
    words = f"{min(found) * 100:.2f} to {max(found) * 100:.2f} points"
    return Finding(
        *(sheet.id, claim.wager, paytable, claim.figure, claim.source, decks, None, dict(claim.rules)),
        *(claim.strategy, printed, claimed, (min(found), max(found)), HOLDS if holds else NOT, words),
    )


def _fraction(printed: str) -> float:
    return float(printed.strip().rstrip("%")) / 100


def _half_unit(printed: str) -> float:
    """Half a unit of the last printed digit."""
    _, _, places = printed.strip().rstrip("%").partition(".")
    return 0.005 * (1 + 1e-9) / float(10 ** len(places))
