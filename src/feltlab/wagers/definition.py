"""A wager as a sheet writes it. Frozen, one sentence a field; unknown keys are refused."""

from __future__ import annotations

import re
from typing import Literal

from feltlab.files import Entry


class Clause(Entry, frozen=True, forbid_unknown_fields=True):
    """A moment of the round, and the condition under which it counts."""

    at: str
    when: str = "always"


class LineDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """A line of a wager: what must be so, and (unless a paytable says it) what it pays."""

    name: str
    when: str
    id: str | None = None
    pays: str | None = None

    @property
    def key(self) -> str:
        """Its id: the given one, or the name as a slug.

        >>> LineDefinition("20 beaten", "always").key
        '20-beaten'
        """
        return self.id or re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "line"


class PaytableDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """What each line pays. The lines it does not name are not on it; without `decks` it is for all of the sheet's."""

    id: str
    pays: dict[str, str]
    decks: list[int] | None = None
    source: str | None = None


class WagerDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """A wager: its lines and paytables, and when it is placed, taken and settled."""

    id: str
    name: str
    line: list[LineDefinition]
    sentence: str | None = None  # what it is about, for a player
    paytable: list[PaytableDefinition] = []
    settle: Literal["first", "sum"] = "first"  # pay the first line that fits, or all that fit
    placed: str | list[Clause] = "before-deal"
    settled: str | list[Clause] = "end"  # the first clause that holds when its moment comes
    take: list[Clause] = []  # when the dealer takes it early because it can no longer win
    needs: str | list[Clause] = []  # dealer's cards that must be dealt for its sake
    rides: Literal["first-hand", "each-hand"] = "first-hand"  # after a split
    at_most: str | None = None  # the most it may be, as a ratio to the main wager
    family: str | None = None  # wagers that a jurisdiction reads as one game
    excludes: list[str] = []  # wagers that a table may not offer beside it
    audit_only: bool = False  # another reading of a wager, computed by the audit and never offered
    source: str | None = None

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
