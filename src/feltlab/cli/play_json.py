"""`feltlab play --json`: a program plays, one JSON command a line in, one JSON object a line out.

Out come the events as they happen, with an unseen hole card left out, and after each command either
`{"waits_for": ...}` or `{"refused": "the reason"}`. A round that is over is followed by a new one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from feltlab.cards import NO_CARD
from feltlab.errors import Refused
from feltlab.table.commands import AnyCommand
from feltlab.table.events import AnyEvent, CardDealt
from feltlab.table.open import open_round

if TYPE_CHECKING:
    from feltlab.table.shoe import Shoe
    from feltlab.table.table import Table


def serve(table: Table, shoe: Shoe) -> None:
    """Play rounds until the input ends."""
    round_ = open_round(table, shoe)
    _say({"waits_for": round_.waits_for})
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            command = msgspec.json.decode(line, type=AnyCommand)
            events = round_.do(command)
        except msgspec.MsgspecError as error:
            _say({"refused": f"this is no command: {error}"})
            continue
        except Refused as error:
            _say({"refused": str(error)})
            continue
        for event in events:
            _say(_visible(event))
        if round_.over:
            if shoe.cut_is_out:
                shoe.shuffle()
            round_ = open_round(table, shoe)
        _say({"waits_for": round_.waits_for})


def _visible(event: AnyEvent) -> AnyEvent:
    if isinstance(event, CardDealt) and not event.face_up:
        return msgspec.structs.replace(event, card=NO_CARD)
    return event


def _say(data: object) -> None:
    sys.stdout.write(msgspec.json.encode(data).decode() + "\n")
    sys.stdout.flush()
