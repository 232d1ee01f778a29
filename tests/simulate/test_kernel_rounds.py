"""The round engine and the kernels on the same cards and by the same strategy: the same hands, decisions and payments.

The round engine plays round after round from a stacked deck each; the kernel is dealt what these rounds took, in one
stack, and tells what it does. A round that takes one card more or less there makes every later one another. What it
tells is read back as a log reads it.
"""

import random
from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from feltlab.analysis import Analysis
from feltlab.cards import names
from feltlab.exact.blackjack.strategies import own_wager
from feltlab.exact.shoe import ShoeComposition
from feltlab.games import baccarat, blackjack
from feltlab.games.rules import ANY_RATIO
from feltlab.hands.actions import NAMES
from feltlab.hands.cut_card import default_cut
from feltlab.hands.graph import CARDS, hands
from feltlab.rounds.commands import Deal, Insure
from feltlab.rounds.events import Acted
from feltlab.rounds.open import open_round
from feltlab.rounds.player import choose_command, place_bets
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import load, load_text
from feltlab.simulate.kernels import coups, rounds
from feltlab.simulate.kernels.cursor import POINTS_BITS, SHOE, STACKED, ShoeSpec, Workspace
from feltlab.simulate.prepare import DealSettings, PlayerPlans, prepare
from feltlab.simulate.trace import dealing
from feltlab.simulate.trace.decode import NO_CELL, decode_coups, decode_hands
from feltlab.simulate.work import ORDER, READY
from feltlab.strategy import Chart, standard_chart
from feltlab.strategy.chart import Cell, Exact
from feltlab.strategy.plan import plan_of
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from feltlab.wagers.baccarat_facts import CLASSES, VIEWS
from support.paths import ROOT
from support.soak import soak

GROUPS, TABLES = 12, 5
# Without soak a group plays one of its tables: together every sheet, every kind of strategy, and one to three spots.
PART = (4, 2, 2, 2, 0, 1, 2, 4, 4, 4, 4, 4)
# By spots: 12 groups of 4 tables with one spot and one with more.
ROUNDS = soak({1: 3800, 2: 2000, 3: 1600}, {1: 1900, 2: 1700, 3: 1700})
COUPS = soak(51_000, 5100)  # in each of four groups
LEAST, LEAST_SPLIT = soak(200_000, 20_000), soak(1000, 100)  # rounds and coups of all groups, split ones of each
FOLDER = ROOT / "docs" / "examples"
OTHERS = ("odd", "21-plus-3", "waiting-pairs", "dealer-bust", "match-the-dealer", "perfect-pairs")
BACCARAT = ("dragon-bonus", "player-pair")
COMPUTED = ("basic", "bonus", "composition", "joint:0.5")
NATURALS = ("3:2", "6:5", "1:1", "7:5", "2:1")
BASE = ("main", "player", "banker", "tie")
MAIN, SIDE = 1000, 500  # cents in which every pay of these tables is whole

