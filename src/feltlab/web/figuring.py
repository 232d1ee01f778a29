"""Exact figures for the books, counted in a process of its own: they take far longer than an answer may."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable

import msgspec

from feltlab.floor.expecting import Expected, Question

PATIENCE = 4.0  # seconds that an answer waits for figures; then it goes without those that are missing

log = logging.getLogger("feltlab.figures")
Answer = dict[str, Expected]


class Figuring:
    """Has questions counted, one after another, and remembers the answers."""

    def __init__(self) -> None:
        self._asked: dict[Question, asyncio.Task[Answer]] = {}
        self._one = asyncio.Semaphore(1)

    async def find(self, questions: Iterable[Question]) -> dict[Question, Answer]:
        """What is known of these questions, after a moment's wait for those that are being counted."""
        for question in questions:
            if question not in self._asked:
                self._asked[question] = asyncio.create_task(self._count(question))
        tasks = {question: self._asked[question] for question in questions}
        if tasks:
            await asyncio.wait(tasks.values(), timeout=PATIENCE)
        return {question: task.result() for question, task in tasks.items() if task.done() and not task.cancelled()}

    async def stop(self) -> None:
        """Count no more."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def _count(self, question: Question) -> Answer:
        async with self._one:
            program = [sys.executable, "-m", "feltlab.floor.expecting"]
            process = await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            try:
                said, _ = await process.communicate(msgspec.json.encode(question))
                return msgspec.json.decode(said, type=Answer)
            except (msgspec.MsgspecError, OSError) as error:
                log.warning("exact figures could not be counted: %s", error)
                return {}
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
