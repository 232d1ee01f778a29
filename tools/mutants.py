"""A mutant: one small change to one source file, as exact text at an exact place, with a name that outlives edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

COMPARISONS = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
JOINS = {"and": "or", "or": "and"}


class Mutant(NamedTuple):
    """What to replace where. `id` names it by its surroundings, so that lines added above it do not rename it."""

    file: str  # below the package, as games/blackjack.py
    start: int  # in characters from the beginning of the file
    line: int
    column: int
    old: str
    new: str
    id: str

    @property
    def area(self) -> str:
        """The part of the package that it is in: `sheets` or `games`."""
        return self.file.partition("/")[0]

    @property
    def change(self) -> str:
        """The change by itself, in one line."""
        return f"{_words(self.old)} -> {_words(self.new)}"

    def apply(self, text: str) -> str:
        """The file with this one change; a file that is not the one it was made for is refused."""
        end = self.start + len(self.old)
        if text[self.start : end] != self.old:
            raise ValueError(f"{self.file} has changed: {self.old!r} is no longer at line {self.line}")
        return text[: self.start] + self.new + text[end:]


class Source(NamedTuple):
    """A file that mutants are made of."""

    file: str
    text: str

    def mutant(self, start: int, old: str, new: str, place: str, span: tuple[int, int] | None = None) -> Mutant:
        """Replace `old` at `start` by `new`. The id says the place, and the text of `span` with the change in it."""
        end = start + len(old)
        if self.text[start:end] != old:
            raise ValueError(f"{self.file}: {old!r} was expected at character {start}, not {self.text[start:end]!r}")
        first, last = span or (start, end)
        gap = " " if old[-1:].isspace() else ""
        changed = f"{self.text[first:start]}[{_words(old)} -> {_words(new)}]{gap}{self.text[end:last]}"
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        id = ": ".join(filter(None, (self.file, place, _words(changed))))
        return Mutant(self.file, start, line, column, old, new, id)


def told_apart(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Give the second and later mutants with one id a number; the order in the file is all that tells them apart."""
    seen: Counter[str] = Counter()
    found = []
    for mutant in mutants:
        seen[mutant.id] += 1
        again = seen[mutant.id]
        found.append(mutant if again == 1 else mutant._replace(id=f"{mutant.id} ({again})"))
    return found


def _words(text: str) -> str:
    return " ".join(text.split()) or "nothing"
