"""A sheet as its TOML file writes it: frozen structs, which refuse unknown keys."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from feltlab.files import Entry
from feltlab.wagers.definition import WagerDefinition


class Source(Entry, frozen=True, forbid_unknown_fields=True):
    """Where facts come from. Other entries refer to it by its id, with a place in it after a comma."""

    id: str
    title: str
    date: str | None = None
    note: str | None = None


class Option(Entry, frozen=True, forbid_unknown_fields=True):
    """A form of the game that the sheet allows."""

    id: str
    sentence: str


class RuleDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """A choice that belongs to this sheet, beside the house rules of the game."""

    key: str
    values: list[str]
    default: str
    sentence: str


class Step(Entry, frozen=True, forbid_unknown_fields=True):
    """A step of the sheet's procedure in our own words, and the step of the round that it describes."""

    step: Literal["wagers", "deal", "take", "insurance", "naturals", "actions", "third", "dealer", "settlement"]
    sentence: str


class Claim(Entry, frozen=True, forbid_unknown_fields=True):
    """Figures that the sheet prints, by paytable, with the conditions under which it prints them."""

    wager: str
    figure: Literal["house-edge", "house-edge-option-1-less-option-2"]
    values: dict[str, str]
    source: str
    decks: int | None = None
    option: str | None = None
    rules: dict[str, str] = {}
    strategy: str | None = None
    reading: str | None = None
    note: str | None = None


class Reading(Entry, frozen=True, forbid_unknown_fields=True):
    """How a doubtful point of the sheet is read, and why."""

    id: str
    point: str
    reading: str
    evidence: str
    rule: str | None = None  # the rule that selects another reading
    wager: str | None = None  # the audit-only wager that is another reading


class UsualTable(Entry, frozen=True, forbid_unknown_fields=True):
    """The table that is opened by default."""

    decks: int
    option: str | None = None
    paytables: dict[str, str] = {}


class SheetFile(Entry, frozen=True, forbid_unknown_fields=True):
    """A whole sheet."""

    id: str
    name: str
    game: Literal["blackjack", "baccarat"]
    decks: list[int] = field(default_factory=lambda: list(range(1, 9)))
    version: str = "1"
    summary: str | None = None
    table: UsualTable | None = None
    source: list[Source] = []
    option: list[Option] = []
    rule: list[RuleDefinition] = []
    define: dict[str, str] = {}
    wager: list[WagerDefinition] = []
    procedure: list[Step] = []
    claim: list[Claim] = []
    reading: list[Reading] = []
