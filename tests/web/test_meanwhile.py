"""Requests that take a while, and what has changed when they are done; and that they keep nobody else waiting."""

import asyncio
import json
import socket
import threading
from contextlib import closing
from urllib.parse import urlparse

import httpx
import pytest
from sqlalchemy import insert, select

from feltlab.client import Client, ServiceError
from feltlab.errors import Refused
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import factors, people
from feltlab.floor.people.removing import errands, remove
from feltlab.floor.records.proof import prove
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.commands import Bring, Sit
from feltlab.floor.tables.live import Person
from feltlab.web.http.limits import Buckets
from feltlab.web.routes import records
from feltlab.web.sessions.sessions import COOKIE
from support.floor.floors import BLACKJACK, SEAL
from support.floor.inside import Inside
from support.postgres import PATIENT
from support.waiting import comes

API = "/api/v1"
PASSWORD, NEW = "a long password", "a longer password"


@pytest.fixture
def server(tmp_path):
    with Inside(tmp_path, "bad-beat-blackjack", trusted_proxies=("127.0.0.1",)) as found:
        yield found
        with reading(found.services.engine) as db:
            assert prove(db).faults == []


class Slow:
    """A change whose body comes in two parts, with something in between."""

    def __init__(self, client, method, path, body):
        self._body = json.dumps(body).encode()
        where = urlparse(str(client._http.base_url))
        self._socket = socket.create_connection((where.hostname, where.port), timeout=PATIENT)
        head = {
            "Host": "127.0.0.1",
            "Cookie": f"{COOKIE}={client._http.cookies[COOKIE]}",
            "X-CSRF-Token": client._csrf,
            "Idempotency-Key": "a-slow-one",
            "Content-Type": "application/json",
            "Content-Length": str(len(self._body)),
            "Connection": "close",
        }
        lines = [f"{method} {API}{path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        self._socket.sendall("\r\n".join(lines).encode() + self._body[:3])

    def answer(self):
        """Send the rest; gives the status."""
        with closing(self._socket) as sock:
            sock.sendall(self._body[3:])
            said = b""
            while part := sock.recv(65536):
                said += part
        return int(said.split(b" ", 2)[1])


def seen(server, client):
    """Wait until the server has read the head of whatever came before this: it takes requests in their order."""
    client.me()


# ---- who registers, logs out or goes while a request comes


def test_who_registers_while_a_request_comes_is_told_of_by_number(server):
    with Client(server.url).guest() as ada:
        ada.buy_chips(1000_00)
        ada.sit(1, [1], 500_00)
        slow = Slow(ada, "POST", "/tables/1/chips", {"amount": 700})
        seen(server, ada)
        ada.register("Ada Quill", PASSWORD)
        assert slow.answer() == 200
        with reading(server.services.engine) as db:
            assert prove(db).faults == []
            assert "Quill" not in "".join(db.execute(select(schema.steps.c.events)).scalars())


def test_an_older_name_of_somebody_is_stored_as_their_number(floor):
    """As it comes from another server, which remembers the guest a little longer."""
    guest = floor.desk.plain(people.add_guest)
    floor.desk.plain(lambda db, now: people.buy_in(db, guest, 1000_00, now))
    ada = floor.desk.plain(lambda db, now: people.register(db, guest, "Ada Quill", "x", "x", now))
    table = floor.table()
    floor.do(table, Sit((1,), 100_00), ada)
    for person in (guest, ada, guest):
        floor.do(table, Bring(5_00), person)
    texts = "".join(row.events for row in floor.rows()["steps"])
    assert "Quill" not in texts and guest.name not in texts
    with reading(floor.engine) as db:
        assert prove(db).faults == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/me/chips", {"amount": 100}),
        ("POST", "/tables/1/seat", {"spots": [1], "chips": 100}),
        ("POST", "/me/password", {"present": PASSWORD, "new": NEW}),
    ],
)
def test_a_request_that_began_before_the_log_out_is_not_done_after_it(method, path, body, server):
    with Client(server.url).register("Ada Quill", PASSWORD) as ada:
        ada.buy_chips(1000_00)
        slow = Slow(ada, method, path, body)
        seen(server, ada)
        ada.request("DELETE", "/sessions")
        assert slow.answer() == 401


