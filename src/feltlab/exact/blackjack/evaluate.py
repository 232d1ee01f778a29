"""A plan played out against one up card: how hands end, against how the dealer ends, and how likely each is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from feltlab.exact.blackjack import kernels
from feltlab.exact.blackjack.dealer_ends import ENDS, NATURAL_END, Floats
from feltlab.exact.blackjack.nodes import Nodes
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.blackjack.up_card import Against
from feltlab.games.blackjack import DOUBLE, SPLIT, STAND, SURRENDER, House, surrenders_before_peek
from feltlab.hands.graph import hands
from feltlab.hands.states import ACTING, FIRST, OPEN, OTHER, SURRENDERED, HandState
from feltlab.strategy.plan import ALIVE, NONE, Plan


class Split(NamedTuple):
    """A pair that is split: how likely, with what on the first hand, and for like tens how many the rank has."""

    pair: int
    first_layer: int
    weight: float
    rank_cards: float


@dataclass
class Ended:
    """How the hands of a round end. Weights are expected numbers of hands; those of first hands add up to 1.

    The keys are a layer (is the side wager still alive?) and how the hand ended; the arrays are by kind of hand and
    dealer's end, of bust hands by kind and whether the dealer has a natural, and of hands stopped by a natural by kind.
    `left_off` is where the side wager ended while the hand went on, by outcome; `splits` are the pairs that are split.
    """

    ends: dict[tuple[int, HandState], Floats] = field(default_factory=dict)
    busts: dict[tuple[int, HandState], Floats] = field(default_factory=dict)
    stopped: dict[int, Floats] = field(default_factory=dict)
    left_off: dict[int, float] = field(default_factory=dict)
    splits: list[Split] = field(default_factory=list)
    drawn: Floats = field(default_factory=lambda: np.zeros((2, 10)))  # cards by what they count: hit, and doubled on

    @property
    def whole(self) -> float:
        """How much all first hands weigh: 1, unless the shoe can run out."""
        kept = [*self.ends.items(), *self.busts.items()]
        found = sum(float(weights.sum()) for (_, state), weights in kept if state.role != OTHER)
        return found + sum(float(weights.sum()) for weights in self.stopped.values())

    def weigh(self, settling: Settling, *, first_hand: bool, tracked: bool, stakes: bool) -> Floats:
        """How often each outcome of a wager comes: of one that rides on the first hand, or of one on each hand.

        `tracked` says that the layers and `left_off` are this very wager's; with `stakes` each hand counts by its stake.
        """
        count = len(settling.pays)
        found = np.zeros(count)
        for (layer, state), weights in self.ends.items():
            if not (first_hand and state.role == OTHER) and not (tracked and layer == NONE):
                kept = weights if settling.by_cards else weights.sum(axis=2, keepdims=True)
                summed = np.bincount(settling.ends(state).reshape(-1), kept.reshape(-1), count)
                found += (state.stake if stakes else 1) * summed
        for (layer, state), weights in self.busts.items():
            if not (first_hand and state.role == OTHER) and not (tracked and layer == NONE):
                summed = np.bincount(settling.busts(state).reshape(-1), weights.reshape(-1), count)
                found += (state.stake if stakes else 1) * summed
        for layer, weights in self.stopped.items():
            if not (tracked and layer == NONE):
                for kind in np.flatnonzero(weights).tolist():
                    found[settling.stopped(kind)] += weights[kind]
        if tracked:
            for outcome, weight in self.left_off.items():
                found[outcome] += weight
        return found


class PlanEvaluation:
    """Plays a plan from deals, adding up how the hands end."""

    def __init__(
        self, house: House, table: Against, nodes: Nodes, plan: Plan, side: Settling | None,
        like_tens: tuple[tuple[float, float], ...] = (),
    ) -> None:  # fmt: skip
        self.house, self.table, self.nodes, self.plan, self.side = house, table, nodes, plan, side
        self.like_tens = like_tens
        self.ended = Ended()
        # By whether it is another hand than the spot's first, whether it is doubled, layer and node.
        self.ending, self.drawing = np.zeros((2, 2, 2, 2, len(nodes.hand)))
        self.surrendering = np.zeros((2, len(nodes.hand)))

    def deal(self, weights: dict[int, Floats]) -> None:
        """Hands as dealt, by what the deal did to the side wager: OPEN, or the outcome that it brought."""
        for outcome, hand_weights in weights.items():
            layer = ALIVE if outcome == OPEN and self.side is not None else NONE
            if self.side is not None and outcome != OPEN:
                self._leave_off(outcome, float(hand_weights.sum()))
            for hand in np.flatnonzero(hand_weights):
                self._first(int(hand), layer, float(hand_weights[hand]))

    def _leave_off(self, outcome: int, weight: float) -> None:
        self.ended.left_off[outcome] = self.ended.left_off.get(outcome, 0.0) + weight

    def _first(self, hand: int, layer: int, weight: float) -> None:
        graph, table = hands(), self.table
        action = int(self.plan.first[layer, hand])
        if table.looked:
            natural = float(table.natural[self.nodes.row[hand]])
            if action == SURRENDER and surrenders_before_peek(self.house, table.up):
                given_up = self._ends(layer, SURRENDERED)  # and then the dealer has a natural
                given_up[graph.kind[hand], NATURAL_END, 2 if given_up.shape[2] > 1 else 0] += weight * natural
            else:
                stopped = self.ended.stopped.setdefault(layer, np.zeros(len(graph.kinds)))
                stopped[graph.kind[hand]] += weight * natural
            weight *= 1 - natural
        if action == SPLIT:
            pair = int(np.flatnonzero(graph.cards[hand])[0]) + 1
            if pair == 10 and self.like_tens:
                for chance, rank_cards in self.like_tens:
                    self._split(pair, layer, weight * chance, rank_cards)
                weight *= 1 - sum(chance for chance, _ in self.like_tens)
                self._put(0, layer, hand, int(self.plan.unlike[layer]), weight)
            else:
                self._split(pair, layer, weight, 0.0)
        else:
            self._put(0, layer, hand, action, weight)

    def _put(self, other: int, layer: int, node: int, action: int, weight: float) -> None:
        if action == SURRENDER:
            self.surrendering[layer, node] += weight
        elif action == STAND:
            self.ending[other, 0, layer, node] += weight
        else:
            self.drawing[other, int(action == DOUBLE), layer, node] += weight

    def _split(self, pair: int, layer: int, weight: float, rank_cards: float) -> None:
        first_layer = layer
        if layer == ALIVE and self.side is not None and self.side.taken_by_split(pair):
            first_layer = NONE
            self._leave_off(0, weight)
        self.ended.splits.append(Split(pair, first_layer, weight, rank_cards))
        again = bool(self.plan.again[first_layer, pair - 1]), bool(self.plan.again[NONE, pair - 1])
        for share, times, start, draw in self.table.split_hands(self.nodes, pair, again, rank_cards):
            role_layer = first_layer if share.first else NONE
            for second in range(10):
                node, action = self.nodes.child[start, second], self.plan.split[role_layer, pair - 1, second]
                self._put(int(not share.first), role_layer, int(node), int(action), weight * times * draw[second])

    def play(self) -> Ended:
        """Draw every card that the plan asks for, and look at the dealer."""
        count = len(hands().size)
        self._play(ACTING, slice(0, count))
        for role in (FIRST, OTHER):
            self._play(ACTING.after_split(role), slice(count, len(self.nodes.hand)))
        for layer in range(2):
            self._look(layer, SURRENDERED, self.surrendering[layer], slice(0, count))
        return self.ended

    def _play(self, acting: HandState, part: slice) -> None:
        """Play the hands of a role at some nodes: those as dealt, or those of splits."""
        graph, nodes, table = hands(), self.nodes, self.table
        other = int(acting.role == OTHER)
        arrival = np.full(len(graph.size), OPEN)
        if self.side is not None and not other:
            arrival = self.side.arrivals(acting)[graph.kind]
        busts, left_off = np.zeros((2, 2, len(graph.kinds), 2)), np.zeros(len(nodes.hand))
        kernels.weigh(
            part.start, part.stop, nodes.hand, nodes.row, nodes.child, table.draw, table.spoil, self.plan.draws,
            arrival != OPEN, graph.bust_kind, self.drawing[other], self.ending[other], busts, left_off, self.ended.drawn,
        )  # fmt: skip
        for node in np.flatnonzero(left_off):
            self._leave_off(int(arrival[nodes.hand[node]]), float(left_off[node]))
        for twice in range(2):
            for layer in range(2):
                state = acting._replace(stood=1 - twice, doubled=twice)
                self._look(layer, state, self.ending[other, twice, layer], part)
                if busts[twice, layer].any():
                    self.ended.busts[layer, acting._replace(doubled=twice)] = busts[twice, layer]

    def _look(self, layer: int, state: HandState, weights: Floats, part: slice) -> None:
        if not weights[part].any():
            return
        rows = np.zeros(len(self.nodes.gone), dtype=np.bool_)
        rows[self.nodes.row[part][weights[part] != 0]] = True
        self.table.complete(rows)
        kind = hands().kind[self.nodes.hand[part]]
        kernels.joint(self.table.ends, self.nodes.row[part], kind, weights[part], self._ends(layer, state))

    def _ends(self, layer: int, state: HandState) -> Floats:
        """Where hands that end so are added up."""
        room = (len(hands().kinds), ENDS, self.table.ends.shape[2])
        return self.ended.ends.setdefault((layer, state), np.zeros(room))
