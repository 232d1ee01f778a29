"""Describes a sheet: everything that is needed to choose a table of it."""

from __future__ import annotations

from msgspec import Struct

from feltlab.exact.blackjack.strategies import strategies_of
from feltlab.games.rules import ANY_RATIO
from feltlab.sheets import Sheet, builtin, builtin_names
from feltlab.sheets.options import options_of_lines
from feltlab.sheets.sheet import GAME_RULES
from feltlab.tables import set_up
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.definition import WagerDefinition, clauses


class SheetLine(Struct, frozen=True):
    """A sheet in a list."""

    id: str
    name: str
    game: str
    summary: str
    decks: list[int]
    sha256: str


class Usual(Struct, frozen=True):
    """The sheet's usual table, which is the default."""

    decks: int
    option: str | None
    paytables: dict[str, str]


class OptionAbout(Struct, frozen=True):
    """A form of the game that the sheet allows."""

    id: str
    sentence: str


class RuleAbout(Struct, frozen=True):
    """A rule that a table may choose; without values it is any ratio. `own`: it belongs to the sheet, not the game."""

    key: str
    values: list[str]
    default: str
    sentence: str
    own: bool


class SheetWagerLine(Struct, frozen=True):
    """A line of a wager. `options` are the options that it applies to, if not all."""

    id: str
    name: str
    options: list[str] = []


class PaytableAbout(Struct, frozen=True):
    """The pay of each line, and the deck counts that the paytable is printed for."""

    id: str
    decks: list[int]
    pays: dict[str, str]


class SheetWager(Struct, frozen=True):
    """A wager of a sheet, with its lines and its paytables."""

    id: str
    name: str
    sentence: str
    base: bool
    placed: list[str]
    excludes: list[str]
    lines: list[SheetWagerLine]
    paytables: list[PaytableAbout]


class ReadingAbout(Struct, frozen=True):
    """How a doubtful point of the sheet is read."""

    id: str
    point: str
    reading: str
    evidence: str


class SourceAbout(Struct, frozen=True):
    """Where facts of the sheet come from."""

    id: str
    title: str
    date: str | None
    note: str | None


class SheetAbout(Struct, frozen=True):
    """A full description of a sheet: its text, choices, wagers, strategies, procedure, readings and sources."""

    id: str
    name: str
    game: str
    version: str
    summary: str
    sha256: str
    builtin: bool
    text: str
    decks: list[int]
    usual: Usual
    options: list[OptionAbout]
    rules: list[RuleAbout]
    wagers: list[SheetWager]
    strategies: list[str]
    procedure: list[tuple[str, str]]
    readings: list[ReadingAbout]
    sources: list[SourceAbout]


def sheet_lines() -> list[SheetLine]:
    """The built-in sheets."""
    return [
        SheetLine(one.id, one.file.name, one.game, one.file.summary or "", one.decks, one.sha256)
        for one in map(builtin, builtin_names())
    ]


def about(sheet: Sheet, text: str) -> SheetAbout:
    """The full description of a sheet, without wagers that are only for the audit."""
    usual, papers, work = set_up(sheet), sheet.file, WorkBudget()
    shipped = sheet.id in builtin_names() and builtin(sheet.id).sha256 == sheet.sha256
    return SheetAbout(
        id=sheet.id,
        name=papers.name,
        game=sheet.game,
        version=papers.version,
        summary=papers.summary or "",
        sha256=sheet.sha256,
        builtin=shipped,
        text=text,
        decks=sheet.decks,
        usual=Usual(usual.decks, usual.option, usual.paytables),
        options=[OptionAbout(option.id, option.sentence) for option in sheet.options.values()],
        rules=[
            RuleAbout(
                rule.key,
                [] if rule.values == ANY_RATIO else list(rule.values),
                rule.default,
                rule.sentence,
                rule not in GAME_RULES[sheet.game],
            )
            for rule in sheet.rules
        ],
        wagers=[_wager(sheet, wager, work) for wager in (*sheet.base.wager, *sheet.side_wagers)],
        strategies=[str(strategy) for strategy in strategies_of(usual)],
        procedure=[(step.step, step.sentence) for step in sheet.procedure],
        readings=[ReadingAbout(one.id, one.point, one.reading, one.evidence) for one in papers.reading],
        sources=[SourceAbout(one.id, one.title, one.date, one.note) for one in papers.source],
    )


def _wager(sheet: Sheet, wager: WagerDefinition, work: WorkBudget) -> SheetWager:
    options = options_of_lines(sheet, wager, work)
    return SheetWager(
        id=wager.id,
        name=wager.name,
        sentence=wager.sentence or "",
        base=wager.id in sheet.base_ids,
        placed=[clause.at for clause in clauses(wager.placed)],
        excludes=wager.excludes,
        lines=[SheetWagerLine(line.key, line.name, options.get(line.key, [])) for line in wager.line],
        paytables=[PaytableAbout(table.id, sheet.decks_of(table), dict(table.pays)) for table in wager.paytables()],
    )
