"""What a person has on the felt of all tables, according to the ledger."""

from __future__ import annotations

from sqlalchemy import BigInteger, BindParameter, Connection, bindparam, case, cast, func, or_, select

from feltlab.floor.ledger.accounts import felt, seat
from feltlab.floor.storage import schema

_t, _r, _a, _x = schema.tables, schema.rounds, schema.accounts, schema.transfers
_TABLES = select(_t.c.id).where(_t.c.status == "open")
_SEATS = select(_a.c.table_id).where(_a.c.name.in_(bindparam("names", expanding=True)))

_table: BindParameter[int] = bindparam("t")
_felt: BindParameter[str] = bindparam("felt")
_began = (  # the round in play, if there is one: a table's last
    select(_r.c.first_seq)
    .where(_r.c.table_id == _table, _r.c.ended_at.is_(None))
    .where(_r.c.number == select(func.max(_r.c.number)).where(_r.c.table_id == _table).scalar_subquery())
    .scalar_subquery()
)
_own = select(_x.c.bet).where(_x.c.table_id == _table, _x.c.seq >= _began, _x.c.source == bindparam("seat"))
_LIES = (
    select(cast(func.coalesce(func.sum(case((_x.c.source == _felt, -_x.c.amount), else_=_x.c.amount)), 0), BigInteger))
    .where(_x.c.table_id == _table, _x.c.seq >= _began, _x.c.bet.in_(_own))
    .where(or_(_x.c.source == _felt, _x.c.target == _felt))
)


def at_risk(db: Connection, person: int) -> int:
    """The total of a person's open wagers in cents, without what the present transaction has not written yet."""
    names = [seat(table, person) for table in db.execute(_TABLES).scalars()]
    tables = db.execute(_SEATS, {"names": names}).scalars().all()
    on_felt = (
        db.execute(_LIES, {"t": table, "felt": felt(table), "seat": seat(table, person)}).scalar_one()
        for table in tables
    )
    return sum(on_felt)
