"""An attacker: hostile requests of many kinds, over raw connections, as fast as they are answered."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

COOKIE = "feltlab_session"
ANSWER_SECONDS = 120.0
HEX = re.compile(rb"[0-9a-f]{200,}")
FACE_DOWN = re.compile(rb'"card":"([^"]+)"[^{}]*"face_up":false')


@dataclass(frozen=True)
class Somebody:
    """A session."""

    cookie: str
    csrf: str


@dataclass(frozen=True)
class Request:
    """A request to send. `refused`: it must not succeed. `times`: the number of answers that are due."""

    kind: str
    data: bytes
    refused: bool = True
    times: int = 1
    headless: bool = False  # an answer without a body, whatever its length says
    broken: bool = False  # no HTTP: the server may hang up
    went_well: Callable[[], None] = lambda: None  # called when it was answered and did something


@dataclass
class Honest:
    """A request that an honest player made: what a thief on the wire would have."""

    method: str
    path: str
    body: bytes
    key: str
    who: Somebody


@dataclass
class Report:
    """What was sent, and what came back."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    numbers: dict[bytes, float] = field(default_factory=dict)  # long numbers, and when they were first seen
    seconds: float = 0.0

    @property
    def sent(self) -> int:
        return sum(self.kinds.values())

    def lines(self) -> list[str]:
        """For people, and for docs/soak.md."""
        return [
            f"{self.sent:,} hostile requests in {self.seconds:,.0f} s",
            "by kind:   " + ", ".join(f"{kind} {number:,}" for kind, number in sorted(self.kinds.items())),
            "by status: " + ", ".join(f"{status} {number:,}" for status, number in sorted(self.statuses.items())),
            f"not answered as they should be: {len(self.wrong)}",
        ]


def request(
    method: str,
    path: str,
    body: bytes | None = None,
    who: Somebody | None = None,
    **headers: str | bytes,
) -> bytes:
    """A request as it goes over the wire. Headers may say anything."""
    lines: dict[str, str | bytes] = {"Host": "127.0.0.1"}
    if who:
        lines |= {"Cookie": f"{COOKIE}={who.cookie}", "X-CSRF-Token": who.csrf}
    if body is not None:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = f"{method} {path} HTTP/1.1\r\n".encode()
    for name, value in lines.items():
        said = value if isinstance(value, bytes) else value.encode("latin-1", "replace")
        if said:
            head += name.encode() + b": " + said + b"\r\n"
    return head + b"\r\n" + (body or b"")


