"""Exact figures for the books, counted in a process of its own: they take far longer than an answer may."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from feltlab.floor.ledger.expected_win import ANY, Expected, ExpectedQuery

SECONDS = 300.0  # that the figures of one table may take
MOST_KEPT = 256  # tables whose figures are remembered
PATIENCE = 4.0  # seconds that an answer waits for figures; then it goes without those that are missing

log = logging.getLogger("feltlab.figures")
Answer = dict[str, Expected]


class Figuring:
    """Has questions counted, one after another and none for long, and remembers the last answers."""

    def __init__(self) -> None:
        self._asked: OrderedDict[ExpectedQuery, asyncio.Task[Answer]] = OrderedDict()
        self._one = asyncio.Semaphore(1)

    async def find(self, questions: Iterable[ExpectedQuery]) -> dict[ExpectedQuery, Answer]:
        """What is known of these questions, after a moment's wait for those that are being counted."""
        tasks: dict[ExpectedQuery, asyncio.Task[Answer]] = {}
        for question in questions:
            task = self._asked.pop(question, None) or asyncio.create_task(self._count(question))
            self._asked[question] = tasks[question] = task
        done = [question for question, task in self._asked.items() if task.done() and question not in tasks]
        for question in done[: max(0, len(self._asked) - MOST_KEPT)]:
            del self._asked[question]
        if tasks:
            await asyncio.wait(tasks.values(), timeout=PATIENCE)
        return {question: task.result() for question, task in tasks.items() if task.done() and not task.cancelled()}

    async def stop(self) -> None:
        """Count no more."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def _count(self, question: ExpectedQuery) -> Answer:
        async with self._one:
            program = [sys.executable, "-m", "feltlab.floor.ledger.expected_win"]
            process = await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            try:
                async with asyncio.timeout(SECONDS):
                    told, _ = await process.communicate(msgspec.json.encode(question))
                return msgspec.json.decode(told, type=Answer)
            except TimeoutError:
                return {ANY: Expected(note=f"its exact figures take longer than {SECONDS:g} seconds to count")}
            except (msgspec.MsgspecError, OSError) as error:
                log.warning("exact figures could not be counted: %s", error)
                return {ANY: Expected(note="its exact figures could not be counted")}
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