def test_nothing_is_kept_of_who_was_removed_in_the_meantime(floor):
    ada, bob = floor.players("ada", "bob")
    remove(floor.desk, ada, by=ada.id)
    before = floor.rows()
    for act in (
        lambda db, now: people.set_password(db, ada.id, "x", now, by=ada.id),
        lambda db, now: people.begin_session(db, ada, now),
        lambda db, now: people.still_right(db, ada.id, "x"),
        lambda db, now: factors.enrol(db, SEAL, ada),
        lambda db, now: open_table(db, BLACKJACK, ada, SEAL, now),
    ):
        with pytest.raises(Refused, match="this account was removed"):
            floor.desk.plain(act)
    assert floor.rows() == before
    floor.desk.plain(lambda db, now: people.begin_session(db, bob, now))


def test_a_session_of_somebody_gone_is_nobodys(floor):
    (ada,) = floor.players("ada")
    token = floor.desk.plain(lambda db, now: people.begin_session(db, ada, now))
    remove(floor.desk, ada, by=ada.id)
    row = {"digest": people.digest(token), "person": ada.id, "made_at": floor.time, "ends_at": floor.time + 1000}
    floor.desk.plain(lambda db, now: db.execute(insert(schema.sessions).values(row)) and None)
    with reading(floor.engine) as db:
        assert people.who(db, token, floor.time) == (None, 0)


# ---- a password that was right when it was looked at


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets something happen just after a password was found to be right."""
    happens, matches = [], people.matches

    def slow(stored, password):
        right = matches(stored, password)
        while happens:
            happens.pop()()
        return right

    monkeypatch.setattr(people, "matches", slow)
    return happens


def changed(server, person):
    """The password is another one from now on, and all other sessions have ended."""
    hashed = people.hash_password(NEW)
    server.at_desk(lambda desk: desk.plain(lambda db, now: people.set_password(db, person, hashed, now, by=person)))


def test_an_older_password_begins_no_session(server, meanwhile):
    with Client(server.url).register("Ada Quill", PASSWORD) as ada, Client(server.url, patience=0) as thief:
        meanwhile.append(lambda: changed(server, 2))
        with pytest.raises(ServiceError) as found:
            thief.log_in("Ada Quill", PASSWORD)
        assert (found.value.status, found.value.kind) == (
            401,
            "unknown-name-or-password",
        ) and not thief._http.cookies.get(COOKIE)
        assert not meanwhile
        thief.log_in("Ada Quill", NEW)
        ada.close()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/me/password", {"present": PASSWORD, "new": "the thief's own password"}),
        ("/me/second-factor", {"present": PASSWORD}),
    ],
)
def test_an_older_password_changes_nothing(path, body, server, meanwhile):
    with Client(server.url, patience=0).register("Ada Quill", PASSWORD) as thief:
        meanwhile.append(lambda: changed(server, 2))
        with pytest.raises(ServiceError) as found:
            thief.request("POST", path, body)
        assert found.value.status == 401
        with reading(server.services.engine) as db:
            assert people.matches(people.password_of(db, 2), NEW)
            assert not db.execute(select(schema.factors)).all()


def test_nobody_logs_in_to_what_was_removed_in_the_meantime(server, meanwhile):
    with Client(server.url).register("Ada Quill", PASSWORD), Client(server.url, patience=0) as other:
        ada = Person(2, "player", "Ada Quill")
        meanwhile.append(lambda: server.at_desk(lambda desk: remove(desk, ada, by=2)))
        with pytest.raises(ServiceError, match="this account was removed"):
            other.log_in("Ada Quill", PASSWORD)
        with reading(server.services.engine) as db:
            assert not db.execute(select(schema.sessions)).all()


# ---- nobody waits for what others ask


class Gate:
    """Work that begins, and waits until it is let go on."""

    def __init__(self):
        self.began, self._open = [], threading.Event()
        self.first = threading.Event()

    def pass_(self, who):
        self.began.append(who)
        self.first.set()
        assert self._open.wait(PATIENT)

    def open(self):
        self._open.set()


def on_the_loop(server, ask):
    """Look at what belongs to the server's own thread."""

    async def look():
        return ask()

    return asyncio.run_coroutine_threadsafe(look(), server.services.worker._loop).result(PATIENT)


