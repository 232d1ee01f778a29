"""Every wager of the built-in sheets stated a second time, in Python, from the published text; compared case by case."""

from itertools import product

import pytest

from feltlab.cards import NO_CARD, RANKS, name
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.wagers.baccarat_facts import coup_view
from feltlab.wagers.blackjack_facts import HandView

BLANK = HandView(*([0] * len(HandView._fields)))._replace(first=-1, second=-1, up=-1, hole=-1, hit=-1)


def paid(wager, view):
    outcome = wager.outcome(view)
    return [wager.lines[place].id for place in outcome.lines]


# ---- baccarat


def coups():
    """Hands of every total and card count, by one set of cards each: a coup's wagers see no more than these."""
    digits = {**{n: 4 * (n - 1) for n in range(1, 10)}, 0: 48}
    for player, player_cards, banker, banker_cards in product(range(10), (2, 3), range(10), (2, 3)):
        hands = []
        for total, count in ((player, player_cards), (banker, banker_cards)):
            # The first card is a king; a third card, where there is one, is a five.
            second = (total - 5) % 10 if count == 3 else total
            hands += [48, digits[second], 16 if count == 3 else NO_CARD]
        yield player, player_cards, banker, banker_cards, coup_view(*hands)


def said_of_baccarat(option, player, player_cards, banker, banker_cards):
    """What the sheet says, wager by wager."""
    high, low = max(player, banker), min(player, banker)
    high_cards = player_cards if player > banker else banker_cards
    low_cards = banker_cards if player > banker else player_cards
    by_one = high - low == 1
    three, two = high_cards == low_cards == 3, high_cards == low_cards == 2
    nine_eight_three, nine_eight_two = by_one and high == 9 and three, by_one and high == 9 and two
    bad_beat = (
        "9-over-8-three-cards" if nine_eight_three
        else "9-over-8-two-cards" if nine_eight_two
        else "8-over-7" if by_one and high == 8
        else "7-over-6" if by_one and high == 7
        else "any-by-one" if by_one
        else None
    )  # fmt: skip
    tie, banker_wins, player_wins = player == banker, banker > player, player > banker
    three_card_7 = banker_wins and banker == 7 and banker_cards == 3
    banker_line = (
        "tie" if tie
        else None if not banker_wins
        else "banker-wins-commission" if option == "commission"
        else "three-card-7" if three_card_7
        else "banker-wins-no-commission"
    )  # fmt: skip
    return {
        "player": "tie" if tie else "player-wins" if player_wins else None,
        "banker": banker_line,
        "tie": "tie" if tie else None,
        "bad-beat": bad_beat,
        "super-shot-9-8-three": "9-over-8-three-cards" if nine_eight_three else None,
        "super-shot-9-8-two-50": "9-over-8-two-cards" if nine_eight_two else None,
        "super-shot-9-8-two-45": "9-over-8-two-cards" if nine_eight_two else None,
        "super-shot-8-7": "8-over-7" if by_one and high == 8 else None,
        "super-shot-tie-6": "tie-at-6" if tie and player == 6 else None,
        "super-shot-tie-7": "tie-at-7" if tie and player == 7 else None,
        "super-shot-tie-6-7": "tie-at-6-or-7" if tie and player in (6, 7) else None,
        "banker-7": "three-card-7" if three_card_7 else None,
        "player-8": "three-card-8" if player_wins and player == 8 and player_cards == 3 else None,
    }


@pytest.mark.parametrize("option", ["commission", "no-commission"])
def test_baccarat(option):
    sheet = load("bad-beat-baccarat")
    rest = ["super-shot-9-8-two-45"]
    wagers = {**set_up(sheet, option=option).wagers, **set_up(sheet, option=option, offered=rest).wagers}
    for *case, view in coups():
        said = said_of_baccarat(option, *case)
        assert set(said) == set(wagers)
        assert {id: paid(wager, view) for id, wager in wagers.items()} == {
            id: [line] if line else [] for id, line in said.items()
        }


# ---- Bad Beat Blackjack


