"""Idempotency of changes that are not for a table: each is made once, however often the same request comes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from sqlalchemy import Connection, delete, insert, select

from feltlab.floor.desk import KeyUsed
from feltlab.floor.storage import schema
from feltlab.floor.tables.live import Person

REMEMBERED = 7 * 24 * 3600 * 1000


def once(db: Connection, person: Person, key: str, asked: str, now: int, act: Callable[[], str]) -> str:
    """The answer of `act`, or its earlier answer if the person has used the key before. `asked` identifies the request."""
    q = schema.requests
    id, digest = f"{person.id}:{key}", hashlib.sha256(asked.encode()).hexdigest()
    known = db.execute(select(q.c.digest, q.c.answer).where(q.c.id == id)).first()
    if known is None:
        answer = act()
        db.execute(insert(q).values(id=id, digest=digest, answer=answer, at=now))
        return answer
    if known.digest != digest:
        raise KeyUsed("this Idempotency-Key was used for another request; choose a new one")
    return str(known.answer)


def forget_old(db: Connection, now: int) -> None:
    """Delete requests that are too old to be sent again."""
    db.execute(delete(schema.requests).where(schema.requests.c.at < now - REMEMBERED))