# What no sheet asks yet: cards beside facts of the hand, the hole card beside others, every moment, needs that depend.
ODD = """
id = "odd"
name = "Odd"
game = "blackjack"
decks = [1, 2, 3, 4, 5, 6, 7, 8]
[[wager]]
id = "pairs"
name = "Pairs that are bust, doubled or beaten"
take = [{ at = "deal", when = "not suited(first, second) and not pair(first, second)" }]
needs = [{ at = "dealer-finished", when = "total <= 14 or split" }, { at = "dealer-two-cards" }]
line = [
    { name = "Bust", when = "pair(first, second) and bust", pays = "3:1" },
    { name = "Dealer's natural", when = "suited(first, second) and dealer.natural", pays = "20:1" },
    { name = "Doubled", when = "suited(first, second) and doubled", pays = "2:1" },
    { name = "Dealer's pair", when = "pair(up, hole) and dealer.total == 21", pays = "7:2" },
]
[[wager]]
id = "stands"
name = "Stands"
settled = [{ at = "action", when = "stood and total == 20" }, { at = "naturals", when = "not soft" }, { at = "end" }]
line = [
    { name = "Four cards", when = "stood and cards >= 4", pays = "5:1" },
    { name = "Twenty", when = "stood and total == 20 and not split", pays = "1:1" },
    { name = "Split twenty", when = "stood and total == 20", pays = "4:1" },
    { name = "Given up", when = "surrendered", pays = "push" },
]
[[wager]]
id = "under"
name = "First card and hole card"
needs = "dealer-two-cards"
line = [
    { name = "Identical", when = "identical(first, hole)", pays = "30:1" },
    { name = "Three in a row", when = "straight(second, up, hole)", pays = "6:1" },
    { name = "Pair under", when = "pair(up, hole)", pays = "3:1" },
]
[[wager]]
id = "lucky-hit"
name = "Hit card"
placed = [{ at = "before-hit", when = "total >= 9" }, { at = "before-double", when = "not split" }]
settled = "hit"
line = [
    { name = "Twenty-one", when = "total == 21", pays = "8:1" },
    { name = "Bust", when = "bust and pair(hit, first)", pays = "5:1" },
    { name = "Suited", when = "suited(hit, up)", pays = "1:1" },
    { name = "Like the second", when = "split and pair(hit, second)", pays = "push" },
]
"""


@cache
def sheet(name):
    """A sheet by name: built in, an example, the odd one, or Perfect Pairs that waits for the end to be settled."""
    if name == "odd":
        return load_text(ODD, "odd.toml")
    if name == "waiting-pairs":
        text = (FOLDER / "perfect-pairs.toml").read_text()
        return load_text(text.replace('settled = "deal"', 'settled = "end"'), "waiting-pairs.toml")
    example = FOLDER / f"{name}.toml"
    return load(str(example) if example.exists() else name)


def random_setup(name, chance, option=None):
    """A table of a sheet, with house rules, paytables and (unless it is given) the option drawn at random."""
    found = sheet(name)
    decks = chance.choice(found.decks)
    values = {rule.key: NATURALS if rule.values == ANY_RATIO else rule.values for rule in found.rules}
    offered = [wager for wager in found.side_wagers if found.printed(wager, decks)]
    chance.shuffle(offered)
    kept = [one for place, one in enumerate(offered) if not any(other.id in one.excludes for other in offered[:place])]
    return set_up(
        found,
        decks=decks,
        option=option or chance.choice(list(found.options) or [None]),
        paytables=[
            f"{wager.id}={chance.choice(found.printed(wager, decks)).id}" for wager in kept if len(wager.paytable) > 1
        ],
        rules={key: chance.choice(of) for key, of in values.items()},
        offered=[wager.id for wager in kept],
    )


def wild(chance, by_bonus, highest):
    """A strategy that nobody would play: hands up to a total at random, and given ones with a bonus another way."""

    def wishes():
        usual = [("hit", "stand"), ("stand",), ("double", "hit", "stand"), ("double", "stand")]
        return chance.choices([*usual, ("surrender", "hit", "stand"), ("surrender", "stand")], (8, 8, 3, 1, 1, 1))[0]

    kinds = [("hard", total) for total in range(4, 22)] + [("soft", total) for total in range(12, 22)]
    chart = {
        Cell(kind, total, up): wishes() if total <= highest + 2 * (kind == "soft") else ("stand",)
        for kind, total in kinds
        for up in CARDS
    }
    for pair in CARDS:
        for up in CARDS:
            if chance.random() < 0.8:
                chart[Cell("pair", pair, up)] = chance.choices([("split",), ("surrender", "split")], (8, 1))[0]
    graph, exact = hands(), {}
    named = np.flatnonzero((graph.size == 2) | ((graph.size <= 4) & (graph.size > 2) & (graph.total <= highest)))
    for hand in chance.choices(named.tolist(), k=300):
        cards = tuple(np.repeat(CARDS, graph.cards[hand]).tolist())
        pair = cards[0] == cards[-1] and len(cards) == 2 and chance.random() < 0.7
        exact[Exact(cards, chance.choice(CARDS), chance.choice(by_bonus))] = ("split", "stand") if pair else wishes()
    return Chart("wild", chart, exact)


