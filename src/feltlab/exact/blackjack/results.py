"""What a whole round can win of the main wager, and how likely each result is.

Rounds of one hand and of two are exact. Rounds of three and four hands are exact in their variance, by pairs of hands;
how they fall on the single results is a sample, and said to be one.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np

from feltlab.errors import NotCountedError
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.evaluate import Ended, Split
from feltlab.exact.blackjack.played import PlayedRounds
from feltlab.exact.blackjack.splits.sampled import sample
from feltlab.exact.blackjack.splits.terms import Share, pair_shares, shares
from feltlab.exact.blackjack.splits.two_hands import SplitHand, TwoHands
from feltlab.games.blackjack import NONE_ORIGINAL, may_be_natural
from feltlab.hands.graph import hands
from feltlab.hands.states import ACTING, FIRST, OPEN, OTHER
from feltlab.strategy.plan import ALIVE, NONE
from feltlab.wagers.law import Results

Chances = defaultdict[float, float]


def results(played: PlayedRounds) -> Results:
    """The results of rounds under a strategy, over all up cards."""
    chances: Chances = defaultdict(float)
    square = sampled = 0.0
    for up, part in played.game.each_up(lambda up: _Against(played, up)).items():
        chance = played.game.tables[up].chance
        for net, weight in part.chances.items():
            chances[net] += chance * weight
        square += chance * part.square
        sampled += chance * part.sampled
    found = {Fraction(net).limit_denominator(1000): float(chances[net]) for net in sorted(chances) if chances[net]}
    return Results(found, square - played.expected**2, sampled)


class _Against:
    """The results against one up card: their chances, the mean square, and how much of it was sampled."""

    def __init__(self, played: PlayedRounds, up: int) -> None:
        self.played, self.game, self.up = played, played.game, up
        self.main, self.plan = self.game.settling(self.game.main, up), played.plans[up]
        self.chances: Chances = defaultdict(float)
        self.sampled = 0.0
        for ended in played.rounds[up]:
            self._one_hand(ended)
        self.square = sum(weight * net**2 for net, weight in self.chances.items())
        splits: dict[tuple[int, int, float], float] = defaultdict(float)
        for ended in played.rounds[up]:
            for pair, layer, weight, rank_cards in ended.splits:
                splits[pair, layer, rank_cards] += weight
        for (pair, layer, rank_cards), weight in splits.items():
            self._split(Split(pair, layer, weight, rank_cards))

    def _one_hand(self, ended: Ended) -> None:
        """Rounds that are not split."""
        for (_, state), weights in ended.ends.items():
            if not state.split:
                self._add(self.main.pays[self.main.ends(state)] * state.stake, weights.sum(axis=2, keepdims=True))
        for (_, state), weights in ended.busts.items():
            if not state.split:
                self._add(self.main.pays[self.main.busts(state)] * state.stake, weights)
        for weights in ended.stopped.values():
            for kind in np.flatnonzero(weights).tolist():
                self.chances[float(self.main.pays[self.main.stopped(kind)])] += float(weights[kind])

    def _add(self, nets: Floats, weights: Floats) -> None:
        values, place = np.unique(nets, return_inverse=True)
        for net, weight in zip(values, np.bincount(place.reshape(-1), weights.reshape(-1)), strict=True):
            if weight:
                self.chances[float(net)] += float(weight)

    # ---- rounds that are split

    def _hand(self, role: int, layer: int, pair: int) -> SplitHand:
        draws = self.plan.draws[layer]
        if layer == ALIVE:
            assert self.played.side is not None
            groups = self.game.groups(self.played.side, self.up)
            side = self.game.settling(self.played.side, self.up, groups[0].cards)
            over = (side.arrivals(ACTING.after_split(FIRST))[hands().kind] != OPEN)[hands().size > 2]
            if over.all() and len(groups) == 1:
                draws = self.plan.draws[NONE]
            elif (over.any() or len(groups) > 1) and not np.array_equal(draws, self.plan.draws[NONE]):
                raise NotCountedError(
                    f"the variance is not computed where {side.wager.id} ends on the way; simulate it"
                )
        return SplitHand(role, self.plan.split[layer, pair - 1], draws)

    def _split(self, split: Split) -> None:
        game, pair, weight = self.game, split.pair, split.weight
        left = np.array(game.counts, dtype=np.float64)
        left[self.up - 1] -= 1
        looked = game.tables[self.up].looked
        if game.house.hole_card == NONE_ORIGINAL and may_be_natural(self.up):
            # A natural takes the first stake and no more, whatever was doubled and split; without one it is as if the
            # dealer had looked.
            natural = float(game.tables[self.up].natural[game.nodes.row[hands().of(pair, pair)]])
            self.chances[-1.0] += weight * natural
            self.square += weight * natural
            weight, looked = weight * (1 - natural), True
        first, other = self._hand(FIRST, split.first_layer, pair), self._hand(OTHER, NONE, pair)
        both = TwoHands(game.house, self.up, pair, left, looked, self.main, first, other, split.rank_cards)
        again = bool(self.plan.again[split.first_layer, pair - 1]), bool(self.plan.again[NONE, pair - 1])
        most = game.house.most_hands if any(again) else 2
        values = np.append(both.results, both.bust_pays)
        reach = [1.0]  # by n: how likely n more cards of the pair come
        for others in range(max(share.others for share in shares(most, *again))):
            reach.append(reach[-1] * both.next_is_pair(others + 1))
        for share in shares(most, *again):
            hand = first if share.first else other
            if reach[share.others - 1]:
                self.square += weight * share.times * reach[share.others - 1] * _square(both, hand, share, values)
        for pairs in pair_shares(most, *again):
            if reach[pairs.others]:
                table = _restrict(both.together(pairs.first, pairs.others), pairs.any)
                self.square += 2 * weight * pairs.times * reach[pairs.others] * float(values @ table @ values)
        two = _restrict(both.together(True, 0), (not (again[0] and most > 2), not (again[1] and most > 2)))
        for one, mine in enumerate(values):
            for place, theirs in enumerate(values):
                if two[one, place]:
                    self.chances[round(float(mine + theirs), 9)] += float(weight * two[one, place])
        more = weight * max(1 - float(two.sum()), 0.0)
        if more > 0 and any(again) and most > 2:
            self.sampled += more
            for net, share_ in sample(both, most, again).items():
                self.chances[net] += more * share_


def _square(both: TwoHands, hand: SplitHand, share: Share, values: Floats) -> float:
    """The mean square of one hand's result."""
    table = both.single(hand, share.others)
    kept = table.sum(axis=0) if share.any else table[0]
    return float(kept @ values**2)


def _restrict(table: Floats, any_: tuple[bool, bool]) -> Floats:
    """The results of two hands that keep any second card, or only one that makes no pair."""
    part = table.sum(axis=0) if any_[0] else table[0]
    found: Floats = part.sum(axis=0) if any_[1] else part[0]
    return found
