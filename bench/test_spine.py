"""How fast the spine is: loading, settling, dealing rounds with everything told. `make bench`; never part of the tests."""

import random

import pytest

from feltlab.rounds.open import open_round, replay
from feltlab.rounds.player import default_bets, play
from feltlab.rounds.shoe import Shoe, seeded, unbiased
from feltlab.sheets import load, load_text
from feltlab.sheets.loader import HERE
from feltlab.strategy import standard_chart
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from feltlab.wagers.blackjack_facts import hand_view

SHEETS = ["bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack"]


@pytest.mark.parametrize("sheet", SHEETS)
def test_load(benchmark, sheet):
    """Read and check a sheet whose cells have been evaluated once in this process."""
    text = (HERE / "builtin" / f"{sheet}.toml").read_text()
    assert benchmark(load_text, text, sheet).id == sheet


@pytest.mark.parametrize("sheet", SHEETS)
def test_set_up(benchmark, sheet):
    """Make every choice of a table again: what changing a pay costs."""
    assert benchmark(set_up, load(sheet)).wagers


@pytest.mark.parametrize("sheet", SHEETS)
def test_round(benchmark, sheet):
    """A round dealt, played by basic strategy with every wager placed, and settled."""
    table = open_table(set_up(load(sheet)))
    bets, chance = default_bets(table), random.Random(1)
    plan = standard_chart(6, table.setup.rules) if table.setup.sheet.game == "blackjack" else None

    def one():
        round_ = open_round(table, Shoe(table.setup.decks, unbiased(chance.getrandbits)))
        play(round_, plan, bets)
        return round_

    assert benchmark(one).over


def test_shuffle(benchmark):
    shoe = seeded(8, 1)
    benchmark(shoe.shuffle)


def test_replay(benchmark):
    table = open_table(set_up(load("bad-beat-blackjack")))
    round_ = open_round(table, seeded(6, 1))
    play(round_, standard_chart(6, table.setup.rules), default_bets(table))
    assert benchmark(replay, table, round_.log).over


def test_settle_one_wager(benchmark):
    wager = set_up(load("bad-beat-blackjack")).wagers["bad-beat"]
    view = hand_view(36, 40, 0, 48, -1, 20, 0, 2, 1, 1, 0, 1, 0, 0, 11, 1, 2)
    assert benchmark(wager.outcome, view).pays == 20