def random_play(kind, setup, chance):
    """A strategy, and the plans of it with the wager that they have in view."""
    # A player at a table calls any side wager that is alive the bonus; strategies know one.
    sides = [id for id, wager in setup.wagers.items() if wager.before_deal and id != "main"]
    if kind in COMPUTED:
        strategy = Analysis(setup).play(kind).chart
    elif kind == "chart":
        strategy = standard_chart(setup.decks, setup.rules)
    else:
        strategy = wild(chance, [True, False, None] if len(sides) == 1 else [None], 20 if kind == "wild" else 16)
    plans = {up: plan_of(strategy, up, setup.house) for up in CARDS}
    return strategy, PlayerPlans(plans, own_wager(setup).id if len(sides) == 1 else None)


def stacks(decks, count, length, seed):
    """The first cards of shuffled shoes. Two thirds begin with the cards of a few ranks: pairs, splits and naturals."""
    chance, deck = np.random.default_rng(seed), np.repeat(np.arange(52), decks)
    numbers = np.arange(count)[:, None]
    place_of_rank = chance.random((count, 13)).argsort(axis=1)
    few = place_of_rank[:, deck // 4] < np.where(numbers % 3, 2 + numbers % 4, 13)
    later = ~few & (chance.random(few.shape, dtype=np.float32) < 0.97)
    order = np.argsort(chance.random(few.shape, dtype=np.float32) + later, axis=1)[:, :length]
    return deck[order].tolist()


def before_the_deal(table, bets, spots):
    """The events of placing these bets: the same in every round of a table, and so verified once."""
    round_ = open_round(table)
    place_bets(round_, spots, bets)
    return round_.log


class ByTable:
    """Rounds at a table of the round engine, one after another, as rows of facts; and the cards that they took."""

    def __init__(self, setup, strategy, spots):
        self.table, self.strategy = open_table(setup), strategy
        self.bets = {id: MAIN if id in BASE else SIDE for id in setup.wagers if id != "insurance"}
        self.before = before_the_deal(self.table, self.bets, spots)
        self.stream = []

    def round(self, order):
        """One round; insurance is taken wherever it is offered, as the kernel does."""
        round_ = open_round(self.table, Stacked(order))
        round_.follow(self.before)
        round_.do(Deal())
        while not round_.over:
            if round_.step == "insurance":
                waits = round_.waits_for
                decided = Insure(waits.spot, waits.most)
            else:
                decided = choose_command(round_, self.strategy, self.bets)
            round_._carry_out(decided)  # not `do`: it is one of those on offer, and to verify it again takes time
        self.stream += order[: round_.source.dealt]
        return round_.hands.dealer.cards, self.rows(round_)

    def rows(self, round_):
        """Each hand: the cards, the decisions and every bet on it with the lines that paid, its stake and what it won."""
        acted, bets = defaultdict(list), defaultdict(list)
        for event in round_.log:
            if isinstance(event, Acted):
                acted[event.spot, event.hand].append(event.action)
        for bet in round_.felt.bets.values():
            settled = bet.settled
            bets[bet.spot, bet.hand].append((bet.wager, settled.lines, settled.stake, settled.back - settled.stake))
        found = []
        for number, spot in sorted(round_.hands.spots.items()):
            for hand in spot.hands:
                decisions = acted[number, hand.id]
                if hand.how == "stood" and decisions[-1:] != ["stand"]:  # it had to
                    decisions.append("stand")
                found.append((hand.cards, decisions, sorted(bets[number, hand.id])))
        return found


def entries(cards, points):
    """Cards as they lie in a kernel's shoe."""
    return np.array([card << POINTS_BITS | points(card) for card in cards], dtype=np.int16)


def endings(measured):
    """By way to end: the wager, the lines that pay, the stake in cents and what is won."""
    unit, outcomes = MAIN if measured.wager.id in BASE else SIDE, measured.wager.cells.outcomes
    found = []
    for way in measured.ways:
        outcome = outcomes[way.outcome]
        net = outcome.pays * way.stake * unit
        assert net.denominator == 1
        found.append((measured.wager.id, measured.wager.line_ids(outcome), way.stake * unit, int(net)))
    return found


def by_kernel(prepared, stream):
    """The same rounds as the kernel deals them."""
    (work, meaning), game = prepared, prepared.work.game
    tab = np.concatenate([work.tab, entries(stream, blackjack.card_points)])
    space = Workspace(
        *(tab, work.spec, np.zeros(len(stream) + ORDER, dtype=np.int16)),
        *(np.zeros(size, dtype=np.int64) for size in (rounds.WORK, work.cells)),
    )
    most = len(stream)  # rounds, by far
    trace = np.zeros(1 + 12 * most, dtype=np.int64)
    dealing.tell_rounds(
        *(0, most, False, 0, 0, game._replace(deck=len(work.tab))), ShoeSpec(STACKED, most, 0, 0, 0), space, trace
    )
    assert trace[0] < len(trace)
    told = decode_hands(trace[1 : trace[0] + 1])
    counts = np.zeros(work.cells, dtype=np.int64)
    np.add.at(counts, told.cell, 1)
    assert np.array_equal(counts[: game.at_cross], space.counts[: game.at_cross])
    ways = [(endings(one), one.cells.tolist()) for one in meaning.measured]
    cards, actions, hits = (part.lists() for part in (told.cards, told.actions, told.hits))
    found = [(dealer, []) for dealer in told.dealer.lists()]
    columns = (told.round, told.cell, told.on_cards)
    for row, (number, *cells) in enumerate(zip(*(part.tolist() for part in columns), strict=True)):
        settled = [cell for cell in (*cells, *hits[row]) if cell != NO_CELL]
        bets = sorted(end[of[cell]] for end, of in ways for cell in settled if of[cell] >= 0)
        found[number][1].append((cards[row], [NAMES[action] for action in actions[row]], bets))
    return found


def check_counts(work):
    """Kernels that tell nothing, and go about it in quicker ways, count what the one that tells counts."""
    whole = replace(work, shoe=work.shoe._replace(mode=SHOE), cut=default_cut(work.shoe.size), batch=20, units=20)
    for one in (work, whole):
        counts = np.zeros(one.cells, dtype=np.int64)
        assert all(len(chunk.words) for chunk in dealing.traced(one)(0, one.units, counts))
        assert np.array_equal(counts, one.part(0, 1).counts)


def random_tables(group, chance):
    """Five tables, each as a setup, the kind of strategy, and the number of spots that are played."""
    computed = (*COMPUTED, "tame", "chart")[group % 6]
    tables = [
        ("bad-beat-blackjack", "tame" if group % 4 else "wild"),
        ("big-slick-blackjack", "chart"),
        ("bad-beat-blackjack", computed),
        ("big-slick-blackjack", "tame"),
        (OTHERS[group % 6], "tame" if group % 2 == 0 else "chart"),
    ]
    for number, (name, kind) in enumerate(tables):
        setup = random_setup(name, chance)
        yield setup, kind, min(setup.decks, 2 + group % 2) if number == group % 4 else 1


@pytest.mark.parametrize("group", range(GROUPS))
def test_rounds_of_blackjack(group):
    chance = random.Random(f"rounds {group}")
    played = split = 0
    for number, (setup, kind, spots) in enumerate(random_tables(group, chance)):
        if number not in soak(range(TABLES), [PART[group]]):
            continue
        strategy, playing = random_play(kind, setup, chance)
        by_table = ByTable(setup, strategy, spots)
        orders = stacks(setup.decks, ROUNDS[spots], 40 + 40 * spots, [group, number])
        rows = [by_table.round(order) for order in orders]
        dealing = DealSettings("fresh", ShoeComposition.of(setup.decks).counts, 0, 0, spots)
        prepared = prepare(setup, dealing, playing, 3000, 3000)
        check_counts(prepared.work)
        others = by_kernel(prepared, by_table.stream)
        for order, one, other in zip(orders, rows, others, strict=False):
            assert one == other, (setup.headline(), dict(setup.rules), kind, spots, names(order[:20]))
        assert len(rows) == len(others)
        played += len(rows)
        split += sum(len(one) > spots for _, one in rows)
    assert played * GROUPS >= LEAST and split > LEAST_SPLIT


def coup_of(table, before, order):
    """A coup of the round engine: both hands, their totals, every bet, and how many cards it took."""
    round_ = open_round(table, Stacked(order))
    round_.follow(before)
    round_.do(Deal())
    bets = [
        (bet.wager, bet.settled.lines, bet.stake, bet.settled.back - bet.stake) for bet in round_.felt.bets.values()
    ]
    coup = round_.coup
    return (coup.player, coup.banker, coup.points("player"), coup.points("banker"), bets), round_.source.dealt


def coups_by_kernel(prepared, stream):
    """The same coups as the kernel deals them from one stack."""
    work, meaning = prepared
    (_, spec, asked), deck = work.coup_tables(), entries(stream, baccarat.card_points)
    order, picks = np.zeros(ORDER, dtype=np.int16), np.zeros(READY, dtype=np.int64)
    counts, trace = np.zeros(work.cells, dtype=np.int64), np.zeros(1 + len(deck), dtype=np.int64)
    dealing.tell_shoe(
        *(
            0,
            ShoeSpec(STACKED, len(deck), 0, 0, 0),
            deck,
            order,
            picks,
            0,
            0,
            coups.played(),
            spec,
            asked,
            counts,
            trace,
        )
    )
    told = decode_coups(trace[1 : trace[0] + 1])
    assert np.array_equal(np.bincount(told.cell, minlength=work.cells), counts)
    ways = [(endings(one), one.cells.tolist()) for one in meaning.measured]
    found = []
    for cell, cards in zip(told.cell.tolist(), told.cards.tolist(), strict=True):
        view, dealt = VIEWS[cell % CLASSES], [[card for card in hand if card >= 0] for hand in (cards[:3], cards[3:])]
        found.append((*dealt, view.player_total, view.banker_total, [end[of[cell]] for end, of in ways]))
    return found


@pytest.mark.parametrize("group", range(4))
def test_coups_of_baccarat(group):
    chance, played = random.Random(f"coups {group}"), 0
    for number, name in enumerate(["bad-beat-baccarat", "bad-beat-baccarat", *BACCARAT]):
        setup = random_setup(name, chance, option=["commission", "no-commission"][number % 2 ^ group % 2])
        table, dealing = open_table(setup), DealSettings("fresh", ShoeComposition.of(setup.decks).counts, 0)
        before = before_the_deal(table, {id: MAIN if id in BASE else SIDE for id in setup.wagers}, 1)
        prepared = prepare(setup, dealing, None, 3000, 3000)
        check_counts(prepared.work)
        orders = stacks(setup.decks, COUPS // 4, 6, [group, number])
        for first in range(0, len(orders), 160):  # as many as a kernel's shoe has room for
            rows, taken = zip(*(coup_of(table, before, order) for order in orders[first : first + 160]), strict=True)
            stream = [card for order, count in zip(orders[first:], taken, strict=False) for card in order[:count]]
            assert list(rows) == coups_by_kernel(prepared, stream), (setup.headline(), dict(setup.rules), first)
            played += len(rows)
    assert 4 * played >= LEAST
