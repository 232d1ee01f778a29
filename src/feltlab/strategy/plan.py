"""A plan: a strategy against one up card, worked out for every hand. Strategies as plans, and plans as strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from feltlab.games.blackjack import ACTIONS, HIT, SPLIT, STAND, House, legal_actions
from feltlab.hands.graph import CARDS, Ints, hands
from feltlab.strategy.chart import Actions, Cell, Chart, Exact

NONE, ALIVE = 0, 1  # layers: no side wager on the hand (any more), or one that is still alive
NAMES = {bit: name for name, bit in ACTIONS.items()}


@dataclass(frozen=True)
class Plan:
    """How to play against one up card. The first axis of each array is the layer: no side wager, or one alive."""

    draws: Ints  # (2, hands): STAND or HIT, for hands that may do nothing else
    first: Ints  # (2, hands): the action on two cards as dealt
    split: Ints  # (2, 10, 10): by pair card and second card, what is done after a split when it is not split again
    again: NDArray[np.bool_]  # (2, 10): is a pair split again?
    unlike: Ints  # (2,): the action on unlike tens, where those cannot be split

    @cached_property
    def key(self) -> bytes:
        """The plan as one value, to tell whether two are the same. Not to be asked before it is finished."""
        parts = (self.draws, self.first, self.split, self.again, self.unlike)
        return sha256(b"".join(part.tobytes() for part in parts)).digest()

    def copy(self) -> Plan:
        """The same plan, to be changed."""
        split, again = self.split.copy(), self.again.copy()
        return Plan(self.draws.copy(), self.first.copy(), split, again, self.unlike.copy())


def empty_plan() -> Plan:
    """A plan that says nothing yet."""
    count = len(hands().size)
    return Plan(
        np.zeros((2, count), dtype=np.int64),
        np.zeros((2, count), dtype=np.int64),
        np.zeros((2, 10, 10), dtype=np.int64),
        np.zeros((2, 10), dtype=np.bool_),
        np.zeros(2, dtype=np.int64),
    )


@cache
def two_cards() -> dict[tuple[int, int], int]:
    """The hands of two cards, by the lower and the higher card's points."""
    return {(low, high): hands().of(low, high) for low in CARDS for high in range(low, 11)}


@lru_cache(256)
def legal_at_first(house: House) -> dict[int, int]:
    """What may be done with two cards as dealt; a pair of tens is read as a pair of like tens."""
    graph = hands()
    return {
        hand: legal_actions(house, int(graph.hard[hand]), int(graph.aces[hand]), 2, low, high, 1)
        for (low, high), hand in two_cards().items()
    }


@lru_cache(256)
def legal_after_split(house: House) -> dict[tuple[int, int], int]:
    """What may be done after a split with the pair's card and a second one, apart from splitting again."""
    return {(pair, second): _of_split(house, pair, second) & ~SPLIT for pair in CARDS for second in CARDS}


def splits_again(house: House, pair: int) -> bool:
    """May a pair be split again at all?"""
    return bool(_of_split(house, pair, pair) & SPLIT)


def _of_split(house: House, pair: int, second: int) -> int:
    graph = hands()
    hand = graph.of(pair, second)
    return legal_actions(house, int(graph.hard[hand]), int(graph.aces[hand]), 2, pair, second, 2)


@cache
def may_hit() -> NDArray[np.bool_]:
    """Which hands may be hit once they have more than two cards."""
    graph = hands()
    house = House(*([0] * 9))
    return np.array(
        [
            bool(legal_actions(house, int(hard), int(aces), 3, 0, 0, 1) & HIT)
            for hard, aces in zip(graph.hard, graph.aces, strict=True)
        ]
    )


def _cards(hand: int) -> list[int]:
    """Cards that stand for a hand: the first suit of each rank."""
    return [4 * place for place in range(10) for _ in range(int(hands().cards[hand, place]))]


def _names(mask: int) -> list[str]:
    return [name for name, bit in ACTIONS.items() if mask & bit]


def plan_of(strategy: Chart, up: int, house: House) -> Plan:
    """What a strategy does against an up card, hand by hand."""
    graph, plan, up_card = hands(), empty_plan(), 4 * (up - 1)
    special = [graph.of(*exact.cards) for exact in strategy.exact if exact.up == up and sum(exact.cards) <= 21]
    by_cell = _by_cell()
    for layer, bonus in ((NONE, False), (ALIVE, True)):

        def told(hand: int, mask: int, bonus: bool = bonus) -> int:
            return ACTIONS[strategy.choose(_cards(hand), up_card, _names(mask), bonus)]

        plan.draws[layer] = STAND
        for of in by_cell:
            usual = np.setdiff1d(of, special)
            if len(usual):  # hands that the strategy does not name are played by their totals
                plan.draws[layer, usual] = told(int(usual[-1]), STAND | HIT)
        for hand in [*special, *two_cards().values()]:
            if may_hit()[hand]:
                plan.draws[layer, hand] = told(hand, STAND | HIT)
        for (low, high), hand in two_cards().items():
            legal = legal_at_first(house)[hand]
            plan.first[layer, hand] = told(hand, legal)
            if low == high == 10:
                plan.unlike[layer] = told(hand, legal & ~SPLIT)
        for (pair, second), legal in legal_after_split(house).items():
            plan.split[layer, pair - 1, second - 1] = told(graph.of(pair, second), legal)
        for pair in CARDS:
            hand = graph.of(pair, pair)
            legal = legal_after_split(house)[pair, pair] | SPLIT
            plan.again[layer, pair - 1] = splits_again(house, pair) and told(hand, legal) == SPLIT
    return plan


@cache
def _by_cell() -> list[Ints]:
    """The hands of more than two cards that may be hit, by their total and whether it is soft."""
    graph = hands()
    asked = may_hit() & (graph.size > 2)
    cells = 2 * graph.total + graph.soft
    return [np.flatnonzero(asked & (cells == cell)) for cell in np.unique(cells[asked])]


def chart_of(name: str, plans: Sequence[tuple[int, Plan]], source: str) -> Chart:
    """Plans against the up cards as a strategy that names every hand; with and without the bonus where that differs."""
    graph = hands()
    exact: dict[Exact, Actions] = {}
    chart: dict[Cell, Actions] = {}
    for up, plan in plans:
        for hand in np.flatnonzero(graph.size > 1).tolist():
            points = tuple(place + 1 for place in range(10) for _ in range(int(graph.cards[hand, place])))
            said = [_wishes(plan, layer, hand) for layer in (NONE, ALIVE)]
            if said[NONE] == said[ALIVE]:
                exact[Exact(points, up)] = said[NONE]
            else:
                exact[Exact(points, up, False)], exact[Exact(points, up, True)] = said
    return Chart(name, chart, exact, source)


def _wishes(plan: Plan, layer: int, hand: int) -> Actions:
    """The actions on a hand, best first: as dealt, then after a split, then what is left to a hand of more cards."""
    graph = hands()
    wishes = []
    if graph.size[hand] == 2:
        # After a split of aces there is seldom a choice; what is said is for the other card's split.
        low, high = (int(np.flatnonzero(graph.cards[hand])[place]) for place in (0, -1))
        wishes += [int(plan.first[layer, hand]), int(plan.split[layer, high, low])]
    wishes += [int(plan.draws[layer, hand]), STAND]
    return tuple(dict.fromkeys(NAMES[action] for action in wishes if action))
