"""The server is killed, at random and between any two statements, on both databases; whatever it promised holds.

`make test` runs a part of it; FELTLAB_SOAK=1 all of it. With `-s` it says in the end what was killed and proven.
"""

import random
import secrets
import sys
import time
from collections import Counter

import httpx
import pytest

from feltlab.errors import FeltlabError
from feltlab.floor.ledger.checking import check
from feltlab.floor.storage.database import connect, reading
from support.floor.forked import Forked
from support.floor.houses import Company, House
from support.floor.proving import Totals
from support.players import Witness
from support.postgres import PATIENT, Postgres, new_database
from support.service.servers import SHEETS
from support.soak import soak
from support.sweeping import Stage, Sweep

pytestmark = pytest.mark.slow

DATABASES = ("sqlite", "postgresql")


@pytest.fixture(scope="module")
def postgres():
    """One that keeps what it was told to keep when it is killed; only a power cut would need more."""
    found = Postgres("-cfsync=off")
    found.start()
    yield found
    found.remove()


class Tally:
    """What was killed and proven, by database."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.kills: Counter[tuple[str, str]] = Counter()
        self.proven: Counter[str] = Counter()

    def kill(self, how: str, url: str) -> None:
        self.kills[how, url.partition(":")[0]] += 1

    def end(self, totals: Totals) -> None:
        self.proven.update(totals._asdict())

    def __str__(self) -> str:
        hows = sorted({how for how, _ in self.kills})
        rows = [(how, *(self.kills[how, name] for name in DATABASES)) for how in hows]
        rows.append(("all kills", *(sum(row[place] for row in rows) for place in (1, 2))))
        lines = [
            f"{'killed':<52}{'SQLite':>8}{'PostgreSQL':>12}",
            *(f"{how:<52}{one:>8}{two:>12}" for how, one, two in rows),
        ]
        proven = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in self.proven.items())
        return "\n".join([*lines, "", f"proven: {proven}; in {time.monotonic() - self.began:.0f} seconds"])


@pytest.fixture(scope="module")
def tally():
    """Said in the end."""
    found = Tally()
    yield found
    sys.stdout.write(f"\n\n{found}\n")


@pytest.fixture(params=DATABASES)
def new_url(request, tmp_path):
    """Makes empty databases."""

    def make() -> str:
        name = f"kills_{secrets.token_hex(6)}"
        if request.param == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        return new_database(request.getfixturevalue("postgres").url, name)

    return make


@pytest.fixture
def url(new_url):
    return new_url()


# ---- between any two statements


def sweep(stage: Stage, sweeps: dict[str, Sweep], tally: Tally) -> None:
    """Of each kind of request: die before it begins, between any two of its statements, before and after the commit."""
    for name in soak(list(sweeps), random.sample(list(sweeps), 2)):
        lead, writes = sweeps[name]
        points = stage.ask(lead)
        assert writes <= set(points), f"{name}: {points}"
        assert points[0] == "begin" and points[-3:] == ["COMMIT", "committed", "answer"]
        for point in soak(range(len(points)), random.sample(range(len(points)), 1)):
            for _ in range(400):  # another round may go its way by fewer statements: a natural is one in twelve
                if len(stage.ask(lead, point)) == point + 1:
                    break
            else:
                pytest.fail(f"{name}: point {point} of {points} was not reached")
            tally.kill(f"between two statements: {name}", stage.server.db)


@pytest.mark.parametrize("sheet", SHEETS)
def test_killed_at_every_point_of_a_round(url, sheet, nursery, tmp_path, tally):
    with Forked(nursery, url, tmp_path, sheets=()) as server, Witness() as witness:
        stage = Stage(server, witness, sheet)
        sweep(stage, stage.playing, tally)
        tally.end(stage.end())


def test_killed_at_every_point_of_coming_and_going(url, nursery, tmp_path, tally):
    with Forked(nursery, url, tmp_path, sheets=()) as server, Witness() as witness:
        stage = Stage(server, witness, SHEETS[0])
        sweep(stage, stage.coming_and_going, tally)
        points = stage.strike()
        for point in soak(range(len(points)), random.sample(range(len(points)), 1)):
            assert len(stage.strike(point)) == point + 1
            tally.kill("between two statements: time is up", url)
        tally.end(stage.end())


def test_killed_while_it_starts_for_the_first_time(new_url, nursery, tmp_path, tally):
    """The schema, the house's account and the first tables are there as a whole, or the next start makes them."""

    def begin(point: int) -> list[str]:
        folder = tmp_path / secrets.token_hex(4)
        folder.mkdir()
        url = new_url()
        server = Forked(nursery, url, folder, sheets=SHEETS[:1])
        server.crash("start", point)
        server.launch()
        if point < 1000:
            assert server.process.wait(PATIENT) == -9
            tally.kill("between two statements: first start", url)
            points = server.points
            server.launch()
        server.wait(PATIENT)
        with Witness() as witness:
            client = House(server, witness).client
            assert len(client.tables()) == 1
        engine = connect(url)
        with reading(engine) as db:
            assert check(db).tables == 1
        engine.dispose()
        server.kill()
        return points if point < 1000 else server.points

    points = begin(1000)
    last = max(place for place, point in enumerate(points) if point == "committed")
    assert points[: last + 1].count("committed") == 3, "the schema, the key, the accounts and tables"
    for point in soak(range(0, last + 1, 3), random.sample(range(last + 1), 1)):
        begin(point)


