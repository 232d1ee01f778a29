"""Connections that take their time: each state has its limit, all together have, and who means well is served meanwhile."""

import json
import logging
import resource
import socket
import struct
import time
from contextlib import ExitStack, closing, contextmanager, suppress

import httpx
import pytest

from feltlab.errors import FeltlabError
from feltlab.web.connections import held, troubles
from feltlab.web.connections.held import HeldConnections, most_connections
from feltlab.web.connections.protocol import LEAST_TAKEN, ClientConnection
from feltlab.web.settings import Patience, Settings
from support.floor.inside import Inside
from support.paths import TESTS
from support.service.requests import API, HUNG_UP
from support.service.servers import Server
from support.waiting import comes

NARROW = TESTS / "support/service/narrow.py"
LONG = 120.0  # what a busy machine may take for what takes no time
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
POST = f"POST {API}/me/chips HTTP/1.1\r\nHost: localhost\r\n".encode()  # refused: there is no session
SLOW = {
    "nothing is said": b"",
    "bare line ends": b"\r\n\r\n",
    "half a line": b"GET /heal",
    "half a head": GET + b"X-Slow: ",
    "an answered GET with a byte of its body": GET + b"Content-Length: 1000\r\n\r\nx",
    "the same in chunks": GET + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
    "the same without its end": GET + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
    "a refused POST with a byte": POST + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    "a refused POST in chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "a POST that is too large": POST + b"Content-Length: 70000\r\n\r\n{",
    "one that waits to be told to go on": POST + b"Content-Length: 10\r\nExpect: 100-continue\r\n\r\n",
    "a name that is not ours": b"GET / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\nx",
    "an answered GET and nothing more": GET + b"\r\n",
    "a bare line end after an answer": GET + b"\r\n\r\n",
    "half a head after an answer": GET + b"\r\n" + GET,
    "two at once, and a byte of the second's body": GET + b"\r\n" + GET + b"Content-Length: 9\r\n\r\nx",
    "a wish for another protocol": GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nx",
    "the same with a body": GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 9\r\n\r\nx",
    "a tunnel": b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\nx",
}


def opened(port, from_="127.0.0.1"):
    """A connection, from one of the machine's own addresses."""
    return socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=(from_, 0))


def heard_to_the_end(line):
    """All that is said until the other side closes."""
    heard = b""
    try:
        while more := line.recv(65536):
            heard += more
    except ConnectionError:
        heard += HUNG_UP
    return heard


