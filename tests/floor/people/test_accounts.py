"""Accounts: guests who register, passwords, sessions, guessing, and what the house did."""

import base64
from urllib.parse import parse_qs, urlparse

import httpx
import pytest

from feltlab.cli import app
from feltlab.client import Client, ServiceError
from feltlab.floor.desk import clock
from feltlab.floor.people import totp
from feltlab.floor.people.people import USED
from feltlab.web.sessions.lockout import DEVICE, FREE, FREE_ALL, LONGEST, LONGEST_ALL, Lockout
from feltlab.web.sessions.sessions import COOKIE
from support.floor.inside import Inside

PASSWORD, NEW = "a long password", "a longer password"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("accounts"), "bad-beat-blackjack") as found:
        yield found
        found.check()


@pytest.fixture
def client(server):
    """Clients that are closed at the end, and wait for nothing."""
    clients = []

    def new():
        clients.append(Client(server.url, patience=0))
        return clients[-1]

    yield new
    for one in clients:
        one.close()


def refused(act, *arguments):
    with pytest.raises(ServiceError) as found:
        act(*arguments)
    return found.value


def again(client, of):
    """Another program with the same cookies."""
    found = client()
    found._http.cookies.set(COOKIE, of._http.cookies[COOKIE])
    found._csrf = found.me()["csrf"]
    return found


# ---- the first visit, and a guest who registers


def test_who_comes_for_the_first_time_is_nobody_and_that_is_no_mistake(server, client):
    nobody = client()
    answer = nobody._http.get("/api/v1/session")
    assert (answer.status_code, answer.json(), answer.headers["cache-control"]) == (200, {"me": None}, "no-store")
    assert refused(nobody.me).status == 401
    guest = client().guest()
    assert guest.request("GET", "/session") == {"me": guest.me()}
    unknown = httpx.get(f"{server.url}/api/v1/session", cookies={COOKIE: "unknown"})
    assert (unknown.status_code, unknown.json()) == (200, {"me": None})


def test_a_guest_who_registers_keeps_chips_rounds_seat_and_session(server, client):
    guest, other = client().guest(), client().guest()
    for one in (guest, other):
        one.buy_chips(100_000)
    seat = guest.sit(1, [2], 50_000)
    beside = other.sit(1, [5], 50_000)
    was, cookie = guest.name, guest._http.cookies[COOKIE]
    beside.bet({"main": 1000})
    seat.bet({"main": 1000})
    beside.deal()
    seat.deal()
    while seat.look().waits and (seat.my_turn or (beside.look() and beside.my_turn)):
        at = seat if seat.my_turn else beside
        at.act("decline" if at.my_turn.kind == "insurance" else "stand")
    seat.look()
    chips, rounds = seat.chips, guest.rounds()
    seat.bet({"main": 700})
    me = guest.register("Gwen Hart", PASSWORD).me()
    assert guest._http.cookies[COOKIE] == cookie, "it is the same session"
    assert (me["name"], me["kind"], me["chips"], me["tables"]) == ("Gwen Hart", "player", 50_000, [1])
    assert guest.rounds() == rounds
    names = [view.name for view in seat.look().seats]
    assert "Gwen Hart" in names and was not in names
    assert (seat.spots, seat.chips) == ((2,), chips - 700)
    told = [event for said in _steps(other, 1) for event in said["events"] if event["event"] == "renamed"]
    assert told == [{"event": "renamed", "who": "Gwen Hart", "was": was}]
    seat.bet({"main": 500})
    seat.leave()
    assert guest.me()["chips"] == 50_000 + chips
    elsewhere = client().log_in("Gwen Hart", PASSWORD)
    assert elsewhere.me()["chips"] == 50_000 + chips and elsewhere.rounds() == rounds
    assert refused(client().log_in, was, PASSWORD).status == 401
    beside.leave()
    server.check()


def _steps(client, table):
    found, stream = [], client.events(table, after=0)
    last = client.now(table).seq
    for said in stream:
        found.append(said)
        if said["seq"] >= last:
            break
    stream.close()
    return found


def test_a_name_that_is_taken_leaves_a_guest_a_guest(client):
    client().register("Hugo", PASSWORD)
    guest = client().guest()
    guest.buy_chips(500)
    assert "taken" in str(refused(guest.register, "HUG0", PASSWORD))
    assert guest.me() | {"csrf": ""} == {"name": guest.name, "kind": "guest", "chips": 500, "tables": [], "csrf": ""}
    guest.register("Hugo's Friend", PASSWORD)
    assert guest.me()["chips"] == 500


def test_a_player_who_makes_another_account_keeps_this_one(client):
    one = client().register("Ivy", PASSWORD)
    one.buy_chips(700)
    assert one.register("Ivy the Second", PASSWORD).me()["chips"] == 0
    assert client().log_in("Ivy", PASSWORD).me()["chips"] == 700


