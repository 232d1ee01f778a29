"""Whole shoes against every order of a small shoe: the shuffle, the burn card, the cut card, and what they do to averages."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from feltlab.cards import cards, rank
from feltlab.games.baccarat import NO_THIRD, banker_draws, is_natural, player_draws, total
from feltlab.sheets import load
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.kernels.cursor import SHOE, deck_of, shoe_spec
from feltlab.simulate.kernels.shuffling import shuffle_on
from feltlab.simulate.prepare import DealSettings, prepare
from feltlab.simulate.stats.sampled import sampled
from feltlab.simulate.stats.tally import Tally
from feltlab.tables import set_up

# Twelve cards of two ranks: 792 orders of what they count. Six lie behind the cut card, one is burnt.
SHOE_OF = Counter({9: 7, 2: 5})
CUT, BURN = 6, 1


def orders(left, order=()):
    if not any(left.values()):
        yield order
    for points in left:
        if left[points]:
            yield from orders({**left, points: left[points] - 1}, (*order, points % 10))


def coups(order):
    """The coups of a shoe in order: both totals and how many cards each hand has."""
    at = BURN
    while at < len(order) - CUT:
        p1, b1, p2, b2, fifth, sixth = order[at : at + 6]
        player, banker, hands = total(p1, p2), total(b1, b2), [2, 2]
        if not is_natural(player) and not is_natural(banker):
            third, after = NO_THIRD, fifth
            draws = player_draws(player, banker)
            if draws:
                third, after, hands[0] = fifth, sixth, 3
            if banker_draws(banker, third):
                banker, hands[1] = total(banker, after), 3
            if draws:
                player = total(player, third)
        at += sum(hands)
        yield player, banker, tuple(hands)


def test_the_cut_card_shifts_averages_as_every_order_of_a_small_shoe_says():
    found, rounds, shoes = Counter(), 0, 0
    for order in orders(SHOE_OF):
        shoes += 1
        for player, banker, _ in coups(order):
            rounds += 1
            found["player"] += (player > banker) - (player < banker)
            found["tie"] += 8 if player == banker else -1
    counts = [0] * 52
    for points, count in SHOE_OF.items():
        ranks = [card for card in range(52) if rank(card) == points]
        for place in range(count):
            counts[ranks[place % len(ranks)]] += 1
    setup = set_up(load("bad-beat-baccarat"))
    work, meaning = prepare(setup, DealSettings("shoe", counts, 11, CUT), None, 2_000_000, 2000)
    tally = Tally.of(work)
    for part in Cpu(2).deal(work, tally.todo(work.batches)):
        tally.add(part)
    dealt = {one.wager.id: one for one in sampled(meaning, tally, independent=False)}
    assert abs(dealt["tie"].rounds / 2_000_000 - rounds / shoes) < 0.005
    for id, net in found.items():
        exact = -Fraction(net, rounds)
        assert dealt[id].house_edge.error < 0.003
        assert abs(dealt[id].house_edge.z(float(exact))) < 4, id


def test_the_cut_card_matters_there():
    """What the test above would miss if the dealing were another: the first coup alone has other averages."""
    first = [next(coups(order)) for order in orders(SHOE_OF)]
    every = [coup for order in orders(SHOE_OF) for coup in coups(order)]
    ties = [Fraction(sum(player == banker for player, banker, _ in some), len(some)) for some in (first, every)]
    assert abs(ties[0] - ties[1]) > Fraction(1, 200)


@pytest.mark.parametrize("size", [7, 12, 52, 104])
def test_every_card_comes_to_every_place_of_a_shoe_as_often(size):
    shoe, deck = shoe_spec(SHOE, size, 5), [*range(size)]
    seen = np.zeros((size, size), dtype=int)
    times = 3000 if size > 20 else 20_000
    for number in range(times):
        order, filled, turn = [*deck, *[0] * 20], 0, 0
        while filled < size:
            filled, turn = shuffle_on(shoe, order, filled, number, turn), turn + 1
        assert filled == size and sorted(order[:size]) == deck
        seen[np.arange(size), order[:size]] += 1
    expected = times / size
    chi_square = ((seen - expected) ** 2 / expected).sum()
    degrees = (size - 1) ** 2
    assert abs(chi_square - degrees) < 5 * np.sqrt(2 * degrees)


def test_a_deck_names_its_cards():
    (ace,) = cards("As")
    assert deck_of([int(card == ace) for card in range(52)], lambda card: 1).tolist() == [ace << 4 | 1]
