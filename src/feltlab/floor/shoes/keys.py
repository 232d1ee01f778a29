"""The key of a database: created for a new database, and checked at every start, so that a wrong key is noticed."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, delete, insert, select

from feltlab.errors import FeltlabError
from feltlab.floor.shoes.fair import Seal, WrongKey
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import exclusive_lock, read_key, writing

CHECK = "check"  # the name of sealed empty data that opens only with the right key
WHAT_TO_DO = (
    "put the right one back, or name it with --key or FELTLAB_KEY; if it is lost, `feltlab key lost` gives wagers and chips "
    "back and closes the tables"
)


def key_of(engine: Engine, url: str, key_file: Path | None) -> Seal:
    """The key of a database; refused if shoes in use are sealed with a key that is missing or different."""
    with writing(engine) as db:
        exclusive_lock(db)
        needed = bool(tables_with_shoes(db))
        try:
            seal = read_key(url, key_file, make=not needed)
        except FeltlabError as error:
            raise FeltlabError(f"{error}; {WHAT_TO_DO}") from None if needed else error
        if not fits(db, seal):
            if needed:
                raise FeltlabError(f"this is not the key that the shoes in use are sealed with; {WHAT_TO_DO}")
            remember(db, seal)
    return seal


def tables_with_shoes(db: Connection) -> list[int]:
    """The tables with a sealed shoe in use."""
    s, t = schema.shoes, schema.tables
    found = select(s.c.table_id).join(t, t.c.id == s.c.table_id).where(t.c.status != "closed", s.c.secret.is_(None))
    return sorted(set(db.execute(found).scalars()))


def fits(db: Connection, seal: Seal) -> bool:
    """Whether it is the key of this database; an old database without the check is tested with its shoes."""
    k, s = schema.seals, schema.shoes
    known = db.execute(select(k.c.sealed).where(k.c.name == CHECK)).scalar()
    if known is not None:
        return _opens(seal, known, CHECK)
    rows = select(s.c.table_id, s.c.number, s.c.sealed).where(s.c.secret.is_(None))
    right = any(_opens(seal, sealed, f"{table}-{number}") for table, number, sealed in db.execute(rows).all())
    if right:
        remember(db, seal)
    return right


def remember(db: Connection, seal: Seal) -> None:
    """Make this the key of the database."""
    k = schema.seals
    db.execute(delete(k).where(k.c.name == CHECK))
    db.execute(insert(k).values(name=CHECK, sealed=seal.wrap(b"", CHECK)))


def _opens(seal: Seal, sealed: object, label: str) -> bool:
    try:
        seal.unwrap(bytes(sealed) if isinstance(sealed, (bytes, memoryview)) else b"", label)
    except WrongKey:
        return False
    return True
