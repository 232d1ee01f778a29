"""What playing for a side wager costs the main one, hand by hand, and from which stake on each change of play pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.blackjack.optimize.decisions import Aim
from feltlab.hands.graph import hands
from feltlab.strategy.plan import ALIVE, NAMES, NONE
from feltlab.wagers.wager import Wager

CLOSE = 1e-12
MOST_STEPS = 30


class Deviation(NamedTuple):
    """A hand as dealt that a player for the side wager plays otherwise: points of its cards and of the up card.

    `cost` is what the main wager loses by it, `gain` what the side wager wins, each for a stake of 1; from `ratio` on,
    the side stake to the main one, the change pays.
    """

    hand: tuple[int, ...]
    up: int
    action: str
    instead_of: str
    cost: float
    gain: float
    ratio: float


def deviations(game: Blackjack, side: Wager) -> list[Deviation]:
    """Every hand as dealt whose play a live side wager can change, by up card and hand."""
    return [found for up in game.ups for found in _against(game, side, up)]


def _against(game: Blackjack, side: Wager, up: int) -> Iterator[Deviation]:
    graph, planned = hands(), game.plan(up, side, Aim(bonus_first=True))
    made, plan = planned.decisions, planned.plan
    changed = np.flatnonzero(plan.first[ALIVE] != plan.first[NONE])
    for hand in changed.tolist():
        if hand not in made.alive:
            continue
        action, usual = int(plan.first[ALIVE, hand]), int(plan.first[NONE, hand])
        cost, gain = _threshold(game, side, up, hand, action, usual)
        if gain > CLOSE:
            points = tuple(place + 1 for place in range(10) for _ in range(int(graph.cards[hand, place])))
            yield Deviation(points, up, NAMES[action], NAMES[usual], cost, gain, cost / gain)


def _threshold(game: Blackjack, side: Wager, up: int, hand: int, action: int, usual: int) -> tuple[float, float]:
    """What the change costs and gains at the stake where it begins to pay; later decisions are the best for that stake."""
    ratio = 1.0
    cost = gain = 0.0
    for _ in range(MOST_STEPS):
        planned = game.plan(up, side, Aim(ratio))
        main, bonus = planned.worth(hand, ALIVE, action) - planned.worth(hand, ALIVE, usual)
        cost, gain = float(-main), float(bonus)
        if gain <= CLOSE or abs(cost / gain - ratio) < CLOSE:
            break
        ratio = max(cost / gain, 0.0)
    return cost, gain
