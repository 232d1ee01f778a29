"""What many ask for at once is found for all of them together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")
PAUSE_SECONDS = 0.2


class Together(Generic[T]):
    """An answer that is the same for everybody, and never older than the question.

    However many ask, it is found at most once in a pause: who comes meanwhile waits for the next one. After a quiet
    moment it is found at once.
    """

    def __init__(self, find: Callable[[], Awaitable[T]], pause: float = PAUSE_SECONDS) -> None:
        self._find, self._pause = find, pause
        self._not_before = 0.0
        self._next: asyncio.Task[T] | None = None

    async def ask(self) -> T:
        """The answer."""
        if self._next is None:
            self._next = asyncio.create_task(self._find_next())
        return await asyncio.shield(self._next)

    async def _find_next(self) -> T:
        await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
        self._next, self._not_before = None, time.monotonic() + self._pause
        return await self._find()
