"""Published figures of blackjack as it is played: single decisions and whole games, each within its own precision."""

import json
from fractions import Fraction
from functools import cache

import pytest

from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import total
from feltlab.hands.graph import hands
from feltlab.sheets import load
from feltlab.strategy import Basic
from feltlab.tables import set_up
from support.paths import TESTS
from support.published import DEALER, ENTRIES, UNMET, assert_close

PLAY = json.loads((TESTS / "published" / "play.json").read_text())
BY_ID = {entry["id"]: entry for entry in PLAY}

INFINITE = 10**11
"""Decks that stand for drawing with replacement: what a few cards change is below 1e-10."""

UNLIMITED = 12
"""Hands that stand for resplitting without end: all further ones are worth 2.5e-10 to a whole game."""

APPROXIMATED = 5e-5
"""What the reference allows a whole game from a real shoe, as some sources value splits approximately.

One that does not say so needs it: bj-strip-1d-he, a rounded -0.001% where basic strategy makes -0.0031%.
"""

ROUNDING = 1e-15
"""What sums of a few numbers of order one may be off in floating point; toy shoes are printed to more places."""

SHEET = load("bad-beat-blackjack")


def table(decks, rules, most_hands=None, cards=None):
    """A game under named house rules, from so many decks or from given cards."""
    setup = set_up(SHEET, decks=6, rules=rules)
    house = setup.house if most_hands is None else setup.house._replace(most_hands=most_hands)
    return Blackjack(cards or ShoeComposition.of(decks), house, setup.wagers["main"])


# ---- single decisions


@cache
def game(decks, soft17):
    """The game whose single decisions are printed."""
    return table(decks, {"soft17": soft17})


@cache
def toy(up, das, *shoe):
    """A game from so few cards: those not seen, a pair of twos and the up card."""
    counts = [0] * 52
    for card, count in (*shoe, (2, 2), (up, 1)):
        counts[4 * card - 4] += count
    return table(None, {"soft17": "stand", "das": das}, 2, ShoeComposition(tuple(counts)))


def points_of(name):
    """What a card counts by its name."""
    return 1 if name == "A" else int(name)


def cards_of(hand):
    """A printed hand as points: its cards, or for a hard total some cards that make it and are no natural."""
    if "hard" not in hand:
        return [points_of(name) for name in hand.replace("-", ",").split(",")]
    sum_of = int(hand.removeprefix("hard").strip(" <="))
    if sum_of == 21:
        return [10, 9, 2]
    low = max(2, sum_of - 10)
    return [low, sum_of - low]


def game_of(entry):
    """The game that a printed decision is made in."""
    if "shoe" in entry:
        shoe = ((points_of(name), count) for name, count in entry["shoe"].items())
        return toy(points_of(entry["up"]), "no" if "no DAS" in entry["rules"] else "yes", *shoe)
    decks = INFINITE if entry["decks"] == "infinite" else entry["decks"]
    return game(decks, "hit" if "H17" in entry["rules"] else "stand")


def decision(entry):
    """What a printed hand's decision is worth, or how likely the hand is while the dealer has no natural."""
    made, cards, up = game_of(entry), cards_of(entry["hand"]), points_of(entry["up"])
    if entry["quantity"] == "probability":
        against, hand = made.tables[up], hands().of(*cards)
        return against.chance * made.dealt[up][hand] * (1 - against.natural[made.nodes.row[hand]])
    worth = made.worth(cards, up)
    if entry["quantity"] == "ev_best":
        return max(worth[action] for action in ("stand", "hit", "double"))
    return worth[entry["quantity"].removeprefix("ev_")]


def average(entry):
    """Hitting 15 against a ten: the three ways to hold it, by the weights that are printed."""
    ways = {"bj-atw51-hit-105-v10": 4, "bj-atw51-hit-96-v10": 1, "bj-atw51-hit-87-v10": 1}
    assert entry["rules"] == "weights 4/6,1/6,1/6 as published"
    return sum(weight * decision(BY_ID[id]) for id, weight in ways.items()) / sum(ways.values())


# ---- whole games


def rules_text(entry):
    """The printed rules; `as above` is the entry it was printed below."""
    text = entry["rules"]
    return BY_ID["bj-6ds17-das-game-woo"]["rules"] if text.startswith("as above") else text


def rules_of(entry):
    """The house rules that a text says; resplitting to 4 hands but of aces, and doubling any two, go without saying."""
    text = rules_text(entry)
    return {
        "soft17": "hit" if "H17" in text else "stand",
        "das": "no" if "no DAS" in text else "yes",
        "resplit-aces": "yes" if "RSA" in text else "no",
        "hit-split-aces": "yes" if "hit split aces" in text else "no",
        "surrender": "late" if "late surrender" in text else "none",
        "hole-card": "none-all" if "ENHC" in text else "none-original" if "original bet only" in text else "peek",
    }


def expected(entry, **others):
    """What a whole game makes for the player by the strategy that its source plays."""
    decks = INFINITE if entry["decks"] == "infinite" else entry["decks"]
    most = UNLIMITED if "infinite resplitting" in entry["rules"] else None
    made = table(decks, rules_of(entry) | others, most)
    # with replacement a hand's cards tell nothing that its total does not
    by_cards = "composition" in rules_text(entry) or entry["decks"] == "infinite"
    return made.optimum if by_cards else made.play(Basic()).expected


def whole(entry):
    """A whole game as its source prints it."""
    return -expected(entry) if entry["quantity"] == "house_edge" else expected(entry)