@pytest.fixture(autouse=True)
def no_error(caplog):
    """Whatever is done to a connection, the log tells of no error: else anybody could fill it."""
    yield
    records = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    assert [record.getMessage() for record in records if record.levelno >= logging.ERROR] == []


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server with little patience."""
    patience = Patience(head=0.4, body=0.4, rest=0.4, idle=0.4, stall=0.4)
    with Inside(tmp_path_factory.mktemp("hasty"), patience=patience) as found:
        yield found


def port_of(server):
    return int(server.url.rpartition(":")[2])


# ---- in time


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW)
def test_no_connection_stays_that_asks_for_nothing(hasty, data):
    with closing(opened(port_of(hasty))) as line:
        line.sendall(data)
        heard_to_the_end(line)  # the server hangs up, or this times out
    assert httpx.get(f"{hasty.url}/healthz", timeout=LONG).status_code == 200


@pytest.mark.parametrize(
    ("begin", "drop"),
    [(GET + b"Content-Length: 1000\r\n\r\n", b"x"), (GET + b"\r\n", b"\r\n"), (GET, b"x"), (POST, b"x")],
    ids=["a body", "line ends", "a head", "a head of a change"],
)
def test_no_drop_buys_time(hasty, begin, drop):
    """Bytes that come one by one renew nothing."""
    with closing(opened(port_of(hasty))) as line:
        line.sendall(begin)
        until = time.monotonic() + LONG
        line.settimeout(0.05)
        ended = False
        while not ended:
            assert time.monotonic() < until, "it is waited for as long as something comes"
            try:
                line.sendall(drop)
                ended = not line.recv(65536)
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True


def test_what_is_left_of_an_answered_request_may_still_come(tmp_path):
    """An honest client that sends the whole body of what was refused keeps its connection."""
    patience = Patience(head=LONG, body=LONG, rest=LONG, idle=LONG, stall=LONG)
    with Inside(tmp_path, patience=patience) as server, closing(opened(port_of(server))) as line:
        for _ in range(3):
            line.sendall(POST + b"Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70_000)
            head = b""
            while b"\r\n\r\n" not in head:
                more = line.recv(65536)
                assert more, "the server hung up"
                head += more
            assert head.startswith(b"HTTP/1.1 413 ") and b"connection: close" not in head.lower()


def test_what_is_left_of_an_answered_request_is_not_read_without_end(hasty):
    with closing(opened(port_of(hasty))) as line, suppress(ConnectionError):
        line.sendall(GET + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(10_000):
            line.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
        pytest.fail("it was all read")


DOCUMENT = f"GET {API}/openapi.json HTTP/1.1\r\nHost: localhost\r\n".encode()


@contextmanager
def asking(server, data):
    """A connection with little room for what comes, on which as much is asked for as no buffer on the way can hold."""
    with closing(socket.socket()) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(LONG)
        line.connect(("127.0.0.1", port_of(server)))
        with suppress(ConnectionError):
            line.sendall(data)
        yield line


def all_over(server):
    """Nobody is connected any more, and nothing is done for anybody."""
    comes(lambda: len(server.services.room) == 0, "a connection is still held")
    comes(lambda: not server._server.server_state.tasks, "an answer is still being given")


def stalled():
    return troubles.TROUBLES.labels("stalled")._value.get()


@pytest.mark.parametrize("last", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
def test_who_takes_nothing_of_an_answer_is_cut_off(hasty, last):
    before = stalled()
    with asking(hasty, (DOCUMENT + b"\r\n") * 20 + DOCUMENT + last + b"\r\n"):
        comes(lambda: stalled() > before, "it is waited for")
    all_over(hasty)


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_who_leaves_while_many_answers_are_due_is_no_error(hasty, reset):
    """What is being answered is not what was asked for last."""
    with asking(hasty, (DOCUMENT + b"\r\n") * 20) as line:
        assert line.recv(12) == b"HTTP/1.1 200"
        if reset:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    all_over(hasty)


def test_a_stream_ends_when_its_reader_leaves_whatever_else_was_asked_for(tmp_path):
    patience = Patience(head=LONG, body=LONG, rest=LONG, idle=LONG, stall=LONG)
    with Inside(tmp_path, "bad-beat-baccarat", patience=patience) as server:
        cookie = httpx.post(f"{server.url}{API}/guests", timeout=LONG).headers["set-cookie"].partition(";")[0]
        stream = f"GET {API}/tables/1/events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode()
        with asking(server, stream + GET + b"\r\n") as line:
            assert line.recv(12) == b"HTTP/1.1 200"
        all_over(server)


def test_a_slow_reader_who_reads_is_served(tmp_path, monkeypatch):
    """For many times the patience with one who takes nothing; time goes on here as the reader reads, however slowly."""
    taken, looks, look = 0, [], ClientConnection._look
    made = ClientConnection.connection_made

    def little_room(self, transport):
        made(self, transport)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)

    def in_time(self, before, since=None):
        since = taken if since is None else since
        if taken < since + 4 * LEAST_TAKEN:  # the patience is not over yet
            self._taking = self.loop.call_later(0.001, self._look, before, since)
            return
        looks.append(before - self.transport.get_write_buffer_size())
        look(self, before)

    monkeypatch.setattr(ClientConnection, "connection_made", little_room)
    monkeypatch.setattr(ClientConnection, "_look", in_time)
    patience = Patience(head=LONG, body=LONG, rest=LONG, idle=LONG, stall=0)
    before = stalled()
    with Inside(tmp_path, patience=patience) as server:
        whole = httpx.get(f"{server.url}{API}/openapi.json", timeout=LONG).content
        with asking(server, (DOCUMENT + b"\r\n") * 9 + DOCUMENT + b"Connection: close\r\n\r\n") as line:
            heard = b""
            while more := line.recv(4096):
                heard += more
                taken += len(more)
    assert heard.count(whole) == 10
    assert len(looks) >= 5 and min(looks) >= LEAST_TAKEN and stalled() == before


# ---- all together


@pytest.fixture
def narrow(tmp_path):
    """A server with 256 descriptors, as a process."""

    def start(seconds, *arguments):
        environment = {"NARROW_DESCRIPTORS": "256", "NARROW_SECONDS": str(seconds)}
        found = Server(
            f"sqlite:///{tmp_path / 'felt.db'}",
            tmp_path,
            sheets=(),
            script=NARROW,
            environment=environment,
            arguments=arguments,
        )
        servers.append(found)
        return found.start()

    servers = []
    yield start
    for server in servers:
        server.kill()


def log_of(server):
    return [json.loads(line) for line in server.errors.read_text().splitlines()]


def holding(stack, server, data, many, addresses=("127.0.0.1",)):
    """So many connections that say something and then nothing more, from these addresses in turn."""
    lines = []
    for n in range(many):
        line = stack.enter_context(closing(opened(server.port, addresses[n % len(addresses)])))
        with suppress(OSError):
            line.sendall(data)
        lines.append(line)
    return lines


@pytest.mark.parametrize("name", ["an answered GET with a byte of its body", "a bare line end after an answer", "nothing is said", "a refused POST in chunks"])  # fmt: skip
def test_300_slow_connections_deafen_no_server_of_256_descriptors(narrow, name):
    """The 301st visitor is served at once, wherever they come from, and not when somebody's time is up."""
    server = narrow(300)
    with ExitStack() as stack:
        holding(stack, server, SLOW[name], 300)
        for from_ in ("127.0.0.1", "127.0.0.2"):
            transport = httpx.HTTPTransport(local_address=from_)
            with httpx.Client(transport=transport, timeout=LONG) as honest:
                assert honest.get(f"{server.url}/readyz").status_code == 200
                assert honest.post(f"{server.url}{API}/guests").status_code == 201
    words = [line["message"] for line in log_of(server)]
    assert any("made room for another (from 127.0.0.1" in word for word in words)
    assert len(words) < 20, "whoever attacks shall not fill the log"


