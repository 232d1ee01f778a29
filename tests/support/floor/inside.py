"""A server in the tests' process, which starts quickly and lets tests see its state."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx
from argon2 import PasswordHasher
from sqlalchemy import event

from feltlab.client import Client
from feltlab.floor.desk import Desk
from feltlab.floor.ledger.checking import LedgerReport, check
from feltlab.floor.people import people
from feltlab.floor.storage.database import reading
from feltlab.web.server import Server, configured, listen, prepare
from feltlab.web.settings import Settings
from support.postgres import PATIENT

T = TypeVar("T")
PLENTY = {
    "writes_per_second": 10_000,
    "writes_at_once": 10_000,
    "reads_per_second": 10_000,
    "reads_at_once": 10_000,
    "logins_per_minute": 10_000,
    "arrivals_per_minute": 10_000,
    "purchases_per_minute": 10_000,
    "tables_per_hour": 10_000,
}


class Inside:
    """A real server with real connections, in a thread. It waits neither for the disk nor long for passwords."""

    def __init__(self, folder: Path, *sheets: str, **settings: Any) -> None:
        found = Settings(
            db=f"sqlite:///{folder / 'felt.db'}",
            port=0,
            key_file=folder / "feltlab.key",
            open_tables=sheets,
            **{**PLENTY, **settings},
        )
        self.folder, self.said = folder, []
        self._slow = people._hasher, people._NOBODY
        people._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        people._NOBODY = people._hasher.hash("nobody has this password")
        self.services = prepare(found, self.said.append)
        self.services.engine.dispose()
        event.listen(self.services.engine, "connect", _without_waiting)
        socket = listen("127.0.0.1", 0)  # whatever the settings say, on loopback
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        self._server = Server(configured(self.services), self.services)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [socket]}, name="server")

    @property
    def house_password(self) -> str:
        return self.said[0].partition("password ")[2].partition(" ")[0]

    def house(self) -> Client:
        """Somebody who may open tables and see the books."""
        return Client(self.url).log_in("house", self.house_password)

    def at_desk(self, act: Callable[[Desk], T]) -> T:
        """Ask the desk something in its own thread, as the service does."""
        worker = self.services.worker
        return asyncio.run_coroutine_threadsafe(worker.ask(act), worker._loop).result(PATIENT)

    def check(self) -> LedgerReport:
        """Prove the ledger."""
        with reading(self.services.engine) as db:
            return check(db)

    def __enter__(self) -> Inside:
        self._thread.start()
        until = time.monotonic() + PATIENT
        while time.monotonic() < until:
            if self._server.started and httpx.get(f"{self.url}/readyz").status_code == 200:
                return self
            time.sleep(0.01)
        raise AssertionError("the server did not start")

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENT)
        people._hasher, people._NOBODY = self._slow
        assert not self._thread.is_alive()


def _without_waiting(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
