"""A PostgreSQL server of the tests' own: made anew, on loopback, ended with them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SUPERUSER = "postgres"


def programs() -> Path:
    """Where PostgreSQL's programs are: on the path, or where Debian puts them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    assert installed, (
        "PostgreSQL is not installed; `make setup` installs it where it may (Debian: apt-get install postgresql)"
    )
    return installed[-1].parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(*settings: str) -> Iterator[str]:
    """A server with an empty database; gives its URL. It refuses to run as root, so root runs it as Debian's own user."""
    as_root = os.geteuid() == 0
    prefix = ["runuser", "-u", SUPERUSER, "--"] if as_root else []
    folder = Path(tempfile.mkdtemp(prefix="feltlab-pg-"))
    if as_root:
        shutil.chown(folder, SUPERUSER, SUPERUSER)
    port = free_port()
    data = folder / "data"
    init = [*prefix, programs() / "initdb", "-D", data, "-U", "felt", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(init, check=True, capture_output=True, cwd="/")
    options = ["-clisten_addresses=127.0.0.1", f"-cport={port}", f"-cunix_socket_directories={folder}", *settings]
    server = subprocess.Popen(
        [*prefix, programs() / "postgres", "-D", data, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        _wait(port, server)
        yield f"postgresql://felt@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(
            [*prefix, programs() / "pg_ctl", "stop", "-D", data, "-m", "immediate"],
            check=False,
            capture_output=True,
            cwd="/",
        )
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        ready = subprocess.run(
            [programs() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "felt", "-d", "postgres"],
            check=False,
        )
        if ready.returncode == 0:
            return
        assert server.poll() is None, "PostgreSQL ended while it started"
        time.sleep(0.1)
    raise AssertionError("PostgreSQL did not start in 30 seconds")


def new_database(server: str, name: str) -> str:
    """A database of its own for a test."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return server.rsplit("/", 1)[0] + f"/{name}"
