"""The next card after the dealer has looked for a natural: by every pair of a hole card and a next card."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from feltlab.games.blackjack import NONE_ALL, PEEK, RULES, house, is_natural
from feltlab.games.rules import choose
from feltlab.hands.draws import next_card_chances
from feltlab.hands.peek import natural_hole, natural_ruled_out, next_card_ways, peeks

LEFT = [
    [2, 1, 0, 1, 0, 0, 1, 0, 0, 3],
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [4, 4, 4, 4, 4, 4, 4, 4, 4, 15],
    [0, 2, 0, 0, 0, 0, 0, 0, 0, 2],
]


def by_pairs(left, excluded):
    """The chances of the next card over all ordered pairs of a hole card, which is not excluded, and a next card."""
    cards = [place for place, count in enumerate(left) for _ in range(count)]
    after = [next_ for hole, next_ in permutations(cards, 2) if hole != excluded]
    return [Fraction(after.count(place), len(after)) for place in range(len(left))]


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("excluded", [0, 9])
def test_the_next_card_after_a_look_is_that_of_all_pairs(left, excluded):
    expected, ways = by_pairs(left, excluded), next_card_ways(left, {excluded})
    assert [Fraction(way, sum(ways)) for way in ways] == expected
    chances = next_card_chances(np.array([left], dtype=np.float64), excluded)[0]
    assert chances.tolist() == pytest.approx([float(chance) for chance in expected], rel=1e-14)


@pytest.mark.parametrize("left", LEFT)
def test_without_a_look_the_next_card_is_any_that_is_left(left):
    chances = next_card_chances(np.array([left], dtype=np.float64), -1)[0]
    assert chances.tolist() == [count / sum(left) for count in left]


@pytest.mark.parametrize("up", range(1, 11))
def test_a_hole_card_that_makes_a_natural_is_found_where_there_is_one(up):
    naturals = [hole for hole in range(1, 11) if is_natural(up + hole, (up == 1) + (hole == 1), 2, 1)]
    assert naturals == ([natural_hole(up) + 1] if natural_hole(up) >= 0 else [])
    for hole_card in (PEEK, NONE_ALL):
        rules = house(choose(RULES, {}))._replace(hole_card=hole_card)
        assert peeks(rules, up) == (hole_card == PEEK and bool(naturals))
        assert natural_ruled_out(rules, up) == (hole_card == PEEK or not naturals)
