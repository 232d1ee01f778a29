"""The exact analysis and the round engine on the same cards: the same decisions, facts and payments.

A round is followed through the plan's arrays, the graph of hands and the settling tables, card by card; the round
engine plays the strategy as data. Nothing is shared between the two but the cards.
"""

import random
from fractions import Fraction

import pytest

from feltlab.analysis import analyse
from feltlab.cards import rank
from feltlab.exact.blackjack.dealer_ends import end_class
from feltlab.exact.blackjack.settling import Settling
from feltlab.games.blackjack import (
    DOUBLE,
    HIT,
    PEEK,
    SPLIT,
    STAND,
    SURRENDER,
    card_points,
    dealer_draws,
    surrenders_before_peek,
    total,
)
from feltlab.hands.graph import hands
from feltlab.hands.peek import natural_ruled_out
from feltlab.hands.states import ACTING, FIRST, OPEN, OTHER, SingleCards
from feltlab.rounds.events import BetSettled
from feltlab.rounds.open import open_round
from feltlab.rounds.player import play
from feltlab.rounds.shoe import Stacked
from feltlab.strategy.plan import ALIVE, NONE
from feltlab.tables.table import open_table
from support.soak import soak

TABLES = [
    ({}, "2", "P1", "bonus"),
    ({}, "1", "L3", "bonus"),
    ({"surrender": "late", "das": "no", "soft17": "stand"}, "2", "P4", "joint:0.02"),
    ({"surrender": "early", "resplit-aces": "yes"}, "2", "L5", "bonus"),
    ({"hole-card": "none-all", "hit-split-aces": "yes"}, "2", "P2", "composition"),
    ({"hole-card": "none-original", "surrender": "late"}, "2", "P3", "basic"),
    ({"unlike-tens": "no", "resplit": "3", "double": "9-11"}, "2", "P1", "composition"),
]


