"""Servers that start quickly, forked by a process that has imported everything (see crashing.py)."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from support.paths import with_support
from support.service.servers import Server

SCRIPT = Path(__file__).parent / "crashing.py"


class Nursery:
    """The process that forks servers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), "--nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=with_support(),
        )
        self._lock = threading.Lock()
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n", "the nursery did not start"

    def ask(self, order: dict[str, Any]) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline())

    def close(self) -> None:
        """End it; servers that still run die with it."""
        with self._process:
            self._process.kill()


class Child:
    """A forked server, with the part of `subprocess.Popen` that tests use."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery, self.pid = nursery, pid
        self._descriptor = os.pidfd_open(pid)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._descriptor], [], [], 0)[0]:
            self.wait(0)
        return self.returncode

    def wait(self, seconds: float) -> int:
        if self.returncode is None:
            assert select.select([self._descriptor], [], [], seconds)[0], f"no end of the server in {seconds} s"
            self.returncode = self._nursery.ask({"wait": self.pid})
            os.close(self._descriptor)
        return self.returncode

    def send_signal(self, how: signal.Signals) -> None:
        signal.pidfd_send_signal(self._descriptor, how)


class Forked(Server):
    """A server out of the nursery. `folder` is also where it is told when to die (see crashing.py)."""

    def __init__(
        self, nursery: Nursery, db: str, folder: Path, *, environment: dict[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(db, folder, **options)
        self._more = environment or {}
        self._nursery = nursery
        self.process: Child | None = None  # type: ignore[assignment]

    def launch(self) -> None:
        order = {
            "arguments": self._command[2:],
            "environment": {**self._more, "FELTLAB_CRASHING": str(self.folder)},
            "output": str(self.output),
            "errors": str(self.errors),
        }
        self.process = Child(self._nursery, self._nursery.ask(order))  # type: ignore[assignment]

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self.process is not None
            assert self.process.poll() is None, f"the server ended: {self.errors.read_text()[-2000:]}"
            if self.ready():
                return
            time.sleep(0.01)
        raise AssertionError(f"the server was not ready in {seconds} s: {self.errors.read_text()[-2000:]}")

    def ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    # ---- what it is told while it runs

    def crash(self, kind: str, point: int) -> None:
        """Let it die at a point of the next transaction of a kind; a point that is never reached kills nobody."""
        self.points_file.unlink(missing_ok=True)
        written = self.folder / "crash.new"
        written.write_text(f"{kind} {point}")
        written.replace(self.folder / "crash")

    @property
    def points_file(self) -> Path:
        return self.folder / "points"

    @property
    def points(self) -> list[str]:
        """The points that the last chosen transaction passed."""
        return self.points_file.read_text().splitlines() if self.points_file.exists() else []

    def set_clock(self, milliseconds: int) -> None:
        """Set its clock so far ahead of ours."""
        written = self.folder / "clock.new"
        written.write_text(str(milliseconds))
        written.replace(self.folder / "clock")
