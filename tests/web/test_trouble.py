"""What a server does when it is in trouble: it says so, does nothing by halves, and goes on when it can."""

import os
import resource
import shutil
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from feltlab import cli
from feltlab.client import Client, ServiceError
from feltlab.floor.storage import database as floor_database
from feltlab.floor.storage.database import read_key
from support.floor.forked import Forked
from support.floor.houses import Company
from support.players import Witness
from support.postgres import PATIENT, free_port
from support.service.servers import SHEETS, Server
from support.sweeping import NEVER, TIMED_SECONDS, Request, Stage
from support.waiting import comes

FREE = resource.RLIM_INFINITY
KEY = "a-key-of-its-own"


@contextmanager
def staged(nursery, url, folder, **more):
    """A player at a table, in the middle of a round."""
    with Forked(nursery, url, folder, sheets=(), environment=more) as server, Witness() as witness:
        stage = Stage(server, witness, SHEETS[0])
        yield stage
        stage.end()


@pytest.fixture
def stage(sqlite, nursery, tmp_path):
    with staged(nursery, sqlite, tmp_path) as found:
        yield found


def file_of(stage: Stage) -> Path:
    return Path(stage.server.db.removeprefix("sqlite:///"))


def refused(request: Request, words: str) -> None:
    """Ask: the server cannot do it now, and says why."""
    _, client, *asked = request
    with pytest.raises(ServiceError, match=words) as error:
        client.once(*asked, KEY)
    assert (error.value.status, error.value.kind) == (503, "unavailable")


def goes_on(stage: Stage, request: Request) -> None:
    """The table is as it was before, and the same request is now done, once."""
    _, client, *asked = request
    before = client.now(stage.at)  # the witness has seen it before
    answer = client.change(*asked, KEY)
    assert not answer["again"] and answer["seq"] == before.seq + 1
    assert client.change(*asked, KEY)["again"]
    stage.prove()


# ---- the disk and the file


def test_a_full_disk(stage):
    """No file can grow any more; after a while there is room again."""
    request = stage.action(stage.at)
    server = stage.server.process.pid
    resource.prlimit(server, resource.RLIMIT_FSIZE, (1000, FREE))
    for _ in range(3):
        refused(request, "the database cannot be used: (disk I/O error|database or disk is full)")
    assert stage.me.now(stage.at).waits.turn == request.body["turn"]
    becomes(stage, 503, "cannot be used")
    resource.prlimit(server, resource.RLIMIT_FSIZE, (FREE, FREE))
    becomes(stage, 200)
    goes_on(stage, request)


def becomes(stage: Stage, status: int, words: str = "") -> None:
    """What `/readyz` says before long: what went well a moment ago is not tried again at once."""
    until = time.monotonic() + PATIENT
    while (answer := httpx.get(f"{stage.server.url}/readyz", timeout=PATIENT)).status_code != status:
        assert time.monotonic() < until, f"/readyz still says {answer.status_code}"
        time.sleep(0.05)
    assert words in answer.text


def test_a_postgres_that_takes_nothing_more(postgres_server, nursery, tmp_path, new_postgres):
    """It answers questions, and cannot write: a server at it is not ready."""
    url = new_postgres()
    with staged(nursery, url, tmp_path) as stage:
        name = url.rpartition("/")[2]
        with psycopg.connect(postgres_server, autocommit=True) as db:
            db.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            becomes(stage, 503, "read-only")
            db.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = off')
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            becomes(stage, 200)


def test_a_full_disk_and_then_a_kill(stage):
    """What could not be written is not there after a start either."""
    request = stage.action(stage.at)
    resource.prlimit(stage.server.process.pid, resource.RLIMIT_FSIZE, (1000, FREE))
    refused(request, "cannot be used")
    stage.server.kill()
    stage.server.start()
    goes_on(stage, request)


