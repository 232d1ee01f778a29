"""Strategies by name: basic, composition, bonus:WAGER, joint:WAGER:R, or a chart's file."""

from __future__ import annotations

from pathlib import Path

from feltlab.errors import FeltlabError, nearest
from feltlab.exact.blackjack import Blackjack, Played
from feltlab.files import exists
from feltlab.sheets import Setup
from feltlab.strategy import load
from feltlab.strategy.names import NAMES, has_wager_in_view, named_wager
from feltlab.wagers.wager import Wager

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


def in_view(setup: Setup, name: str) -> Wager | None:
    """The side wager that a strategy by this name looks at; None if it looks at none."""
    if not has_wager_in_view(name):
        return None
    return wager_of(setup, named_wager(name)) if name.partition(":")[0] in NAMES else own_wager(setup)


def own_wager(setup: Setup) -> Wager | None:
    """The sheet's own bonus: its first side wager that is placed before the deal and offered at the table."""
    side = [wager for id, wager in setup.wagers.items() if id not in setup.sheet.base_ids and wager.before_deal]
    return side[0] if side else None


def wager_of(setup: Setup, id: str | None) -> Wager:
    """The side wager that a strategy names, or the sheet's own."""
    if id is None:
        own = own_wager(setup)
        if own is None:
            raise FeltlabError(f"{setup.sheet.id} has no side wager on the hand to play for")
        return own
    if id not in setup.wagers or id in setup.sheet.base_ids:
        known = [known for known in setup.wagers if known not in setup.sheet.base_ids]
        raise FeltlabError(f"the table has no side wager '{id}' to play for; {nearest(id, known)}")
    return setup.wagers[id]


def _ratio(text: str) -> float:
    try:
        ratio = float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio < float("inf"):
        raise FeltlabError(f"'{text}' is no ratio of the side wager to the main one; write a number, as 'joint:0.5'")
    return ratio