# ---- the password and the sessions


@pytest.mark.parametrize("kind", ["player", "house"])
def test_a_new_password_ends_all_sessions_but_this_one(server, client, kind):
    name, old = ("Joan", PASSWORD) if kind == "player" else ("house", server.house_password)
    if kind == "player":
        client().register(name, PASSWORD)
    here, there = client().log_in(name, old), client().log_in(name, old)
    assert refused(here.request, "POST", "/me/password", {"present": "not this one", "new": NEW}).status == 401
    assert refused(here.request, "POST", "/me/password", {"present": old, "new": "short"}).status == 409
    assert there.me()["name"] == name, "nothing has changed yet"
    here.request("POST", "/me/password", {"present": old, "new": NEW})
    assert here.me()["name"] == name
    assert refused(there.me).status == 401
    assert refused(client().log_in, name, old).status == 401
    client().log_in(name, NEW).request("POST", "/me/password", {"present": NEW, "new": old})


def test_a_guest_has_no_password_to_change(client):
    assert refused(client().guest().request, "POST", "/me/password", {"present": "", "new": NEW}).status == 403


def test_sessions_are_listed_and_ended(server, client):
    client().register("Kit", PASSWORD)
    three = [client().log_in("Kit", PASSWORD) for _ in range(3)]
    lines = three[0].request("GET", "/me/sessions")
    assert len(lines) == 4 and [line["this"] for line in lines].count(True) == 1
    assert all(set(line) == {"id", "made_at", "used_at", "ends_at", "this"} for line in lines), "little is kept"
    ids = [next(line["id"] for line in one.request("GET", "/me/sessions") if line["this"]) for one in three]
    three[0].request("DELETE", f"/me/sessions/{ids[1]}")
    assert refused(three[1].me).status == 401
    assert three[2].me()["name"] == "Kit"
    assert refused(three[0].request, "DELETE", f"/me/sessions/{ids[0]}").status == 404, "this one ends by logging out"
    stranger = client().register("Lou", PASSWORD)
    assert refused(stranger.request, "DELETE", f"/me/sessions/{ids[2]}").status == 404
    assert three[2].me()["name"] == "Kit"
    three[0].request("DELETE", "/me/sessions")
    assert refused(three[2].me).status == 401
    assert [line["id"] for line in three[0].request("GET", "/me/sessions")] == [ids[0]]


def test_it_is_known_when_a_session_was_last_used(server, client):
    mo = client().register("Moira", PASSWORD)
    (line,) = mo.request("GET", "/me/sessions")
    with server.services.engine.begin() as db:
        db.exec_driver_sql("UPDATE sessions SET used_at = used_at - ? WHERE ends_at = ?", (2 * USED, line["ends_at"]))
    server.services.sessions._known.clear()
    mo.me()
    (later,) = mo.request("GET", "/me/sessions")
    assert later["used_at"] >= line["used_at"] and later["made_at"] == line["made_at"]


# ---- guessing


@pytest.fixture
def timeless(server, monkeypatch):
    """Waits do not end while a test is at it, however slow the machine is."""
    monkeypatch.setitem(server._server.config.app.state._state, "lockout", Lockout(lambda: 0.0))


def guess(client, name, times, password="not the password"):
    """How often it was tried in vain, and how often not at all."""
    kinds = [refused(client.log_in, name, password).status for _ in range(times)]
    return kinds.count(401), kinds.count(429)


def test_guessing_is_slowed_at_this_account_alone_and_not_for_who_was_here_before(client, timeless):
    nell = client().register("Nell", PASSWORD)
    nell.log_in("Nell", PASSWORD)
    client().register("Otto", PASSWORD)
    stranger = client()
    assert guess(stranger, "Nell", FREE + 5) == (FREE, 5)
    assert refused(stranger.log_in, "Nell", PASSWORD).status == 429, "the right password is not told from a wrong one"
    assert guess(stranger, "NELL", 2) == (0, 2), "however it is written"
    assert guess(stranger, "no such account", FREE + 3) == (FREE, 3), "whether it is there is not told either"
    client().log_in("Otto", PASSWORD)
    nell.request("DELETE", "/sessions")
    assert nell.log_in("Nell", PASSWORD).me()["name"] == "Nell"


def test_a_browser_that_was_here_before_is_not_one_that_may_guess(client, timeless):
    pia = client().register("Pia", PASSWORD)
    pia.log_in("Pia", PASSWORD)
    assert guess(pia, "Pia", FREE + 3) == (FREE, 3)
    forged = client()
    forged._http.cookies.set(DEVICE, pia._http.cookies[DEVICE].partition(".")[0] + "." + "0" * 64)
    forged._http.cookies.set(COOKIE, "unknown")
    assert guess(forged, "Pia", FREE + 3)[0] == FREE


