"""What the service says: the shapes of its answers, for the OpenAPI document and for those who read the code."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from starlette.responses import Response

from feltlab.floor.desk import JobResult
from feltlab.floor.house.about import About
from feltlab.floor.people.acts import RecordedAct
from feltlab.floor.tables.events import StepEvent
from feltlab.floor.tables.live import PersonKind
from feltlab.floor.tables.shapes import Now


class Me(Struct, frozen=True):
    """Who asks, the chips they have away from tables, and where they sit. `csrf` goes with every change."""

    name: str
    kind: PersonKind
    chips: int
    tables: list[int]
    csrf: str


class SessionAnswer(Struct, frozen=True):
    """Who asks; nobody yet, where there is no session."""

    me: Me | None


class ActLine(Struct, frozen=True):
    """Something that was done beside play; `by` is who did it, or None for the operator's commands and the server itself."""

    id: int
    at: int
    by: str | None
    act: str
    subject: str
    detail: dict[str, Any]

    @classmethod
    def of(cls, act: RecordedAct, name: str | None) -> ActLine:
        """An act, and the name of who did it."""
        return cls(act.id, act.at, name, act.act, act.subject, act.detail)


class Chips(Struct, frozen=True):
    """The chips that somebody has away from tables."""

    chips: int


class TableAnswer(Struct, frozen=True):
    """A table: what is played there, and how it is now."""

    about: About
    now: Now


class StepAnswer(Struct, frozen=True):
    """What a request did: the step's number and events, and how the table is now. `again`: it was done before."""

    table: int
    seq: int
    at: int
    round: int | None
    events: list[StepEvent]  # in their public form, a card as its name
    again: bool
    now: Now


_encoder = msgspec.json.Encoder()


def said(answer: Any, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(_encoder.encode(answer), status, media_type="application/json")


def stepped(outcome: JobResult) -> Response:
    """The answer to a command."""
    step = outcome.step
    assert step is not None
    return said(
        {
            "table": step.table,
            "seq": step.seq,
            "at": step.at,
            "round": step.round,
            "events": step.events,
            "again": outcome.again,
            "now": outcome.now,
        }
    )
