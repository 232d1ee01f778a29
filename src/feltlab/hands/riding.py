"""What the moments of a round make of a wager that rides on a hand."""

from __future__ import annotations

from collections.abc import Callable

from feltlab.hands.states import OPEN
from feltlab.wagers.conditions import Atom
from feltlab.wagers.wager import Wager, happens_by

LOST = 0  # the outcome of a wager that no line pays, or that is taken

Read = Callable[[Atom], int]
"""Gives the value of an atom: a fact of a view, or an answer about cards."""


class RidingWager:
    """A wager on a hand: whether a moment takes or settles it, and how it ends."""

    def __init__(self, wager: Wager) -> None:
        self.wager = wager

    def is_taken(self, moment: str, read: Read) -> bool:
        """Whether the wager is taken at this moment."""
        return happens_by(self.wager.take, moment, read)

    def is_settled(self, moment: str, read: Read) -> bool:
        """Whether the wager is settled at this moment."""
        return happens_by(self.wager.settled, moment, read)

    def outcome(self, read: Read) -> int:
        """How the wager ends where it is settled."""
        return self.wager.cells.outcome_by(read)

    def status_after(self, moment: str, read: Read) -> int:
        """What becomes of the open wager at this moment: OPEN, or its outcome if it is taken or settled."""
        if self.is_taken(moment, read):
            return LOST
        return self.outcome(read) if self.is_settled(moment, read) else OPEN


def atoms(wager: Wager) -> set[Atom]:
    """All that a wager's lines look at, and its clauses that take or settle it."""
    conditions = [timed.when for timed in (*wager.take, *wager.settled)]
    return {atom for condition in conditions for atom in condition.atoms} | set(wager.cells.partition.atoms)
