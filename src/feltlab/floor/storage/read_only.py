"""Opens a database read-only: nothing in it is created, migrated or changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event

from feltlab.errors import FeltlabError
from feltlab.floor.storage.database import Unavailable, any_text, connect, reading


@contextmanager
def open_read_only(url: str) -> Iterator[Connection]:
    """A snapshot of an existing database that has this version's schema."""
    engine = connect(url)
    shown = f"--db {engine.url.render_as_string(hide_password=True)}"
    if engine.dialect.name == "sqlite":
        engine = _file(Path(engine.url.database or ""), shown)
    try:
        with reading(engine) as db:
            _check_schema(db, shown)
            yield db
    except Unavailable as error:
        raise FeltlabError(f"{shown}: {error}") from error
    finally:
        engine.dispose()


def _file(path: Path, shown: str) -> Engine:
    """Open an SQLite file read-only: a missing file is not created, and no setting is changed."""
    if not path.is_file():
        raise FeltlabError(f"{shown}: there is no such file; `feltlab serve` creates a database")
    engine = create_engine(
        URL.create("sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true"})
    )
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begins)
    return engine


def _connected(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions are begun explicitly
    connection.text_factory = any_text


def _begins(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _check_schema(db: Connection, shown: str) -> None:
    there = MigrationContext.configure(db).get_current_revision()
    if there is None:
        raise FeltlabError(f"{shown}: this is not a database of Feltlab")
    ours = ScriptDirectory(str(Path(__file__).parent / "migrations")).get_current_head()
    if there != ours:
        raise FeltlabError(f"{shown}: its schema is {there}, not {ours}; `feltlab serve` brings it up to date")
