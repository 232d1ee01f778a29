"""Blackjack as an automaton: what a strategy does with every hand, and how all wagers on it end, as small tables.

A *state* of play is a hand's role, its cards and how its wagers stand; a card leads from one to the next. States in
which a strategy and all wagers behave alike ever after are merged. A hand that ends has an *ending*: a row that says for
every *column*, a way in which the dealer's hand can end, how each wager ends. Equal rows and columns are merged too.
Kernels do nothing but follow these tables; each entry comes from the game's functions and the sheet's lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import (
    HIT,
    SPLIT,
    STAND,
    SURRENDER,
    House,
    insurance_offered,
    is_natural,
    surrenders_before_peek,
)
from feltlab.hands.actions import CODES
from feltlab.hands.graph import BUST, CARDS, hands
from feltlab.hands.peek import natural_ruled_out
from feltlab.hands.states import (
    ABSENT,
    ACTING,
    DEALT,
    DOUBLED,
    FIRST,
    OPEN,
    STOOD,
    SURRENDERED,
    HandKind,
    HandState,
    hand_as_seen,
)
from feltlab.simulate.compile.dealer import Column
from feltlab.simulate.compile.tabulated import AnswerTable, any_holds, reader
from feltlab.simulate.compile.wagers_on_hand import WagersOnHand, WagerStatuses
from feltlab.strategy.plan import ALIVE, NONE, Plan
from feltlab.wagers.conditions import Atom

Ints = NDArray[np.int64]
NEVER = 0
WORDS = {ACTING: "bust", STOOD: "stood", DOUBLED: "doubled", SURRENDERED: "surrendered"}
CLOSING = {WORDS[STOOD]: CODES[STAND], WORDS[SURRENDERED]: CODES[SURRENDER]}
"""The actions that end a hand without a card, by how it ended. Standing is one even where nothing else is allowed."""


class Ending(NamedTuple):
    """How a hand ended, as far as its wagers and the dealer are concerned."""

    outcomes: tuple[tuple[int, ...], ...]  # by column, then by wager
    how: str
    stake: int
    need: int
    split: int


class PlayState(NamedTuple):
    """A hand in play and how its wagers stand. `pair` is the card that was split, until the hand has a third one;
    `unlike` marks two tens of different ranks that may not be split.
    """

    role: int
    hand: int
    wagers: WagerStatuses
    pair: int = 0
    unlike: bool = False


class Start(NamedTuple):
    """What first cards lead to: a state of play or an ending, and the endings by a dealer's natural or by giving up
    before the dealer looks for one (0: there is no such question; else its number and one).
    """

    play: int  # below 0: an ending, as -1 - its number
    stopped: int
    early: int


@dataclass
class Automaton:
    """Everything that can become of a hand. `in_view` is the place of the wager that the strategy plays for."""

    house: House
    plans: Mapping[int, Plan]
    wagers: WagersOnHand
    columns: tuple[Column, ...]
    in_view: int | None = None
    endings: dict[Ending, int] = field(default_factory=dict)
    states: dict[PlayState, int] = field(default_factory=dict)
    _waiting: list[PlayState] = field(default_factory=list)
    _ended: dict[object, int] = field(default_factory=dict)  # hands of one kind end alike, and most kinds recur

    # ---- hands as wagers see them

    def kind(self, total: int, soft: int, cards: int) -> HandKind:
        """A hand's kind, with what no wager looks at made alike."""
        return HandKind(total, soft if self._asks_soft else 0, int(self._cards_like[cards]))

    @property
    def _tables(self) -> list[AnswerTable]:
        return [table for wager in self.wagers.wagers for _, table in wager.tables]

    @cached_property
    def _asks_soft(self) -> bool:
        return any(atom.text == "soft" for table in self._tables for atom in table.atoms)

    @cached_property
    def _cards_like(self) -> Ints:
        """For each number of cards the least that no wager distinguishes from it; one and two stand for themselves."""
        like = np.arange(23)
        rows = [
            np.moveaxis(answers.table, axis, 0).reshape(answers.table.shape[axis], -1)
            for answers in self._tables
            for axis, atom in enumerate(answers.atoms)
            if atom.text == "cards"
        ]
        low = 2  # the fact's own lowest value
        for cards in range(3, 23):
            for less in range(3, cards):
                if all(
                    np.array_equal(row[min(cards - low, len(row) - 1)], row[min(less - low, len(row) - 1)])
                    for row in rows
                ):
                    like[cards] = less
                    break
        return like

    def _kind_of(self, hand: int) -> HandKind:
        graph = hands()
        return self.kind(int(graph.total[hand]), int(graph.soft[hand]), int(graph.size[hand]))

    def _drawn(self, hand: int, drawn: int) -> tuple[int, HandKind]:
        """A hand with one more card (BUST if that is too many), and its kind."""
        graph = hands()
        after = int(graph.child[hand, drawn])
        if after != BUST:
            return after, self._kind_of(after)
        return BUST, self.kind(*graph.kinds[int(graph.bust_kind[hand, drawn])])

    # ---- endings

    def ending(self, statuses: WagerStatuses, kind: HandKind, state: HandState, how: str = "") -> int:
        """The number of an ending."""
        key = statuses, kind, state, how
        if key not in self._ended:
            rows = tuple(self.wagers.end(statuses, kind, state, column.dealer, column.hole) for column in self.columns)
            need = self.wagers.need(statuses, kind, state)
            made = Ending(rows, how or WORDS[state.after_split(DEALT)], state.stake, need, state.split)
            self._ended[key] = self.endings.setdefault(made, len(self.endings))
        return self._ended[key]

    def stopped_by(self, play: PlayState, state: HandState) -> int:
        """The ending of a hand by an action that takes no card."""
        return self.acted(play, self._kind_of(play.hand), state)

    def acted(self, play: PlayState, kind: HandKind, state: HandState) -> int:
        """The ending of a hand by an action: stood, surrendered, doubled, or bust."""
        state = state.after_split(play.role)
        return self.ending(self.wagers.reach(play.wagers, "action", kind, state), kind, state)

    # ---- before the first action

    def start(self, up: int, first: int, second: int, answers: Mapping[Atom, int], *, unlike: bool) -> Start:
        """What first cards of these points lead to against an up card of these points."""
        hand = hands().of(first, second)
        kind = self._kind_of(hand)
        wagers, naturals_paid = self.wagers, natural_ruled_out(self.house, up)
        dealt = wagers.reach(wagers.start(), "deal", kind, ACTING, answers)
        early = NEVER
        if surrenders_before_peek(self.house, up):
            gone = wagers.reach(dealt, "action", kind, SURRENDERED, answers)
            gone = wagers.reach(gone, "naturals", kind, SURRENDERED, answers) if naturals_paid else gone
            early = 1 + self.ending(wagers.remember(gone, answers), kind, SURRENDERED)
        insured = wagers.remember(self._insured(dealt, up, kind, answers), answers)
        stopped = self.ending(insured, kind, STOOD, "stopped")
        if is_natural(int(hands().hard[hand]), int(hands().aces[hand]), 2, 1):
            after = wagers.reach(insured, "action", kind, STOOD)
            after = wagers.reach(after, "naturals", kind, STOOD) if naturals_paid else after
            return Start(-1 - self.ending(after, kind, STOOD, "natural"), stopped, early)
        if naturals_paid:
            insured = wagers.reach(insured, "naturals", kind, ACTING)
        return Start(self._number(PlayState(DEALT, hand, insured, unlike=unlike)), stopped, early)

    def _insured(self, statuses: WagerStatuses, up: int, kind: HandKind, answers: Mapping[Atom, int]) -> WagerStatuses:
        """Insurance is laid wherever it is offered: it changes nothing for the others."""
        if not insurance_offered(up):
            return statuses
        read = reader(hand_as_seen(kind, ACTING), answers)
        insured = [
            OPEN if status == ABSENT and any_holds(wager.placed, "insurance", read) else status
            for wager, status in zip(self.wagers.wagers, statuses.statuses, strict=True)
        ]
        return WagerStatuses(tuple(insured), statuses.memory)

    # ---- play

    def _number(self, play: PlayState) -> int:
        if play not in self.states:
            self.states[play] = len(self.states)
            self._waiting.append(play)
        return self.states[play]

    def layer(self, statuses: WagerStatuses) -> int:
        """Whether the wager that the strategy plays for is still alive, as a layer of the plan."""
        alive = self.in_view is not None and statuses.statuses[self.in_view] == OPEN
        return ALIVE if alive else NONE

    def action(self, play: PlayState, up: int) -> int:
        """What the strategy does."""
        plan, layer = self.plans[up], self.layer(play.wagers)
        if play.pair:
            second = self._second(play)
            return int(plan.split[layer, play.pair - 1, second - 1])
        if play.unlike and plan.first[layer, play.hand] == SPLIT:
            return int(plan.unlike[layer])
        if play.role == DEALT and hands().size[play.hand] == 2:
            return int(plan.first[layer, play.hand])
        return int(plan.draws[layer, play.hand])

    def _second(self, play: PlayState) -> int:
        counts = hands().cards[play.hand].copy()
        counts[play.pair - 1] -= 1
        return int(np.flatnonzero(counts)[0]) + 1

    def split(self, play: PlayState, pair: int) -> WagerStatuses:
        """The wagers on the first hand of a pair once it is split: that hand has one card then."""
        card = hands().of(pair)
        kind = HandKind(int(hands().total[card]), int(hands().soft[card]), 1)
        return self.wagers.reach(play.wagers, "action", kind, ACTING.after_split(FIRST))

    def pair_state(self, role: int, statuses: WagerStatuses, pair: int, second: int) -> int:
        """The state of a split hand with its second card."""
        return self._number(PlayState(role, hands().of(pair, second), statuses, pair=pair))

    def explore(self) -> Iterator[tuple[PlayState, list[int], list[int]]]:
        """Every state that was started, with its actions by up card and where each card leads; until there are no more.

        A card leads to a state, or (below 0) to an ending.
        """
        while self._waiting:
            play = self._waiting.pop()
            actions = [self.action(play, up) if up in self.plans else STAND for up in CARDS]
            after = [0] * 10
            if HIT in actions:
                for drawn in range(10):
                    hand, kind = self._drawn(play.hand, drawn)
                    if hand == BUST:
                        after[drawn] = -1 - self.acted(play, kind, ACTING)
                    else:
                        reached = self.wagers.reach(play.wagers, "action", kind, ACTING.after_split(play.role))
                        after[drawn] = self._number(PlayState(play.role, hand, reached))
            yield play, actions, after

    def doubled(self, play: PlayState) -> list[int]:
        """The endings of a doubled hand by the card that it gets."""
        return [self.acted(play, self._drawn(play.hand, drawn)[1], DOUBLED) for drawn in range(10)]
