"""Strategies: the shipped charts, how a wish is made legal, and a good error for every mistake in a chart."""

import pytest

from feltlab.cards import card, cards
from feltlab.errors import FeltlabError, SheetError
from feltlab.games import blackjack
from feltlab.games.rules import choose
from feltlab.strategy import load_chart, parse_chart, standard_chart
from feltlab.strategy.chart import Cell, Chart
from feltlab.strategy.chart_text import HERE, shipped_names

ALL = ("stand", "hit", "double", "split", "surrender")


def chosen(hand, up, decks=6, legal=("stand", "hit", "double", "split"), **rules):
    strategy = standard_chart(
        decks, choose(blackjack.RULES, {key.replace("_", "-"): value for key, value in rules.items()})
    )
    return strategy.choose(cards(hand), card(up), legal)


# Plays that books on blackjack agree on, by hand.
@pytest.mark.parametrize(
    ("hand", "up", "play"),
    [
        ("Ts 6h", "Td", "hit"),
        ("Ts 6h", "6d", "stand"),
        ("Ts 2h", "3d", "hit"),
        ("Ts 2h", "4d", "stand"),
        ("6s 5h", "Ad", "double"),  # eleven against an ace, where the dealer hits soft 17
        ("6s 4h", "9d", "double"),
        ("6s 4h", "Td", "hit"),
        ("6s 3h", "2d", "hit"),
        ("6s 3h", "3d", "double"),
        ("As 7h", "2d", "double"),
        ("As 7h", "8d", "stand"),
        ("As 7h", "9d", "hit"),
        ("As 8h", "6d", "double"),
        ("As 8h", "5d", "stand"),
        ("As 6h", "2d", "hit"),
        ("As 2h", "5d", "double"),
        ("As 2h", "4d", "hit"),
        ("8s 8h", "Td", "split"),
        ("8s 8h", "Ad", "split"),
        ("9s 9h", "7d", "stand"),
        ("9s 9h", "8d", "split"),
        ("9s 9h", "Td", "stand"),
        ("5s 5h", "9d", "double"),
        ("Ts Kh", "6d", "stand"),
        ("As Ah", "Td", "split"),
        ("4s 4h", "5d", "split"),
        ("4s 4h", "4d", "hit"),
        ("2s 2h", "2d", "split"),
        ("7s 7h", "8d", "hit"),
        ("6s 6h", "7d", "hit"),
    ],
)
def test_six_decks_hit_soft_17(hand, up, play):
    assert chosen(hand, up) == play


def test_what_house_rules_change():
    assert chosen("6s 5h", "Ad", soft17="stand") == "hit"
    assert chosen("As 8h", "6d", soft17="stand") == "stand"
    assert chosen("As 7h", "2d", soft17="stand") == "stand"
    assert chosen("2s 2h", "2d", das="no") == "hit"
    assert chosen("4s 4h", "5d", das="no") == "hit"
    assert chosen("Ts 6h", "Td", legal=ALL, surrender="late") == "surrender"
    assert chosen("8s 8h", "Ad", legal=ALL, surrender="late") == "surrender"
    assert chosen("8s 8h", "Ad", legal=ALL, surrender="late", soft17="stand") == "split"
    assert chosen("6s 5h", "Td", hole_card="none-all") == "hit"
    assert chosen("8s 8h", "Td", hole_card="none-all") == "hit"
    assert chosen("As Ah", "Ad", hole_card="none-all") == "hit"
    assert chosen("6s 5h", "Td", hole_card="none-original") == "double"
    assert chosen("6s 2h", "6d", decks=1) == "double"
    assert chosen("6s 2h", "6d", decks=2) == "hit"
    assert chosen("6s 3h", "2d", decks=2) == "double"