def test_passwords_are_hashed_in_everybodys_turn(server, monkeypatch):
    """Who tries many at once waits for their own; somebody elsewhere waits for one of them."""
    gate, hashing = Gate(), people.hash_password

    def slow(password):
        gate.pass_(password)
        return hashing(password)

    monkeypatch.setattr(people, "hash_password", slow)
    state = server._server.config.app.state

    def come(address, number):
        body = {"name": f"Player {number}", "password": f"a password from {address}"}
        headers = {"x-forwarded-for": address}
        assert httpx.post(f"{server.url}{API}/accounts", json=body, headers=headers).status_code == 201

    def start(address, numbers, waiting):
        for number in numbers:
            threads.append(threading.Thread(target=come, args=(address, number)))
            threads[-1].start()
        comes(lambda: on_the_loop(server, lambda: state.hashing.waiting) == waiting, "they do not wait")

    threads = []
    start("192.0.2.1", range(100, 108), 7)
    start("192.0.2.2", [200], 8)
    gate.open()
    for thread in threads:
        thread.join(PATIENT)
    assert len(gate.began) == 9
    assert gate.began.index("a password from 192.0.2.2") <= 2


def test_passwords_are_tried_and_changed_a_few_times_a_minute(server):
    state = server._server.config.app.state

    def codes(client, many):
        found = []
        for _ in range(many):
            try:
                client.request("POST", "/me/second-factor", {"present": PASSWORD})
                found.append(200)
            except ServiceError as error:
                found.append(error.status)
        return found

    with (
        Client(server.url, patience=0).register("Ada Quill", PASSWORD) as ada,
        Client(server.url, patience=0).register("Bea Quill", PASSWORD) as bea,
    ):
        state.often["passwords"] = Buckets(0.001, 5, clock=lambda: 0.0)
        ada._http.headers["x-forwarded-for"] = "192.0.2.1"
        assert codes(ada, 7) == [200] * 5 + [429] * 2
        bea._http.headers["x-forwarded-for"] = "192.0.2.1"
        assert codes(bea, 1) == [429], "the same address"
        bea._http.headers["x-forwarded-for"] = "192.0.2.2"
        assert codes(bea, 1) == [200]
        ada._http.headers["x-forwarded-for"] = "192.0.2.3"
        assert codes(ada, 1) == [429], "the same person"


def test_who_asks_for_long_records_keeps_nobody_from_short_ones(server, monkeypatch):
    gate = Gate()

    def slow(db, table, number):
        gate.pass_("record")
        return records.shoe_of(db, table, 1)

    monkeypatch.setattr(records, "round_of", slow)
    with Client(server.url).guest() as ada, Client(server.url).guest() as bea:
        asking = [threading.Thread(target=ada.request, args=("GET", "/rounds/1-1")) for _ in range(20)]
        for thread in asking:
            thread.start()
        assert gate.first.wait(PATIENT)
        looking = server.services.records
        comes(lambda: on_the_loop(server, lambda: looking.waiting) == 19, "they do not wait")
        server.services.sessions._known.clear()
        assert bea.me()["chips"] == 0, "whose session must be looked for, too"
        assert gate.began == ["record"], "and one at a time is found"
        gate.open()
        for thread in asking:
            thread.join(PATIENT)
    assert len(gate.began) == 20


def test_chips_are_bought_a_few_times_a_minute(server):
    server._server.config.app.state.often["purchases"] = Buckets(0.001, 3, clock=lambda: 0.0)
    with Client(server.url, patience=0).guest() as ada, Client(server.url).guest() as bea:
        for _ in range(3):
            ada.buy_chips(1)
        with pytest.raises(ServiceError) as found:
            ada.buy_chips(1)
        assert found.value.status == 429
        assert bea.buy_chips(1) == 1


def test_removal_is_done_table_by_table(floor):
    """The desk can do something else in between."""
    (ada,) = floor.players("ada")
    tables = [floor.table() for _ in range(3)]
    for table in tables:
        floor.do(table, Sit((1,), 100_00), ada)
    before = len(floor.rows()["steps"])
    for errand in errands(tables, ada, by=ada.id):
        errand(floor.desk)
        now = len(floor.rows()["steps"])
        assert now - before <= 1, "one step at a time"
        before = now
    assert floor.chips(ada) == 0 and not [seat for table in tables for seat in floor.now(table).seats]


def test_the_house_finds_an_act_among_many(server):
    with Client(server.url).guest() as ada, server.house() as house:
        for _ in range(60):
            ada.buy_chips(1)
        house.change("POST", "/tables", {"sheet": "bad-beat-baccarat"})
        for _ in range(60):
            ada.buy_chips(1)
        acts = house.request("GET", "/house/acts?act=open")
        assert [act["subject"] for act in acts] == ["table 2", "table 1"]
