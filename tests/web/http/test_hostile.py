"""A hundred thousand hostile requests at tables where honest players play: nothing is lost, leaked or 500.

`make test` sends a part of them; FELTLAB_SOAK=1 all. With `-s`, or in the soak, it says in the end what was sent.
"""

import asyncio
import sys
import threading
from urllib.parse import urlparse

import httpx
import msgspec
import pytest
from sqlalchemy import select

from feltlab.client import Client, ServiceError
from feltlab.client.bot import Bot, default_stakes
from feltlab.floor.ledger.checking import check
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import read_key
from feltlab.floor.storage.read_only import open_read_only
from feltlab.web.settings import Patience
from support.floor.attacker import Attacker, Honest, Line, Report, Somebody, attack
from support.floor.inside import Inside
from support.postgres import PATIENT
from support.service.servers import SHEETS, Server
from support.soak import SOAK, soak

MANY = {"sqlite": soak(110_000, 4_000), "postgresql": soak(25_000, 1_000)}
CHIPS = 50_000_000
LEAST_ROUNDS = 3
PASSWORD = "the password of an honest player"


class Player(Client):
    """An honest player, whose every change the attacker overhears, and who counts what goes wrong."""

    def __init__(self, url, overheard):
        super().__init__(url, patience=0)
        self.overheard, self.wrong, self.asked = overheard, [], 0

    def request(self, method, path, body=None, headers=None):
        self.asked += 1
        try:
            answer = super().request(method, path, body, headers)
        except Exception as error:
            self.wrong.append(f"{method} {path}: {error}")
            raise
        if headers and len(self.overheard) < 2000:
            content = msgspec.json.encode(body) if body is not None else b""
            who = Somebody(self._http.cookies["feltlab_session"], self._csrf)
            self.overheard.append(Honest(method, f"/api/v1{path}", content, headers["Idempotency-Key"], who))
        return answer


class Honestly(threading.Thread):
    """Plays at a table of its own until told to stop."""

    def __init__(self, server, table, number, overheard, over):
        super().__init__(name=f"honest {number}")
        self.client = Player(server.url, overheard)
        self.client.register(f"Honest {number}", PASSWORD)
        self.client.buy_chips(CHIPS)
        about = self.client.table(table)["about"]
        self.seat = self.client.sit(table, [1, 2], CHIPS)
        self.bot = Bot(self.seat, about, default_stakes(about, 100, 50))
        self.table, self.over, self.rounds = table, over, 0

    def run(self):
        try:
            while not self.over.is_set() or self.rounds < LEAST_ROUNDS:
                self.rounds += self.bot.play(1, patience=PATIENT)
        except ServiceError:
            pass  # it is among what went wrong


def sessions(server, table, many):
    """Sessions of the attacker's own, with some chips, and two of them with seats at a table."""
    found = []
    for number in range(many):
        with Client(server.url).guest() as guest:
            guest.buy_chips(10_000)
            if number < 2:
                guest.sit(table, [6 + number], 1000)
            found.append(Somebody(guest._http.cookies["feltlab_session"], guest._csrf))
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request, tmp_path):
    url = (
        f"sqlite:///{tmp_path / 'felt.db'}" if request.param == "sqlite" else request.getfixturevalue("new_postgres")()
    )
    with Server(url, tmp_path, sheets=(), writes=1_000_000, arguments=["--log-level", "debug"]) as found:
        yield found


def open_tables(server):
    """A table of each sheet with places for one honest player, whose shoes are soon over; and one for everybody."""
    short = {"decks": 6, "behind_cut": 230, "decision_seconds": 2, "betting_seconds": 1}
    wishes = [*({"sheet": sheet, "seats": 2, **short} for sheet in SHEETS), {"sheet": SHEETS[0], **short}]
    with Client(server.url).log_in("house", server.house_password) as house:
        return [house.change("POST", "/tables", wish)["about"]["id"] for wish in wishes]


