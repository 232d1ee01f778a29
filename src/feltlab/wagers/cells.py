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
from itertools import compress, islice, product
from math import prod
from typing import Literal, NamedTuple

from feltlab.errors import FeltlabError
from feltlab.money import LOSE
from feltlab.wagers.conditions import Atom, Condition
from feltlab.wagers.work import WorkBudget

MOST_CELLS = 100_000
MOST_GROUPS = 2000  # ways in which lines can be paid together


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

    @cached_property
    def top_pay(self) -> Fraction:
        """The most that any cell pays."""
        return max(outcome.pays for outcome in self.outcomes)

    def settle(self, view: tuple[int, ...]) -> Outcome:
        """How a wager with this view ends."""
        return self.outcomes[self.outcome(view)]

    def outcome(self, view: tuple[int, ...]) -> int:
        """The number of that outcome."""
        return self.outcome_by(lambda atom: atom.read(view))

    def outcome_by(self, read: Callable[[Atom], int]) -> int:
        """The number of the outcome where the atoms have these values."""
        return self.partition.group_of[self.partition.cell(read)]


def steps(conditions: Sequence[Condition]) -> int:
    """The steps of evaluating conditions in all their cells; refused where there are too many cells."""
    atoms = _atoms(conditions)
    count = prod(map(_size, atoms))
    if count > MOST_CELLS:
        widest = max(atoms, key=_size)
        raise FeltlabError(
            f"its lines tell {count:,} cases apart, more than {MOST_CELLS:,}; name fewer facts"
            f" ({widest.text} alone has {_size(widest)} values)"
        )
    own = (prod(map(_size, one.atoms)) * (2 + len(atoms) + one.size) for one in conditions)
    return sum(own) + count * (4 + len(conditions) // 4)


def partition(
    conditions: Sequence[Condition], settle: Literal["first", "sum"], work: WorkBudget | None = None
) -> Partition:
    """Evaluate every line's condition in every cell.

    By `first` only the first line that holds is paid; by `sum` all that hold are. The work is counted before it is
    done; without a count of the caller's, one wager may take as much as a whole sheet.
    """
    (work or WorkBudget()).spend(steps(conditions))
    atoms = _atoms(conditions)
    sizes, places = [_size(atom) for atom in atoms], range(len(conditions))
    columns = [held(condition, atoms) for condition in conditions]
    groups: dict[tuple[int, ...], int] = {(): 0}
    group_of = array("I")
    for row in zip(*columns, strict=True) if columns else [()]:
        paid = tuple(islice(compress(places, row), 1 if settle == "first" else None))
        group_of.append(groups.setdefault(paid, len(groups)))
        if len(groups) > MOST_GROUPS:
            raise FeltlabError(
                f"its lines are paid together in more than {MOST_GROUPS:,} ways; have fewer lines, or pay the first that fits"
            )
    strides = tuple(prod(sizes[place + 1 :]) for place in range(len(sizes)))
    return Partition(atoms, strides, tuple(groups), group_of)


def held(condition: Condition, atoms: Sequence[Atom]) -> bytes:
    """Whether a condition holds, for every cell of some atoms: evaluated for its own, and repeated for the others."""
    own = [atom for atom in atoms if atom in condition.atoms]
    picks = [own.index(atom) for atom in condition.atoms]
    values_of = product(*(range(atom.low, atom.high + 1) for atom in own))
    found = bytes(bool(condition.evaluate([values[pick] for pick in picks])) for values in values_of)
    inner = 1  # cells that differ only in the atoms gone through
    for atom in reversed(atoms):
        if atom not in own:
            found = b"".join(found[at : at + inner] * _size(atom) for at in range(0, len(found), inner))
        inner *= _size(atom)
    return found


def _atoms(conditions: Sequence[Condition]) -> tuple[Atom, ...]:
    return tuple(dict.fromkeys(atom for condition in conditions for atom in condition.atoms))


def _size(atom: Atom) -> int:
    return atom.high - atom.low + 1
