"""Opens the database: SQLite by default, PostgreSQL by URL. The schema is brought up to date when it is opened."""

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
# Keys of PostgreSQL's advisory locks.
STARTUP_LOCK = 7_262_011  # held while a server starts
ACTS_LOCK = 7_262_012  # held while an act is recorded
LIMITS_LOCK = 7_262_013  # held while a player's first own limits are set; shared by all who play


class Unavailable(FeltlabError):
    """The database cannot be used now: gone, locked or full. Nothing was changed, and retrying later may help."""


def default_url() -> str:
    """The URL of an SQLite database in the user's data folder."""
    return f"sqlite:///{user_data_path('feltlab', ensure_exists=True) / 'feltlab.db'}"


def connect(url: str) -> Engine:
    """Make an engine for a database, without touching it."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise FeltlabError(
            f"--db '{url[:60]}' is not a database; write sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        return create_engine(parsed, pool_size=4, max_overflow=4, pool_pre_ping=True)
    if parsed.get_backend_name() != "sqlite":
        raise FeltlabError(f"--db: {parsed.get_backend_name()} is not supported; use sqlite:///FILE or postgresql://")
    if not parsed.database or parsed.database == ":memory:":
        raise FeltlabError("--db: tables must outlive the server, so SQLite needs a file, such as sqlite:///feltlab.db")
    engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
    file = _SameFile(parsed.database)
    event.listen(engine, "do_connect", file.check)
    event.listen(engine, "connect", _sqlite_connected)
    event.listen(engine, "connect", file.opened)
    event.listen(engine, "checkout", file.check)
    event.listen(engine, "begin", _sqlite_begins)
    return engine


def _sqlite_connected(connection: Any, _: object) -> None:
    """Configure a connection: durable in a power cut (`FULL` with a write-ahead log), transactions begun explicitly."""
    connection.isolation_level = None
    connection.text_factory = any_text
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def any_text(stored: bytes) -> str:
    """Decode a text of SQLite. Invalid UTF-8 must be an error of its row when that is read, not of the whole query."""
    return stored.decode("utf-8", "surrogateescape")


def _sqlite_begins(connection: Connection) -> None:
    """Begin a transaction. One that writes takes its lock at once, because two that upgrade later would deadlock."""
    writes = connection.get_execution_options().get("feltlab_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


class _SameFile:
    """Detects that the database file was moved or removed, because what is still written to it would be lost."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._opened: tuple[int, int] | None = None

    def opened(self, *_: object) -> None:
        """Remember the identity of the file."""
        self._opened = self._opened or self._identity()

    def check(self, *_: object) -> None:
        """Refuse to go on if the file is no longer there under its name."""
        if self._opened and self._identity() != self._opened:
            raise Unavailable(
                f"the database cannot be used: {self._path.name} was moved or replaced; "
                "put it back, or start the server again"
            )

    def _identity(self) -> tuple[int, int] | None:
        try:
            there = self._path.stat()
        except OSError:
            return None
        return there.st_dev, there.st_ino


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes. Errors of the database are raised as `Unavailable`."""
    with _as_unavailable(), engine.connect().execution_options(feltlab_writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that only reads, from one snapshot: SQLite's always do, PostgreSQL's with this isolation level."""
    options = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with _as_unavailable(), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise Unavailable(f"the database cannot be used: {_reason(error)}") from error
    except SQLAlchemyError as error:
        raise Unavailable(f"the database cannot be used: {type(error).__name__}") from error


def _reason(error: DBAPIError) -> str:
    """The driver's own message on one line, without the statement and its values."""
    return " ".join(str(error.orig).split())[:200] or type(error.orig).__name__


def is_retryable(error: Unavailable) -> bool:
    """Whether two transactions got in each other's way, so that retrying at once may succeed.

    That includes two that inserted the same key: a retry will find the row.
    """
    return getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) in ("40001", "40P01", "23505")


def data_at_fault(error: Unavailable) -> bool:
    """Whether the database is well but refused the data, so that the same data will be refused again."""
    return isinstance(error.__cause__, (DataError, IntegrityError, ProgrammingError))


def exclusive_lock(db: Connection, what: int = STARTUP_LOCK) -> None:
    """Hold an exclusive lock until the transaction ends; others that want it wait.

    SQLite allows only one transaction that writes at a time anyway.
    """
    if db.dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": what})


def shared_lock(db: Connection, what: int) -> None:
    """Hold a shared lock until the transaction ends; only an exclusive lock has to wait for it."""
    if db.dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": what})


def migrate(engine: Engine) -> None:
    """Bring the schema up to date. If several servers start together, one does it and the others wait."""
    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with writing(engine) as connection:
        exclusive_lock(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def open_database(url: str) -> Engine:
    """Open a database, and bring it to the schema of this version."""
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
    """Create a missing file for its owner alone. SQLite gives the files beside it the same mode."""
    with suppress(OSError):  # SQLite will report what is wrong
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def read_by_others(engine: Engine) -> list[Path]:
    """The files of an SQLite database that users other than the owner may read or write."""
    if engine.dialect.name != "sqlite":
        return []
    files = [Path(f"{engine.url.database}{end}") for end in ("", "-wal", "-shm")]
    return [file for file in files if file.exists() and file.stat().st_mode & 0o077]


def read_key(url: str, key_file: Path | None = None, *, make: bool = True) -> Seal:
    """Read the key that seals shoes: from FELTLAB_KEY, or from a file that only its owner can read.

    The file is beside an SQLite database, or else in the user's data folder. With `make`, a missing file is created.
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
    """Create the key file atomically; if another server does so at the same time, the first one counts."""
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
