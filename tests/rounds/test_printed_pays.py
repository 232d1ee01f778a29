"""A printed pay is what is paid: what a table posts beside what its rounds pay, for every wager, option and paytable.

Both ways: whatever a round pays is posted with that pay, and each posted line is one that a round at this table can pay.
"""

import re
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest
from typer.testing import CliRunner

from feltlab.cards import card, rank
from feltlab.cli import app
from feltlab.floor.house.about import posted
from feltlab.lab.about import about as about_sheet
from feltlab.lab.figures import figures
from feltlab.rounds.commands import Act, Deal, EvenMoney, Insure, PlaceBet
from feltlab.rounds.events import BetSettled
from feltlab.rounds.open import open_round
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import builtin_names, load
from feltlab.sheets.loader import builtin_text
from feltlab.sheets.options import options_of_lines
from feltlab.tables import TableChoice, set_up
from feltlab.tables.table import open_table
from support.playthrough import FILES, Playthrough

PLAYTHROUGHS = [Playthrough.read(path) for path in FILES]
STAKE = 2000  # cents


def posted_at(table):
    """What a table says that its wagers pay: a pay by line, for each wager."""
    return {wager.id: {line.id: line.pays for line in wager.lines} for wager in posted(table)}


def won(stake, pays):
    """What a stake wins by a pay as it is printed, to the cent and rounded down."""
    if pays in ("push", "lose"):
        return 0 if pays == "push" else -stake
    lost, first, second = re.fullmatch(r"(lose )?(\d+):(\d+)", pays).groups()
    moved = stake * Fraction(int(first), int(second))
    return -stake + int(stake - moved) if lost else int(moved)


def settlements(round_):
    return [event for event in round_.log if isinstance(event, BetSettled)]


def check(printed, round_):
    """Every wager of a round came to what the table posts for its lines."""
    for bet in settlements(round_):
        if bet.taken or not bet.lines:
            assert bet.back == 0
            continue
        said = [printed[bet.wager][line] for line in bet.lines]
        paid = sum(won(bet.stake, pays) for pays in said)
        assert bet.back - bet.stake == paid, (bet.wager, bet.lines, said)


@cache
def written():
    """Every round that is written by hand, once for each deck count and paytable that it is for."""
    return [told.play(decks, paytables)[0] for told in PLAYTHROUGHS for decks, paytables in told.runs()]


def test_what_is_paid_is_posted():
    for round_ in written():
        check(posted_at(round_.table), round_)


# ---- every posted line can be paid


def coups(option):
    """Baccarat coups from a small shoe, with every wager of the base game on each."""
    sheet, rng = load("bad-beat-baccarat"), Random(13)
    table = open_table(set_up(sheet, option=option))
    deck = list(range(52)) * 8
    for _ in range(800):
        round_ = open_round(table, Stacked(rng.sample(deck, 6)))
        for wager in sheet.base_ids:
            round_.do(PlaceBet(1, wager, STAKE))
        round_.do(Deal())
        yield round_


@pytest.mark.parametrize("option", ["commission", "no-commission"])
def test_every_line_of_the_base_wagers_of_baccarat_is_paid(option):
    printed, seen = {}, set()
    for round_ in coups(option):
        printed = printed or posted_at(round_.table)
        check(printed, round_)
        seen.update((bet.wager, line) for bet in settlements(round_) for line in bet.lines)
    assert seen == {(wager, line) for wager in load("bad-beat-baccarat").base_ids for line in printed[wager]}


RANKS = [rank(card(name)) for name in ("As", "Ks", "8s", "6s", "5s")]
RULES = [
    *product(("none", "late", "early"), ("peek", "none-original", "none-all"), ("3:2",)),
    ("none", "peek", "6:5"),
]


