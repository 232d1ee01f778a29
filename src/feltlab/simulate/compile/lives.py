"""The life of the wagers on a hand: which moments they live through, and how each of them ends.

Everything that can happen to a hand is followed once, before a card is dealt, by the wagers' own clauses and lines and
through the view that a table uses. A *state* of the wagers says of each whether it is open, absent or how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.cells import partition
from feltlab.wagers.conditions import Atom, Condition
from feltlab.wagers.moments import DEALER_FINISHED, DEALER_SECOND
from feltlab.wagers.wager import Timed, Wager, happens_by

OPEN, ABSENT = -1, -2
ACE, TEN = 0, 36  # cards that stand for a dealer's natural

DEALT, FIRST, OTHER = 0, 1, 2
"""The role of a hand: as dealt, the first hand of a split, another one."""


class Kind(NamedTuple):
    """What a wager can see of a hand's cards."""

    total: int
    soft: int
    cards: int


class How(NamedTuple):
    """What a player has done with a hand; nothing of it while the hand is played."""

    doubled: int = 0
    stood: int = 0
    surrendered: int = 0


ACTING, STOOD, DOUBLED, SURRENDERED = How(), How(stood=1), How(doubled=1), How(surrendered=1)


class Dealer(NamedTuple):
    """What is known of the dealer's hand: its total and cards once finished, and a natural once it is seen."""

    total: int = 0
    cards: int = 0
    natural: int = 0
    seen: int = 0


UNSEEN = Dealer()
SEEN = Dealer(seen=1)
SEEN_NATURAL = Dealer(natural=1, seen=1)
NATURAL = Dealer(21, 2, 1, 1)


class State(NamedTuple):
    """How the wagers stand: one status each, and the answers about cards that open ones may still need."""

    statuses: tuple[int, ...]
    memory: tuple[int, ...] = ()


class Asking(NamedTuple):
    """A table from the values of atoms to an answer: the lines of a wager, or one of its clauses."""

    atoms: tuple[Atom, ...]
    table: NDArray[np.int64]

    def answer(self, read: Callable[[Atom], int]) -> int:
        """The answer where the atoms have these values."""
        return int(self.table[tuple(read(atom) - atom.low for atom in self.atoms)])


def asking(atoms: Sequence[Atom], groups: Sequence[int]) -> Asking:
    """A table of a partition, without the atoms that make no difference to it."""
    table = np.array(groups, dtype=np.int64).reshape([atom.high - atom.low + 1 for atom in atoms])
    kept = []
    for axis in reversed(range(len(atoms))):
        first = np.take(table, [0], axis)
        if (table == first).all():
            table = first.squeeze(axis)
        else:
            kept.append(atoms[axis])
    return Asking(tuple(reversed(kept)), table)


class Life:
    """One wager, its clauses by moment and its lines."""

    def __init__(self, wager: Wager) -> None:
        self.wager = wager
        part = wager.cells.partition
        self.lines = asking(part.atoms, part.group_of)
        self.take, self.settled = self._clauses(wager.take), self._clauses(wager.settled)
        self.needs, self.placed = self._clauses(wager.needs), self._clauses(wager.placed)

    def _clauses(self, timed: Iterable[Timed]) -> dict[str, list[Asking]]:
        found: dict[str, list[Asking]] = {}
        for clause in timed:
            found.setdefault(clause.at, []).append(_asked(clause.when))
        return found

    @cached_property
    def askings(self) -> list[tuple[str, Asking]]:
        """All that it asks, each with the moment of it; the lines may be asked at any moment that settles it."""
        clauses = [self.take, self.settled, self.needs, self.placed]
        found = [(at, one) for kind in clauses for at, asked in kind.items() for one in asked]
        return [*found, ("lines", self.lines)]

    @property
    def by_cards(self) -> bool:
        """Does it look at nothing but cards, and is it settled by the deal or at the end?"""
        facts = any(atom.detail is None for _, one in self.askings for atom in one.atoms)
        moments = {*self.take, *self.settled} <= {"deal", "end"} and set(self.placed) == {"before-deal"}
        return moments and not facts


def _asked(condition: Condition) -> Asking:
    part = partition([condition], "first")
    return asking(part.atoms, part.group_of)


def holds(clauses: Mapping[str, list[Asking]], at: str, read: Callable[[Atom], int]) -> bool:
    """Does one of the clauses hold at this moment?"""
    return any(one.answer(read) for one in clauses.get(at, ()))