def test_a_cookie_of_an_older_password_is_none(client):
    quin = client().register("Quin", PASSWORD)
    quin.log_in("Quin", PASSWORD)
    before = quin._http.cookies[DEVICE]
    quin.request("POST", "/me/password", {"present": PASSWORD, "new": NEW})
    assert quin._http.cookies[DEVICE] != before


def test_strangers_everywhere_slow_strangers_and_not_the_house():
    now = [0.0]
    lockout = Lockout(lambda: now[0])
    waits = [lockout.attempt("house", f"address {place}") for place in range(1000)]
    assert waits.count(0.0) == FREE_ALL
    assert lockout.attempt("house", "device", known=True) == 0.0
    tried = 0
    for second in range(24 * 3600):
        now[0] = 3600.0 + second
        tried += lockout.attempt("house", f"address {second}") == 0.0
    assert tried <= 24 * 3600 / LONGEST_ALL + 10  # the first waits are shorter
    assert lockout.attempt("house", "device", known=True) == 0.0


def test_one_place_waits_longer_each_time_and_is_forgiven_when_it_is_right():
    now = [0.0]
    lockout = Lockout(lambda: now[0])
    waits = []
    for _ in range(FREE + 15):
        while (wait := lockout.attempt("ada", "here", known=True)) > 0:
            waits.append(wait)
            now[0] += wait
    assert waits == [min(2.0**n, LONGEST) for n in range(len(waits))] and waits[-1] == LONGEST
    now[0] += LONGEST
    assert lockout.attempt("ada", "here", known=True) == 0.0
    lockout.right("ada", "here")
    assert [lockout.attempt("ada", "here", known=True) for _ in range(FREE)] == [0.0] * FREE


# ---- a second factor


