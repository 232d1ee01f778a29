"""The exact engine for blackjack against brute force on small shoes, and brute force against published toy shoes."""

from fractions import Fraction
from typing import NamedTuple

import pytest

from feltlab.exact.blackjack.advice.actions import worths
from feltlab.exact.blackjack.advice.situation import Situation
from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.blackjack.strategies import play
from feltlab.exact.shoe import ShoeComposition
from feltlab.sheets import load
from feltlab.strategy import parse_strategy
from feltlab.tables import set_up
from support.brute_force import NATURAL, BruteForce, Hand, draws, less, strength, total

CLOSE = 1e-12

PAYS = {
    "P1": {"20 beaten": 20, "19 beaten": 15, "21 push": 5, "20 push": 5, "19 push": 5, "win": 0, "lost": -1},
    "L3": {"20 beaten": 35, "19 beaten": 15, "21 push": 5, "20 push": 5, "19 push": 5, "win": -1, "lost": -1},
}
AIMS = {"composition": "main", "bonus": "bonus", "joint:0.5": Fraction(1, 2), "joint:0.05": Fraction(1, 20)}

# Shoes by rank: 1 is an ace, 11 to 13 are pictures.
HIGH = {1: 3, 6: 2, 8: 4, 9: 4, 10: 6}
EIGHTS = {1: 2, 3: 2, 8: 5, 10: 6}
ACES = {1: 4, 7: 3, 9: 4, 10: 6}
LOW = {3: 3, 6: 4, 7: 3, 10: 7}
FOURS = {4: 4, 5: 3, 7: 4, 10: 7}
PICTURES = {1: 2, 6: 3, 9: 2, 10: 3, 11: 4, 13: 4}
STIFF = {1: 3, 6: 4, 7: 4, 10: 7}


class Case(NamedTuple):
    """A small shoe under house rules, played by a strategy with the bonus in view."""

    shoe: dict[int, int]
    rules: dict[str, str]
    strategy: str = "composition"
    option: str = "2"
    paytable: str = "P1"


CASES = {
    "four hands": Case(HIGH, {"resplit": "4"}),
    "three hands, soft 17 stands": Case(HIGH, {"resplit": "3", "soft17": "stand"}, "bonus"),
    "two hands, 6 to 5": Case(HIGH, {"resplit": "2", "natural": "6:5"}, "joint:0.5", "2", "L3"),
    "option 1, for the bonus": Case(HIGH, {"resplit": "3"}, "bonus", "1"),
    "option 1, for both": Case(EIGHTS, {"resplit": "4"}, "joint:0.5", "1", "L3"),
    "option 2, for the bonus": Case(EIGHTS, {"resplit": "4"}, "bonus", "2", "L3"),
    "option 2, for both": Case(EIGHTS, {"resplit": "4"}, "joint:0.05"),
    "no double after split": Case(FOURS, {"resplit": "4", "das": "no"}),
    "double 9 to 11": Case(LOW, {"resplit": "3", "double": "9-11"}),
    "double 10 to 11": Case(LOW, {"resplit": "2", "double": "10-11", "soft17": "stand"}),
    "aces once": Case(ACES, {"resplit": "4"}, "joint:0.5"),
    "aces again": Case(ACES, {"resplit": "4", "resplit-aces": "yes"}),
    "aces hit": Case(ACES, {"resplit": "3", "hit-split-aces": "yes"}, "bonus"),
    "aces hit and again": Case(ACES, {"resplit": "4", "resplit-aces": "yes", "hit-split-aces": "yes"}),
    "unlike tens, four hands": Case(PICTURES, {"resplit": "4", "unlike-tens": "no"}),
    "unlike tens, for the bonus": Case(PICTURES, {"resplit": "3", "unlike-tens": "no"}, "bonus", "2", "L3"),
    "late surrender": Case(STIFF, {"surrender": "late", "resplit": "3"}),
    "late surrender, for the bonus": Case(EIGHTS, {"surrender": "late", "resplit": "3"}, "bonus"),
    "early surrender": Case(STIFF, {"surrender": "early", "resplit": "3"}),
    "early surrender, for both": Case(EIGHTS, {"surrender": "early", "resplit": "3"}, "joint:0.05"),
    "no hole card, original wagers": Case(HIGH, {"hole-card": "none-original", "resplit": "3"}),
    "no hole card, original wagers, for the bonus": Case(EIGHTS, {"hole-card": "none-original"}, "bonus"),
    "no hole card, original wagers, stiff hands": Case(STIFF, {"hole-card": "none-original"}),
    "no hole card, all wagers": Case(HIGH, {"hole-card": "none-all", "resplit": "3"}, "joint:0.5"),
    "no hole card, late surrender": Case(STIFF, {"hole-card": "none-all", "surrender": "late", "resplit": "2"}),
    "no hole card, early surrender": Case(STIFF, {"hole-card": "none-original", "surrender": "early", "resplit": "2"}),
}


