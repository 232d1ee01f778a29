"""From the decisions of hands by themselves to a whole plan against an up card: splits, pairs and surrender.

A split is worth what its hands are worth together, which `splits.shares` says how to add up.
"""

from __future__ import annotations

import numpy as np

from feltlab.exact.blackjack import kernels
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.optimize.decisions import MAIN, Decisions
from feltlab.games.blackjack import DOUBLE, HIT, SPLIT, STAND, SURRENDER, surrenders_before_peek
from feltlab.hands.graph import CARDS, hands
from feltlab.hands.states import DOUBLED, FIRST, OTHER, STOOD, HandState
from feltlab.strategy.plan import ALIVE, NONE, Plan, empty_plan, legal_after_split, legal_at_first, splits_again


class Planned:
    """A plan against an up card, and what it is worth: splits, pairs, and hands before the dealer looks."""

    def __init__(self, decisions: Decisions, plan: Plan) -> None:
        self.decisions, self.plan = decisions, plan
        self.house, self.table, self.nodes = decisions.house, decisions.table, decisions.nodes
        self._values: dict[object, Floats] = {}

    def take_over(self, base: Planned) -> None:
        """Take over what hands without a side wager are worth."""
        self._values.update(base._values)

    def worth(self, hand: int, layer: int, action: int | None = None) -> Floats:
        """What an action on two cards as dealt (unless said, the plan's) is worth when the dealer has no natural."""
        action = int(self.plan.first[layer, hand]) if action is None else action
        if action != SPLIT:
            return self.decisions.worths(action, layer)[:, hand]
        pair = int(np.flatnonzero(hands().cards[hand])[0]) + 1
        if pair < 10 or not self.decisions.like_tens:
            return self.split_always(pair, layer)
        like = sum(chance for chance, _ in self.decisions.like_tens)
        unlike = self.decisions.worths(int(self.plan.unlike[layer]), layer)[:, hand]
        return like * self.split_always(pair, layer) + (1 - like) * unlike

    def before_peek(self, hand: int, worth: Floats, layer: int) -> Floats:
        """What a hand is worth before the dealer looks, from its worth when there is no natural."""
        if not self.table.looked:
            return worth
        natural = float(self.table.natural[self.nodes.row[hand]])
        return (1 - natural) * worth + natural * self.stopped(hand, layer)

    def given_up_early(self, hand: int, layer: int) -> bool:
        """Whether the hand is surrendered before the dealer looks for a natural."""
        early = surrenders_before_peek(self.house, self.table.up)
        return bool(early) and int(self.plan.first[layer, hand]) == SURRENDER

    def stopped(self, hand: int, layer: int) -> Floats:
        """What a hand as dealt is worth against a dealer's natural that stops the round."""
        kind = int(hands().kind[hand])
        made = self.decisions
        side = made.side.pays[made.side.stopped(kind)] if layer and made.side else 0.0
        return np.array([made.main.pays[made.main.stopped(kind)], side])

    # ---- splits

    def splits(self, pair: int) -> bool:
        """Whether there can be such a pair to split. Where only like tens pair, a shoe may have no two of a rank."""
        tens = self.decisions.like_tens
        return pair < 10 or not tens or any(chance > 0 for chance, _ in tens)

    def split(self, pair: int, layer: int) -> Floats:
        """What splitting a pair is worth, and splitting it again where that is allowed and pays.

        A player who splits a pair that is better left alone need not make the same mistake twice.
        """
        once, always = self._split(pair, layer, again=False), self.split_always(pair, layer)
        return always if self.decisions.aim_of(layer).better(always, once) else once

    def split_always(self, pair: int, layer: int) -> Floats:
        """What splitting a pair is worth to a strategy that splits it: it splits it again wherever that is allowed."""
        return self._split(pair, layer, again=splits_again(self.house, pair))

    def _split(self, pair: int, layer: int, *, again: bool) -> Floats:
        """The first hand is played with its side wager, the others without."""
        made = self.decisions
        first_layer, taken = layer, np.zeros(2)
        if layer == ALIVE and made.side and made.side.taken_by_split(pair):
            first_layer, taken = NONE, np.array([0.0, -1.0])
        first_again = again if first_layer == layer else bool(self.plan.again[NONE, pair - 1])
        others_again = again if layer == NONE else bool(self.plan.again[NONE, pair - 1])
        worth = {True: self._split_hands(first_layer, FIRST), False: self._split_hands(NONE, OTHER)}
        total = np.zeros(2)
        cases = made.like_tens if pair == 10 and made.like_tens else ((1.0, 0.0),)
        for chance, rank_cards in cases:
            total += chance * self._together(pair, worth, (first_again, others_again), rank_cards)
        return total / sum(chance for chance, _ in cases) + taken

    def _together(self, pair: int, worth: dict[bool, Floats], again: tuple[bool, bool], rank_cards: float) -> Floats:
        """Add up the hands of a split. `rank_cards` is how many of a ten's rank the shoe has, where only like ones pair."""
        total = np.zeros(2)
        for share, times, _, draw in self.table.split_hands(self.nodes, pair, again, rank_cards):
            total += times * (worth[share.first][:, pair - 1, share.others] @ draw)
        return total

    def _split_hands(self, layer: int, role: int) -> Floats:
        """What a split hand is worth by pair card, others of it in other hands, and second card: (2, 10, others, 10)."""
        made, nodes = self.decisions, self.nodes
        if role == FIRST and layer == NONE and made.main.first_is_like_others:
            return self._split_hands(NONE, OTHER)
        if ("split", layer, role) in self._values:
            return self._values["split", layer, role]
        self._look_up(layer)
        stood, doubled = STOOD.after_split(role), DOUBLED.after_split(role)
        found = np.zeros((2, *nodes.start.shape, 10))
        seconds = nodes.child[nodes.start]
        action = self.plan.split[layer][:, None, :]
        for part in range(1 + layer):
            value, hit = self._follow(part, layer, stood)
            if layer == NONE:
                self._values["split value", role] = value
            at = [made.stand(part, stood)[seconds], hit[seconds], made.double(part, doubled)[seconds]]
            found[part] = np.select([action == STAND, action == HIT, action == DOUBLE], at)
        self._values["split", layer, role] = found
        return found

    def _look_up(self, layer: int) -> None:
        """Compute the dealer's ends for all hands of splits that the plan can come to."""
        nodes, rows = self.nodes, np.zeros(len(self.nodes.gone), dtype=np.bool_)
        for draws in self.plan.draws[: layer + 1]:
            marked = np.zeros(len(nodes.hand), dtype=np.bool_)
            kernels.reach(nodes.start, nodes.hand, nodes.row, nodes.child, self.plan.split[layer], draws, marked, rows)
        for made in (self.decisions, self.decisions.base):
            if made is not None:
                made.table.complete(rows)

    def _follow(self, part: int, layer: int, stood: HandState) -> tuple[Floats, Floats]:
        made, nodes, table = self.decisions, self.nodes, self.table
        graph = hands()
        acting = stood._replace(stood=0)
        over, after = np.zeros(len(graph.size), dtype=np.bool_), np.zeros(len(nodes.hand))
        if layer == ALIVE:
            over, pays = made.ended(acting)
            if part == MAIN:
                self._split_hands(NONE, stood.role)
                after = self._values.get(("split value", stood.role), self._values["split value", OTHER])
            else:
                after = pays[nodes.hand]
        value, hit = np.zeros(len(nodes.hand)), np.zeros(len(nodes.hand))
        kernels.follow(
            len(graph.size), len(nodes.hand), nodes.hand, nodes.row, nodes.child, graph.size == 2, table.draw, table.spoil,
            self.plan.draws[layer], made.stand(part, stood), graph.bust_kind,
            made.bust(part, acting), over, after, value, hit,
        )  # fmt: skip
        return value, hit


