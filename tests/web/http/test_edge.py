"""Who asks, from where, how often and how: what the service sees of its clients before any route does."""

import os
import stat

import httpx
import pytest

from feltlab.client import Client
from feltlab.floor.storage.database import open_database, read_by_others, read_key
from feltlab.web.http.limits import Buckets
from feltlab.web.http.strict import ONCE
from feltlab.web.sessions import sessions
from feltlab.web.sessions.sessions import COOKIE
from support.floor.inside import Inside
from support.service.requests import API, JSON, as_, problem, spoken, standing

ADA, BEA = "203.0.113.5", "203.0.113.6"
WRONG = '{"name":"house","password":"a wrong password"}'


def from_(address, **more):
    """The headers of somebody who comes through a proxy."""
    return {"X-Forwarded-For": address, **more}


def guard_of(server):
    """The service's outermost layer, once it has been asked something."""
    return server._server.config.app.guard


@pytest.fixture
def behind(tmp_path):
    """A server that trusts a proxy on this machine."""
    with Inside(tmp_path, trusted_proxies=("127.0.0.1",)) as server:
        yield server


# ---- by address


def test_a_busy_address_locks_nobody_out_elsewhere(behind):
    """Ten junk log-ins a minute through the proxy, and the house still comes in."""
    standing(behind, "log-ins", 10)
    with httpx.Client(base_url=behind.url) as web:
        for n in range(12):
            given = from_(f"198.51.100.{n}, {ADA}", **JSON)  # it may say of itself what it likes
            guess = WRONG.replace("house", f"nobody {n}")  # an account has limits of its own
            answer = web.post(f"{API}/sessions", content=guess, headers=given)
            assert answer.status_code == (401 if n < 10 else 429)
        right = WRONG.replace("a wrong password", behind.house_password)
        assert web.post(f"{API}/sessions", content=right, headers=from_(ADA, **JSON)).status_code == 429
        assert web.post(f"{API}/sessions", content=right, headers=from_(BEA, **JSON)).status_code == 201


def test_who_is_no_proxy_is_not_believed(tmp_path):
    with Inside(tmp_path, trusted_proxies=("192.0.2.1",)) as server, httpx.Client(base_url=server.url) as web:
        standing(server, "log-ins", 3)
        answers = [
            web.post(f"{API}/sessions", content=WRONG, headers=from_(f"198.51.100.{n}", **JSON)) for n in range(5)
        ]
        assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 2


def test_an_ipv6_customer_is_one(behind):
    standing(behind, "log-ins", 3)
    with httpx.Client(base_url=behind.url) as web:
        for n in range(5):
            answer = web.post(f"{API}/sessions", content=WRONG, headers=from_(f"2001:db8::{n + 1}", **JSON))
            assert answer.status_code == (401 if n < 3 else 429)
        answer = web.post(f"{API}/sessions", content=WRONG, headers=from_("[2001:db8:0:1::1]:4000", **JSON))
        assert answer.status_code == 401


def test_a_cookie_travels_encrypted_where_it_came_so(behind):
    def marks(**given):
        with httpx.Client(base_url=behind.url) as web:
            answer = web.post(f"{API}/guests", headers=given)
            return "secure" in answer.headers["set-cookie"].lower(), "strict-transport-security" in answer.headers

    assert marks(**from_(ADA)) == (False, False)
    assert marks(**from_(ADA, **{"X-Forwarded-Proto": "https"})) == (True, True)
    assert marks(**from_(ADA, **{"X-Forwarded-Proto": "https, http"})) == (False, False)


def test_reading_has_a_limit_too(tmp_path):
    """Of each person, and of each address without a session; it is not the limit of changes."""
    with (
        Inside(tmp_path, trusted_proxies=("127.0.0.1",)) as server,
        Client(server.url).guest() as ada,
        Client(server.url).guest() as bea,
        httpx.Client(base_url=server.url) as nobody,
    ):
        guard_of(server).reads = Buckets(0.1, 5, clock=lambda: 0.0)
        codes = [ada._http.get(f"{API}/tables", headers=from_(ADA)).status_code for _ in range(7)]
        assert codes == [200] * 5 + [429] * 2
        answer = ada._http.get(f"{API}/me", headers=from_(BEA))
        assert problem(answer, 429)["retry_after"] and int(answer.headers["retry-after"]) >= 1
        assert ada._http.get("/healthz").status_code == ada._http.get("/readyz").status_code == 200
        assert ada._http.post(f"{API}/me/chips", content='{"amount":1}', headers=as_(ada)).status_code == 200
        assert bea._http.get(f"{API}/tables", headers=from_(ADA)).status_code == 200
        codes = [nobody.get("/", headers=from_(ADA)).status_code for _ in range(6)]
        assert codes == [200] * 3 + [429] * 3, "to look for a session that was not seen lately is its address's"
        assert nobody.get("/", headers=from_(BEA)).status_code == 200


# ---- sessions


