"""Loads live tables from the database, and saves what commands changed."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, insert, select, update

from feltlab.floor.house.config import NotSetUp, read_table
from feltlab.floor.people.names import names_of, person_of, token
from feltlab.floor.records.damage import Damaged, check_fits, intact
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.rows import write_rows
from feltlab.floor.tables.events import of_round, read
from feltlab.floor.tables.live import Live, Writes
from feltlab.floor.tables.state import TableState
from feltlab.floor.tables.view import now_of
from feltlab.rounds.events import AnyEvent

MOST_LIVES = 2000  # more than can be open; beyond it, closed tables that somebody looked at are dropped

t, s, r, p = schema.tables, schema.shoes, schema.rounds, schema.steps

_LOCK = select(t.c.id, t.c.seq).where(t.c.id.in_(bindparam("ids", expanding=True))).order_by(t.c.id).with_for_update()
_LOOK = select(t.c.id, t.c.seq).where(t.c.id.in_(bindparam("ids", expanding=True)))
_ROW = (
    select(t.c.id, t.c.name, t.c.status, t.c.seq, t.c.config, t.c.config_sha256, t.c.state, t.c.deadline)
    .add_columns(schema.sheets.c.text)
    .join(schema.sheets, t.c.sheet == schema.sheets.c.sha256)
    .where(t.c.id == bindparam("id"))
)
_LAST = select(
    *(
        select(func.max(of[name])).where(of.table_id == bindparam("id")).scalar_subquery()
        for of, name in ((p.c, "seq"), (r.c, "number"), (s.c, "number"))
    )
)
_LINK = select(p.c.link).where(p.c.table_id == bindparam("id"), p.c.seq == bindparam("seq"))
_STEPS = select(p.c.events).where(p.c.table_id == bindparam("id"), p.c.round == bindparam("number"))
_STEPS = _STEPS.where(p.c.seq >= bindparam("since")).order_by(p.c.seq)
_SEALED = select(s.c.sealed).where(s.c.table_id == bindparam("id"), s.c.number == bindparam("number"))
_BALANCES = select(schema.accounts.c.name, schema.accounts.c.balance).where(
    schema.accounts.c.table_id == bindparam("id")
)

_SAVE = (
    update(t)
    .where(t.c.id == bindparam("t"))
    .values(
        seq=bindparam("new_seq"),
        state=bindparam("new_state"),
        deadline=bindparam("new_deadline"),
        status=bindparam("new_status"),
        closed_at=bindparam("new_closed_at"),
    )
)
_STEP, _BET, _SHOE, _ROUND = insert(p), insert(schema.bets), insert(s), insert(r)
_THIS_SHOE = update(s).where(s.c.table_id == bindparam("t"), s.c.number == bindparam("n"))
_CUT = _THIS_SHOE.values(seeds=bindparam("seeds"))
_REVEAL = _THIS_SHOE.values(secret=bindparam("secret"), seeds=bindparam("seeds"), revealed_at=bindparam("revealed_at"))
_END = (
    update(r)
    .where(r.c.table_id == bindparam("t"), r.c.number == bindparam("n"))
    .values(ended_at=bindparam("ended_at"), last_seq=bindparam("last_seq"))
)


AGAIN_SECONDS = 10.0  # after which a damaged table is tried again, in case it was repaired

logger = logging.getLogger("feltlab.tables")


class _Row(Struct, frozen=True):
    """A row of `tables` with its sheet and checked column types, which SQLite does not enforce."""

    id: int
    name: str
    status: str
    seq: int
    config: str
    config_sha256: str
    state: str
    deadline: int | None
    text: str


class _Broken(NamedTuple):
    """A table that could not be loaded: at which step, why, and when it is tried again."""

    seq: object
    error: Damaged
    until: float


class LiveTables:
    """A cache of live tables. A table that another process has changed is loaded again.

    With `only_ready`, a table of a user's sheet that is not set up yet is listed in `not_set_up` instead of loaded.
    """

    def __init__(self, seal: Seal, *, only_ready: bool = False) -> None:
        self.seal, self.only_ready = seal, only_ready
        self._lives: dict[int, Live] = {}
        self._broken: dict[int, _Broken] = {}
        self.not_set_up: dict[int, NotSetUp] = {}

    def find(self, db: Connection, ids: set[int], *, lock: bool) -> dict[int, Live]:
        """The tables with these numbers as they are now, locked in order if wanted. Unknown tables are left out.

        Damaged tables are left out as well; `broken` gives the reason.
        """
        found: dict[int, Live] = {}
        for id, seq in db.execute(_LOCK if lock else _LOOK, {"ids": sorted(ids)}).all():
            live = self._lives.get(id)
            if live is None or live.seq != seq:
                before = self._broken.get(id)
                if not lock and before and before.seq == seq and time.monotonic() < before.until:
                    continue  # readers may come often
                if (live := self._take_up(db, id, seq)) is None:
                    continue
                self._lives[id] = live
            found[id] = live
        for id in list(self._lives)[: max(0, len(self._lives) - MOST_LIVES)]:
            del self._lives[id]  # it is loaded again when it is needed
        return found

    def broken(self, id: int) -> Damaged | None:
        """Why a table could not be loaded when it was last tried."""
        known = self._broken.get(id)
        return Damaged(id, known.error.reason) if known else None

    def forget(self, ids: set[int] | None = None) -> None:
        """Drop tables whose memory may differ from what is stored; they are loaded again when needed."""
        for id in list(self._lives) if ids is None else ids:
            self._lives.pop(id, None)

    def _take_up(self, db: Connection, id: int, seq: object) -> Live | None:
        """Load a table. If it is damaged, each reason is logged once."""
        before = self._broken.get(id)
        self.not_set_up.pop(id, None)
        try:
            live = self._load(db, id)
        except NotSetUp as error:
            self.not_set_up[id] = error
            return None
        except Damaged as error:
            self._broken[id] = _Broken(seq, error, time.monotonic() + AGAIN_SECONDS)
            if before is None or before.error.reason != error.reason:
                logger.error("table %d is out of order: %s", id, error.reason)
            return None
        self._broken.pop(id, None)
        return live

    def _load(self, db: Connection, id: int) -> Live:
        with intact(id, "its row"):
            row = msgspec.convert(db.execute(_ROW, {"id": id}).mappings().one(), _Row)
        with intact(id, "its configuration or its sheet", NotSetUp):
            config, table = read_table(row.config, row.config_sha256, row.text, ready=self.only_ready)
        with intact(id, "its state"):
            state = msgspec.json.decode(row.state, type=TableState)
            if row.deadline != state.due:
                raise ValueError(f"time is up at {row.deadline} or at {state.due}")
        balances = {row.name: row.balance for row in db.execute(_BALANCES, {"id": id})}
        live = Live(id, row.name, config, table, self.seal, seq=row.seq, state=state, balances=balances)
        with intact(id, "its last step"):
            live.link = db.execute(_LINK, {"id": id, "seq": row.seq}).scalar_one()
        names = names_of(db, (person_of(who) for who, _ in state.seeds))
        live.seeders = {token(person): name for person, name in names.items()}
        secret = None
        if state.shoe and (
            state.cut or not state.closed
        ):  # nobody needs that of a table that was voided, or can open it
            with intact(id, f"shoe {id}-{state.shoe}"):
                sealed = db.execute(_SEALED, {"id": id, "number": state.shoe}).scalar_one()
                secret = self.seal.open(sealed, f"{id}-{state.shoe}")
        with intact(id, f"round {id}-{state.round}"):
            log = self._log(db, live)
            live.take_up(secret, log)
            if log and not state.playing:
                live.show_last(log)
        with intact(id, "how it is now"):
            check_fits(live, row.status, *db.execute(_LAST, {"id": id}).one())
            msgspec.json.encode(now_of(live))
        return live

    def _log(self, db: Connection, live: Live) -> list[AnyEvent]:
        """The log of the last round. Steps before its deal are not read: the bets are stored with the table's state."""
        laid = live.state.laid
        if laid and not laid.dealt:
            return laid.log(()) if live.state.playing else []
        asked = {"id": live.id, "number": live.state.round, "since": laid.dealt if laid else 0}
        events = [event for text in db.execute(_STEPS, asked).scalars() for event in of_round(read(text))]
        return laid.log(events) if laid else events  # a round begun by an older version has only its steps


class Saved(Protocol):
    """A table as it is saved."""

    id: int
    seq: int
    at: int
    state: TableState
    saved: bytes


def save(db: Connection, lives: Sequence[Saved], steps: list[dict[str, Any]], writes: Writes) -> None:
    """Write what commands have changed; shoes and rounds come before the steps that refer to them."""
    for statement, rows in (
        (_SHOE, writes.shoes),
        (_CUT, writes.cut),
        (_REVEAL, writes.revealed),
        (_ROUND, writes.rounds),
        (_END, writes.ended),
        (_STEP, steps),
        (_BET, writes.bets),
        (_SAVE, [_saved(live) for live in lives]),
    ):
        write_rows(db, statement, rows)


def _saved(live: Saved) -> dict[str, Any]:
    return {
        "t": live.id,
        "new_seq": live.seq,
        "new_state": live.saved.decode(),
        "new_deadline": live.state.due,
        "new_status": "closed" if live.state.closed else "open",
        "new_closed_at": live.at if live.state.closed else None,
    }
