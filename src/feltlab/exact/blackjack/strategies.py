"""Strategies at a table: which there are, which side wager one plays for, and what becomes of playing it."""

from __future__ import annotations

from feltlab.errors import FeltlabError, nearest
from feltlab.exact.blackjack.game import Blackjack, Played
from feltlab.exact.methods import is_counted
from feltlab.strategy import Basic, Bonus, Chart, Composition, Joint, Standard, Strategy, standard_chart
from feltlab.tables import Setup
from feltlab.wagers.wager import Wager


def play(game: Blackjack, setup: Setup, strategy: Strategy) -> Played:
    """Play a table's game by a strategy.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> setup = set_up(load("bad-beat-blackjack"), decks=6)
    >>> f"{play(Blackjack.of(setup), setup, Basic()).expected:.4%}"
    '-0.6181%'
    """
    if isinstance(strategy, Standard):
        strategy = standard_chart(setup.decks, setup.rules)
    if isinstance(strategy, Chart):
        return game.play(strategy, own_wager(setup))
    side = wager_of(setup, strategy.wager) if isinstance(strategy, Bonus | Joint) else None
    return game.play(strategy, side)


def strategies_of(setup: Setup) -> list[Strategy]:
    """The strategies that differ at a table: those for a side wager only where play can win it.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> for name in ("bad-beat-blackjack", "big-slick-blackjack", "bad-beat-baccarat"):
    ...     print(*strategies_of(set_up(load(name))))
    basic composition bonus joint:1
    basic composition
    <BLANKLINE>
    """
    if setup.sheet.game != "blackjack":
        return []
    own = own_wager(setup)
    played_for = own is not None and not is_counted(setup.sheet.game, own)
    for_side: list[Strategy] = [Bonus(), Joint(1)] if played_for else []
    return [Basic(), Composition(), *for_side]


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