def test_a_file_that_another_program_keeps_locked(stage):
    request = stage.action(stage.at)
    other = sqlite3.connect(file_of(stage), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused(request, "the database cannot be used: database is locked")
    other.close()
    goes_on(stage, request)


def test_a_file_that_is_moved_away_and_put_back(stage):
    """Nothing is written to a file that nobody will find again."""
    request = stage.action(stage.at)
    file, away = file_of(stage), file_of(stage).with_suffix(".away")
    file.rename(away)
    refused(request, "was moved or replaced; put it back, or start the server again")
    assert httpx.get(f"{stage.server.url}/readyz").status_code == 503
    assert not file.exists(), "an empty database was made in its place"
    away.rename(file)
    goes_on(stage, request)


def test_a_file_that_is_replaced(stage):
    """A backup that is put in place of the database is used from the next start on, and not mixed with it."""
    request = stage.action(stage.at)
    file, away = file_of(stage), file_of(stage).with_suffix(".away")
    stage.server.kill()
    stage.server.start()
    with sqlite3.connect(file) as source, sqlite3.connect(away) as copy:
        source.backup(copy)
    source.close()
    copy.close()
    stage.me.now(stage.at)
    away.replace(file)
    refused(request, "was moved or replaced")
    stage.server.kill()
    for rest in file.parent.glob(f"{file.name}-*"):
        rest.unlink()
    stage.server.start()
    goes_on(stage, request)


# ---- starting


def started(capsys, monkeypatch, *arguments: str) -> str:
    """What `feltlab serve` says when it cannot start: one line, and code 2."""
    monkeypatch.setattr("sys.argv", ["feltlab", "serve", "--port", "0", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    said = capsys.readouterr()
    assert end.value.code == 2 and said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("feltlab: ")
    return line


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the process would end, and its socket
def test_a_start_without_a_database_says_why(capsys, monkeypatch, tmp_path, sqlite, postgres_server):
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "letter.db").write_text("Dear all, " * 1000)
    monkeypatch.setattr(floor_database, "BUSY_SECONDS", 0.1)
    locked = sqlite3.connect(sqlite.removeprefix("sqlite:///"), isolation_level=None)
    locked.execute("BEGIN IMMEDIATE")
    later = tmp_path / "later.db"
    shutil.copy(sqlite.removeprefix("sqlite:///"), later)
    with sqlite3.connect(later) as of_another_version:
        of_another_version.execute("UPDATE alembic_version SET version_num = '9999'")
    of_another_version.close()
    nowhere = postgres_server.rpartition("/")[0] + "/nowhere"
    for url, words in (
        (f"sqlite:///{tmp_path}/no/such/folder.db", "unable to open database file"),
        (f"sqlite:///{tmp_path}/folder.db", "unable to open database file"),
        (f"sqlite:///{tmp_path}/letter.db", "file is not a database"),
        (f"sqlite:///{later}", "it was made by a later version of Feltlab"),
        (sqlite, "database is locked"),
        (f"postgresql://felt@127.0.0.1:{free_port()}/felt", "Connection refused"),
        (nowhere, 'database "nowhere" does not exist'),
    ):
        line = started(capsys, monkeypatch, "--db", url)
        assert url in line.replace("postgresql+psycopg", "postgresql") and words in line
    locked.close()


def test_a_server_killed_while_it_makes_its_key_makes_it_at_the_next_start(tmp_path):
    """At whatever call: the key is whole, or not there at all."""
    path = tmp_path / "feltlab.key"
    for name in ("open", "fdopen", "fsync", "link"):
        child = os.fork()
        if not child:
            setattr(os, name, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            read_key("sqlite:///felt.db", path)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert not path.exists()
    read_key("sqlite:///felt.db", path)
    assert len(bytes.fromhex(path.read_text())) == 32 and path.stat().st_mode & 0o777 == 0o600


def test_servers_that_start_together_share_one_key(tmp_path):
    path = tmp_path / "feltlab.key"
    with ThreadPoolExecutor(8) as pool:
        seals = list(pool.map(lambda _: read_key("sqlite:///felt.db", path), range(8)))
    assert len({bytes(seal._cipher.encrypt(b"0" * 12, b"", b"")) for seal in seals}) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["feltlab.key"]


def test_servers_that_start_together_make_one_house_and_one_table(new_postgres, nursery, tmp_path):
    url = new_postgres()
    servers = [Forked(nursery, url, tmp_path, sheets=SHEETS[:1]) for _ in range(3)]
    try:
        for server in servers:
            server.launch()
        for server in servers:
            server.wait(PATIENT)
        with Client(servers[0].url) as client:
            assert len(client.tables()) == 1
        assert sum("password" in server.output.read_text() for server in servers) == 1
    finally:
        for server in servers:
            server.kill()


# ---- the clock


@pytest.mark.parametrize("back", [90, 3600], ids=lambda seconds: f"{seconds} s")
def test_a_clock_that_is_set_back(database, nursery, tmp_path, back):
    """A player who does not answer has as much time as ever, and not until the clock is where it was."""
    with staged(nursery, database, tmp_path) as stage:
        timed = stage.join(cards=40, decision_seconds=TIMED_SECONDS)
        stage.asked(timed)
        other = stage.waited_for(timed)
        before = other.now.seq
        stage.server.set_clock(-1000 * back)
        comes(lambda: stage.me.now(timed).seq > before, "nobody has seen that the clock went back")
        stage.server.set_clock(-1000 * (back - TIMED_SECONDS))  # where it is when the time is up
        comes(lambda: stage.me.now(timed).waits.kind == "bets", "the table waits for a time that is long in coming")
        steps = [step for place, step in sorted(stage.prove().steps.items()) if place > (timed, before)]
        told = [event["event"] for step in steps for event in step.events]
        assert told.count("clock") == told.count("time-up") == 1
        assert [step.at for step in steps] == sorted(step.at for step in steps), "time went back at the table"
        other.leave()
        stage.laid(timed).deal()
        stage.over(timed)


# ---- the end


@contextmanager
def held(url):
    """Nobody can write."""
    if url.startswith("sqlite"):
        other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    else:
        other = psycopg.connect(url)
        other.execute("LOCK TABLE steps")
    yield
    other.close()


def test_a_clean_stop(database, nursery, tmp_path):
    """What was asked is answered, streams are ended, the code is 0, and the round goes on at the next start."""
    with staged(nursery, database, tmp_path, FELTLAB_BUSY_SECONDS="120") as stage, ThreadPoolExecutor() as pool:
        _, client, *asked = stage.action(stage.at)
        stream = Client(stage.server.url).guest()
        cookies = stream._http.cookies
        with (
            httpx.Client(base_url=stage.server.url, cookies=cookies) as web,
            web.stream("GET", f"/api/v1/tables/{stage.at}/events") as events,
        ):
            lines = events.iter_lines()
            assert next(lines).startswith("retry")
            with held(database):
                stage.server.crash("move", NEVER)  # which tells how far it has come
                answer = pool.submit(client.once, *asked, KEY)
                comes(lambda: stage.server.points, "the request has not come")
                stopped = pool.submit(stage.server.stop)
                time.sleep(0.3)
                assert not answer.done() and not stopped.done()
            assert not answer.result(PATIENT)["again"]
            assert stopped.result(PATIENT) == 0
            list(lines)  # comes to its end, and is not cut off
        stream.close()
        assert "error" not in stage.server.errors.read_text()
        stage.server.start()
        assert client.change(*asked, KEY)["again"]
        stage.prove()


def test_a_clean_stop_while_many_play(database, nursery, tmp_path):
    with Forked(nursery, database, tmp_path, sheets=()) as server, Witness() as witness:
        company = Company(server, witness=witness, sheets=SHEETS[:2])
        for _ in range(2):
            time.sleep(0.5)
            assert server.stop() == 0
            server.start()
            company.prove()
        assert sum(client.again for client in company.clients) == 0, "a request was done, and not answered"
        company.end()


def test_a_stop_before_it_has_started(sqlite, nursery, tmp_path):
    server = Forked(nursery, sqlite, tmp_path)
    for moment in (0.0, 0.02, 0.05, 0.1):
        server.launch()
        time.sleep(moment)
        assert server.stop() in (0, -signal.SIGTERM)
    server.start()
    server.kill()


UNHEARD = """
import os, signal, sys, weakref
from uvicorn import Config
from feltlab.cli import main

original = Config.get_loop_factory

def told_to_stop(config):
    class Nothing: ...
    nothing = Nothing()
    callback = weakref.ref(nothing, lambda _: os.kill(os.getpid(), signal.SIG{name}))
    del nothing  # what its callback raises is printed and forgotten, as it is in callbacks of the event loop
    return original(config)

Config.get_loop_factory = told_to_stop
sys.argv = ["feltlab", "serve", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(("name", "code"), [("TERM", 0), ("INT", 130)])
def test_a_stop_just_before_it_serves_is_not_lost(name, code, sqlite, tmp_path):
    script = tmp_path / "stopped.py"
    script.write_text(UNHEARD.format(name=name))
    server = Server(sqlite, tmp_path, sheets=(), script=script)
    server.launch()
    try:
        assert server.process.wait(PATIENT) == code
        assert "Feltlab is at" in server.output.read_text()
    finally:
        server.kill()


# ---- the client


def test_somebody_who_looks_on_waits_for_a_server_that_cannot_answer():
    """503 is no end of a stream."""
    answers = iter(
        [
            httpx.Response(503, json={"type": "urn:feltlab:problem:unavailable", "detail": "gone"}),
            httpx.Response(200, text='id: 7\nevent: step\ndata: {"table":1,"seq":7,"events":[]}\n\n'),
        ]
    )
    with Client("http://felt", transport=httpx.MockTransport(lambda _: next(answers))) as client:
        assert next(client.events(1))["seq"] == 7