def test_hostile_requests_disturb_nobody(server, tmp_path, capsys):
    port, tables, many = urlparse(server.url).port, open_tables(server), MANY[server.db.partition(":")[0]]
    overheard, over = [], threading.Event()
    players = [Honestly(server, table, number, overheard, over) for number, table in enumerate(tables[:3])]
    own = sessions(server, tables[3], 6)
    for player in players:
        player.start()
    try:
        report = asyncio.run(attack(port, Attacker(many, tables, tables[:3], own, overheard), many))
        report.kinds += asyncio.run(guess_passwords(port, many // 1000, report))
    finally:
        over.set()
        for player in players:
            player.join(PATIENT)
    say(capsys, server, report, players)
    assert not report.wrong, "\n".join(report.wrong[:10])
    assert not [status for status in report.statuses if status.startswith("5")]
    assert report.sent >= many
    for player in players:
        check_player(player)
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    for player in players:
        player.client.close()
    assert server.stop() == 0
    check_database(server, tmp_path, report)
    check_log(server, tmp_path, own, players, many)


async def guess_passwords(port, many, report):
    """Names and passwords that are wrong."""
    sent, line = Report(), Line(port)
    for number in range(many):
        name = ["house", "Honest 1", "nobody", "\\u0000", "' OR 1=1 --"][number % 5]
        body = b'{"name":"%s","password":"guess %d"}' % (name.encode(), number)
        head = "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        await line.send(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        status, _, said = await line.answer()
        report.statuses[str(status)] += 1
        sent.kinds["guessed passwords"] += 1
        if status not in (401, 429):
            report.wrong.append(f"guessed password: {status} {said!r}")
    await line.close()
    return sent.kinds


def say(capsys, server, report, players):
    """What was sent, for docs/soak.md."""
    asked, rounds = sum(player.client.asked for player in players), sum(player.rounds for player in players)
    wrong = sum(len(player.client.wrong) for player in players)
    lines = [server.db.partition(":")[0], *report.lines()]
    lines += [f"honest players: {asked:,} requests in {rounds:,} rounds, {wrong} not answered as they should be"]
    if SOAK:
        with capsys.disabled():
            sys.stdout.write("\n".join(["", *lines, ""]))


def check_player(player):
    """Everything was answered as it should be, every round is there, and every cent."""
    assert not player.client.wrong, player.client.wrong[:5]
    assert player.rounds >= LEAST_ROUNDS
    lines = player.client.rounds(100)
    assert len(lines) == min(player.rounds, 100)
    numbers = [int(line["id"].partition("-")[2]) for line in lines]
    assert numbers == sorted(numbers, reverse=True)
    if player.rounds <= 100:
        assert player.seat.look() and player.seat.chips == CHIPS + sum(line["back"] - line["stake"] for line in lines)


def check_database(server, tmp_path, report):
    """The ledger holds, nobody's chips are gone, and no shoe's numbers were seen before it was over."""
    seal = read_key(server.db, tmp_path / "feltlab.key")
    with open_read_only(server.db) as db:
        checked = check(db)
        assert checked.players + checked.floats + checked.house == checked.bought_in >= 3 * CHIPS
        shoes = db.execute(select(schema.shoes)).all()
        tables = db.execute(select(schema.tables.c.id)).scalars().all()
        houses = db.execute(select(schema.people.c.name).where(schema.people.c.kind == "house")).scalars().all()
    assert len(tables) == 4 and houses == ["house"], "nobody opened a table or became the house"
    assert len(shoes) >= 4
    for shoe in shoes:
        secret = seal.open(shoe.sealed, f"{shoe.table_id}-{shoe.number}")
        for digits in (secret.order, secret.reserve):
            first = report.numbers.get(digits.encode())
            if first is not None:
                assert shoe.revealed_at is not None and first * 1000 >= shoe.revealed_at - 1


def check_log(server, tmp_path, own, players, many):
    """It tells of requests, and of nothing that is a secret."""
    log = server.errors.read_text(errors="replace")
    assert log.count('"message":"answered"') > many // 2
    assert "Traceback" not in log and '"level":"error"' not in log
    sessions_ = [*own, *(Somebody(one.client._http.cookies["feltlab_session"], one.client._csrf) for one in players)]
    secrets = [PASSWORD, server.house_password, "$argon2", (tmp_path / "feltlab.key").read_text().strip()]
    for secret in [*secrets, *(part for one in sessions_ for part in (one.cookie, one.csrf))]:
        assert secret not in log


def test_slow_connections_are_let_go(tmp_path):
    """Hundreds of connections that never finish their request hold nobody up, and are closed in the end."""

    async def hold(port, many):
        lines = []
        for _ in range(many):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
            lines.append((reader, writer))
        async with httpx.AsyncClient() as web:
            for _ in range(20):
                async with asyncio.timeout(PATIENT):
                    assert (await web.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200
        for reader, writer in lines:
            async with asyncio.timeout(PATIENT):
                assert b" 408 " in await reader.read()
            writer.close()

    with Inside(tmp_path, patience=Patience(head=5.0), connections_by_address=400) as server:
        asyncio.run(hold(urlparse(server.url).port, 300))
