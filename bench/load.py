"""Load: tables full of bots, each acting every two seconds; then faster, until the slowest answers take too long.

    python bench/load.py                      SQLite in a temporary folder
    python bench/load.py --db postgresql://…  another database, which must be empty
    python bench/load.py --postgres           a PostgreSQL server of its own

Server and bots share the machine. Each bot has a connection for what it asks and follows its table's stream on another.
Actions are sent on a fixed schedule, and an answer's time counts from when its request was due, so that a slow server
cannot slow the clock that measures it. `server ms` and `bots ms` are processor time for an action, all included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.postgres import running
from support.service.servers import SHEETS, Server

GOAL_SECONDS = 0.100
BOTS = 5  # at each table


class SeatNow(msgspec.Struct):
    name: str
    ready: bool
    away: bool


class Waits(msgspec.Struct):
    kind: str
    turn: str
    spot: int
    actions: tuple[str, ...]


class BetNow(msgspec.Struct):
    spot: int


class RoundNow(msgspec.Struct):
    step: str
    bets: list[BetNow]


class TableNow(msgspec.Struct):
    seats: list[SeatNow]
    waits: Waits | None
    round: RoundNow | None


class Answer(msgspec.Struct):
    now: TableNow


decode = msgspec.json.Decoder(Answer).decode


@dataclass
class Bot:
    """A connection with a session, and the number of its spot."""

    port: int
    spot: int
    cookie: str = ""
    csrf: str = ""
    sent: int = 0
    frames: int = 0
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """A request on the bot's own connection, with a key of its own."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        assert self.reader is not None
        self.sent += 1
        content = b"" if body is None else msgspec.json.encode(body)
        self.writer.write(
            (
                f"{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n"
                f"X-CSRF-Token: {self.csrf}\r\nIdempotency-Key: load-{id(self)}-{self.sent}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
            ).encode()
            + content
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if b"set-cookie: " in head:
            self.cookie = head.partition(b"set-cookie: ")[2].partition(b";")[0].decode()
        return int(head[9:12]), await self.reader.readexactly(length)

    async def follow(self, table: int) -> None:
        """Read the table's stream until the connection ends."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(
            f"GET /api/v1/tables/{table}/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Cookie: {self.cookie}\r\n\r\n".encode()
        )
        try:
            while data := await reader.read(65536):
                self.frames += data.count(b"\nevent: ")
        finally:
            writer.close()

    def close(self) -> None:
        """Hang up."""
        if self.writer is not None:
            self.writer.close()


@dataclass
class Times:
    """How long answers took, and how many were not what they should be."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def part(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class TableDriver:
    """A table and its bots: whoever is next acts."""

    def __init__(self, table: int, sheet: str, bots: list[Bot]) -> None:
        self.table, self.sheet, self.bots = table, sheet, bots
        self.now: TableNow | None = None
        main = "player" if "baccarat" in sheet else "main"
        self.bets = {main: 1000, "big-slick" if "slick" in sheet else "bad-beat": 500}

    async def sit(self) -> None:
        for bot in self.bots:
            status, body = await bot.ask("POST", "/guests")
            assert status == 201, body
            bot.csrf = json.loads(body)["csrf"]
            await bot.ask("POST", "/me/chips", {"amount": 100_000_000})
            status, body = await bot.ask(
                "POST", f"/tables/{self.table}/seat", {"spots": [bot.spot], "chips": 100_000_000}
            )
            assert status == 200, body
            self.now = decode(body).now

    async def act(self) -> tuple[int, bytes]:
        """The next action that moves the table on."""
        assert self.now is not None
        waits, path = self.now.waits, f"/tables/{self.table}"
        assert waits is not None
        if waits.kind != "bets":
            action = self._choose(waits)
            body = {"turn": waits.turn, "spot": waits.spot, "action": action}
            return await self.bots[waits.spot - 1].ask("POST", f"{path}/moves", body)
        open_ = self.now.round is not None and self.now.round.step != "over"
        laid = {bet.spot for bet in self.now.round.bets} if open_ and self.now.round else set()
        for bot in self.bots:
            if bot.spot not in laid:
                return await bot.ask("PUT", f"{path}/bets", {"spot": bot.spot, "bets": self.bets})
        for bot, seat in zip(self.bots, self.now.seats, strict=True):
            if not seat.ready:
                return await bot.ask("POST", f"{path}/deal")
        raise AssertionError("everybody is ready, and nothing was dealt")

    @staticmethod
    def _choose(waits: Waits) -> str:
        if waits.kind == "insurance":
            return "decline"
        return random.choices(waits.actions, [4 if action == "stand" else 2 for action in waits.actions])[0]

    async def run(self, each: float, until: float, times: Times) -> None:
        """Act on schedule until time is up."""
        due = time.perf_counter() + random.random() * each
        while due < until:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            status, body = await self.act()
            times.seconds.append(time.perf_counter() - due)
            if status == 200:
                self.now = decode(body).now
            else:
                times.errors.append(body.decode())
            due += each


async def open_tables(server: Server, count: int) -> list[TableDriver]:
    """So many tables of all three sheets in turn."""
    house = Bot(server.port, 0)
    status, body = await house.ask("POST", "/sessions", {"name": "house", "password": server.house_password})
    assert status == 201, body
    house.csrf = json.loads(body)["csrf"]
    drivers = []
    for place in range(count):
        sheet = SHEETS[place % len(SHEETS)]
        status, body = await house.ask("POST", "/tables", {"sheet": sheet, "decision_seconds": 600})
        assert status == 201, body
        bots = [Bot(server.port, spot + 1) for spot in range(BOTS)]
        drivers.append(TableDriver(json.loads(body)["about"]["id"], sheet, bots))
    house.close()
    return drivers


@contextlib.asynccontextmanager
async def seated(server: Server, tables: int, *, followed: bool = True) -> AsyncIterator[list[TableDriver]]:
    """Tables with bots that follow them, if wanted."""
    drivers = await open_tables(server, tables)
    for driver in drivers:
        await driver.sit()
    following = [asyncio.create_task(bot.follow(driver.table)) for driver in drivers if followed for bot in driver.bots]
    try:
        yield drivers
    finally:
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        for driver in drivers:
            for bot in driver.bots:
                bot.close()
        await asyncio.sleep(0.1)  # for the connections to end


async def drive(drivers: list[TableDriver], rate: float, seconds: float) -> Times:
    """So many actions a second, all tables together."""
    times, each = Times(), len(drivers) / rate
    until = time.perf_counter() + seconds
    await asyncio.gather(*(driver.run(each, until, times) for driver in drivers))
    return times


def processor(server: Server) -> float:
    """The processor time that the server has used, in seconds."""
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def line(rate: float, seconds: float, times: Times, used: float, own: float) -> str:
    """A row of the table that is printed."""
    done = len(times.seconds) / seconds
    each = f"{1000 * used / len(times.seconds):9.2f}  {1000 * own / len(times.seconds):7.2f}"
    shown = "  ".join(f"{1000 * times.part(share):8.1f}" for share in (0.5, 0.95, 0.99))
    return f"{rate:8.0f}  {done:9.0f}  {shown}  {len(times.errors):7}  {each}"


async def measure(server: Server, tables: int, seconds: float, rates: list[float], followed: bool) -> float:
    """Print the times at each rate, until one is too fast; gives the highest that held."""
    held = 0.0
    async with seated(server, tables, followed=followed) as drivers:
        await drive(drivers, rates[0], min(seconds, 5.0))  # warm
        print(
            f"{tables} tables, {tables * BOTS} bots\n  wanted  actions/s   p50 ms    p95 ms    p99 ms   errors  server ms  bots ms"
        )
        for rate in rates:
            used, own = processor(server), time.process_time()
            times = await drive(drivers, rate, seconds)
            used, own = processor(server) - used, time.process_time() - own
            print(line(rate, seconds, times, used, own), flush=True)
            for error in times.errors[:3]:
                print("   ", error)
            if times.part(0.99) > GOAL_SECONDS or times.errors:
                break
            held = rate
        frames = sum(bot.frames for driver in drivers for bot in driver.bots)
        print(
            f"highest rate that held p99 under {1000 * GOAL_SECONDS:.0f} ms: {held:.0f}; {frames} frames were streamed"
        )
    return held


def main() -> None:
    """The command."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--db", help="an empty database")
    given.add_argument("--postgres", action="store_true", help="start a PostgreSQL server")
    given.add_argument("--no-streams", action="store_true", help="bots do not follow their tables")
    given.add_argument("--tables", type=int, default=100)
    given.add_argument("--seconds", type=float, default=15.0)
    given.add_argument("--rates", default="250,500,750,1000,1250,1500,2000")
    options = given.parse_args()
    rates = [float(rate) for rate in options.rates.split(",")]
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        db = options.db or (stack.enter_context(running()) if options.postgres else f"sqlite:///{folder / 'load.db'}")
        alone = ["--connections", "10000"]  # all bots have one address
        server = stack.enter_context(Server(db, folder, sheets=(), arguments=alone))
        print(f"database: {db.partition(':')[0]}")
        uvloop.run(measure(server, options.tables, options.seconds, rates, not options.no_streams))


if __name__ == "__main__":
    main()