class Followed:
    """One round by the arrays of the exact analysis."""

    def __init__(self, at, played, order):
        self.at, self.graph, self.cards = at, hands(), list(order)
        self.first, self.up_card, self.second = (self.cards.pop(0) for _ in range(3))
        self.up = card_points(self.up_card)
        self.house, self.plan = at.setup.house, played.plans[self.up]
        self.hole = self.cards.pop(0) if self.house.hole_card == PEEK else None
        seen = SingleCards(self.first, self.second, self.up_card)
        sure = natural_ruled_out(at.game.house, self.up)
        self.main = Settling(at.setup.wagers["main"], seen, sure=sure)
        self.side = Settling(at.setup.wagers["bad-beat"], seen, sure=sure)
        self.net, self.bonus, self.ended = Fraction(0), None, []

    def draw(self, hand):
        """The hand with one more card; its kind, if that is one too many."""
        points = card_points(self.cards.pop(0))
        after = int(self.graph.child[hand, points - 1])
        return after, int(self.graph.kind[after]) if after >= 0 else int(self.graph.bust_kind[hand, points - 1])

    def play(self):
        hand = self.graph.of(card_points(self.first), card_points(self.second))
        kind = int(self.graph.kind[hand])
        outcome = self.side.status_after("deal", kind, ACTING)
        self.bonus = None if outcome == OPEN else outcome
        layer = ALIVE if outcome == OPEN else NONE
        action = int(self.plan.first[layer, hand])
        like = self.house.split_unlike_tens or rank(self.first) == rank(self.second)
        if action == SPLIT and not like:
            action = int(self.plan.unlike[layer])
        early = action == SURRENDER and surrenders_before_peek(self.house, self.up)
        if self.hole is not None and not early and sorted((self.up, card_points(self.hole))) == [1, 10]:
            self.net += self.pays(self.main, self.main.stopped(kind))
            if self.bonus is None:
                self.bonus = self.side.stopped(kind)
            return
        if action == SPLIT:
            self.split(layer)
        else:
            self.act(hand, kind, layer, action, ACTING)
        self.settle()

    def pays(self, settling, outcome):
        return settling.wager.cells.outcomes[outcome].pays

    def split(self, layer):
        pair = card_points(self.first)
        if layer == ALIVE and self.side.taken_by_split(pair):
            self.bonus, layer = 0, NONE
        number, count = 1, 2
        while number <= count:
            mine = layer if number == 1 else NONE
            card = self.cards[0]
            same = rank(card) == rank(self.first) or (self.house.split_unlike_tens and card_points(card) == pair == 10)
            if same and self.plan.again[mine, pair - 1] and count < self.house.most_hands:
                self.cards.pop(0)
                count += 1
                continue
            hand, kind = self.draw(self.graph.of(pair))
            action = int(self.plan.split[mine, pair - 1, card_points(card) - 1])
            self.act(hand, kind, mine, action, ACTING.after_split(FIRST if number == 1 else OTHER))
            number += 1

    def act(self, hand, kind, layer, action, state):
        if action == DOUBLE:
            hand, kind = self.draw(hand)
            state = state._replace(doubled=1)
        elif action in (STAND, SURRENDER):
            state = state._replace(stood=int(action == STAND), surrendered=int(action == SURRENDER))
        else:
            while action == HIT:
                hand, kind = self.draw(hand)
                if hand < 0:
                    break
                if layer == ALIVE and (outcome := int(self.side.arrivals(state)[kind])) != OPEN:
                    self.bonus, layer = outcome, NONE
                action = int(self.plan.draws[layer, hand])
            state = state._replace(stood=int(hand >= 0))
        self.ended.append((kind, state, hand < 0))

    def settle(self):
        """The dealer, if anybody waits for one; then every hand."""
        points = [self.up, card_points(self.hole) if self.hole is not None else card_points(self.cards.pop(0))]
        while dealer_draws(self.house, sum(points), points.count(1)):
            points.append(card_points(self.cards.pop(0)))
        end = end_class(total(sum(points), points.count(1)), len(points))
        for kind, state, bust in self.ended:
            for settling in (self.main, self.side):
                natural = int(end == end_class(21, 2))
                outcome = int(settling.busts(state)[kind, natural] if bust else settling.ends(state)[kind, end, 0])
                if settling is self.main:
                    self.net += state.stake * self.pays(self.main, outcome)
                elif self.bonus is None and state.role != OTHER:
                    self.bonus = outcome


@pytest.mark.parametrize(("rules", "option", "paytable", "strategy"), TABLES)
def test_the_same_round(rules, option, paytable, strategy):
    at = analyse("bad-beat-blackjack", decks=2, option=option, paytables=[paytable], rules=rules)
    played = at.play(strategy)
    table, chart = open_table(at.setup), played.chart
    randomly = random.Random(f"{rules}{strategy}")
    interesting = 0
    for number in range(soak(500, 100)):
        order = [card for card in range(52) for _ in range(2)]
        randomly.shuffle(order)
        # Half of the rounds begin with a pair, and half of those get a third card of it: splits are common.
        for place in ([], [2], [], [2, 4])[number % 4]:
            like = next(later for later in range(place, len(order)) if order[later] // 4 == order[0] // 4)
            order.insert(place, order.pop(like))
        round_ = open_round(table, Stacked(order))
        play(round_, chart, {"main": 1000, "bad-beat": 500})
        settled = [event for event in round_.log if isinstance(event, BetSettled)]
        net = sum(Fraction(event.back - event.stake, 1000) for event in settled if event.wager == "main")
        (bonus,) = (event for event in settled if event.wager == "bad-beat")
        mine = Followed(at, played, order)
        mine.play()
        assert mine.net == net, order[:12]
        outcome = at.setup.wagers["bad-beat"].cells.outcomes[mine.bonus]
        assert at.setup.wagers["bad-beat"].line_ids(outcome) == bonus.lines, order[:12]
        interesting += len(mine.ended) > 2
    assert interesting > soak(3, 0)
