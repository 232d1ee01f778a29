"""The game from one shoe against every up card: what can come, what the deals are, and the best decisions."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from feltlab.errors import FeltlabError
from feltlab.exact.blackjack import first_deal
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.evaluate import Ended
from feltlab.exact.blackjack.nodes import Nodes, nodes
from feltlab.exact.blackjack.optimize.basic import ChartColumn, basic_column
from feltlab.exact.blackjack.optimize.decisions import MAIN_ONLY, Aim, Decisions
from feltlab.exact.blackjack.optimize.planning import Planned, best_plan
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.blackjack.splits.terms import most_others
from feltlab.exact.blackjack.up_card import Against, against
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import ACTIONS, SPLIT, House, card_points
from feltlab.hands.graph import CARDS, hands
from feltlab.hands.peek import natural_ruled_out
from feltlab.hands.riding import atoms
from feltlab.hands.states import NO_CARDS, OPEN, STOOD, SingleCards
from feltlab.strategy.plan import legal_at_first, may_hit
from feltlab.wagers.wager import Wager

T = TypeVar("T")
LikeTens = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class UpCards:
    """One shoe under one table's rules; what is computed for one strategy is kept for the next."""

    shoe: ShoeComposition
    house: House
    main: Wager

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
        groups = self.groups(side, up)
        if len(groups) > 1:
            raise FeltlabError(
                f"{side.id} pays by single cards of the deal, which a strategy by hand and up card cannot see;"
                " take 'basic' or 'composition'"
            )
        settling = self.settling(side, up, groups[0].cards)
        alive = (
            frozenset(np.flatnonzero(groups[0].weights[OPEN]).tolist()) if OPEN in groups[0].weights else frozenset()
        )
        table = (self.tables_by_cards if settling.by_cards else self.tables)[up]
        return Decisions(self.house, table, self.nodes, main, settling, aim, alive, tens, self.best[up].decisions)

    # ---- the best decisions

    def plan(self, up: int, side: Wager, aim: Aim) -> Planned:
        """The best plan against an up card for a player of a side wager."""
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

        >>> from feltlab.exact.blackjack.game import Blackjack
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
            worths = {
                name: planned.decisions.worths(bit, 0)[0, hand] for name, bit in ACTIONS.items() if legal & bit & ~SPLIT
            }
            if legal & SPLIT:
                worths["split"] = planned.split(cards[0], 0)[0]
            return {name: float(worths[name]) for name in ACTIONS if name in worths}
        worths = {"stand": float(planned.decisions.stand(0, STOOD)[hand])}
        if may_hit()[hand]:
            worths["hit"] = float(planned.decisions.by_itself[0].hit[0, hand])
        return worths

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
