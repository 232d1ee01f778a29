"""What a running server has: the database, the desk, the streams, the sessions; and what it does by itself."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, Engine, select
from starlette.requests import Request

from feltlab.errors import FeltlabError
from feltlab.floor.desk import Desk, Job, JobResult, StepMessage, clock
from feltlab.floor.house.about import TableLine, lobby
from feltlab.floor.house.opening import forget_sheets, left_alone
from feltlab.floor.records.damage import Damaged
from feltlab.floor.records.heads import heads_of, write
from feltlab.floor.records.records import steps_after
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import Unavailable, reading
from feltlab.floor.storage.idempotency import forget_old
from feltlab.floor.tables.commands import CloseTable, DeadlineExpired, IsBack, SeemsGone
from feltlab.floor.tables.live import Person
from feltlab.floor.tables.procedure import NotYet
from feltlab.floor.tables.shapes import Now
from feltlab.floor.tables.view import now_of
from feltlab.web.connections.addresses import Proxies, parse_networks
from feltlab.web.connections.held import HeldConnections, most_connections
from feltlab.web.connections.troubles import Troubles
from feltlab.web.http.problems import Problem
from feltlab.web.lab.figuring import Figuring
from feltlab.web.lab.laboratory import Laboratory
from feltlab.web.lab.setting_up import SettingUp
from feltlab.web.lab.simulations import Simulations
from feltlab.web.queues.together import Together
from feltlab.web.queues.turns import Asker, Turns
from feltlab.web.queues.worker import Worker
from feltlab.web.readiness import Readiness
from feltlab.web.sessions.sessions import Sessions
from feltlab.web.settings import Settings
from feltlab.web.streams.following import Followers
from feltlab.web.streams.presence import Place, Presence
from feltlab.web.streams.streams import Streams, frame, snapshot

LOOK_SECONDS = 0.2  # how often a server looks whose time is up, and what other servers have done
TIDY_SECONDS = 3600.0
HEADS_SECONDS = 5.0  # how long heads are good for
MOST_BEHIND = 500  # steps: who has missed more is shown the table as it is
MOST_LOOKING = 200  # that wait for what is long to find
ITSELF = Asker("the server", 0)

T = TypeVar("T")

log = logging.getLogger("feltlab.service")


class Services:
    """Everything that routes use. The worker and all below it live as long as the server runs."""

    worker: Worker
    figuring: Figuring
    laboratory: Laboratory
    setting_up: SettingUp
    simulations: Simulations
    streams: Streams
    records: Turns
    presence: Presence
    followers: Followers
    readiness: Readiness
    lobby: Together[list[TableLine]]
    lobby_of_house: Together[list[TableLine]]

    def __init__(self, settings: Settings, engine: Engine, seal: Seal) -> None:
        self.settings, self.engine, self.seal = settings, engine, seal
        self.sessions = Sessions(engine, settings)
        self.proxies = Proxies(parse_networks(settings.trusted_proxies))
        self.room = HeldConnections(most_connections(settings), settings.connections_by_address)
        self.troubles = Troubles()
        self.clock = clock
        self.ready = False
        self._heads, self._heads_until, self._asking_heads = "", 0.0, asyncio.Lock()
        self._stuck: set[int] = set()  # tables whose clock has struck in vain

    async def start(self) -> None:
        """Begin to work."""
        self.streams, self.presence, self.records = Streams(), Presence(), Turns(MOST_LOOKING)
        self.followers = Followers(self.engine, self.settings, self.troubles)
        self.figuring = Figuring()
        self.laboratory, self.simulations = Laboratory(), Simulations()
        self.setting_up = SettingUp(self.laboratory)
        self.worker = Worker(Desk(self.engine, self.seal, only_ready=True), self._tell, self.setting_up.set_up)
        self.readiness = Readiness(self.engine, self.worker)
        self.lobby, self.lobby_of_house = (Together(partial(self._lobby, why=why)) for why in (False, True))
        tasks = (self._watch(), self._tidy(), self._take_up(), self.streams.beat(), self.followers.watch())
        self._tasks = [asyncio.create_task(task) for task in tasks]
        self.ready = True

    async def stop(self) -> None:
        """Finish what was asked, then let go of the database."""
        self.ready = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.figuring.stop(), self.laboratory.stop(), self.simulations.stop())
        await self.worker.stop()
        self.engine.dispose()

    async def _lobby(self, *, why: bool) -> list[TableLine]:
        def find(desk: Desk) -> list[TableLine]:
            with reading(desk.engine) as db:
                return lobby(db, desk.tables, desk.clock(), why=why)

        return await self.worker.ask(find)

    async def now(self, table: int) -> Now:
        """A table as it is."""
        now = await self.worker.ask(lambda desk: now_of(desk.look(table)))
        self.presence.look(now)
        return now

    def _tell(self, outcomes: list[JobResult]) -> None:
        """What has been done is told to who follows it."""
        self.streams.tell(outcomes)
        for outcome in outcomes:
            if outcome.now:
                self.presence.look(outcome.now)

    async def heads(self) -> str:
        """The heads of all chains, as they were a moment ago: however many ask, the database is asked now and then."""
        async with self._asking_heads:
            if self._heads_until < time.monotonic():
                self._heads = await asyncio.to_thread(self._find_heads)
                self._heads_until = time.monotonic() + HEADS_SECONDS
            return self._heads

    def _find_heads(self) -> str:
        with reading(self.engine) as db:
            return write(heads_of(db), self.seal.signer)

    async def look_up(self, asker: Asker, find: Callable[[Connection], T]) -> T:
        """What is long to find in the database: one thing after another, in everybody's turn.

        So whoever asks for much keeps nobody from what is found in a moment, such as a session.
        """

        def look() -> T:
            with reading(self.engine) as db:
                return find(db)

        async with self.records.turn(asker):
            return await asyncio.to_thread(look)

    async def catch_up(self, table: int, seq: int, asker: Asker = ITSELF) -> tuple[int, bytes]:
        """The steps of a table after one of them, as frames, and the number of the last."""
        now = await self.now(table)
        steps: list[StepMessage] = []
        if 0 <= now.seq - seq <= MOST_BEHIND:
            steps = await self.look_up(asker, lambda db: steps_after(db, table, seq, MOST_BEHIND))
        steps = [step for step in steps if step.seq <= now.seq]
        if not steps:
            return now.seq, snapshot(now)
        frames = [frame(step) for step in steps[:-1]]
        return now.seq, b"".join([*frames, frame(steps[-1], now if steps[-1].seq == now.seq else None)])

    # ---- by itself

    async def _watch(self) -> None:
        """Whose time is up, and what have other servers done at tables that somebody follows here?"""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                for table in await self.worker.ask(lambda desk: desk.due()):
                    await self._strike(table)
                await self._look_at_others()
                await self._look_who_is_here()
            except Unavailable as error:
                log.warning("waiting for the database: %s", error)
                await asyncio.sleep(1)
            except Exception:  # the clocks of all tables hang on this
                log.exception("looking at the tables failed")
                await asyncio.sleep(1)

    async def _take_up(self) -> None:
        """Have the open tables set up, and later those that somebody looked for and that were not."""
        waiting: Iterable[int] = ()
        with suppress(Unavailable):
            waiting = await asyncio.to_thread(self._open)
        while True:
            for table in waiting:
                try:
                    await self.worker.ask(partial(Desk.look, table=table))
                except FeltlabError:
                    pass  # who asks for the table is told
                except Exception:
                    log.exception("table %d cannot be taken up", table)
            await asyncio.sleep(LOOK_SECONDS)
            waiting = await self.worker.ask(Desk.not_set_up)

    def _open(self) -> list[int]:
        t = schema.tables
        with reading(self.engine) as db:
            return list(db.execute(select(t.c.id).where(t.c.status == "open").order_by(t.c.id)).scalars())

    async def _strike(self, table: int) -> None:
        """Somebody's time is up. A table that cannot go on does not stop the clocks of the others."""
        try:
            with suppress(NotYet):
                await self.worker.do(Job(table, DeadlineExpired()))
            self._stuck.discard(table)
        except Damaged:
            pass  # the log knows
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
            if isinstance(seq, int) and seq > followed[table]:
                with suppress(Damaged):  # its followers wait; those of other tables do not
                    last, data = await self.catch_up(table, followed[table])
                    self.streams.add(table, followed[table] + 1, last, data)

    async def _look_who_is_here(self) -> None:
        """Tell tables who seems gone, and who is back."""
        back = [self._tell_table(place, IsBack(place[1])) for place in self.presence.back()]
        gone = [self._tell_table(place, SeemsGone(place[1])) for place in self.presence.gone()]
        await asyncio.gather(*back, *gone)

    async def _tell_table(self, place: Place, command: IsBack | SeemsGone) -> None:
        try:
            await self.worker.do(Job(place[0], command))
        except NotYet:
            self.presence.lose(place)  # they were heard of a moment ago: look again later
        except FeltlabError:
            pass  # they do not sit there, or the table cannot go on: there is nothing to tell

    def _stored(self, ids: list[int]) -> dict[int, int]:
        t = schema.tables
        with reading(self.engine) as db:
            return {row.id: row.seq for row in db.execute(select(t.c.id, t.c.seq).where(t.c.id.in_(ids)))}

    async def close(self, which: Callable[[Connection, int], list[int]]) -> None:
        """Close tables that nobody plays at."""
        for table in await self.worker.plain(which):
            with suppress(FeltlabError):
                await self.worker.do(Job(table, CloseTable()))

    async def _tidy(self) -> None:
        while True:
            try:
                await self.worker.plain(forget_old)
                await self.worker.plain(forget_sheets)
                await self.close(left_alone)
            except FeltlabError as error:
                log.warning("tidying up: %s", error)
            except Exception:
                log.exception("tidying up failed")
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


def asker(request: Request) -> Asker:
    """Who asks for work that others wait for too. Guests of one address share what one person has."""
    person: Person | None = request.state.person
    if person is not None and person.kind != "guest":
        return Asker(f"person {person.id}", person.id)
    return Asker(f"address {request.state.address}", person.id if person else 0)


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