RFC_SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(59, "94287082"), (1111111109, "07081804"), (1111111111, "14050471"), (1234567890, "89005924"), (2000000000, "69279037"), (20000000000, "65353130")],
)  # fmt: skip
def test_codes_are_those_of_the_standard(seconds, expected):
    """RFC 6238, appendix B, SHA-1."""
    assert totp.code(RFC_SECRET, seconds // totp.PERIOD, 8) == expected
    assert totp.matching(RFC_SECRET, expected[-6:], 1000 * seconds, 0) == seconds // totp.PERIOD


def test_a_code_is_good_for_one_step_each_way_and_only_once():
    here = 50_000_000
    now = 1000 * totp.PERIOD * here
    right = [
        step
        for step in range(here - 5, here + 6)
        if totp.matching(RFC_SECRET, totp.code(RFC_SECRET, step), now, 0) is not None
    ]
    assert right == [here - 1, here, here + 1]
    assert totp.matching(RFC_SECRET, totp.code(RFC_SECRET, here), now, here) is None
    for wrong in ("", "12345", "\u0661\u0662\u0663\u0664\u0665\u0666", "1234567"):
        assert totp.matching(RFC_SECRET, wrong, now, 0) is None


class Authenticator:
    """A program that makes codes; it never waits: the server is told what was used last instead."""

    def __init__(self, server, client, password):
        self.server = server
        uri = client.request("POST", "/me/second-factor", {"present": password})["uri"]
        self.secret = base64.b32decode(parse_qs(urlparse(uri).query)["secret"][0])

    def code(self):
        """The code of now, as if none had been used."""
        with self.server.services.engine.begin() as db:
            db.exec_driver_sql("UPDATE factors SET last = 0")
        return self.last()

    def last(self):
        return totp.code(self.secret, clock() // 1000 // totp.PERIOD)

    def wrong(self, many):
        """Codes that are not right now, nor for a while."""
        now = clock() // 1000 // totp.PERIOD
        right = {totp.code(self.secret, step) for step in range(now - 20, now + 20)}
        return [code for number in range(many + 40) if (code := f"{number:06}") not in right][:many]


def log_in(client, name, password, code=""):
    client._begin("/sessions", {"name": name, "password": password, "code": code})
    return client


@pytest.fixture(params=["player", "house"])
def enrolled(request, server, client):
    """An account with a second factor; its name, password, authenticator and recovery codes."""
    if request.param == "house":
        name, password, here = "house", server.house_password, client().log_in("house", server.house_password)
    else:
        name, password = "Rita", PASSWORD
        here = client()
        try:
            here.register(name, password)
        except ServiceError:
            here.log_in(name, password)
    device = Authenticator(server, here, password)
    assert client().log_in(name, password).me()["name"] == name, "it does not count before it is confirmed"
    (wrong,) = device.wrong(1)
    assert refused(here.request, "PUT", "/me/second-factor", {"code": wrong}).status == 401
    codes = here.request("PUT", "/me/second-factor", {"code": device.code()})["codes"]
    yield here, name, password, device, codes
    with server.services.engine.begin() as db:
        db.exec_driver_sql("DELETE FROM factors")


def test_a_second_factor_is_asked_for_at_every_log_in(client, enrolled):
    here, name, password, device, _ = enrolled
    assert here.request("GET", "/me/second-factor") == {"on": True, "recovery_left": 8}
    error = refused(client().log_in, name, password)
    assert (error.status, error.kind) == (401, "second-factor")
    assert refused(log_in, client(), name, password, *device.wrong(1)).kind == "second-factor"
    assert refused(log_in, client(), name, "not the password", device.code()).kind == "unknown-name-or-password"
    used = device.code()
    assert log_in(client(), name, password, used).me()["name"] == name
    assert refused(log_in, client(), name, password, used).kind == "second-factor", "a code is used once"


def test_a_recovery_code_is_good_once(client, enrolled):
    here, name, password, _, codes = enrolled
    assert len(set(codes)) == 8
    assert log_in(client(), name, password, codes[3].upper()).me()["name"] == name
    assert refused(log_in, client(), name, password, codes[3]).kind == "second-factor"
    assert here.request("GET", "/me/second-factor")["recovery_left"] == 7


def test_a_second_factor_is_removed_with_it_alone(client, enrolled):
    here, name, password, device, _ = enrolled
    assert refused(here.request, "POST", "/me/second-factor", {"present": password}).status == 409
    (wrong,) = device.wrong(1)
    assert refused(here.request, "POST", "/me/second-factor/off", {"present": password, "code": wrong}).status == 401
    assert (
        refused(
            here.request, "POST", "/me/second-factor/off", {"present": "not this one", "code": device.code()}
        ).status
        == 401
    )
    here.request("POST", "/me/second-factor/off", {"present": password, "code": device.code()})
    assert client().log_in(name, password).me()["name"] == name


def test_codes_are_not_guessed_by_who_has_the_password(client, enrolled, timeless):
    here, name, password, device, _ = enrolled
    bodies = [{"present": password, "code": code} for code in device.wrong(FREE + 4)]
    kinds = [refused(here.request, "POST", "/me/second-factor/off", body).status for body in bodies]
    assert (kinds.count(401), kinds.count(429)) == (FREE, 4)
    stranger = client()
    kinds = [refused(log_in, stranger, name, password, body["code"]).status for body in bodies]
    assert (kinds.count(401), kinds.count(429)) == (FREE, 4)
    if name == "house":
        found = [line["act"] for line in here.request("GET", "/house/acts?most=40")]
        assert found.count("factor-failed") >= 2 * FREE and "factor-on" in found


def test_nothing_of_a_second_factor_can_be_read_in_the_database(server, enrolled):
    _, _, _, device, codes = enrolled
    with server.services.engine.begin() as db:
        rows = repr(db.exec_driver_sql("SELECT * FROM factors").fetchall()) + repr(
            db.exec_driver_sql("SELECT * FROM acts").fetchall()
        )
    assert repr(device.secret)[2:-1] not in rows and base64.b32encode(device.secret).decode() not in rows
    assert not any(one in rows for one in codes)


def test_the_operator_takes_a_lost_factor_away(server, client, enrolled, capsys):
    _, name, password, _, _ = enrolled
    app(["account", "factor-off", name, "--db", server.services.settings.db], standalone_mode=False)
    assert "no second factor any more" in capsys.readouterr().out
    assert client().log_in(name, password).me()["name"] == name


# ---- what the house did


def test_what_the_house_did_is_told_to_the_house(server, client):
    with server.house() as house:
        table = house.change("POST", "/tables", {"sheet": "bad-beat-baccarat"})["about"]["id"]
        house.change("DELETE", f"/tables/{table}")
        other = server.house()
        house.request("DELETE", "/me/sessions")
        other.close()
        found = house.request("GET", "/house/acts?most=200")
        mine = [(line["act"], line["subject"]) for line in reversed(found) if line["by"] == "house"]
        assert mine[-5:] == [
            ("log-in", "person 1"),
            ("open", f"table {table}"),
            ("close", f"table {table}"),
            ("log-in", "person 1"),
            ("end-sessions", "person 1"),
        ]
        assert [line["id"] for line in found] == sorted((line["id"] for line in found), reverse=True)
        assert house.request("GET", f"/house/acts?most=2&before={found[2]['id']}") == found[3:5]
    assert refused(client().guest().request, "GET", "/house/acts").status == 403
