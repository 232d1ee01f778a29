"""A plan: a strategy against one up card, worked out for every hand. Converts charts to plans and back."""

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

NONE, ALIVE = 0, 1  # layers: no side wager on the hand, or one that is still alive
NAMES = {bit: name for name, bit in ACTIONS.items()}


@dataclass(frozen=True)
class Plan:
    """How to play against one up card. The first axis of each array is the layer: no side wager, or one alive."""

    draws: Ints  # (2, hands): STAND or HIT, for hands that may do nothing else
    first: Ints  # (2, hands): the action on two cards as dealt
    split: Ints  # (2, 10, 10): by pair card and second card, the action after a split, if not another split
    again: NDArray[np.bool_]  # (2, 10): whether a pair is split again
    unlike: Ints  # (2,): the action on unlike tens where these cannot be split

    @cached_property
    def key(self) -> bytes:
        """A hash of the plan, to compare plans. Cached, so not to be read before the plan is finished."""
        parts = (self.draws, self.first, self.split, self.again, self.unlike)
        return sha256(b"".join(part.tobytes() for part in parts)).digest()

    def copy(self) -> Plan:
        """A copy that can be changed."""
        split, again = self.split.copy(), self.again.copy()
        return Plan(self.draws.copy(), self.first.copy(), split, again, self.unlike.copy())


def empty_plan() -> Plan:
    """A plan without any actions yet."""
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
    """The legal actions on two cards as dealt; two tens are taken to be like tens."""
    graph = hands()
    return {
        hand: legal_actions(house, int(graph.hard[hand]), int(graph.aces[hand]), 2, low, high, 1)
        for (low, high), hand in two_cards().items()
    }


@lru_cache(256)
def legal_after_split(house: House) -> dict[tuple[int, int], int]:
    """The legal actions after a split, by the pair's card and the second card, without splitting again."""
    return {(pair, second): _of_split(house, pair, second) & ~SPLIT for pair in CARDS for second in CARDS}


def splits_again(house: House, pair: int) -> bool:
    """Whether a pair may be split again at all."""
    return bool(_of_split(house, pair, pair) & SPLIT)


def _of_split(house: House, pair: int, second: int) -> int:
    graph = hands()
    hand = graph.of(pair, second)
    return legal_actions(house, int(graph.hard[hand]), int(graph.aces[hand]), 2, pair, second, 2)


@cache
def may_hit() -> NDArray[np.bool_]:
    """For each hand, whether it may be hit once it has more than two cards."""
    graph = hands()
    house = House(*([0] * 9))
    return np.array(
        [
            bool(legal_actions(house, int(hard), int(aces), 3, 0, 0, 1) & HIT)
            for hard, aces in zip(graph.hard, graph.aces, strict=True)
        ]
    )


def _cards(hand: int) -> list[int]:
    """Representative cards of a hand, all of the first suit."""
    return [4 * place for place in range(10) for _ in range(int(hands().cards[hand, place]))]


def _names(mask: int) -> list[str]:
    return [name for name, bit in ACTIONS.items() if mask & bit]


def plan_of(strategy: Chart, up: int, house: House) -> Plan:
    """Convert a chart to a plan against one up card."""
    graph, plan, up_card = hands(), empty_plan(), 4 * (up - 1)
    special = [graph.of(*exact.cards) for exact in strategy.exact if exact.up == up and sum(exact.cards) <= 21]
    by_cell = _by_cell()
    for layer, bonus in ((NONE, False), (ALIVE, True)):

        def action(hand: int, mask: int, bonus: bool = bonus) -> int:
            return ACTIONS[strategy.choose(_cards(hand), up_card, _names(mask), bonus)]

        plan.draws[layer] = STAND
        for of in by_cell:
            usual = np.setdiff1d(of, special)
            if len(usual):  # hands that the chart does not name are played by their totals
                plan.draws[layer, usual] = action(int(usual[-1]), STAND | HIT)
        for hand in [*special, *two_cards().values()]:
            if may_hit()[hand]:
                plan.draws[layer, hand] = action(hand, STAND | HIT)
        for (low, high), hand in two_cards().items():
            legal = legal_at_first(house)[hand]
            plan.first[layer, hand] = action(hand, legal)
            if low == high == 10:
                plan.unlike[layer] = action(hand, legal & ~SPLIT)
        for (pair, second), legal in legal_after_split(house).items():
            plan.split[layer, pair - 1, second - 1] = action(graph.of(pair, second), legal)
        for pair in CARDS:
            hand = graph.of(pair, pair)
            legal = legal_after_split(house)[pair, pair] | SPLIT
            plan.again[layer, pair - 1] = splits_again(house, pair) and action(hand, legal) == SPLIT
    return plan


@cache
def _by_cell() -> list[Ints]:
    """The hands of more than two cards that may be hit, by their total and whether it is soft."""
    graph = hands()
    drawing = may_hit() & (graph.size > 2)
    cells = 2 * graph.total + graph.soft
    return [np.flatnonzero(drawing & (cells == cell)) for cell in np.unique(cells[drawing])]


def chart_of(name: str, plans: Sequence[tuple[int, Plan]], source: str) -> Chart:
    """Convert plans against the up cards to a chart that names every hand, with and without the bonus where that differs."""
    graph = hands()
    exact: dict[Exact, Actions] = {}
    chart: dict[Cell, Actions] = {}
    for up, plan in plans:
        for hand in np.flatnonzero(graph.size > 1).tolist():
            points = tuple(place + 1 for place in range(10) for _ in range(int(graph.cards[hand, place])))
            preferences = [_preferences(plan, layer, hand) for layer in (NONE, ALIVE)]
            if preferences[NONE] == preferences[ALIVE]:
                exact[Exact(points, up)] = preferences[NONE]
            else:
                exact[Exact(points, up, False)], exact[Exact(points, up, True)] = preferences
    return Chart(name, chart, exact, source)


def _preferences(plan: Plan, layer: int, hand: int) -> Actions:
    """The actions on a hand, best first: as dealt, then after a split, then as a hand of more cards."""
    graph = hands()
    actions = []
    if graph.size[hand] == 2:
        # After a split of aces there is rarely a choice, so the action is for a split of the other card.
        low, high = (int(np.flatnonzero(graph.cards[hand])[place]) for place in (0, -1))
        actions += [int(plan.first[layer, hand]), int(plan.split[layer, high, low])]
    actions += [int(plan.draws[layer, hand]), STAND]
    return tuple(dict.fromkeys(NAMES[action] for action in actions if action))
