"""Exact counting against brute force on small shoes, against the round engine, and against itself."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import perm

import pytest

from feltlab.cards import cards
from feltlab.compile import compiled
from feltlab.errors import FeltlabError, SetupError, SheetError
from feltlab.exact import reachable
from feltlab.exact.baccarat import sequences
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.reachable import check_reachable
from feltlab.exact.shoe import ShoeComposition
from feltlab.figures import Figures
from feltlab.games.rules import choose
from feltlab.rounds.commands import Act, Deal, Insure, PlaceBet
from feltlab.rounds.open import open_round
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import load, load_text
from feltlab.tables import set_up
from feltlab.tables.setup import paytable_for
from feltlab.tables.table import open_table
from feltlab.wagers.baccarat_facts import CLASSES
from feltlab.wagers.law import Law
from feltlab.wagers.wager import compile_wager


def shoe_of(text):
    counts = Counter(cards(text))
    return ShoeComposition(tuple(counts.get(card, 0) for card in range(52)))


TABLE = open_table(set_up(load("bad-beat-baccarat")))
SMALL = "As 2h 3d 4c 5s 6h 7d 8c 9s Kh"
HEAD = 'id = "x"\nname = "X"\ngame = "baccarat"\n'


def own_sheet(lines, game="baccarat", more="", define=""):
    text = HEAD.replace("baccarat", game) + f'{define}[[wager]]\nid = "w"\nname = "W"\n{more}'
    for place, (when, pay) in enumerate(lines):
        text += f'[[wager.line]]\nid = "l{place}"\nname = "L{place}"\nwhen = "{when}"\npays = "{pay}"\n'
    return load_text(text, "x.toml")


def own(*sheet):
    return set_up(own_sheet(*sheet)).wagers["w"]


WITH_CARDS = [
    own([("pair(player.first, banker.first)", "2:1"), ("suited(player.second, banker.second)", "1:1")]),
    own([("result == player and suited(player.first, player.second)", "3:1"), ("rank(player.first) == ace", "push")]),
    own([("rank(player.third) in {2, 3} and result == banker", "4:1"), ("rank(banker.third) == none", "1:1")]),
    own([("rank(player.third) == rank(banker.third) or margin == 1", "4:1"), ("player.cards == 3", "1:2")]),
]


def dealt_by_the_table(wager, order):
    """How a wager ends when the round engine deals these cards: no part of the counting is asked."""
    round_ = open_round(TABLE, Stacked(order))
    round_.do(PlaceBet(1, "player", 100))
    round_.do(Deal())
    return wager.cells.outcome(round_.view(round_.felt.bets[1]))


@pytest.mark.parametrize("number", range(len(WITH_CARDS) + 1))
def test_baccarat_by_brute_force_through_the_table(number):
    """Every ordered six-card sequence of a seven-card shoe, dealt by the round engine."""
    wager = WITH_CARDS[number] if number < len(WITH_CARDS) else set_up(load("bad-beat-baccarat")).wagers["bad-beat"]
    stack = "As 2h 2d 4c 9s Kh 7d"
    ways = Counter(dealt_by_the_table(wager, order) for order in permutations(cards(stack), 6))
    law = sequences.law(wager, shoe_of(stack))
    assert law.total == perm(7, 6)
    assert law.ways == tuple(ways[place] for place in range(len(law.ways)))


def test_the_counts_everybody_prints():
    wagers = set_up(load("bad-beat-baccarat"), decks=8).wagers
    law = sequences.law(wagers["banker"], ShoeComposition.of(8))
    assert law.total == 4_998_398_275_503_360
    by_line = {row.name: row.combinations for row in Figures(law).rows}
    assert by_line == {
        "Banker wins, less commission": 2_292_252_566_437_888,
        "Tie": 475_627_426_473_216,
        "Lose": 2_230_518_282_592_256,
    }


@pytest.mark.parametrize(
    ("decks", "wager", "percent"),
    [(8, "bad-beat", 6.8813), (6, "bad-beat", 6.8735), (8, "banker-7", 7.6113), (8, "player-8", 10.1876),
     (8, "super-shot-9-8-three", 16.65), (8, "super-shot-9-8-two-50", 8.46), (8, "super-shot-8-7", 18.35)],
)  # fmt: skip
def test_edges_of_the_baccarat_sheet(decks, wager, percent):
    """The figures that the readings and the issue of the sheet give, to the places they are given with."""
    made = set_up(load("bad-beat-baccarat"), decks=decks).wagers[wager]
    edge = float(Figures(sequences.law(made, ShoeComposition.of(decks))).house_edge) * 100
    places = len(str(percent).split(".")[1])
    assert round(edge, places) == percent


@pytest.mark.parametrize(
    ("id", "paytable", "percents"),
    [("action-match", "A", (10.68, 14.49, 14.79, 15.18)), ("action-match", "B", (12.62, 15.94, 18.33, 18.31)),
     ("action-match-overlapping", "A", (2.91, 4.35, 3.54, 3.37)), ("action-match-overlapping", "B", (3.88, 4.35, 5.47, 4.82))],
)  # fmt: skip
def test_both_readings_of_action_match(id, paytable, percents):
    sheet = load("big-slick-blackjack")
    for decks, percent in zip((2, 4, 6, 8), percents, strict=True):
        edge = Figures(first_cards.law(audited(sheet, id, decks, paytable), ShoeComposition.of(decks))).house_edge
        assert round(float(edge) * 100, 2) == percent


def audited(sheet, id, decks, paytable=None):
    """The figures of a wager that is only another reading, and never offered."""
    definition = sheet.wager(id)
    table = paytable_for(sheet, definition, paytable, decks)
    return compile_wager(definition, table, sheet.settings(choose(sheet.rules, {}), sheet.check_option(None)))


def test_super_shot_read_as_one_wager():
    """It would return 157 % more than is staked, which is why it is read as separate wagers."""
    made = audited(load("bad-beat-baccarat"), "super-shot-as-one", 8)
    figures = Figures(sequences.law(made, ShoeComposition.of(8)))
    assert round(float(figures.expected), 2) == 1.57
    parts = set_up(load("bad-beat-baccarat"), decks=8).wagers
    ids = {
        "9-over-8-three-cards": "super-shot-9-8-three",
        "9-over-8-two-cards": "super-shot-9-8-two-50",
        "8-over-7": "super-shot-8-7",
    }
    for row, line in zip(figures.rows, made.lines, strict=False):
        alone = Figures(sequences.law(parts[ids[line.id]], ShoeComposition.of(8))).rows[0]
        assert (row.pays, row.combinations) == (alone.pays, alone.combinations)


def test_big_slick_by_hand():
    """One deck, plain scale: 13 * 6 pairs, 13 * 16 neighbours, 4 of them suited in each; A-K suited pays 45."""
    made = set_up(load("big-slick-blackjack"), decks=1, paytables=["plain"]).wagers["big-slick"]
    law = first_cards.law(made, ShoeComposition.of(1))
    hands = {row.name: row.combinations // 2 for row in Figures(law).rows}
    assert hands == {"Big Slick": 4, "Straight flush": 48, "Pair": 78, "Straight": 156, "Lose": 1326 - 286}
    assert Figures(law).house_edge == Fraction(1040 - 45 * 4 - 8 * 48 - 3 * 78 - 156, 1326)


@pytest.mark.parametrize("game", ["baccarat", "blackjack"])
def test_a_full_shoe_is_the_mixture_over_its_next_card(game):
    """Burning an unseen card changes nothing: the law is the average over which card it was."""
    if game == "baccarat":
        made, engine = set_up(load("bad-beat-baccarat")).wagers["bad-beat"], sequences
    else:
        made, engine = set_up(load("big-slick-blackjack"), paytables=["plain"]).wagers["big-slick"], first_cards
    shoe = shoe_of(SMALL + " Ks Ah Qd Qh")
    whole = engine.law(made, shoe)
    for outcome in range(len(whole.ways)):
        mixed = Fraction(0)
        for card, count in enumerate(shoe.counts):
            if count:
                less = list(shoe.counts)
                less[card] -= 1
                mixed += Fraction(count, shoe.size) * engine.law(made, ShoeComposition(tuple(less))).probability(
                    outcome
                )
        assert mixed == whole.probability(outcome)


def test_removing_cards_changes_what_it_must():
    made = set_up(load("docs/examples/player-pair.toml"), decks=8).wagers["player-pair"]
    gone = sequences.law(made, ShoeComposition.of(8, cards("As " * 8)))
    full = sequences.law(made, ShoeComposition.of(8))
    assert Figures(gone).house_edge != Figures(full).house_edge
    none = sequences.law(made, shoe_of("As 2h 3d 4c 5s 6h 7d 8c"))
    assert Figures(none).hit_frequency == 0


def test_uneven_shoes_are_counted_card_by_card():
    """A shoe whose suits or ranks are not alike takes no short cut; brute force agrees."""
    made = set_up(load("docs/examples/match-the-dealer.toml"), decks=2).wagers["match-the-dealer"]
    text = "As Ah As 2h 2h Kc Kd 9s"
    law = first_cards.law(made, shoe_of(text))
    ways: Counter = Counter()
    from feltlab.wagers.blackjack_facts import hand_view

    for first, second, up in permutations(cards(text), 3):
        ways[made.cells.outcome(hand_view(first, second, up, -1, -1, 12, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0))] += 1
    assert law.ways == tuple(ways[place] for place in range(len(law.ways)))


LUCKY_LADIES = own_sheet(
    [
        ("identical(first, second) and rank(first) == queen and suit(first) == hearts and dealer.natural", "1000:1"),
        ("identical(first, second) and rank(first) == queen and suit(first) == hearts", "125:1"),
        ("(points(first) == 10 and points(second) == 10 or soft_20) and identical(first, second)", "19:1"),
        ("(points(first) == 10 and points(second) == 10 or soft_20) and suited(first, second)", "9:1"),
        ("points(first) == 10 and points(second) == 10 or soft_20", "4:1"),
    ],
    "blackjack",
    'needs = "dealer-two-cards"\nsettled = "end"\n',
    '[define]\nsoft_20 = "points(first) == 1 and points(second) == 9 or points(first) == 9 and points(second) == 1"\n',
)


def test_first_cards_with_a_natural_of_the_dealer_are_counted():
    """Lucky Ladies: whole numbers by hand, and the published edge for six decks (Wizard of Odds)."""
    figures = Figures(first_cards.law(set_up(LUCKY_LADIES).wagers["w"], ShoeComposition.of(6)))
    ladies, natural, rest = 6 * 5, 2 * 24 * (96 - 2), 310 * 309
    assert [row.combinations for row in figures.rows[:2]] == [ladies * natural, ladies * (rest - natural)]
    assert sum(row.combinations for row in figures.rows) == perm(312, 4)
    assert round(float(figures.house_edge), 6) == 0.247089


NATURALS = [
    LUCKY_LADIES,
    own_sheet(
        [("natural and dealer.natural", "25:1"), ("natural or pair(first, up)", "3:1")],
        "blackjack",
        'needs = "dealer-two-cards"\nsettled = "end"\n',
    ),
]


@pytest.mark.parametrize("hole", ["peek", "none-all"])
@pytest.mark.parametrize("sheet", NATURALS, ids=["ladies", "naturals"])
def test_naturals_are_what_a_table_deals(sheet, hole):
    """Every order of a small shoe at a table, where the player stands: no part of the counting is asked."""
    text = "Qh Qh As Ah 9s Ks"
    table = open_table(set_up(sheet, rules={"hole-card": hole}))
    ways: Counter = Counter()
    for order in permutations(cards(text), 4):
        round_ = open_round(table, Stacked([*order, *cards("5c " * 9)]))
        round_.do(PlaceBet(1, "main", 100))
        round_.do(PlaceBet(1, "w", 100))
        round_.do(Deal())
        while (asked := round_.waits_for) is not None:
            round_.do(Insure(1) if asked.kind == "insurance" else Act(1, "stand"))
        ways[next(bet.settled.back for bet in round_.felt.bets.values() if bet.wager == "w")] += 1
    made = table.setup.wagers["w"]
    counted = first_cards.law(made, shoe_of(text))
    expected: Counter = Counter()
    for outcome, number in zip(made.cells.outcomes, counted.ways, strict=True):
        expected[int(100 + 100 * outcome.pays)] += Fraction(number * perm(6, 4), counted.total)
    assert ways == +expected


def test_edges_by_line_add_up():
    for wager in set_up(load("bad-beat-baccarat")).wagers.values():
        figures = Figures(sequences.law(wager, ShoeComposition.of(6)))
        assert sum(row.probability for row in figures.rows) == 1
        assert -sum(row.returns for row in figures.rows) == figures.house_edge
        assert figures.hit_frequency + figures.push_frequency <= 1
        assert figures.largest_pay == wager.top_pay()


def test_figures_of_a_simple_wager():
    """Player at 8 decks: a wager of 1, 0 and -1 has its variance and skewness by hand."""
    made = set_up(load("bad-beat-baccarat"), decks=8).wagers["player"]
    figures = Figures(sequences.law(made, ShoeComposition.of(8)))
    win, lose = Fraction(2230518282592256, 4998398275503360), Fraction(2292252566437888, 4998398275503360)
    assert figures.variance == win + lose - (win - lose) ** 2
    third = (win - lose) - 3 * (win - lose) * (win + lose) + 2 * (win - lose) ** 3
    assert figures.skewness == pytest.approx(float(third) / float(figures.variance) ** 1.5)


def test_compiled_counting_gives_the_same_integers():
    import numpy as np

    fast = compiled()["feltlab.exact.baccarat.sequences.count_coups"]
    chance = random.Random(1)
    for _ in range(20):
        shoe = ShoeComposition(tuple(chance.randrange(9) for _ in range(52)))
        counts = np.zeros(10, dtype=np.int64)
        for card, count in enumerate(shoe.counts):
            counts[sequences.card_points(card)] += count
        ways = np.zeros(CLASSES, dtype=np.int64)
        fast(counts, shoe.size, ways)
        assert tuple(ways) == sequences.classes(shoe)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ShoeComposition((1,) * 51), "52 whole numbers"),
        (lambda: ShoeComposition((-1,) + (1,) * 51), "none below 0"),
        (lambda: ShoeComposition((1,) * 5 + (0,) * 47), "5 cards are too few"),
        (lambda: ShoeComposition.of(1, cards("As As")), "As cannot be removed 2 times from 1 decks"),
    ],
)
def test_compositions_that_make_no_sense(make, says):
    with pytest.raises(SetupError, match=says):
        make()


def test_what_cannot_be_counted_says_so():
    with pytest.raises(FeltlabError, match="bad-beat depends on how the hand is played"):
        first_cards.law(set_up(load("bad-beat-blackjack")).wagers["bad-beat"], ShoeComposition.of(6))
    names = "player.first, player.second, banker.first, banker.second"
    close = own([(f"flush({names}) and result == tie", "99:1")])
    with pytest.raises(FeltlabError, match="too closely to be counted; simulate it instead"):
        sequences.law(close, ShoeComposition.of(8))


def explored(table, strategy, counts, bets):
    """Every round that a small shoe can deal to a player, by the round engine: outcome of the side bet to probability.

    The stacked deck is lengthened by every card that can come, wherever the round asks for another.
    """
    from feltlab.rounds.player import play

    found: Counter = Counter()

    def deal(order, weight):
        round_ = open_round(table, Stacked(order))
        try:
            play(round_, strategy, bets)
        except FeltlabError as error:
            assert "needs another" in str(error)
            left = sum(counts.values())
            for card in [card for card in counts if counts[card]]:
                chance = Fraction(counts[card], left)
                counts[card] -= 1
                deal([*order, card], weight * chance)
                counts[card] += 1
        else:
            bet = next(bet for bet in round_.felt.bets.values() if bet.wager == "dealer-bust")
            found[bet.settled.lines] += weight

    deal([], Fraction(1))
    return found


@pytest.mark.parametrize("code", ["S", "H"])
def test_the_dealers_law_does_not_depend_on_how_the_player_plays(code):
    """All rounds from a small shoe, with a player who always stands and with one who hits to the end."""
    from feltlab.strategy import parse_chart
    from feltlab.strategy.chart_text import HERE

    chart = (HERE / "decks-4-8-h17.txt").read_text()
    rows = [line.split() for line in chart.splitlines()]
    always = "\n".join(
        " ".join(row[:2] + [code] * 10 if row[:1] in (["hard"], ["soft"], ["pair"]) else row) for row in rows
    )
    table = open_table(set_up(load("docs/examples/dealer-bust.toml")))
    stack = "6s " * 6 + "9h " * 4 + "Kd " * 4
    found = explored(table, parse_chart(always, "always"), Counter(cards(stack)), {"main": 100, "dealer-bust": 100})
    made = table.setup.wagers["dealer-bust"]
    law = dealer.law(made, shoe_of(stack), table.setup.house)
    counted = {tuple(made.lines[place].id for place in outcome.lines): law.probability(number)
               for number, outcome in enumerate(made.cells.outcomes) if law.ways[number]}  # fmt: skip
    assert dict(found) == counted


def test_dealer_bust_in_six_decks():
    """The dealer who hits soft 17 busts 28.58 % of the time with six decks; the wager lists it by cards."""
    setup = set_up(load("docs/examples/dealer-bust.toml"), decks=6)
    figures = Figures(dealer.law(setup.wagers["dealer-bust"], ShoeComposition.of(6), setup.house))
    assert round(float(figures.hit_frequency), 4) == 0.2858


def test_what_the_dealers_law_refuses():
    setup = set_up(load("bad-beat-blackjack"))
    with pytest.raises(FeltlabError, match="main looks at more than the dealer's hand"):
        dealer.law(setup.wagers["main"], ShoeComposition.of(6), setup.house)
    with pytest.raises(FeltlabError, match="10 cards may not be enough for the dealer"):
        dealer.law(setup.wagers["insurance"], shoe_of(SMALL), setup.house)


def test_a_line_that_no_cards_can_make_is_found():
    """A 9 over an 8 with unlike card counts cannot happen in baccarat: why the 45 to 1 is a second price."""
    text = HEAD + '[[wager]]\nid = "w"\nname = "W"\n[[wager.line]]\nname = "Mixed"\npays = "45:1"\n'
    mixed = 'when = "winner.total == 9 and loser.total == 8 and winner.cards != loser.cards"\n'
    with pytest.raises(SheetError, match="wager 'w', line 'Mixed': no cards can make it; its probability is 0"):
        check_reachable(load_text(text + mixed, "x.toml"))
    assert check_reachable(load_text(text + mixed.replace("9", "7").replace("8", "6"), "x.toml")) == []


def test_every_line_of_every_sheet_can_be_made():
    assert check_reachable(load("bad-beat-baccarat")) == []
    assert check_reachable(load("big-slick-blackjack")) == []
    assert check_reachable(load("bad-beat-blackjack")) == []
    for name in ("21-plus-3", "perfect-pairs", "match-the-dealer", "dealer-bust", "player-pair", "dragon-bonus"):
        assert check_reachable(load(f"docs/examples/{name}.toml")) == []


def test_the_search_for_lines_that_no_cards_can_make_has_an_end(monkeypatch):
    """Twenty paytables of one wager are looked at once, and no further than till each line was made."""
    asked = 0

    class Counted(reachable.Budget):
        def spend(self, questions):
            nonlocal asked
            asked += questions
            super().spend(questions)

    monkeypatch.setattr(reachable, "Budget", Counted)
    head = HEAD.replace("baccarat", "blackjack")
    wager = '[[wager]]\nid = "w"\nname = "W"\nsettled = "end"\nneeds = "dealer-finished"\n'
    paytables = "".join(f'[[wager.paytable]]\nid = "P{n}"\npays.made = "{n + 1}:1"\n' for n in range(20))
    line = '[[wager.line]]\nid = "made"\nname = "Made"\nwhen = "suited(first, up) or matches(up, second) == 1 or cards == 9"\n'
    assert check_reachable(load_text(head + wager + line + paytables, "x.toml")) == []
    once, asked = asked, 0
    assert check_reachable(load_text(head + wager + line + paytables[: paytables.index("[", 2)], "x.toml")) == []
    assert once == asked < 2_000_000
    never = line.replace('"suited', '"natural and split and (suited').replace('9"', '9)"')
    text = head + wager + never + paytables
    asked = 0
    with pytest.raises(SheetError, match="no cards can make it"):
        check_reachable(load_text(text, "x.toml"))
    assert 2_000_000 < asked <= reachable.MOST_READ
    monkeypatch.setattr(reachable, "MOST_READ", 1_000_000)
    asked = 0
    assert check_reachable(load_text(text, "x.toml")) == ["w"]
    assert asked < 2_000_000


def test_a_law_must_add_up():
    made = set_up(load("bad-beat-baccarat")).wagers["tie"]
    with pytest.raises(ValueError, match="add up to 3, not to 4"):
        Law(made, (1, 2), 4, "cases")