def engine(shoe, **choices):
    """The exact engine for a shoe, and the setup that it was made from."""
    setup = set_up(load("bad-beat-blackjack"), decks=6, **choices)
    counts = [shoe.get(card // 4 + 1, 0) if card % 4 == 0 else 0 for card in range(52)]
    return Blackjack(ShoeComposition(tuple(counts)), setup.house, setup.wagers["main"]), setup


def brute_force(shoe, rules, *more):
    """Brute force for the same shoe."""
    return BruteForce([shoe.get(rank, 0) for rank in range(1, 14)], rules, *more)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """A case, with the engine, its setup and brute force for it."""
    case = CASES[request.param]
    game, setup = engine(case.shoe, option=case.option, paytables=[case.paytable], rules=case.rules)
    force = brute_force(case.shoe, setup.rules, int(case.option), PAYS[case.paytable], AIMS[case.strategy])
    return case, game, setup, force


def line_of(wager, outcome):
    """The name of an outcome's line as brute force has it."""
    if not outcome.lines:
        return "lost"
    line = wager.lines[outcome.lines[0]]
    return "win" if line.id == "win" else line.name


def hands(force):
    """Every two-card hand with every up card that the shoe can deal, by points."""
    shoe = force.by_points
    for up, _, rest in draws(shoe):
        for low, _, last in draws(rest):
            yield from ((up, low, high) for high, _, _ in draws(last) if high >= low)


def close(expected):
    """Fractions by name as what floats must be within 1e-12 of."""
    return pytest.approx({name: float(value) for name, value in expected.items()}, rel=0, abs=CLOSE)


def test_a_round(case):
    """What the main wager expects, and how likely every line of the bonus is."""
    case, game, setup, force = case
    wager = setup.wagers["bad-beat"]
    played = play(game, setup, parse_strategy(case.strategy))
    found = {"main": played.expected}
    for outcome, way in zip(wager.cells.outcomes, played.law(wager).ways, strict=True):
        found[line_of(wager, outcome)] = way
    expected = force.law()
    assert sum(expected.values()) == 1 + expected["main"]
    assert found == close({name: expected[name] for name in {*found, *expected}})
    if case.strategy == "composition":
        assert {"main": game.optimum} == close({"main": expected["main"]})


def test_every_action_on_two_cards(case):
    """What each legal action on every two-card hand against every up card is worth to the main wager."""
    _, game, _, force = case
    for up, low, high in hands(force):
        expected = {action: main for action, (main, _) in force.options((low, high), up).items()}
        if low == high:
            expected["split"] = force.split_at_best(low, up, False)[0]
        assert game.worth([low, high], up) == close(expected), f"{low}, {high} against {up}"


def test_standing_and_hitting_three_cards(case):
    """What standing and hitting are worth to hands of three cards."""
    _, game, _, force = case
    for up, low, high in set(hands(force)):
        for cards, _ in force.grown((low, high), up):
            if total(cards) < 21:
                expected = {"stand": force.stand(cards, up), "hit": force.hit(cards, up)}
                assert game.worth(cards, up) == close(expected), f"{cards} against {up}"


# ---- published toy shoes: a split of twos in which all choices are for both hands together

SOURCE = "T92T1914/exact-blackjack-solver docs/joint-split-results.json (github), its own enumeration"
UNSEEN = {7: 2, 8: 2, 9: 2, 10: 2}  # and the dealer, who stands on soft 17, has no natural
TOYS = {  # from SOURCE: its id in the reference data, the up card, may a split hand be doubled?, the action, its worth
    "bj-toy-22-v6-ndas-split": (6, "no", "split", 1.3738095238095238),
    "bj-toy-22-v6-ndas-stand": (6, "no", "stand", 0.6428571428571428),
    "bj-toy-22-v6-ndas-hit": (6, "no", "hit", 0.6523809523809523),
    "bj-toy-22-v6-ndas-double": (6, "no", "double", 1.2857142857142856),
    "bj-toy-22-v6-das-split": (6, "yes", "split", 2.657142857142857),
    "bj-toy-22-v10-ndas-split": (10, "no", "split", 0.2142857142857143),
    "bj-toy-22-v10-ndas-stand": (10, "no", "stand", -1.0),
    "bj-toy-22-v10-ndas-hit": (10, "no", "hit", 0.023809523809523753),
    "bj-toy-22-v10-ndas-double": (10, "no", "double", -2.0),
    "bj-toy-22-v10-das-split": (10, "yes", "split", 0.619047619047619),
    "bj-toy-22-vA-ndas-split": (1, "no", "split", -0.06349206349206349),
    "bj-toy-22-vA-ndas-hit": (1, "no", "hit", -0.06349206349206347),
    "bj-toy-22-vA-das-split": (1, "yes", "split", 0.23915343915343915),
}


@pytest.mark.parametrize("toy", TOYS)
def test_published_toy_shoes(toy):
    """Twos from eight unseen cards: brute force gives what is printed, and so does the engine for one hand."""
    up, das, action, printed = TOYS[toy]
    shoe = {**UNSEEN, 2: 2, up: UNSEEN.get(up, 0) + 1}
    game, setup = engine(shoe, rules={"soft17": "stand", "das": das, "resplit": "2"})
    force = brute_force(shoe, setup.rules, 2, PAYS["P1"])
    if action == "split":
        unseen = tuple(UNSEEN.get(rank, 0) for rank in range(1, 14))
        worth = force.together(unseen, up, (), (), (2, 2))
    else:
        worth = force.options((2, 2), up)[action][0]
        assert game.worth([2, 2], up)[action] == pytest.approx(float(worth), rel=0, abs=CLOSE)
    assert float(worth) == pytest.approx(printed, rel=0, abs=1e-15)


# ---- the coach


def coach(game, setup, cards, up, kind, actions, **more):
    """What the coach says of each action on a hand of these points: (main, bonus) by action."""
    asked = Situation(kind, [4 * (card - 1) for card in cards], 4 * (up - 1), list(actions), **more)
    return {one.action: (one.main, one.side) for one in worths(game, setup, asked)}


def pairs(expected):
    """Worths to both wagers by action, as what floats must be within 1e-12 of."""
    return {action: pytest.approx(tuple(map(float, worth)), rel=0, abs=CLOSE) for action, worth in expected.items()}


COACHED = [
    name
    for name, case in CASES.items()
    if case.strategy.startswith("joint")
    or name.endswith("surrender")
    or ("original" in name and case.strategy != "bonus")
]


@pytest.mark.parametrize("case", COACHED, indirect=True)
def test_a_coach_weighs_both_stakes(case):
    """Each action on two cards, as dealt and after a split, and keeping the hand before the dealer looks; to both wagers."""
    case, game, setup, force = case
    ratio = 0 if force.aim == "main" else force.aim
    bonus = {"bonus": "bad-beat", "ratio": float(ratio)} if ratio else {}
    for up, low, high in set(hands(force)):
        cards, pair = (low, high), low == high
        rides = bool(ratio) and (total(cards) >= 19 or (case.option == "2" and pair and low in (1, 8, 9, 10)))
        with_bonus = bonus if rides else {}
        expected = force.options(cards, up, rides)
        if pair:
            expected["split"] = force.split_at_best(low, up, rides)
        said = coach(game, setup, cards, up, "action", expected, **with_bonus)
        if not rides:
            expected = {action: (main, 0) for action, (main, _) in expected.items()}
        assert said == pairs(expected), f"{cards} against {up}"
        check_kept(case, game, setup, force, cards, up, with_bonus)
        if total(cards) == 21:
            continue  # after a split there is nothing to ask
        after = bonus if case.option == "2" else {}  # by option 1 the bonus is gone with a split
        expected = force.options(cards, up, bool(after), split=True)
        if not after:
            expected = {action: (main, 0) for action, (main, _) in expected.items()}
        said = coach(game, setup, cards, up, "action", expected, hands=2, **after)
        assert said == pairs(expected), f"{cards} against {up} after a split"
        later = Later(force.shoe, force.rules, force.option, force.pays, force.aim).options(cards, up, split=True)
        said = coach(game, setup, cards, up, "action", later, hand=2, hands=2)
        assert said == pairs({action: (main, 0) for action, (main, _) in later.items()}), f"{cards} in the second hand"


class Later(BruteForce):
    """All hands are later ones of a split."""

    def main(self, hand, end):
        return super().main(hand._replace(later=True), end)


def check_kept(case, game, setup, force, cards, up, with_bonus):
    """Keeping the hand where the dealer may have a natural: it stops the round, or the best action follows."""
    rides = bool(with_bonus)
    shoe = less(force.by_points, up, *cards)
    natural = Fraction(shoe[9 if up == 1 else 0] if up in (1, 10) and force.peeks else 0, sum(shoe))
    hand = Hand(strength(cards), bonus=rides)
    stopped = force.main(hand, NATURAL), PAYS[case.paytable][force.line(hand, NATURAL)] if rides else 0
    played = force.as_dealt(cards, up, rides, cards[0] == cards[1], force.split_at_best)[1]
    played = played if rides else (played[0], 0)
    kept = tuple(natural * lost + (1 - natural) * won for lost, won in zip(stopped, played, strict=True))
    kind, word = ("surrender", "continue") if force.asked_early(up) else ("insurance", "decline")
    assert coach(game, setup, cards, up, kind, [word], **with_bonus) == pairs({word: kept}), f"{cards} against {up}"
