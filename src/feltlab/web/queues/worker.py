"""The desk's own thread: what waits is taken together, carried out in one transaction, and answered together."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from feltlab.floor.desk import Desk, Job, JobResult
from feltlab.floor.house.config import NotSetUp
from feltlab.floor.storage.database import Unavailable

T = TypeVar("T")
log = logging.getLogger("feltlab.service")
MOST_AT_ONCE = 64
MOST_WAITING = 2000
PACE_SECONDS = 0.008  # between two transactions when they follow on each other: more commands share each


@dataclass
class _DeskTask:
    """Something for the desk, and who waits for it."""

    ask: Job | Callable[[Desk], Any]
    answer: asyncio.Future[Any]


class Worker:
    """Takes errands from the event loop to the desk and the answers back.

    What needs a table of a user's sheet that is not set up has it set up, elsewhere, and is then asked again.
    """

    def __init__(
        self, desk: Desk, tell: Callable[[list[JobResult]], None], set_up: Callable[[NotSetUp], Awaitable[None]]
    ) -> None:
        self.desk, self._set_up = desk, set_up
        self._tell = tell
        self._waiting: queue.SimpleQueue[_DeskTask | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)
        self._thread.start()

    async def do(self, job: Job) -> JobResult:
        """A command for a table; its error is raised."""
        outcome: JobResult = await self._put(job)
        if isinstance(outcome.error, NotSetUp):
            await self._set_up(outcome.error)
            outcome = await self._put(job)
        if outcome.error:
            raise outcome.error
        return outcome

    async def plain(self, act: Callable[[Connection, int], T]) -> T:
        """Something else that writes, in a transaction of its own."""
        return await self.ask(lambda desk: desk.plain(act))

    async def ask(self, act: Callable[[Desk], T]) -> T:
        """Anything else that the desk can do."""
        try:
            found: T = await self._put(act)
        except NotSetUp as missing:
            await self._set_up(missing)
            found = await self._put(act)
        return found

    async def stop(self) -> None:
        """Finish what has been asked, then end."""
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)

    @property
    def waiting(self) -> int:
        """How many errands wait."""
        return self._waiting.qsize()

    def _put(self, ask: Job | Callable[[Desk], Any]) -> asyncio.Future[Any]:
        if self._waiting.qsize() > MOST_WAITING:
            raise Unavailable("too much is asked of this server at once; try again in a moment")
        answer = self._loop.create_future()
        self._waiting.put(_DeskTask(ask, answer))
        return answer

    def _work(self) -> None:
        next_at = 0.0
        while (errands := self._take(next_at)) is not None:
            next_at = time.monotonic() + PACE_SECONDS
            done: list[tuple[asyncio.Future[Any], Any, Exception | None]] = []
            jobs = [errand for errand in errands if isinstance(errand.ask, Job)]
            outcomes = self.desk.run([errand.ask for errand in jobs]) if jobs else []  # type: ignore[misc]
            done += [(errand.answer, outcome, None) for errand, outcome in zip(jobs, outcomes, strict=True)]
            for errand in errands:
                if not isinstance(errand.ask, Job):
                    try:
                        done.append((errand.answer, errand.ask(self.desk), None))
                    except Exception as error:  # it is the asker's
                        done.append((errand.answer, None, error))
            self._loop.call_soon_threadsafe(self._deliver, outcomes, done)

    def _take(self, not_before: float) -> list[_DeskTask] | None:
        """All that waits, up to a limit; None at the end. What comes after a quiet moment is taken at once."""
        first = self._waiting.get()
        if first is None:
            return None
        time.sleep(max(0.0, not_before - time.monotonic()))
        errands = [first]
        while len(errands) < MOST_AT_ONCE:
            try:
                more = self._waiting.get_nowait()
            except queue.Empty:
                break
            if more is None:
                self._waiting.put(None)  # first what came before the end
                break
            errands.append(more)
        return errands

    def _deliver(
        self, outcomes: list[JobResult], done: list[tuple[asyncio.Future[Any], Any, Exception | None]]
    ) -> None:
        try:
            self._tell(outcomes)
        except Exception:  # whoever asked is answered all the same; who follows will see the next step
            log.exception("telling of steps failed")
        for answer, result, error in done:
            if answer.cancelled():
                continue
            if error:
                answer.set_exception(error)
            else:
                answer.set_result(result)
