"""What wagers ask of single cards, answered once for every way in which the cards can fall.

A simulation meets the same few cards over and over. So the questions of all wagers on the same cards are answered
beforehand, and the answers numbered: a kernel looks up one number, however many wagers and questions there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD
from feltlab.compile import compiled, for_cpu
from feltlab.errors import FeltlabError
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail

CARD_VALUES = 53  # no card, and the 52
RANK_VALUES = 14
MOST_ENTRIES = CARD_VALUES**4
MOST_IN_PYTHON = CARD_VALUES**2


class QuestionGroup(NamedTuple):
    """Questions on the same cards: their places in a view, and for each way they can fall the number of the answers."""

    fields: tuple[int, ...]
    table: NDArray[np.int64]  # by the cards, each as its number plus one (0: no card), the first counting most
    answers: tuple[tuple[int, ...], ...]
    atoms: tuple[Atom, ...]


@dataclass(frozen=True)
class Questions:
    """All questions about cards, in groups. A *code* is one number for the answers of all groups."""

    groups: tuple[QuestionGroup, ...]

    @property
    def size(self) -> int:
        """How many codes there are."""
        return int(np.prod([len(group.answers) for group in self.groups], dtype=np.int64))

    def answers(self, code: int) -> dict[Atom, int]:
        """The answer to every question under a code."""
        answers: dict[Atom, int] = {}
        for group in reversed(self.groups):
            code, place = divmod(code, len(group.answers))
            answers |= dict(zip(group.atoms, group.answers[place], strict=True))
        return answers

    def code(self, view: Sequence[int]) -> int:
        """The code of some cards, by their places in a view."""
        code = 0
        for group in self.groups:
            place = 0
            for field in group.fields:
                place = place * CARD_VALUES + view[field] + 1
            code = code * len(group.answers) + int(group.table[place])
        return code

    def only(self, fields: set[int]) -> Questions:
        """The groups that look at these cards alone."""
        return Questions(tuple(group for group in self.groups if set(group.fields) <= fields))


def questions(atoms: Iterable[Atom], stands: Mapping[Atom, NDArray[np.int64]] | None = None) -> Questions:
    """The questions among some atoms, those on fewer cards answered together with those on more of the same.

    `stands` has for each value of an atom the value that stands for it, where no wager tells them apart.
    """
    about_cards = dict.fromkeys(atom for atom in atoms if atom.detail is not None)
    groups: list[tuple[tuple[int, ...], list[Atom]]] = []
    for atom in sorted(about_cards, key=lambda atom: -len(atom.fields)):
        for fields, members in groups:
            if set(atom.fields) <= set(fields):
                members.append(atom)
                break
        else:
            groups.append((tuple(sorted(atom.fields)), [atom]))
    return Questions(tuple(_group(fields, tuple(members), stands or {}) for fields, members in groups))


def _group(fields: tuple[int, ...], atoms: tuple[Atom, ...], stands: Mapping[Atom, NDArray[np.int64]]) -> QuestionGroup:
    rows = [_answers(atom, fields) for atom in atoms]
    rows = [stands[atom][row - atom.low] if atom in stands else row for atom, row in zip(atoms, rows, strict=True)]
    joint = np.zeros(len(rows[0]), dtype=np.int64)
    for atom, row in zip(atoms, rows, strict=True):
        joint = joint * (atom.high + 1) + row
    _, lead, table = np.unique(joint, return_index=True, return_inverse=True)
    answers = tuple(tuple(int(row[place]) for row in rows) for place in lead)
    return QuestionGroup(fields, table.astype(np.int64), answers, atoms)


def _answers(atom: Atom, fields: tuple[int, ...]) -> NDArray[np.int64]:
    """The answer to one question for every way in which the cards at these places can fall."""
    by_card = atom.detail == Detail.CARD
    values = CARD_VALUES if by_card else RANK_VALUES
    if values ** len(atom.fields) > MOST_ENTRIES:
        raise FeltlabError(
            f"{atom.text} asks about {len(atom.fields)} cards and their suits at once; a simulation can look at four"
        )
    # Cards that stand for what the question looks at: every card, or one of each rank.
    cards = np.arange(NO_CARD, 52) if by_card else np.array([NO_CARD, *range(0, 52, 4)])
    own = _ask(atom, cards)
    place = np.zeros((), dtype=np.int64)
    seen = np.arange(CARD_VALUES) if by_card else np.array([0, *(card // 4 + 1 for card in range(52))])
    for field in atom.fields:  # in the order in which the question names them
        shape = [CARD_VALUES if other == field else 1 for other in fields]
        place = place * values + seen.reshape(shape)
    return own[np.broadcast_to(place, [CARD_VALUES] * len(fields)).reshape(-1)]


def _ask(atom: Atom, cards: NDArray[np.int64]) -> NDArray[np.int64]:
    assert atom.function is not None
    count = len(atom.fields)
    if len(cards) ** count <= MOST_IN_PYTHON:
        answers = [atom.function(*atom.given, *chosen) for chosen in product(cards.tolist(), repeat=count)]
        return np.array(answers, dtype=np.int64)
    words = ", ".join([*map(str, atom.given), *(f"c{place}" for place in range(count))])
    lines = [f"{'    ' * (place + 1)}for c{place} in cards:" for place in range(count)]
    inner = "    " * (count + 1)
    source = [
        "def ask(cards, out):",
        "    place = 0",
        *lines,
        f"{inner}out[place] = function({words})",
        f"{inner}place += 1",
    ]
    space = {"function": compiled()[f"{atom.function.__module__}.{atom.function.__name__}"]}
    exec("\n".join(source), space)  # noqa: S102 # loops as deep as the question has cards: names and numbers alone
    out = np.zeros(len(cards) ** count, dtype=np.int64)
    for_cpu(space["ask"])(cards, out)
    return out
