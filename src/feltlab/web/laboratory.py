"""The lab's workers: processes that figure things out beside the server, so that no table waits for them."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter, OrderedDict
from contextlib import suppress
from typing import Literal

import msgspec

from feltlab.floor.live import Person
from feltlab.lab.asks import Answered, Question, Told, read_told
from feltlab.web.limits import Buckets
from feltlab.web.problems import RETRY_SECONDS, Problem

SECONDS = 60.0  # that a question may take
MOST_KEPT = 256
MOST_WAITING = 60
MOST_ASKED = 8  # questions of one person that wait at a time
LONGEST_ANSWER = 1 << 24

log = logging.getLogger("feltlab.lab")
Lane = Literal["counted", "played", "coach", "long"]


class LabWorker:
    """One process, which answers one question at a time. It is started when it is needed, and again when it is lost."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._process: Process | None = None
        self._one = asyncio.Lock()
        self.waiting = 0
        self.now: bytes | None = None  # what it is being asked

    @property
    def pid(self) -> int | None:
        """The process, if it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def ready(self) -> Process:
        """The process, running."""
        if self._process is None or self._process.returncode is not None:
            program = [sys.executable, "-m", "feltlab.lab", *self._arguments]
            self._process = await asyncio.create_subprocess_exec(
                *program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_ANSWER
            )
        return self._process

    async def warm(self) -> None:
        """Start the process before it is needed."""
        async with self._one:
            await self.ready()

    async def ask(self, question: bytes) -> Told:
        """The answer to a question. Who takes too long, or dies over it, is replaced."""
        self.waiting += 1
        try:
            async with self._one:
                self.now = question
                process = await self.ready()
                assert process.stdin is not None and process.stdout is not None
                try:
                    process.stdin.write(question + b"\n")
                    async with asyncio.timeout(SECONDS):
                        await process.stdin.drain()
                        line = await process.stdout.readline()
                    return read_told(line)
                except TimeoutError:
                    await self.stop()
                    words = f"that takes longer than {SECONDS:.0f} seconds to figure out; ask for less at once"
                    raise Problem(422, "too-long", words) from None
                except (OSError, msgspec.MsgspecError, ValueError):
                    await self.stop()
                    log.warning("a worker of the lab was lost")
                    words = "what figures this out was lost, and is started again; ask again"
                    raise Problem(503, "lab-lost", words, retry_after=RETRY_SECONDS) from None
                except asyncio.CancelledError:
                    await self.stop()
                    raise
                finally:
                    self.now = None
        finally:
            self.waiting -= 1

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class Laboratory:
    """The workers, and the answers that they gave last."""

    def __init__(self) -> None:
        self.workers: dict[Lane, LabWorker] = {
            "counted": LabWorker(),
            "played": LabWorker("warm"),
            "coach": LabWorker(),  # somebody's time to decide runs
            "long": LabWorker(),
        }
        self._kept: OrderedDict[bytes, asyncio.Task[Told]] = OrderedDict()
        self._asked: Counter[int] = Counter()
        self._awaited: Counter[bytes] = Counter()  # how many wait for the answer to a question
        self._warming: asyncio.Task[None] | None = None
        self.saves = Buckets(per_second=0.1, at_once=60)  # sheets that one person may have kept

    async def ask(self, lane: Lane, question: Question, person: Person | None = None) -> bytes:
        """The answer as JSON; what is wrong with the question is a problem."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())
        who = person.id if person else 0
        if person and self._asked[who] >= MOST_ASKED:
            raise Problem(429, "too-often", "you have asked much already; wait for the answers", retry_after=1.0)
        asked = msgspec.json.encode(question)
        task = self._find(lane, asked)
        self._asked[who] += 1
        self._awaited[asked] += 1
        try:
            found = await asyncio.shield(task)
        finally:
            self._asked[who] -= 1
            self._awaited[asked] -= 1
            self._asked, self._awaited = +self._asked, +self._awaited  # forgets who waits for nothing
            if asked not in self._awaited and self.workers[lane].now != asked:
                if not task.done():  # nobody waits any more, and it has not begun
                    task.cancel()
                    self._kept.pop(asked, None)
        if isinstance(found, Answered):
            return bytes(found.answer)
        kind = {"sheet": "sheet", "table": "not-allowed-by-the-sheet"}.get(found.kind, "not-figured")
        more = {"errors": msgspec.to_builtins(found.errors)} if found.errors else {}
        raise Problem(422, kind, found.problem, **more)

    def _find(self, lane: Lane, question: bytes) -> asyncio.Task[Told]:
        """The task that answers: one for all who ask the same, kept for those who ask it again."""
        known = self._kept.pop(question, None)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            worker = self.workers[lane]
            if worker.waiting >= MOST_WAITING:
                raise Problem(503, "busy", "too much is asked of the lab at once; try again", retry_after=RETRY_SECONDS)
            known = asyncio.create_task(worker.ask(question))
        self._kept[question] = known
        done = [key for key, task in self._kept.items() if task.done()]
        for key in done[: max(0, len(self._kept) - MOST_KEPT)]:
            del self._kept[key]
        return known

    async def _warm(self) -> None:
        await asyncio.gather(self.workers["counted"].warm(), self.workers["played"].warm())

    async def stop(self) -> None:
        """End the processes."""
        tasks = [task for task in (*self._kept.values(), self._warming) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self.workers.values()))
