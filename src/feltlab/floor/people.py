"""People: the house, players with a password, and guests; and the sessions in which they come."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from feltlab.errors import FeltlabError, Refused
from feltlab.floor import schema
from feltlab.floor.ledger import BANK, HOUSE, Ledger, chips
from feltlab.floor.live import Person
from feltlab.money import LARGEST_AMOUNT, amount_text

KINDS = ("house", "player", "guest")
NAME = re.compile(r"[^\W_][\w .'-]{1,38}[^\W_]")
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
DAY = 24 * 3600 * 1000
SESSION = {"house": DAY // 2, "player": 30 * DAY, "guest": 7 * DAY}

_hasher = PasswordHasher()
_NOBODY = _hasher.hash("nobody has this password")  # so that an unknown name takes as long as a wrong password


class Unknown(Refused):
    """The name or the password is wrong; which of the two is nobody's business."""


def check_name(name: str) -> str:
    """A name that can be shown to others.

    >>> check_name("  Ada  Quill ")
    'Ada Quill'
    """
    tidy = _tidy(name)
    if not NAME.fullmatch(tidy) or not tidy.isprintable():
        raise Refused("a name is 3 to 40 letters and digits, with spaces, dots, hyphens or apostrophes between them")
    if tidy.lower().startswith("guest"):
        raise Refused("names that begin with guest are for guests")
    return tidy


def _tidy(name: str) -> str:
    """One way to write a name, of several that look the same."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


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


def add(db: Connection, kind: str, name: str, password: str | None, now: int) -> Person:
    """A new person. `password` is hashed already."""
    p = schema.people
    try:
        made = db.execute(insert(p).values(kind=kind, name=name, password=password, made_at=now).returning(p.c.id))
    except IntegrityError:
        raise Refused(f"the name '{name}' is taken; choose another") from None
    person = Person(made.scalar_one(), kind, name)
    ledger = Ledger(db, now)
    ledger.open(chips(person.id))
    ledger.store()
    return person


def add_guest(db: Connection, now: int) -> Person:
    """Somebody who has not said who they are."""
    return add(db, "guest", f"guest-{secrets.token_hex(6)}", None, now)


def find(db: Connection, name: str) -> tuple[Person, str | None] | None:
    """A person by name, and the stored password."""
    p, tidy = schema.people, _tidy(name)
    row = db.execute(select(p).where(p.c.name == tidy)).first() if tidy.isprintable() else None
    return (Person(row.id, row.kind, row.name), row.password) if row else None


def set_password(db: Connection, person: int, password: str) -> None:
    """A new password, hashed already; every session of the person ends."""
    db.execute(update(schema.people).where(schema.people.c.id == person).values(password=password))
    db.execute(delete(schema.sessions).where(schema.sessions.c.person == person))


# ---- sessions


def digest(token: str) -> str:
    """What is stored of a session's token."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """What a page sends along to show that a change comes from it. It follows from the token, which no page can read."""
    return hashlib.sha256(f"csrf {token}".encode()).hexdigest()


def begin_session(db: Connection, person: Person, now: int) -> str:
    """A session's token, which is given to the person and not kept."""
    token = secrets.token_urlsafe(32)
    s = schema.sessions
    db.execute(delete(s).where(s.c.ends_at < now))
    ends = now + SESSION[person.kind]
    db.execute(insert(s).values(digest=digest(token), person=person.id, made_at=now, ends_at=ends))
    return token


def end_session(db: Connection, token: str) -> None:
    """Log out."""
    db.execute(delete(schema.sessions).where(schema.sessions.c.digest == digest(token)))


def who(db: Connection, token: str, now: int) -> Person | None:
    """Whose session it is, if it has not ended."""
    p, s = schema.people, schema.sessions
    found = select(p.c.id, p.c.kind, p.c.name).join(s, s.c.person == p.c.id)
    row = db.execute(found.where(s.c.digest == digest(token), s.c.ends_at > now)).first()
    return Person(row.id, row.kind, row.name) if row else None


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
    if ledger.balance(chips(person.id)) + amount > LARGEST_AMOUNT:
        raise Refused(f"nobody holds more than {amount_text(LARGEST_AMOUNT)} in chips")
    ledger.move(BANK, chips(person.id), amount, "buy-in")
    ledger.store()
    return ledger.balance(chips(person.id))


def open_books(db: Connection) -> None:
    """The accounts that every database has."""
    a = schema.accounts
    for name in (BANK, HOUSE):
        if not db.execute(select(a.c.name).where(a.c.name == name)).first():
            db.execute(insert(a).values(name=name, balance=0))
