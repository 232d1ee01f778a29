"""Servers for the tests: real processes on loopback, which can be stopped and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from support.paths import with_support
from support.postgres import PATIENT, free_port

SHEETS = ("bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack")


class Server:
    """`feltlab serve` as a process. `script` runs another program in its place, with the same arguments."""

    def __init__(
        self,
        db: str,
        folder: Path,
        *,
        sheets: Sequence[str] = SHEETS,
        writes: float = 10_000,
        script: Path | None = None,
        environment: dict[str, str] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self.db, self.folder = db, folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        program = [sys.executable, str(script)] if script else [str(Path(sys.executable).parent / "feltlab"), "serve"]
        opened = [word for sheet in sheets for word in ("--open", sheet)]
        key = ["--key", str(folder / "feltlab.key")]
        options = ["--db", db, "--port", str(self.port), "--writes", str(writes), *opened, *key, *arguments]
        self._command = [*program, *options]
        self._environment = {**(with_support() if script else os.environ), **(environment or {})}
        self.output, self.errors = folder / f"{self.port}.out", folder / f"{self.port}.err"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, wait: float = PATIENT) -> Server:
        """Start it, and wait until it is ready."""
        self.launch()
        self.wait(wait)
        return self

    def launch(self) -> None:
        """Start it without waiting."""
        with self.output.open("ab") as out, self.errors.open("ab") as err:
            self.process = subprocess.Popen(self._command, stdout=out, stderr=err, env=self._environment)

    def wait(self, seconds: float) -> None:
        """Wait until it can do its work."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self.process is not None
            assert self.process.poll() is None, f"the server ended: {self.errors.read_text()[-2000:]}"
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"the server was not ready in {seconds} s: {self.errors.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill it, like a power cut."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to end; returns its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENT)

    @property
    def house_password(self) -> str:
        """The password that the server said when it made the house account."""
        said = self.output.read_text()
        return said.partition("password ")[2].partition(" ")[0]

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.kill()
