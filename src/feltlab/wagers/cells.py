"""Lines compiled into a table from cell to outcome: what the table looks up, analysers weigh and kernels count.

The atoms that a wager's lines name take finitely many joint values: its cells. A cell's number is the mixed-radix
number of those values. The lines are evaluated once per cell, here, and nowhere else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from feltlab.errors import FeltlabError
from feltlab.money import LOSE
from feltlab.wagers.conditions import Atom, Condition

MOST_CELLS = 100_000
MOST_WORK = 12_000_000  # parts of conditions evaluated, in all cells: a few seconds


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


@dataclass(frozen=True)
class Partition:
    """Which lines fit in which cell: `group_of[cell]` is a place in `groups`; group 0 is no line at all.

    It does not depend on pays, so paytables with the same lines share it.
    """

    atoms: tuple[Atom, ...]
    strides: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    group_of: array[int]

    def cell(self, read: Callable[[Atom], int]) -> int:
        """The number of the cell in which the atoms have these values."""
        number = 0
        for atom, stride in zip(self.atoms, self.strides, strict=True):
            value = read(atom)
            if not atom.low <= value <= atom.high:
                raise ValueError(f"{atom} is {value}, outside its range of {atom.low} to {atom.high}")
            number += stride * (value - atom.low)
        return number


@dataclass(frozen=True)
class Cells:
    """The table from cell to outcome. Outcomes are numbered as the partition's groups."""

    partition: Partition
    pays: tuple[Fraction, ...]

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every way in which the wager can end; the first is: lost, by no line. More than the stake is never lost."""
        return tuple(
            Outcome(group, max(LOSE, sum((self.pays[place] for place in group), Fraction(0))) if group else LOSE)
            for group in self.partition.groups
        )

    def settle(self, view: tuple[int, ...]) -> Outcome:
        """How a wager with this view ends."""
        return self.outcomes[self.outcome(view)]

    def outcome(self, view: tuple[int, ...]) -> int:
        """The number of that outcome."""
        return self.outcome_by(lambda atom: atom.read(view))

    def outcome_by(self, read: Callable[[Atom], int]) -> int:
        """The number of the outcome where the atoms have these values."""
        return self.partition.group_of[self.partition.cell(read)]


def partition(conditions: Sequence[Condition], settle: Literal["first", "sum"]) -> Partition:
    """Evaluate every line's condition in every cell.

    By `first` only the first line that holds is paid; by `sum` all that hold are.
    """
    atoms = tuple(dict.fromkeys(atom for condition in conditions for atom in condition.atoms))
    sizes = [atom.high - atom.low + 1 for atom in atoms]
    count = prod(sizes)
    if count > MOST_CELLS:
        widest = max(atoms, key=lambda atom: atom.high - atom.low)
        raise FeltlabError(
            f"its lines tell {count:,} cases apart, more than {MOST_CELLS:,}; name fewer facts"
            f" ({widest.text} alone has {widest.high - widest.low + 1} values)"
        )
    if count * sum(condition.size for condition in conditions) > MOST_WORK:
        raise FeltlabError(f"its lines are too long to evaluate in {count:,} cases; name fewer facts, or say less")
    where = {atom: place for place, atom in enumerate(atoms)}
    picks = [[where[atom] for atom in condition.atoms] for condition in conditions]
    groups: dict[tuple[int, ...], int] = {(): 0}
    group_of = array("I")
    for values in product(*(range(atom.low, atom.high + 1) for atom in atoms)):
        paid: list[int] = []
        for place, condition in enumerate(conditions):
            if condition.evaluate([values[pick] for pick in picks[place]]):
                paid.append(place)
                if settle == "first":
                    break
        group_of.append(groups.setdefault(tuple(paid), len(groups)))
    strides = tuple(prod(sizes[place + 1 :]) for place in range(len(sizes)))
    return Partition(atoms, strides, tuple(groups), group_of)
