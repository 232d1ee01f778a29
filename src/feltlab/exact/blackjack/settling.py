"""A wager on every way that a hand can end against every way that the dealer can: its lines, as arrays.

The lines are asked once for each kind of hand and each end of the dealer, through the same view that a table uses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD
from feltlab.errors import NotCountedError
from feltlab.exact.blackjack.dealer_ends import ENDS, LOWEST, NATURAL, SIZES, Floats
from feltlab.hands.graph import hands
from feltlab.memory import BoundedCache
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.wager import Wager, happens

OPEN = -1
ACE, TEN = 0, 36  # cards that stand for a dealer's natural


class How(NamedTuple):
    """How a hand came to its end, beside its cards: which hand of the spot it is, and what was done with it."""

    hand: int = 1
    split: int = 0
    doubled: int = 0
    stood: int = 0
    surrendered: int = 0

    @property
    def stake(self) -> int:
        """How many times the first stake lies on it."""
        return 2 if self.doubled else 1


STOOD, DOUBLED, SURRENDERED = How(stood=1), How(doubled=1), How(surrendered=1)
ACTING = How()
"""A hand that is still being played."""


class Cards(NamedTuple):
    """The cards that a wager may look at one by one; -1 for one that it does not."""

    first: int = NO_CARD
    second: int = NO_CARD
    up: int = NO_CARD


NO_CARDS = Cards()


MOST_BYTES = 64 << 20
_asked: BoundedCache[Hashable, NDArray[np.int64]] = BoundedCache(MOST_BYTES, size=lambda table: table.nbytes)
"""What was asked of any wager of a shape: its tables by name and how a hand ended."""


def atoms(wager: Wager) -> set[Atom]:
    """All that a wager's lines look at, and its clauses that take or settle it."""
    conditions = [timed.when for timed in (*wager.take, *wager.settled)]
    return {atom for condition in conditions for atom in condition.atoms} | set(wager.cells.partition.atoms)


