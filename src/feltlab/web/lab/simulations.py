"""Simulations that a server runs: one at a time, each in a process of its own.

They go on when a browser goes, for a while. Everybody's are dealt in turn, by how many rounds they are.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec import Struct

from feltlab.floor.desk import NotFound
from feltlab.floor.tables.live import Person
from feltlab.lab.dealing_shapes import DealtWager, Report, SheetTable, SimulationJob, SimulationMode
from feltlab.web.http.problems import Problem
from feltlab.web.queues.turns import Asker, Turns
from feltlab.web.streams.following import Follower

MOST_OWN = 5  # of one person that run or wait
MOST_GUEST_ROUNDS = 2_000_000_000  # of one guest, in all that run or wait
MOST_WAITING = 40
MOST_SECONDS, MOST_GUEST_SECONDS = 1800.0, 300.0  # that one may be dealt
UNSEEN_SECONDS = 900.0  # after which one that nobody looks at ends
MOST_KEPT = 100  # that are over
MOST_POINTS = 300
MOST_HISTORY_BYTES = 128 << 10  # as JSON; what has many wagers has fewer points
FEWEST_POINTS = 8
HEARTBEAT = 15.0
LONGEST_LINE = 1 << 20
Status = Literal["waiting", "running", "done", "stopped", "failed"]
OVER: tuple[Status, ...] = ("done", "stopped", "failed")

log = logging.getLogger("feltlab.lab")


class DealtPoint(Struct, frozen=True):
    """A wager's edge and standard error after so many rounds."""

    house_edge: float
    error: float


class DealtSoFar(Struct, frozen=True):
    """How the edges were after so many rounds."""

    dealt: int
    wagers: dict[str, DealtPoint]


class SimulationAnswer(Struct, frozen=True):
    """A simulation: what is dealt, how far it is, what came of it beside the exact figures, and how it came there."""

    id: str
    table: SheetTable
    headline: str
    rounds: int
    dealt: int
    seed: int
    mode: SimulationMode
    spots: int
    rate: float
    status: Status
    why: str
    wagers: list[DealtWager]
    history: list[DealtSoFar]


class _Enough(Exception):
    """A simulation is not dealt to its end; says why."""


