"""A wager as a sheet writes it: frozen structs, which refuse unknown keys."""

from __future__ import annotations

import re
from typing import Literal

from feltlab.files import Entry


class Clause(Entry, frozen=True, forbid_unknown_fields=True):
    """A moment of the round, and the condition under which it applies."""

    at: str
    when: str = "always"


class LineDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """A line of a wager: its condition and, unless the paytables have it, its pay."""

    name: str
    when: str
    id: str | None = None
    pays: str | None = None

    @property
    def key(self) -> str:
        """The given id, or else the name as a slug.

        >>> LineDefinition("20 beaten", "always").key
        '20-beaten'
        """
        return self.id or re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "line"


class PaytableDefinition(Entry, frozen=True, forbid_unknown_fields=True):
    """The pay of each line; lines that are not named are not on it. Without `decks` it is for all of the sheet's."""

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
    settled: str | list[Clause] = "end"  # at the first clause that holds at its moment
    take: list[Clause] = []  # when the dealer takes it early because it can no longer win
    needs: str | list[Clause] = []  # cards of the dealer that must be dealt for it
    rides: Literal["first-hand", "each-hand"] = "first-hand"  # after a split
    at_most: str | None = None  # the most it may be, as a ratio to the main wager
    family: str | None = None  # wagers that a jurisdiction counts as one game
    excludes: list[str] = []  # wagers that a table may not offer beside it
    audit_only: bool = False  # another reading of a wager, computed by the audit and never offered
    source: str | None = None

    def paytables(self) -> list[PaytableDefinition]:
        """Its paytables; a wager whose lines have their own pays has one, called `standard`."""
        if self.paytable:
            return self.paytable
        return [PaytableDefinition("standard", {line.key: line.pays or "lose" for line in self.line})]

    def paytable_ids(self) -> list[str]:
        """The ids of its paytables, each once, in the sheet's order."""
        return list(dict.fromkeys(table.id for table in self.paytables()))


def clauses(given: str | list[Clause]) -> list[Clause]:
    """The clauses of a value: a moment alone stands for one clause without a condition."""
    return [Clause(given)] if isinstance(given, str) else given
