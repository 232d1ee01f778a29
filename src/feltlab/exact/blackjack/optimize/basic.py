"""Basic strategy: one action for every total against every up card, the best on average over the hands that reach it.

A total is reached by many hands, as dealt and after splits, and how often depends on how other totals are played; so
the averages are taken again with each new chart until nothing changes any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from feltlab.errors import FeltlabError
from feltlab.exact.blackjack import kernels
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.evaluate import PlanEvaluation
from feltlab.exact.blackjack.optimize.decisions import MAIN, Decisions
from feltlab.exact.blackjack.optimize.planning import Planned, best_plan
from feltlab.games.blackjack import DOUBLE, HIT, SPLIT, STAND, SURRENDER, House, surrenders_before_peek
from feltlab.hands.graph import CARDS, Ints, hands
from feltlab.hands.states import DEALT, DOUBLED, FIRST, OPEN, OTHER, STOOD, HandState
from feltlab.strategy.chart import Actions, Cell
from feltlab.strategy.plan import (
    NONE,
    Plan,
    empty_plan,
    legal_after_split,
    legal_at_first,
    may_hit,
    splits_again,
    two_cards,
)

MOST_ROUNDS = 60


@dataclass
class ChartColumn:
    """A chart against one up card.

    By place (2 x total + soft): whether to hit, to double and to surrender. By pair card: whether to split and to
    surrender the pair, and what is done with it otherwise.
    """

    hit: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(64, dtype=np.bool_))
    double: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(64, dtype=np.bool_))
    surrender: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(64, dtype=np.bool_))
    split: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(11, dtype=np.bool_))
    surrender_pair: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(11, dtype=np.bool_))
    pair: Ints = field(default_factory=lambda: np.full(11, STAND, dtype=np.int64))

    def same(self, other: ChartColumn) -> bool:
        """Whether two charts say the same."""
        return all(np.array_equal(mine, vars(other)[name]) for name, mine in vars(self).items())

    def action(self, place: int, legal: int, pair: int = 0) -> int:
        """What it says of a hand at a place, of what is legal. `pair` is what one card of a pair counts."""
        if legal & SURRENDER and (self.surrender_pair[pair] if pair else self.surrender[place]):
            return SURRENDER
        if legal & SPLIT and self.split[pair]:
            return SPLIT
        if legal & DOUBLE and (self.pair[pair] == DOUBLE if pair else self.double[place]):
            return DOUBLE
        hit = self.pair[pair] & (HIT | DOUBLE) if pair else self.hit[place]
        return HIT if legal & HIT and hit else STAND

    def plan(self, house: House) -> Plan:
        """The chart as a plan, the same with a side wager and without."""
        graph, plan, where = hands(), empty_plan(), places()
        plan.draws[:] = np.where(self.hit[where] & may_hit(), HIT, STAND)
        for (low, high), hand in two_cards().items():
            legal, pair = legal_at_first(house)[hand], low if low == high else 0
            plan.first[:, hand] = self.action(where[hand], legal, pair)
            if pair == 10:
                plan.unlike[:] = self.action(where[hand], legal & ~SPLIT, pair)
        for (pair, second), legal in legal_after_split(house).items():
            same = pair if pair == second else 0
            plan.split[:, pair - 1, second - 1] = self.action(where[graph.of(pair, second)], legal, same)
        for pair in CARDS:
            plan.again[:, pair - 1] = splits_again(house, pair) and self.split[pair]
        return plan

    def cells(self, up: int) -> dict[Cell, Actions]:
        """The chart as a strategy writes it."""
        found: dict[Cell, Actions] = {}
        for kind, soft, totals in (("hard", 0, range(4, 22)), ("soft", 1, range(12, 22))):
            for total in totals:
                place = 2 * total + soft
                wishes = ["surrender"] * bool(self.surrender[place]) + ["double"] * bool(self.double[place])
                found[Cell(kind, total, up)] = (*wishes, *(("hit",) if self.hit[place] else ()), "stand")
        for pair in CARDS:
            played: Actions = {STAND: ("stand",), HIT: ("hit", "stand"), DOUBLE: ("double", "hit", "stand")}[
                int(self.pair[pair])
            ]
            wishes = ["surrender"] * bool(self.surrender_pair[pair]) + ["split"] * bool(self.split[pair])
            found[Cell("pair", pair, up)] = (*wishes, *played)
        return found


def places() -> Ints:
    """Where each hand is in a chart."""
    return 2 * hands().total + hands().soft


class _Averages:
    """The gains of hitting, doubling, splitting and surrendering, averaged over the hands that reach each place."""

    def __init__(self, decisions: Decisions, deals: Floats) -> None:
        self.made, self.deals, self.where = decisions, deals, places()
        self.rare, self.rare_double = _rarely(decisions, self.where)
        nodes = decisions.nodes
        self.pairs = (hands().size == 2) & (hands().cards.max(axis=1) == 2)  # a pair is a place of its own
        self.may_double = np.zeros(len(nodes.hand), dtype=np.bool_)
        for hand, legal in legal_at_first(decisions.house).items():
            self.may_double[hand] = bool(legal & DOUBLE)
        for (pair, second), legal in legal_after_split(decisions.house).items():
            if legal & DOUBLE:
                self.may_double[nodes.child[nodes.start[pair - 1, 1:], second - 1]] = True

    def improve(self, chart: ChartColumn) -> ChartColumn:
        """The chart that is best on average when hands are reached as by the given one."""
        made, nodes = self.made, self.made.nodes
        count, plan = len(hands().size), chart.plan(self.made.house)
        playing = PlanEvaluation(made.house, made.table, nodes, plan, None, made.like_tens)
        playing.deal({OPEN: self.deals})
        playing.play()
        hit_gain, double_gain = np.zeros((2, 64)), np.zeros(64)
        where = self.where[nodes.hand]
        for role, part in ((DEALT, slice(0, count)), (FIRST, slice(count, None)), (OTHER, slice(count, None))):
            stood, doubled, other = STOOD.after_split(role), DOUBLED.after_split(role), int(role == OTHER)
            stand, hit = made.stand(MAIN, stood)[part], self._hits(plan, stood, part)[part]
            reached = (playing.ending + playing.drawing)[other, 0, NONE, part] * ~self.pairs[nodes.hand[part]]
            np.add.at(hit_gain[0], where[part], reached * (hit - stand))
            np.add.at(hit_gain[1], where[part], np.abs(reached))
            reached = (reached + playing.drawing[other, 1, NONE, part]) * (self.may_double & ~self.pairs[nodes.hand])[
                part
            ]
            played = np.where(chart.hit[where[part]], hit, stand)
            np.add.at(double_gain, where[part], reached * (made.double(MAIN, doubled)[part] - played))
        gain = np.where(hit_gain[1] > 0, hit_gain[0], self.rare)
        found = ChartColumn(gain > 0, np.where(double_gain != 0, double_gain, self.rare_double) > 0)
        self._pairs(found, Planned(made, plan))
        return found

    def _hits(self, plan: Plan, stood: HandState, part: slice) -> Floats:
        made, nodes, graph = self.made, self.made.nodes, hands()
        value, hit = np.zeros(len(nodes.hand)), np.zeros(len(nodes.hand))
        none = np.zeros(len(graph.size), dtype=np.bool_)
        kernels.follow(
            part.start, part.stop or len(nodes.hand), nodes.hand, nodes.row, nodes.child, may_hit(), made.table.draw,
            made.table.spoil, plan.draws[NONE], made.stand(MAIN, stood), graph.bust_kind, made.bust(MAIN, stood._replace(stood=0)),
            none, value, value, hit,
        )  # fmt: skip
        return hit

    def _pairs(self, chart: ChartColumn, planned: Planned) -> None:
        """What to split and what to give up, with the rest of the chart as it is."""
        made, graph = self.made, hands()
        early = bool(surrenders_before_peek(made.house, made.table.up))
        pairs = np.array([graph.of(pair, pair) for pair in CARDS])
        legal = np.array([legal_at_first(made.house)[hand] for hand in pairs.tolist()])
        chart.pair[1:] = made.best(pairs, legal & ~SURRENDER, NONE)
        given_up = np.zeros(64)
        for (low, high), hand in two_cards().items():
            may, pair = legal_at_first(made.house)[hand], low if low == high else 0
            worth = made.worths(chart.action(self.where[hand], may & ~SPLIT & ~SURRENDER, pair), NONE)[:, hand]
            if may & SPLIT and planned.splits(pair):
                split = planned.split_always(pair, NONE)
                chart.split[pair] = made.aim.better(split, worth)
                worth = split if chart.split[pair] else worth
            if may & SURRENDER:
                gain = made.worths(SURRENDER, NONE)[0, hand]
                gain -= (planned.before_peek(hand, worth, NONE) if early else worth)[0]
                chart.surrender_pair[pair] = pair > 0 and gain > 0
                given_up[self.where[hand]] += 0 if pair else self.deals[hand] * gain
        chart.surrender[:] = given_up > 0


def _rarely(decisions: Decisions, where: Ints) -> tuple[Floats, Floats]:
    """What hitting and doubling gain at places that no hand reaches in play, each hand as likely as its cards are."""
    graph, choice = hands(), decisions.by_itself[NONE]
    count = len(graph.size)
    left = decisions.table.left[decisions.nodes.row[:count]] + graph.cards
    weight = np.prod((left / left.sum(axis=1, keepdims=True)) ** graph.cards, axis=1) * may_hit() * (graph.size > 1)
    stand, double = decisions.stand(MAIN, STOOD)[:count], decisions.double(MAIN, DOUBLED)[:count]
    gain, double_gain = np.zeros(64), np.zeros(64)
    np.add.at(gain, where, weight * (choice.hit[MAIN] - stand))
    legal = np.zeros(count, dtype=np.bool_)
    for hand, actions in legal_at_first(decisions.house).items():
        legal[hand] = bool(actions & DOUBLE)
    np.add.at(double_gain, where, weight * legal * (double - np.maximum(choice.hit[MAIN], stand)))
    return gain, double_gain


def basic_column(decisions: Decisions, deals: Floats) -> ChartColumn:
    """Basic strategy against one up card. `deals` is how likely each two-card hand is as dealt."""
    decisions.table.complete(np.ones(len(decisions.nodes.gone), dtype=np.bool_))
    averages = _Averages(decisions, deals)
    best = best_plan(decisions).plan
    chart = ChartColumn(averages.rare > 0)
    for pair in CARDS:
        chart.split[pair] = best.first[NONE, hands().of(pair, pair)] == SPLIT
    for _ in range(MOST_ROUNDS):
        improved = averages.improve(chart)
        if improved.same(chart):
            return chart
        chart = improved
    raise FeltlabError("no chart is the best answer to itself from this shoe; use the strategy 'composition'")
