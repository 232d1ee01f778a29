"""The wagers on a hand together: how they stand after each moment of the round, and how each of them ends.

Everything that can happen to a hand is followed once, before a card is dealt, by the wagers' own clauses and lines and
through the view that a table uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.hands.riding import LOST
from feltlab.hands.states import ABSENT, OPEN, DealerHand, HandKind, HandState, hand_as_seen
from feltlab.simulate.compile.tabulated import TabulatedWager, any_holds, reader
from feltlab.wagers.conditions import Atom
from feltlab.wagers.moments import DEALER_FINISHED, DEALER_SECOND
from feltlab.wagers.wager import Wager, happens_by


class WagerStatuses(NamedTuple):
    """How the wagers stand: OPEN, ABSENT or an outcome each, and the answers about cards that open ones may still need."""

    statuses: tuple[int, ...]
    memory: tuple[int, ...] = ()


class WagersOnHand:
    """Some wagers on a hand, the main one first, and the values of atoms that they cannot tell apart."""

    def __init__(self, wagers: Sequence[Wager]) -> None:
        self.wagers = [TabulatedWager(wager) for wager in wagers]
        self._reached: dict[object, WagerStatuses] = {}
        self._ended: dict[object, tuple[int, ...]] = {}

    @cached_property
    def atoms(self) -> dict[Atom, NDArray[np.int64]]:
        """Every question about cards, with a number for each of its values; values alike in everything share it."""
        classes: dict[Atom, list[NDArray[np.int64]]] = {}
        for wager in self.wagers:
            for _, answers in wager.tables:
                for axis, atom in enumerate(answers.atoms):
                    if atom.detail is not None:
                        slices = np.moveaxis(answers.table, axis, 0).reshape(answers.table.shape[axis], -1)
                        _, like = np.unique(slices, axis=0, return_inverse=True)
                        classes.setdefault(atom, []).append(like.reshape(-1))
        stands: dict[Atom, NDArray[np.int64]] = {}
        for atom, kinds in classes.items():
            _, first, like = np.unique(np.array(kinds), axis=1, return_index=True, return_inverse=True)
            stands[atom] = first[like.reshape(-1)] + atom.low
        return stands

    @cached_property
    def later(self) -> tuple[Atom, ...]:
        """The questions that may be asked after the deal about cards that are seen at the deal."""
        kept: dict[Atom, None] = {}
        for wager in self.wagers:
            for moment, answers in wager.tables:
                if moment not in ("deal", "before-deal", "insurance"):
                    kept |= {atom: None for atom in answers.atoms if atom.detail is not None}
        return tuple(kept)

    def start(self) -> WagerStatuses:
        """Before the deal: what is placed then is open."""
        return WagerStatuses(tuple(OPEN if wager.wager.before_deal else ABSENT for wager in self.wagers))

    def others(self) -> WagerStatuses:
        """On another hand of a split: the main wager alone."""
        return WagerStatuses((OPEN, *[ABSENT] * (len(self.wagers) - 1)))

    def answers(self, statuses: WagerStatuses) -> dict[Atom, int]:
        """What is remembered of cards."""
        if not statuses.memory:
            return dict.fromkeys(self.later, 0)
        return dict(zip(self.later, statuses.memory, strict=True))

    def remember(self, statuses: WagerStatuses, answers: Mapping[Atom, int]) -> WagerStatuses:
        """The same with the answers that open wagers may need again; without any, if they need none."""
        needed = {
            atom
            for wager, status in zip(self.wagers, statuses.statuses, strict=True)
            if status == OPEN
            for moment, table in wager.tables
            if moment != "deal"
            for atom in table.atoms
        }
        kept = tuple(answers[atom] if atom in needed else atom.low for atom in self.later)
        return WagerStatuses(statuses.statuses, kept if any(atom in needed for atom in self.later) else ())

    def reach(
        self,
        before: WagerStatuses,
        moment: str,
        kind: HandKind,
        state: HandState,
        answers: Mapping[Atom, int] | None = None,
    ) -> WagerStatuses:
        """A moment comes: open wagers are taken or settled by their clauses. A hand of one card settles nothing."""
        key = before, moment, kind, state, None if answers is None else tuple(answers.items())
        if key not in self._reached:
            known = self.answers(before) if answers is None else answers
            read = reader(hand_as_seen(kind, state), known)
            statuses = list(before.statuses)
            for place, wager in enumerate(self.wagers):
                if statuses[place] != OPEN:
                    continue
                if kind.cards == 1:
                    # Outside the range of facts that tables are made for: the clause itself is evaluated.
                    statuses[place] = LOST if happens_by(wager.wager.take, moment, read) else OPEN
                else:
                    statuses[place] = wager.status_after(moment, read)
            self._reached[key] = self.remember(WagerStatuses(tuple(statuses), before.memory), known)
        return self._reached[key]

    def need(self, statuses: WagerStatuses, kind: HandKind, state: HandState) -> int:
        """What open wagers need of the dealer: nothing (0), a second card (1), or the finished hand (2)."""
        read = reader(hand_as_seen(kind, state), self.answers(statuses))
        riding = [wager for wager, status in zip(self.wagers, statuses.statuses, strict=True) if status == OPEN]
        if any(any_holds(wager.needs, DEALER_FINISHED, read) for wager in riding):
            return 2
        return int(any(any_holds(wager.needs, DEALER_SECOND, read) for wager in riding))

    def end(
        self, statuses: WagerStatuses, kind: HandKind, state: HandState, dealer: DealerHand, hole: Mapping[Atom, int]
    ) -> tuple[int, ...]:
        """How every wager ends against a dealer's hand; `hole` answers the questions about the dealer's second card."""
        key = statuses, kind, state, dealer, tuple(hole.values())
        if key not in self._ended:
            read = reader(hand_as_seen(kind, state, dealer), {**self.answers(statuses), **hole})
            self._ended[key] = tuple(
                wager.outcome(read) if status == OPEN else status
                for wager, status in zip(self.wagers, statuses.statuses, strict=True)
            )
        return self._ended[key]