def test_a_wish_that_is_not_legal_gives_the_next():
    assert chosen("As 7h", "3d", legal=("stand", "hit")) == "stand"  # double, else stand
    assert chosen("6s 5h", "3d", legal=("stand", "hit")) == "hit"  # double, else hit
    assert chosen("8s 8h", "Td", legal=("stand", "hit")) == "hit"  # a pair that cannot be split is a 16
    assert chosen("As Ah", "6d", legal=("stand", "hit")) == "hit"  # and two aces are a soft 12
    assert chosen("As 2h", "3d", legal=("stand",)) == "stand"


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_charts_are_whole_and_sensible(name):
    strategy = load_chart(str(HERE / f"{name}.txt"))
    for up in range(1, 11):
        assert strategy.cells[Cell("hard", 20, up)][0] == "stand"
        assert strategy.cells[Cell("hard", 8, up)][0] in ("hit", "double")
        assert strategy.cells[Cell("pair", 10, up)][0] == "stand"
        # Once a hard total stands, every higher one does.
        plays = [strategy.cells[Cell("hard", total, up)][-1 if total < 17 else 0] for total in range(12, 22)]
        firsts = [strategy.cells[Cell("hard", total, up)][0] for total in range(12, 22)]
        stood = [play == "stand" for play in firsts if play != "surrender"]
        assert stood == sorted(stood), plays
    assert strategy.source


def test_every_rule_set_has_a_chart():
    for decks in range(1, 9):
        for soft17 in ("hit", "stand"):
            for hole in ("peek", "none-original", "none-all"):
                rules = choose(blackjack.RULES, {"soft17": soft17, "hole-card": hole})
                assert isinstance(standard_chart(decks, rules), Chart)


WHOLE = (HERE / "decks-4-8-h17.txt").read_text()


def test_exact_hands_come_first():
    text = WHOLE + "hand T,2 v 4: H\nhand A,8 v 6 bonus: S\nhand A,8 v 5 no bonus: D\n"
    mine = parse_chart(text, "mine")
    assert mine.choose(cards("Ks 2h"), card("4d"), ALL) == "hit"
    assert mine.choose(cards("2s Kh"), card("4d"), ALL) == "hit"
    assert mine.choose(cards("9s 3h"), card("4d"), ALL) == "stand"
    assert mine.choose(cards("As 8h"), card("6d"), ALL, bonus=True) == "stand"
    assert mine.choose(cards("As 8h"), card("6d"), ALL, bonus=False) == "double"
    assert mine.choose(cards("As 8h"), card("6d"), ALL) == "double"
    assert mine.choose(cards("As 8h"), card("5d"), ALL, bonus=False) == "double"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("hard 16  S", "hard 16  X", "mine, line 19: 'X' is not a code"),
        ("hard 16 ", "hard 36 ", "mine, line 19: there is no row 'hard 36'"),
        ("hard 16 ", "hard x ", "there is no row 'hard x'"),
        ("hard 16 ", f"hard {'1' * 5000} ", "there is no row 'hard 111"),
        ("hard 16  S", "hard 16  P", "hard 16 cannot be split; only rows of pairs can"),
        ("pair 8 ", "pair X ", "'X' is not a card"),
        ("         2   3", "         3", "line 7: 10 codes for 9 up cards"),
        ("         2   3", "         2   2", "the chart has a hole at hard 4 against 3"),
    ],
)
def test_mistakes_in_a_chart(old, new, says):
    assert old in WHOLE
    with pytest.raises(SheetError, match=says):
        parse_chart(WHOLE.replace(old, new, 1), "mine")


def test_more_mistakes_in_a_chart():
    lines = WHOLE.splitlines()
    without = "\n".join(line for line in lines if not line.startswith("soft 18"))
    with pytest.raises(SheetError, match="the chart has a hole at soft 18 against 2"):
        parse_chart(without, "mine")
    with pytest.raises(SheetError, match="comes before the first row"):
        parse_chart("hard 16 S S S", "mine")
    with pytest.raises(SheetError, match="an exact hand is written like"):
        parse_chart(WHOLE + "hand what", "mine")
    with pytest.raises(SheetError, match="the chart has a hole"):
        parse_chart("", "mine")
    with pytest.raises(FeltlabError, match="has no legal action for T6 against T"):
        Chart("empty", {}, {}).choose(cards("Ts 6h"), card("Td"), ALL)
