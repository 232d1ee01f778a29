"""Strategies as plans, and plans as strategies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from feltlab.exact.decisions import (
    ALIVE,
    NONE,
    Plan,
    empty_plan,
    legal_after_split,
    legal_at_first,
    may_hit,
    splits_again,
    two_cards,
)
from feltlab.exact.hands import CARDS, Ints, hands
from feltlab.games.blackjack import ACTIONS, HIT, SPLIT, STAND, House
from feltlab.strategy import Strategy
from feltlab.strategy.model import Actions, Cell, Exact

NAMES = {bit: name for name, bit in ACTIONS.items()}


def _cards(hand: int) -> list[int]:
    """Cards that stand for a hand: the first suit of each rank."""
    return [4 * place for place in range(10) for _ in range(int(hands().cards[hand, place]))]


def _names(mask: int) -> list[str]:
    return [name for name, bit in ACTIONS.items() if mask & bit]


def plan_of(strategy: Strategy, up: int, house: House) -> Plan:
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


def strategy_of(name: str, plans: Sequence[tuple[int, Plan]], source: str) -> Strategy:
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
    return Strategy(name, chart, exact, source)


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