class Lives:
    """Some wagers on a hand, the main one first, and the values of atoms that they cannot tell apart."""

    def __init__(self, wagers: Sequence[Wager]) -> None:
        self.lives = [Life(wager) for wager in wagers]
        self._reached: dict[object, State] = {}
        self._ended: dict[object, tuple[int, ...]] = {}

    @cached_property
    def atoms(self) -> dict[Atom, NDArray[np.int64]]:
        """Every question about cards, with a number for each of its values; values alike in everything share it."""
        found: dict[Atom, list[NDArray[np.int64]]] = {}
        for life in self.lives:
            for _, one in life.askings:
                for axis, atom in enumerate(one.atoms):
                    if atom.detail is not None:
                        slices = np.moveaxis(one.table, axis, 0).reshape(one.table.shape[axis], -1)
                        _, like = np.unique(slices, axis=0, return_inverse=True)
                        found.setdefault(atom, []).append(like.reshape(-1))
        stands: dict[Atom, NDArray[np.int64]] = {}
        for atom, kinds in found.items():
            _, first, like = np.unique(np.array(kinds), axis=1, return_index=True, return_inverse=True)
            stands[atom] = first[like.reshape(-1)] + atom.low
        return stands

    @cached_property
    def later(self) -> tuple[Atom, ...]:
        """The questions about cards that may be asked after the deal, of cards that are seen at the deal."""
        kept: dict[Atom, None] = {}
        for life in self.lives:
            for at, one in life.askings:
                if at not in ("deal", "before-deal", "insurance"):
                    kept |= {atom: None for atom in one.atoms if atom.detail is not None}
        return tuple(kept)

    def start(self) -> State:
        """Before the deal: what is placed then is open."""
        return State(tuple(OPEN if life.wager.before_deal else ABSENT for life in self.lives))

    def others(self) -> State:
        """On another hand of a split there is the main wager alone."""
        return State((OPEN, *[ABSENT] * (len(self.lives) - 1)))

    def answers(self, state: State) -> dict[Atom, int]:
        """What a state remembers of cards."""
        return dict(zip(self.later, state.memory, strict=True)) if state.memory else dict.fromkeys(self.later, 0)

    def remember(self, state: State, answers: Mapping[Atom, int]) -> State:
        """A state with the answers that its open wagers may need again; none, if they need none."""
        asked = {
            atom
            for life, status in zip(self.lives, state.statuses, strict=True)
            if status == OPEN
            for at, one in life.askings
            if at != "deal"
            for atom in one.atoms
        }
        kept = tuple(answers[atom] if atom in asked else atom.low for atom in self.later)
        return State(state.statuses, kept if any(atom in asked for atom in self.later) else ())

    def view(self, role: int, kind: Kind, how: How, dealer: Dealer = UNSEEN) -> HandView:
        """A hand as its wagers see it; questions about single cards are answered apart."""
        hard, aces = (kind.total - 10, 1) if kind.soft else (kind.total, 0)
        up, hole = (ACE, TEN) if dealer.natural else (NO_CARD, NO_CARD)
        dealer_hard, dealer_aces = (11, 1) if dealer.natural else (dealer.total, 0)
        hand, hands = (2 if role == OTHER else 1), (1 if role == DEALT else 2)
        return hand_view(
            *(NO_CARD, NO_CARD, up, hole, NO_CARD, hard, aces, kind.cards, hand, hands),
            *(how.doubled, how.stood, how.surrendered, 0, dealer_hard, dealer_aces, dealer.cards),
        )

    def reach(
        self, state: State, moment: str, role: int, kind: Kind, how: How, answers: Mapping[Atom, int] | None = None
    ) -> State:
        """A moment comes: open wagers are taken or settled by their clauses. A hand of one card settles nothing."""
        key = state, moment, role, kind, how, None if answers is None else tuple(answers.items())
        if key not in self._reached:
            told = self.answers(state) if answers is None else answers
            read = reading(self.view(role, kind, how), told)
            statuses = list(state.statuses)
            for place, life in enumerate(self.lives):
                if statuses[place] == OPEN:
                    # One card is outside the range of facts that tables are made for: the clause itself is asked.
                    one = kind.cards == 1
                    if happens_by(life.wager.take, moment, read) if one else holds(life.take, moment, read):
                        statuses[place] = 0
                    elif not one and holds(life.settled, moment, read):
                        statuses[place] = life.lines.answer(read)
            self._reached[key] = self.remember(State(tuple(statuses), state.memory), told)
        return self._reached[key]

    def need(self, state: State, role: int, kind: Kind, how: How) -> int:
        """What open wagers need of the dealer: nothing (0), a second card (1), or the finished hand (2)."""
        read = reading(self.view(role, kind, how), self.answers(state))
        open_lives = [life for life, status in zip(self.lives, state.statuses, strict=True) if status == OPEN]
        if any(holds(life.needs, DEALER_FINISHED, read) for life in open_lives):
            return 2
        return int(any(holds(life.needs, DEALER_SECOND, read) for life in open_lives))

    def end(
        self, state: State, role: int, kind: Kind, how: How, dealer: Dealer, hole: Mapping[Atom, int]
    ) -> tuple[int, ...]:
        """How every wager ends against a dealer's hand; `hole` is what is answered about the dealer's second card."""
        key = state, role, kind, how, dealer, tuple(hole.values())
        if key not in self._ended:
            read = reading(self.view(role, kind, how, dealer), {**self.answers(state), **hole})
            self._ended[key] = tuple(
                life.lines.answer(read) if status == OPEN else status
                for life, status in zip(self.lives, state.statuses, strict=True)
            )
        return self._ended[key]


def reading(view: HandView, answers: Mapping[Atom, int]) -> Callable[[Atom], int]:
    """The value of an atom: a fact of the view, or what is answered about cards (anything, where it does not matter)."""
    return lambda atom: view[atom.fields[0]] if atom.detail is None else answers.get(atom, atom.low)
