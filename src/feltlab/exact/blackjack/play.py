"""Strategies at a table: computed ones by name, and charts that were read before."""

from __future__ import annotations

from feltlab.exact.blackjack.game import Blackjack, Played
from feltlab.exact.blackjack.strategies import in_view, own_wager
from feltlab.strategy import Strategy
from feltlab.strategy.names import read_name
from feltlab.tables import Setup


def play(game: Blackjack, setup: Setup, strategy: str | Strategy) -> Played:
    """Play a table's game by a computed strategy, given by its name, or by a chart. No name makes a file be read.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> setup = set_up(load("bad-beat-blackjack"), decks=6)
    >>> f"{play(Blackjack.of(setup), setup, 'basic').expected:.4%}"
    '-0.6181%'
    """
    if isinstance(strategy, Strategy):
        return game.play(strategy, own_wager(setup))
    said = read_name(strategy)
    return game.play(said.word, in_view(setup, strategy), said.ratio, strategy)
