"""A wager on every way that a hand can end against every way that the dealer can: its lines, as arrays.

The lines are evaluated once for each kind of hand and each end of the dealer, through the same view that a table uses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from feltlab.errors import NotCountedError
from feltlab.exact.blackjack.dealer_ends import ENDS, LOWEST, NATURAL_END, SIZES, Floats
from feltlab.hands.graph import hands
from feltlab.hands.riding import RidingWager, atoms
from feltlab.hands.states import (
    ACTING,
    DOUBLED,
    FIRST,
    NATURAL,
    NATURAL_KIND,
    NO_CARDS,
    OPEN,
    OTHER,
    STOOD,
    UNSEEN,
    DealerHand,
    HandState,
    SingleCards,
    hand_as_seen,
)
from feltlab.memory import BoundedCache
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.wager import Wager

MOST_BYTES = 64 << 20
_outcomes: BoundedCache[Hashable, NDArray[np.int64]] = BoundedCache(MOST_BYTES, size=lambda table: table.nbytes)
"""The tables of any wager of a shape, by name and state of the hand."""


class Settling:
    """One wager and its outcomes, for given first cards and up card where it looks at them.

    `sure` says that the dealer is known to have no natural when players' naturals are paid.
    """

    def __init__(self, wager: Wager, cards: SingleCards = NO_CARDS, *, sure: bool = True) -> None:
        self.wager, self.cards, self.sure = wager, cards, sure
        self._riding = RidingWager(wager)
        self.by_cards = "dealer.cards" in {atom.text for atom in wager.cells.partition.atoms}
        self.pays: Floats = np.array([float(outcome.pays) for outcome in wager.cells.outcomes])
        self._tables: dict[tuple[str, HandState], NDArray[np.int64]] = {}  # hashing the shape each time would be slow

    @cached_property
    def _like(self) -> dict[tuple[int, ...], list[int]]:
        """Groups of kinds that the wager cannot tell apart; one of each group is evaluated."""
        facts = {atom.text for atom in atoms(self.wager)}
        groups: dict[tuple[int, ...], list[int]] = {}
        for kind, (total, soft, cards) in enumerate(hands().kinds):
            if cards > 1:
                key = (total, soft * ("soft" in facts), cards * ("cards" in facts), int(total == 21 and cards == 2))
                groups.setdefault(key, []).append(kind)
        return groups

    @property
    def most_views(self) -> int:
        """The most views that the wager is evaluated on for one state of a hand."""
        return len(self._like) * ENDS * (SIZES if self.by_cards else 1)

    def ends(self, state: HandState) -> NDArray[np.int64]:
        """The outcome by kind of hand, dealer's end and dealer's cards: (kinds, ENDS, SIZES), or with 1 for SIZES."""
        return self._table("ends", state, (ENDS, SIZES if self.by_cards else 1), self._at_end)

    def busts(self, state: HandState) -> NDArray[np.int64]:
        """The outcome of a bust hand by kind, without and with a dealer's natural: (kinds, 2)."""
        return self._table("busts", state, (2,), self._bust)

    @cached_property
    def first_is_like_others(self) -> bool:
        """Whether the first hand of a split is settled as the others are."""
        return bool(self._find("alike", ACTING, self._alike))

    def _alike(self) -> NDArray[np.int64]:
        def alike(table: Callable[[HandState], NDArray[np.int64]], state: HandState) -> bool:
            return np.array_equal(table(state.after_split(FIRST)), table(state.after_split(OTHER)))

        ends = alike(self.ends, STOOD) and alike(self.ends, DOUBLED)
        return np.array(ends and alike(self.busts, ACTING) and alike(self.busts, DOUBLED), dtype=np.int64)

    def arrivals(self, state: HandState) -> NDArray[np.int64]:
        """The outcome where the wager is taken or settled by an action that makes such a hand; OPEN: it rides on."""
        return self._table("arrivals", state, (), lambda kind, state: self.status_after("action", kind, state))

    def status_after(self, moment: str, kind: int, state: HandState) -> int:
        """What a moment of the round makes of the wager on one kind of hand."""
        if moment not in self.wager.moments:
            return OPEN
        view = self._view(kind, state)
        return self._riding.status_after(moment, lambda atom: atom.read(view))

    def _table(
        self,
        name: str,
        state: HandState,
        shape: tuple[int, ...],
        outcomes: Callable[[int, HandState], int | NDArray[np.int64]],
    ) -> NDArray[np.int64]:
        """The outcomes by kind of hand; bust kinds have no end, and others no bust."""

        def make() -> NDArray[np.int64]:
            table = np.zeros((len(hands().kinds), *shape), dtype=np.int64)
            for (total, *_), like in self._like.items():
                if name == "arrivals" or (total > 21) == (name == "busts"):
                    table[like] = outcomes(like[0], state)
            return table

        return self._find(name, state, make)

    def _find(self, name: str, state: HandState, make: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
        """A table that was made before, here or for any wager of the same shape; else a new one."""
        if (name, state) not in self._tables:
            self._tables[name, state] = _outcomes.find((self.wager.shape, self.cards, self.sure, name, state), make)
        return self._tables[name, state]

    def dealt(self, kind: int) -> HandView:
        """A hand as the wager sees it when it has been dealt."""
        return self._view(kind, ACTING)

    def taken_by_split(self, pair: int) -> bool:
        """Whether the wager is taken when the hand that it rides on is split."""
        view = self._view(int(hands().kind[hands().of(pair)]), ACTING.after_split(FIRST))
        return self._riding.is_taken("action", lambda atom: atom.read(view))

    def stopped(self, kind: int) -> int:
        """The outcome of a hand as dealt that a dealer's natural stops before anybody acts."""
        return self.wager.cells.outcome(self._view(kind, STOOD, NATURAL))

    def _at_end(self, kind: int, state: HandState) -> NDArray[np.int64]:
        early = self.status_after("action", kind, state)
        if early == OPEN and self.sure and state == STOOD and hands().kinds[kind] == NATURAL_KIND:
            early = self.status_after("naturals", kind, state)
        if early != OPEN:
            return np.full((ENDS, SIZES if self.by_cards else 1), early, dtype=np.int64)
        sizes = range(2, SIZES) if self.by_cards else [3]
        outcomes = np.zeros((ENDS, SIZES if self.by_cards else 1), dtype=np.int64)
        for end in range(ENDS):
            for cards in [2] if end == NATURAL_END else sizes:
                dealer = NATURAL if end == NATURAL_END else DealerHand(end + LOWEST, cards, seen=1)
                outcomes[end, cards if self.by_cards else 0] = self.wager.cells.outcome(self._view(kind, state, dealer))
        return outcomes

    def _bust(self, kind: int, state: HandState) -> NDArray[np.int64]:
        by_end = self._at_end(kind, state)
        outcomes = set(by_end[:NATURAL_END, 2:].flat if self.by_cards else by_end[:NATURAL_END].flat)
        if len(outcomes) > 1:
            raise NotCountedError(
                f"{self.wager.id} looks at the dealer's hand after the player's is bust;"
                " that is not counted here: simulate it instead"
            )
        return np.array([outcomes.pop(), by_end[NATURAL_END, 2 if self.by_cards else 0]], dtype=np.int64)

    def _view(self, kind: int, state: HandState, dealer: DealerHand = UNSEEN) -> HandView:
        return hand_as_seen(hands().kinds[kind], state, dealer, self.cards)
