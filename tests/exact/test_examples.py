"""The documented example wagers against published counts: every first-cards case weighed by their compiled lines."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import perm

import pytest

from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.wagers.baccarat_facts import coup_view
from feltlab.wagers.blackjack_facts import HandView

BLANK = HandView(*([0] * len(HandView._fields)))


def weighed(sheet, wager, decks, cards, **choices):
    """How many ordered ways each outcome has, over all cards that the wager names, from so many decks."""
    made = set_up(load(f"docs/examples/{sheet}.toml"), decks=decks, **choices).wagers[wager]
    counts: Counter = Counter()
    for dealt in product(range(52), repeat=len(cards)):
        ways = 1
        for count in Counter(dealt).values():
            ways *= perm(decks, count)
        if ways:
            outcome = made.outcome(BLANK._replace(**dict(zip(cards, dealt, strict=True))))
            counts[tuple(made.lines[place].id for place in outcome.lines), outcome.pays] += ways
    return counts


def edge(counts):
    return -sum(pays * ways for (_, pays), ways in counts.items()) / Fraction(sum(counts.values()))


def test_perfect_pairs_eight_decks():
    """casinoexploit's and the Wizard of Odds' counts of two-card hands: 1,456, 1,664 and 3,328 of 86,320."""
    counts = weighed("perfect-pairs", "perfect-pairs", 8, ("first", "second"), paytables=["A"])
    by_line = {lines[0] if lines else "-": ways // 2 for (lines, _), ways in counts.items()}
    assert by_line == {"perfect-pair": 1456, "coloured-pair": 1664, "mixed-pair": 3328, "-": 79872}
    assert round(float(edge(counts)), 6) == 0.040964


@pytest.mark.parametrize(("decks", "printed"), [(2, 0.2233), (4, 0.1014), (6, 0.0611), (8, 0.0410)])
def test_perfect_pairs_published_edges(decks, printed):
    assert round(float(edge(weighed("perfect-pairs", "perfect-pairs", decks, ("first", "second")))), 4) == printed


def test_match_the_dealer_four_decks():
    """Published counts of the player's two cards against a given up card, of 21,321; two matches paid together."""
    counts = weighed("match-the-dealer", "match-the-dealer", 4, ("first", "second", "up"))
    by_pay: Counter = Counter()
    for (_, pays), ways in counts.items():
        by_pay[pays] += Fraction(ways, 2 * 208)
    assert by_pay == {24: 3, 16: 36, 12: 576, 8: 66, 4: 2304, -1: 18336}


def test_match_the_dealer_two_decks():
    counts = weighed("match-the-dealer", "match-the-dealer", 2, ("first", "second", "up"))
    by_pay: Counter = Counter()
    for (_, pays), ways in counts.items():
        by_pay[pays] += Fraction(ways, 2 * 104)
    assert by_pay == {23: 6, 19: 96, 8: 15, 4: 576, -1: 4560}
    assert round(float(edge(counts)), 6) == 0.033124


def test_twenty_one_plus_three_six_decks():
    """Counted by hand: of 13 * 4 up cards, C(311, 2) hands each."""
    counts = weighed("21-plus-3", "21-plus-3", 6, ("first", "second", "up"))
    by_line = {lines[0] if lines else "-": ways for (lines, _), ways in counts.items()}
    suited_trips = 52 * 6 * 5 * 4
    trips = 13 * 24 * 23 * 22 - suited_trips
    straight_flush = 12 * 4 * 6 * 6 * 6 * 6
    straight = 12 * 24 * 24 * 24 * 6 - straight_flush
    flush = 4 * 78 * 77 * 76 - straight_flush - suited_trips
    assert by_line["suited-trips"] == suited_trips
    assert by_line["trips"] == trips
    assert by_line["straight-flush"] == straight_flush
    assert by_line["straight"] == straight
    assert by_line["flush"] == flush
    assert sum(by_line.values()) == 312 * 311 * 310


@pytest.mark.parametrize(("decks", "printed"), [(1, 0.2941), (6, 0.1125), (8, 0.1036)])
def test_player_pair_published_edges(decks, printed):
    made = set_up(load("docs/examples/player-pair.toml"), decks=decks).wagers["player-pair"]
    total = pairs = 0
    for first, second in product(range(52), repeat=2):
        ways = decks * (decks - (first == second))
        total += ways
        pairs += ways * (made.outcome(coup_view(first, second, -1, 0, 4, -1)).pays == 11)
    assert total == 52 * decks * (52 * decks - 1)
    assert round(1 - 12 * pairs / total, 4) == printed
