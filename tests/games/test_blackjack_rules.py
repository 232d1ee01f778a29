"""Blackjack's rules against a second statement of them: whole tables, every reachable hand, every house."""

from itertools import product

import pytest

from feltlab.errors import SetupError
from feltlab.games import blackjack as bj
from feltlab.games.rules import choose

DEFAULTS = choose(bj.RULES, {})


def house(**rules):
    return bj.house(choose(bj.RULES, {key.replace("_", "-"): value for key, value in rules.items()}))


def hands(longest: int):
    """Every multiset of up to so many card values whose hard total is at most 31, as (hard, aces, cards)."""
    seen = set()
    for count in range(1, longest + 1):
        for aces in range(count + 1):
            for hard in range(aces + 2 * (count - aces), aces + 10 * (count - aces) + 1):
                if hard <= 31:
                    seen.add((hard, aces, count))
    return sorted(seen)


def test_defaults_are_the_documented_ones():
    assert DEFAULTS == {
        "soft17": "hit",
        "natural": "3:2",
        "double": "any",
        "das": "yes",
        "resplit": "4",
        "resplit-aces": "no",
        "hit-split-aces": "no",
        "unlike-tens": "yes",
        "surrender": "none",
        "hole-card": "peek",
    }
    assert bj.house(DEFAULTS) == (1, 0, 1, 4, 0, 0, 1, 0, 0)


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("soft17", {"hit": 1, "stand": 0}),
        ("double", {"any": 0, "9-11": 1, "10-11": 2}),
        ("das", {"yes": 1, "no": 0}),
        ("resplit", {"2": 2, "3": 3, "4": 4}),
        ("resplit-aces", {"yes": 1, "no": 0}),
        ("hit-split-aces", {"yes": 1, "no": 0}),
        ("unlike-tens", {"yes": 1, "no": 0}),
        ("surrender", {"none": 0, "late": 1, "early": 2}),
        ("hole-card", {"peek": 0, "none-original": 1, "none-all": 2}),
    ],
)
def test_every_rule_has_its_values_and_its_own_field(rule, values):
    fields = [
        "soft17",
        "double",
        "das",
        "resplit",
        "resplit-aces",
        "hit-split-aces",
        "unlike-tens",
        "surrender",
        "hole-card",
    ]
    assert {known.key: known.values for known in bj.RULES}[rule] == tuple(values)
    for value, number in values.items():
        made = bj.house(choose(bj.RULES, {rule: value}))
        assert made[fields.index(rule)] == number
        others = [field for place, field in enumerate(made) if place != fields.index(rule)]
        assert others == [field for place, field in enumerate(bj.house(DEFAULTS)) if place != fields.index(rule)]
    with pytest.raises(SetupError, match=f"rule {rule} cannot be 'perhaps'"):
        choose(bj.RULES, {rule: "perhaps"})


def test_a_natural_pays_any_ratio_but_it_pays():
    assert next(known.values for known in bj.RULES if known.key == "natural") == ("RATIO",)
    for ratio in ("1:1", "6:5", "2:1", "1:2"):
        assert choose(bj.RULES, {"natural": ratio})["natural"] == ratio
    assert choose(bj.RULES, {"natural": "6 to 4"})["natural"] == "3:2"
    for wrong in ("push", "lose", "lose 1:2"):
        with pytest.raises(SetupError, match="does not pay"):
            choose(bj.RULES, {"natural": wrong})


def test_the_numbers_that_engines_share():
    """These are written into logs, kernels and charts: a change is a change of format."""
    assert bj.ACTIONS == {"stand": 1, "hit": 2, "double": 4, "split": 8, "surrender": 16}
    assert (bj.STAND, bj.HIT, bj.DOUBLE, bj.SPLIT, bj.SURRENDER) == (1, 2, 4, 8, 16)
    assert (bj.LOST, bj.PUSHED, bj.WON) == (0, 1, 2)
    assert (bj.ANY_TWO, bj.NINE_TO_ELEVEN, bj.TEN_TO_ELEVEN) == (0, 1, 2)
    assert (bj.NO_SURRENDER, bj.LATE, bj.EARLY) == (0, 1, 2)
    assert (bj.PEEK, bj.NONE_ORIGINAL, bj.NONE_ALL) == (0, 1, 2)
    assert bj.MAX_SPOTS == 7


