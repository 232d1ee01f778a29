"""People (the house, players with a password, guests), their sessions and their chips."""

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
GONE = "gone"  # the kind of a person whose data was deleted
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
DAY = 24 * 3600 * 1000
SESSION = {"house": DAY // 2, "player": 30 * DAY, "guest": 7 * DAY}
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # the form of session tokens

USED = 10 * 60 * 1000  # ms; the precision of a session's last use
ID = 16  # digits of a session's id, the first ones of its digest

_hasher = PasswordHasher()
_NOBODY = _hasher.hash("nobody has this password")  # verified for unknown names, so that they take as long


class Unknown(Refused):
    """The name or the password is wrong; the error does not say which."""


def hash_password(password: str) -> str:
    """Hash a password for storage (argon2id), which is slow on purpose."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Refused(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return _hasher.hash(password)


def matches(stored: str | None, password: str) -> bool:
    """Whether this is the password. Takes as long if there is none."""
    try:
        right = _hasher.verify(stored or _NOBODY, password)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return right and stored is not None


def add(
    db: Connection, kind: PersonKind, name: str, password: str | None, now: int, *, by_operator: bool = False
) -> Person:
    """Add a person, on their own request or by the operator's command. `password` is hashed already."""
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
    """Record a change of a person's row in `people` with the row's hash, so that unrecorded changes can be detected."""
    row = db.execute(select(schema.people).where(schema.people.c.id == person)).mappings().one()
    detail = {"kind": row["kind"], "row": links.of_person(row)}
    acts.record(db, at=now, by=by, act=act, subject=acts.of_person(person), detail=detail)


def add_guest(db: Connection, now: int) -> Person:
    """Add a guest, a person without a name or a password."""
    return add(db, "guest", f"guest-{secrets.token_hex(6)}", None, now)


def register(db: Connection, guest: Person, name: str, password: str, token: str, now: int) -> Person:
    """Make a guest a player, who keeps chips, seats, rounds and this session."""
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
    """A person by name, with the stored password."""
    p, tidied = schema.people, tidy(name)
    row = db.execute(select(p).where(p.c.name == tidied, p.c.kind != GONE)).first() if tidied.isprintable() else None
    return (Person(row.id, row.kind, row.name), row.password) if row else None


def set_password(
    db: Connection, person: int, password: str, now: int, *, by: int | None, keep: str | None = None
) -> None:
    """Set a new password, hashed already. All sessions of the person end except the one whose token is kept."""
    p, s = schema.people, schema.sessions
    if not db.execute(update(p).where(p.c.id == person, p.c.kind != GONE).values(password=password)).rowcount:
        raise _removed()
    db.execute(delete(s).where(s.c.person == person, s.c.digest != (digest(keep) if keep else "")))
    record_person(db, person, "password", now, by=by)


def password_of(db: Connection, person: int) -> str | None:
    """The stored password of a person."""
    return db.execute(select(schema.people.c.password).where(schema.people.c.id == person)).scalar()


def still_here(db: Connection, person: int) -> None:
    """Refuse a person whose account was removed, as a session may be remembered a little longer.

    The row is locked until the transaction ends.
    """
    _locked(db, person)


def still_right(db: Connection, person: int, password: str) -> None:
    """Refuse a person who was removed, or whose password was changed while the stored one was being verified."""
    if _locked(db, person) != password:
        raise Unknown("the password was changed a moment ago")


def _locked(db: Connection, person: int) -> str | None:
    """The stored password of a person who was not removed."""
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
    """A session: when it began, was last used (to ten minutes) and ends. `this` is the session of the request."""

    id: str
    made_at: int
    used_at: int | None
    ends_at: int
    this: bool


def digest(token: str) -> str:
    """The digest of a session's token, which is what is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """The CSRF token of a session, which a page sends with every change. It is derived from the session's token."""
    return hashlib.sha256(f"csrf {token}".encode()).hexdigest()


def begin_session(db: Connection, person: Person, now: int) -> str:
    """Begin a session, and return its token, which is not stored."""
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
    """A person's sessions, the latest first."""
    s, mine = schema.sessions, digest(token)
    rows = db.execute(select(s).where(s.c.person == person, s.c.ends_at > now).order_by(s.c.made_at.desc()))
    return [SessionLine(row.digest[:ID], row.made_at, row.used_at, row.ends_at, row.digest == mine) for row in rows]


def end_sessions(db: Connection, person: Person, now: int, *, but: str, id: str | None = None) -> int:
    """End a person's sessions except the one of a token: one by its id, or all. Returns how many were ended."""
    s = schema.sessions
    ending = delete(s).where(s.c.person == person.id, s.c.digest != digest(but))
    ended = db.execute(ending.where(s.c.digest.startswith(id)) if id else ending).rowcount
    if ended and person.kind == "house":
        subject = acts.of_person(person.id)
        acts.record(db, at=now, by=person.id, act="end-sessions", subject=subject, detail={"ended": ended})
    return ended


def used(db: Connection, token: str, now: int) -> None:
    """Note that a session is in use."""
    s = schema.sessions
    db.execute(update(s).where(s.c.digest == digest(token)).values(used_at=now))


def end_session(db: Connection, token: str) -> None:
    """End a session."""
    db.execute(delete(schema.sessions).where(schema.sessions.c.digest == digest(token)))


def who(db: Connection, token: str, now: int) -> tuple[Person | None, int]:
    """The person of a session that has not ended, and when it was last used."""
    p, s = schema.people, schema.sessions
    found = select(p.c.id, p.c.kind, p.c.name, s.c.used_at).join(s, s.c.person == p.c.id)
    row = db.execute(found.where(s.c.digest == digest(token), s.c.ends_at > now, p.c.kind != GONE)).first()
    return (Person(row.id, row.kind, row.name), row.used_at or 0) if row else (None, 0)


def lasting(db: Connection, tokens: Sequence[str], now: int) -> set[str]:
    """The tokens whose sessions have not ended."""
    s, by_digest = schema.sessions, {digest(token): token for token in tokens}
    active = select(s.c.digest).where(s.c.digest.in_(list(by_digest)), s.c.ends_at > now)
    return {by_digest[row] for row in db.execute(active).scalars()}


# ---- chips


def chips_of(db: Connection, person: int) -> int:
    """A person's chips away from the tables."""
    a = schema.accounts
    return db.execute(select(a.c.balance).where(a.c.name == chips(person))).scalar() or 0


def buy_in(db: Connection, person: Person, amount: int, now: int) -> int:
    """Buy chips with play money; returns the person's new balance."""
    if not 0 < amount <= LARGEST_AMOUNT:
        raise Refused(f"buy chips for more than zero and at most {amount_text(LARGEST_AMOUNT)}")
    ledger = Ledger(db, now)
    if ledger.balance(BANK) - amount < -(2**62):
        raise FeltlabError("the bank has no more chips")
    still_here(db, person.id)
    if ledger.balance(chips(person.id)) + amount > LARGEST_AMOUNT:
        raise Refused(f"chips can be bought up to {amount_text(LARGEST_AMOUNT)} in hand; play with the ones you have")
    ledger.check_room(chips(person.id), amount)
    ledger.move(BANK, chips(person.id), amount, "buy-in")
    ledger.store()
    record_transfer(db, ledger, person.id, by=person.id)
    return ledger.balance(chips(person.id))


def record_transfer(db: Connection, ledger: Ledger, person: int, *, by: int | None) -> None:
    """Record a transfer that belongs to no table's step."""
    (moved,) = ledger.made_since((0, 0))
    acts.record(db, at=ledger.at, by=by, act=moved["why"], subject=acts.of_person(person), detail=moved)


def open_books(db: Connection) -> None:
    """Create the accounts that every database has."""
    a = schema.accounts
    for name in (BANK, HOUSE):
        if not db.execute(select(a.c.name).where(a.c.name == name)).first():
            db.execute(insert(a).values(name=name, balance=0))
