"""Which side wager a strategy has in view, and which strategies there are at a table."""

from __future__ import annotations

from feltlab.errors import FeltlabError, nearest
from feltlab.exact.methods import is_counted
from feltlab.strategy.names import has_wager_in_view, named_wager
from feltlab.tables import Setup
from feltlab.wagers.wager import Wager


def strategies_of(setup: Setup) -> list[str]:
    """The strategies that can be told apart at a table: those for a side wager only where play can win it.

    >>> from feltlab.sheets import load
    >>> from feltlab.tables import set_up
    >>> [strategies_of(set_up(load(name))) for name in ("bad-beat-blackjack", "big-slick-blackjack", "bad-beat-baccarat")]
    [['basic', 'composition', 'bonus', 'joint:1'], ['basic', 'composition'], []]
    """
    if setup.sheet.game != "blackjack":
        return []
    own = own_wager(setup)
    played_for = own is not None and not is_counted(setup.sheet.game, own)
    return ["basic", "composition", *(["bonus", "joint:1"] if played_for else [])]


def in_view(setup: Setup, name: str) -> Wager | None:
    """The side wager that a computed strategy by this name looks at; None if it looks at none."""
    return wager_of(setup, named_wager(name)) if has_wager_in_view(name) else None


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
