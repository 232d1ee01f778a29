"""Checks the references between the parts of a sheet: wagers, paytables, sources, readings, steps of the procedure."""

from __future__ import annotations

import re

from feltlab.errors import FeltlabError, SheetError, nearest
from feltlab.games.rules import choose
from feltlab.sheets.model import Claim
from feltlab.sheets.sheet import Sheet
from feltlab.strategy import Bonus, Joint, parse_strategy

BETWEEN_OPTIONS = "house-edge-option-1-less-option-2"
_FIGURE = re.compile(r"-?[0-9]{1,4}(?:\.[0-9]{1,10})? ?%?")


def check_references(sheet: Sheet) -> None:
    """Check that everything that one part of a sheet refers to exists."""
    for wager in sheet.file.wager:
        for other in wager.excludes:
            if other not in sheet.wagers:
                raise SheetError(f"wager '{wager.id}', excludes: {_no_wager(sheet, other)}")
    _check_sources(sheet)
    _check_procedure(sheet)
    _check_claims(sheet)
    _check_readings(sheet)
    _check_usual_table(sheet)


def _check_claims(sheet: Sheet) -> None:
    for claim in sheet.file.claim:
        if claim.wager not in sheet.wagers:
            raise SheetError(f"claim: {_no_wager(sheet, claim.wager)}")
        known = sheet.wagers[claim.wager].paytable_ids()
        for paytable, value in claim.values.items():
            if paytable not in known:
                raise SheetError(f"claim on '{claim.wager}': no paytable '{paytable}'; {nearest(paytable, known)}")
            if not _FIGURE.fullmatch(value):
                where = f"claim on '{claim.wager}', values, {paytable}"
                raise SheetError(f"{where}: '{value[:40]}' is not a percentage; write it like 9.71 or 9.71%")
        if claim.figure == BETWEEN_OPTIONS and not {"1", "2"} <= set(sheet.options):
            raise SheetError(f"claim on '{claim.wager}': the sheet has no options '1' and '2' to compare")
        if claim.decks is not None:
            sheet.check_decks(claim.decks)
        if claim.option is not None:
            sheet.check_option(claim.option)
        choose(sheet.rules, claim.rules)
        _check_strategy(sheet, claim)
        if claim.reading is not None and claim.reading not in [reading.id for reading in sheet.file.reading]:
            raise SheetError(f"claim on '{claim.wager}': there is no reading '{claim.reading}'")


def _check_strategy(sheet: Sheet, claim: Claim) -> None:
    """Check that a claim names a computed strategy; any other name is refused and never looked up."""
    if claim.strategy is None:
        return
    try:
        strategy = parse_strategy(claim.strategy)
    except FeltlabError as error:
        raise SheetError(f"claim on '{claim.wager}', strategy: {error}") from None
    wager = strategy.wager if isinstance(strategy, Bonus | Joint) else None
    if wager is not None and wager not in sheet.wagers:
        raise SheetError(f"claim on '{claim.wager}', strategy: {_no_wager(sheet, wager)}")


def _check_readings(sheet: Sheet) -> None:
    for reading in sheet.file.reading:
        if reading.rule is not None and reading.rule not in [rule.key for rule in sheet.rules]:
            raise SheetError(f"reading '{reading.id}': there is no rule '{reading.rule}'")
        if reading.wager is not None and reading.wager not in sheet.wagers:
            raise SheetError(f"reading '{reading.id}': {_no_wager(sheet, reading.wager)}")


def _check_usual_table(sheet: Sheet) -> None:
    usual = sheet.file.table
    if usual is None:
        return
    sheet.check_decks(usual.decks)
    sheet.check_option(usual.option)
    for id, paytable in usual.paytables.items():
        if id not in sheet.wagers or paytable not in sheet.wagers[id].paytable_ids():
            raise SheetError(f"table: there is no paytable '{paytable}' of a wager '{id}'")
        if paytable not in [table.id for table in sheet.printed(sheet.wagers[id], usual.decks)]:
            raise SheetError(f"table: paytable '{paytable}' of '{id}' is not printed for {usual.decks} decks")


def _check_sources(sheet: Sheet) -> None:
    """If a sheet lists its sources, every source that is named must be one of them."""
    known = [source.id for source in sheet.file.source]
    named = [wager.source for wager in sheet.file.wager]
    named += [table.source for wager in sheet.file.wager for table in wager.paytable]
    named += [claim.source for claim in sheet.file.claim]
    for source in named if known else []:
        if source is not None and source.split(",")[0].strip() not in known:
            raise SheetError(f"source '{source}': there is no such [[source]]; {nearest(source.split(',')[0], known)}")


def _check_procedure(sheet: Sheet) -> None:
    """A sheet that describes the procedure must describe all of it."""
    own, whole = [step.step for step in sheet.file.procedure], [step.step for step in sheet.base.procedure]
    if own and own != whole:
        raise SheetError(f"procedure: its steps must be {', '.join(whole)}, each once and in this order")


def _no_wager(sheet: Sheet, id: str) -> str:
    return f"there is no wager '{id}'; {nearest(id, sheet.wagers)}"
