"""The lab's workers: processes that figure things out beside the server, so that no table waits for them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from contextlib import suppress
from typing import Literal

import msgspec

from feltlab.lab.limits import WorkerLimits
from feltlab.lab.questions import Answered, LabQuestion, Told, read_told
from feltlab.memory import BoundedCache
from feltlab.web.http.limits import Buckets
from feltlab.web.http.problems import RETRY_SECONDS, Problem
from feltlab.web.queues.turns import Asker, Turns

SECONDS = 60.0  # that a question may take
MOST_KEPT_BYTES = 32 << 20  # of answers
MOST_WAITING = 60
MOST_ASKED = 8  # questions of one person that wait at a time
LONGEST_ANSWER = 1 << 24
NOBODY = Asker("nobody", 0)

log = logging.getLogger("feltlab.lab")
Lane = Literal["counted", "played", "coach", "long"]


class LabWorker:
    """One process, which answers one question at a time. It is started when it is needed, and again when it is lost.

    It limits itself (`feltlab.lab.limits`), and says when it has grown so large that another should go on.
    """

    def __init__(self, *, warm: bool = False, limits: WorkerLimits | None = None) -> None:
        self._warm = warm
        self._arguments = [msgspec.json.encode(limits or WorkerLimits()).decode(), *(["warm"] if warm else [])]
        self._process: Process | None = None
        self._turns = Turns(MOST_WAITING)
        self.now: bytes | None = None  # what it is being asked

    @property
    def pid(self) -> int | None:
        """The process, if it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    @property
    def waiting(self) -> int:
        """How many questions wait or are being answered."""
        return self._turns.waiting + (self.now is not None)

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
        async with self._turns.turn(NOBODY):
            await self.ready()

    async def ask(self, question: bytes, asker: Asker) -> Told:
        """The answer to a question, in the asker's turn. Who takes too long, or dies over it, is replaced."""
        async with self._turns.turn(asker):
            self.now = question
            try:
                found = await self._tell(question)
            finally:
                self.now = None
            if found.last:
                await self.stop()
                if self._warm:
                    await self.ready()
            return found

    async def _tell(self, question: bytes) -> Told:
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
            words = f"that takes longer than {SECONDS:g} seconds to figure out; ask for less at once"
            raise Problem(422, "too-long", words) from None
        except (OSError, msgspec.MsgspecError, ValueError):
            await self.stop()
            log.warning("a worker of the lab was lost")
            words = "what figures this out was lost, and is started again; ask again"
            raise Problem(503, "lab-lost", words, retry_after=RETRY_SECONDS) from None
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _digest(question: bytes) -> bytes:
    return hashlib.sha256(question).digest()


class Laboratory:
    """The workers, and the answers that they gave last."""

    def __init__(self) -> None:
        self.workers: dict[Lane, LabWorker] = {
            "counted": LabWorker(),
            "played": LabWorker(warm=True),
            "coach": LabWorker(),  # somebody's time to decide runs
            "long": LabWorker(),
        }
        self._kept: BoundedCache[bytes, Told] = BoundedCache(
            MOST_KEPT_BYTES, size=lambda told: len(msgspec.json.encode(told))
        )
        self._asking: dict[bytes, asyncio.Task[Told]] = {}
        self._asked: Counter[Asker] = Counter()
        self._awaited: Counter[bytes] = Counter()  # how many wait for the answer to a question
        self._warming: asyncio.Task[None] | None = None
        self.saves = Buckets(per_second=0.1, at_once=60)  # sheets that one person may have kept
        self.looks = Buckets(per_second=2, at_once=60)  # what is worked out for somebody who only looks

    async def ask(self, lane: Lane, question: LabQuestion, asker: Asker) -> bytes:
        """The answer as JSON; what is wrong with the question is a problem."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())
        asked = msgspec.json.encode(question)
        found = self._kept.get(_digest(asked)) or await self._find(lane, asked, asker)
        if isinstance(found, Answered):
            return bytes(found.answer)
        kind = {"sheet": "sheet", "table": "not-allowed-by-the-sheet", "large": "too-large"}.get(
            found.kind, "not-figured"
        )
        more = {"errors": msgspec.to_builtins(found.errors)} if found.errors else {}
        raise Problem(422, kind, found.problem, **more)

    async def _find(self, lane: Lane, asked: bytes, asker: Asker) -> Told:
        """The answer from a worker: one for all who ask the same meanwhile, and kept for those who ask it again."""
        if self._asked[asker] >= MOST_ASKED:
            raise Problem(429, "too-often", "you have asked much already; wait for the answers", retry_after=1.0)
        if asked not in self._asking:
            self._asking[asked] = task = asyncio.create_task(self.workers[lane].ask(asked, asker))
            task.add_done_callback(lambda done: self._keep(asked, done))
        task = self._asking[asked]
        self._asked[asker] += 1
        self._awaited[asked] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._asked[asker] -= 1
            self._awaited[asked] -= 1
            self._asked, self._awaited = +self._asked, +self._awaited  # forgets who waits for nothing
            if asked not in self._awaited and self.workers[lane].now != asked and not task.done():
                task.cancel()  # nobody waits any more, and it has not begun
                self._asking.pop(asked, None)

    def _keep(self, asked: bytes, task: asyncio.Task[Told]) -> None:
        if self._asking.get(asked) is task:
            del self._asking[asked]
        if not task.cancelled() and task.exception() is None:
            self._kept.put(_digest(asked), task.result())

    async def _warm(self) -> None:
        await asyncio.gather(self.workers["counted"].warm(), self.workers["played"].warm())

    async def stop(self) -> None:
        """End the processes."""
        tasks = [task for task in (*self._asking.values(), self._warming) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self.workers.values()))
