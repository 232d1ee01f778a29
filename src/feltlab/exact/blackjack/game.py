"""Blackjack by exact analysis: from any shoe, under any house rules, for any strategy.

>>> from feltlab.sheets import load
>>> from feltlab.strategy import Composition
>>> from feltlab.tables import set_up
>>> game = Blackjack.of(set_up(load("bad-beat-blackjack"), decks=6))
>>> f"{game.play(Composition()).expected:.8%}"
'-0.61538912%'
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from feltlab.errors import FeltlabError, NotCountedError
from feltlab.exact.blackjack import hit_cards
from feltlab.exact.blackjack.optimize.decisions import Aim
from feltlab.exact.blackjack.optimize.planning import best_plan
from feltlab.exact.blackjack.played import PlayedRounds
from feltlab.exact.blackjack.results import results
from feltlab.exact.blackjack.up_cards import UpCards
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.memory import size_of
from feltlab.strategy import Basic, Bonus, Chart, Composition, Joint, Strategy
from feltlab.strategy.chart import Actions, Cell
from feltlab.strategy.plan import Plan, chart_of, plan_of
from feltlab.tables import Setup
from feltlab.wagers.law import Law, Results
from feltlab.wagers.wager import Wager

MOST_PLAYS = 60  # strategies that are kept: a slider has many positions
MOST_PLAYS_BYTES = 96 << 20  # and all that has become of them


@dataclass(frozen=True)
class Blackjack(UpCards):
    """The game from one shoe under one table's rules, for any strategy."""

    @classmethod
    def of(cls, setup: Setup, removed: Iterable[int] = ()) -> Blackjack:
        """The game of a table, from its full shoe less some cards."""
        if setup.sheet.game != "blackjack":
            raise FeltlabError(f"{setup.sheet.id} is a sheet for {setup.sheet.game}, not for blackjack")
        return cls(ShoeComposition.of(setup.decks, removed), setup.house, setup.wagers["main"])

    def play(self, strategy: Strategy, side: Wager | None = None) -> Played:
        """Play by a strategy; `side` is the wager that a strategy for a side wager plays for.

        >>> from feltlab.sheets import load
        >>> from feltlab.tables import set_up
        >>> f"{Blackjack.of(set_up(load('bad-beat-blackjack'), decks=6)).play(Basic()).expected:.4%}"
        '-0.6181%'
        """
        if isinstance(strategy, Chart):
            by_bonus = any(exact.bonus is not None for exact in strategy.exact)
            plans = {up: plan_of(strategy, up, self.house) for up in self.ups}
            return Played(self, strategy, plans, side if by_bonus else None)
        key = strategy, side and (side.shape, side.cells.pays)
        if key not in self._plays:
            if len(self._plays) >= MOST_PLAYS or size_of([self._plays, self.played_out]) > MOST_PLAYS_BYTES:
                self._plays.clear()
                self.played_out.clear()
            self._plays[key] = _Known(*self._plans(strategy, side), {})
        known = self._plays[key]
        return Played(self, strategy, known.plans, known.view, known.made)

    @cached_property
    def _plays(self) -> dict[Hashable, _Known]:
        """Strategies, without the game: with it they would be a ring, which is let go late and never by its size."""
        return {}

    def _plans(self, strategy: Strategy, side: Wager | None) -> tuple[dict[int, Plan], Wager | None]:
        """The plans of a computed strategy, and the side wager that they play for."""
        if isinstance(strategy, Basic):
            return {up: column.plan(self.house) for up, column in self.basic.items()}, None
        if isinstance(strategy, Composition):
            return {up: _both(planned.plan) for up, planned in self.best.items()}, None
        if not isinstance(strategy, Bonus | Joint):
            raise FeltlabError(f"the strategy '{strategy}' is not computed: look its chart up first")
        if side is None:
            raise FeltlabError(f"the strategy '{strategy}' is for a side wager: say which")
        if first_cards.can_be_counted(side) or dealer.can_be_counted(side):  # no play makes a difference to it
            return self._plans(Composition(), None)
        aim = Aim(bonus_first=True) if isinstance(strategy, Bonus) else Aim(strategy.ratio)
        best = self.best  # computed once, before the threads ask for it
        return self.each_up(lambda up: best_plan(self.decisions(up, side, aim), best[up]).plan), side


def _both(plan: Plan) -> Plan:
    """The same plan with a side wager as without."""
    for part in (plan.draws, plan.first, plan.split, plan.again, plan.unlike):
        part[1] = part[0]
    return plan


class _Known(NamedTuple):
    """The plans of a strategy, the side wager that they play for, and what has been computed of them."""

    plans: dict[int, Plan]
    view: Wager | None
    made: dict[str, Any]


@dataclass(frozen=True)
class Played(PlayedRounds):
    """A strategy played from a shoe, and what every wager makes of it."""

    game: Blackjack

    def law(self, wager: Wager, *, whole_rounds: bool = True) -> Law:
        """The law of a wager under the strategy. Of one on hit cards: made on every card that it may be made on.

        What whole rounds win of the main wager takes most of the time; it can be left out.
        """
        if wager.on_hit_cards:
            return hit_cards.law(self, wager)
        if wager.definition.rides == "each-hand":
            law = self._each_hand(wager)
            if not whole_rounds:
                return law
            try:
                return replace(law, results=self.results)
            except NotCountedError:
                return law
        game = self.game
        ways = np.zeros(len(wager.cells.outcomes))
        if self.side is not None and wager.id != self.side.id:
            raise NotCountedError(
                f"{wager.id} cannot be counted for a player who plays for {self.side.id}; simulate it"
            )
        self.refuse_short_shoe()
        for up, parts in self._with_side(wager).items():
            for settling, ended in parts:
                weights = ended.weigh(settling, first_hand=True, tracked=True, stakes=False)
                ways += game.tables[up].chance * weights
        return Law(wager, tuple(np.maximum(ways, 0).tolist()), 1.0, "", strategy=str(self.strategy))

    @property
    def results(self) -> Results:
        """What a round can win of a main wager of 1, and how likely each result is."""
        return self._once("results", lambda: results(self))

    @property
    def chart(self) -> Chart:
        """The strategy as data, for a player or an engine to follow."""
        return self._once("chart", self._chart)

    def _chart(self) -> Chart:
        if isinstance(self.strategy, Basic):
            cells: dict[Cell, Actions] = {}
            for up, column in self.game.basic.items():
                cells |= column.cells(up)
            return Chart("basic", cells, {}, "computed")
        return chart_of(str(self.strategy), list(self.plans.items()), "computed")
