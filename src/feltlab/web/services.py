"""What a running server has: the database, the desk, the streams, the sessions; and what it does by itself."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from sqlalchemy import Engine, select
from starlette.requests import Request

from feltlab.errors import FeltlabError
from feltlab.floor import schema
from feltlab.floor.commands import ClockStruck, CloseTable
from feltlab.floor.database import Unavailable, reading
from feltlab.floor.desk import Desk, Job, StepMessage
from feltlab.floor.fair import Seal
from feltlab.floor.live import Person
from feltlab.floor.once import forget_old
from feltlab.floor.opening import left_alone
from feltlab.floor.procedure import NotYet
from feltlab.floor.records import steps_after
from feltlab.floor.shapes import Now
from feltlab.floor.view import now_of
from feltlab.web.figuring import Figuring
from feltlab.web.laboratory import Laboratory
from feltlab.web.problems import Problem
from feltlab.web.sessions import Sessions
from feltlab.web.settings import Settings
from feltlab.web.simulations import Simulations
from feltlab.web.streams import Streams, frame, snapshot
from feltlab.web.worker import Worker

LOOK_SECONDS = 0.2  # how often a server looks whose time is up, and what other servers have done
TIDY_SECONDS = 3600.0
MOST_BEHIND = 500  # steps: who has missed more is shown the table as it is

log = logging.getLogger("feltlab.service")


class Services:
    """Everything that routes use. The worker and all below it live as long as the server runs."""

    worker: Worker
    figuring: Figuring
    laboratory: Laboratory
    simulations: Simulations
    streams: Streams

    def __init__(self, settings: Settings, engine: Engine, seal: Seal) -> None:
        self.settings, self.engine, self.seal = settings, engine, seal
        self.sessions = Sessions(engine, settings)
        self.ready = False
        self._stuck: set[int] = set()  # tables whose clock has struck in vain

    async def start(self) -> None:
        """Begin to work."""
        self.streams = Streams()
        self.worker = Worker(Desk(self.engine, self.seal), self.streams.tell)
        self.figuring = Figuring()
        self.laboratory, self.simulations = Laboratory(), Simulations()
        self._tasks = [asyncio.create_task(task) for task in (self._watch(), self._tidy(), self.streams.beat())]
        self.ready = True

    async def stop(self) -> None:
        """Finish what was asked, then let go of the database."""
        self.ready = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.figuring.stop(), self.laboratory.stop(), self.simulations.stop())
        await self.worker.stop()
        self.engine.dispose()

    async def now(self, table: int) -> Now:
        """A table as it is."""
        return await self.worker.ask(lambda desk: now_of(desk.look(table)))

    async def catch_up(self, table: int, seq: int) -> tuple[int, bytes]:
        """The steps of a table after one of them, as frames, and the number of the last."""
        now = await self.now(table)
        with_steps = 0 <= now.seq - seq <= MOST_BEHIND
        steps = await asyncio.to_thread(self._steps, table, seq) if with_steps else []
        steps = [step for step in steps if step.seq <= now.seq]
        if not steps:
            return now.seq, snapshot(now)
        frames = [frame(step) for step in steps[:-1]]
        return now.seq, b"".join([*frames, frame(steps[-1], now if steps[-1].seq == now.seq else None)])

    def _steps(self, table: int, seq: int) -> list[StepMessage]:
        with reading(self.engine) as db:
            return steps_after(db, table, seq, MOST_BEHIND)

    # ---- by itself

    async def _watch(self) -> None:
        """Whose time is up, and what have other servers done at tables that somebody follows here?"""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                for table in await self.worker.ask(lambda desk: desk.due()):
                    await self._strike(table)
                await self._look_at_others()
            except Unavailable as error:
                log.warning("waiting for the database: %s", error)
                await asyncio.sleep(1)
            except Exception:  # the clocks of all tables hang on this
                log.exception("looking at the tables failed")
                await asyncio.sleep(1)

    async def _strike(self, table: int) -> None:
        """Somebody's time is up. A table that cannot go on does not stop the clocks of the others."""
        try:
            with suppress(NotYet):
                await self.worker.do(Job(table, ClockStruck()))
            self._stuck.discard(table)
        except Unavailable:
            raise
        except Exception:
            if table not in self._stuck:
                log.exception("table %d cannot go on", table)
            self._stuck.add(table)

    async def _look_at_others(self) -> None:
        followed = self.streams.followed
        if not followed:
            return
        stored = await asyncio.to_thread(self._stored, list(followed))
        for table, seq in stored.items():
            if seq > followed[table]:
                last, data = await self.catch_up(table, followed[table])
                self.streams.add(table, followed[table] + 1, last, data)

    def _stored(self, ids: list[int]) -> dict[int, int]:
        t = schema.tables
        with reading(self.engine) as db:
            return {row.id: row.seq for row in db.execute(select(t.c.id, t.c.seq).where(t.c.id.in_(ids)))}

    async def _tidy(self) -> None:
        while True:
            with suppress(FeltlabError):
                await self.worker.plain(forget_old)
                for table in await self.worker.plain(left_alone):
                    await self.worker.do(Job(table, CloseTable()))
            await asyncio.sleep(TIDY_SECONDS)


def services(request: Request) -> Services:
    """The services of the server that a request came to."""
    found: Services = request.app.state.services
    return found


def somebody(request: Request) -> Person:
    """Who asks; refused for nobody."""
    person: Person | None = request.state.person
    if person is None:
        raise Problem(401, "no-session", "begin a session first: POST /api/v1/guests, or log in at /api/v1/sessions")
    return person


def player(request: Request) -> Person:
    """Who asks, if it is a player."""
    person = somebody(request)
    if person.kind == "house":
        raise Problem(403, "house", "the house does not play at its own tables; log in as a player")
    return person


def opener(request: Request) -> Person:
    """Who asks, if they may open tables: the house, and players where they may practise."""
    practice = services(request).settings.practice
    return player(request) if practice and somebody(request).kind != "house" else house(request)


def house(request: Request) -> Person:
    """Who asks, if it is the house."""
    person = somebody(request)
    if person.kind != "house":
        raise Problem(403, "not-house", "only a house account may do that")
    return person
