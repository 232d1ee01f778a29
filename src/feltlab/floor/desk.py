"""The desk: where commands for tables are carried out and stored, many of them in one transaction.

A transaction locks the tables that its commands are for, carries every command out in memory, and writes all of what
changed in a handful of statements, however many commands there were. So the price of a durable commit is shared by all
that wait for it. A command that is refused changes nothing and does not disturb the others.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Engine, bindparam, insert, select
from sqlalchemy.exc import SQLAlchemyError

from feltlab.errors import FeltlabError
from feltlab.floor import schema
from feltlab.floor.commands import TableCommand
from feltlab.floor.database import Unavailable, again_soon, reading, writing
from feltlab.floor.fair import Seal
from feltlab.floor.ledger import Ledger, table_of
from feltlab.floor.live import Live, Person, Writes
from feltlab.floor.procedure import perform
from feltlab.floor.rows import write_rows
from feltlab.floor.shapes import Now
from feltlab.floor.store import Tables, save
from feltlab.floor.view import now_of

T = TypeVar("T")
TRIES = 4
LATEST_DEADLINE = 601_000  # no table gives more time than that, so a later one means that the clock went back

_q, _p = schema.requests, schema.steps
_ANSWERED = select(_q.c.id, _q.c.digest, _q.c.answer).where(_q.c.id.in_(bindparam("ids", expanding=True)))
_ASKED = insert(_q)
_STEP = select(_p).where(_p.c.table_id == bindparam("table"), _p.c.seq == bindparam("seq"))
_due = schema.tables.c.deadline
_DUE = select(schema.tables.c.id).where((_due <= bindparam("now")) | (_due > bindparam("late")))
_RUNNING = select(schema.tables.c.id).where(_due.is_not(None))


class NotFound(FeltlabError):
    """There is no such thing here."""


class KeyUsed(FeltlabError):
    """The key of a request was used for another request before."""


class StepMessage(Struct, frozen=True):
    """A step as the players are told of it. `events` are in their public form, as they are stored."""

    table: int
    seq: int
    at: int
    round: int | None
    events: msgspec.Raw


@dataclass(frozen=True)
class Job:
    """A command for a table. The same person's same `key` is carried out once, however often it is asked."""

    table: int
    command: TableCommand
    person: Person | None = None
    key: str = ""

    @cached_property
    def id(self) -> str:
        """What the request is remembered by; nothing for a job without a key."""
        return f"{self.person.id}:{self.key}" if self.person and self.key else ""

    @cached_property
    def digest(self) -> str:
        """What the key stands for."""
        return hashlib.sha256(b"%d %s" % (self.table, msgspec.json.encode(self.command))).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """What became of a job: its step and the table as it is now, or why not. `again`: it had been done before."""

    step: StepMessage | None = None
    now: Now | None = None
    error: Exception | None = None
    again: bool = False


def clock() -> int:
    """The time, in milliseconds."""
    return time.time_ns() // 1_000_000


