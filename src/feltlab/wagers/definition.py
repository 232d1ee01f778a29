"""A wager as a sheet writes it. Frozen, one sentence a field; unknown keys are refused."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

DeckCount = Annotated[int, Meta(ge=1, le=8)]
Text = Annotated[str, Meta(min_length=1, max_length=2000)]
Id = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*$")]


class Clause(Struct, frozen=True, forbid_unknown_fields=True):
    """A moment of the round, and the condition under which it counts."""

    at: Id
    when: Text = "always"


class LineDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a wager: what must be so, and (unless a paytable says it) what it pays."""

    name: Text
    when: Text
    id: Id | None = None
    pays: Text | None = None

    @property
    def key(self) -> str:
        """Its id: the given one, or the name as a slug.

        >>> LineDefinition("20 beaten", "always").key
        '20-beaten'
        """
        return self.id or re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "line"


class PaytableDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """What each line pays. The lines it does not name are not on it; without `decks` it is for all of the sheet's."""

    id: Id
    pays: dict[str, Text]
    decks: list[DeckCount] | None = None
    source: Text | None = None


class WagerDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager: its lines and paytables, and when it is placed, taken and settled."""

    id: Id
    name: Text
    line: list[LineDefinition]
    sentence: Text | None = None  # what it is about, for a player
    paytable: list[PaytableDefinition] = []
    settle: Literal["first", "sum"] = "first"  # pay the first line that fits, or all that fit
    placed: Id | list[Clause] = "before-deal"
    settled: Id | list[Clause] = "end"  # the first clause that holds when its moment comes
    take: list[Clause] = []  # when the dealer takes it early because it can no longer win
    needs: Id | list[Clause] = []  # dealer's cards that must be dealt for its sake
    rides: Literal["first-hand", "each-hand"] = "first-hand"  # after a split
    at_most: Text | None = None  # the most it may be, as a ratio to the main wager
    family: Id | None = None  # wagers that a jurisdiction reads as one game
    excludes: list[Id] = []  # wagers that a table may not offer beside it
    audit_only: bool = False  # another reading of a wager, computed by the audit and never offered
    source: Text | None = None

    def paytables(self) -> list[PaytableDefinition]:
        """Its paytables; a wager whose lines say their own pays has one, called `standard`."""
        if self.paytable:
            return self.paytable
        return [PaytableDefinition("standard", {line.key: line.pays or "lose" for line in self.line})]

    def paytable_ids(self) -> list[str]:
        """The names of its paytables, each once, in the sheet's order."""
        return list(dict.fromkeys(table.id for table in self.paytables()))


def clauses(given: str | list[Clause]) -> list[Clause]:
    """A moment written by itself means: always, at that moment."""
    return [Clause(given)] if isinstance(given, str) else given
