"""The events of a live table beside its rounds, and how all events are encoded.

Steps are stored, streamed and answered in one form, the public one: cards by their names, and a face-down card as `--`. The
stored events hold nothing that players have not seen; the cards to come are only in the sealed shoe. Tags and fields are
stored and stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from feltlab.cards import NO_CARD, card, name
from feltlab.floor.people.names import NAMED, token
from feltlab.rounds.commands import AnyMove
from feltlab.rounds.events import AnyEvent, CardDealt, Event


class TableOpened(Event, frozen=True, tag="table-open"):
    """The house opened the table."""

    by: str


class Sat(Event, frozen=True, tag="sit"):
    """Somebody sat down with chips."""

    who: str
    spots: tuple[int, ...]
    chips: int


class ChipsBrought(Event, frozen=True, tag="chips"):
    """A player brought more chips to the table."""

    who: str
    amount: int


class Renamed(Event, frozen=True, tag="renamed"):
    """A guest at the table registered; `was` is their name as a guest."""

    who: str
    was: str


class Left(Event, frozen=True, tag="leave"):
    """A player left the table with all chips."""

    who: str
    spots: tuple[int, ...]
    chips: int


class GaveUp(Event, frozen=True, tag="gave-up"):
    """A player lost spots that they did not play to somebody else."""

    who: str
    spots: tuple[int, ...]


class Gone(Event, frozen=True, tag="gone"):
    """A player seems to have gone: the table waits for them only a moment."""

    who: str


class CameBack(Event, frozen=True, tag="back"):
    """A player who seemed gone is back."""

    who: str


class Leaving(Event, frozen=True, tag="leaving"):
    """A player leaves when the round is over; their hands stand."""

    who: str


class Readied(Event, frozen=True, tag="ready"):
    """A player asked for the deal."""

    who: str


class TimeUp(Event, frozen=True, tag="time-up"):
    """A player did not answer in time; the table goes on without them until they do something."""

    who: str


class ClockSetBack(Event, frozen=True, tag="clock"):
    """The server's clock was set back; the time for an answer starts again."""


class RoundOpened(Event, frozen=True, tag="round"):
    """A round began, with its number at this table."""

    number: int


class CalledOff(Event, frozen=True, tag="called-off"):
    """Nobody asked for the deal: the wagers were returned, and the round is over."""

    number: int


class ShoeOpened(Event, frozen=True, tag="shoe"):
    """A new shoe, and the SHA-256 of the secret that its order follows from."""

    number: int
    commitment: str
    decks: int
    burn: int
    behind_cut: int


class SeedAdded(Event, frozen=True, tag="seed"):
    """A player added a seed to the order of the shoe."""

    who: str
    seed: str


class ShoeCut(Event, frozen=True, tag="cut"):
    """The order of the shoe is fixed: no more seeds."""

    number: int


class ShoeRevealed(Event, frozen=True, tag="reveal"):
    """The shoe is finished, and this was its secret."""

    number: int
    order: str
    reserve: str


class TableClosed(Event, frozen=True, tag="table-closed"):
    """The house closed the table."""


FloorEvent = (
    TableOpened
    | Sat
    | ChipsBrought
    | Renamed
    | Left
    | GaveUp
    | Gone
    | CameBack
    | Leaving
    | Readied
    | TimeUp
    | ClockSetBack
    | RoundOpened
    | CalledOff
    | ShoeOpened
    | SeedAdded
    | ShoeCut
    | ShoeRevealed
    | TableClosed
)
StepEvent = AnyEvent | FloorEvent


def public(event: StepEvent) -> dict[str, Any]:
    """The public form of an event, which everybody may see.

    >>> public(CardDealt("dealer", 50, face_up=False))["card"], public(CardDealt("dealer", 50))["card"]
    ('--', 'Kh')
    """
    fields: dict[str, Any] = msgspec.to_builtins(event, str_keys=True)
    if "card" in fields:
        seen = not isinstance(event, CardDealt) or event.face_up
        fields["card"] = name(fields["card"]) if seen else name(NO_CARD)
    return fields


def write(events: Iterable[StepEvent], people: Mapping[str, int] | None = None) -> str:
    """Encode events for storage, with tokens in the place of these people's names.

    >>> write([Readied("Ada")], {"Ada": 12})
    '[{"event":"ready","who":"#12"}]'
    """
    fields = [public(event) for event in events]
    for event_fields in fields:
        for name_field in NAMED:
            if people and event_fields.get(name_field) in people:
                event_fields[name_field] = token(people[event_fields[name_field]])
    return msgspec.json.encode(fields).decode()


def read(text: str) -> list[StepEvent]:
    """Decode stored events; a face-down card is `NO_CARD`.

    >>> read(write([CardDealt("dealer", 50, face_up=False)]))
    [CardDealt(to='dealer', card=-1, spot=0, hand=0, face_up=False)]
    """
    fields = msgspec.json.decode(text)
    for event in fields:
        if "card" in event:
            event["card"] = NO_CARD if event["card"] == name(NO_CARD) else card(event["card"])
    return msgspec.convert(fields, list[StepEvent], strict=False)


def of_round(events: Iterable[StepEvent]) -> list[AnyEvent]:
    """Only the events of the round itself."""
    return [event for event in events if isinstance(event, AnyEvent)]


def write_moves(moves: Iterable[AnyMove]) -> str:
    """Encode the moves of a round for storage."""
    return msgspec.json.encode(list(moves)).decode()


def read_moves(text: str) -> list[AnyMove]:
    """Decode the stored moves of a round."""
    return msgspec.json.decode(text, type=list[AnyMove])
