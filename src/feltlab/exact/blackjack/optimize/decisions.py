"""What every decision is worth against one up card, and the plan that takes the best of them.

Everything is worth something to two wagers: the main one (part 0) and, where there is one, a side wager (part 1).
A hand is judged by itself, from the shoe less its own cards and the up card; only what a split is worth takes in the
other hands. After a split a hand is played as it would be by itself, where that is legal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.exact.blackjack import kernels
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.nodes import Nodes
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.blackjack.up_card import Against
from feltlab.games.blackjack import (
    DOUBLE,
    HIT,
    STAND,
    SURRENDER,
    House,
)
from feltlab.hands.graph import Ints, hands
from feltlab.hands.states import DEALT, DOUBLED, FIRST, OPEN, STOOD, SURRENDERED, HandState
from feltlab.strategy.plan import ALIVE, NONE, may_hit

MAIN, SIDE = 0, 1


class Aim(NamedTuple):
    """What a player wants: main + ratio x side, or most of the side wager first and of the main among equals."""

    ratio: float = 0.0
    bonus_first: bool = False

    def better(self, new: Floats, old: Floats) -> NDArray[np.bool_]:
        """Where some values (main, side) are better than others."""
        main, side = new[0] - old[0], new[1] - old[1]
        if self.bonus_first:
            equal = kernels.EQUAL_SIDE
            return np.asarray((side > equal) | ((side > -equal) & (main > kernels.EQUAL)))
        return np.asarray(main + self.ratio * side > kernels.EQUAL)


MAIN_ONLY = Aim()


class HandChoice(NamedTuple):
    """Standing or hitting by hand: what the better is worth, what hitting is worth, and which it is."""

    value: Floats
    hit: Floats
    action: Ints


@dataclass
class Decisions:
    """The decisions against one up card for an aim, each with its worth to both wagers (main, side)."""

    house: House
    table: Against
    nodes: Nodes
    main: Settling
    side: Settling | None = None
    aim: Aim = MAIN_ONLY
    alive: frozenset[int] = frozenset()  # the two-card hands that a side wager can still ride on after the deal
    like_tens: tuple[tuple[float, float], ...] = ()
    """Where only like tens may be split: the chance that a pair is of a rank, and that rank's cards in the shoe."""
    base: Decisions | None = None  # the same for the main wager alone, if that has been done
    _made: dict[object, Floats] = field(default_factory=dict)
    _splits: dict[tuple[int, int], HandChoice] = field(default_factory=dict)

    # ---- what standing, one card or a bust is worth

    def stand(self, part: int, state: HandState) -> Floats:
        """What it is worth at every node to draw no more; only at hands by themselves, if there is no split."""
        if part == MAIN and self.base is not None:
            return self.base.stand(part, state)
        key = ("stand", part, state, self.table.version * state.split)
        if key not in self._made:
            values = np.zeros(len(self.nodes.hand))
            if settling := (self.main, self.side)[part]:
                pays = settling.pays[settling.ends(state)] * (state.stake if part == MAIN else 1)
                count = len(self.nodes.hand) if state.split else len(hands().size)
                if pays.min() == pays.max():  # whatever the dealer does, as when the side wager is lost by doubling
                    values[:count] = pays.max()
                else:
                    kind, ends = hands().kind[self.nodes.hand[:count]], self.table.ends_for(settling.by_cards)
                    kernels.stand_values(ends, self.table.done, self.nodes.row[:count], kind, pays, values)
            self._made[key] = values
        return self._made[key]

    def bust(self, part: int, state: HandState) -> Floats:
        """What a card too many is worth: by kind of hand, and whether the dealer has a natural."""
        settling = (self.main, self.side)[part]
        if settling is None:
            return np.zeros((len(hands().kinds), 2))
        pays: Floats = settling.pays[settling.busts(state)] * (state.stake if part == MAIN else 1)
        return pays

    def double(self, part: int, state: HandState) -> Floats:
        """What one card and no more is worth at every node of two cards, with the stake doubled."""
        if part == MAIN and self.base is not None:
            return self.base.double(part, state)
        key = ("double", part, state, self.table.version * state.split)
        if key not in self._made:
            nodes, table = self.nodes, self.table
            values = np.zeros(len(nodes.hand))
            kernels.drawn_values(
                nodes.hand, nodes.row, nodes.child, hands().size == 2, table.draw, table.spoil,
                self.stand(part, state), hands().bust_kind, self.bust(part, state), values,
            )  # fmt: skip
            self._made[key] = values
        return self._made[key]

    # ---- hands by themselves

    @cached_property
    def by_itself(self) -> tuple[HandChoice, HandChoice]:
        """For each layer, the best of standing and hitting for every hand by itself."""
        none = self.base.by_itself[NONE] if self.base is not None else self._choose(NONE, STOOD)
        return none, self._choose(ALIVE, STOOD, none) if self.side else none

    @cached_property
    def _in_split(self) -> HandChoice:
        """The same for hands that a side wager rides on only after a split."""
        return self._choose(ALIVE, STOOD.after_split(FIRST), self.by_itself[NONE])

    def in_split(self, layer: int, role: int) -> HandChoice:
        """The best of standing and hitting for a hand of a split by itself, the first or another."""
        key = layer, role
        if key not in self._splits:
            none = self.in_split(NONE, role) if layer else None
            self._splits[key] = self._choose(layer, STOOD.after_split(role), none)
        return self._splits[key]

    def _choose(self, layer: int, state: HandState, none: HandChoice | None = None) -> HandChoice:
        graph, table = hands(), self.table
        count = len(graph.size)
        rows = self.nodes.row[:count]
        stand, bust = np.zeros((2, count)), np.zeros((2, len(graph.kinds), 2))
        for part in range(1 + layer):
            stand[part], bust[part] = self.stand(part, state)[:count], self.bust(part, state._replace(stood=0))
        over, after = np.zeros(count, dtype=np.bool_), np.zeros((2, count))
        if none is not None:
            over, after[SIDE] = self.ended(state._replace(stood=0))
            after[MAIN] = none.value[MAIN]
        found = HandChoice(np.zeros((2, count)), np.zeros((2, count)), np.zeros(count, dtype=np.int64))
        aim = self.aim if layer else MAIN_ONLY
        kernels.choose(
            graph.child, table.draw[rows], table.spoil[rows], may_hit(), aim.ratio, aim.bonus_first,
            stand, graph.bust_kind, bust, over, after, found.value, found.hit, found.action,
        )  # fmt: skip
        return found

    def ended(self, state: HandState) -> tuple[NDArray[np.bool_], Floats]:
        """Which hands end the side wager by becoming so, and what it pays then."""
        assert self.side is not None
        arrival = self.side.arrivals(state)[hands().kind]
        return arrival != OPEN, np.where(arrival != OPEN, self.side.pays[arrival], 0.0)

    def worths(self, action: int, layer: int, role: int = DEALT) -> Floats:
        """What an action is worth to hands of two cards by themselves, as (2, hands). Splitting has its own."""
        key = ("worth", action, layer, role)
        if key not in self._made:
            count = len(hands().size)
            if action == HIT:
                self._made[key] = (self._in_split if role != DEALT and layer else self.by_itself[layer]).hit
            else:
                state = {STAND: STOOD, DOUBLE: DOUBLED, SURRENDER: SURRENDERED}[action].after_split(role)
                values = self.double if action == DOUBLE else self.stand
                side = values(SIDE, state)[:count] if layer else np.zeros(count)
                self._made[key] = np.array([values(MAIN, state)[:count], side])
        return self._made[key]

    def best(self, of: Ints, legal: Ints, layer: int, role: int = DEALT) -> Ints:
        """The best legal action on each of some hands of two cards, splitting aside."""
        found = np.full(len(of), STAND)
        worth = self.worths(STAND, layer, role)[:, of]
        for action in (HIT, DOUBLE, SURRENDER):
            if (legal & action).any():
                new = self.worths(action, layer, role)[:, of]
                better = ((legal & action) > 0) & self.aim_of(layer).better(new, worth)
                found, worth = np.where(better, action, found), np.where(better, new, worth)
        return found

    def aim_of(self, layer: int) -> Aim:
        """What is wanted: with no side wager alive, only the main wager."""
        return self.aim if layer else MAIN_ONLY
