"""What checking a sheet may cost: counted in steps, and refused before they are done.

A step is one part of a condition evaluated in one cell, or a small piece of work of that length. Steps are counted from
the sheet alone and never from what happens to be kept in memory, so a sheet is good or too long wherever it is read.
"""

from __future__ import annotations

from feltlab.errors import FeltlabError
from feltlab.wagers.language import Node, parse

MOST_STEPS = 50_000_000  # for a whole sheet: a few seconds
READING_STEPS = 100  # a character of a condition that is read, or a part of one whose meaning is found


class WorkBudget:
    """Steps that may still be done.

    >>> work = WorkBudget(1000)
    >>> work.spend(900)
    >>> work.spend(200)
    Traceback (most recent call last):
    feltlab.errors.FeltlabError: the sheet takes too long to check: 1,100 steps by now, and 1,000 are allowed; name fewer facts and choices in its conditions, or have fewer lines and paytables
    """

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.most = most
        self.done = 0
        self._trees: dict[str, Node] = {}

    def spend(self, steps: int) -> None:
        """Count steps that are about to be done; refused where they are more than is left."""
        self.done += steps
        if self.done > self.most:
            raise FeltlabError(
                f"the sheet takes too long to check: {self.done:,} steps by now, and {self.most:,} are allowed;"
                " name fewer facts and choices in its conditions, or have fewer lines and paytables"
            )

    def read(self, pieces: int) -> None:
        """Count characters or parts of conditions that are about to be read."""
        self.spend(pieces * READING_STEPS)

    def tree(self, text: str) -> Node:
        """A condition's tree, read once however often the text is named."""
        if text not in self._trees:
            self.read(len(text))
            self._trees[text] = parse(text)
        return self._trees[text]
