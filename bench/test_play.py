"""How fast exact play is: figures beside the goals of the README's table. `make bench`; never part of the tests."""

import numpy as np

from feltlab import analysis
from feltlab.analysis import Analysis
from feltlab.exact.baccarat import sequences
from feltlab.exact.baccarat.all_wagers import CoupCounter
from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.blackjack.results import results
from feltlab.exact.shoe import ShoeComposition
from feltlab.sheets import builtin_names, load
from feltlab.strategy import Basic, Bonus
from feltlab.tables import set_up

SIX = set_up(load("bad-beat-blackjack"), decks=6)


def test_all_baccarat_wagers_from_a_composition(benchmark):
    """ShoeComposition in, integer sums of all wagers of the sheet out."""
    coups = CoupCounter(list(set_up(load("bad-beat-baccarat")).wagers.values()))
    counts = np.array(ShoeComposition.of(8, range(40)).by_points(sequences.card_points, 10), dtype=np.int64)
    coups.sums(counts)
    benchmark(coups.sums, counts)


def test_composition_with_exact_splits_to_four_hands(benchmark):
    """Six decks: every decision of every hand against every up card, and the expectation of the game."""
    assert round(Blackjack.of(SIX).optimum * 100, 9) == -0.615389123
    benchmark(lambda: Blackjack.of(SIX).optimum)


def test_basic_strategy(benchmark):
    Blackjack.of(SIX).play(Basic())
    benchmark(lambda: Blackjack.of(SIX).play(Basic()))


def test_a_bonus_strategy_and_its_law(benchmark):
    """Another paytable of a shoe that has been analysed: the strategy for it, and the law of the wager."""
    game, wager = Blackjack.of(SIX), SIX.wagers["bad-beat"]
    game.play(Bonus(), wager).law(wager)

    def again():
        game._plays.clear()
        game.played_out.clear()
        return game.play(Bonus(), wager).law(wager)

    benchmark(again)


def test_results_and_variance_of_the_game(benchmark):
    game = Blackjack.of(SIX)
    results(game.play(Basic()))
    benchmark.pedantic(lambda: results(game.play(Basic())), rounds=3)


def everything():
    """All sheets, deck counts, options and paytables, default rules: every wager under basic strategy and for its bonus."""
    edges = []
    for name in builtin_names():
        sheet = load(name)
        for decks in sheet.decks:
            for option in sheet.options or [None]:
                for definition in sheet.side_wagers:
                    for paytable in sheet.printed(definition, decks):
                        posted = [f"{definition.id}={paytable.id}"] if definition.paytable else []
                        at = Analysis(
                            set_up(sheet, decks=decks, option=option, paytables=posted, offered=[definition.id])
                        )
                        strategies = ("basic", "bonus") if sheet.game == "blackjack" else ("basic",)
                        if sheet.game == "blackjack" and definition.id == "action-match":
                            strategies = ("basic",)
                        edges += [
                            float(found.figures.house_edge) for found in at.all_figures(definition.id, strategies)
                        ]
                        if sheet.game == "blackjack":
                            edges += [at.play(strategy).expected for strategy in strategies]
    return edges


def test_everything(benchmark):
    everything()

    def again():
        analysis._games.clear()
        return everything()

    benchmark.pedantic(again, rounds=2)