class Settling:
    """One wager and its outcomes, for given first cards and up card where it looks at them.

    `sure` says that the dealer is known to have no natural when players' naturals are paid.
    """

    def __init__(self, wager: Wager, cards: Cards = NO_CARDS, *, sure: bool = True) -> None:
        self.wager, self.cards, self.sure = wager, cards, sure
        self.by_cards = "dealer.cards" in {atom.text for atom in wager.cells.partition.atoms}
        self.pays: Floats = np.array([float(outcome.pays) for outcome in wager.cells.outcomes])
        self._tables: dict[tuple[str, How], NDArray[np.int64]] = {}  # so that the shape is not hashed again and again

    @cached_property
    def _like(self) -> dict[tuple[int, ...], list[int]]:
        """Kinds that the wager cannot tell apart: they are asked about once."""
        facts = {atom.text for atom in atoms(self.wager)}
        found: dict[tuple[int, ...], list[int]] = {}
        for kind, (total, soft, cards) in enumerate(hands().kinds):
            if cards > 1:
                key = (total, soft * ("soft" in facts), cards * ("cards" in facts), int(total == 21 and cards == 2))
                found.setdefault(key, []).append(kind)
        return found

    @property
    def most_asked(self) -> int:
        """How often the wager is asked what it makes, at most, for one way to end a hand."""
        return len(self._like) * ENDS * (SIZES if self.by_cards else 1)

    def ends(self, how: How) -> NDArray[np.int64]:
        """The outcome by kind of hand, dealer's end and dealer's cards: (kinds, ENDS, SIZES), or with 1 for SIZES."""
        return self._table("ends", how, (ENDS, SIZES if self.by_cards else 1), self._at_end)

    def busts(self, how: How) -> NDArray[np.int64]:
        """The outcome of a bust hand by kind, without and with a dealer's natural: (kinds, 2)."""
        return self._table("busts", how, (2,), self._bust)

    @cached_property
    def first_is_like_others(self) -> bool:
        """Is the first hand of a split settled as the others are?"""
        return bool(self._find("alike", ACTING, self._alike))

    def _alike(self) -> NDArray[np.int64]:
        hows = [How(1, 1, stood=1), How(1, 1, doubled=1)]
        ends = all(np.array_equal(self.ends(how), self.ends(how._replace(hand=2))) for how in hows)
        hows = [How(1, 1), How(1, 1, doubled=1)]
        busts = all(np.array_equal(self.busts(how), self.busts(how._replace(hand=2))) for how in hows)
        return np.array(ends and busts, dtype=np.int64)

    def arrivals(self, how: How) -> NDArray[np.int64]:
        """The outcome where the wager is taken or settled by an action that makes such a hand; OPEN: it rides on."""
        return self._table("arrivals", how, (), lambda kind, how: self.arrives(kind, how, "action"))

    def arrives(self, kind: int, how: How, at: str) -> int:
        """The same for one kind of hand at a moment of the round."""
        if not any(clause.at == at for clause in self.wager.take + self.wager.settled):
            return OPEN
        view = self._view(kind, how, OPEN, 0)
        if happens(self.wager.take, at, view):
            return 0
        return self.wager.cells.outcome(view) if happens(self.wager.settled, at, view) else OPEN

    def _table(
        self, name: str, how: How, shape: tuple[int, ...], ask: Callable[[int, How], int | NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """What is asked of each kind; bust kinds have no end, and others no bust."""

        def make() -> NDArray[np.int64]:
            found = np.zeros((len(hands().kinds), *shape), dtype=np.int64)
            for (total, *_), like in self._like.items():
                if name == "arrivals" or (total > 21) == (name == "busts"):
                    found[like] = ask(like[0], how)
            return found

        return self._find(name, how, make)

    def _find(self, name: str, how: How, make: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
        """What was made before, here or for any wager of the same shape."""
        if (name, how) not in self._tables:
            self._tables[name, how] = _asked.find((self.wager.shape, self.cards, self.sure, name, how), make)
        return self._tables[name, how]

    def dealt(self, kind: int) -> HandView:
        """A hand as the wager sees it when it has been dealt."""
        return self._view(kind, ACTING, OPEN, 0)

    def taken_by_split(self, pair: int) -> bool:
        """Is the wager taken when the hand that it rides on is split?"""
        view = self._view(int(hands().kind[hands().of(pair)]), How(split=1), OPEN, 0)
        return happens(self.wager.take, "action", view)

    def stopped(self, kind: int) -> int:
        """The outcome of a hand as dealt that a dealer's natural stops before anybody acts."""
        return self.wager.cells.outcome(self._view(kind, STOOD, NATURAL, 2))

    def _at_end(self, kind: int, how: How) -> NDArray[np.int64]:
        early = self.arrives(kind, how, "action")
        if early == OPEN and self.sure and how == STOOD and hands().kinds[kind] == (21, 1, 2):
            early = self.arrives(kind, how, "naturals")
        if early != OPEN:
            return np.full((ENDS, SIZES if self.by_cards else 1), early, dtype=np.int64)
        sizes = range(2, SIZES) if self.by_cards else [3]
        found = np.zeros((ENDS, SIZES if self.by_cards else 1), dtype=np.int64)
        for end in range(ENDS):
            for cards in [2] if end == NATURAL else sizes:
                place = cards if self.by_cards else 0
                found[end, place] = self.wager.cells.outcome(self._view(kind, how, end, cards))
        return found

    def _bust(self, kind: int, how: How) -> NDArray[np.int64]:
        found = self._at_end(kind, how)
        outcomes = set(found[:NATURAL, 2:].flat if self.by_cards else found[:NATURAL].flat)
        if len(outcomes) > 1:
            raise NotCountedError(
                f"{self.wager.id} looks at the dealer's hand after the player's is bust;"
                " that is not counted here: simulate it instead"
            )
        return np.array([outcomes.pop(), found[NATURAL, 2 if self.by_cards else 0]], dtype=np.int64)

    def _view(self, kind: int, how: How, end: int, dealer_cards: int) -> HandView:
        """A hand of a kind against a dealer's end (OPEN: not known)."""
        total, soft, cards = hands().kinds[kind]
        hard, aces = (total - 10, 1) if soft else (total, 0)
        up, hole, dealer = self.cards.up, NO_CARD, (0, 0, 0)
        if end == NATURAL:
            up = up if up != NO_CARD else ACE
            hole, dealer = (TEN if up // 4 == 0 else ACE), (11, 1, 2)
        elif end >= 0:
            dealer = (end + LOWEST, 0, dealer_cards)
        return hand_view(
            *(self.cards.first, self.cards.second, up, hole, NO_CARD, hard, aces, cards),
            *(how.hand, 1 + how.split, how.doubled, how.stood, how.surrendered, 0, *dealer),
        )
