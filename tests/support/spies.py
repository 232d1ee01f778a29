"""Spies on everything that a server sends or stores, and checks that nothing in it is secret."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx

from feltlab.cards import name
from feltlab.client import Client, ServiceError
from feltlab.floor.desk import Desk
from feltlab.rounds.events import CardDealt, HoleShown
from feltlab.web import logs
from support.floor.inside import Inside

CARD = re.compile(r"\b[A2-9TJQK][cdhs]\b")
TOKEN = re.compile(r"(?<=^set-cookie: )[^;\n]*", re.MULTILINE | re.IGNORECASE)  # as random as any card: `x-7c-y`
Place = tuple[int, int]  # a table, and the number of a round or a shoe there


class Leak(AssertionError):
    """A secret was leaked."""


class _Overheard(httpx.SyncByteStream):
    def __init__(self, spy: Spy, stream: httpx.SyncByteStream) -> None:
        self._spy, self._stream = spy, stream

    def __iter__(self) -> Iterator[bytes]:
        whole = b""
        for part in self._stream:
            whole += part
            *frames, whole = whole.split(b"\n\n")
            for frame in frames:
                self._spy.hear(frame)
            yield part
        self._spy.hear(whole)

    def close(self) -> None:
        self._stream.close()


class _Transport(httpx.HTTPTransport):
    """Records every byte of every answer."""

    def __init__(self, spy: Spy) -> None:
        super().__init__()
        self._spy = spy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        self._spy.hear(b"\n".join(b"%s: %s" % pair for pair in answer.headers.raw))
        answer.stream = _Overheard(self._spy, answer.stream)  # type: ignore[arg-type]
        return answer


class _Lines(logging.Handler):
    def __init__(self, spy: Spy) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logs.Lines())
        self._spy = spy

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("http"):  # what the tests' own client says
            self._spy.hear(self.format(record).encode())


class Spy:
    """Listens to clients, to the log and at the disk, and knows the truth from the server's own memory.

    `look` is for quiet moments: whatever was heard up to then must be covered by what lies face up then.
    """

    def __init__(self, server: Inside) -> None:
        self.server = server
        self.heard: list[bytes] = []
        self.messages = 0
        self.seen: dict[Place, Counter[str]] = {}  # cards that lie, or lay, face up in a round
        self.secret: dict[Place, Any] = {}  # shoes that are not revealed
        self._about: dict[int, Any] = {}
        self._lock = threading.Lock()
        self._lines = _Lines(self)

    def __enter__(self) -> Spy:
        self._level = logging.getLogger().level
        logging.getLogger().addHandler(self._lines)
        logging.getLogger().setLevel(logging.DEBUG)
        return self

    def __exit__(self, *error: object) -> None:
        logging.getLogger().removeHandler(self._lines)
        logging.getLogger().setLevel(self._level)

    def client(self) -> Client:
        """Somebody whose every answer is overheard."""
        return Client(self.server.url, transport=_Transport(self))

    def hear(self, said: bytes) -> None:
        with self._lock:
            self.heard.append(said)

    # ---- the truth

    def look(self, *tables: int) -> None:
        """Learn what may be known now, and check everything that was heard since the last look."""
        for table in tables:
            self.server.at_desk(lambda desk, table=table: self._learn(desk, table))
        with self._lock:
            heard, self.heard = self.heard, []
        for said in heard:
            self.messages += 1
            self._check(said)
        self._check_disk(tables)

    def _learn(self, desk: Desk, table: int) -> None:
        live = desk.look(table)
        round_ = live.round or live.last
        if round_ is not None:
            dealt = [event.card for event in round_.log if isinstance(event, CardDealt) and event.face_up]
            turned = [event.card for event in round_.log if isinstance(event, HoleShown)]
            self.seen[table, live.state.round] = Counter(map(name, [*dealt, *turned]))
        for place in [place for place in self.secret if place[0] == table]:
            if place[1] < live.state.shoe or live.state.closed:
                del self.secret[place]
        if not live.state.closed:
            self.secret[table, live.state.shoe] = live.secret

    # ---- what may not be heard

    def _check(self, said: bytes) -> None:
        self._check_secrets(said)
        text = TOKEN.sub("", said.decode(errors="replace"))
        data = [line[6:] for line in text.splitlines() if line.startswith("data: ")] or [text]
        for one in data:
            try:
                self._walk(json.loads(one))
            except ValueError:  # headers, metrics
                if found := CARD.findall(one):
                    raise Leak(f"{found} in {one[:200]}") from None

    def _check_secrets(self, said: bytes) -> None:
        for place, secret in self.secret.items():
            for digits in (secret.order, secret.reserve):
                number = int(digits, 16)
                if digits[8:40].encode() in said or str(number)[8:40].encode() in said:
                    raise Leak(f"the secret of shoe {place} in {said[:200]!r}")
                if number.to_bytes(len(digits) // 2 + 1, "big")[8:24] in said:
                    raise Leak(f"the secret of shoe {place} in bytes")

    def _walk(self, message: Any) -> None:
        match message:
            case {"about": about, "now": now}:
                if self._about.setdefault(now["table"], about) != about:
                    raise Leak("what is said about a table changes with its cards")
                self._now(now)
            case {"table": table, "events": events, "seq": _, "round": number, **more}:
                self._events(table, number, events)
                if more.get("now"):
                    self._now(more["now"])
            case {"table": _, "seats": _, "shoe": _}:
                self._now(message)
            case {"id": id, "steps": steps, "told": told}:
                table, number = map(int, id.split("-"))
                for step in steps:
                    self._events(table, number, step["events"])
                self._covered((table, number), told, message)
            case {"type": _, "status": _, "detail": detail, "instance": path, **more}:
                table = re.match(r"/api/v1/tables/(\d+)", path)
                place = max((place for place in self.seen if table and place[0] == int(table[1])), default=(0, 0))
                self._covered(place, [detail, more], message)
            case [*several]:
                for one in several:
                    self._nothing(one)
            case _:
                self._nothing(message)

    def _now(self, now: dict[str, Any]) -> None:
        round_ = now["round"]
        self._nothing({**now, "round": None})
        if round_ is None:
            return
        self._covered((now["table"], round_["number"]), round_, now)
        dealer = round_["dealer"]
        if dealer:
            shown = [card for card in dealer["cards"] if card != "--"]
            if dealer["total"] != total(shown):
                raise Leak(f"the dealer's total is of more cards than are seen: {dealer}")

    def _events(self, table: int, number: int | None, events: list[Any]) -> None:
        cards = [event for event in events if event["event"] in ("card", "hole")]
        others = [event for event in events if event["event"] not in ("card", "hole", "reveal")]
        for event in cards:
            if event["event"] == "card" and not event["face_up"] and event["card"] != "--":
                raise Leak(f"a card that lies face down has a name: {event}")
        self._covered((table, number or 0), cards, events)
        self._nothing(others)

    def _covered(self, place: Place, said: Any, message: Any) -> None:
        """Cards in what was said lie face up in that round. Words may name a card twice: with its hand, and when it was dealt."""
        found = Counter(cards_in(said))
        seen = self.seen.get(place, Counter())
        if isinstance(said, list) and said and isinstance(said[0], str):
            found = Counter(set(found))
        if not found <= seen:
            raise Leak(f"{list((found - seen).elements())} of round {place} is not seen yet, but in {message}")

    def _nothing(self, said: Any) -> None:
        if found := list(cards_in(said)):
            raise Leak(f"{found} in {said}")

    def _check_disk(self, tables: tuple[int, ...]) -> None:
        """The database without its key: its files hold no secret, and its rows tell what was told."""
        for path in self.server.folder.glob("felt.db*"):
            self._check_secrets(path.read_bytes())
        engine = self.server.services.engine
        with engine.connect() as db:
            rows = db.exec_driver_sql(
                "SELECT table_id, round, events, moves, command FROM steps ORDER BY seq DESC LIMIT 12"
            )
            for table, number, events, moves, command in rows:
                self._events(table, number, json.loads(events))
                self._nothing([json.loads(moves), json.loads(command)])
            for (state,) in db.exec_driver_sql("SELECT state FROM tables"):
                self._nothing(json.loads(state))


def cards_in(said: Any) -> Iterator[str]:
    """The names of cards in any text of a message."""
    if isinstance(said, str):
        yield from CARD.findall(said)
    elif isinstance(said, dict):
        for key, value in said.items():
            yield from CARD.findall(key)
            yield from cards_in(value)
    elif isinstance(said, list | tuple):
        for value in said:
            yield from cards_in(value)


def total(cards: list[str]) -> int:
    """What cards are worth at blackjack."""
    points = ["A23456789TJQK".index(card[0]) + 1 for card in cards]
    hard = sum(min(point, 10) for point in points)
    return hard + 10 if 1 in points and hard <= 11 else hard


def refused(act: Any, *arguments: Any) -> None:
    """Try what cannot be: its refusal is overheard too."""
    try:
        act(*arguments)
    except ServiceError:
        return
    raise AssertionError("it was not refused")
