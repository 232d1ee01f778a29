"""How every hand is played by a strategy from a shoe, in the codes of charts: what a chart of it is drawn from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from feltlab.exact.blackjack.game import Played
from feltlab.games.blackjack import HIT, SPLIT, SURRENDER
from feltlab.hands.graph import BUST, CARDS, hands
from feltlab.hands.states import ACTING, OPEN
from feltlab.strategy import Chart
from feltlab.strategy.drawing import Play, code_of
from feltlab.strategy.plan import ALIVE, NAMES, NONE, Plan

Flags = NDArray[np.bool_]
PAIRS = frozenset((card, card) for card in CARDS)


def plays(played: Played) -> Iterator[Play]:
    """Every hand against every up card, with the bonus that the strategy has in view and without.

    >>> from feltlab.exact.blackjack.game import Blackjack
    >>> from feltlab.sheets import load
    >>> from feltlab.strategy import Basic
    >>> from feltlab.tables import set_up
    >>> played = Blackjack.of(set_up(load("bad-beat-blackjack"))).play(Basic())
    >>> [play.code for play in plays(played) if play.name == "8,8" and play.up in (5, 10)]
    ['P', 'P']
    """
    graph, game = hands(), played.game
    cards = [tuple(np.repeat(np.arange(1, 11), counts).tolist()) for counts in graph.cards]
    for up, plan in played.plans.items():
        left = np.array(game.counts)
        left[up - 1] -= 1
        reached = _reached(plan) & (graph.cards <= left).all(axis=1)
        alive = _alive(played, up)
        by_split = _alive_by_split(played, up, alive)
        for hand in np.flatnonzero(graph.size > 1).tolist():
            code = code_of(_actions(played, up, NONE, hand))
            bonus = code_of(_actions(played, up, ALIVE, hand)) if alive[hand] else by_split.get(hand, code)
            pair = cards[hand][0] if cards[hand] in PAIRS else 0
            yield Play(
                cards[hand],
                up,
                code,
                None if bonus == code else bonus,
                code_of(_after_split(played, up, NONE, pair, pair)) if pair else None,
                float(game.dealt[up][hand]),
                bool(reached[hand]),
            )


def _actions(played: Played, up: int, layer: int, hand: int) -> list[str]:
    """What is done with a hand, best first."""
    graph, plan = hands(), played.plans[up]
    first, draw = int(plan.first[layer, hand]), NAMES[int(plan.draws[layer, hand])]
    if graph.size[hand] > 2:
        return [draw]
    if first != SURRENDER:
        return [NAMES[first], draw]
    low, high = (int(np.flatnonzero(graph.cards[hand])[place]) + 1 for place in (0, -1))
    splits = ["split"] if low == high and _would_split(played, up, layer, low) else []
    return ["surrender", *splits, *_after_split(played, up, layer, low, high)]


def _after_split(played: Played, up: int, layer: int, low: int, high: int) -> list[str]:
    """What is done with two cards that a split has made and that are not split again, best first."""
    plan = played.plans[up]
    draw = NAMES[int(plan.draws[layer, hands().of(low, high)])]
    if high == 1 and not played.game.house.hit_split_aces:
        return [draw]  # they have no choice; what they would do is the only thing to say of them
    return [NAMES[int(plan.split[layer, high - 1, low - 1])], draw]


def _would_split(played: Played, up: int, layer: int, pair: int) -> bool:
    """Whether a pair that is given up would be split otherwise. A plan only says so of pairs that may be split again."""
    if played.plans[up].again[layer, pair - 1]:
        return True
    if isinstance(played.strategy, Chart):
        return False
    worth = {action: value for action, value in played.game.worth((pair, pair), up).items() if action != "surrender"}
    return max(worth, key=worth.__getitem__) == "split"


def _split_into(plan: Plan, layer: int) -> Iterator[tuple[int, int, int]]:
    """The hands that splits make: the pair's card, the second card, and the hand."""
    for pair in CARDS:
        if plan.first[layer, hands().of(pair, pair)] == SPLIT:
            for second in CARDS:
                yield pair, second, hands().of(pair, second)


def _reached(plan: Plan) -> Flags:
    """Which hands come up in play: two cards, and what hitting makes of them, with a bonus alive or without."""
    graph = hands()
    hits = ((plan.first == HIT) | ((plan.draws == HIT) & (graph.size > 2))).any(axis=0)
    for layer in (NONE, ALIVE):
        for pair, second, hand in _split_into(plan, layer):
            hits[hand] |= plan.split[layer, pair - 1, second - 1] == HIT
    return _grown(graph.size == 2, hits, np.ones(len(hits), dtype=np.bool_))


def _alive(played: Played, up: int) -> Flags:
    """On which hands the bonus that the strategy has in view can still win."""
    graph, plan, side = hands(), played.plans[up], played.side
    start = np.zeros(len(graph.size), dtype=np.bool_)
    if side is None:
        return start
    settling = played.game.settling(side, up)
    for group in played.game.groups(side, up):
        start |= group.weights.get(OPEN, start) > 0
    hits = (plan.first[ALIVE] == HIT) | ((plan.draws[ALIVE] == HIT) & (graph.size > 2))
    return _grown(start, hits, settling.arrivals(ACTING)[graph.kind] == OPEN)


def _alive_by_split(played: Played, up: int, alive: Flags) -> dict[int, str]:
    """Two cards that only a split can make with the bonus alive, where they are then played otherwise than without."""
    plan, side, codes = played.plans[up], played.side, {}
    for pair, second, hand in _split_into(plan, ALIVE):
        alive_action, usual = (int(plan.split[layer, pair - 1, second - 1]) for layer in (ALIVE, NONE))
        if side and alive_action != usual and alive[hands().of(pair, pair)]:
            if not played.game.settling(side, up).taken_by_split(pair):
                codes[hand] = code_of([NAMES[alive_action], NAMES[int(plan.draws[ALIVE, hand])]])
    return codes


def _grown(start: Flags, hits: Flags, kept: Flags) -> Flags:
    """The hands that some hands grow into where they are hit, as far as these are kept."""
    graph, reached = hands(), start.copy()
    for hand in range(len(reached)):  # a hand with one more card always comes later
        if reached[hand] and hits[hand]:
            more = graph.child[hand]
            reached[more[(more != BUST) & kept[more]]] = True
    return reached
