"""The marked rules compile with numba as they stand, and give what Python gives."""

import subprocess
import sys
from itertools import product

import pytest

from feltlab import cards
from feltlab.compile import compiled
from feltlab.exact.baccarat import sequences as counting
from feltlab.games import baccarat, blackjack
from feltlab.games.rules import choose
from feltlab.marks import MARKED
from feltlab.simulate.kernels import philox
from feltlab.wagers import baccarat_facts, blackjack_facts

pytestmark = pytest.mark.slow

HOUSE = blackjack.house(choose(blackjack.RULES, {"surrender": "late"}))
PAIRS = list(product((-1, 0, 3, 21, 35, 36, 48, 51), repeat=2))
TRIPLES = list(product((-1, 0, 1, 4, 8, 51), repeat=3))
HANDS = [(hard, aces) for hard in range(2, 32) for aces in range(3) if hard > aces]

ARGUMENTS = {
    "feltlab.cards.rank": [(card,) for card in range(-1, 52)],
    "feltlab.cards.suit": [(card,) for card in range(-1, 52)],
    "feltlab.cards.color": [(card,) for card in range(-1, 52)],
    "feltlab.cards.run": [(ace, *hand) for ace in (1, 14) for hand in TRIPLES],
    **{f"feltlab.cards.{name}": PAIRS + TRIPLES for name in ("same_rank", "same_suit", "same_color", "identical", "straight", "straight_ace_high", "matches", "suited_matches")},
    "feltlab.cards.count": [(1, *hand) for hand in TRIPLES],
    "feltlab.games.blackjack.points": [(rank,) for rank in range(14)],
    "feltlab.games.blackjack.card_points": [(card,) for card in range(-1, 52)],
    "feltlab.games.blackjack.is_soft": HANDS,
    "feltlab.games.blackjack.total": HANDS,
    "feltlab.games.blackjack.is_natural": [(*hand, cards, hands) for hand in HANDS for cards in (2, 3) for hands in (1, 2)],
    "feltlab.games.blackjack.is_pair": [(HOUSE, *ranks) for ranks in product(range(1, 14), repeat=2)],
    "feltlab.games.blackjack.legal_actions": [(HOUSE, *hand, n, 1, 10, k) for hand in HANDS for n in (2, 3) for k in (1, 2)],
    "feltlab.games.blackjack.dealer_draws": [(HOUSE, *hand) for hand in HANDS],
    "feltlab.games.blackjack.may_be_natural": [(rank,) for rank in range(1, 14)],
    "feltlab.games.blackjack.insurance_offered": [(rank,) for rank in range(1, 14)],
    "feltlab.games.blackjack.even_money_offered": [(1, 1, 3, 2), (1, 1, 6, 5), (2, 1, 3, 2)],
    "feltlab.games.blackjack.surrenders_before_peek": [(HOUSE, 1), (HOUSE, 5)],
    "feltlab.games.blackjack.outcome": list(product(range(16, 24), (0,), range(16, 24), (0, 1))),
    "feltlab.games.baccarat.points": [(rank,) for rank in range(14)],
    "feltlab.games.baccarat.card_points": [(card,) for card in range(-1, 52)],
    "feltlab.games.baccarat.total": list(product(range(10), repeat=2)),
    "feltlab.games.baccarat.is_natural": [(total,) for total in range(10)],
    "feltlab.games.baccarat.player_draws": list(product(range(10), repeat=2)),
    "feltlab.games.baccarat.banker_draws": list(product(range(10), range(-1, 10))),
    "feltlab.games.baccarat.outcome": list(product(range(10), repeat=2)),
    "feltlab.wagers.blackjack_facts.hand_view": [(0, 51, 3, hole, -1, 11, 1, 2, 1, 1, 0, 1, 0, 0, 21, 1, n) for hole in (-1, 50) for n in (0, 2)],
    "feltlab.wagers.baccarat_facts.coup_class": list(product(range(10), (2, 3), range(10), (2, 3))),
    "feltlab.wagers.baccarat_facts.coup_view": [(0, 17, third, 4, 30, -1) for third in (-1, 12)],
    "feltlab.simulate.kernels.philox.block": [(low, 1, number, 2, 2**32 - 1, 7) for low in (0, 1, 2**32 - 1) for number in (0, 2**32 - 1)],
    "feltlab.simulate.kernels.philox.three_below": [(word, 416, 415, 414) for word in (0, 1, 2**31, 2**32 - 1)],
    "feltlab.simulate.kernels.philox.unfair": [(416, 416, 416), (52, 51, 50), (1, 1, 1)],
}  # fmt: skip


def test_every_marked_function_is_tried():
    assert {
        cards,
        blackjack,
        baccarat,
        blackjack_facts,
        baccarat_facts,
        counting,
        philox,
    }  # importing them marks their rules
    in_place = {
        "feltlab.exact.baccarat.sequences.count_coups"
    }  # it fills an array: tests/exact/test_exact.py compares what it fills
    dealing = {
        name for name in MARKED if name.startswith("feltlab.simulate.")
    }  # tests/simulate/test_simulate.py deals by them
    assert set(ARGUMENTS) | in_place | dealing == set(MARKED)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_compiled_equals_python(name):
    fast = compiled()[name]
    for arguments in ARGUMENTS[name]:
        assert tuple_of(fast(*arguments)) == tuple_of(MARKED[name](*arguments)), arguments


def tuple_of(value):
    return tuple(value) if isinstance(value, tuple) else (int(value),)


def test_games_and_wagers_do_not_import_a_compiler():
    code = "import sys, feltlab.sheets, feltlab.rounds.open; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