def test_points():
    assert [bj.points(rank) for rank in range(14)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert [bj.card_points(card) for card in (-1, 0, 3, 4, 35, 36, 48, 51)] == [0, 1, 1, 2, 9, 10, 10, 10]


def test_total_is_the_best_that_does_not_bust():
    for hard, aces, _ in hands(6):
        worths = [hard + 10 * elevens for elevens in range(aces + 1)]
        best = max((worth for worth in worths if worth <= 21), default=hard)
        assert bj.total(hard, aces) == best
        assert bj.is_soft(hard, aces) == int(best > hard)


def test_natural_is_ace_and_ten_as_dealt():
    for (hard, aces, cards), count in product(hands(4), (1, 2, 3, 4)):
        expected = (hard, aces, cards, count) == (11, 1, 2, 1)
        assert bj.is_natural(hard, aces, cards, count) == int(expected)


def test_pairs():
    for first, second, unlike in product(range(1, 14), range(1, 14), ("yes", "no")):
        tens = {10, 11, 12, 13}
        expected = first == second or (unlike == "yes" and first in tens and second in tens)
        assert bj.is_pair(house(unlike_tens=unlike), first, second) == int(expected)


def expected_actions(rules, hard, aces, cards, first, second, count):
    """What a floor manager would say, one sentence a line."""
    total = hard + 10 if aces and hard <= 11 else hard
    split_ace = count > 1 and first == 1
    tens = first >= 10 and second >= 10
    pair = first == second or (tens and rules["unlike-tens"] == "yes")
    allowed = {"stand"}
    if cards == 2 and pair and count < int(rules["resplit"]) and (not split_ace or rules["resplit-aces"] == "yes"):
        allowed.add("split")
    if cards == 2 and count == 1 and rules["surrender"] != "none" and total != 21:
        allowed.add("surrender")
    if total < 21 and (not split_ace or rules["hit-split-aces"] == "yes"):
        allowed.add("hit")
        doubles = {"any": range(22), "9-11": (9, 10, 11), "10-11": (10, 11)}[rules["double"]]
        if cards == 2 and total in doubles and (count == 1 or rules["das"] == "yes"):
            allowed.add("double")
    return allowed


@pytest.mark.parametrize("surrender", ["none", "late", "early"])
@pytest.mark.parametrize("double", ["any", "9-11", "10-11"])
def test_legal_actions(double, surrender):
    rest = product(("yes", "no"), ("2", "3", "4"), ("yes", "no"), ("yes", "no"), ("yes", "no"))
    for das, resplit, aces_again, hit_aces, unlike in rest:
        rules = choose(
            bj.RULES,
            {
                "double": double,
                "surrender": surrender,
                "das": das,
                "resplit": resplit,
                "resplit-aces": aces_again,
                "hit-split-aces": hit_aces,
                "unlike-tens": unlike,
            },
        )
        made = bj.house(rules)
        for first, second, third in product((1, 2, 4, 5, 6, 8, 9, 10, 12, 13), (1, 3, 5, 6, 8, 10, 12), (0, 1, 5, 10)):
            ranks = [rank for rank in (first, second, third) if rank]
            hard, aces = sum(min(rank, 10) for rank in ranks), ranks.count(1)
            for count in range(1, int(resplit) + 1):
                mask = bj.legal_actions(made, hard, aces, len(ranks), first, second, count)
                named = {action for action, bit in bj.ACTIONS.items() if mask & bit}
                assert named == expected_actions(rules, hard, aces, len(ranks), first, second, count)
                assert mask == sum(bj.ACTIONS[action] for action in named)


@pytest.mark.parametrize(("soft17", "on_soft_17"), [("hit", 1), ("stand", 0)])
def test_dealer_draws(soft17, on_soft_17):
    for hard, aces, _ in hands(7):
        total = bj.total(hard, aces)
        soft = total > hard
        expected = on_soft_17 if (total == 17 and soft) else int(total < 17)
        assert bj.dealer_draws(house(soft17=soft17), hard, aces) == expected


def test_what_an_up_card_allows():
    assert [bj.may_be_natural(rank) for rank in range(1, 14)] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert [bj.insurance_offered(rank) for rank in range(1, 14)] == [1] + [0] * 12
    for rank, surrender, hole in product(
        range(1, 14), ("none", "late", "early"), ("peek", "none-original", "none-all")
    ):
        asked = surrender == "early" and hole == "peek" and rank in (1, 10, 11, 12, 13)
        assert bj.surrenders_before_peek(house(surrender=surrender, hole_card=hole), rank) == int(asked)


def test_even_money_is_for_a_natural_that_pays_three_to_two_against_an_ace():
    for rank, natural, (pays, to) in product(range(1, 14), (0, 1), ((3, 2), (6, 5), (1, 1), (2, 1), (6, 4))):
        expected = rank == 1 and natural and pays * 2 == to * 3
        assert bj.even_money_offered(rank, natural, pays, to) == int(expected)


def test_outcome():
    for total, dealer in product(range(4, 31), range(4, 27)):
        expected = 0 if total > 21 else 2 if dealer > 21 or total > dealer else 1 if total == dealer else 0
        assert bj.outcome(total, 0, dealer, 0) == expected
    for total in range(4, 22):
        assert bj.outcome(total, 0, 21, 1) == 0  # a dealer's natural beats everything else, 21 too
    assert bj.outcome(30, 0, 21, 1) == 0
    for dealer in range(17, 27):
        assert bj.outcome(21, 1, dealer, 0) == 2
    assert bj.outcome(21, 1, 21, 1) == 1
    assert bj.outcome(21, 1, 0, 0) == 2  # paid before the dealer draws