@pytest.mark.parametrize("option", ["1", "2"])
def test_bad_beat_blackjack(option):
    wager = set_up(load("bad-beat-blackjack"), option=option).wagers["bad-beat"]
    results = {0: "beaten", 1: "push", 2: "win"}
    for total, cards, stood, split, result in product(range(4, 31), range(2, 8), (0, 1), (0, 1), results):
        qualifies = cards == 2 and stood and total in (19, 20, 21) and not (split and option == "1")
        line = None
        if qualifies:
            line = "win" if result == 2 else f"{total}-{results[result]}" if (total, result) != (21, 0) else None
        view = BLANK._replace(total=total, cards=cards, stood=stood, split=split, result=result)
        if total < 22 or cards > 2:  # no two cards make more than 21
            assert paid(wager, view) == ([line] if line else [])


# ---- Big Slick and Action Match


def neighbours(first, second, ace_low):
    gap = abs(RANKS.index(first[0]) - RANKS.index(second[0]))
    ace_king = {first[0], second[0]} == {"A", "K"}
    ace_two = {first[0], second[0]} == {"A", "2"}
    return (gap == 1 and (ace_low or not ace_two)) or ace_king


def said_of_big_slick(first, second, dealer, paytable, ace_low):
    suited = first[1] == second[1]
    slick = suited and {first[0], second[0]} == {"A", "K"}
    dealers = dealer[0][1] == dealer[1][1] and {dealer[0][0], dealer[1][0]} == {"A", "K"}
    if slick:
        return "both-big-slick" if dealers and paytable == "bonus" else "big-slick"
    if neighbours(first, second, ace_low):
        return "straight-flush" if suited else "straight"
    return "pair" if first[0] == second[0] else None


DEALERS = [
    ("Ks", "As"),
    ("Ah", "Kh"),
    ("Kd", "Ac"),
    ("As", "Qs"),
    ("Kc", "Kc"),
    ("Ah", "Ah"),
    ("Ks", "Qs"),
    ("9c", "2d"),
    ("Qd", "Jd"),
]


@pytest.mark.parametrize(("paytable", "ace_low"), [*product(("plain", "bonus"), ("yes", "no"))])
def test_big_slick(paytable, ace_low):
    from feltlab.cards import card

    wager = set_up(load("big-slick-blackjack"), paytables=[paytable], rules={"ace-low": ace_low}).wagers["big-slick"]
    for first, second in product(range(52), repeat=2):
        for dealer in DEALERS:
            view = BLANK._replace(first=first, second=second, up=card(dealer[0]), hole=card(dealer[1]))
            line = said_of_big_slick(name(first), name(second), dealer, paytable, ace_low == "yes")
            assert paid(wager, view) == ([line] if line else []), (name(first), name(second), dealer)


@pytest.mark.parametrize("paytable", ["A", "B"])
def test_action_match(paytable):
    wager = set_up(load("big-slick-blackjack"), paytables=[paytable]).wagers["action-match"]
    for hit, up in product(range(52), repeat=2):
        one, other = name(hit), name(up)
        line = (
            "suited-match"
            if one == other
            else "match"
            if one[0] == other[0]
            else "same-suit"
            if one[1] == other[1]
            else None
        )
        if paytable == "B" and line == "same-suit":
            line = None
        assert paid(wager, BLANK._replace(hit=hit, up=up)) == ([line] if line else [])


# ---- the main wager and insurance


@pytest.mark.parametrize(
    ("surrender", "hole"), [*product(("none", "late", "early"), ("peek", "none-original", "none-all"))]
)
def test_main_and_insurance(surrender, hole):
    wagers = set_up(load("bad-beat-blackjack"), rules={"surrender": surrender, "hole-card": hole}).wagers
    flags = product((0, 1), (0, 1), (0, 1), (1, 2, 3), (0, 1), (0, 1), (0, 1, 2))
    for even, surrendered, natural, hand, doubled, dealer_natural, result in flags:
        view = BLANK._replace(
            even_money=even, surrendered=surrendered, natural=natural, hand=hand, doubled=doubled,
            dealer_natural=dealer_natural, result=result,
        )  # fmt: skip
        if even:
            line = "even-money"
        elif surrendered and not (dealer_natural and surrender == "late"):
            line = "surrender"
        elif natural and result == 2:
            line = "natural"
        elif hole == "none-original" and dealer_natural and (hand > 1 or doubled):
            line = "split-wager-returned" if hand > 1 else "doubled-half-returned"
        else:
            line = {0: None, 1: "push", 2: "win"}[result]
        assert paid(wagers["main"], view) == ([line] if line else [])
        assert paid(wagers["insurance"], view) == (["dealer-has-a-natural"] if dealer_natural else [])