class Line:
    """A connection that is opened again when it is lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._writer is None or self._writer.is_closing():
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        assert self._reader is not None
        return self._reader, self._writer

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()
        self._reader = self._writer = None

    async def send(self, data: bytes) -> None:
        _, writer = await self.open()
        writer.write(data)
        await writer.drain()

    async def answer(self, *, headless: bool = False) -> tuple[int, bytes, bytes]:
        """The next answer: its status, its head and its body."""
        reader, _ = await self.open()
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        body = await reader.readexactly(int(length[1])) if length and not headless and status != 204 else b""
        if b"\r\nconnection: close" in head.lower():
            await self.close()
        return status, head, body


# ---- what hostile requests are made of

WORDS = [
    "", " ", "0", "null", "main", "bad-beat", "\x00", "a\x00b", "\u202e", "\ufeff", "é", "e\u0301", "\U0001d538\U0001d555\U0001d552", "😀" * 20, "١٢٣", "\uff11\uff12",
    "\u03a9\u2248\u00e7\u221a\u222b\u02dc\u00b5\u2264\u2265\u00f7", "ﷺ", "\u200b", "'; DROP TABLE people; --", "\" OR 1=1", "<script>alert(1)</script>", "{{7*7}}", "${jndi:ldap://x}",
    "../../etc/passwd", "%00", "%s%s%s%n", "\r\nX-Evil: 1", "A" * 64, "A" * 65, "A" * 5000, "\uff42\uff41\uff44\uff0d\uff42\uff45\uff41\uff54", "-1", "1e3", "NaN", "None", "__proto__", "constructor",
]  # fmt: skip
RAW = [b'"\\ud800"', b'"\\udfff\\ud800"', b'"\xff\xfe"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\x01"', b"'x'", b"undefined", b"NaN", b"Infinity", b"-Infinity", b"0x1F", b"01", b"1.", b".5", b"+1", b"1_000", b"tru", b"[", b"{", b'{"a"', b"\x00"]  # fmt: skip
NUMBERS = [b"-1", b"0", b"1.5", b"1e3", b"1e400", b"-0", b"2147483648", b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"100000000001", b"9" * 400, b"9" * 5000, b"0." + b"9" * 500, b"1e-400", b"-" + b"9" * 30]  # fmt: skip
ODD = [None, True, False, [], {}, [[]], [1], {"a": 1}, "5", "", 5.0, [None], {"": ""}]

SHAPES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/me/chips", {"amount": 100}),
    ("POST", "/tables/{t}/seat", {"spots": [6], "chips": 100}),
    ("POST", "/tables/{t}/chips", {"amount": 5}),
    ("PUT", "/tables/{t}/bets", {"spot": 6, "bets": {"main": 100}}),
    ("POST", "/tables/{t}/moves", {"turn": "1.1", "spot": 6, "action": "hit", "side": {}, "amount": 0}),
    ("POST", "/tables/{t}/seeds", {"seed": "mine"}),
    ("POST", "/accounts", {"name": "Mallory", "password": "a long password"}),
    ("POST", "/tables", {"sheet": "bad-beat-blackjack", "decks": 6, "limits": {"main": [1, 5]}}),
]
PATHS = ["/tables/{n}", "/rounds/{t}-{n}", "/shoes/{t}-{n}", "/rounds/{n}-{n}", "/books", "/books/{n}", "/me/rounds?most={n}", "/tables/{w}", "/rounds/{w}", "/shoes/{w}", "/{w}", "/tables/{t}/{w}", "/tables/{n}/events", "/me?{w}", "/tables/../../../etc/passwd", "/tables/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/openapi.json%00", "/TABLES", "/tables/"]  # fmt: skip
METHODS = ["PATCH", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND", "LOCK", "POST", "SEARCH", "QUERY"]


class Attacker:
    """Makes hostile requests.

    `own` are sessions of its own, `theirs` tables where others have taken spots 1 and 2, `honest` what it has overheard.
    """

    def __init__(
        self, seed: int, tables: list[int], theirs: list[int], own: list[Somebody], honest: list[Honest]
    ) -> None:
        self.chance = random.Random(seed)
        self.tables, self.theirs, self.own, self.honest = tables, theirs, own, honest
        self.mine: list[tuple[Somebody, str, str, bytes, str]] = []  # changes of its own that went well
        self._count = 0
        self.kinds: list[tuple[int, Callable[[], Request]]] = [
            (10, self.wrong_type),
            (8, self.huge_number),
            (10, self.unicode),
            (5, self.raw_json),
            (6, self.unknown_field),
            (3, self.twice),
            (2, self.too_large),
            (2, self.too_deep),
            (4, self.content_type),
            (10, self.others_id),
            (9, self.stolen_request),
            (7, self.own_replay),
            (6, self.stale_turn),
            (6, self.others_seat),
            (6, self.not_house),
            (6, self.no_csrf),
            (4, self.other_site),
            (3, self.bad_cookie),
            (8, self.odd_path),
            (4, self.odd_method),
            (2, self.odd_header),
            (2, self.noise),
            (2, self.truncated),
            (2, self.pipelined),
            (1, self.smuggled),
        ]

    def next(self) -> Request:
        """A hostile request of any kind."""
        weights, makers = zip(*self.kinds, strict=True)
        return self.chance.choices(makers, weights)[0]()

    # ---- parts

    def key(self) -> str:
        self._count += 1
        return f"hostile-{self._count:08}"

    def table(self) -> int:
        return self.chance.choice(self.tables)

    def somebody(self) -> Somebody:
        return self.chance.choice(self.own)

    def shape(self) -> tuple[str, str, dict[str, Any]]:
        method, path, body = self.chance.choice(SHAPES)
        return method, "/api/v1" + path.format(t=self.table()), body

    def change(
        self, kind: str, method: str, path: str, body: bytes | None, *, refused: bool = True, **headers: str | bytes
    ) -> Request:
        given: dict[str, str | bytes] = {"Idempotency_Key": self.key(), **headers}
        return Request(kind, request(method, path, body, self.somebody(), **given), refused)

    @staticmethod
    def with_raw(body: dict[str, Any], name: str, raw: bytes) -> bytes:
        """A body with bytes of our own in the place of a field's value."""
        return json.dumps({**body, name: "(here)"}).encode().replace(b'"(here)"', raw)

    # ---- bodies

    def wrong_type(self) -> Request:
        method, path, body = self.shape()
        name = self.chance.choice(list(body))
        junk = self.chance.choice([odd for odd in ODD if type(odd) is not type(body[name])])
        return self.change("wrong types", method, path, json.dumps({**body, name: junk}).encode())

    def huge_number(self) -> Request:
        method, path, body = self.chance.choice([shape for shape in SHAPES if shape[1] not in ("/accounts", "/tables")])
        path = "/api/v1" + path.format(t=self.table())
        name = self.chance.choice([name for name in body if name not in ("action", "seed", "turn")] or list(body))
        number = self.chance.choice(NUMBERS)
        raw = {"spots": b"[" + number + b"]", "bets": b'{"main":' + number + b"}", "side": b'{"main":' + number + b"}"}
        may = number == b"2147483648"  # that many cents can be
        return self.change(
            "huge numbers", method, path, self.with_raw(body, name, raw.get(name, number)), refused=not may
        )

    def unicode(self) -> Request:
        method, path, body = self.chance.choice([shape for shape in SHAPES if "seed" in shape[2] or "bets" in shape[2] or "turn" in shape[2] or "name" in shape[2]])  # fmt: skip
        path, word = "/api/v1" + path.format(t=self.table()), self.chance.choice(WORDS)
        name = self.chance.choice([name for name in body if isinstance(body[name], str | dict) and name != "password"])
        value = {word: 5} if isinstance(body[name], dict) else word
        if "name" in body and re.fullmatch(r"[^\W_][\w .'-]{1,38}[^\W_]", unicodedata.normalize("NFKC", word)):
            value = "\x07bell"  # not a name that somebody may have
        may = "seed" in body or "turn" in body or word in ("main", "bad-beat")  # at a seat of its own
        return self.change("Unicode", method, path, json.dumps({**body, name: value}).encode(), refused=not may)

    def raw_json(self) -> Request:
        method, path, body = self.shape()
        raw = self.with_raw(body, self.chance.choice(list(body)), self.chance.choice(RAW))
        return self.change("broken JSON", method, path, raw)

    def unknown_field(self) -> Request:
        method, path, body = self.shape()
        extra = {self.chance.choice(["admin", "house", "person", "__class__", "chips2", "😀"]): 1}
        if self.chance.random() < 0.2:
            return self.change("unknown fields", "POST", f"/api/v1/tables/{self.table()}/deal", json.dumps(extra).encode())  # fmt: skip
        return self.change("unknown fields", method, path, json.dumps({**body, **extra}).encode())

    def twice(self) -> Request:
        method, path, body = self.shape()
        text = json.dumps(body).encode()
        name = self.chance.choice(list(body))
        return self.change("fields twice", method, path, text[:-1] + b', "%s": 1}' % name.encode())

    def too_large(self) -> Request:
        method, path, body = self.shape()
        text = json.dumps({**body, "x": "y" * self.chance.choice([66_000, 70_000, 200_000])}).encode()
        if self.chance.random() < 0.5:
            return self.change("large bodies", method, path, text)
        parts = b"".join(b"%x\r\n%s\r\n" % (len(text[at : at + 8000]), text[at : at + 8000]) for at in range(0, len(text), 8000))  # fmt: skip
        head = request(method, path, None, self.somebody(), Idempotency_Key=self.key(), Content_Type="application/json", Transfer_Encoding="chunked")  # fmt: skip
        return Request("large bodies", head + parts + b"0\r\n\r\n")

    def too_deep(self) -> Request:
        method, path, _ = self.shape()
        depth = self.chance.choice([17, 100, 1000, 20_000])
        opening, closing = self.chance.choice([(b"[", b"]"), (b'{"a":', b"}")])
        text = opening * min(depth, 60_000 // len(opening) // 2) + b"1" + closing * min(depth, 60_000 // len(opening) // 2)  # fmt: skip
        return self.change("deep JSON", method, path, text)

    def content_type(self) -> Request:
        method, path, body = self.shape()
        kind = self.chance.choice(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x", ""])
        return self.change("content types", method, path, json.dumps(body).encode(), Content_Type=kind)

    # ---- what is another's

    def others_id(self) -> Request:
        number = self.chance.choice([0, -1, 1, 2, 10**6, 2**53, 2**63, 10**30])
        path = self.chance.choice(PATHS).format(t=self.table(), n=number, w="x")
        path = path if not path.endswith("/events") or number > 3 or number < 1 else "/me"
        return Request("others' ids", request("GET", "/api/v1" + path, who=self.somebody()), refused=False)

    def stolen_request(self) -> Request:
        """What somebody else sent, sent again: by another person, or without what only they have."""
        if not self.honest:
            return self.no_csrf()
        taken = self.chance.choice(self.honest)
        how = self.chance.choice(["mine", "no csrf", "my csrf", "my cookie"])
        own = self.somebody()
        who = {
            "mine": own,
            "no csrf": Somebody(taken.who.cookie, ""),
            "my csrf": Somebody(taken.who.cookie, own.csrf),
            "my cookie": Somebody(own.cookie, taken.who.csrf),
        }[how]
        data = request(taken.method, taken.path, taken.body or None, who, Idempotency_Key=taken.key)
        may = how == "mine" and taken.path.endswith(("/me/chips", "/deal"))  # everybody may buy chips of their own
        return Request("stolen requests", data, refused=not may and how != "mine")

    def own_replay(self) -> Request:
        """Its own changes again: the same, or with another body under the same key."""
        if not self.mine or self.chance.random() < 0.1:
            who, key, body = self.somebody(), self.key(), b'{"amount":%d}' % self.chance.randint(1, 50)
            change = (who, "POST", "/api/v1/me/chips", body, key)
            data = request("POST", "/api/v1/me/chips", body, who, Idempotency_Key=key)
            return Request("own replays", data, False, went_well=lambda: self.mine.append(change))
        who, method, path, body, key = self.chance.choice(self.mine)
        if self.chance.random() < 0.5:
            return Request("own replays", request(method, path, body, who, Idempotency_Key=key), False)
        if self.chance.random() < 0.5:
            return Request("own replays", request(method, path, b'{"amount":99999}', who, Idempotency_Key=key))
        other = f"/api/v1/tables/{self.table()}/deal"
        return Request("own replays", request("POST", other, None, who, Idempotency_Key=key))

    def stale_turn(self) -> Request:
        turn = f"{self.chance.choice([0, 1, 2, 5, 99999])}.{self.chance.choice([0, 1, 5, 12, 99999])}"
        action = self.chance.choice(["stand", "hit", "double", "split", "surrender", "insure", "decline", "even-money"])
        body = {"turn": turn, "spot": self.chance.randint(1, 7), "action": action, "amount": 500}
        path = f"/api/v1/tables/{self.table()}/moves"
        return self.change("stale turns", "POST", path, json.dumps(body).encode(), refused=False)

    def others_seat(self) -> Request:
        table, spot = self.chance.choice(self.theirs), self.chance.choice([1, 2])
        method, what, body = self.chance.choice(
            [
                ("POST", "seat", {"spots": [spot], "chips": 5}),
                ("PUT", "bets", {"spot": spot, "bets": {}}),
                ("PUT", "bets", {"spot": spot, "bets": {"main": 1_000_000}}),
                ("POST", "moves", {"turn": "1.13", "spot": spot, "action": "stand"}),
            ]
        )
        return self.change("others' seats", method, f"/api/v1/tables/{table}/{what}", json.dumps(body).encode())

    def not_house(self) -> Request:
        method, path, body = self.chance.choice(
            [
                ("POST", "/tables", b'{"sheet":"bad-beat-blackjack"}'),
                ("DELETE", f"/tables/{self.table()}", None),
                ("GET", "/books", None),
                ("GET", f"/books/{self.table()}", None),
            ]
        )
        return self.change("the house's", method, "/api/v1" + path, body)

    # ---- who it says it is

    def no_csrf(self) -> Request:
        method, path, body = self.shape()
        csrf = self.chance.choice(["", "0" * 64, "x" * 5000, "null", self.somebody().csrf[::-1]])
        who = Somebody(self.somebody().cookie, csrf)
        data = request(method, path, json.dumps(body).encode(), who, Idempotency_Key=self.key())
        return Request("without CSRF token", data)

    def other_site(self) -> Request:
        method, path, body = self.shape()
        header = self.chance.choice(
            [
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
                {"Sec_Fetch_Site": "cross-site"},
                {"Host": "evil.example"},
                {"Host": "127.0.0.1.evil.example:80"},
            ]
        )
        return self.change("other sites", method, path, json.dumps(body).encode(), **header)

    def bad_cookie(self) -> Request:
        token = self.chance.choice(
            ["x", "a" * 3000, "%00", '"', "é", "$Version=1", self.somebody().cookie[:-1], ";;;="]
        )
        path = self.chance.choice(["/api/v1/me", "/api/v1/me/rounds", "/api/v1/books", "/api/v1/tables/1/events"])
        return Request("cookies", request("GET", path, Cookie=f"{COOKIE}={token}"))

    # ---- addresses, methods, headers

    def odd_path(self) -> Request:
        word = self.chance.choice(["%ff", "%00", "%2e%2e", "%F0%9F%98%80", "a" * 3000, "1;2", "1%0d%0aX", "~", "*", "1.0", "+1", "%31", "\u0966", "0x1"])  # fmt: skip
        path = "/api/v1" + self.chance.choice(PATHS).format(
            t=self.table(), n=self.chance.choice([word, 10**20]), w=word
        )
        path = "/api/v1/me" if path.endswith("/events") else path
        return Request("addresses", request("GET", path, who=self.somebody()), refused=False, broken="\u0966" in path)

    def odd_method(self) -> Request:
        method, path = self.chance.choice(METHODS), self.chance.choice(["/tables", "/me", "/tables/1", "/rounds/1-1"])
        if (method, path) == ("DELETE", "/me"):
            path = "/me/chips"  # else this somebody is gone, and what they ask next is asked by nobody
        refused = method not in ("PUT", "DELETE", "POST")
        data = request(method, "/api/v1" + path, None, self.somebody(), Idempotency_Key=self.key())
        return Request("methods", data, refused, headless=method == "HEAD", broken=True)

    def odd_header(self) -> Request:
        name, value = self.chance.choice(
            [
                ("Idempotency_Key", "short"),
                ("Idempotency_Key", "x" * 65),
                ("Idempotency_Key", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7"),
                ("X_Much", "x" * 40_000),
                ("Expect", "200-maybe"),
                ("Content_Type", "application/json; charset=utf-7, x"),
            ]
        )
        body = b'{"amount":0}'
        return self.change("headers", "POST", "/api/v1/me/chips", body, **{name: value})

    # ---- no HTTP at all

    def noise(self) -> Request:
        size = self.chance.choice([1, 10, 100, 5000])
        data = self.chance.choice(
            [self.chance.randbytes(size), b"\x00" * size, b"\r\n" * size + b"\x01", b"GET " * size]
        )
        return Request("random bytes", data + b"\r\n\r\n", broken=True)

    def truncated(self) -> Request:
        method, path, body = self.shape()
        whole = request(method, path, json.dumps(body).encode(), self.somebody(), Idempotency_Key=self.key())
        return Request("truncated", whole[: self.chance.randint(1, len(whole) - 1)], broken=True, times=0)

    def pipelined(self) -> Request:
        several = [self.no_csrf().data for _ in range(self.chance.randint(2, 6))]
        return Request("pipelined", b"".join(several), times=len(several))

    def smuggled(self) -> Request:
        inner = request("POST", "/api/v1/me/chips", b'{"amount":5}', self.somebody(), Idempotency_Key=self.key())
        head = request("POST", "/api/v1/guests", None, None, Content_Length="4", Transfer_Encoding="chunked")
        return Request("smuggled", head + b"0\r\n\r\n" + inner, broken=True)


async def attack(port: int, attacker: Attacker, many: int, workers: int = 12, slow: int = 24) -> Report:
    """Send this many hostile requests while slow connections are held open; check that all are answered correctly."""
    report, began = Report(), time.monotonic()
    left = many
    lorises = [asyncio.create_task(_loris(port, number)) for number in range(slow)]

    async def work() -> None:
        nonlocal left
        line = Line(port)
        while left > 0:
            one = attacker.next()
            left -= max(one.times, 1)
            await _try(line, one, report)
        await line.close()

    await asyncio.gather(*(work() for _ in range(workers)))
    for loris in lorises:
        loris.cancel()
    await asyncio.gather(*lorises, return_exceptions=True)
    report.kinds["slow connections"] += slow
    report.seconds = time.monotonic() - began
    return report


async def _try(line: Line, one: Request, report: Report) -> None:
    report.kinds[one.kind] += max(one.times, 1)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await line.send(one.data)
            for _ in range(one.times):
                status, head, body = await line.answer(headless=one.headless)
                report.statuses[str(status)] += 1
                _judge(one, status, head, body, report)
                if status < 300:
                    one.went_well()
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError) as error:
        report.statuses["hung up"] += 1
        if not one.broken:
            report.wrong.append(f"{one.kind}: {error!r} to {one.data[:300]!r}")
        await line.close()
    except TimeoutError:
        report.statuses["no answer"] += 1
        report.wrong.append(f"{one.kind}: no answer to {one.data[:300]!r}")
        await line.close()
    if one.broken:
        await line.close()


def _judge(one: Request, status: int, head: bytes, body: bytes, report: Report) -> None:
    """Was it answered as it should be? Refused with a reason, never with a 5xx, and with nothing that is unseen."""
    good = status < 500 and (status >= 400 or not one.refused)
    if status >= 400 and not one.headless:
        good = good and b"application/problem+json" in head and bool(json.loads(body)["detail"])
    good = good and b"content-security-policy" in head.lower()
    if any(card != b"--" for card in FACE_DOWN.findall(body)):
        good = False
    for number in HEX.findall(body):
        report.numbers.setdefault(number, time.time())
    if not good:
        report.wrong.append(f"{one.kind}: {status} {body[:300]!r} to {one.data[:600]!r}")


async def _loris(port: int, number: int) -> None:
    """A connection that says something now and then, and never all; a new one when it is cut off."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(b"POST /api/v1/guests HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            if number % 2:
                writer.write(b"Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n")
            while not reader.at_eof():
                writer.write(b"X-Slow: 1\r\n")
                await writer.drain()
                with suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await reader.read(1000)
        except OSError:
            await asyncio.sleep(0.2)
        finally:
            writer.close()