def test_connections_from_many_addresses_deafen_no_server_either(narrow):
    server = narrow(300)
    addresses = [f"127.0.0.{n}" for n in range(2, 12)]
    with ExitStack() as stack:
        holding(stack, server, SLOW["half a head"], 300, addresses)
        with httpx.Client(timeout=LONG) as honest:
            assert honest.get(f"{server.url}/readyz").status_code == 200
            assert honest.post(f"{server.url}{API}/guests").status_code == 201


def test_streams_of_one_address_leave_room_for_others(narrow):
    """They cannot be asked to make room; so there are fewer of them, and who wants more is told so."""
    server = narrow(300, "--connections", "30")
    with ExitStack() as stack:
        cookies = [httpx.post(f"{server.url}{API}/guests", timeout=LONG).headers["set-cookie"] for _ in range(3)]
        house = {"name": "house", "password": server.house_password}
        with httpx.Client(base_url=server.url, timeout=LONG) as web:
            csrf = web.post(f"{API}/sessions", json=house).json()["csrf"]
            given = {"X-CSRF-Token": csrf, "Idempotency-Key": "a-key-of-mine"}
            assert web.post(f"{API}/tables", json={"sheet": "bad-beat-blackjack"}, headers=given).status_code == 201
        heads = []
        for n in range(40):
            cookie = cookies[n % 3].partition(";")[0]
            ask = f"GET {API}/tables/1/events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
            (line,) = holding(stack, server, ask.encode(), 1)
            try:
                heads.append(line.recv(12))
            except ConnectionError:
                heads.append(b"")
        assert heads.count(b"HTTP/1.1 200") == 30
        assert set(heads[30:]) <= {b"HTTP/1.1 429", b""} and b"HTTP/1.1 429" in heads
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=transport, timeout=LONG) as honest:
            assert honest.get(f"{server.url}/readyz").status_code == 200
    assert any("as many connections as it may" in line["message"] for line in log_of(server))


def test_a_server_that_is_lent_nothing_more_says_so_and_recovers(narrow):
    """Its descriptors are taken away while it runs, and given back."""
    server = narrow(300)
    assert server.process is not None
    pid = server.process.pid
    first, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))  # as many as it never gives back
    with ExitStack() as stack:
        (line,) = holding(stack, server, GET + b"Connection: close\r\n\r\n", 1)
        comes(lambda: "lends no more descriptors" in server.errors.read_text(), "it says nothing")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (first, hard))
        assert b"200 OK" in heard_to_the_end(line), "it was not answered when there was room again"
    assert httpx.get(f"{server.url}/readyz", timeout=LONG).status_code == 200


def test_room_is_kept_for_the_database(monkeypatch):
    def lent(many):
        monkeypatch.setattr(held.resource, "getrlimit", lambda _: (many, many))
        return most_connections(Settings(""))

    assert lent(256) == 256 - held.KEPT_FREE
    assert lent(1_000_000) == lent(resource.RLIM_INFINITY) == Settings("").most_connections
    with pytest.raises(FeltlabError, match="lends this process 64 descriptors, .* run ulimit -n 128 or more first"):
        lent(64)


class Line:
    """A connection without a network."""

    def __init__(self):
        self.gone = False

    def let_go(self):
        self.gone = True


def test_who_waits_longest_makes_room_and_who_is_answered_never():
    room = HeldConnections(most=4, by_address=2)
    lines = [Line() for _ in range(4)]
    for line, address in zip(lines, "aabb", strict=True):
        assert room.wanted_for(address) is None
        room.enter(line, address)
        room.waits(line)
    room.works(lines[0])
    assert room.wanted_for("a") is None
    assert [line.gone for line in lines] == [False, True, False, False] and len(room) == 3
    room.enter(lines[1], "a")
    assert room.wanted_for("a") == "address-full", "both are being answered, or have said nothing yet"
    room.waits(lines[1])
    room.works(lines[2])
    room.waits(lines[2])  # it waits for shorter than the fourth
    assert room.wanted_for("c") is None and lines[3].gone and not lines[2].gone
    for line in lines:
        room.leave(line)
        room.leave(line)
    assert len(room) == 0 and not room._of and not room._waiting


def test_connections_of_a_proxy_are_not_one_clients():
    room = HeldConnections(most=10, by_address=2)
    for _ in range(8):
        assert room.wanted_for("") is None
        room.enter(Line(), "")
    assert len(room) == 8
