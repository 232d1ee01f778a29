"""Lines compiled into a table from cell to outcome: what the table looks up, analysers weigh and kernels count.

The atoms that a wager's lines name take finitely many joint values: its cells. A cell's number is the mixed-radix
number of those values. The lines are evaluated once per cell, here, and nowhere else.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from feltlab.errors import FeltlabError
from feltlab.money import LOSE
from feltlab.wagers.conditions import Atom, Condition

MOST_CELLS = 100_000


class Line(NamedTuple):
    """A condition on facts, and what it pays."""

    id: str
    name: str
    when: Condition
    pays: Fraction


class Outcome(NamedTuple):
    """How a wager ends: the lines that were paid (none where it simply lost) and what that pays in all."""

    lines: tuple[int, ...]
    pays: Fraction


NOTHING = Outcome((), LOSE)


@dataclass(frozen=True)
class Cells:
    """The table: `outcome_of[cell]` is a place in `outcomes`; outcome 0 is the wager lost without a line."""

    atoms: tuple[Atom, ...]
    strides: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    outcome_of: array[int]

    def cell(self, view: tuple[int, ...]) -> int:
        """The number of the cell that a view is in."""
        return sum(stride * (atom.read(view) - atom.low) for atom, stride in zip(self.atoms, self.strides, strict=True))

    def settle(self, view: tuple[int, ...]) -> Outcome:
        """How a wager with this view ends."""
        return self.outcomes[self.outcome_of[self.cell(view)]]


def compile_cells(lines: Sequence[Line], settle: Literal["first", "sum"]) -> Cells:
    """Evaluate every line in every cell.

    By `first` the first line that holds is paid; by `sum` the pays of all that hold are added.
    """
    atoms = tuple(dict.fromkeys(atom for line in lines for atom in line.when.atoms))
    sizes = [atom.high - atom.low + 1 for atom in atoms]
    count = prod(sizes)
    if count > MOST_CELLS:
        widest = max(atoms, key=lambda atom: atom.high - atom.low)
        raise FeltlabError(
            f"its lines tell {count:,} cases apart, more than {MOST_CELLS:,}; name fewer facts"
            f" ({widest.text} alone has {widest.high - widest.low + 1} values)"
        )
    where = {atom: place for place, atom in enumerate(atoms)}
    picks = [[where[atom] for atom in line.when.atoms] for line in lines]
    outcomes = {NOTHING: 0}
    outcome_of = array("H")
    for values in product(*(range(atom.low, atom.high + 1) for atom in atoms)):
        paid: list[int] = []
        for place, line in enumerate(lines):
            if line.when.evaluate([values[pick] for pick in picks[place]]):
                paid.append(place)
                if settle == "first":
                    break
        outcome = Outcome(tuple(paid), sum((lines[place].pays for place in paid), Fraction(0))) if paid else NOTHING
        outcome_of.append(outcomes.setdefault(outcome, len(outcomes)))
    strides = tuple(prod(sizes[place + 1 :]) for place in range(len(sizes)))
    return Cells(atoms, strides, tuple(outcomes), outcome_of)
