"""Rounds of three and more hands, dealt at random: how their results fall. A sample, always the same one."""

from __future__ import annotations

from typing import Any

import numpy as np

from feltlab.compile import kernel
from feltlab.exact.blackjack.dealer_ends import end_class
from feltlab.exact.blackjack.splits.two_hands import TwoHands
from feltlab.games.blackjack import DOUBLE, HIT, STAND, dealer_draws, total
from feltlab.hands.graph import hands
from feltlab.hands.states import DOUBLED, FIRST, OTHER, STOOD

ROUNDS = 10_000


@kernel
def deal_splits(
    seed: int, left: Any, natural: int, up: int, pair: int, like: float, most: int, again: Any,
    start: int, child: Any, second: Any, draws: Any, dealer: Any, ended: Any,
) -> int:  # fmt: skip
    """Deal split rounds until `ended` is full of those with three hands or more; gives how many were kept.

    A row of `ended` is the dealer's hard total, aces and cards, and then for each hand its number (-1: bust, -2: none)
    and the action on its second card.
    """
    np.random.seed(seed)

    def draw(shoe: Any) -> int:
        spot = np.random.random() * shoe.sum()
        card = 0
        while spot >= shoe[card]:
            spot -= shoe[card]
            card += 1
        shoe[card] -= 1
        return card

    kept, tried = 0, 0
    while kept < ended.shape[0] and tried < 400 * ended.shape[0]:
        tried += 1
        row = ended[kept]
        row[:] = -2
        shoe = left.copy()
        hole = draw(shoe)
        if hole == natural:  # the dealer has looked: such a round is over before anybody splits
            continue
        count, number, rank = 2, 0, like
        while number < count:
            role = min(number, 1)
            card = draw(shoe)
            pairs = card == pair
            if pairs and like >= 0:
                pairs = np.random.random() * (shoe[card] + 1) < rank
                rank -= pairs
            if pairs and count < most and again[role]:
                count += 1
                continue
            hand, action = child[start, card], second[role, card]
            playing = action != STAND
            while playing:
                hand = child[hand, draw(shoe)]
                playing = action == HIT and hand >= 0 and draws[role, hand] == HIT
            row[3 + 2 * number], row[4 + 2 * number] = hand, action
            number += 1
        if count < 3:
            continue
        row[0], row[1], row[2] = up + hole + 1, (up == 1) + (hole == 0), 2
        while dealer[row[0], min(row[1], 1)]:
            card = draw(shoe)
            row[0] += card + 1
            row[1] += card == 0
            row[2] += 1
        kept += 1
    return kept


def sample(both: TwoHands, most: int, again: tuple[bool, bool]) -> dict[float, float]:
    """How the results of rounds with three hands and more fall, each with its share of a sample."""
    graph = hands()
    left = both.left.copy()
    left[both.pair - 1] -= 2
    dealer = np.zeros((27, 2), dtype=np.int64)
    for hard in range(2, 22):
        for aces in range(2):
            dealer[hard, aces] = dealer_draws(both.house, hard, aces)
    roles = both.first, both.other
    ended = np.zeros((ROUNDS, 3 + 2 * most), dtype=np.int64)
    kept = deal_splits(
        both.pair * 16 + both.up, left, both.natural, both.up, both.pair - 1,
        both.rank_cards - 2 if both.rank_cards else -1.0, most, np.array(again), graph.of(both.pair), graph.child,
        np.array([role.second for role in roles]), np.array([role.draws for role in roles]), dealer, ended,
    )  # fmt: skip
    ended = ended[:kept]
    ends = np.array([end_class(total(hard, aces), cards) for hard, aces, cards in ended[:, :3].tolist()])
    nets = np.zeros(kept)
    for number in range(most):
        hand, action = ended[:, 3 + 2 * number], ended[:, 4 + 2 * number]
        for doubled in (0, 1):
            state = (DOUBLED if doubled else STOOD).after_split(OTHER if number else FIRST)
            pays = both.main.pays[both.main.ends(state)][graph.kind[hand], ends, 0]
            nets += (
                np.where((action == DOUBLE) == doubled, np.where(hand >= 0, pays, both.bust_pays), 0)
                * state.stake
                * (hand > -2)
            )
    values, counts = np.unique(np.round(nets, 9), return_counts=True)
    return {float(net): float(count) / kept for net, count in zip(values, counts, strict=True)}
