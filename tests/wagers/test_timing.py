"""When things happen to a wager: the step it is taken or settled in, and the cards that are dealt for its sake."""

from itertools import product

import pytest

from feltlab.cards import RANKS
from feltlab.rounds.commands import Act, EvenMoney, Insure
from feltlab.rounds.events import BetSettled, StepBegan
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from support import stacked

BOTH = (("main", 1000), ("bad-beat", 500))
SPLIT, STAND, HIT, DOUBLE, SURRENDER = (Act(1, action) for action in ("split", "stand", "hit", "double", "surrender"))


def dealt(stack, *commands, sheet="bad-beat-blackjack", bets=(("main", 1000),), **choices):
    return stacked.dealt(open_table(set_up(load(sheet), **choices)), stack, *commands, bets=bets)


def when(round_, wager="bad-beat", hand=0):
    """The step in which a wager came off the felt, and whether it was taken early."""
    step = ""
    for event in round_.log:
        if isinstance(event, StepBegan):
            step = event.step
        elif isinstance(event, BetSettled) and (event.wager, event.hand) == (wager, hand):
            return step, event.taken
    return None


def dealer(round_):
    assert round_.over
    return len(round_.hands.dealer.cards)


# ---- Bad Beat Blackjack, step 3


@pytest.mark.parametrize("option", ["1", "2"])
def test_early_take_for_every_two_cards(option):
    table = open_table(set_up(load("bad-beat-blackjack"), option=option))
    for first, second in product(RANKS, repeat=2):
        worth = {**dict.fromkeys("TJQK", 10), "A": 11}
        total = sum(worth.get(rank) or int(rank) for rank in (first, second))
        stays = total in (19, 20, 21) or (option == "2" and first == second and first in "89TJQKA")
        round_ = stacked.dealt(table, f"{first}s 6h {second}d 9c", bets=BOTH)
        assert (when(round_) == ("take", True)) is not stays, (first, second)


# ---- Bad Beat Blackjack, steps 5, 6 and 8


@pytest.mark.parametrize(
    ("option", "rules", "stack", "commands", "expected"),
    [
        ("1", {}, "Ts 6h 9d 9c 2d Ks", [HIT], ("actions", True)),  # a hit, and the bonus is gone at once
        ("2", {}, "9s 6h 9d 9c 2d Ks", [HIT, STAND], ("actions", True)),
        ("2", {}, "As 6h 8d 9c 2d Ks", [DOUBLE], ("actions", True)),
        ("2", {"surrender": "late"}, "As 6h 8d 9c", [SURRENDER], ("actions", True)),
        ("1", {}, "Ts 6h Td 9c", [SPLIT], ("actions", True)),
        ("2", {}, "Ts 6h Td 9c 9s", [SPLIT], None),  # it rides on the first split hand
        ("2", {}, "8s 6h 8d 9c", [STAND], ("actions", True)),  # sixteen, stood on
        ("2", {}, "9s 6h 9d 9c 5s 2h", [SPLIT, HIT], ("actions", True)),  # the first split hand was hit
        ("2", {}, "9s 6h 9d 9c 5s", [SPLIT, STAND], ("actions", True)),  # fourteen, stood on
        ("2", {}, "9s 6h 9d 9c Ts", [SPLIT, STAND], None),  # nineteen, stood on: it waits for the dealer
        ("2", {}, "9s 6h 9d 9c 2s 8h", [SPLIT, DOUBLE], ("actions", True)),
        ("2", {}, "Ts 6h 9d 9c 6s", [STAND], ("settlement", False)),
        ("2", {}, "As 6h Kd 9c", [], ("naturals", False)),
        ("2", {}, "As Kh Kd 9c", [], ("naturals", False)),  # after the peek
        ("2", {}, "As Kh Kd Ac", [], ("settlement", False)),
        ("2", {"hole-card": "none-all"}, "As Kh Kd 9c", [], ("settlement", False)),  # only the second card can tell
        ("2", {"hole-card": "none-all"}, "As 6h Kd", [], ("naturals", False)),
        ("2", {}, "As Ah Kd 9c", [EvenMoney(1)], ("naturals", False)),  # the bonus waits for the peek
        ("2", {"surrender": "early"}, "Ts Kh 9d 8c", [SURRENDER], ("take", True)),
    ],
)
def test_bonus(option, rules, stack, commands, expected):
    more = " 7c 7d 7h 6c 6d 5c 5d 4c"  # for later hands and the dealer, where the round goes on
    assert when(dealt(stack + more, *commands, option=option, rules=rules, bets=BOTH)) == expected


# ---- the main wager


@pytest.mark.parametrize(
    ("rules", "stack", "commands", "expected"),
    [
        ({}, "Ts 6h 6d 9c Ks", [HIT], ("actions", True)),
        ({"hole-card": "none-all"}, "Ts 6h 6d Ks", [HIT], ("actions", True)),
        ({"hole-card": "none-original"}, "Ts Kh 6d Ks", [HIT], ("actions", True)),  # the original wager is lost anyway
        (
            {"hole-card": "none-original"},
            "Ts Kh 6d Ks 9d",
            [DOUBLE],
            ("settlement", False),
        ),  # a natural would give half back
        ({"hole-card": "none-all"}, "Ts Kh 6d Ks", [DOUBLE], ("actions", True)),
        ({"hole-card": "none-original"}, "Ts 6h 6d Ks", [DOUBLE], ("actions", True)),  # a six can have no natural
        ({"hole-card": "none-original"}, "Ts Ah 6d Ks 9d", [Insure(1), DOUBLE], ("settlement", False)),
        ({}, "Ts 6h 6d 9c Ks", [DOUBLE], ("actions", True)),
        ({}, "As 6h Kd 9c", [], ("naturals", False)),
        ({}, "As Ah Kd 9c", [EvenMoney(1)], ("insurance", False)),
        ({}, "As Ah Kd 9c", [Insure(1)], ("naturals", False)),
        ({"surrender": "late"}, "Ts 6h 6d 9c", [SURRENDER], ("actions", False)),
        ({"surrender": "late", "hole-card": "none-all"}, "Ts Kh 6d 9c", [SURRENDER], ("settlement", False)),
        ({"surrender": "late", "hole-card": "none-all"}, "Ts 6h 6d", [SURRENDER], ("actions", False)),
        ({"surrender": "early", "hole-card": "none-all"}, "Ts Kh 6d", [SURRENDER], ("actions", False)),
        ({"surrender": "early"}, "Ts Kh 6d 9c", [SURRENDER], ("take", False)),
        ({}, "Ts 6h Td 9c 2d", [STAND], ("settlement", False)),
    ],
)
def test_main(rules, stack, commands, expected):
    assert when(dealt(stack, *commands, rules=rules), "main") == expected


