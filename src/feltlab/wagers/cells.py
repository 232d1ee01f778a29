"""Lines compiled into a table from cell to outcome: rounds look it up, the exact engine weighs it, kernels count it.

The atoms in a wager's lines take finitely many joint values: its cells. A cell's number is the mixed-radix number of
these values. The lines are evaluated once per cell, here and nowhere else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress, islice, product
from math import prod
from typing import Literal, NamedTuple

from feltlab.errors import FeltlabError
from feltlab.money import LOSE
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.conditions import Atom, Condition

MOST_CELLS = 100_000
MOST_GROUPS = 2000  # combinations of lines that are paid together


class Line(NamedTuple):
    """A condition on facts, and its pay."""

    id: str
    name: str
    when: Condition
    pays: Fraction


class Outcome(NamedTuple):
    """How a wager ends: the lines that are paid (none where it simply loses) and the total pay."""

    lines: tuple[int, ...]
    pays: Fraction


@dataclass(frozen=True)
class Partition:
    """The lines paid in each cell: `group_of[cell]` is an index into `groups`; group 0 is no line at all.

    It does not depend on pays, so paytables with the same lines share it.
    """

    atoms: tuple[Atom, ...]
    strides: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    group_of: array[int]

    def cell(self, read: Callable[[Atom], int]) -> int:
        """The number of the cell with the atoms' values."""
        number = 0
        for atom, stride in zip(self.atoms, self.strides, strict=True):
            value = read(atom)
            if not atom.low <= value <= atom.high:
                raise ValueError(f"{atom} is {value}, outside its range of {atom.low} to {atom.high}")
            number += stride * (value - atom.low)
        return number


@dataclass(frozen=True)
class Cells:
    """The table from cell to outcome. Outcomes are numbered like the partition's groups."""

    partition: Partition
    pays: tuple[Fraction, ...]

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every way in which the wager can end; the first is a loss by no line. It never loses more than the stake."""
        return tuple(
            Outcome(group, max(LOSE, sum((self.pays[place] for place in group), Fraction(0))) if group else LOSE)
            for group in self.partition.groups
        )

    @cached_property
    def top_pay(self) -> Fraction:
        """The highest pay of any cell."""
        return max(outcome.pays for outcome in self.outcomes)

    def settle(self, view: tuple[int, ...]) -> Outcome:
        """The outcome of a wager with this view."""
        return self.outcomes[self.outcome(view)]

    def outcome(self, view: tuple[int, ...]) -> int:
        """The number of the outcome of a wager with this view."""
        return self.outcome_by(lambda atom: atom.read(view))

    def outcome_by(self, read: Callable[[Atom], int]) -> int:
        """The number of the outcome given the atoms' values."""
        return self.partition.group_of[self.partition.cell(read)]


def evaluation_steps(conditions: Sequence[Condition]) -> int:
    """How many steps it takes to evaluate conditions in all their cells; refused where there are too many cells."""
    atoms = _atoms(conditions)
    count = prod(map(_size, atoms))
    if count > MOST_CELLS:
        widest = max(atoms, key=_size)
        raise FeltlabError(
            f"its lines distinguish {count:,} cases, more than {MOST_CELLS:,}; use fewer facts"
            f" ({widest.text} alone has {_size(widest)} values)"
        )
    own = (prod(map(_size, condition.atoms)) * (2 + len(atoms) + condition.size) for condition in conditions)
    return sum(own) + count * (4 + len(conditions) // 4)


def partition(
    conditions: Sequence[Condition], settle: Literal["first", "sum"], work: WorkBudget | None = None
) -> Partition:
    """Evaluate every line's condition in every cell.

    With `first`, only the first line that holds is paid; with `sum`, all that hold are. The work is counted before it is
    done; without a budget from the caller, one wager may take as much as a whole sheet.
    """
    (work or WorkBudget()).spend(evaluation_steps(conditions))
    atoms = _atoms(conditions)
    sizes, places = [_size(atom) for atom in atoms], range(len(conditions))
    columns = [truth_table(condition, atoms) for condition in conditions]
    groups: dict[tuple[int, ...], int] = {(): 0}
    group_of = array("I")
    for row in zip(*columns, strict=True) if columns else [()]:
        paid = tuple(islice(compress(places, row), 1 if settle == "first" else None))
        group_of.append(groups.setdefault(paid, len(groups)))
        if len(groups) > MOST_GROUPS:
            raise FeltlabError(
                f"its lines are paid in more than {MOST_GROUPS:,} combinations; use fewer lines, or settle by the first"
            )
    strides = tuple(prod(sizes[place + 1 :]) for place in range(len(sizes)))
    return Partition(atoms, strides, tuple(groups), group_of)


def truth_table(condition: Condition, atoms: Sequence[Atom]) -> bytes:
    """Whether a condition holds in every cell of these atoms: evaluated over its own atoms, repeated over the others."""
    own = [atom for atom in atoms if atom in condition.atoms]
    picks = [own.index(atom) for atom in condition.atoms]
    values_of = product(*(range(atom.low, atom.high + 1) for atom in own))
    table = bytes(bool(condition.evaluate([values[pick] for pick in picks])) for values in values_of)
    inner = 1  # how many cells differ only in the atoms handled so far
    for atom in reversed(atoms):
        if atom not in own:
            table = b"".join(table[at : at + inner] * _size(atom) for at in range(0, len(table), inner))
        inner *= _size(atom)
    return table


def _atoms(conditions: Sequence[Condition]) -> tuple[Atom, ...]:
    return tuple(dict.fromkeys(atom for condition in conditions for atom in condition.atoms))


def _size(atom: Atom) -> int:
    return atom.high - atom.low + 1
