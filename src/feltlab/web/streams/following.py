"""Who follows what: streams are counted by person and address, and end with the session that they were begun in."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable

from sqlalchemy import Engine
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from feltlab.errors import FeltlabError
from feltlab.floor.desk import clock
from feltlab.floor.people import people
from feltlab.floor.storage.database import reading
from feltlab.web.connections.troubles import Troubles
from feltlab.web.http.problems import Problem
from feltlab.web.settings import Settings

LOOK_SECONDS = 15.0  # how often it is asked whether the sessions of those who follow still last
RETRY_SECONDS = 10.0


class Follower:
    """Somebody who follows a stream. `wake` lets the stream look whether they still may."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.ended = False
        self._wake = wake

    def end(self) -> None:
        """They may not any more."""
        self.ended = True
        self._wake()


class Followers:
    """All who follow streams of this server."""

    def __init__(self, engine: Engine, settings: Settings, troubles: Troubles) -> None:
        self._engine, self._settings, self._troubles = engine, settings, troubles
        self._of: dict[str, set[Follower]] = {}  # by the token of their session; nothing for somebody without one
        self._many: Counter[object] = Counter()

    def enter(self, follower: Follower, scope: Scope) -> None:
        """Somebody begins to follow, unless they follow too much."""
        state = scope["state"]
        for who, most in self._limits(scope):
            if self._many[who] >= most:
                self._troubles.note("streams", state["address"])
                whose = "you follow" if state["person"] and who == state["person"].id else "this address follows"
                words = f"{whose} {most} streams, which is as many as can be; end one first"
                raise Problem(429, "too-many", words, retry_after=RETRY_SECONDS)
        for who, _ in self._limits(scope):
            self._many[who] += 1
        self._of.setdefault(state["token"], set()).add(follower)

    def leave(self, follower: Follower, scope: Scope) -> None:
        """Somebody follows no more."""
        for who, _ in self._limits(scope):
            self._many[who] -= 1
            if not self._many[who]:
                del self._many[who]
        token = scope["state"]["token"]
        self._of[token].discard(follower)
        if not self._of[token]:
            del self._of[token]

    def end(self, token: str) -> None:
        """A session has ended, and its streams end with it."""
        for follower in tuple(self._of.get(token, ())) if token else ():
            follower.end()

    async def watch(self) -> None:
        """Look, now and then, for sessions that ended by themselves or at another server."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except FeltlabError:  # the database is away; it will be back
                continue

    async def look(self) -> None:
        """End the streams of sessions that are no more."""
        tokens = [token for token in self._of if token]
        if tokens:
            lasting = await asyncio.to_thread(self._lasting, tokens)
            for token in tokens:
                if token not in lasting:
                    self.end(token)

    def _lasting(self, tokens: list[str]) -> set[str]:
        with reading(self._engine) as db:
            return people.lasting(db, tokens, clock())

    def _limits(self, scope: Scope) -> list[tuple[object, int]]:
        state = scope["state"]
        found: list[tuple[object, int]] = [(state["address"], self._settings.connections_by_address)]
        if state["person"]:
            found.append((state["person"].id, self._settings.streams_by_person))
        return found


class EventStream(StreamingResponse):
    """Server-sent events for somebody who may follow them, from when they begin until they are gone or may not any more."""

    def __init__(self, followers: Followers, follower: Follower, events: AsyncIterator[bytes]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}  # a proxy shall not keep them back
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._followers, self._follower = followers, follower

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events while there are any."""
        self._followers.enter(self._follower, scope)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._followers.leave(self._follower, scope)
