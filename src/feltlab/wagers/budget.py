"""How much work checking a sheet may take: counted in steps, and refused before it is done.

A step is the evaluation of one part of a condition in one cell, or as much other work. Steps depend on the sheet alone
and never on what is cached, so a sheet passes or fails everywhere alike.
"""

from __future__ import annotations

from feltlab.errors import FeltlabError
from feltlab.wagers.language import Node, parse

MOST_STEPS = 50_000_000  # for a whole sheet: a few seconds
READING_STEPS = 100  # for each character of a condition that is parsed, and each part that is resolved


class WorkBudget:
    """Counts steps up to a limit.

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
        """Count steps that are about to be done; refused where they exceed the limit."""
        self.done += steps
        if self.done > self.most:
            raise FeltlabError(
                f"the sheet takes too long to check: {self.done:,} steps by now, and {self.most:,} are allowed;"
                " name fewer facts and choices in its conditions, or have fewer lines and paytables"
            )

    def read(self, pieces: int) -> None:
        """Count characters or parts of conditions that are about to be parsed or resolved."""
        self.spend(pieces * READING_STEPS)

    def tree(self, text: str) -> Node:
        """A condition's syntax tree; each text is parsed once."""
        if text not in self._trees:
            self.read(len(text))
            self._trees[text] = parse(text)
        return self._trees[text]