# ---- a pair of twos split once from a few cards without aces, both hands played together
#
# The first hand is finished before the second is dealt. Every choice is the best for both hands together and looks at
# all cards seen by then. The hole card is not one of them, but it is known to make no natural. Cards left are pairs of
# points and count; a hand is its total and its number of cards, and when it is done its total and its stake.


def less(left, gone):
    """Cards with one of them gone."""
    return tuple((card, count - (card == gone)) for card, count in left)


def holes(up, left):
    """The hole cards that make no natural: each with its chance and what is left without it."""
    natural = {1: 10, 10: 1}.get(up)
    ways = sum(count for card, count in left if card != natural)
    return [(card, Fraction(count, ways), less(left, card)) for card, count in left if count and card != natural]


def draws(up, left):
    """The next cards: each with its chance, whatever the hole card is, and what is left without it."""
    rest = sum(count for _, count in left) - 1
    chances = {
        card: sum(odds * Fraction(dict(less_hole)[card], rest) for _, odds, less_hole in holes(up, left))
        for card, _ in left
    }
    return [(card, chance, less(left, card)) for card, chance in chances.items() if chance]


@cache
def best(up, das, left, done, hand):
    """The most that both hands make together from here."""
    sum_of, cards = hand
    if sum_of >= 21:
        return finish(up, das, left, done, (sum_of, 1))
    cases = draws(up, left)
    choices = [sum(odds * best(up, das, rest, done, (sum_of + card, cards + 1)) for card, odds, rest in cases)]
    if cards > 1:
        choices.append(finish(up, das, left, done, (sum_of, 1)))
    if cards == 2 and das:
        choices.append(sum(odds * finish(up, das, rest, done, (sum_of + card, 2)) for card, odds, rest in cases))
    return max(choices)


def finish(up, das, left, done, hand):
    """What both hands make when one is done: on to the second hand, or to the dealer."""
    done = (*done, hand)
    if len(done) == 1:
        return best(up, das, left, done, (2, 1))
    if all(sum_of > 21 for sum_of, _ in done):
        return -sum(stake for _, stake in done)
    return sum(odds * dealt(up == 1, rest, done, up + card) for card, odds, rest in holes(up, left))


def dealt(ace, left, done, hard):
    """What both hands win of a dealer who stands on every 17."""
    dealer = total(hard, int(ace))
    if dealer >= 17:
        return sum(stake * won(sum_of, dealer) for sum_of, stake in done)
    size = sum(count for _, count in left)
    return sum(Fraction(count, size) * dealt(ace, less(left, card), done, hard + card) for card, count in left if count)


def won(sum_of, dealer):
    """What a hand wins of its stake."""
    if sum_of > 21:
        return -1
    return 1 if dealer > 21 else (sum_of > dealer) - (sum_of < dealer)


def together(entry):
    """What a toy shoe's split is worth, as a fraction."""
    left = tuple((points_of(name), count) for name, count in entry["shoe"].items())
    assert entry["hand"] == "2,2" and all(card > 1 for card, _ in left)
    return best(points_of(entry["up"]), "no DAS" not in entry["rules"], left, (), (2, 1))


# ---- the tests


def of(wanted):
    """The entries of a kind, each a test by its id."""
    return [pytest.param(entry, id=entry["id"]) for entry in PLAY if kind(entry) == wanted]


def kind(entry):
    """What sort of figure an entry is, which says how it is worked out and compared."""
    if entry["id"] in UNMET:
        return "unmet"
    if entry["quantity"] in ("ev_split_joint", "ev_hit_average"):
        return entry["quantity"]
    if entry["wager"] == "whole game":
        return "whole game"
    return "toy decision" if "shoe" in entry else "decision"


@pytest.mark.parametrize("entry", of("decision"))
def test_decision(entry):
    assert_close(entry, decision(entry))


@pytest.mark.parametrize("entry", of("ev_hit_average"))
def test_average(entry):
    assert_close(entry, average(entry))


@pytest.mark.parametrize("entry", of("toy decision"))
def test_toy_decision(entry):
    assert abs(decision(entry) - entry["value"]) <= ROUNDING


@pytest.mark.parametrize("entry", of("ev_split_joint"))
def test_toy_split(entry):
    value = together(entry)
    assert abs(value - Fraction(entry["value"])) <= ROUNDING
    # a hand that looks at its own cards only does no better
    alone = game_of(entry).worth([2, 2], points_of(entry["up"]))["split"]
    assert alone <= value + ROUNDING


@pytest.mark.parametrize("entry", of("whole game"))
def test_whole_game(entry):
    if entry["decks"] == "infinite":
        assert_close(entry, whole(entry))
    else:
        assert abs(whole(entry) - entry["value"]) <= max(entry["precision"], APPROXIMATED)


@pytest.mark.parametrize("entry", of("unmet"))
def test_unmet(entry):
    off = expected(entry) - entry["value"]
    assert 1.2e-4 < off < 1.3e-4
    assert expected(entry, resplit="2") < entry["value"] - APPROXIMATED
    assert expected(entry, resplit="3") > entry["value"] + APPROXIMATED


def test_every_figure_is_tested():
    assert len(PLAY) == 385
    assert set(UNMET) <= set(BY_ID)
    assert {kind(entry) for entry in PLAY} == {
        "decision", "ev_hit_average", "toy decision", "ev_split_joint", "whole game", "unmet"
    }  # fmt: skip
    assert len({entry["id"] for entry in [*ENTRIES, *DEALER, *PLAY]}) == 798
    assert all(entry["source"] for entry in PLAY)
