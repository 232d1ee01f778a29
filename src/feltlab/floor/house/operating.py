"""What an operator does to a table from the command line, through the same desk and steps as the house."""

from __future__ import annotations

from feltlab.errors import FeltlabError
from feltlab.floor.desk import Desk, Job
from feltlab.floor.records.damage import Damaged
from feltlab.floor.storage.database import Unavailable
from feltlab.floor.tables.commands import CloseTable, VoidRound
from feltlab.money import amount_text
from feltlab.rounds.commands import Void


def void_round(desk: Desk, table: int, reason: str, *, close: bool) -> str:
    """Void the round at a table, and close the table if asked to; returns a sentence about what was done."""
    try:
        return _void_round(desk, table, reason, close=close)
    except Damaged as error:  # the operator may see the reason
        raise FeltlabError(f"table {table} is out of order: {error.reason}") from error
    except Unavailable as error:
        raise FeltlabError(str(error)) from error


def _void_round(desk: Desk, table: int, reason: str, *, close: bool) -> str:
    live, done, closed = desk.look(table), [], False
    number, open_ = live.state.round, live.round.felt.open() if live.round else []
    if not close or (live.round and live.round.can(Void(reason))):
        now = desk.do(Job(table, VoidRound(reason))).now
        closed = now is not None and now.status == "closed"
        stakes = amount_text(sum(bet.stake for bet in open_))
        done.append(f"round {table}-{number} is void: {len(open_)} open wagers, {stakes} in all, went back")
    if close and not closed:
        desk.do(Job(table, CloseTable()))
        closed = True
    if closed:
        done.append(f"table {table} is closed: everybody has their chips")
    return "; ".join(done)
