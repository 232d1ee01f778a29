"""Baccarat's rules against the third-card table as every casino posts it."""

from itertools import product

from feltlab.games import baccarat as bac
from feltlab.games.rules import choose

# Banker's total down, Player's third card across (0 to 9, then Player stood): D draws, S stands.
POSTED = """
   0 1 2 3 4 5 6 7 8 9 -
0  D D D D D D D D D D D
1  D D D D D D D D D D D
2  D D D D D D D D D D D
3  D D D D D D D D S D D
4  S S D D D D D D S S D
5  S S S S D D D D S S D
6  S S S S S S D D S S S
7  S S S S S S S S S S S
"""


def test_third_card_table():
    rows = [line.split() for line in POSTED.strip().splitlines()[1:]]
    for total, *cells in rows:
        for third, cell in zip([*range(10), bac.NO_THIRD], cells, strict=True):
            assert bac.banker_draws(int(total), third) == int(cell == "D"), (total, third)


def test_player_draws_to_five_unless_banker_has_a_natural():
    for player, banker in product(range(10), range(10)):
        assert bac.player_draws(player, banker) == int(player <= 5 and banker < 8)


def test_points_and_totals():
    assert [bac.points(rank) for rank in range(14)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]
    assert [bac.card_points(card) for card in (-1, 0, 7, 32, 35, 36, 51)] == [0, 1, 2, 9, 9, 0, 0]
    for counts in product(range(10), repeat=3):
        assert bac.total(*counts) == int(str(sum(counts))[-1])
    assert bac.total(9, 9) == 8


def test_naturals():
    assert [bac.is_natural(total) for total in range(10)] == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_outcome():
    for player, banker in product(range(10), range(10)):
        expected = bac.TIE if player == banker else bac.PLAYER if player > banker else bac.BANKER
        assert bac.outcome(player, banker) == expected


def test_the_numbers_that_engines_share():
    assert (bac.BANKER, bac.PLAYER, bac.TIE, bac.NO_THIRD, bac.MAX_SPOTS) == (0, 1, 2, -1, 14)
    assert choose(bac.RULES, {}) == {"tie": "8", "base-wager": "optional"}
    assert {rule.key: rule.values for rule in bac.RULES} == {"tie": ("8", "9"), "base-wager": ("optional", "mandatory")}
