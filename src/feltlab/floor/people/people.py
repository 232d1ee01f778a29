"""People: the house, players with a password, and guests; and the sessions in which they come."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from feltlab.errors import FeltlabError, Refused
from feltlab.floor.ledger.accounts import BANK, HOUSE, chips
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.people import acts
from feltlab.floor.people.lookalikes import looks, tidy
from feltlab.floor.records import links
from feltlab.floor.storage import schema
from feltlab.floor.tables.live import Person, PersonKind
from feltlab.money import LARGEST_AMOUNT, amount_text

KINDS = ("house", "player", "guest")
GONE = "gone"  # the kind of somebody whose data was deleted
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
DAY = 24 * 3600 * 1000
SESSION = {"house": DAY // 2, "player": 30 * DAY, "guest": 7 * DAY}
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # what `begin_session` gives

USED = 10 * 60 * 1000  # how exactly it is known when a session was last used
ID = 16  # digits of a session's id, which are the first of its digest

_hasher = PasswordHasher()
_NOBODY = _hasher.hash("nobody has this password")  # so that an unknown name takes as long as a wrong password


class Unknown(Refused):
    """The name or the password is wrong; which of the two is nobody's business."""


def hash_password(password: str) -> str:
    """A password as it is stored (argon2id). Slow, on purpose."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Refused(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return _hasher.hash(password)


def matches(stored: str | None, password: str) -> bool:
    """Is this the password? Takes as long if there is none."""
    try:
        right = _hasher.verify(stored or _NOBODY, password)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return right and stored is not None


def add(
    db: Connection, kind: PersonKind, name: str, password: str | None, now: int, *, by_operator: bool = False
) -> Person:
    """A new person, made by themselves or by the operator's command. `password` is hashed already."""
    p = schema.people
    row = {
        "kind": kind,
        "name": name,
        "password": password,
        "made_at": now,
        "salt": secrets.token_hex(16),
        "looks": looks(name),
    }
    try:
        made = db.execute(insert(p).values(row).returning(p.c.id))
    except IntegrityError:
        raise _taken(name) from None
    person = Person(made.scalar_one(), kind, name)
    ledger = Ledger(db, now)
    ledger.open(chips(person.id))
    ledger.store()
    record_person(db, person.id, "account", now, by=None if by_operator else person.id)
    return person


def record_person(db: Connection, person: int, act: str, now: int, *, by: int | None) -> None:
    """Record that somebody's row in `people` was made or changed: with its hash, so that no other change goes unseen."""
    row = db.execute(select(schema.people).where(schema.people.c.id == person)).mappings().one()
    detail = {"kind": row["kind"], "row": links.of_person(row)}
    acts.record(db, at=now, by=by, act=act, subject=acts.of_person(person), detail=detail)


def add_guest(db: Connection, now: int) -> Person:
    """Somebody who has not said who they are."""
    return add(db, "guest", f"guest-{secrets.token_hex(6)}", None, now)


def register(db: Connection, guest: Person, name: str, password: str, token: str, now: int) -> Person:
    """A guest becomes a player, with all that they have: chips, seats, rounds and this session."""
    p, s = schema.people, schema.sessions
    person = Person(guest.id, "player", name)
    named = update(p).where(p.c.id == guest.id, p.c.kind == "guest")
    try:
        done = db.execute(named.values(kind=person.kind, name=name, looks=looks(name), password=password))
    except IntegrityError:
        raise _taken(name) from None
    if done.rowcount != 1:
        raise Refused("you have registered already; load the page again")
    db.execute(update(s).where(s.c.digest == digest(token)).values(ends_at=now + SESSION[person.kind]))
    record_person(db, person.id, "register", now, by=person.id)
    return person


def _taken(name: str) -> Refused:
    return Refused(f"the name '{name}' is taken, or looks like one that is; choose another")


def find(db: Connection, name: str) -> tuple[Person, str | None] | None:
    """A person by name, and the stored password."""
    p, tidied = schema.people, tidy(name)
    row = db.execute(select(p).where(p.c.name == tidied, p.c.kind != GONE)).first() if tidied.isprintable() else None
    return (Person(row.id, row.kind, row.name), row.password) if row else None


def set_password(
    db: Connection, person: int, password: str, now: int, *, by: int | None, keep: str | None = None
) -> None:
    """A new password, hashed already; every session of the person ends, but for the one whose token is kept."""
    p, s = schema.people, schema.sessions
    if not db.execute(update(p).where(p.c.id == person, p.c.kind != GONE).values(password=password)).rowcount:
        raise _removed()
    db.execute(delete(s).where(s.c.person == person, s.c.digest != (digest(keep) if keep else "")))
    record_person(db, person, "password", now, by=by)


def password_of(db: Connection, person: int) -> str | None:
    """The stored password of somebody."""
    return db.execute(select(schema.people.c.password).where(schema.people.c.id == person)).scalar()


def still_here(db: Connection, person: int) -> None:
    """Refuse somebody whose account was removed: a session may be remembered a little longer.

    Until the transaction ends, nobody removes it, and nobody else asks this of the same person.
    """
    _locked(db, person)


def still_right(db: Connection, person: int, password: str) -> None:
    """Refuse who was removed, or has another password by now than the stored one that was tried: trying takes a while."""
    if _locked(db, person) != password:
        raise Unknown("the password was changed a moment ago")


