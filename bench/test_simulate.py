"""How fast rounds are dealt: figures beside the goals of the README's table. `make bench`; never part of the tests.

Rounds a second are printed at the end of each name's row as "rounds_s". Where there is a GPU, it is measured too.
"""

import os
from functools import cache

import pytest

from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError
from feltlab.hands.cut_card import default_cut
from feltlab.sheets import load
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.engines.gpu import Gpu
from feltlab.simulate.prepare import DealSettings, PlayerPlans, batch_size, prepare
from feltlab.simulate.stats.tally import Tally
from feltlab.tables import set_up

TABLES = [("bad-beat-baccarat", 8), ("bad-beat-blackjack", 6), ("big-slick-blackjack", 6)]
CPU = {("baccarat", "fresh"): 20_000_000, ("baccarat", "shoe"): 200_000, ("blackjack", "fresh"): 8_000_000, ("blackjack", "shoe"): 80_000}  # fmt: skip
GPU_TIMES = 200


@cache
def prepared(sheet, decks, mode, times=1, offered=None):
    """A table with six or eight decks, by basic strategy on one spot, with some or all of its side wagers."""
    at = Analysis(set_up(load(sheet), decks=decks, offered=offered))
    playing = PlayerPlans(at.play("basic").plans) if at.setup.sheet.game == "blackjack" else None
    units = CPU[at.setup.sheet.game, mode] * times
    dealing = DealSettings(mode, at.shoe.counts, 7, default_cut(52 * decks) if mode == "shoe" else 0)
    return prepare(at.setup, dealing, playing, units, batch_size(mode, units))


def measure(benchmark, ready, engine, rounds=3):
    work, meaning = ready

    def deal():
        tally = Tally.of(work)
        for part in engine.deal(work, [(0, work.batches)]):
            tally.add(part)
        return tally

    tally = benchmark.pedantic(deal, rounds=rounds, iterations=1, warmup_rounds=1)
    dealt = int(meaning.rounds @ tally.counts)
    benchmark.extra_info["rounds_s"] = dealt / benchmark.stats.stats.min
    print(f"\n{benchmark.name}: {dealt / benchmark.stats.stats.min:,.0f} rounds a second")


@pytest.mark.parametrize("mode", ["fresh", "shoe"])
@pytest.mark.parametrize(("sheet", "decks"), TABLES)
@pytest.mark.parametrize("wagers", ["base", "all"])
def test_one_thread(benchmark, sheet, decks, mode, wagers):
    measure(benchmark, prepared(sheet, decks, mode, offered=() if wagers == "base" else None), Cpu(1))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
@pytest.mark.parametrize("mode", ["fresh", "shoe"])
@pytest.mark.parametrize(("sheet", "decks"), TABLES[:2])
def test_two_threads(benchmark, sheet, decks, mode):
    measure(benchmark, prepared(sheet, decks, mode), Cpu(2))


def gpu():
    try:
        return Gpu()
    except FeltlabError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("mode", ["fresh", "shoe"])
@pytest.mark.parametrize(("sheet", "decks"), TABLES)
@pytest.mark.parametrize("wagers", ["base", "all"])
def test_gpu(benchmark, sheet, decks, mode, wagers):
    ready = prepared(sheet, decks, mode, GPU_TIMES, offered=() if wagers == "base" else None)
    measure(benchmark, ready, gpu(), rounds=2)


def test_gymnasium(benchmark):
    """A peer that plays blackjack: an endless deck, no splits, no doubles; one that stands on 17 and hits below."""
    gymnasium = pytest.importorskip("gymnasium")
    table = gymnasium.make("Blackjack-v1")

    def deal(rounds=2000):
        for number in range(rounds):
            seen, _ = table.reset(seed=number) if number == 0 else table.reset()
            over = False
            while not over:
                seen, _, over, _, _ = table.step(int(seen[0] < 17))

    benchmark.pedantic(deal, rounds=3, iterations=1)
    benchmark.extra_info["rounds_s"] = 2000 / benchmark.stats.stats.min
    print(f"\n{benchmark.name}: {2000 / benchmark.stats.stats.min:,.0f} rounds a second")
