"""A round of whichever game the table's sheet is for."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from feltlab.cards import NO_CARD
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import AnyEvent, CardDealt, HoleShown
from feltlab.rounds.shoe import CardSource
from feltlab.tables.table import Table


def open_round(table: Table, source: CardSource | None = None) -> BlackjackRound | BaccaratRound:
    """A new round at a table."""
    kind = BlackjackRound if table.setup.sheet.game == "blackjack" else BaccaratRound
    return kind(table, source)


def uncovered(log: Iterable[AnyEvent]) -> list[AnyEvent]:
    """A log with the card that lay face down, where it was turned over later: for one that was written down as seen."""
    events = list(log)
    hole = next((event.card for event in events if isinstance(event, HoleShown)), NO_CARD)
    return [
        msgspec.structs.replace(event, card=hole) if isinstance(event, CardDealt) and not event.face_up else event
        for event in events
    ]


def replay(table: Table, log: Iterable[AnyEvent]) -> BlackjackRound | BaccaratRound:
    """The round that a log tells of, in the state it was left in."""
    again = open_round(table)
    again.follow(log)
    return again
