"""Can the server do its work? It is tried: the database is read, and something is written to it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from sqlalchemy import Connection, Engine, text

from feltlab.floor.storage.database import Unavailable, reading
from feltlab.web.queues.worker import Worker

LEAST_FREE = 16 * 1024 * 1024  # bytes on the disk of an SQLite database; below that a table soon cannot go on
WRITE_SECONDS = 1.0  # between two tries to write, as long as they go well
DESK_SECONDS = 10.0  # in which the desk gets round to it


class Readiness:
    """Tries what a table needs. Whoever asks while it is tried waits for the same try."""

    def __init__(self, engine: Engine, worker: Worker) -> None:
        self._engine, self._worker = engine, worker
        self._one = asyncio.Lock()
        self._written = -WRITE_SECONDS  # when a write last went well

    async def check(self) -> None:
        """Raise what is wrong, if anything is."""
        async with self._one:
            await asyncio.to_thread(self._look)
            if time.monotonic() - self._written < WRITE_SECONDS:
                return
            self._written = -WRITE_SECONDS
            try:
                async with asyncio.timeout(DESK_SECONDS):
                    await self._worker.plain(touch)
            except TimeoutError:
                raise Unavailable("what changes tables does not answer; it may be busy, or stuck") from None
            self._written = time.monotonic()

    def _look(self) -> None:
        with reading(self._engine) as db:
            db.execute(text("SELECT 1"))
        file = self._engine.url.database
        if self._engine.dialect.name == "sqlite" and file:
            disk = os.statvfs(Path(file).parent)
            if disk.f_bavail * disk.f_frsize < LEAST_FREE:
                raise Unavailable(f"the disk of the database has less than {LEAST_FREE // 1024**2} MB left")


def touch(db: Connection, _now: int) -> None:
    """Write what is there already: it goes all the way to the disk, and changes nothing."""
    db.execute(text("UPDATE alembic_version SET version_num = version_num"))
