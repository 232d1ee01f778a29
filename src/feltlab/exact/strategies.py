"""Strategies by name: basic, composition, bonus:WAGER, joint:WAGER:R, or a chart's file."""

from __future__ import annotations

from pathlib import Path

from feltlab.errors import FeltlabError, nearest
from feltlab.exact.blackjack import Blackjack, Played
from feltlab.exact.in_view import in_view
from feltlab.files import exists
from feltlab.sheets import Setup
from feltlab.strategy import load
from feltlab.strategy.names import NAMES

HELP = "basic, composition, bonus[:WAGER], joint[:WAGER]:RATIO, or a chart's file"


def play(game: Blackjack, setup: Setup, name: str) -> Played:
    """Play a table's game by a strategy that is given by name.

    >>> from feltlab.sheets import load, set_up
    >>> setup = set_up(load("bad-beat-blackjack"), decks=6)
    >>> f"{play(Blackjack.of(setup), setup, 'basic').expected:.4%}"
    '-0.6181%'
    """
    word, *rest = name.split(":")
    if word in ("basic", "composition"):
        if rest:
            raise FeltlabError(f"the strategy '{word}' takes nothing after it; write '{word}'")
        return game.play(word, name=name)
    if word == "bonus" and len(rest) <= 1:
        return game.play(word, in_view(setup, name), name=name)
    if word == "joint" and len(rest) in (1, 2):
        return game.play(word, in_view(setup, name), _ratio(rest[-1]), name)
    if word == "joint":
        raise FeltlabError("the strategy 'joint' needs how much the side wager is of the main one, as 'joint:0.5'")
    if name and exists(Path(name)):
        return game.play(load(name, das=bool(game.house.double_after_split)), in_view(setup, name), name=name)
    raise FeltlabError(f"there is no strategy and no file '{name}'; it is {HELP} ({nearest(word, NAMES)})")


def _ratio(text: str) -> float:
    try:
        ratio = float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio < float("inf"):
        raise FeltlabError(f"'{text}' is no ratio of the side wager to the main one; write a number, as 'joint:0.5'")
    return ratio
