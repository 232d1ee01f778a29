"""A round of whichever game the table's sheet is for."""

from __future__ import annotations

from collections.abc import Iterable

from feltlab.table.baccarat import BaccaratRound
from feltlab.table.blackjack import BlackjackRound
from feltlab.table.events import AnyEvent
from feltlab.table.round import Round
from feltlab.table.shoe import CardSource
from feltlab.table.table import Table


def open_round(table: Table, source: CardSource | None = None) -> BlackjackRound | BaccaratRound:
    """A new round at a table."""
    kind = BlackjackRound if table.setup.sheet.game == "blackjack" else BaccaratRound
    return kind(table, source)


def replay(table: Table, log: Iterable[AnyEvent]) -> Round:
    """The round that a log tells of, in the state it was left in."""
    again = open_round(table)
    again.follow(log)
    return again
