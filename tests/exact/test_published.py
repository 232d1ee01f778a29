"""Published figures of wagers that can be counted, each within the precision it was printed with."""

import re
from fractions import Fraction
from functools import cache
from math import comb, perm

import pytest

from feltlab.exact.baccarat import sequences
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.figures import Figures
from feltlab.games.blackjack import RULES, house
from feltlab.games.rules import choose
from feltlab.sheets import load, load_text
from feltlab.tables import set_up
from support.published import DEALER, ENTRIES, ROUNDED, assert_close

IDENTICAL = ("identical(player.first, player.second)", "identical(banker.first, banker.second)")
BY_ONE = "margin == 1 and winner.total"
ROYAL = "suited(first, second) and count(king, first, second) == 1 and count(queen, first, second) == 1"
POINTS = "points(first) + points(second)"


def matched(suited, plain):
    """Match the Dealer as one line a case, in the published order."""
    hits = "suited_matches(up, first, second)"
    both = "matches(up, first, second)"
    cases = [("two suited matches", 2, 2), ("one suited and one non-suited match", 1, 2), ("one suited match", 1, 1),
             ("two non-suited matches", 0, 2), ("one non-suited match", 0, 1)]  # fmt: skip
    return [(name, f"{hits} == {s} and {both} == {m}", f"{s * suited + (m - s) * plain}:1") for name, s, m in cases]


def lines(entry):
    """A published wager in the sheet language: event, condition, pay. Events not listed lose."""
    wager, rules = entry["wager"], entry["rules"]
    pays = {
        "Player": [("Player", "result == player", "1:1"), ("tie", "result == tie", "push")],
        "Banker": [("Banker", "result == banker", "24:25" if "4%" in rules else "19:20"), ("tie", "result == tie", "push")],
        "Tie": [("Tie", "result == tie", "9:1" if "9 to 1" in rules else "8:1")],
        "Player pair / Banker pair": [("pair", "pair(player.first, player.second)", "11:1")],
        "Bad Beat Baccarat (any win by one)": [
            ("3-card 9 beats 3-card 8", f"{BY_ONE} == 9 and winner.cards == 3", "40:1"),
            ("natural 9 beats natural 8", f"{BY_ONE} == 9", "10:1"),
            ("8 beats 7", f"{BY_ONE} == 8", "6:1"),
            ("7 beats 6", f"{BY_ONE} == 7", "4:1"),
            ("other margin of victory 1", "margin == 1", "1:1"),
        ],
        "Super Shot style single bet: 3-card 9 beats 3-card 8": [("3-card 9 beats 3-card 8", f"{BY_ONE} == 9 and loser.cards == 3", "200:1")],
        "Super Shot style single bet: natural 9 beats natural 8": [("natural 9 beats natural 8", f"{BY_ONE} == 9 and loser.cards == 2", "50:1")],
        "Super Shot style single bet: 8 beats 7": [("8 beats 7", f"{BY_ONE} == 8", "25:1")],
        "Dragon Bonus Player": [
            ("natural win", "player.natural and result == player", "1:1"),
            ("natural tie", "player.natural and result == tie", "push"),
            *((f"win by {n}, non-natural", f"result == player and margin == {n}", f"{pay}:1") for n, pay in ((9, 30), (8, 10), (7, 6), (6, 4), (5, 2), (4, 1))),
        ],
        "Perfect Pairs v1 (25)": [("win", " or ".join(IDENTICAL), "25:1")],
        "Perfect Pairs v1 (26)": [("win", " or ".join(IDENTICAL), "26:1")],
        "Perfect Pairs v2": [("two perfect pairs", " and ".join(IDENTICAL), "250:1"), ("one perfect pair", " or ".join(IDENTICAL), "25:1")],
        "Tiger Tie (6-6 tie)": [("tie", "result == tie and player.total == 6", "35:1")],
        "Match the Dealer 4/12": matched(12, 4),
        "Match the Dealer 4/19": [line for line in matched(19, 4) if line[0] != "two suited matches"],
        "Royal Match v1 (25 / 2.5)": [("royal match", ROYAL, "25:1"), ("easy match", "suited(first, second)", "5:2")],
        "Royal Match v2 (10 / 3)": [("royal match", ROYAL, "10:1"), ("easy match", "suited(first, second)", "3:1")],
        "Under 13": [("Under 13", f"{POINTS} < 13", "1:1")],
        "Over 13": [("Over 13", f"{POINTS} > 13", "1:1")],
        "Exactly 13": [("Exactly 13", f"{POINTS} == 13", "10:1")],
    }  # fmt: skip
    if wager.startswith("Perfect Pairs ") and entry["game"] == "blackjack":
        perfect, coloured, mixed = re.findall(r"(?:perfect|coloured|mixed) (\d+)", rules)[:3]
        return [("perfect pair", "identical(first, second)", f"{perfect}:1"),
                ("coloured pair", "pair(first, second) and same_color(first, second)", f"{coloured}:1"),
                ("mixed pair", "pair(first, second)", f"{mixed}:1")]  # fmt: skip
    if wager.startswith("Banker wins with total"):
        return [(entry["event"], f"result == banker and banker.total == {wager[-1]}", "1:1")]
    if wager.startswith("tie at"):
        return [(entry["event"], f"result == tie and player.total == {wager[-1]}", "1:1")]
    if wager == "Banker (no commission)":
        total = re.search(r"winning total of (\d)", rules)[1]
        return [
            ("half", f"result == banker and banker.total == {total}", "1:2"),
            ("banker", "result == banker", "1:1"),
            ("tie", "result == tie", "push"),
        ]
    return pays[wager]


