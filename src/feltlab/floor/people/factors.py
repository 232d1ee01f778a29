"""Second factors of accounts: enrolled with a code, required at every log-in, with recovery codes."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Row, delete, insert, select, update

from feltlab.errors import Refused
from feltlab.floor.people import acts
from feltlab.floor.people.people import still_here
from feltlab.floor.people.totp import SECRET_BYTES, matching, uri
from feltlab.floor.shoes.fair import Seal, WrongKey
from feltlab.floor.storage import schema
from feltlab.floor.tables.live import Person

f = schema.factors
RECOVERY_CODES = 8


class Enrolment(Struct, frozen=True):
    """The address for an authenticator. The factor is required once a first code has confirmed it."""

    uri: str


class RecoveryCodes(Struct, frozen=True):
    """Codes that each replace one of the authenticator's codes, once. They are shown only now."""

    codes: list[str]


class SecondFactor(Struct, frozen=True):
    """Whether a second factor is required at log-in, and how many recovery codes are left."""

    on: bool
    recovery_left: int


def factor_of(db: Connection, person: int) -> SecondFactor:
    """The state of a person's second factor."""
    row = _enrolled(db, person)
    return SecondFactor(row is not None, len(msgspec.json.decode(row.recovery)) if row else 0)


def enrol(db: Connection, seal: Seal, person: Person) -> Enrolment:
    """Make a new secret, which takes effect once it is confirmed."""
    if _enrolled(db, person.id):
        raise Refused("there is a second factor already; remove it first")
    still_here(db, person.id)
    secret = secrets.token_bytes(SECRET_BYTES)
    db.execute(delete(f).where(f.c.person == person.id))
    db.execute(insert(f).values(person=person.id, sealed=seal.wrap(secret, _label(person.id)), last=0, recovery="[]"))
    return Enrolment(uri(secret, person.name))


def confirm(db: Connection, seal: Seal, person: Person, given: str, now: int) -> RecoveryCodes | None:
    """Confirm a factor with its first code, which makes it required from now on. None if the code is wrong."""
    row = db.execute(select(f).where(f.c.person == person.id, f.c.confirmed_at.is_(None)).with_for_update()).first()
    if row is None:
        raise Refused("start with a request for a second factor")
    counter = matching(_open(seal, row), given, now, row.last)
    if counter is None:
        return None
    codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
    kept = msgspec.json.encode([_digest(code) for code in codes]).decode()
    db.execute(update(f).where(f.c.person == person.id).values(last=counter, recovery=kept, confirmed_at=now))
    acts.record(db, at=now, by=person.id, act="factor-on", subject=acts.of_person(person.id), detail={})
    return RecoveryCodes(codes)


def check(db: Connection, seal: Seal, person: Person, given: str, now: int) -> bool:
    """Whether the code is right and unused. A wrong one is recorded as an act, since its sender knows the password."""
    row = db.execute(select(f).where(f.c.person == person.id, f.c.confirmed_at.is_not(None)).with_for_update()).first()
    if row is None:
        return True
    left, used = msgspec.json.decode(row.recovery, type=list[str]), _digest(given)
    counter = matching(_open(seal, row), given, now, row.last)
    subject = acts.of_person(person.id)
    if counter is not None:
        db.execute(update(f).where(f.c.person == person.id).values(last=counter))
    elif used in left:
        left.remove(used)
        kept = msgspec.json.encode(left).decode()
        db.execute(update(f).where(f.c.person == person.id).values(recovery=kept))
        acts.record(db, at=now, by=person.id, act="recovery-code", subject=subject, detail={"left": len(left)})
    else:
        acts.record(db, at=now, by=None, act="factor-failed", subject=subject, detail={})
        return False
    return True


def remove(db: Connection, person: int, now: int, *, by: int | None) -> bool:
    """Remove a person's second factor; returns whether there was one."""
    gone = db.execute(delete(f).where(f.c.person == person)).rowcount > 0
    if gone:
        acts.record(db, at=now, by=by, act="factor-off", subject=acts.of_person(person), detail={})
    return gone


def _enrolled(db: Connection, person: int) -> Row[Any] | None:
    return db.execute(select(f).where(f.c.person == person, f.c.confirmed_at.is_not(None))).first()


def _open(seal: Seal, row: Row[Any]) -> bytes:
    try:
        return seal.unwrap(row.sealed, _label(row.person))
    except WrongKey:
        raise Refused(
            "the second factor cannot be read with this server's key; its operator can remove it (feltlab account)"
        ) from None


def _label(person: int) -> str:
    return f"second factor {person}"


def _digest(given: str) -> str:
    return hashlib.sha256(given.strip().lower().encode()).hexdigest()
