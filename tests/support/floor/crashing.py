"""The real server, started so that it dies at a chosen point of a transaction, and as often as a test likes.

As a script it takes the arguments of `feltlab serve`. With `--nursery` it waits for orders, one line of JSON each: it has
imported everything already and forks a server for each order, which starts at once and is as dead as any other when
it is killed.

FELTLAB_BUSY_SECONDS is how long it waits for a file that somebody else writes to; without it as long as everybody's does.
The folder that FELTLAB_CRASHING names holds what the server is told while it runs, and what it tells:

    crash    KIND POINT: die at this point of the next transaction of this kind
    points   the points that this transaction has passed, one a line; the last is where it died
    clock    milliseconds that are added to the clock
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TABLE = re.compile(r"(?:FROM|INTO|UPDATE|TABLE|INDEX|TRIGGER|FUNCTION)\s+\"?(\w+)", re.IGNORECASE)
DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


def named(statement: str) -> str:
    """A statement in two words.

    >>> named("INSERT INTO bets (bet, hand) VALUES (?, ?)")
    'INSERT bets'
    """
    found = TABLE.search(statement)
    return " ".join([statement.split(maxsplit=1)[0].upper(), *([found[1]] if found else [])])


class Points:
    """Counts the points of one transaction, and kills the process at the one that was ordered."""

    def __init__(self, folder: Path) -> None:
        self._crash, self._points = folder / "crash", folder / "points"
        self._left: int | None = None
        self._thread: int | None = None  # whose statements are counted

    def begin(self, *kinds: str) -> bool:
        """A transaction of these kinds begins. Was one of them ordered?"""
        try:
            kind, point = self._crash.read_text().split()
        except (FileNotFoundError, ValueError):
            return False
        if kind not in kinds:
            return False
        self._crash.unlink()
        self._left, self._thread = int(point), threading.get_ident()
        self.passed("begin")
        return True

    def passed(self, what: str) -> None:
        """A point has been reached."""
        if self._left is None:
            return
        with self._points.open("a") as file:
            file.write(f"{what}\n")
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1

    def in_transaction(self, what: str) -> None:
        """A point of the transaction itself."""
        if self._thread == threading.get_ident():
            self.passed(what)

    def end(self) -> None:
        """The transaction is over; only its answer is still to come."""
        self._thread = None

    def answer(self) -> None:
        """What was done is about to be told."""
        self.passed("answer")
        self._left = None


def install(folder: Path) -> None:
    """Put points before each statement, before and after each commit, and before each answer."""
    from sqlalchemy import Engine, event
    from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
    from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

    from feltlab.floor.desk import Desk
    from feltlab.floor.storage import database
    from feltlab.web import server
    from feltlab.web.queues.worker import Worker

    points = Points(folder)

    @event.listens_for(Engine, "before_cursor_execute")
    def _(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        points.in_transaction(named(statement))

    def committing(commit: Callable[..., None]) -> Callable[..., None]:
        def act(*arguments: Any) -> None:
            points.in_transaction("COMMIT")
            commit(*arguments)
            points.in_transaction("committed")

        return act

    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        dialect.do_commit = committing(dialect.do_commit)  # type: ignore[method-assign]

    def around(owner: Any, name: str, kinds: Callable[..., list[str]]) -> None:
        original = getattr(owner, name)

        def act(*arguments: Any, **options: Any) -> Any:
            if points.begin(*kinds(*arguments)) and isinstance(arguments[0], Desk):
                arguments[0].tables.forget()  # so that reading the table is part of the transaction
            try:
                return original(*arguments, **options)
            finally:
                points.end()

        setattr(owner, name, act)

    around(Desk, "_run", lambda _, jobs: [job.command.__struct_config__.tag for job in jobs])
    around(Desk, "plain", lambda _, act: [act.__qualname__.partition(".")[0]])
    around(server, "prepare", lambda *_: ["start"])

    deliver = Worker._deliver

    def delivering(*arguments: Any) -> None:
        points.answer()
        deliver(*arguments)

    Worker._deliver = delivering  # type: ignore[method-assign]
    if seconds := os.environ.get("FELTLAB_BUSY_SECONDS"):
        database.BUSY_SECONDS = int(seconds)
    _set_clock(folder / "clock")


def _set_clock(file: Path) -> None:
    from feltlab.floor import desk

    def time_ns() -> int:
        try:
            return time.time_ns() + int(file.read_text()) * 1_000_000
        except (FileNotFoundError, ValueError):
            return time.time_ns()

    desk.time = SimpleNamespace(time_ns=time_ns)  # type: ignore[assignment]


def install_if_told() -> None:
    if folder := os.environ.get("FELTLAB_CRASHING"):
        install(Path(folder))


# ---- the nursery


def warm() -> Callable[[list[str]], None]:
    """Do once what every server does when it starts, so that those to come find it done; gives the command."""
    import psycopg  # noqa: F401
    import typer
    import uvicorn.lifespan.on
    import uvicorn.loops.uvloop  # noqa: F401

    from feltlab.cli.serve import serve
    from feltlab.floor.storage.store import LiveTables
    from feltlab.web import logs  # noqa: F401
    from feltlab.web.app import App, openapi
    from feltlab.web.server import prepare
    from feltlab.web.settings import Settings
    from support.service.servers import SHEETS

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(f"sqlite:///{folder}/warm.db", key_file=Path(folder) / "key", open_tables=SHEETS)
        services = prepare(settings, lambda _: None)
        App(services)
        openapi()
        with services.engine.connect() as db:
            LiveTables(services.seal).find(db, {1, 2, 3}, lock=False)
        services.engine.dispose()
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(serve)
    command: Callable[[list[str]], None] = typer.main.get_command(app)
    gc.collect()
    gc.freeze()
    return command


def bear(command: Callable[[list[str]], None], order: dict[str, Any]) -> int:
    """Fork a server; gives its process id."""
    parent = os.getpid()
    if pid := os.fork():
        return pid
    code = 70
    try:
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(code)
        for descriptor, file in enumerate((os.devnull, order["output"], order["errors"])):
            os.dup2(os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), descriptor)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 # the nursery's own has been read from
        os.environ.update(order["environment"])
        install_if_told()
        command(order["arguments"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def nursery() -> None:
    """Carry out orders: `wait` for a server's end, or start another."""
    command = warm()
    say("ready")
    for line in sys.stdin:
        order = json.loads(line)
        if pid := order.get("wait"):
            say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        else:
            say(bear(command, order))


if __name__ == "__main__":
    if sys.argv[1:] == ["--nursery"]:
        nursery()
    else:
        from feltlab.cli import main

        install_if_told()
        sys.argv = ["feltlab", "serve", *sys.argv[1:]]
        main()