def best_plan(decisions: Decisions, base: Planned | None = None) -> Planned:
    """The plan that takes the best decision everywhere; `base` is the one for the main wager alone, if it is known."""
    planned = Planned(decisions, empty_plan() if base is None else base.plan.copy())
    if base is not None:
        planned.take_over(base)
    layers = [NONE] * (base is None) + [ALIVE] * (decisions.side is not None)
    for layer in layers:
        planned.plan.draws[layer] = decisions.by_itself[layer].action
        _after_split(planned, layer)
        _as_dealt(planned, layer)
    return planned


def _after_split(planned: Planned, layer: int) -> None:
    """A split hand is played as it would be by itself; one that got its side wager only then, by what is best then."""
    made = planned.decisions
    rules = legal_after_split(made.house)
    of, legal = np.array([hands().of(*cards) for cards in rules]), np.array(list(rules.values()))
    found = made.best(of, legal, layer)
    if layer == ALIVE:
        found = np.where(np.isin(of, list(made.alive)), found, made.best(of, legal, layer, FIRST))
    planned.plan.split[layer] = found.reshape(10, 10)


def _as_dealt(planned: Planned, layer: int) -> None:
    made, plan, aim = planned.decisions, planned.plan, planned.decisions.aim_of(layer)
    early = bool(surrenders_before_peek(made.house, made.table.up))
    rules = legal_at_first(made.house)
    of, legal = np.array(list(rules)), np.array(list(rules.values()))
    plan.first[layer, of] = made.best(of, legal & ~SURRENDER if early else legal, layer)
    plan.unlike[layer] = plan.first[layer, hands().of(10, 10)]
    played = dict(zip(of.tolist(), made.best(of, legal & ~SURRENDER, layer).tolist(), strict=True))
    for pair in CARDS:
        hand = hands().of(pair, pair)
        if rules[hand] & SPLIT and planned.splits(pair):
            split, unsplit = planned.split_always(pair, layer), planned.worth(hand, layer, played[hand])
            plan.again[layer, pair - 1] = splits_again(made.house, pair) and aim.better(split, unsplit)
            if aim.better(split, planned.worth(hand, layer)):
                plan.first[layer, hand] = SPLIT
    if early:
        for hand in of[(legal & SURRENDER) > 0].tolist():
            kept = planned.before_peek(hand, planned.worth(hand, layer), layer)
            if aim.better(made.worths(SURRENDER, layer)[:, hand], kept):
                plan.first[layer, hand] = SURRENDER