def _locked(db: Connection, person: int) -> str | None:
    """The stored password of somebody who was not removed."""
    p = schema.people
    found = select(p.c.kind, p.c.password).where(p.c.id == person).with_for_update(key_share=True)
    row = db.execute(found).first()
    if row is None or row.kind == GONE:
        raise _removed()
    stored: str | None = row.password
    return stored


def _removed() -> Refused:
    return Refused("this account was removed")


# ---- sessions


class SessionLine(Struct, frozen=True):
    """A session of somebody: when it began, was last used (within ten minutes) and ends. `this` is the one that asks."""

    id: str
    made_at: int
    used_at: int | None
    ends_at: int
    this: bool


def digest(token: str) -> str:
    """What is stored of a session's token."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """What a page sends along to show that a change comes from it. It follows from the token, which no page can read."""
    return hashlib.sha256(f"csrf {token}".encode()).hexdigest()


def begin_session(db: Connection, person: Person, now: int) -> str:
    """A session's token, which is given to the person and not kept."""
    still_here(db, person.id)
    token = secrets.token_urlsafe(32)
    s = schema.sessions
    db.execute(delete(s).where(s.c.ends_at < now))
    ends = now + SESSION[person.kind]
    db.execute(insert(s).values(digest=digest(token), person=person.id, made_at=now, ends_at=ends, used_at=now))
    if person.kind == "house":
        acts.record(db, at=now, by=person.id, act="log-in", subject=acts.of_person(person.id), detail={})
    return token


def sessions_of(db: Connection, person: int, token: str, now: int) -> list[SessionLine]:
    """The sessions of somebody, the latest first."""
    s, mine = schema.sessions, digest(token)
    rows = db.execute(select(s).where(s.c.person == person, s.c.ends_at > now).order_by(s.c.made_at.desc()))
    return [SessionLine(row.digest[:ID], row.made_at, row.used_at, row.ends_at, row.digest == mine) for row in rows]


def end_sessions(db: Connection, person: Person, now: int, *, but: str, id: str | None = None) -> int:
    """End somebody's sessions, but for the one of a token: one by its id, or all. Gives how many that were."""
    s = schema.sessions
    ending = delete(s).where(s.c.person == person.id, s.c.digest != digest(but))
    ended = db.execute(ending.where(s.c.digest.startswith(id)) if id else ending).rowcount
    if ended and person.kind == "house":
        subject = acts.of_person(person.id)
        acts.record(db, at=now, by=person.id, act="end-sessions", subject=subject, detail={"ended": ended})
    return ended


def used(db: Connection, token: str, now: int) -> None:
    """A session is in use."""
    s = schema.sessions
    db.execute(update(s).where(s.c.digest == digest(token)).values(used_at=now))


def end_session(db: Connection, token: str) -> None:
    """Log out."""
    db.execute(delete(schema.sessions).where(schema.sessions.c.digest == digest(token)))


def who(db: Connection, token: str, now: int) -> tuple[Person | None, int]:
    """Whose session it is, if it has not ended, and when it was last used."""
    p, s = schema.people, schema.sessions
    found = select(p.c.id, p.c.kind, p.c.name, s.c.used_at).join(s, s.c.person == p.c.id)
    row = db.execute(found.where(s.c.digest == digest(token), s.c.ends_at > now, p.c.kind != GONE)).first()
    return (Person(row.id, row.kind, row.name), row.used_at or 0) if row else (None, 0)


def lasting(db: Connection, tokens: Sequence[str], now: int) -> set[str]:
    """Those of some sessions that have not ended."""
    s, tokens_of = schema.sessions, {digest(token): token for token in tokens}
    found = select(s.c.digest).where(s.c.digest.in_(list(tokens_of)), s.c.ends_at > now)
    return {tokens_of[one] for one in db.execute(found).scalars()}


# ---- chips


def chips_of(db: Connection, person: int) -> int:
    """The chips that a person has away from the tables."""
    a = schema.accounts
    return db.execute(select(a.c.balance).where(a.c.name == chips(person))).scalar() or 0


def buy_in(db: Connection, person: Person, amount: int, now: int) -> int:
    """Play money for chips; gives what the person has then."""
    if not 0 < amount <= LARGEST_AMOUNT:
        raise Refused(f"buy chips for more than nothing and at most {amount_text(LARGEST_AMOUNT)}")
    ledger = Ledger(db, now)
    if ledger.balance(BANK) - amount < -(2**62):
        raise FeltlabError("the bank has no more chips")
    still_here(db, person.id)
    if ledger.balance(chips(person.id)) + amount > LARGEST_AMOUNT:
        raise Refused(f"chips are bought up to {amount_text(LARGEST_AMOUNT)} in hand; play with those that you have")
    ledger.check_room(chips(person.id), amount)
    ledger.move(BANK, chips(person.id), amount, "buy-in")
    ledger.store()
    record_transfer(db, ledger, person.id, by=person.id)
    return ledger.balance(chips(person.id))


def record_transfer(db: Connection, ledger: Ledger, person: int, *, by: int | None) -> None:
    """Record a transfer that no table's step tells of."""
    (moved,) = ledger.made_since((0, 0))
    acts.record(db, at=ledger.at, by=by, act=moved["why"], subject=acts.of_person(person), detail=moved)


def open_books(db: Connection) -> None:
    """The accounts that every database has."""
    a = schema.accounts
    for name in (BANK, HOUSE):
        if not db.execute(select(a.c.name).where(a.c.name == name)).first():
            db.execute(insert(a).values(name=name, balance=0))
