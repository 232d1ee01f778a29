"""Live tables out of the database, and what commands changed back into it."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from feltlab.errors import FeltlabError
from feltlab.floor import schema
from feltlab.floor.config import read_config
from feltlab.floor.events import of_round, read
from feltlab.floor.fair import Seal
from feltlab.floor.live import Live, State, Writes
from feltlab.floor.rows import write_rows

t, s, r, p = schema.tables, schema.shoes, schema.rounds, schema.steps

_LOCK = select(t.c.id, t.c.seq).where(t.c.id.in_(bindparam("ids", expanding=True))).order_by(t.c.id).with_for_update()
_LOOK = select(t.c.id, t.c.seq).where(t.c.id.in_(bindparam("ids", expanding=True)))
_ROW = select(t, schema.sheets.c.text).join(schema.sheets, t.c.sheet == schema.sheets.c.sha256)
_ROW = _ROW.where(t.c.id == bindparam("id"))
_STEPS = select(p.c.events).where(p.c.table_id == bindparam("id"), p.c.round == bindparam("number")).order_by(p.c.seq)
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


class Tables:
    """The live tables that this process knows. One that another process has changed is read anew."""

    def __init__(self, seal: Seal) -> None:
        self.seal = seal
        self._lives: dict[int, Live] = {}
        self.broken: dict[int, FeltlabError] = {}  # tables that cannot be taken up, and why

    def find(self, db: Connection, ids: set[int], *, lock: bool) -> dict[int, Live]:
        """The tables of these numbers as they are now, locked in the order of their numbers; unknown ones are left out."""
        found: dict[int, Live] = {}
        for id, seq in db.execute(_LOCK if lock else _LOOK, {"ids": sorted(ids)}):
            live = self._lives.get(id)
            if live is None or live.seq != seq:
                self.broken.pop(id, None)
                try:
                    live = self._lives[id] = self._load(db, id)
                except FeltlabError as error:  # the others can go on
                    self.broken[id] = error
                    continue
            found[id] = live
        return found

    def forget(self, ids: set[int] | None = None) -> None:
        """What is in memory may not be what is stored: read it anew when it is needed."""
        for id in list(self._lives) if ids is None else ids:
            self._lives.pop(id, None)

    def _load(self, db: Connection, id: int) -> Live:
        row = db.execute(_ROW, {"id": id}).one()
        config = read_config(row.config)
        state = msgspec.json.decode(row.state, type=State)
        balances = {row.name: row.balance for row in db.execute(_BALANCES, {"id": id})}
        live = Live(
            id, row.name, config, config.table(row.text), self.seal, seq=row.seq, state=state, balances=balances
        )
        secret = None
        if state.shoe:
            sealed = db.execute(_SEALED, {"id": id, "number": state.shoe}).scalar_one()
            secret = self.seal.open(sealed, f"{id}-{state.shoe}")
        texts = db.execute(_STEPS, {"id": id, "number": state.round}).scalars()
        log = [event for text in texts for event in of_round(read(text))]
        live.take_up(secret, log)
        if log and not state.playing:
            live.show_last(log)
        return live


def save(db: Connection, lives: list[Live], steps: list[dict[str, Any]], writes: Writes) -> None:
    """Write what commands have changed. Shoes and rounds before the steps that speak of them."""
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


def _saved(live: Live) -> dict[str, Any]:
    return {
        "t": live.id,
        "new_seq": live.seq,
        "new_state": live.saved.decode(),
        "new_deadline": live.state.deadline,
        "new_status": "closed" if live.state.closed else "open",
        "new_closed_at": live.at if live.state.closed else None,
    }