class Desk:
    """Carries jobs out. Not for several threads at once: a server has one thread that does nothing else."""

    def __init__(self, engine: Engine, seal: Seal, clock: Callable[[], int] = clock) -> None:
        self.engine = engine
        self.clock = clock
        self.tables = Tables(seal)
        self._looked = 0  # when it was last asked whose time is up

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Carry jobs out in one transaction, in their order. Tells nobody anything that is not stored."""
        for attempt in range(TRIES):
            try:
                return self._run(jobs)
            except Unavailable as error:
                self.tables.forget()
                if not again_soon(error) or attempt == TRIES - 1:
                    return [Outcome(error=error)] * len(jobs)
            except Exception as error:  # whatever it was, nothing is stored, and who asked is told so
                self.tables.forget()
                return [Outcome(error=error)] * len(jobs)
        raise AssertionError

    def do(self, job: Job) -> Outcome:
        """One job; its error is raised."""
        (outcome,) = self.run([job])
        if outcome.error:
            raise outcome.error
        return outcome

    def plain(self, act: Callable[[Connection, int], T]) -> T:
        """Something else that writes, in a transaction of its own."""
        for attempt in range(TRIES):
            try:
                with writing(self.engine) as db:
                    return act(db, self.clock())
            except Unavailable as error:
                if not again_soon(error) or attempt == TRIES - 1:
                    raise
        raise AssertionError

    def look(self, table: int) -> Live:
        """A table as it is now."""
        with reading(self.engine) as db:
            return self._found(self.tables.find(db, {table}, lock=False), table)

    def due(self) -> list[int]:
        """The tables at which somebody's time is up; all at which time runs, when the clock went back."""
        now, before = self.clock(), self._looked
        with reading(self.engine) as db:
            self._looked = now
            if now < before:
                return list(db.execute(_RUNNING).scalars())
            return list(db.execute(_DUE, {"now": now, "late": now + LATEST_DEADLINE}).scalars())

    def _run(self, jobs: Sequence[Job]) -> list[Outcome]:
        work = _Batch()
        with writing(self.engine) as db:
            now = self.clock()
            lives = self.tables.find(db, {job.table for job in jobs}, lock=True)
            answered = self._answered(db, jobs)  # after the lock: another server may just have done it
            ledger = Ledger(db, now)
            for live in lives.values():
                ledger.know(live.balances)
            for job in jobs:
                work.outcomes.append(self._one(job, lives, ledger, now, work, answered))
            if work.steps:
                changed = [lives[id] for id in sorted(work.touched)]
                ledger.store()
                save(db, changed, work.steps, work.writes)
                write_rows(db, _ASKED, work.requests)
        for account, balance in ledger.changed().items():
            id = table_of(account)
            if id is not None:
                lives[id].balances[account] = balance
        views = {id: now_of(live) for id, live in lives.items()}
        return [
            Outcome(outcome.step, views.get(job.table), outcome.error, outcome.again)
            for job, outcome in zip(jobs, work.outcomes, strict=True)
        ]

    def _one(
        self,
        job: Job,
        lives: dict[int, Live],
        ledger: Ledger,
        now: int,
        work: _Batch,
        answered: dict[str, tuple[str, StepMessage | None]],
    ) -> Outcome:
        try:
            live = self._found(lives, job.table)
            if job.id in answered:
                digest, step = answered[job.id]
                if digest != job.digest:
                    raise KeyUsed("this Idempotency-Key was used for another request; choose a new one")
                return Outcome(step, again=True)
            row = perform(live, job.command, job.person, ledger, now)
        except SQLAlchemyError:
            raise
        except Exception as error:  # one job's mistake must not undo the others
            return Outcome(error=error)
        step = message(row)
        work.steps.append(row)
        work.writes.add(live.writes)
        work.touched.add(live.id)
        if job.id:
            work.requests.append({"id": job.id, "digest": job.digest, "answer": f"{job.table}:{live.seq}", "at": now})
            answered[job.id] = job.digest, step
        return Outcome(step)

    def _answered(self, db: Connection, jobs: Sequence[Job]) -> dict[str, tuple[str, StepMessage | None]]:
        """The jobs that were done before, and the steps that they were; no step where a key was for something else."""
        ids = sorted({job.id for job in jobs if job.id})
        found: dict[str, tuple[str, StepMessage | None]] = {}
        for id, digest, answer in db.execute(_ANSWERED, {"ids": ids}).all() if ids else ():
            table, at, seq = answer.partition(":")
            step = {"table": int(table), "seq": int(seq)} if at else None
            found[id] = digest, message(db.execute(_STEP, step).mappings().one()) if step else None
        return found

    def _found(self, lives: dict[int, Live], table: int) -> Live:
        if table not in lives and table in self.tables.broken:
            raise Unavailable(f"table {table} cannot go on: {self.tables.broken[table]}")
        if table not in lives:
            raise NotFound(f"there is no table {table}")
        return lives[table]


class _Batch:
    """What a transaction will write."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.steps: list[dict[str, object]] = []
        self.requests: list[dict[str, object]] = []
        self.writes = Writes()
        self.touched: set[int] = set()


def message(row: object) -> StepMessage:
    """A stored step as players are told of it."""
    fields = dict(row)  # type: ignore[call-overload]
    raw = msgspec.Raw(fields["events"].encode())
    return StepMessage(fields["table_id"], fields["seq"], fields["at"], fields["round"], raw)
