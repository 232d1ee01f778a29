"""What a stranger, a neighbour and another site can not do; what is never said, and what is said with every answer."""

import asyncio
import json
import logging
import re
from contextlib import contextmanager

import httpx
import pytest
from sqlalchemy import text

from feltlab.client import Client
from feltlab.client.bot import join
from feltlab.floor.people import people
from feltlab.floor.storage.database import reading
from feltlab.web import logs
from feltlab.web.app import App
from feltlab.web.http.headers import HEADERS
from feltlab.web.server import prepare
from feltlab.web.sessions.sessions import COOKIE
from feltlab.web.settings import Patience, Settings
from support.floor.inside import Inside
from support.service.requests import API, HUNG_UP, JSON, as_, problem, spoken, standing

KEY = {"Idempotency-Key": "a-key-of-mine"}


class Lines(logging.Handler):
    """Keeps every line of the log, as the service writes it."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.setFormatter(logs.Lines())
        self.lines = []

    def emit(self, record):
        if not record.name.startswith("http"):  # what the tests' own client says
            self.lines.append(self.format(record))


@contextmanager
def whole_log():
    """Everything that anybody logs, down to the smallest thing."""
    root, lines = logging.getLogger(), Lines()
    level = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    try:
        yield lines.lines
    finally:
        root.removeHandler(lines)
        root.setLevel(level)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("security"), "bad-beat-blackjack", "bad-beat-baccarat") as found:
        yield found
        found.check()


@pytest.fixture
def guest(server):
    with Client(server.url).guest() as found:
        yield found


@pytest.fixture
def web(server):
    """Requests as they are, with no client that means well."""
    with httpx.Client(base_url=server.url) as found:
        yield found


# ---- cookies


def cookie_of(answer):
    (found,) = answer.headers.get_list("set-cookie")
    first, *rest = [part.strip() for part in found.split(";")]
    return first.partition("="), {part.lower() for part in rest}


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(web):
    answer = web.post(f"{API}/guests")
    (name, _, token), marks = cookie_of(answer)
    assert name == COOKIE and len(token) >= 43
    assert {"httponly", "samesite=strict", "path=/"} <= marks and "secure" not in marks  # this is loopback
    assert token not in answer.text
    gone = web.delete(f"{API}/sessions", headers={"X-CSRF-Token": answer.json()["csrf"]})
    assert gone.status_code == 204
    (_, _, token), marks = cookie_of(gone)
    assert token.strip('"') == "" and {"httponly", "samesite=strict", "max-age=0"} <= marks


def elsewhere(tmp_path, act, **settings):
    """Ask a service that is not for this machine alone, without a network."""

    async def run():
        services = prepare(Settings(db=f"sqlite:///{tmp_path / 'felt.db'}", **settings), lambda _: None)
        app = App(services)
        async with (
            app.life.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://felt.example") as web,
        ):
            return await act(web)

    return asyncio.run(run())


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "felt.example", "::"])
def test_away_from_loopback_the_cookie_travels_encrypted_only(tmp_path, host):
    async def act(web):
        began = await web.post(f"{API}/guests")
        return began, await web.delete(f"{API}/sessions", headers={"X-CSRF-Token": began.json()["csrf"]})

    for answer in elsewhere(tmp_path, act, host=host):
        assert {"secure", "httponly", "samesite=strict"} <= cookie_of(answer)[1]
        assert "max-age=" in answer.headers["strict-transport-security"]


def test_behind_a_proxy_on_this_machine_the_cookie_travels_encrypted_too(tmp_path):
    async def act(web):
        away = await web.post(f"{API}/guests")
        web.cookies.clear()
        return away, await web.post(f"{API}/guests", headers={"Host": "localhost:8000"})

    away, here = elsewhere(tmp_path, act, host="127.0.0.1", hosts=("felt.example",))
    assert "secure" in cookie_of(away)[1] and "secure" not in cookie_of(here)[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_is_loopback(host):
    assert Settings(db="", host=host).loopback


def test_only_named_hosts_are_served(tmp_path):
    async def act(web):
        return await web.get("/healthz"), await web.get("/healthz", headers={"Host": "evil.example"})

    good, bad = elsewhere(tmp_path, act, host="0.0.0.0", hosts=("felt.example",))
    assert good.status_code == 200
    problem(bad, 421)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1", "169.254.1.1"]
)
def test_a_name_that_was_bent_to_loopback_is_not_served(server, web, host):
    problem(web.get(f"{API}/tables", headers={"Host": host}), 421)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "[::1]:8000", "localhost"])
def test_loopback_by_its_names_is_served(web, host):
    assert web.get("/healthz", headers={"Host": host}).status_code == 200


# ---- other sites


def test_a_change_needs_the_token_of_its_own_session(server, web, guest):
    other = httpx.post(f"{server.url}{API}/guests").json()["csrf"]
    cookies = {"Cookie": f"{COOKIE}={guest._http.cookies[COOKIE]}"}
    for given in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, {"X-CSRF-Token": other}):
        for method, path, body in CHANGES:
            answer = web.request(method, path, content=body, headers={**cookies, **JSON, **KEY, **given})
            assert problem(answer, 403)["type"].endswith("csrf")
    assert guest.me()["chips"] == 0


CHANGES = [
    ("POST", f"{API}/me/chips", '{"amount":100}'),
    ("POST", f"{API}/tables", '{"sheet":"bad-beat-blackjack"}'),
    ("DELETE", f"{API}/tables/1", None),
    ("POST", f"{API}/tables/1/seat", '{"spots":[1],"chips":1}'),
    ("DELETE", f"{API}/tables/1/seat", None),
    ("POST", f"{API}/tables/1/chips", '{"amount":1}'),
    ("PUT", f"{API}/tables/1/bets", '{"spot":1,"bets":{}}'),
    ("POST", f"{API}/tables/1/deal", None),
    ("POST", f"{API}/tables/1/moves", '{"turn":"1.1","spot":1,"action":"hit"}'),
    ("POST", f"{API}/tables/1/seeds", '{"seed":"x"}'),
    ("DELETE", f"{API}/sessions", None),
    ("POST", f"{API}/guests", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_every_change_but_a_beginning_needs_a_session(web, method, path, body):
    answer = web.request(method, path, content=body, headers={**JSON, **KEY})
    assert answer.status_code == 201 if path.endswith("guests") else problem(answer, 401)


@pytest.mark.parametrize(
    "given",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_sites_change_nothing(server, web, guest, given):
    answer = guest._http.post(f"{API}/me/chips", content='{"amount":5}', headers=as_(guest, **given))
    assert problem(answer, 403)["type"].endswith("cross-site")
    login = json.dumps({"name": "house", "password": server.house_password})
    assert problem(web.post(f"{API}/sessions", content=login, headers={**JSON, **given}), 403)
    assert "set-cookie" not in web.post(f"{API}/guests", headers=given).headers


def test_our_own_page_changes_things(server, guest):
    given = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert guest._http.post(f"{API}/me/chips", content='{"amount":5}', headers=as_(guest, **given)).status_code == 200


def test_no_answer_lets_other_sites_read_it(web):
    answer = web.get(f"{API}/tables", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert web.options(f"{API}/tables", headers={"Origin": "https://evil.example"}).status_code == 405


# ---- who may do what


def test_players_open_and_close_no_tables_and_see_no_books(guest):
    http = guest._http
    for answer in (
        http.post(f"{API}/tables", content='{"sheet":"bad-beat-blackjack"}', headers=as_(guest)),
        http.delete(f"{API}/tables/1", headers=as_(guest)),
        http.get(f"{API}/books"),
        http.get(f"{API}/books/1"),
    ):
        assert problem(answer, 403)["type"].endswith("not-house")


def test_the_house_does_not_play(house):
    for method, path, body in CHANGES:
        if "/tables/1/" in path or path.endswith("chips"):
            answer = house._http.request(method, path, content=body, headers=as_(house))
            assert problem(answer, 403)["type"].endswith(":house")


def test_nobody_acts_for_another(server, guest):
    bot = join(server.url, 1, (2, 3))
    other = bot.seat._client
    bot.bet()
    guest.buy_chips(1000)
    before = guest.table(1)["now"]
    tries = [
        ("POST", "seat", {"spots": [2], "chips": 5}),
        ("PUT", "bets", {"spot": 2, "bets": {}}),
        ("POST", "deal", None),
        ("DELETE", "seat", None),
        ("POST", "chips", {"amount": 5}),
        ("POST", "seeds", {"seed": "mine"}),
        ("POST", "moves", {"turn": "1.1", "spot": 2, "action": "stand"}),
    ]
    for seated in (False, True):
        if seated:
            guest.sit(1, [5], 500)
            before = guest.table(1)["now"]
        for method, what, body in tries[: 2 if seated else None]:
            content = json.dumps(body) if body else None
            problem(guest._http.request(method, f"{API}/tables/1/{what}", content=content, headers=as_(guest)), 409)
        assert guest.table(1)["now"] == before
    for seat in (guest.seat(1), bot.seat):
        seat.leave()
    other.close()


def test_an_ended_session_is_nobodys(server):
    with Client(server.url).guest() as gone:
        token = gone._http.cookies[COOKIE]
        gone.request("DELETE", "/sessions")
        answer = httpx.get(f"{server.url}{API}/me", headers={"Cookie": f"{COOKIE}={token}"})
        problem(answer, 401)


@pytest.mark.parametrize("token", ["", "x", "a" * 4000, "%00", '"', "ä", "'; DROP TABLE people; --"])
def test_a_token_that_nobody_gave_is_nobodys(web, token):
    problem(web.get(f"{API}/me", headers={"Cookie": f"{COOKIE}={token}".encode()}), 401)


# ---- how often


def test_changes_are_limited(tmp_path):
    with (
        Inside(tmp_path, writes_per_second=0.001, writes_at_once=4) as server,
        Client(server.url).guest() as ada,
        Client(server.url).guest() as bea,
    ):
        answers = [ada._http.post(f"{API}/me/chips", content='{"amount":1}', headers=as_(ada)) for _ in range(8)]
        assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 4
        for answer in answers[4:]:
            assert 0 < problem(answer, 429)["retry_after"] <= 1000
            assert int(answer.headers["retry-after"]) >= 1
        fresh = bea._http.post(f"{API}/me/chips", content='{"amount":1}', headers=as_(bea))
        assert fresh.status_code == 200, "one person's haste is not another's"
        assert ada._http.get(f"{API}/me").status_code == 200, "looking has limits of its own"


def begun(web, path, name="Nobody Known", many=1):
    """What many tries to begin a session are answered with."""
    body = json.dumps({"name": name, "password": "a wrong password"}) if path != "guests" else None
    return [web.post(f"{API}/{path}", content=body, headers=JSON if body else {}) for _ in range(many)]


def test_log_ins_are_limited_and_guests_and_accounts_apart_from_them(tmp_path):
    with Inside(tmp_path) as server, httpx.Client(base_url=server.url) as web:
        standing(server, "log-ins", 6)
        standing(server, "arrivals", 5)
        answers = [begun(web, "sessions", f"nobody {n}")[0] for n in range(8)]  # an account has limits of its own
        assert [answer.status_code for answer in answers] == [401] * 6 + [429] * 2
        assert int(answers[-1].headers["retry-after"]) >= 5
        codes = [httpx.post(f"{server.url}{API}/guests").status_code for _ in range(4)]
        codes += [answer.status_code for answer in begun(web, "accounts", "Ada Quill", many=1)]
        assert codes == [201] * 5, "who tries passwords keeps nobody from coming"
        web.cookies.clear()
        assert httpx.post(f"{server.url}{API}/guests").status_code == 429
        assert begun(web, "accounts", "Bea Quill")[0].status_code == 429
        standing(server, "log-ins", 6)
        assert begun(web, "sessions")[0].status_code == 401, "and who makes guests keeps nobody from logging in"


# ---- bodies


def test_a_large_body_is_refused_however_it_comes(server, guest):
    large = b'{"amount":5,"note":"' + b"x" * 70_000 + b'"}'
    problem(guest._http.post(f"{API}/me/chips", content=large, headers=as_(guest)), 413)
    parts = (large[start : start + 9000] for start in range(0, len(large), 9000))
    problem(guest._http.post(f"{API}/me/chips", content=parts, headers=as_(guest)), 413)  # chunked, of unknown length
    problem(guest._http.request("GET", f"{API}/me", content=large), 413)
    just = b'{"amount":5' + b" " * (65_536 - 12) + b"}"
    assert len(just) == 65_536
    assert guest._http.post(f"{API}/me/chips", content=just, headers=as_(guest)).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"amount":' + b"[" * 5000 + b"]" * 5000 + b"}", 400),
        (b"[" * 60_000, 400),
        (b'{"a":' * 5000, 400),
        (b'{"amount":5,"amount":500}', 400),
        (b'{"amount":5,"amoun\\u0074":500}', 400),
        (b'{"amount":5,"note":"x"}', 422),
        (b'{"amount":5,"\\ud800":1}', 422),
        (b'{"amount":NaN}', 400),
        (b'{"amount":Infinity}', 400),
        (b'{"amount":-Infinity}', 400),
        (b'{"amount":1e3}', 422),
        (b'{"amount":5.0}', 422),
        (b'{"amount":5.5}', 422),
        (b'{"amount":-1}', 422),
        (b'{"amount":"5"}', 422),
        (b'{"amount":true}', 422),
        (b'{"amount":null}', 422),
        (b'{"amount":[5]}', 422),
        (b'{"amount":{"$gt":0}}', 422),
        (b'{"amount":9223372036854775808}', 422),
        (b'{"amount":1e400}', 422),
        (b'{"amount":' + b"9" * 4000 + b"}", 422),
        (b'{"amount":' + b"9" * 60_000 + b"}", 400),
        (b'{"amount":0x10}', 400),
        (b'{"amount":5}\xff', 400),
        (b'{"amount":5,"\xc3\x28":1}', 400),
        (b'\xed\xa0\x80{"amount":5}', 400),
        (b'{"amount":5}\x00', 400),
        (b'{"amount":5}{"amount":5}', 400),
        ('{"amount":5}'.encode("utf-16"), 400),
        ('{"amount":5}'.encode("utf-32"), 400),
        (b'\xef\xbb\xbf{"amount":5}', 400),
        (b"null", 422),
        (b"5", 422),
        (b"[]", 422),
        (b"", 422),
        (b"amount=5", 400),
        (b"\x00" * 100, 400),
        (b"\x1f\x8b\x08\x00", 400),
    ],
)
def test_a_hostile_body_is_refused_with_a_reason(guest, body, status):
    problem(guest._http.post(f"{API}/me/chips", content=body, headers=as_(guest)), status)


@pytest.mark.parametrize("type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json5", "text/json"])  # fmt: skip
def test_only_json_is_read(guest, type):
    headers = {**as_(guest), "Content-Type": type}
    problem(guest._http.post(f"{API}/me/chips", content=b'{"amount":5}', headers=headers), 415)


@pytest.mark.parametrize(
    ("path", "method", "body", "status"),
    [
        ("tables/1/seat", "POST", {"spots": [], "chips": 5}, 422),
        ("tables/1/seat", "POST", {"spots": [1, 1], "chips": 5}, 409),
        ("tables/1/seat", "POST", {"spots": [0], "chips": 5}, 422),
        ("tables/1/seat", "POST", {"spots": [14], "chips": 5}, 409),
        ("tables/1/seat", "POST", {"spots": list(range(1, 30)), "chips": 5}, 422),
        ("tables/1/seat", "POST", {"spots": [1], "chips": 10**12}, 422),
        ("tables/1/seat", "POST", {"spots": [1], "chips": 10**10}, 409),
        ("tables/1/bets", "PUT", {"spot": 1, "bets": {"x" * 61: 5}}, 422),
        ("tables/1/bets", "PUT", {"spot": 1, "bets": {str(n): 5 for n in range(41)}}, 422),
        ("tables/1/bets", "PUT", {"spot": 1, "bets": {"\x00": 5}}, 409),
        ("tables/1/seeds", "POST", {"seed": "x" * 65}, 422),
        ("tables/1/seeds", "POST", {"seed": ""}, 422),
        ("tables/1/moves", "POST", {"turn": "x" * 41, "spot": 1, "action": "hit"}, 422),
        ("tables/1/moves", "POST", {"turn": "1.1", "spot": 1, "action": "win"}, 422),
        ("tables/0/deal", "POST", None, 422),
        ("tables/-1/deal", "POST", None, 422),
        ("tables/99999999999999999999/deal", "POST", None, 422),
        ("tables/9007199254740992/deal", "POST", None, 404),
        ("tables/one/deal", "POST", None, 422),
        ("tables/1/deal", "POST", {"unknown": 1}, 400),
        ("tables/1/seat", "DELETE", {"unknown": 1}, 400),
        ("guests", "POST", {"unknown": 1}, 400),
        ("me/rounds?most=0", "GET", None, 422),
        ("me/rounds?most=1e9", "GET", None, 422),
        ("rounds/1", "GET", None, 422),
        ("rounds/1-1-1", "GET", None, 422),
        ("rounds/999999999999999-999999999999999", "GET", None, 404),
        ("shoes/1-99999999999999999999", "GET", None, 422),
        ("tables/1", "PATCH", None, 405),
        ("nothing", "GET", None, 404),
        ("tables/", "GET", None, 404),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(guest, path, method, body, status):
    content = json.dumps(body) if body is not None else None
    problem(guest._http.request(method, f"{API}/{path}", content=content, headers=as_(guest)), status)


@pytest.mark.parametrize("key", ["short", "x" * 65, "with space", "ünï-code-key", "../../../etc", "key\tkey\tkey"])
def test_a_key_is_plain(guest, key):
    headers = {**as_(guest), "Idempotency-Key": key.encode()}
    problem(guest._http.post(f"{API}/me/chips", content=b'{"amount":5}', headers=headers), 422)
    del headers["Idempotency-Key"]
    problem(guest._http.post(f"{API}/me/chips", content=b'{"amount":5}', headers=headers), 422)


def test_a_long_address_and_long_headers_are_refused(web):
    problem(web.get(f"{API}/tables/{'1' * 3000}"), 414)
    problem(web.get(f"{API}/tables?{'x' * 3000}"), 414)
    problem(web.get(f"{API}/tables", headers={"X-Much": "x" * 40_000}), 431)
    problem(web.get(f"{API}/tables", headers={f"X-{n}": "x" * 100 for n in range(400)}), 431)


# ---- files of the server


PLACES = [
    "../../../../etc/passwd",
    "/etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "bad-beat-blackjack/../../pyproject.toml",
    "docs/examples/21-plus-3.toml",
    "bad-beat-blackjack.toml",
    "washington.toml",
    "file:///etc/passwd",
    "\\\\server\\share",
    "con",
    "~",
    ".",
    "bad-beat-blackjack\x00",
]


@pytest.mark.parametrize("place", PLACES)
def test_no_name_reads_a_file_of_the_server(house, place):
    for wish in ({"sheet": place}, {"sheet": "bad-beat-blackjack", "jurisdiction": place}, {"text": place}):
        answer = house._http.post(f"{API}/tables", content=json.dumps(wish), headers=as_(house))
        assert "root:" not in answer.text and "No such file" not in answer.text
        problem(answer, 422)
    assert len(house.tables()) == 2


def test_no_address_reads_a_file_of_the_server(server):
    for place in (b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/api/v1/../../pyproject.toml", b"//etc/passwd"):
        heard = spoken(server, b"GET " + place + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert heard.startswith(b"HTTP/1.1 404 ") and b"root:" not in heard and b"[project]" not in heard


# ---- what is said with every answer


def every_answer(server, web, guest):
    yield web.get("/")
    yield web.get("/healthz")
    yield web.get("/readyz")
    yield web.get("/metrics")
    yield web.get(f"{API}/openapi.json")
    yield web.get(f"{API}/tables")
    yield web.get(f"{API}/me")
    yield web.get("/no/such/place")
    yield web.put(f"{API}/tables")
    yield web.post(f"{API}/guests", headers={"Host": "evil.example"})
    yield web.post(f"{API}/guests", content=b"x" * 70_000)
    yield guest._http.get(f"{API}/me")
    yield guest._http.post(f"{API}/me/chips", content=b"{}", headers=as_(guest))
    with guest._http.stream("GET", f"{API}/tables/1/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        yield stream


def test_every_answer_has_the_headers_that_browsers_heed(server, web, guest):
    seen = set()
    for answer in every_answer(server, web, guest):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, answer.url
        assert len(answer.headers.get_list("content-security-policy")) == 1
        assert "server" not in answer.headers and "x-powered-by" not in answer.headers
        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])
        if "/api/" in str(answer.url):
            assert answer.headers["cache-control"] == "no-store"
        seen.add(answer.headers["x-request-id"])
    assert len(seen) == 14


def test_the_policy_lets_nothing_in_from_elsewhere():
    rules = dict(rule.strip().partition(" ")[::2] for rule in HEADERS["content-security-policy"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert not re.search(r"unsafe|\*|https?:", HEADERS["content-security-policy"])


def test_a_request_keeps_its_id_if_it_is_a_plain_one(web):
    assert web.get("/healthz", headers={"X-Request-Id": "trace-0001"}).headers["x-request-id"] == "trace-0001"
    for bad in (b"x", b"a" * 65, b"evil header", "ünïcode-id".encode(), b"<script>alert(1)"):
        answer = web.get("/healthz", headers={"X-Request-Id": bad})
        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])


def test_what_is_no_http_is_answered_with_a_problem(server):
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"HELLO\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n",
    ):
        head, _, body = spoken(server, data).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 "), (data, head)
        assert json.loads(body)["status"] == 400
        for name in HEADERS:
            assert f"\r\n{name}: ".encode() in head


# ---- patience


def test_a_request_that_does_not_come_is_not_waited_for(tmp_path):
    with Inside(tmp_path, patience=Patience(head=0.3, body=0.3)) as server:
        not_waited_for(server)


def not_waited_for(server):
    assert b" 408 " in spoken(server, b"")
    assert b" 408 " in spoken(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    drip = [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", *(b"X-%d: y\r\n" % n for n in range(40))]
    heard = spoken(server, drip, slowly=0.02)
    assert b" 408 " in heard or HUNG_UP in heard
    head = b"POST /api/v1/guests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    heard = spoken(server, head + b"\r\n{")
    assert b" 408 " in heard and b"connection: close" in heard.lower()


def test_a_head_that_does_not_end_is_cut_off(server):
    flood = [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Flood: ", *[b"x" * 10_000] * 200]
    heard = spoken(server, flood)
    assert b" 431 " in heard or HUNG_UP in heard
    trailers = b"POST /api/v1/guests HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    heard = spoken(server, [trailers, *[b"X-Trailer: " + b"x" * 9000 + b"\r\n"] * 100])
    assert b" 431 " in heard or HUNG_UP in heard
    assert httpx.get(f"{server.url}/healthz").status_code == 200


# ---- secrets


def test_the_log_holds_no_secret(server):
    with whole_log() as lines:
        password = "correct horse battery staple"
        with Client(server.url).register("Log Reader", password) as ada:
            ada.buy_chips(10_000)
            seat = ada.sit(1, [4], 10_000)
            seat.add_seed("my own seed")
            seat.bet({"main": 100})
            ada._http.post(
                f"{API}/sessions", content=json.dumps({"name": password, "password": password}), headers=JSON
            )
            ada._http.post(f"{API}/sessions", content=json.dumps({"nom": password}), headers=as_(ada))
            ada._http.get(f"{API}/tables?token={password}&csrf={ada._csrf}")
            ada._http.get(f"{API}/me", headers={"Authorization": f"Bearer {password}"})
            token, csrf = ada._http.cookies[COOKIE], ada._csrf
            live = server.at_desk(lambda desk: desk.look(1))
            seat.leave()
    said = "\n".join(lines)
    assert len(lines) >= 9 and '"path":"/api/v1/me/chips"' in said
    key = (server.folder / "feltlab.key").read_text().strip()
    with reading(server.services.engine) as db:
        stored = db.execute(text("SELECT password FROM people WHERE name = 'Log Reader'")).scalar_one()
    secrets = [password, "correct", token, csrf, people.digest(token), stored, "$argon2", key, live.secret.order, live.secret.reserve, server.house_password]  # fmt: skip
    for secret in secrets:
        assert secret not in said, secret
    for line in lines:
        assert set(json.loads(line)) <= {"at", "level", "logger", "message", "error", *logs.KNOWN}


def test_an_error_that_nobody_foresaw_says_nothing_of_itself(server, web, monkeypatch):
    def fail(*_):
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("feltlab.web.routes.tables.about", fail)
    with whole_log() as lines:
        answer = web.get(f"{API}/tables/1")
    found = problem(answer, 500)
    said = {name: value for name, value in found.items() if name != "request_id"}  # which is any number
    assert "42" not in str(said) and "RuntimeError" not in str(said)
    assert any(found["request_id"] in line and "RuntimeError" in line for line in lines)


def test_passwords_and_tokens_are_not_in_the_database(server):
    with Client(server.url).register("Data Reader", "a password to find") as ada:
        token = ada._http.cookies[COOKIE]
        with reading(server.services.engine) as db:
            stored = db.execute(text("SELECT password FROM people WHERE name = 'Data Reader'")).scalar_one()
            digests = db.execute(text("SELECT digest FROM sessions")).scalars().all()
        assert stored.startswith("$argon2id$") and "a password" not in stored
        assert people.digest(token) in digests
        for path in server.folder.glob("felt.db*"):
            data = path.read_bytes()
            assert token.encode() not in data and b"a password to find" not in data
            assert server.house_password.encode() not in data


def test_a_log_in_takes_as_long_for_a_name_that_nobody_has(server, web, monkeypatch):
    hashed = []

    class Counting:
        def verify(self, stored, password):
            hashed.append(stored)
            return people._hasher_before.verify(stored, password)

    monkeypatch.setattr(people, "_hasher_before", people._hasher, raising=False)
    monkeypatch.setattr(people, "_hasher", Counting())
    said = []
    for name in ("house", "nobody at all", "guest-00000000", "\x00", "x" * 200):
        body = json.dumps({"name": name, "password": "not this one"})
        found = problem(web.post(f"{API}/sessions", content=body, headers=JSON), 401)
        said.append({field: found[field] for field in ("type", "title", "detail")})
    assert len(hashed) == 5
    assert all(one == said[0] for one in said)


def test_metrics_are_for_the_house_and_for_who_has_the_token(server, web, guest, house, tmp_path):
    """Never for an address: whoever comes through a proxy on this machine has that of this machine."""
    problem(web.get("/metrics"), 401)
    problem(guest._http.get("/metrics"), 403)
    assert house._http.get("/metrics").status_code == 200
    problem(web.get("/metrics", headers={"Authorization": "Bearer"}), 401)
    with Inside(tmp_path, metrics_token="a-token-of-some-length") as with_token:
        for given, status in (("a-token-of-some-length", 200), ("a-token-of-some-lengtH", 401), ("ä", 401)):
            headers = {"Authorization": f"Bearer {given}".encode("latin-1")}
            assert httpx.get(f"{with_token.url}/metrics", headers=headers).status_code == status


def test_metrics_count_by_route_and_not_by_what_strangers_choose(web, house):
    for n in range(30):
        web.get(f"/strange/{n}")
        web.request("PROPFIND", f"{API}/tables/{n}")
        web.get(f"{API}/tables/{10**6 + n}")
    said = [line.partition("{")[2].rpartition("}")[0] for line in house._http.get("/metrics").text.splitlines()]
    labels = {value for line in said for value in re.findall(r'="([^"]*)"', line)}
    assert not [value for value in labels if re.search(r"strange|PROPFIND|1000\d\d\d", value)]
    assert "/tables/{table}" in labels


def test_without_its_database_a_server_says_503_and_recovers(tmp_path):
    with Inside(tmp_path, "bad-beat-blackjack") as server, Client(server.url, patience=0).guest() as guest:
        server.services.engine.dispose()
        for path in tmp_path.glob("felt.db*"):
            path.rename(path.with_name(path.name + ".away"))
        (tmp_path / "felt.db").mkdir()  # so that nothing can be made there anew
        answers = [
            guest._http.get("/readyz"),
            guest._http.get(f"{API}/tables"),
            guest._http.post(f"{API}/me/chips", content='{"amount":5}', headers=as_(guest)),
            guest._http.post(f"{API}/tables/1/deal", headers=as_(guest)),
            httpx.get(f"{server.url}{API}/me", headers={"Cookie": f"{COOKIE}={'x' * 43}"}),
        ]
        for answer in answers:
            assert problem(answer, 503)["retry_after"]
            assert "retry-after" in answer.headers
        assert guest._http.get("/healthz").status_code == 200
        (tmp_path / "felt.db").rmdir()
        for path in tmp_path.glob("*.away"):
            path.rename(path.with_suffix(""))
        assert guest._http.get("/readyz").status_code == 200
        assert guest.buy_chips(5) == 5
