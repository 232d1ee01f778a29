"""What each legal action is worth at a decision, to the main wager and to a bonus that rides on the hand.

As everywhere here, a hand is judged by itself, from a full shoe less its own cards and the up card; later decisions are the
best for both stakes. So a hand of a split does not see the cards of the others, and that they may be split again is not
taken in where this one is.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from feltlab.cards import rank
from feltlab.errors import FeltlabError
from feltlab.exact.blackjack.advice.situation import Situation, Worth
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.blackjack.optimize.decisions import MAIN, SIDE, Aim
from feltlab.exact.blackjack.optimize.planning import Planned
from feltlab.games.blackjack import ACTIONS, SURRENDER, card_points, legal_actions, surrenders_before_peek
from feltlab.hands.graph import hands
from feltlab.hands.states import DOUBLED, FIRST, OTHER, STOOD
from feltlab.strategy.plan import ALIVE, NONE
from feltlab.tables import Setup
from feltlab.wagers.wager import Wager

KEPT = ("continue", "decline")  # the hand is not given up, or not insured: it is played, if the dealer has no natural


def worths(game: Blackjack, setup: Setup, situation: Situation) -> list[Worth]:
    """What each action is worth.

    >>> from feltlab.cards import cards
    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> setup = set_up(load("bad-beat-blackjack"), decks=6)
    >>> situation = Situation("action", list(cards("8s 8h")), *cards("Td"), ["stand", "split"])
    >>> [(worth.action, round(worth.main, 4)) for worth in worths(Blackjack.of(setup), setup, situation)]
    [('stand', -0.5369), ('split', -0.4749)]
    """
    try:
        side, with_bonus = setup.wagers[situation.bonus] if situation.bonus else None, True
        adviser = _Adviser(game, situation, side)
    except FeltlabError:  # a bonus that looks at single cards: how play changes it is not known
        adviser, with_bonus = _Adviser(game, replace(situation, ratio=0.0), None), False
    values = [(action, adviser.worth(action)) for action in situation.actions]
    return [Worth(action, float(main), float(bonus) if with_bonus else None) for action, (main, bonus) in values]


class _Adviser:
    """One decision, and the plan that later decisions follow."""

    def __init__(self, game: Blackjack, situation: Situation, side: Wager | None) -> None:
        up = card_points(situation.up)
        self.situation = situation
        if situation.hands > 1:  # fewer hands can still come of this one
            most = game.house.most_hands - situation.hands + 1
            game = Blackjack(game.shoe, game.house._replace(most_hands=max(most, 2)), game.main)
        self.planned: Planned = game.plan(up, side, Aim(situation.ratio)) if side else game.best[up]
        self.layer = ALIVE if side else NONE
        self.pair = card_points(situation.cards[0])
        self.hand = hands().of(*map(card_points, situation.cards))

    def worth(self, action: str) -> Floats:
        """What an action is worth to main wager and bonus."""
        if action in KEPT:
            return self.planned.before_peek(self.hand, self._played(), self.layer)
        if action == "split":
            return self.planned.split(self.pair, self.layer)
        if self.situation.hands > 1:
            return self._after_split(action)
        return self.planned.decisions.worths(ACTIONS[action], self.layer)[:, self.hand]

    def _after_split(self, action: str) -> Floats:
        """What an action is worth to a hand of a split: not all of them are settled as the first is."""
        made, role = self.planned.decisions, FIRST if self.situation.hand == 1 else OTHER
        if action == "hit":
            return made.in_split(self.layer, role).hit[:, self.hand]
        state = (DOUBLED if action == "double" else STOOD).after_split(role)
        values = made.double if action == "double" else made.stand
        return np.array([values(part, state)[self.hand] if part <= self.layer else 0.0 for part in (MAIN, SIDE)])

    def _played(self) -> Floats:
        """What the best action on the two cards as dealt is worth, once the dealer is known to have no natural."""
        cards, house = self.situation.cards, self.planned.house
        points = [card_points(card) for card in cards]
        legal = legal_actions(house, sum(points), points.count(1), 2, rank(cards[0]), rank(cards[1]), 1)
        if surrenders_before_peek(house, rank(self.situation.up)):  # that question comes before, and only once
            legal &= ~SURRENDER
        values = [self.worth(name) for name, bit in ACTIONS.items() if legal & bit]
        return max(values, key=lambda worth: worth[0] + self.situation.ratio * worth[1])