# ---- at random


@pytest.mark.parametrize("night", range(soak(3, 1)))
def test_killed_at_random(url, night, nursery, tmp_path, tally):
    """While players play all three sheets and others look on."""
    with Forked(nursery, url, tmp_path, sheets=()) as server, Witness() as witness:
        company = Company(server, witness=witness)
        for _ in range(soak(20, 4)):
            time.sleep(random.uniform(0.02, 0.5))
            server.kill()
            if random.random() < 0.15:  # and once more while it starts
                server.launch()
                time.sleep(random.uniform(0, 0.15))
                server.kill()
                tally.kill("at random", url)
            server.start()
            tally.kill("at random", url)
            company.prove()
        tally.end(company.end())


# ---- two servers on one database


@pytest.fixture
def two(postgres, nursery, tmp_path):
    """Two servers on one database, with one key."""
    url = new_database(postgres.url, f"two_{secrets.token_hex(6)}")
    servers = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        key = ("--key", str(tmp_path / "feltlab.key"))
        servers.append(Forked(nursery, url, folder, sheets=(), arguments=key))
        servers[-1].launch()
    for server in servers:
        server.wait(PATIENT)
    yield sorted(servers, key=lambda server: "password" not in server.output.read_text())
    for server in servers:
        server.kill()


SOON = 1.5  # seconds


def lateness(company: Company, last: int) -> list[float]:
    """After how many seconds those who look on saw the last steps, or have not seen them yet."""
    now = time.monotonic()
    seen = [
        (when, onlooker.when.get(seq, now) - when)
        for client in company.clients
        for (table, seq), when in list(client.when.items())
        for onlooker in company.onlookers
        if onlooker.table == table and when < now - SOON
    ]
    return sorted(late for _, late in sorted(seen)[-last:])


def test_two_servers_are_one_floor(two, tally):
    """Players at both sit at the same tables; either server is killed, and comes back."""
    with Witness() as witness:
        company = Company(*two, witness=witness)
        until, many = time.monotonic() + PATIENT, soak(500, 60)
        while len(late := lateness(company, many)) < many or late[many * 9 // 10] >= SOON:
            assert time.monotonic() < until, f"steps at one server are seen late at the other: {late}"
            time.sleep(0.1)
        company.prove()
        for _ in range(soak(20, 2)):
            time.sleep(random.uniform(0.02, 0.5))
            server = random.choice(two)
            server.kill()
            tally.kill("one of two servers, at random", server.db)
            server.start()
            company.prove()
        tally.end(company.end())


def test_what_one_server_did_the_other_does_not_do_again(two, tally):
    """A player whose server died after the commit asks the other one, with the same key."""
    here, there = two
    with Witness() as witness:
        stage = Stage(here, witness, SHEETS[0])
        points = stage.ask(lambda: stage.bet(stage.at))
        _, client, method, path, body = stage.bet(stage.at)
        at_other = client.elsewhere(there.url, witness)
        for point, again in (("COMMIT", False), ("committed", True)):
            stage.over(stage.at)
            here.crash("bets", points.index(point))
            with pytest.raises(FeltlabError, match="does not answer"):
                client.once(method, path, body, f"a-key-for-{point}")
            answer = at_other.change(method, path, body, f"a-key-for-{point}")
            assert answer["again"] == again
            client.steps[answer["table"], answer["seq"]] = answer
            here.start()
            tally.kill("one of two servers, at random", here.db)
            assert client.change(method, path, body, f"a-key-for-{point}") == {**answer, "again": True}
        tally.end(stage.end())


# ---- the database is killed


def test_postgresql_is_killed(postgres, nursery, tmp_path, tally):
    """Meanwhile the server says 503; then play goes on where it was."""
    url = new_database(postgres.url, f"gone_{secrets.token_hex(6)}")
    with Forked(nursery, url, tmp_path, sheets=()) as server, Witness() as witness:
        company = Company(server, witness=witness)
        with httpx.Client(base_url=server.url) as web:
            for _ in range(soak(6, 1)):
                time.sleep(random.uniform(0.3, 0.8))
                postgres.stop()
                tally.kill("PostgreSQL itself, at random", url)
                for path in ("/readyz", f"/api/v1/tables/{company.tables[0]}"):
                    answer = web.get(path)
                    assert answer.status_code == 503, answer.text
                    assert answer.json()["type"] == "urn:feltlab:problem:unavailable"
                    assert int(answer.headers["retry-after"]) >= 1
                assert web.get("/healthz").status_code == 200
                postgres.start()
                server.wait(PATIENT)
                seen = {table: company.house.client.now(table).seq for table in company.tables}
                company.prove()
                until = time.monotonic() + PATIENT
                while any(company.house.client.now(table).seq <= seq for table, seq in seen.items()):
                    assert time.monotonic() < until, "play did not go on"
                    time.sleep(0.1)
        tally.end(company.end())
