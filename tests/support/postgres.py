"""PostgreSQL servers for the tests, on loopback, created and ended with them."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SUPERUSER = "postgres"
PATIENT = 120.0  # seconds; more than even a busy machine needs
GIVEN_AWAY = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])  # from here on, to anybody
PORTS = range(GIVEN_AWAY - 8000, GIVEN_AWAY) if GIVEN_AWAY > 10_000 else range(10_000, 18_000)
_CLAIMS: list[socket.socket] = []


def programs() -> Path:
    """The folder of PostgreSQL's programs, on the path or in Debian's place."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    assert installed, (
        "PostgreSQL is not installed; `make setup` installs it where it may (Debian: apt-get install postgresql)"
    )
    return installed[-1].parent


def free_port() -> int:
    """A port that is this process's own as long as it lives: nobody else is given it before, while or after it is used.

    It is none of those that the system gives away by itself, as it does for every connection. A name that only one
    process can have keeps the tests that run at the same time apart; the system takes it back when the process ends.
    """
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            claim.bind(f"\0feltlab-tests-port-{port}")
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _CLAIMS.append(claim)
        return port
    raise AssertionError("no port is free")


class Postgres:
    """A server with an empty database, which can be stopped and started. It refuses to run as root, so root runs it as Debian's own user."""

    def __init__(self, *settings: str) -> None:
        as_root = os.geteuid() == 0
        self._prefix = ["runuser", "-u", SUPERUSER, "--"] if as_root else []
        self._folder = Path(tempfile.mkdtemp(prefix="feltlab-pg-"))
        if as_root:
            shutil.chown(self._folder, SUPERUSER, SUPERUSER)
        self._port, self._data = free_port(), self._folder / "data"
        self.url = f"postgresql://felt@127.0.0.1:{self._port}/postgres"
        options = [f"-cport={self._port}", "-clisten_addresses=127.0.0.1", f"-cunix_socket_directories={self._folder}"]
        self._command = [*self._prefix, programs() / "postgres", "-D", self._data, *options, *settings]
        self._run("initdb", "-D", self._data, "-U", "felt", "-A", "trust", "-E", "UTF8", "--no-sync", check=True)

    def _run(self, program: str, *arguments: str | Path, check: bool = False) -> None:
        subprocess.run([*self._prefix, programs() / program, *arguments], check=check, capture_output=True, cwd="/")

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(self._command, stdout=quiet, stderr=quiet, cwd="/")
        _wait(self._port, self._process)

    def stop(self) -> None:
        """End it at once, as a crash would: it finds everything that was committed again when it starts."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", "immediate")
        self._process.wait(PATIENT)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def running(*settings: str) -> Iterator[str]:
    """A server with an empty database; gives its URL."""
    server = Postgres(*settings)
    try:
        server.start()
        yield server.url
    finally:
        server.remove()


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENT
    while time.monotonic() < until:
        ready = subprocess.run(
            [programs() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "felt", "-d", "postgres"],
            check=False,
        )
        if ready.returncode == 0:
            return
        assert server.poll() is None, "PostgreSQL ended while it started"
        time.sleep(0.1)
    raise AssertionError(f"PostgreSQL did not start in {PATIENT:g} seconds")


def new_database(server: str, name: str) -> str:
    """Create a new database for a test."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return server.rsplit("/", 1)[0] + f"/{name}"


def sweep(url: str) -> None:
    """Empty a database but keep its schema, which is created again if it is incomplete."""
    import psycopg

    from feltlab.floor.storage import schema
    from feltlab.floor.storage.database import open_database

    with psycopg.connect(url, autocommit=True) as connection:
        triggers = connection.execute("SELECT count(*) FROM pg_trigger WHERE tgname LIKE '%_only_added'").fetchone()
        if triggers == (len(schema.APPEND_ONLY),):
            found = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
            ).fetchall()
            connection.execute("SET session_replication_role = replica")  # triggers keep rows from being removed
            connection.execute(f"TRUNCATE {', '.join(name for (name,) in found)} RESTART IDENTITY CASCADE")
            return
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    open_database(url).dispose()
