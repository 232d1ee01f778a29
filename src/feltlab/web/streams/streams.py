"""Live updates as server-sent events: one stream a table, which a client takes up again where it lost it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec

from feltlab.floor.desk import JobResult, StepMessage
from feltlab.floor.tables.shapes import Now
from feltlab.web.streams.following import Follower

KEPT = 256  # steps of a table in memory; older ones are read from the database
HEARTBEAT = 15.0
RETRY = b"retry: 1000\n\n"

_encode = msgspec.json.Encoder().encode


def frame(step: StepMessage, now: Now | None = None) -> bytes:
    """A step as an event; the last of several says how the table is now."""
    said: dict[str, object] = {
        "table": step.table,
        "seq": step.seq,
        "at": step.at,
        "round": step.round,
        "events": step.events,
    }
    if now is not None:
        said["now"] = now
    return b"id: %d\nevent: step\ndata: %s\n\n" % (step.seq, _encode(said))


def snapshot(now: Now) -> bytes:
    """A table as it is now, for somebody who has seen nothing yet."""
    return b"id: %d\nevent: now\ndata: %s\n\n" % (now.seq, _encode(now))


class Stream:
    """The last steps of a table, and those who follow them."""

    def __init__(self, seq: int) -> None:
        self.frames: deque[tuple[int, int, bytes]] = deque(maxlen=KEPT)  # first and last step, and their text
        self.seq = seq
        self.followers = 0
        self.news = asyncio.Event()

    def add(self, first: int, last: int, data: bytes) -> None:
        """New steps; those that are known already are not told twice."""
        if last <= self.seq:
            return
        if first > self.seq + 1:
            self.frames.clear()  # steps between are missing here: followers read them from the database
        self.seq = last
        self.frames.append((first, last, data))
        self.wake()

    def wake(self) -> None:
        """Let followers look."""
        self.news.set()
        self.news = asyncio.Event()

    def after(self, seq: int) -> list[bytes] | None:
        """The frames after a step; None if they are no longer, or not all, in memory."""
        if seq >= self.seq:
            return []
        if not self.frames or self.frames[0][0] > seq + 1:
            return None
        return [data for _, last, data in self.frames if last > seq]


Catch = Callable[[int, int], Awaitable[tuple[int, bytes]]]
"""Reads the steps of a table after a step from the database: the last step's number, and all as frames."""


class Streams:
    """All tables' streams of this server."""

    def __init__(self) -> None:
        self._streams: dict[int, Stream] = {}
        self.stopping = asyncio.Event()
        self.beats = 0

    def tell(self, outcomes: list[JobResult]) -> None:
        """Tell followers of steps that have been stored."""
        last = {outcome.step.table: outcome.step.seq for outcome in outcomes if outcome.step and not outcome.again}
        for outcome in outcomes:
            step = outcome.step
            stream = self._streams.get(step.table) if step and not outcome.again else None
            if step and stream and stream.followers:
                stream.add(step.seq, step.seq, frame(step, outcome.now if step.seq == last[step.table] else None))

    @property
    def followed(self) -> dict[int, int]:
        """The tables that somebody follows here, and the last step that they were told of."""
        return {id: stream.seq for id, stream in self._streams.items() if stream.followers}

    @property
    def followers(self) -> int:
        """How many follow tables here."""
        return sum(stream.followers for stream in self._streams.values())

    def add(self, table: int, first: int, last: int, data: bytes) -> None:
        """Steps that another server stored."""
        if table in self._streams:
            self._streams[table].add(first, last, data)

    def follower(self, table: int) -> Follower:
        """Somebody who will follow a table."""

        def wake() -> None:
            if table in self._streams:
                self._streams[table].wake()

        return Follower(wake)

    async def follow(
        self, table: int, seq: int, first: bytes, catch: Catch, follower: Follower
    ) -> AsyncIterator[bytes]:
        """A table's events after a step, as they come, until the client or the server goes, or the follower may not."""
        stream = self._streams.setdefault(table, Stream(seq))
        stream.followers += 1
        try:
            yield RETRY + first
            while not self.stopping.is_set() and not follower.ended:
                news, beats = stream.news, self.beats
                found = stream.after(seq)
                if found is None:
                    seq, data = await catch(table, seq)
                    yield data
                elif found:
                    seq = stream.seq
                    yield b"".join(found)
                else:
                    await news.wait()
                    if self.beats != beats:
                        yield b": still here\n\n"
        finally:
            stream.followers -= 1
            if not stream.followers:
                self._streams.pop(table, None)

    async def beat(self) -> None:
        """Show all followers, now and then, that the line is still there."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            self.beats += 1
            for stream in self._streams.values():
                stream.wake()

    def stop(self) -> None:
        """End all streams: the server goes, and clients will find it, or another, again."""
        self.stopping.set()
        for stream in self._streams.values():
            stream.wake()
