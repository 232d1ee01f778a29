"""The desk: carries out commands for tables and stores them, many in one transaction.

A transaction locks the tables of its commands, carries out every command in memory, and writes all changes in a handful of
statements, however many commands there are. So the cost of a durable commit is shared by all commands that wait for it. A
command that is refused changes nothing and does not disturb the others.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Engine, RowMapping, bindparam, insert, select
from sqlalchemy.exc import SQLAlchemyError

from feltlab.errors import FeltlabError
from feltlab.floor.house.config import NotSetUp
from feltlab.floor.ledger.accounts import table_of
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.people import acts
from feltlab.floor.people.names import names_of, people_in, with_names
from feltlab.floor.records.damage import Damaged, intact
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import Unavailable, data_at_fault, is_retryable, reading, writing
from feltlab.floor.storage.rows import write_rows
from feltlab.floor.storage.store import LiveTables, save
from feltlab.floor.tables.commands import CloseTable, TableCommand, VoidRound
from feltlab.floor.tables.live import Live, Person, Writes
from feltlab.floor.tables.procedure import deals, perform
from feltlab.floor.tables.shapes import Now
from feltlab.floor.tables.view import now_of

T = TypeVar("T")
log = logging.getLogger("feltlab.floor")
TRIES = 4
LATEST_DEADLINE = 601_000  # ms; no table gives more time, so a later deadline means that the clock was set back

_q, _p = schema.requests, schema.steps
_ANSWERED = select(_q.c.id, _q.c.digest, _q.c.answer).where(_q.c.id.in_(bindparam("ids", expanding=True)))
_ASKED = insert(_q)
_STEP = select(_p).where(_p.c.table_id == bindparam("table"), _p.c.seq == bindparam("seq"))
_due = schema.tables.c.deadline
_DUE = select(schema.tables.c.id).where((_due <= bindparam("now")) | (_due > bindparam("late")))
_RUNNING = select(schema.tables.c.id).where(_due.is_not(None))


class NotFound(FeltlabError):
    """The requested thing does not exist."""


class KeyUsed(FeltlabError):
    """The idempotency key of a request was used for another request before."""


class StepMessage(Struct, frozen=True):
    """A step as sent to players. `events` are in their public form, as they are stored."""

    table: int
    seq: int
    at: int
    round: int | None
    events: msgspec.Raw


@dataclass(frozen=True)
class Job:
    """A command for a table. It is carried out once per person and `key`, however often it is sent."""

    table: int
    command: TableCommand
    person: Person | None = None
    key: str = ""

    @cached_property
    def id(self) -> str:
        """The id under which the request is remembered; empty for a job without a key."""
        return f"{self.person.id}:{self.key}" if self.person and self.key else ""

    @cached_property
    def digest(self) -> str:
        """A digest of what the key was used for."""
        return hashlib.sha256(b"%d %s" % (self.table, msgspec.json.encode(self.command))).hexdigest()


@dataclass(frozen=True)
class JobResult:
    """The result of a job: its step and the table as it is now, or the error. `again`: it had been done before."""

    step: StepMessage | None = None
    now: Now | None = None
    error: Exception | None = None
    again: bool = False


def clock() -> int:
    """The time in milliseconds."""
    return time.time_ns() // 1_000_000


class Desk:
    """Carries out jobs. Not thread-safe: a server has one thread for it."""

    def __init__(
        self, engine: Engine, seal: Seal, clock: Callable[[], int] = clock, *, only_ready: bool = False
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.tables = LiveTables(seal, only_ready=only_ready)
        self._accepted = False  # whether the last transaction tried had a step to store
        self._looked = 0  # when `due` was last called

    def run(self, jobs: Sequence[Job]) -> list[JobResult]:
        """Carry out jobs in one transaction, in their order. Results are returned only once they are stored.

        If the transaction fails although the database is well, one of the jobs is at fault, and each is then carried out in
        a transaction of its own.
        """
        try:
            return self._tried(jobs)
        except Unavailable as error:
            if not data_at_fault(error):
                return [JobResult(error=error)] * len(jobs)
            failure: Exception = error
        except Exception as error:  # whatever it is, nothing is stored
            failure = error
        if len(jobs) > 1:
            return [outcome for job in jobs for outcome in self.run([job])]
        return self._given_up(jobs, failure)

    def _tried(self, jobs: Sequence[Job], *, failed: bool = False) -> list[JobResult]:
        """Carry out jobs, and retry if another transaction got in the way."""
        for attempt in range(TRIES):
            try:
                return self._run(jobs, failed=failed)
            except Unavailable as error:
                self.tables.forget()
                if not is_retryable(error) or attempt == TRIES - 1:
                    raise
            except Exception:
                self.tables.forget()
                raise
        raise AssertionError

    def _given_up(self, jobs: Sequence[Job], failure: Exception) -> list[JobResult]:
        """Handle a job that was carried out but cannot be stored. If it dealt cards, its round is voided (see `perform`)."""
        (job,) = jobs
        try:
            if self._accepted and deals(self.look(job.table), job.command):
                log.error("table %d: a round is void", job.table, exc_info=failure)
                return self._tried(jobs, failed=True)
        except Exception:  # the caller gets the first error
            log.exception("table %d: a round could not be voided", job.table)
        return [JobResult(error=failure)]

    def do(self, job: Job) -> JobResult:
        """Carry out one job; raises its error."""
        (outcome,) = self.run([job])
        if outcome.error:
            raise outcome.error
        return outcome

    def plain(self, act: Callable[[Connection, int], T]) -> T:
        """Do something else that writes, in a transaction of its own."""
        for attempt in range(TRIES):
            try:
                with writing(self.engine) as db:
                    return act(db, self.clock())
            except Unavailable as error:
                if not is_retryable(error) or attempt == TRIES - 1:
                    raise
        raise AssertionError

    def look(self, table: int) -> Live:
        """A table as it is now."""
        with reading(self.engine) as db:
            return self._found(self.tables.find(db, {table}, lock=False), table)

    def not_set_up(self) -> dict[int, NotSetUp]:
        """The tables that were requested but are not set up yet."""
        return dict(self.tables.not_set_up)

    def due(self) -> list[int]:
        """The tables with a deadline that has passed; if the clock was set back, all tables with a deadline."""
        now, before = self.clock(), self._looked
        with reading(self.engine) as db:
            self._looked = now
            if now < before:
                return list(db.execute(_RUNNING).scalars())
            return list(db.execute(_DUE, {"now": now, "late": now + LATEST_DEADLINE}).scalars())

    def _run(self, jobs: Sequence[Job], *, failed: bool = False) -> list[JobResult]:
        work, self._accepted = _Batch(), False
        with writing(self.engine) as db:
            now = self.clock()
            lives = self.tables.find(db, {job.table for job in jobs}, lock=True)
            answered = self._answered(db, jobs)  # after the lock, as another server may just have done them
            ledger = Ledger(db, now)
            for live in lives.values():
                ledger.know(live.balances)
            asking = {job.person.id for job in jobs if job.person}
            ledger.own_limits.know(asking | {seat.person for live in lives.values() for seat in live.state.seats})
            for job in jobs:
                work.outcomes.append(self._one(job, lives, ledger, now, work, answered, failed=failed))
            self._accepted = bool(work.steps)
            if work.steps:
                changed = [lives[id] for id in sorted(work.touched)]
                ledger.store()
                save(db, changed, work.steps, work.writes)
                write_rows(db, _ASKED, work.requests)
                for job in work.acts:
                    by = job.person.id if job.person else None
                    detail = msgspec.to_builtins(job.command)
                    acts.record(
                        db, at=now, by=by, act=detail.pop("command"), subject=acts.of_table(job.table), detail=detail
                    )
                for live in changed:
                    if live.state.closed:  # record the end of its chain
                        acts.record_end(db, live.id, live.seq, live.link, at=now)
            for account, balance in ledger.changed().items():
                id = table_of(account)
                if id is not None:
                    lives[id].balances[account] = balance
            # Before the commit, so that nothing is stored if this fails.
            views = {id: now_of(live) for id, live in lives.items()}
        return [
            JobResult(outcome.step, views.get(job.table), outcome.error, outcome.again)
            for job, outcome in zip(jobs, work.outcomes, strict=True)
        ]

    def _one(
        self,
        job: Job,
        lives: dict[int, Live],
        ledger: Ledger,
        now: int,
        work: _Batch,
        answered: dict[str, tuple[str, StepMessage | Damaged | None]],
        *,
        failed: bool,
    ) -> JobResult:
        try:
            live = self._found(lives, job.table)
            if job.id in answered:
                digest, step = answered[job.id]
                if isinstance(step, Damaged):
                    raise step
                if digest != job.digest:
                    raise KeyUsed("this Idempotency-Key was used for another request; choose a new one")
                return JobResult(step, again=True)
            row = perform(live, job.command, job.person, ledger, now, failed=failed)
        except SQLAlchemyError:
            raise
        except Exception as error:  # one job's mistake must not undo the others
            return JobResult(error=error)
        step = message(row, live.names)
        work.steps.append(row)
        work.writes.add(live.writes)
        work.touched.add(live.id)
        if isinstance(job.command, CloseTable | VoidRound):
            work.acts.append(job)
        if job.id:
            work.requests.append({"id": job.id, "digest": job.digest, "answer": f"{job.table}:{live.seq}", "at": now})
            answered[job.id] = job.digest, step
        return JobResult(step)

    def _answered(self, db: Connection, jobs: Sequence[Job]) -> dict[str, tuple[str, StepMessage | Damaged | None]]:
        """The jobs that were done before, with their steps; no step where the key was for something other than a table."""
        asked = {job.id: job for job in jobs if job.id}
        found: dict[str, tuple[str, StepMessage | Damaged | None]] = {}
        for id, digest, answer in db.execute(_ANSWERED, {"ids": sorted(asked)}).all() if asked else ():
            try:
                with intact(asked[id].table, "what was done for a request"):
                    found[id] = digest, _step(db, answer)
            except Damaged as damaged:
                found[id] = digest, damaged
        return found

    def _found(self, lives: dict[int, Live], table: int) -> Live:
        if table not in lives:
            if why := self.tables.not_set_up.get(table) or self.tables.broken(table):
                raise why
            raise NotFound(f"there is no table {table}")
        return lives[table]


class _Batch:
    """Everything that a transaction will write."""

    def __init__(self) -> None:
        self.outcomes: list[JobResult] = []
        self.steps: list[dict[str, object]] = []
        self.requests: list[dict[str, object]] = []
        self.writes = Writes()
        self.touched: set[int] = set()
        self.acts: list[Job] = []  # commands of the house that are recorded as acts


def _step(db: Connection, answer: str) -> StepMessage | None:
    """The step of a remembered request; None if the request was not for a table."""
    table, at, seq = answer.partition(":")
    if not at:
        return None
    (step,) = messages(db, db.execute(_STEP, {"table": int(table), "seq": int(seq)}).mappings().all())
    msgspec.json.decode(step.events)
    return step


def message(row: Mapping[str, Any] | RowMapping, names: Mapping[int, str]) -> StepMessage:
    """A stored step as sent to players."""
    raw = msgspec.Raw(with_names(row["events"], names).encode())
    return StepMessage(row["table_id"], row["seq"], row["at"], row["round"], raw)


def messages(db: Connection, rows: Sequence[RowMapping]) -> list[StepMessage]:
    """Stored steps as sent to players."""
    names = names_of(db, people_in(row["events"] for row in rows))
    return [message(row, names) for row in rows]
