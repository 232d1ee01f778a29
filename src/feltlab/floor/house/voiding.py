"""Voids tables that cannot go on, from their steps alone, without the key or the shoe.

Each table gets one more step like any other: open wagers are returned, everybody leaves with their chips, and the table is
closed. Its shoe is never revealed, because nobody can open it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, func, select, update

from feltlab.errors import FeltlabError
from feltlab.floor.ledger.accounts import table_of
from feltlab.floor.ledger.chain import stream
from feltlab.floor.ledger.table_money import TableMoney
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.people import acts
from feltlab.floor.records import links
from feltlab.floor.storage import schema
from feltlab.floor.storage.store import save
from feltlab.floor.tables.commands import VoidRound
from feltlab.floor.tables.events import write, write_moves
from feltlab.floor.tables.live import Writes
from feltlab.floor.tables.state import TableState
from feltlab.rounds.commands import Void

t, p, r, s = schema.tables, schema.steps, schema.rounds, schema.shoes


class Voided(NamedTuple):
    """What was returned at a table, in cents: the wagers on the felt, and all chips that left the table."""

    table: int
    wagers: int
    chips: int


@dataclass
class _Closed:
    """A table as it is saved."""

    id: int
    seq: int
    at: int
    state: TableState
    saved: bytes


def void_all(db: Connection, reason: str, now: int) -> list[Voided]:
    """Void all tables that are not closed, and record an act with the reason for each."""
    rows = db.execute(select(t.c.id, t.c.seq).where(t.c.status != "closed").order_by(t.c.id).with_for_update()).all()
    done = [_void(db, row, reason, now) for row in rows]
    for voided in done:
        acts.record(db, at=now, by=None, act="void", subject=acts.of_table(voided.table), detail={"reason": reason})
    a = schema.accounts
    db.execute(update(a).where(a.c.reserved != 0).values(reserved=0))  # no seat is left that needs a reserve
    return done


def _void(db: Connection, row: Row[Any, Any], reason: str, now: int) -> Voided:
    id, money = row.id, _followed(db, row.id, row.seq)
    at = max(now, db.execute(select(func.max(p.c.at)).where(p.c.table_id == id)).scalar_one())
    ledger = Ledger(db, now)
    for account, expected in money.balances.items():
        if table_of(account) == id and ledger.balance(account) != expected:
            raise FeltlabError(
                f"table {id} cannot be voided: {account} does not agree with its steps; see `feltlab ledger check`"
            )
    number, wagers = money.round_in_play, money.open_bets
    state = _state(db, id, at)
    saved = msgspec.json.encode(state)
    step: dict[str, Any] = {
        "table_id": id,
        "seq": row.seq + 1,
        "round": number if money.can_void else None,
        "person": None,
        "at": at,
        "command": msgspec.json.encode(VoidRound(reason)).decode(),
        "moves": write_moves([Void(reason)] if money.can_void else []),
        "events": write(money.ending(reason)),
        "state": links.of_state(saved.decode()),
    }
    entries = money.follow(msgspec.convert(step, _MoneyStep))
    for entry in entries:
        ledger.move(entry.source, entry.target, entry.amount, entry.why, seq=row.seq + 1, bet=entry.bet)
    writes = Writes(bets=[{"table_id": id, **settled._asdict()} for settled in money.settled])
    if number:
        writes.ended.append({"t": id, "n": number, "ended_at": at, "last_seq": row.seq + 1})
    last = db.execute(select(p.c.link).where(p.c.table_id == id, p.c.seq == row.seq)).scalar_one()
    step["link"] = links.of_step(
        last,
        step,
        ledger.made_since((0, 0)),
        sealed=(),
        began=(),
        ended=[{**ended, "number": ended["n"]} for ended in writes.ended],
    )
    ledger.store()
    save(db, [_Closed(id, row.seq + 1, at, state, saved)], [step], writes)
    acts.record_end(db, id, row.seq + 1, step["link"], at=now)
    return Voided(id, wagers, sum(entry.amount for entry in entries if entry.why == "leave"))


class _MoneyStep(msgspec.Struct):
    """The parts of a step that `TableMoney` follows."""

    events: str
    at: int
    person: int | None


def _followed(db: Connection, table: int, last: int) -> TableMoney:
    """The money of a table after all its steps."""
    money, seq = TableMoney(table), 0
    with stream(db, select(p).where(p.c.table_id == table).order_by(p.c.seq)) as steps:
        for step in steps:
            if step.seq != (seq := seq + 1):
                break
            try:
                money.follow(step)
            except FeltlabError as error:
                raise FeltlabError(f"table {table} cannot be voided: step {seq}: {error}") from None
    if seq != last:
        raise FeltlabError(f"table {table} cannot be voided: step {seq} is not where it should be, or not its last")
    return money


def _state(db: Connection, table: int, at: int) -> TableState:
    """A new state for a closed table, because the stored one may be unreadable."""
    last = db.execute(select(func.max(r.c.number)).where(r.c.table_id == table)).scalar()
    shoe = db.execute(select(s).where(s.c.table_id == table).order_by(s.c.number.desc()).limit(1)).first()
    state = TableState(at=at, round=last or 0, closing=True, closed=True)
    if shoe:
        state.shoe, state.commitment = shoe.number, shoe.commitment
    return state
