"""Opens and replays rounds of whichever game a table is for."""

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
    """Open a new round at a table."""
    kind = BlackjackRound if table.setup.sheet.game == "blackjack" else BaccaratRound
    return kind(table, source)


def with_hole_card(log: Iterable[AnyEvent]) -> list[AnyEvent]:
    """The log with the hole card filled in, if it was turned over later; for logs that were stored as everybody saw them."""
    events = list(log)
    hole = next((event.card for event in events if isinstance(event, HoleShown)), NO_CARD)
    return [
        msgspec.structs.replace(event, card=hole) if isinstance(event, CardDealt) and not event.face_up else event
        for event in events
    ]


def replay(table: Table, log: Iterable[AnyEvent]) -> BlackjackRound | BaccaratRound:
    """Rebuild a round from its log."""
    again = open_round(table)
    again.follow(log)
    return again