@cache
def figures(game, text, decks, removed=()):
    settled = "" if game == "baccarat" else 'settled = "deal"\n'
    head = f'id = "x"\nname = "X"\ngame = "{game}"\n[[wager]]\nid = "w"\nname = "W"\n{settled}'
    wager = set_up(load_text(head + text, "x.toml"), decks=decks).wagers["w"]
    engine = sequences if game == "baccarat" else first_cards
    return Figures(engine.law(wager, ShoeComposition.of(decks, removed)))


def text_of(entry):
    return "".join(
        f'[[wager.line]]\nid = "l{place}"\nname = "{name}"\nwhen = "{when}"\npays = "{pay}"\n'
        for place, (name, when, pay) in enumerate(lines(entry))
    )


def all_ways(entry):
    """What the source counts: ordered six-card sequences, or unordered hands."""
    size = 52 * entry["decks"]
    if entry["game"] == "baccarat" and not entry["wager"].startswith("Perfect Pairs"):
        return perm(size, 6)
    if entry["wager"].startswith("Match"):
        return comb(size - 1, 2)
    return comb(size, 2) * (comb(size - 2, 2) if entry["game"] == "baccarat" else 1)


def computed(entry):
    found = figures(entry["game"], text_of(entry), entry["decks"])
    quantity, event = entry["quantity"], entry.get("event")
    if quantity == "house_edge":
        return found.house_edge
    if quantity == "expected_value":
        return found.expected
    if quantity == "delta_probability_win":
        return removal(entry)
    rows = {row.name: row for row in found.rows}
    if event == "total":
        return all_ways(entry)
    row = rows.get(event) or rows["Lose"]
    assert event in rows or event in ("loss", "lose", "none", "no match", "no matches", "no pair"), event
    if quantity == "combinations":
        return row.probability * all_ways(entry)
    return row.probability if quantity == "probability" else row.returns


def removal(entry):
    """How Player's chance changes when cards of a value are gone."""
    count, value = map(int, re.search(r"(\d) card\(s\) of value (\d)", entry["rules"]).groups())
    gone = tuple([36 if value == 0 else 4 * (value - 1)] * count)
    full, less = (figures("baccarat", text_of(entry), entry["decks"], cards).hit_frequency for cards in ((), gone))
    return less - full


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_published(entry):
    value = computed(entry)
    if entry["precision"] == 0:
        assert value == entry["value"]
    else:
        assert_close(entry, float(value))


# ---- the dealer's hand, and insurance


def dealt_alone(entry):
    """What the id says: decks, soft 17, peek or not, up card, total."""
    stands = house(choose(RULES, {"soft17": "stand"}))
    shoe = ShoeComposition.of(entry["decks"])
    if entry["wager"].startswith("Insurance"):
        made = set_up(load("bad-beat-blackjack"), decks=entry["decks"]).wagers["insurance"]
        return Figures(dealer.law(made, shoe, stands)).house_edge / 2 / 13
    peeked, up, total = re.fullmatch(r"bj-dlr-\dds17-(peek|nopeek)-(A|\d+|all)-(\w+)", entry["id"]).groups()
    total = {"bj": "natural", "blackjack": "natural", "BJ": "natural"}.get(total, total)
    if up != "all":
        points = 1 if up == "A" else int(up)
        return final_totals(shoe, points, stands, peeked == "peek")[total]
    return all_up_cards(entry["decks"], stands, peeked == "peek", total)


def final_totals(shoe, points, stands, peeked):
    """How likely the dealer ends on each total, however many cards that takes."""
    found = {}
    for (name, _), chance in dealer.final_hands(shoe, points, stands, peeked=peeked).items():
        found[name] = found.get(name, 0) + chance
    return {name: float(chance) for name, chance in found.items()}


def all_up_cards(decks, stands, peeked, total):
    """Over all up cards: each as likely as it is, and after the peek as likely as having no natural makes it."""
    shoe = ShoeComposition.of(decks)
    chances = {}
    for points in range(1, 11):
        cards = 16 * decks if points == 10 else 4 * decks
        ends = final_totals(shoe, points, stands, False)
        for name, chance in ends.items():
            chances[name] = chances.get(name, 0) + chance * cards / (52 * decks)
    natural = chances.pop("natural") if peeked else 0
    return chances[total] / (1 - natural)


@pytest.mark.parametrize("entry", DEALER, ids=lambda entry: entry["id"])
def test_published_dealer(entry):
    assert_close(entry, float(dealt_alone(entry)))


def test_all_of_the_kind_are_here():
    assert len(DEALER) == 156
    assert set(ROUNDED) <= {entry["id"] for entry in [*ENTRIES, *DEALER]}
    assert len(ENTRIES) == 257
    assert all(entry["source"] for entry in ENTRIES)
    assert isinstance(computed(ENTRIES[0]), Fraction)
