"""`feltlab play --json`: play by a program, one JSON command per line in, one JSON object per line out.

First comes `{"table": ...}`, then the events as they happen, with a face-down hole card left out, and after each command
either `{"waits_for": ...}` or `{"refused": "the reason"}`. A finished round is followed by a new one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from feltlab.cards import NO_CARD
from feltlab.cli.common import table_json
from feltlab.errors import FeltlabError, Refused, with_place
from feltlab.rounds.commands import AnyCommand
from feltlab.rounds.events import AnyEvent, CardDealt
from feltlab.rounds.open import open_round

if TYPE_CHECKING:
    from feltlab.rounds.shoe import Shoe
    from feltlab.tables.table import Table


def serve(table: Table, shoe: Shoe) -> None:
    """Play rounds until the input ends."""
    _say({"table": table_json(table)})
    shoe.begin_round()
    round_ = open_round(table, shoe)
    _say({"waits_for": round_.waits_for})
    for line in sys.stdin or ():
        if not line.strip():
            continue
        try:
            events = round_.do(_command(line))
        except Refused as error:
            _say({"refused": str(error)})
            continue
        for event in events:
            _say(_visible(event))
        if round_.over:
            shoe.begin_round()
            round_ = open_round(table, shoe)
        _say({"waits_for": round_.waits_for})
    if round_.log:
        raise FeltlabError("the input ended in the middle of a round; its wagers stay on the felt")


def _command(line: str) -> AnyCommand:
    try:
        command: AnyCommand = msgspec.json.decode(line.encode("utf-8", "replace"), type=AnyCommand)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refused(f"this is not a command: {with_place(str(error))}") from None
    return command


def _visible(event: AnyEvent) -> AnyEvent:
    if isinstance(event, CardDealt) and not event.face_up:
        return msgspec.structs.replace(event, card=NO_CARD)
    return event


def _say(data: object) -> None:
    sys.stdout.write(msgspec.json.encode(data).decode() + "\n")
    sys.stdout.flush()
