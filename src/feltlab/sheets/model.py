"""A sheet as its TOML file says it. Frozen, one sentence a field; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from feltlab.wagers.definition import DeckCount, Id, Text, WagerDefinition

RuleKey = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[a-z][a-z0-9-]*$")]


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    """Where facts come from. Other entries name it by its id, with a place in it after a comma."""

    id: Id
    title: Text
    date: Text | None = None
    note: Text | None = None


class Option(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the forms of the game that the sheet allows."""

    id: Id
    sentence: Text


class RuleDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """A choice of this sheet's own, beside the house rules of the game."""

    key: RuleKey
    values: list[Id]
    default: Id
    sentence: Text


class Step(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of the sheet's procedure, in our words, and the step of the round that it is."""

    step: Literal["wagers", "deal", "take", "insurance", "naturals", "actions", "third", "dealer", "settlement"]
    sentence: Text


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures that the sheet prints, by paytable, with the conditions under which it prints them."""

    wager: Id
    figure: Literal["house-edge", "house-edge-option-1-less-option-2"]
    values: dict[str, Text]
    source: Text
    decks: DeckCount | None = None
    option: Id | None = None
    rules: dict[str, str] = {}
    strategy: Text | None = None
    reading: Id | None = None
    note: Text | None = None


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """How a doubtful point of the sheet is read, and why."""

    id: Id
    point: Text
    reading: Text
    evidence: Text
    rule: RuleKey | None = None  # the choice by which another reading can be played
    wager: Id | None = None  # the audit-only wager that is another reading


class UsualTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table that is opened when nothing else is asked for."""

    decks: DeckCount
    option: Id | None = None
    paytables: dict[str, str] = {}


class SheetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole sheet."""

    id: Id
    name: Text
    game: Literal["blackjack", "baccarat"]
    decks: Annotated[list[DeckCount], Meta(min_length=1)] = field(default_factory=lambda: list(range(1, 9)))
    version: Text = "1"
    summary: Text | None = None
    table: UsualTable | None = None
    source: list[Source] = []
    option: list[Option] = []
    rule: list[RuleDefinition] = []
    define: dict[str, Text] = {}
    wager: list[WagerDefinition] = []
    procedure: list[Step] = []
    claim: list[Claim] = []
    reading: list[Reading] = []