class HostedSimulation:
    """A simulation of this server, and those who follow it."""

    def __init__(self, job: SimulationJob, owner: Person) -> None:
        self.id, self.job, self.owner = secrets.token_urlsafe(12), job, owner.id
        self.seconds = MOST_GUEST_SECONDS if owner.kind == "guest" else MOST_SECONDS
        self.followers, self.seen = 0, 0.0  # how many follow it, and when somebody looked
        self.report = Report()
        self.status: Status = "waiting"
        self.history: list[DealtSoFar] = []
        self._encoded: bytes | None = None
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def add(self, report: Report) -> None:
        """News of how far it is. Of many points every second one is forgotten."""
        if report.wagers or not self.report.wagers:
            self.report = report
        points = {
            one.id: DealtPoint(one.house_edge, one.error)
            for one in report.wagers
            if one.house_edge is not None and one.error is not None
        }
        if points:
            if self.history and self.history[-1].dealt == report.dealt:  # the last report says again how far it came
                self.history.pop()
            self.history.append(DealtSoFar(report.dealt, points))
            size = len(msgspec.json.encode(self.history[-1]))
            if len(self.history) > max(FEWEST_POINTS, min(MOST_POINTS, MOST_HISTORY_BYTES // size)):
                del self.history[1:-1:2]
        self.changed()

    def end(self, status: Status, why: str = "") -> None:
        """It is over."""
        self.status = status
        self.report = msgspec.structs.replace(self.report, why=why)
        self.changed()

    def changed(self) -> None:
        """It is another than it was: what was encoded of it is old, and followers look."""
        self._encoded = None
        self.wake()

    def wake(self) -> None:
        """Let followers look."""
        self.news.set()
        self.news = asyncio.Event()

    def answer(self) -> SimulationAnswer:
        """As it is now."""
        asked, report = self.job.asked, self.report
        return SimulationAnswer(
            *(self.id, asked.table, report.headline, asked.rounds, report.dealt, asked.seed, asked.mode, asked.spots),
            *(report.rate, self.status, report.why, report.wagers, self.history),
        )

    def encoded(self) -> bytes:
        """As it is now, as JSON: encoded once for all who look."""
        if self._encoded is None:
            self._encoded = msgspec.json.encode(self.answer())
        return self._encoded


class Simulations:
    """All simulations of a server. They live in its memory, and end with it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: dict[str, HostedSimulation] = {}
        self._turns = Turns(MOST_WAITING)
        self._clock = clock
        self._stopping = False

    def begin(self, job: SimulationJob, person: Person, asker: Asker, headline: str) -> SimulationAnswer:
        """Deal in the person's turn."""
        rounds = job.asked.rounds
        own = [one for one in self._known.values() if one.status not in OVER and one.owner == person.id]
        if len(own) >= MOST_OWN:
            raise Problem(409, "too-many", f"{MOST_OWN} simulations of yours run or wait; stop one, or wait")
        if person.kind == "guest" and sum(one.job.asked.rounds for one in own) + rounds > MOST_GUEST_ROUNDS:
            words = f"a guest has {MOST_GUEST_ROUNDS:,} rounds at a time dealt or waiting; stop a simulation, or wait"
            raise Problem(409, "too-many", words)
        self._turns.check_room(asker, rounds)
        over = [one.id for one in self._known.values() if one.status in OVER]
        for id in over[: max(0, len(over) - MOST_KEPT)]:
            del self._known[id]
        made = HostedSimulation(job, person)
        made.report, made.seen = Report(headline), self._clock()
        self._known[made.id] = made
        made.task = asyncio.create_task(self._run(made, asker))
        return made.answer()

    def find(self, id: str) -> HostedSimulation:
        """A simulation by its id, for whoever knows it and looks at it now."""
        if id not in self._known:
            raise NotFound("there is no such simulation; it may have been forgotten when the server was started again")
        self._known[id].seen = self._clock()
        return self._known[id]

    def of(self, person: Person) -> list[SimulationAnswer]:
        """Somebody's own, the latest first, without how they came there."""
        found = [one for one in reversed(self._known.values()) if one.owner == person.id]
        for one in found:
            one.seen = self._clock()
        return [msgspec.structs.replace(one.answer(), history=[]) for one in found]

    async def end(self, id: str, person: Person) -> SimulationAnswer:
        """Stop a simulation: only who began it may."""
        found = self.find(id)
        if found.owner != person.id:
            raise Problem(403, "not-yours", "only who began a simulation may stop it")
        if found.status not in OVER and found.task is not None:
            found.task.cancel()
            await asyncio.wait([found.task])
        return found.answer()

    async def follow(self, id: str, follower: Follower) -> AsyncIterator[bytes]:
        """How a simulation goes, as server-sent events, until it is over, or the server goes, or the follower may not."""
        found = self.find(id)
        found.followers += 1
        try:
            yield b"retry: 1000\n\n"
            while not follower.ended:
                news, over = found.news, found.status in OVER  # who is slow to listen hears the end all the same
                yield b"event: progress\ndata: %s\n\n" % found.encoded()
                if over or self._stopping:
                    return
                while not news.is_set():
                    try:
                        await asyncio.wait_for(news.wait(), HEARTBEAT)
                    except TimeoutError:
                        yield b": still here\n\n"
        finally:
            found.followers -= 1
            found.seen = self._clock()

    def end_streams(self) -> None:
        """The server goes: nobody is kept waiting."""
        self._stopping = True
        for one in self._known.values():
            one.wake()

    async def stop(self) -> None:
        """End all of them."""
        self.end_streams()
        tasks = [one.task for one in self._known.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, one: HostedSimulation, asker: Asker) -> None:
        try:
            async with self._turns.turn(asker, one.job.asked.rounds):
                self._check_seen(one)
                one.status = "running"
                one.changed()
                program = [sys.executable, "-m", "feltlab.lab.dealing"]
                process = await asyncio.create_subprocess_exec(
                    *program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_LINE
                )
                try:
                    async with asyncio.timeout(one.seconds):
                        await self._listen(one, process)
                finally:
                    await _kill(process)
        except asyncio.CancelledError:
            one.end("stopped")
        except TimeoutError:
            one.end("stopped", f"it was dealt for {one.seconds:g} seconds, which is the most; what was dealt stays")
        except (_Enough, Problem) as error:
            one.end("stopped", str(error))
        except (OSError, msgspec.MsgspecError, ValueError):
            log.warning("a simulation was lost", exc_info=True)
            one.end("failed", "the simulation was lost")

    def _check_seen(self, one: HostedSimulation) -> None:
        if not one.followers and self._clock() - one.seen > UNSEEN_SECONDS:
            raise _Enough(f"nobody looked at it for {UNSEEN_SECONDS / 60:.0f} minutes")

    async def _listen(self, one: HostedSimulation, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(msgspec.json.encode(one.job))
        await process.stdin.drain()
        process.stdin.close()
        done = False
        async for line in process.stdout:
            report = msgspec.json.decode(line, type=Report)
            done = report.done
            if done and report.why:
                one.end("failed", report.why)
                return
            one.add(report)
            if not done:
                self._check_seen(one)
        one.end("done" if done else "failed", "" if done else "the simulation was lost")


async def _kill(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
