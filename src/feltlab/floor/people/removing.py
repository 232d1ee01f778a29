"""Deletes a person's data: the name, the password, the sessions. What was played stays, under the person's number.

Nothing that was hashed changes: events and acts refer to people by number, and the hash of a person's row includes a salt
that is deleted with the name, so that the name cannot be found by guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sqlalchemy import Connection, delete, select, update

from feltlab.errors import Refused
from feltlab.floor.desk import Desk, Job
from feltlab.floor.ledger.accounts import BANK, chips
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.people import people
from feltlab.floor.people.names import gone
from feltlab.floor.people.own_limits import forget_limits
from feltlab.floor.storage import schema
from feltlab.floor.tables.commands import Leave
from feltlab.floor.tables.live import Person


def seats_of(db: Connection, person: int) -> list[int]:
    """The open tables where a person sits."""
    t = schema.tables
    tables = select(t.c.id).where(t.c.status == "open", t.c.state.like(f'%"person":{person},%')).order_by(t.c.id)
    return list(db.execute(tables).scalars())


def remove(desk: Desk, person: Person, *, by: int | None) -> None:
    """Leave all seats and delete the person's data; refused while they have wagers in play."""
    for errand in errands(desk.plain(lambda db, _: seats_of(db, person.id)), person, by=by):
        errand(desk)


def errands(seats: Sequence[int], person: Person, *, by: int | None) -> Iterator[Callable[[Desk], object]]:
    """The errands of a removal, table by table, so that a desk can serve others in between."""

    def look(desk: Desk, table: int) -> None:
        live = desk.look(table)
        if not live.betting and live.has_bets(live.seat_of(person)):
            raise _in_play(table)

    for table in seats:
        yield partial(look, table=table)
    for table in seats:
        yield lambda desk, table=table: desk.do(Job(table, Leave(), person))  # type: ignore[misc]
    yield lambda desk: desk.plain(lambda db, now: _delete(db, person, now, by=by))


def _in_play(table: int) -> Refused:
    return Refused(f"there are wagers in play at table {table}; try again when the round is over")


def _delete(db: Connection, person: Person, now: int, *, by: int | None) -> None:
    p, s, account = schema.people, schema.sessions, chips(person.id)
    ledger = Ledger(db, now)
    ledger.balance(BANK)  # locked in the same order as for a buy-in
    left = ledger.balance(account)  # while it is locked, nobody can sit down with these chips
    if seats := seats_of(db, person.id):
        raise _in_play(seats[0])
    if left:
        ledger.move(account, BANK, left, "cash-out")
        ledger.store()
        people.record_transfer(db, ledger, person.id, by=by)
    nothing = {"kind": people.GONE, "name": gone(person.id), "password": None, "salt": None, "looks": None}
    db.execute(update(p).where(p.c.id == person.id).values(nothing))
    db.execute(delete(s).where(s.c.person == person.id))
    db.execute(delete(schema.factors).where(schema.factors.c.person == person.id))
    forget_limits(db, person.id)
    people.record_person(db, person.id, "remove", now, by=by)