def hands(rules, rounds):
    """Rounds of blackjack from few ranks, decided by the dice."""
    table, rng = open_table(set_up(load("bad-beat-blackjack"), rules=rules)), Random(13)
    deck = [one for one in range(52) if rank(one) in RANKS] * 8
    for _ in range(rounds):
        rng.shuffle(deck)
        round_ = open_round(table, Stacked(deck))
        round_.do(PlaceBet(1, "main", STAKE))
        round_.do(Deal())
        while decision := round_.waits_for:
            if decision.kind == "insurance":
                answers = [Insure(decision.spot), Insure(decision.spot, STAKE // 2)]
                round_.do(rng.choice([*answers, EvenMoney(decision.spot)] if decision.even_money else answers))
            else:
                pairs = ["split"] * 4 if "split" in decision.actions else []
                round_.do(Act(decision.spot, rng.choice([*decision.actions, *pairs])))
        yield round_


@pytest.mark.parametrize("values", RULES, ids=" ".join)
def test_every_line_of_the_base_wagers_of_blackjack_is_paid(values):
    """At tables of every kind of surrender and hole card; where a natural pays 6 to 5 there is no even money."""
    printed, seen = {}, set()
    for number, round_ in enumerate(hands(dict(zip(("surrender", "hole-card", "natural"), values, strict=True)), 4000)):
        printed = printed or posted_at(round_.table)
        check(printed, round_)
        seen.update((bet.wager, line) for bet in settlements(round_) for line in bet.lines)
        wanted = {(wager, line) for wager in ("main", "insurance") for line in printed[wager]}
        if number > 300 and seen == wanted:
            break
    assert seen == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_every_line_of_a_side_wager_is_paid(name):
    """By a round that is written by hand, for each option that the wager looks at, deck count and paytable."""
    sheet = load(name)
    paid = {}
    for round_ in written():
        setup = round_.table.setup
        for bet in settlements(round_) if setup.sheet.id == name else ():
            paid.setdefault((bet.wager, setup.decks, setup.wagers[bet.wager].paytable), set()).update(bet.lines)
    for wager in sheet.side_wagers:
        assert not options_of_lines(sheet, wager), "no line of a side wager is for one option only"
        for paytable in wager.paytables():
            for decks, option in product(sheet.decks_of(paytable), sheet.options or [None]):
                named = [f"{wager.id}={paytable.id}"] if wager.paytable else []
                setup = set_up(sheet, decks=decks, option=option, paytables=named, offered=[wager.id])
                lines = posted_at(open_table(setup))[wager.id]
                assert set(lines) == paid[wager.id, decks, paytable.id]


# ---- the other places where pays are printed


def test_the_sheets_text_names_the_option_of_a_line():
    """`feltlab show` prints a sheet with all its options: beside each line stands the one that it is for."""
    said = CliRunner().invoke(app, ["show", "bad-beat-baccarat"], env={"COLUMNS": "200"}).stdout
    sheet = load("bad-beat-baccarat")
    for option in sheet.options:
        table = open_table(set_up(sheet, option=option))
        for wager in posted(table):
            for line in wager.lines:
                only = options_of_lines(sheet, sheet.wager(wager.id)).get(line.id, [])
                shown = line.name + (f" (option {only[0]})" if only else "")
                assert re.search(rf"^ +{re.escape(shown)} +{line.pays}\b", said, re.MULTILINE), (option, line)
    assert said.count("(option no-commission)") == 2 and said.count("(option commission)") == 1


@pytest.mark.parametrize("option", ["commission", "no-commission"])
def test_the_lab_has_the_lines_of_the_table(option):
    sheet = load("bad-beat-baccarat")
    printed = posted_at(open_table(set_up(sheet, option=option)))
    found = figures(TableChoice(option=option), sheet, "counted")
    assert found.pays == printed
    for wager in found.wagers:
        rows = {line.id: line.pays for line in wager.lines if line.id}
        assert rows == printed[wager.id]
    named = about_sheet(sheet, builtin_text("bad-beat-baccarat"))
    banker = next(wager for wager in named.wagers if wager.id == "banker")
    offered = [line.id for line in banker.lines if not line.options or option in line.options]
    assert offered == [*printed["banker"]]


@pytest.mark.slow
def test_the_lab_shows_no_surrender_where_there_is_none():
    sheet = load("bad-beat-blackjack")
    for surrender in ("none", "late"):
        found = figures(TableChoice(rules={"surrender": surrender}), sheet, "played", ["main"])
        lines = {line.id for wager in found.wagers for line in wager.lines}
        assert ("surrender" in lines) == (surrender == "late")
