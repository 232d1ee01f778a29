"""SQLite by default, PostgreSQL by URL; one schema, brought up to date when it is opened."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.util import CommandError
from platformdirs import user_data_path
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError

from feltlab.errors import FeltlabError
from feltlab.floor.shoes.fair import Seal

BUSY_SECONDS = 5
STARTUP_LOCK = 7_262_011  # a number of our own for PostgreSQL's lock while a server starts
ACTS_LOCK = 7_262_012  # and of who records an act
LIMITS_LOCK = 7_262_013  # and of who sets limits of their own for the first time


class Unavailable(FeltlabError):
    """The database cannot be used now: gone, locked or full. Nothing was changed; asking again later may help."""


def default_url() -> str:
    """SQLite in the user's data folder."""
    return f"sqlite:///{user_data_path('feltlab', ensure_exists=True) / 'feltlab.db'}"


def connect(url: str) -> Engine:
    """An engine for a database, which is not touched yet."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise FeltlabError(
            f"--db '{url[:60]}' is no database; write sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        return create_engine(parsed, pool_size=4, max_overflow=4, pool_pre_ping=True)
    if parsed.get_backend_name() != "sqlite":
        raise FeltlabError(f"--db: {parsed.get_backend_name()} is not supported; use sqlite:///FILE or postgresql://")
    if not parsed.database or parsed.database == ":memory:":
        raise FeltlabError("--db: a table must outlive its server, so SQLite needs a file, as sqlite:///feltlab.db")
    engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
    file = _SameFile(parsed.database)
    event.listen(engine, "do_connect", file.check)
    event.listen(engine, "connect", _sqlite_connected)
    event.listen(engine, "connect", file.opened)
    event.listen(engine, "checkout", file.check)
    event.listen(engine, "begin", _sqlite_begins)
    return engine


def _sqlite_connected(connection: Any, _: object) -> None:
    """Durable to a power cut (`FULL` in a write-ahead log), and we say ourselves when a transaction begins."""
    connection.isolation_level = None
    connection.text_factory = any_text
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def any_text(stored: bytes) -> str:
    """A text of SQLite's. One that is no UTF-8 is that row's trouble, when it is read, and not that of the whole query."""
    return stored.decode("utf-8", "surrogateescape")


def _sqlite_begins(connection: Connection) -> None:
    """A transaction that writes takes its lock at once: two that only find out later could not both go on."""
    writes = connection.get_execution_options().get("feltlab_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


class _SameFile:
    """A file that is moved away or removed can still be written to, and all that would be lost: nothing is done then."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._opened: tuple[int, int] | None = None

    def opened(self, *_: object) -> None:
        """Remember which file it is."""
        self._opened = self._opened or self._found()

    def check(self, *_: object) -> None:
        """Is it still there, under its name?"""
        if self._opened and self._found() != self._opened:
            raise Unavailable(
                f"the database cannot be used: {self._path.name} was moved or replaced; "
                "put it back, or start the server again"
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            there = self._path.stat()
        except OSError:
            return None
        return there.st_dev, there.st_ino


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes; all of it is stored, or nothing. Whatever is wrong with the database is `Unavailable`."""
    with _told(engine), engine.connect().execution_options(feltlab_writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that only reads, and sees one moment of the database: SQLite's do, and PostgreSQL's if they say so."""
    options = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with _told(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _told(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise Unavailable(f"the database cannot be used: {_reason(error)}") from error
    except SQLAlchemyError as error:
        raise Unavailable(f"the database cannot be used: {type(error).__name__}") from error


def _reason(error: DBAPIError) -> str:
    """The driver's own words, on one line, without the statement and its values."""
    return " ".join(str(error.orig).split())[:200] or type(error.orig).__name__


def is_retryable(error: Unavailable) -> bool:
    """Did two transactions get in each other's way, so that the same one may go well at once?

    Two that wrote the same key did so too: the one that is tried again will find it there.
    """
    return getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) in ("40001", "40P01", "23505")


def data_at_fault(error: Unavailable) -> bool:
    """Is the database well, and what it was given at fault? The same will be refused again, and other things will not."""
    return isinstance(error.__cause__, (DataError, IntegrityError, ProgrammingError))


def exclusive_lock(db: Connection, what: int = STARTUP_LOCK) -> None:
    """Of several servers that start together one goes on, and the others wait for its transaction to end.

    SQLite has one transaction that writes at a time anyway.
    """
    if db.dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": what})


def shared_lock(db: Connection, what: int) -> None:
    """Any number go on side by side, but nobody who is to be `alone` with it, until their transactions end."""
    if db.dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": what})


def migrate(engine: Engine) -> None:
    """Bring the schema up to date. Of several servers that start together one does it and the others wait."""
    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with writing(engine) as connection:
        exclusive_lock(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def open_database(url: str) -> Engine:
    """A database with the schema of this version."""
    engine = connect(url)
    if engine.dialect.name == "sqlite":
        _make_private(Path(str(engine.url.database)))
    shown = f"--db {engine.url.render_as_string(hide_password=True)}"
    try:
        migrate(engine)
    except Unavailable as error:
        engine.dispose()
        raise FeltlabError(f"{shown}: {error}") from error
    except CommandError as error:
        engine.dispose()
        raise FeltlabError(f"{shown}: it was made by a later version of Feltlab ({error}); use that one") from error
    return engine


def _make_private(file: Path) -> None:
    """A file that is not there yet is made for its owner alone. SQLite makes those beside it in the same way."""
    with suppress(OSError):  # what is wrong with it, SQLite will say
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def read_by_others(engine: Engine) -> list[Path]:
    """The files of an SQLite database that others than their owner may read or write."""
    if engine.dialect.name != "sqlite":
        return []
    files = [Path(f"{engine.url.database}{end}") for end in ("", "-wal", "-shm")]
    return [file for file in files if file.exists() and file.stat().st_mode & 0o077]


def read_key(url: str, key_file: Path | None = None, *, make: bool = True) -> Seal:
    """The key that seals shoes: from FELTLAB_KEY, or from a file that only its owner can read.

    The file lies beside an SQLite database, else in the user's data folder; it is made when it is first needed, unless a
    database needs the one that there was.
    """
    if given := os.environ.get("FELTLAB_KEY"):
        return Seal(_from_hex(given, "FELTLAB_KEY"))
    path = key_file or _key_path(url)
    try:
        if not path.exists():
            if not make:
                raise FeltlabError(f"{path}: the key that seals shoes is missing")
            _make_key(path)
        if path.stat().st_mode & 0o077:
            raise FeltlabError(f"{path}: others may read the key that seals shoes; run chmod 600 on it")
        return Seal(_from_hex(path.read_text(), str(path)))
    except OSError as error:
        raise FeltlabError(f"{path}: the key that seals shoes cannot be read: {error.strerror}") from None


def _make_key(path: Path) -> None:
    """A new key, whole or not there at all; if another server makes one at the same time, the first counts."""
    written = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(written, path)
    written.unlink()


def _key_path(url: str) -> Path:
    database = make_url(url)
    if database.get_backend_name() == "sqlite" and database.database:
        return Path(database.database).with_suffix(".key")
    return user_data_path("feltlab", ensure_exists=True) / "feltlab.key"


def _from_hex(words: str, where: str) -> bytes:
    try:
        return bytes.fromhex(words.strip())
    except ValueError:
        raise FeltlabError(f"{where}: the key that seals shoes is 64 hexadecimal digits") from None
