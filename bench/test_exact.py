"""How fast exact counting is. `make bench`; never part of the tests."""

import numpy as np
import pytest

from feltlab.compile import compiled
from feltlab.exact.baccarat import sequences
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.wagers.baccarat_facts import CLASSES

EIGHT = ShoeComposition.of(8)


def test_baccarat_classes_in_python(benchmark):
    """All 400 classes of a coup from a composition, uncompiled."""
    counts = EIGHT.by_points(sequences.card_points, 10)
    benchmark(lambda: sequences.count_coups(counts, 416, [0] * CLASSES))


def test_baccarat_classes_compiled(benchmark):
    """The same function, compiled by numba."""
    fast = compiled()["feltlab.exact.baccarat.sequences.count_coups"]
    counts = np.array(EIGHT.by_points(sequences.card_points, 10), dtype=np.int64)
    ways = np.zeros(CLASSES, dtype=np.int64)
    fast(counts, 416, ways)
    benchmark(fast, counts, 416, ways)


def test_all_wagers_of_the_baccarat_sheet(benchmark):
    """Every wager weighed on classes that have been counted."""
    wagers = list(set_up(load("bad-beat-baccarat")).wagers.values())
    sequences.classes(EIGHT)
    benchmark(lambda: [sequences.law(wager, EIGHT) for wager in wagers])


@pytest.mark.parametrize("paytable", ["plain", "bonus"])
def test_big_slick(benchmark, paytable):
    wager = set_up(load("big-slick-blackjack"), paytables=[paytable]).wagers["big-slick"]
    benchmark(first_cards.law, wager, ShoeComposition.of(6))


def test_dealer_bust(benchmark):
    setup = set_up(load("docs/examples/dealer-bust.toml"), decks=6)
    benchmark(dealer.law, setup.wagers["dealer-bust"], ShoeComposition.of(6), setup.house)
