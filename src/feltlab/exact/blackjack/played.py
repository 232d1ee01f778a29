"""Rounds played by a strategy from a shoe: how their hands end, and what the main wager expects of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import Any, TypeVar

import numpy as np

from feltlab.errors import NotCountedError, SetupError
from feltlab.exact.blackjack import first_deal
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.evaluate import Ended, PlanEvaluation
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.blackjack.up_cards import UpCards
from feltlab.games.blackjack import SPLIT
from feltlab.hands.graph import hands
from feltlab.hands.states import OPEN
from feltlab.strategy import Strategy
from feltlab.strategy.plan import Plan
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

T = TypeVar("T")


@dataclass(frozen=True)
class PlayedRounds:
    """A strategy played from a shoe. `side` is the side wager that it plays for."""

    game: UpCards
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
        """Whether play depends on more than what cards count, because tens are split, but only like ones."""
        tens = hands().of(10, 10)
        return bool(self.game.like_tens[up]) and SPLIT in self.plans[up].first[:, tens]

    def _with_side(self, wager: Wager) -> dict[int, list[tuple[Settling, Ended]]]:
        """The round as played with a side wager on it, for each group of deals that the wager tells apart."""
        return self.game.each_up(lambda up: self._groups(up, wager))

    def _groups(self, up: int, wager: Wager) -> list[tuple[Settling, Ended]]:
        groups = self.game.groups(wager, up)
        looks = any({"first", "second"} & first_deal.cards_of(atom) for atom in wager.cells.partition.atoms)
        if looks and self.splits_only_like_tens(up):
            raise NotCountedError(
                f"{wager.id} looks at the first cards, and tens are split only where they are alike;"
                " together that is not counted here: simulate it instead"
            )
        parts = []
        for number, group in enumerate(groups):
            settling = self.game.settling(wager, up, group.cards)
            parts.append((settling, self._play(up, settling, group.weights, number)))
        return parts

    @property
    def rounds(self) -> dict[int, list[Ended]]:
        """How the hands end against each up card, with the side wager that the strategy plays for.

        In one part, or in one for each group of deals that the wager tells apart.
        """
        return self._once("rounds", self._rounds)

    def _rounds(self) -> dict[int, list[Ended]]:
        game, side = self.game, self.side
        if side is None:
            rounds = game.each_up(lambda up: [self._play(up, None, {OPEN: game.dealt[up]})])
        else:
            rounds = {up: [ended for _, ended in parts] for up, parts in self._with_side(side).items()}
        if any(abs(sum(ended.whole for ended in parts) - 1) > 1e-9 for parts in rounds.values()):
            raise SetupError(f"{game.shoe.size} cards are too few: the shoe may run out in the middle of a round")
        return rounds

    def refuse_short_shoe(self) -> None:
        """Refuse a shoe that can run out in the middle of a round, which playing the rounds shows."""
        self._once("rounds", self._rounds)

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
