"""Blackjack by exact analysis: from any shoe, under any house rules, for any strategy.

>>> from feltlab.sheets import load
>>> from feltlab.strategy import Composition
>>> from feltlab.tables import set_up
>>> game = Blackjack.of(set_up(load("bad-beat-blackjack"), decks=6))
>>> f"{game.play(Composition()).expected:.8%}"
'-0.61538912%'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any, NamedTuple, TypeVar

import numpy as np

from feltlab.errors import FeltlabError, NotCountedError, SetupError
from feltlab.exact.blackjack import first_deal, hit_cards
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.evaluate import Ended, PlanEvaluation
from feltlab.exact.blackjack.nodes import Nodes, nodes
from feltlab.exact.blackjack.optimize.basic import ChartColumn, basic_column
from feltlab.exact.blackjack.optimize.decisions import MAIN_ONLY, Aim, Decisions
from feltlab.exact.blackjack.optimize.planning import Planned, best_plan
from feltlab.exact.blackjack.results import results
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.blackjack.splits.terms import most_others
from feltlab.exact.blackjack.up_card import Against, against
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import ACTIONS, SPLIT, House, card_points
from feltlab.hands.graph import CARDS, hands
from feltlab.hands.peek import natural_ruled_out
from feltlab.hands.riding import atoms
from feltlab.hands.states import NO_CARDS, OPEN, STOOD, SingleCards
from feltlab.memory import size_of
from feltlab.strategy import Basic, Bonus, Chart, Composition, Joint, Strategy
from feltlab.strategy.chart import Actions, Cell
from feltlab.strategy.plan import Plan, chart_of, legal_at_first, may_hit, plan_of
from feltlab.tables import Setup
from feltlab.wagers.law import Law, Results
from feltlab.wagers.wager import Wager

T = TypeVar("T")
MOST_PLAYS = 60  # strategies that are kept: a slider has many positions
MOST_PLAYS_BYTES = 96 << 20  # and all that has become of them
LikeTens = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Blackjack:
    """The game from one shoe under one table's rules; what is computed for one strategy is kept for the next."""

    shoe: ShoeComposition
    house: House
    main: Wager

    @classmethod
    def of(cls, setup: Setup, removed: Iterable[int] = ()) -> Blackjack:
        """The game of a table, from its full shoe less some cards."""
        if setup.sheet.game != "blackjack":
            raise FeltlabError(f"{setup.sheet.id} is a sheet for {setup.sheet.game}, not for blackjack")
        return cls(ShoeComposition.of(setup.decks, removed), setup.house, setup.wagers["main"])

    # ---- tables for each up card

    @cached_property
    def nodes(self) -> Nodes:
        """The hands, and those of splits as far as this house splits."""
        return nodes(most_others(self.house.most_hands))

    @cached_property
    def counts(self) -> list[int]:
        """How many cards of 1 to 10 points the shoe has."""
        return self.shoe.by_points(card_points, 11)[1:]

    @cached_property
    def ups(self) -> tuple[int, ...]:
        """The up cards that there can be."""
        return tuple(up for up in CARDS if self.counts[up - 1])

    @cached_property
    def tables(self) -> dict[int, Against]:
        """What can come against each up card."""
        return self.each_up(lambda up: against(self.counts, up, self.house, self.nodes))

    @cached_property
    def tables_by_cards(self) -> dict[int, Against]:
        """The same with the dealer's ends apart by number of cards."""
        return self.each_up(lambda up: against(self.counts, up, self.house, self.nodes, by_cards=True))

    @cached_property
    def dealt(self) -> dict[int, Floats]:
        """How likely each two-card hand is with each up card."""
        return {up: first_deal.plain(self.shoe, up) for up in self.ups}

    @cached_property
    def like_tens(self) -> dict[int, LikeTens]:
        """How pairs of tens fall into ranks, where only like ones may be split."""
        return {up: () if self.house.split_unlike_tens else first_deal.like_tens(self.shoe, up) for up in self.ups}

    def each_up(self, work: Callable[[int], T]) -> dict[int, T]:
        """Do something for every up card, on all processors."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return dict(zip(self.ups, pool.map(work, self.ups), strict=True))

    def settling(self, wager: Wager, up: int, cards: SingleCards | None = None) -> Settling:
        """A wager's outcomes against an up card."""
        if cards is None:
            looks = any("up" in first_deal.cards_of(atom) for atom in atoms(wager))
            cards = SingleCards(up=4 * (up - 1)) if looks else NO_CARDS
        return Settling(wager, cards, sure=natural_ruled_out(self.house, up))

    def groups(self, wager: Wager, up: int) -> list[first_deal.DealGroup]:
        """The deals with an up card as a wager sees them."""
        key = wager.shape, up
        if key not in self._groups:
            self._groups[key] = first_deal.groups(wager, self.shoe, up, sure=natural_ruled_out(self.house, up))
        return self._groups[key]

    @cached_property
    def _groups(self) -> dict[Hashable, list[first_deal.DealGroup]]:
        return {}

    @cached_property
    def played_out(self) -> dict[Hashable, Ended]:
        """Plans that have been played out, by all that they depend on."""
        return {}

    def decisions(self, up: int, side: Wager | None = None, aim: Aim = MAIN_ONLY) -> Decisions:
        """Every decision against an up card, for the main wager or with a side wager in view."""
        main, tens = self.settling(self.main, up), self.like_tens[up]
        if side is None:
            return Decisions(self.house, self.tables[up], self.nodes, main, like_tens=tens)
        found = self.groups(side, up)
        if len(found) > 1:
            raise FeltlabError(
                f"{side.id} pays by single cards of the deal, which a strategy by hand and up card cannot see;"
                " take 'basic' or 'composition'"
            )
        settling = self.settling(side, up, found[0].cards)
        alive = frozenset(np.flatnonzero(found[0].weights[OPEN]).tolist()) if OPEN in found[0].weights else frozenset()
        table = (self.tables_by_cards if settling.by_cards else self.tables)[up]
        return Decisions(self.house, table, self.nodes, main, settling, aim, alive, tens, self.best[up].decisions)

    # ---- strategies

    def play(self, strategy: Strategy, side: Wager | None = None) -> Played:
        """Play by a strategy; `side` is the wager that one for a side wager plays for.

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
        """The plans of a computed strategy, and the wager that they have in view."""
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
        assert self.best  # computed once, before the threads ask for it
        aim = Aim(bonus_first=True) if isinstance(strategy, Bonus) else Aim(strategy.ratio)
        return self.each_up(lambda up: self.plan(up, side, aim).plan), side

    def plan(self, up: int, side: Wager, aim: Aim) -> Planned:
        """The best plan against an up card with a side wager in view."""
        return best_plan(self.decisions(up, side, aim), self.best[up])

    @cached_property
    def basic(self) -> dict[int, ChartColumn]:
        """Basic strategy: the chart against each up card."""
        return self.each_up(lambda up: basic_column(self.decisions(up), self.dealt[up]))

    @cached_property
    def best(self) -> dict[int, Planned]:
        """The best decision for every hand against each up card, with what each is worth."""
        return self.each_up(lambda up: best_plan(self.decisions(up)))

    def worth(self, cards: Sequence[int], up: int) -> dict[str, float]:
        """What each legal action on a hand is worth to the main wager, by what its cards and the up card count.

        The hand is by itself, later decisions are the best, and a dealer who looks for a natural has none.

        >>> from feltlab.sheets import load
        >>> from feltlab.tables import set_up
        >>> game = Blackjack.of(set_up(load("bad-beat-blackjack"), decks=6))
        >>> {action: round(worth, 4) for action, worth in game.worth([8, 8], 10).items()}
        {'stand': -0.5369, 'hit': -0.5354, 'double': -1.0707, 'split': -0.4749}
        """
        planned, hand = self.best[up], hands().of(*cards)
        if len(cards) == 2:
            legal = legal_at_first(self.house)[hand]
            if not planned.splits(cards[0]):
                legal &= ~SPLIT
            found = {
                name: planned.decisions.worths(bit, 0)[0, hand] for name, bit in ACTIONS.items() if legal & bit & ~SPLIT
            }
            if legal & SPLIT:
                found["split"] = planned.split(cards[0], 0)[0]
            return {name: float(found[name]) for name in ACTIONS if name in found}
        found = {"stand": float(planned.decisions.stand(0, STOOD)[hand])}
        if may_hit()[hand]:
            found["hit"] = float(planned.decisions.by_itself[0].hit[0, hand])
        return found

    @property
    def optimum(self) -> float:
        """What the strategy `composition` expects of a main wager of 1, from its decisions."""
        total = 0.0
        for up, planned in self.best.items():
            for hand in np.flatnonzero(self.dealt[up]).tolist():
                worth = planned.worth(hand, 0)
                if not planned.given_up_early(hand, 0):  # before the dealer looks there is nothing to condition on
                    worth = planned.before_peek(hand, worth, 0)
                total += self.tables[up].chance * self.dealt[up][hand] * worth[0]
        return float(total)


def _both(plan: Plan) -> Plan:
    """The same plan with a side wager as without."""
    for part in (plan.draws, plan.first, plan.split, plan.again, plan.unlike):
        part[1] = part[0]
    return plan


class _Known(NamedTuple):
    """The plans of a strategy, the wager that they have in view, and what has been made of them."""

    plans: dict[int, Plan]
    view: Wager | None
    made: dict[str, Any]


@dataclass(frozen=True)
class Played:
    """A strategy played from a shoe, and what every wager makes of it. `side` is the wager that it has in view."""

    game: Blackjack
    strategy: Strategy
    plans: dict[int, Plan]
    side: Wager | None
    made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def _once(self, what: str, make: Callable[[], T]) -> T:
        """Make something of the strategy, or find it among what was made before."""
        if what not in self.made:
            self.made[what] = make()
        found: T = self.made[what]
        return found

    def _play(self, up: int, side: Settling | None, weights: dict[int, Floats], group: int = 0) -> Ended:
        """Play the plan out. Wagers of one shape go the same way, and so do plans that are the same."""
        game, plan = self.game, self.plans[up]
        key = up, plan.key, side and (side.wager.shape, side.cards), group
        if key not in game.played_out:
            table = (game.tables_by_cards if side is not None and side.by_cards else game.tables)[up]
            playing = PlanEvaluation(game.house, table, game.nodes, plan, side, game.like_tens[up])
            playing.deal(weights)
            game.played_out[key] = playing.play()
        return game.played_out[key]

    def splits_only_like_tens(self, up: int) -> bool:
        """Does play depend on more than what cards count, because tens are split, but only like ones?"""
        tens = hands().of(10, 10)
        return bool(self.game.like_tens[up]) and SPLIT in self.plans[up].first[:, tens]

    def _with_side(self, wager: Wager) -> dict[int, list[tuple[Settling, Ended]]]:
        """The round as played with a side wager on it, for each group of deals that the wager tells apart."""
        return self.game.each_up(lambda up: self._groups(up, wager))

    def _groups(self, up: int, wager: Wager) -> list[tuple[Settling, Ended]]:
        found = self.game.groups(wager, up)
        looks = any({"first", "second"} & first_deal.cards_of(atom) for atom in wager.cells.partition.atoms)
        if looks and self.splits_only_like_tens(up):
            raise NotCountedError(
                f"{wager.id} looks at the first cards, and tens are split only where they are alike;"
                " together that is not counted here: simulate it instead"
            )
        parts = []
        for number, group in enumerate(found):
            settling = self.game.settling(wager, up, group.cards)
            parts.append((settling, self._play(up, settling, group.weights, number)))
        return parts

    @property
    def rounds(self) -> dict[int, list[Ended]]:
        """How the hands end against each up card, with the wager on it that the strategy has in view.

        In one part, or in one for each group of deals that the wager tells apart.
        """
        return self._once("rounds", self._rounds)

    def _rounds(self) -> dict[int, list[Ended]]:
        game, side = self.game, self.side
        if side is None:
            found = game.each_up(lambda up: [self._play(up, None, {OPEN: game.dealt[up]})])
        else:
            found = {up: [ended for _, ended in parts] for up, parts in self._with_side(side).items()}
        if any(abs(sum(ended.whole for ended in parts) - 1) > 1e-9 for parts in found.values()):
            raise SetupError(f"{game.shoe.size} cards are too few: the shoe may run out in the middle of a round")
        return found

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
        assert self.rounds  # a shoe that can run out is refused there
        for up, parts in self._with_side(wager).items():
            for settling, ended in parts:
                found = ended.weigh(settling, first_hand=True, tracked=True, stakes=False)
                ways += game.tables[up].chance * found
        return Law(wager, tuple(np.maximum(ways, 0).tolist()), 1.0, "", strategy=str(self.strategy))

    def _each_hand(self, wager: Wager) -> Law:
        """The law of the main wager: how many hands of a round end in each way, and what lies on them."""
        game = self.game
        ways, stakes = np.zeros((2, len(wager.cells.outcomes)))
        for up, parts in self.rounds.items():
            chance, settling = game.tables[up].chance, game.settling(wager, up)
            for ended in parts:
                ways += chance * ended.weigh(settling, first_hand=False, tracked=False, stakes=False)
                stakes += chance * ended.weigh(settling, first_hand=False, tracked=False, stakes=True)
        return Law(wager, tuple(ways.tolist()), 1.0, "", tuple(stakes.tolist()), strategy=str(self.strategy))

    @property
    def expected(self) -> float:
        """What a main wager of 1 wins on average."""
        return self._once("expected", self._expected)

    def _expected(self) -> float:
        law = self._each_hand(self.game.main)
        return fsum(law.stake(place) * outcome.pays for place, outcome in enumerate(law.wager.cells.outcomes))

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
