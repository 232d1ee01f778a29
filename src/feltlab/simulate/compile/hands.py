"""Blackjack as an automaton: what a strategy does with every hand, and how all wagers on it end, as small tables.

A *state* of play is a hand's role, its cards and how its wagers stand; a card leads from one to the next. States in
which a strategy and all wagers behave alike ever after are one. A hand that ends has an *ending*: a row that says for
every *column*, a way in which the dealer's hand can end, how each wager ends. Rows and columns that are alike are one
too. Kernels do nothing but follow these tables; each entry was asked of the game's functions and the sheet's lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import (
    DOUBLE,
    HIT,
    PEEK,
    SPLIT,
    STAND,
    SURRENDER,
    House,
    insurance_offered,
    is_natural,
    may_be_natural,
    surrenders_before_peek,
)
from feltlab.hands.graph import BUST, CARDS, hands
from feltlab.simulate.compile.dealer import Column
from feltlab.simulate.compile.lives import (
    ABSENT,
    ACTING,
    DEALT,
    DOUBLED,
    FIRST,
    OPEN,
    STOOD,
    SURRENDERED,
    How,
    Kind,
    Lives,
    State,
    holds,
    reading,
)
from feltlab.strategy.plan import ALIVE, NONE, Plan
from feltlab.wagers.conditions import Atom

Ints = NDArray[np.int64]
NEVER = 0
WORDS = {ACTING: "bust", STOOD: "stood", DOUBLED: "doubled", SURRENDERED: "surrendered"}
HIT_CODE, STAND_CODE, DOUBLE_CODE, SPLIT_CODE, SURRENDER_CODE = 1, 0, 2, 3, 4
CODES = {STAND: STAND_CODE, HIT: HIT_CODE, DOUBLE: DOUBLE_CODE, SPLIT: SPLIT_CODE, SURRENDER: SURRENDER_CODE}
CLOSING = {WORDS[STOOD]: STAND_CODE, WORDS[SURRENDERED]: SURRENDER_CODE}
"""The actions that end a hand without a card, by how it ended. To stand is one even where nothing else is allowed."""


class Ending(NamedTuple):
    """How a hand ended, as far as its wagers and the dealer are concerned."""

    outcomes: tuple[tuple[int, ...], ...]  # by column, then by wager
    how: str
    stake: int
    need: int
    split: int


class Play(NamedTuple):
    """A state of play. `pair` is the card that was split, until the hand has a third one; `unlike` marks two tens of
    different ranks that may not be split.
    """

    role: int
    hand: int
    state: State
    pair: int = 0
    unlike: bool = False


class Start(NamedTuple):
    """What first cards lead to: a state of play or an ending, and the endings by a dealer's natural or by giving up
    before the dealer looks for one (0: nobody is asked; else its number and one).
    """

    play: int  # below 0: an ending, as -1 - its number
    stopped: int
    early: int


@dataclass
class Automaton:
    """Everything that can become of a hand. `in_view` is the wager's place that the strategy plays for."""

    house: House
    plans: Mapping[int, Plan]
    lives: Lives
    columns: tuple[Column, ...]
    in_view: int | None = None
    endings: dict[Ending, int] = field(default_factory=dict)
    states: dict[Play, int] = field(default_factory=dict)
    _waiting: list[Play] = field(default_factory=list)
    _ended: dict[object, int] = field(default_factory=dict)  # hands of one kind end alike, and most kinds come often

    # ---- hands as wagers see them

    def kind(self, total: int, soft: int, cards: int) -> Kind:
        """A hand's kind, with what no wager asks about made alike."""
        return Kind(total, soft if self._asks_soft else 0, int(self._cards_like[cards]))

    @cached_property
    def _asks_soft(self) -> bool:
        return any(atom.text == "soft" for life in self.lives.lives for _, one in life.askings for atom in one.atoms)

    @cached_property
    def _cards_like(self) -> Ints:
        """For each number of cards the least that no wager tells from it; two and one stay what they are."""
        like = np.arange(23)
        rows = [
            np.moveaxis(one.table, axis, 0).reshape(one.table.shape[axis], -1)
            for life in self.lives.lives
            for _, one in life.askings
            for axis, atom in enumerate(one.atoms)
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

    def _kind_of(self, hand: int) -> Kind:
        graph = hands()
        return self.kind(int(graph.total[hand]), int(graph.soft[hand]), int(graph.size[hand]))

    def _drawn(self, hand: int, drawn: int) -> tuple[int, Kind]:
        """A hand with one more card, and its kind; BUST where it is too many."""
        graph = hands()
        after = int(graph.child[hand, drawn])
        if after != BUST:
            return after, self._kind_of(after)
        return BUST, self.kind(*graph.kinds[int(graph.bust_kind[hand, drawn])])

    # ---- endings

    def ending(self, state: State, role: int, kind: Kind, how: How, ended: str = "") -> int:
        """The number of an ending."""
        key = state, role, kind, how, ended
        if key not in self._ended:
            rows = tuple(self.lives.end(state, role, kind, how, column.dealer, column.hole) for column in self.columns)
            need = self.lives.need(state, role, kind, how)
            made = Ending(rows, ended or WORDS[how], 1 + how.doubled, need, int(role != DEALT))
            self._ended[key] = self.endings.setdefault(made, len(self.endings))
        return self._ended[key]

    def stopped_by(self, play: Play, how: How) -> int:
        """The ending of a hand by an action that takes no card."""
        return self.acted(play, self._kind_of(play.hand), how)

    def acted(self, play: Play, kind: Kind, how: How) -> int:
        """The ending of a hand by an action: stood, surrendered, doubled, or bust."""
        after = self.lives.reach(play.state, "action", play.role, kind, how)
        return self.ending(after, play.role, kind, how)

    # ---- before the first action

    def start(self, up: int, one: int, two: int, answers: Mapping[Atom, int], *, unlike: bool) -> Start:
        """What first cards lead to against an up card that counts so much."""
        hand = hands().of(one, two)
        kind = self._kind_of(hand)
        lives, told = self.lives, answers
        dealt = lives.reach(lives.start(), "deal", DEALT, kind, ACTING, told)
        early = NEVER
        if surrenders_before_peek(self.house, up):
            gone = lives.reach(dealt, "action", DEALT, kind, SURRENDERED, told)
            gone = lives.reach(gone, "naturals", DEALT, kind, SURRENDERED, told) if self._sure(up) else gone
            early = 1 + self.ending(lives.remember(gone, told), DEALT, kind, SURRENDERED)
        insured = lives.remember(self._insured(dealt, up, kind, told), told)
        stopped = self.ending(insured, DEALT, kind, STOOD, "stopped")
        if is_natural(int(hands().hard[hand]), int(hands().aces[hand]), 2, 1):
            after = lives.reach(insured, "action", DEALT, kind, STOOD)
            after = lives.reach(after, "naturals", DEALT, kind, STOOD) if self._sure(up) else after
            return Start(-1 - self.ending(after, DEALT, kind, STOOD, "natural"), stopped, early)
        if self._sure(up):
            insured = lives.reach(insured, "naturals", DEALT, kind, ACTING)
        return Start(self._number(Play(DEALT, hand, insured, unlike=unlike)), stopped, early)

    def _sure(self, up: int) -> bool:
        """Is the dealer known to have no natural when players' naturals are paid?"""
        return self.house.hole_card == PEEK or not may_be_natural(up)

    def _insured(self, state: State, up: int, kind: Kind, answers: Mapping[Atom, int]) -> State:
        """Insurance is laid wherever it is offered: it changes nothing for the others."""
        if not insurance_offered(up):
            return state
        read = reading(self.lives.view(DEALT, kind, ACTING), answers)
        statuses = [
            OPEN if status == ABSENT and holds(life.placed, "insurance", read) else status
            for life, status in zip(self.lives.lives, state.statuses, strict=True)
        ]
        return State(tuple(statuses), state.memory)

    # ---- play

    def _number(self, play: Play) -> int:
        if play not in self.states:
            self.states[play] = len(self.states)
            self._waiting.append(play)
        return self.states[play]

    def layer(self, state: State) -> int:
        """Is the wager that the strategy plays for still there?"""
        alive = self.in_view is not None and state.statuses[self.in_view] == OPEN
        return ALIVE if alive else NONE

    def action(self, play: Play, up: int) -> int:
        """What the strategy does."""
        plan, layer = self.plans[up], self.layer(play.state)
        if play.pair:
            second = self._second(play)
            return int(plan.split[layer, play.pair - 1, second - 1])
        if play.unlike and plan.first[layer, play.hand] == SPLIT:
            return int(plan.unlike[layer])
        if play.role == DEALT and hands().size[play.hand] == 2:
            return int(plan.first[layer, play.hand])
        return int(plan.draws[layer, play.hand])

    def _second(self, play: Play) -> int:
        counts = hands().cards[play.hand].copy()
        counts[play.pair - 1] -= 1
        return int(np.flatnonzero(counts)[0]) + 1

    def split(self, play: Play, pair: int) -> State:
        """The wagers on the first hand of a pair once it is split: that hand has one card then."""
        one = hands().of(pair)
        kind = Kind(int(hands().total[one]), int(hands().soft[one]), 1)
        return self.lives.reach(play.state, "action", FIRST, kind, ACTING)

    def pair_state(self, role: int, state: State, pair: int, second: int) -> int:
        """The state of a split hand with its second card."""
        return self._number(Play(role, hands().of(pair, second), state, pair=pair))

    def explore(self) -> Iterator[tuple[Play, list[int], list[int]]]:
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
                        reached = self.lives.reach(play.state, "action", play.role, kind, ACTING)
                        after[drawn] = self._number(Play(play.role, hand, reached))
            yield play, actions, after

    def doubled(self, play: Play) -> list[int]:
        """The endings of a doubled hand by the card that it gets."""
        return [self.acted(play, self._drawn(play.hand, drawn)[1], DOUBLED) for drawn in range(10)]
