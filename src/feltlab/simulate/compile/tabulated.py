"""A wager's clauses and lines as small tables, evaluated once: a simulation meets the same few hands over and over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.hands.riding import Read, RidingWager
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.cells import partition
from feltlab.wagers.conditions import Atom, Condition
from feltlab.wagers.wager import Timed, Wager


class AnswerTable(NamedTuple):
    """A table from the values of atoms to an answer: the lines of a wager, or one of its clauses."""

    atoms: tuple[Atom, ...]
    table: NDArray[np.int64]

    def answer(self, read: Read) -> int:
        """The answer where the atoms have these values."""
        return int(self.table[tuple(read(atom) - atom.low for atom in self.atoms)])


def answer_table(atoms: Sequence[Atom], groups: Sequence[int]) -> AnswerTable:
    """The table of a partition, without the atoms that make no difference to it."""
    table = np.array(groups, dtype=np.int64).reshape([atom.high - atom.low + 1 for atom in atoms])
    kept = []
    for axis in reversed(range(len(atoms))):
        first = np.take(table, [0], axis)
        if (table == first).all():
            table = first.squeeze(axis)
        else:
            kept.append(atoms[axis])
    return AnswerTable(tuple(reversed(kept)), table)


class TabulatedWager(RidingWager):
    """A wager with its clauses by moment and its lines as tables. They have no row for a hand of one card."""

    def __init__(self, wager: Wager) -> None:
        super().__init__(wager)
        part = wager.cells.partition
        self.lines = answer_table(part.atoms, part.group_of)
        self.take, self.settled = _by_moment(wager.take), _by_moment(wager.settled)
        self.needs, self.placed = _by_moment(wager.needs), _by_moment(wager.placed)

    def is_taken(self, moment: str, read: Read) -> bool:
        """Whether the wager is taken at this moment."""
        return any_holds(self.take, moment, read)

    def is_settled(self, moment: str, read: Read) -> bool:
        """Whether the wager is settled at this moment."""
        return any_holds(self.settled, moment, read)

    def outcome(self, read: Read) -> int:
        """How the wager ends where it is settled."""
        return self.lines.answer(read)

    @cached_property
    def tables(self) -> list[tuple[str, AnswerTable]]:
        """All tables with their moments; the lines may be read at any moment that settles the wager."""
        clauses = [self.take, self.settled, self.needs, self.placed]
        timed = [(at, table) for kind in clauses for at, tables in kind.items() for table in tables]
        return [*timed, ("lines", self.lines)]

    @property
    def by_cards(self) -> bool:
        """Whether it looks at nothing but cards, and is settled by the deal or at the end."""
        facts = any(atom.detail is None for _, table in self.tables for atom in table.atoms)
        moments = {*self.take, *self.settled} <= {"deal", "end"} and set(self.placed) == {"before-deal"}
        return moments and not facts


def _by_moment(timed: Iterable[Timed]) -> dict[str, list[AnswerTable]]:
    tables: dict[str, list[AnswerTable]] = {}
    for clause in timed:
        tables.setdefault(clause.at, []).append(_table_of(clause.when))
    return tables


def _table_of(condition: Condition) -> AnswerTable:
    part = partition([condition], "first")
    return answer_table(part.atoms, part.group_of)


def any_holds(clauses: Mapping[str, list[AnswerTable]], moment: str, read: Read) -> bool:
    """Whether one of the clauses holds at this moment."""
    return any(table.answer(read) for table in clauses.get(moment, ()))


def reader(view: HandView, answers: Mapping[Atom, int]) -> Callable[[Atom], int]:
    """Reads atoms: a fact from the view, a question about cards from the answers (anything where it does not matter)."""
    return lambda atom: view[atom.fields[0]] if atom.detail is None else answers.get(atom, atom.low)