def test_tokens_that_nobody_was_given_are_neither_kept_nor_looked_for_without_end(tmp_path, monkeypatch):
    with (
        Inside(tmp_path) as server,
        Client(server.url).guest() as ada,
        httpx.Client(base_url=server.url) as web,
    ):
        looked, find = [], sessions.Sessions.find
        monkeypatch.setattr(sessions.Sessions, "find", lambda self, token: looked.append(token) or find(self, token))
        assert ada.me()["chips"] == 0
        kept = dict(server.services.sessions._known)
        looked.clear()
        for token in ("x" * 42, "x" * 44, "x" * 20_000, "x" * 42 + "!", "x" * 42 + "é", ""):
            problem(web.get(f"{API}/me", headers={"Cookie": f"{COOKIE}={token}".encode()}), 401)
        assert looked == []
        guard_of(server).reads = Buckets(0.1, 20, clock=lambda: 0.0)
        made_up = [{"Cookie": f"{COOKIE}={n:043}"} for n in range(30)]
        codes = [web.get(f"{API}/me", headers=headers).status_code for headers in made_up]
        assert set(codes[10:]) <= {429, 401} and codes[-1] == 429 and len(looked) <= 20
        assert server.services.sessions._known == kept
        assert ada.me()["chips"] == 0, "a session that is remembered costs the address nothing"


def test_only_so_many_sessions_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_REMEMBERED", 3)
    with Inside(tmp_path) as server:
        for _ in range(6):
            with Client(server.url).guest() as guest:
                guest.me()
        assert len(server.services.sessions._known) == 3


# ---- what is said twice


@pytest.mark.parametrize("name", sorted(ONCE))
def test_what_can_be_said_once_is_not_said_twice(behind, name):
    said = name.decode()
    value = {
        "host": "localhost",
        "content-length": "0",
        "transfer-encoding": "chunked",
        "idempotency-key": "a-key-of-mine",
        "content-type": "application/json",
    }.get(said, "x")
    host = "" if said == "host" else "Host: localhost\r\n"
    head = f"POST {API}/guests HTTP/1.1\r\n{host}Connection: close\r\n"
    twice = f"{head}{said.title()}: {value}\r\nX-Between: x\r\n{said}: {value}\r\n\r\n".encode()
    heard = spoken(behind, twice)
    assert heard.startswith(b"HTTP/1.1 400 "), heard
    assert b"only once" in heard or b"not-http" in heard
    assert b"set-cookie" not in heard


def test_a_session_is_said_once(behind):
    answer = httpx.get(f"{behind.url}{API}/me", headers={"Cookie": f"{COOKIE}={'x' * 43}; {COOKIE}={'y' * 43}"})
    assert problem(answer, 400)["type"].endswith("said-twice")


def test_a_request_names_its_host(behind):
    assert b" 400 " in spoken(behind, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
    for target in (b"http://evil.example/healthz", b"evil.example:80", b"*"):
        heard = spoken(behind, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert heard.startswith(b"HTTP/1.1 4"), heard


# ---- metrics


def test_metrics_at_a_port_of_their_own(tmp_path):
    from support.service.servers import Server

    token = tmp_path / "token"
    token.write_text("a-token-of-some-length\n")
    more = ["--metrics-port", "0", "--metrics-token-file", str(token)]
    with Server(f"sqlite:///{tmp_path / 'felt.db'}", tmp_path, sheets=(), arguments=more) as server:
        place = server.output.read_text().partition("metrics are at ")[2].strip()
        assert place.startswith("http://127.0.0.1:")
        assert "feltlab_requests_total" in httpx.get(place).text
        other = place.removesuffix("/metrics")
        for path in ("/", f"{API}/tables", "/readyz", "/metrics/"):
            problem(httpx.get(other + path), 404)
        problem(httpx.post(place), 405)
        problem(httpx.get(place, headers={"Host": "evil.example"}), 421)
        problem(httpx.get(f"{server.url}/metrics"), 401)
        problem(httpx.get(f"{server.url}/metrics", headers={"Host": place.split("/")[2]}), 401)
        answer = httpx.get(f"{server.url}/metrics", headers={"Authorization": "Bearer a-token-of-some-length"})
        assert "feltlab_connections" in answer.text
        for name, kind in (("felt.db", 0o600), ("felt.db-wal", 0o600), ("feltlab.key", 0o600)):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == kind, name


# ---- files


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_database_is_for_its_owner_alone(tmp_path, mask):
    before = os.umask(mask)
    try:
        engine = open_database(f"sqlite:///{tmp_path / 'felt.db'}")
        read_key(f"sqlite:///{tmp_path / 'felt.db'}")
        with engine.connect() as db:  # the files beside it are there while it is open
            db.exec_driver_sql("SELECT * FROM people")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        assert modes == dict.fromkeys(("felt.db", "felt.db-wal", "felt.db-shm", "felt.key"), 0o600)
        assert read_by_others(engine) == []
        (tmp_path / "felt.db").chmod(0o640)
        assert read_by_others(engine) == [tmp_path / "felt.db"]
    finally:
        os.umask(before)
        engine.dispose()


def test_a_database_that_others_may_read_is_warned_of(tmp_path, caplog):
    with Inside(tmp_path):
        assert "others may read" not in caplog.text
    (tmp_path / "felt.db").chmod(0o644)
    with Inside(tmp_path) as server:
        assert f"run chmod 600 {tmp_path / 'felt.db'}" in caplog.text
        assert httpx.get(f"{server.url}/readyz").status_code == 200
