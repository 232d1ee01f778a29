"""Acts: what was done beside play, by whom and when (accounts, tables opened and closed, changes by the house).

Acts are append-only, and each has a link, the hash of the act and of the link before it: an act that is changed, removed
or inserted breaks the chain at its place.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, insert, select, true

from feltlab.floor.records.links import ACT, START, link, values
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import ACTS_LOCK, exclusive_lock

_a = schema.acts
_LAST = select(_a.c.id, _a.c.link).order_by(_a.c.id.desc()).limit(1)


class RecordedAct(Struct, frozen=True):
    """An act. `by` is a person's number, or None for the operator's commands and the server itself."""

    id: int
    at: int
    by: int | None
    act: str
    subject: str
    detail: dict[str, Any]
    link: str


def of_person(person: int) -> str:
    """A person as the subject of an act, never by name: names can be deleted, acts cannot."""
    return f"person {person}"


def of_table(table: int) -> str:
    """A table as the subject of an act."""
    return f"table {table}"


def record(db: Connection, *, at: int, by: int | None, act: str, subject: str, detail: dict[str, Any]) -> None:
    """Record an act in the transaction that does it. Call it last, because it blocks other acts until the transaction ends."""
    exclusive_lock(db, ACTS_LOCK)
    last = db.execute(_LAST).first()
    row: dict[str, Any] = {
        "id": last.id + 1 if last else 1,
        "at": at,
        "by": by,
        "act": act,
        "subject": subject,
        "detail": msgspec.json.encode(detail, order="sorted").decode(),
    }
    row["link"] = link(last.link if last else START, values(row, ACT))
    db.execute(insert(_a).values(row))


def record_end(db: Connection, table: int, steps: int, link: str, *, at: int) -> None:
    """Record that a table is closed, with the length and the last link of its chain."""
    record(db, at=at, by=None, act="closed", subject=of_table(table), detail={"steps": steps, "link": link})


def latest(db: Connection, before: int, most: int, act: str = "") -> list[tuple[RecordedAct, str | None]]:
    """The last acts before a number, of all kinds or one, the latest first, each with the name of the person."""
    p = schema.people
    rows = (
        select(_a, p.c.name)
        .outerjoin(p, p.c.id == _a.c.by)
        .where(_a.c.id < before, (_a.c.act == act) if act else true())
        .order_by(_a.c.id.desc())
        .limit(most)
    )
    return [
        (RecordedAct(row.id, row.at, row.by, row.act, row.subject, msgspec.json.decode(row.detail), row.link), row.name)
        for row in db.execute(rows)
    ]


def acts_of(db: Connection, after: int, most: int) -> list[RecordedAct]:
    """The acts after a number, in order."""
    rows = db.execute(select(_a).where(_a.c.id > after).order_by(_a.c.id).limit(most)).mappings()
    return [RecordedAct(**{**row, "detail": msgspec.json.decode(row["detail"])}) for row in rows]