def test_bust_hands_of_a_split_under_original_wagers_only():
    round_ = dealt("8s Kh 8d 6s Kd 7s Kc 9d", SPLIT, HIT, HIT, rules={"hole-card": "none-original"})
    assert when(round_, "main", 0) == ("actions", True)
    assert when(round_, "main", 1) == ("settlement", False)
    assert dealer(round_) == 2


# ---- the dealer's cards


@pytest.mark.parametrize(
    ("rules", "stack", "commands", "count"),
    [
        ({"hole-card": "none-all"}, "As Kh Kd 6c", [], 2),  # a natural waits for the second card, and for no third
        ({"hole-card": "none-all"}, "As 6h Kd", [], 1),
        ({"hole-card": "none-all", "surrender": "late"}, "Ts Kh 6d 5c", [SURRENDER], 2),
        ({"hole-card": "none-all", "surrender": "early"}, "Ts Kh 6d", [SURRENDER], 1),
        ({"hole-card": "none-all"}, "Ts Kh 6d Ks", [HIT], 1),
        ({"hole-card": "none-all"}, "Ts Kh 6d Ks", [DOUBLE], 1),
        ({"hole-card": "none-original"}, "Ts Kh 6d Ks", [HIT], 1),
        ({"hole-card": "none-original"}, "Ts Kh 6d Ks 5d", [DOUBLE], 2),
        ({"hole-card": "none-original"}, "Ts 9h 6d Ks", [DOUBLE], 1),
        ({"hole-card": "none-all", "surrender": "late"}, "Ts 9h 6d", [SURRENDER], 1),
        ({"hole-card": "none-original", "surrender": "early"}, "Ts Kh 6d", [SURRENDER], 1),
        ({"surrender": "late"}, "Ts 6h 6d 2c", [SURRENDER], 2),
        ({}, "As 6h Kd 2c", [], 2),
        ({}, "Ts 6h 6d 9c Ks", [HIT], 2),
        ({}, "Ts 6h 9d 9c 2d", [STAND], 3),
        ({"surrender": "late"}, "Ts 6h 9d 9c 2d", [STAND], 3),
    ],
)
def test_dealer_draws_for_the_main_wager(rules, stack, commands, count):
    assert dealer(dealt(stack, *commands, rules=rules)) == count


def test_even_money_without_a_hole_card_leaves_the_bonus_to_the_second_card():
    rules = {"hole-card": "none-all"}
    assert dealer(dealt("As Ah Kd", EvenMoney(1), rules=rules)) == 1
    round_ = dealt("As Ah Kd Tc", EvenMoney(1), rules=rules, bets=BOTH)
    assert dealer(round_) == 2
    assert when(round_) == ("settlement", False)
    assert round_.felt.nets() == {1: 1000 + 2500}  # even money, and 21 push at 5 to 1


def test_a_hand_that_is_stood_on_needs_no_second_card_for_the_bonus_alone():
    round_ = dealt("8s Kh 8d 5s Kd 7s Kc", SPLIT, HIT, HIT, rules={"hole-card": "none-all"}, bets=BOTH)
    assert dealer(round_) == 1


# ---- Big Slick


@pytest.mark.parametrize(
    ("paytable", "stack", "commands", "expected"),
    [
        ("plain", "As 6h Ks 9c", [], ("take", False)),
        ("bonus", "As 6h Ks 9c", [], ("settlement", False)),
        ("bonus", "7s 6h 7d 9c", [], ("take", False)),
        ("plain", "7s 6h 7d 9c", [], ("take", False)),
        ("bonus", "2s 6h 7d 9c", [], ("take", False)),
    ],
)
def test_big_slick_is_settled_at_once_unless_it_waits_for_the_thousand(paytable, stack, commands, expected):
    bets = (("main", 1000), ("big-slick", 500))
    round_ = dealt(stack, *commands, sheet="big-slick-blackjack", paytables=[paytable], bets=bets)
    assert when(round_, "big-slick") == expected


def test_the_dealers_second_card_is_dealt_for_the_thousand_alone():
    bets = (("main", 1000), ("big-slick", 500))
    rules = {"hole-card": "none-all"}
    slick = dealt("As 6h Ks 9c", sheet="big-slick-blackjack", paytables=["bonus"], rules=rules, bets=bets)
    assert dealer(slick) == 2
    plain = dealt("As 6h Ks", sheet="big-slick-blackjack", paytables=["plain"], rules=rules, bets=bets)
    assert dealer(plain) == 1
    other = dealt("As 6h Kd", sheet="big-slick-blackjack", paytables=["bonus"], rules=rules, bets=bets)
    assert dealer(other) == 1
