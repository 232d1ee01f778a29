"""Two hands of one split together: how likely each pair of results is, with no approximation.

The one hand is played out from the shoe, and for each way it can end the other from what is left; then the dealer from
what both leave. Hands that are bust need no dealer: what they weigh is what remains of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np

from feltlab.compile import kernel
from feltlab.exact.blackjack.dealer_ends import NATURAL_END, Floats, ends
from feltlab.exact.blackjack.nodes import KEY
from feltlab.exact.blackjack.settling import Settling
from feltlab.games.blackjack import DOUBLE, HIT, STAND, House
from feltlab.hands.draws import next_card_chances
from feltlab.hands.graph import Ints, hands
from feltlab.hands.peek import natural_hole
from feltlab.hands.states import ACTING, DOUBLED, FIRST, OTHER, STOOD, HandState

# Ends of a hand that are rarer than this are not followed up: less than 1e-13 of any result. Where more of the pair's
# cards lie in other hands, which is itself rare, the bound is the second one by how rare: less than 1e-9 of a variance.
RARE, RARE_BY_MORE = 1e-13, 7e-11


@kernel
def play_hand(
    gone: Any, left: Any, natural: int, pair: int, like: float, order: Any, place: Any, busts: Any, cards: Any, child: Any,
    draws: Any, second: Any, ending: Any,
) -> None:  # fmt: skip
    """Play a split hand for each of some cards that are gone from the shoe: adds up where it ends.

    `order` lists the hands that it can be, from one card on; `place` says where each is in it, and `busts` where a hand
    is listed that is doubled and bust. `natural` is the hole card that the dealer is known not to have (-1: nothing is
    known). `like` is how many of the pair's cards are left where only some of its points pair, else -1. `ending` is by
    the cards gone, whether the second card makes a pair, whether the hand is doubled, and the place of the hand.
    """

    def next_card(state: int, hand: int) -> Any:
        """How likely each next card is (as `next_card_chances` says it of many shoes), and how many tens are left."""
        shoe = left - gone[state] - cards[hand]
        size, tens = shoe.sum(), shoe[9]
        if natural < 0:
            return shoe / size, tens
        none = shoe[natural]
        chance = shoe * ((size - 1 - none) / ((size - 1) * (size - none)))
        chance[natural] = none / (size - 1)
        return chance, tens

    for state in range(gone.shape[0]):
        hitting, doubling = np.zeros((2, order.shape[0])), np.zeros((2, order.shape[0]))
        chance, tens = next_card(state, order[0])
        for card in range(10):
            to = place[child[order[0], card]]
            pairs = 0.0 if card != pair else 1.0 if like < 0 else like / max(tens, 1.0)
            for same in range(2):
                weight = chance[card] * (pairs if same else 1 - pairs)
                if second[card] == STAND:
                    ending[state, same, 0, to] += weight
                elif second[card] == HIT:
                    hitting[same, to] += weight
                else:
                    doubling[same, to] += weight
        for number in range(1, order.shape[0]):
            if hitting[:, number].sum() + doubling[:, number].sum() <= 0.0:
                continue
            chance, _ = next_card(state, order[number])
            for card in range(10):
                next_ = child[order[number], card]
                for same in range(2):
                    if next_ < 0:
                        if busts[number, card] >= 0:
                            ending[state, same, 1, busts[number, card]] += doubling[same, number] * chance[card]
                        continue
                    weight = hitting[same, number] * chance[card]
                    if draws[next_] == STAND:
                        ending[state, same, 0, place[next_]] += weight
                    else:
                        hitting[same, place[next_]] += weight
                    ending[state, same, 1, place[next_]] += doubling[same, number] * chance[card]


@kernel
def pair_up(weights: Any, ending: Any, places: Any, row: Any, dealer: Any, one: Any, other: Any, found: Any) -> None:
    """Add up the pairs of results, (2, results, results), over ends of the one hand, of the other, and of the dealer.

    `places` are those of the other hand's ends that count; `row` and `other` go by them.
    """
    for state in range(ending.shape[0]):
        for place in range(places.shape[0]):
            for twice in range(2):
                for same in range(2):
                    weight = weights[state] * ending[state, same, twice, places[place]]
                    if weight == 0.0:
                        continue
                    here = row[state, place]
                    for end in range(dealer.shape[1]):
                        found[same, one[state, end], other[twice, place, end]] += weight * dealer[here, end]


class SplitHand(NamedTuple):
    """How one of the hands is played and settled: what it does with its second card, then with others."""

    role: int
    second: Ints
    draws: Ints


@dataclass
class TwoHands:
    """The hands of one pair's split against one up card. `left` is the shoe without the up card, by points."""

    house: House
    up: int
    pair: int
    left: Floats
    looked: bool
    main: Settling
    first: SplitHand
    other: SplitHand
    rank_cards: float = 0.0  # where only like tens pair: how many of the rank the shoe has
    _singles: dict[tuple[int, int], Floats] = field(default_factory=dict)
    _pairs: dict[tuple[bool, int], Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.natural = natural_hole(self.up) if self.looked else -1
        pays = [
            self.main.pays[self.main.ends(state)] * state.stake
            for role in (FIRST, OTHER)
            for state in self._end_states(role)
        ]
        self.results: Floats = np.unique(np.concatenate([np.unique(part) for part in pays]))
        bust = hands().bust_kind[hands().of(10, 6), 9]
        self.bust_pays = float(self.main.pays[self.main.busts(ACTING.after_split(OTHER))[bust, 0]])

    @cached_property
    def alike(self) -> bool:
        """Whether the first hand and the others are played and settled alike."""
        one, other = self.first, self.other
        played = np.array_equal(one.second, other.second) and np.array_equal(one.draws, other.draws)
        return played and np.array_equal(self._values(one), self._values(other))

    def _end_states(self, role: int) -> tuple[HandState, HandState]:
        return STOOD.after_split(role), DOUBLED.after_split(role)

    @cached_property
    def _lists(self) -> dict[int, _List]:
        return {hand.role: _reach(self.pair, hand) for hand in (self.first, self.other)}

    def next_is_pair(self, others: int) -> float:
        """How likely a second card makes a pair, with `others` pair cards in sibling hands."""
        left = np.maximum(self.left - (others + 1) * np.eye(10)[self.pair - 1], 0)
        chance = float(next_card_chances(left[None], self.natural)[0, self.pair - 1])
        if self.rank_cards and left[9]:
            chance *= max(self.rank_cards - 1 - others, 0) / left[9]
        return chance

    def single(self, hand: SplitHand, others: int) -> Floats:
        """One hand, given `others` pair cards in sibling hands: (pair or not, results and at last bust)."""
        key = OTHER if self.alike else hand.role, others
        if key not in self._singles:
            self._singles[key] = self._single(hand, others)
        return self._singles[key]

    def _single(self, hand: SplitHand, others: int) -> Floats:
        found = np.zeros((2, len(self.results) + 1))
        if self.left[self.pair - 1] <= others:
            return found
        cards = self._lists[hand.role].cards
        dealer = self._dealer(self.left - others * np.eye(10)[self.pair - 1] - cards)
        places, nothing = np.arange(len(cards)), np.zeros((1, dealer.shape[1]), dtype=np.int64)
        flat, ending = np.zeros((2, 1, len(self.results))), self._play(hand, np.zeros((1, 10)), others, 0)
        pair_up(np.ones(1), ending, places, places[None], dealer, nothing, self._values(hand), flat)
        found[:, :-1] = flat[:, 0]
        chance = self.next_is_pair(others)
        found[:, -1] = np.array([1 - chance, chance]) - found.sum(axis=1)
        return found

    def _alone(self, hand: SplitHand, others: int) -> Floats:
        """Where one hand ends, whatever others do: (pair or not, doubled or not, place)."""
        ending: Floats = self._play(hand, np.zeros((1, 10)), others, 0)[0]
        return ending

    def _play(self, hand: SplitHand, gone: Floats, others: int, pairs: int) -> Floats:
        """Where a hand ends for each of some cards gone; `pairs` of them are of the pair's own rank."""
        reach, graph = self._lists[hand.role], hands()
        left = self.left.copy()
        left[self.pair - 1] -= others
        like = max(self.rank_cards - 1 - others - pairs, 0.0) if self.rank_cards else -1.0
        ending = np.zeros((len(gone), 2, 2, len(reach.cards)))
        play_hand(
            gone, left, self.natural, self.pair - 1, like, reach.order, reach.place, reach.busts, graph.cards,
            graph.child, hand.draws, hand.second, ending,
        )  # fmt: skip
        return ending

    def _dealer(self, left: Floats) -> Floats:
        """How the dealer ends from each of some shoes."""
        found = ends(np.maximum(left, 0), self.up, self.house)[:, :, 0]
        if self.looked:
            found[:, NATURAL_END] = 0
            found /= np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
        return found

    def _values(self, hand: SplitHand) -> Ints:
        """Which of the results a hand at each place has, undoubled and doubled, for each end of the dealer."""
        reach = self._lists[hand.role]
        found = np.zeros((2, len(reach.cards), self.main.ends(STOOD).shape[1]), dtype=np.int64)
        for twice, state in enumerate(self._end_states(hand.role)):
            at_end = self.main.pays[self.main.ends(state)][:, :, 0] * state.stake
            bust = self.main.pays[self.main.busts(state)][:, :1] * state.stake
            value = np.where(reach.bust[:, None], bust[reach.kind], at_end[reach.kind])
            found[twice] = np.searchsorted(self.results, value)
        return found

    def together(self, first: bool, others: int) -> Floats:
        """The first hand and another, or two others, given `others` more pair cards in sibling hands.

        By whether the second cards make pairs, and the results, the last being bust: (2, 2, results, results).
        """
        key = first and not self.alike, others
        if key not in self._pairs:
            self._pairs[key] = self._together((self.first if key[0] else self.other, self.other), others)
        return self._pairs[key]

    def _together(self, pair: tuple[SplitHand, SplitHand], others: int) -> Floats:
        count, rare = len(self.results), RARE
        if others:
            rare = RARE_BY_MORE / max(prod(self.next_is_pair(before + 1) for before in range(others)), 1e-9)
        found = np.zeros((2, 2, count + 1, count + 1))
        one, other = (self._alone(hand, others + 1) for hand in pair)
        places = np.flatnonzero(other.sum(axis=(0, 1)) > rare)
        mine, theirs = self._values(pair[0]), self._values(pair[1])[:, places]
        cards, their_cards = self._lists[pair[0].role].cards, self._lists[pair[1].role].cards[places]
        left = self.left - others * np.eye(10)[self.pair - 1]
        for same in range(2):
            twice, place = np.nonzero(one[same] > rare)
            if len(place):
                my_cards = cards[place]
                ending = self._play(pair[1], my_cards.astype(np.float64), others, 1 + same)
                # What both hands take from the shoe, as one number; the dealer plays once from each shoe.
                taken = (my_cards @ KEY)[:, None] + (their_cards @ KEY)[None]
                _, lead, row = np.unique(taken, return_index=True, return_inverse=True)
                shoes = left - my_cards[lead // len(places)] - their_cards[lead % len(places)]
                pair_up(
                    one[same, twice, place], ending, places, row.reshape(taken.shape), self._dealer(shoes),
                    mine[twice, place], theirs, found[same, :, :count, :count],
                )  # fmt: skip
        self._add_busts(found, pair, others)
        return found

    def _add_busts(self, found: Floats, pair: tuple[SplitHand, SplitHand], others: int) -> None:
        """What hands that are bust weigh: what one hand weighs whatever the other does, less what is found."""
        count = len(self.results)
        near, far = self.next_is_pair(others + 1), self.next_is_pair(others + 2)
        seconds = np.array([[1 - 2 * near + near * far, near * (1 - far)], [near * (1 - far), near * far]])
        alone = []
        for hand in pair:
            both = near * self.single(hand, others + 2)  # the other hand's second card makes a pair
            alone.append(np.stack([self.single(hand, others + 1) - both, both]))
        for one in range(2):
            for other in range(2):
                table = found[one, other]
                table[:count, count] = alone[0][other, one, :count] - table[:count, :count].sum(axis=1)
                table[count, :count] = alone[1][one, other, :count] - table[:count, :count].sum(axis=0)
                table[count, count] = seconds[one, other] - table.sum()
        np.maximum(found, 0, out=found)


class _List(NamedTuple):
    """The hands that a split hand can be, from its one card on, and the doubled ones that are bust, at the end."""

    order: Ints
    place: Ints
    busts: Ints
    cards: Ints
    kind: Ints
    bust: Any


def _reach(pair: int, split_hand: SplitHand) -> _List:
    graph = hands()
    start = graph.of(pair)
    hit, doubled, reached = set(), set(), {start}
    for card in range(10):
        second = int(graph.child[start, card])
        reached.add(second)
        action = int(split_hand.second[card])
        if action == HIT:
            hit.add(second)
        elif action == DOUBLE:
            doubled.add(second)
    for hand in range(start, len(graph.size)):
        if hand in hit:
            for next_ in graph.child[hand].tolist():
                if next_ >= 0:
                    reached.add(next_)
                    if split_hand.draws[next_] == HIT:
                        hit.add(next_)
    for hand in doubled:
        reached.update(next_ for next_ in graph.child[hand].tolist() if next_ >= 0)
    order = np.array(sorted(reached))
    place = np.full(len(graph.size), -1)
    place[order] = np.arange(len(order))
    busts = np.full((len(order), 10), -1)
    cards, kinds = [graph.cards[order]], [graph.kind[order]]
    count = len(order)
    for hand in sorted(doubled):
        for card in range(10):
            if graph.child[hand, card] < 0:
                busts[place[hand], card] = count
                cards.append(graph.cards[hand : hand + 1] + np.eye(10, dtype=np.int64)[card])
                kinds.append(graph.bust_kind[hand : hand + 1, card])
                count += 1
    bust = np.arange(count) >= len(order)
    return _List(order, place, busts, np.concatenate(cards), np.concatenate(kinds), bust)
