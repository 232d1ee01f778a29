"""The house's books: what each wager brought in, beside what the exact figures expect of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Float, case, cast, func, select

from feltlab.floor import schema
from feltlab.floor.config import read_config
from feltlab.floor.expecting import Expected, Question
from feltlab.floor.ledger import BANK, HOUSE, table_float

NOT_YET = "its exact figures are still being counted; look again in a minute"
Answers = Mapping[Question, Mapping[str, Expected]]
"""What is known already of what tables' wagers are expected to win."""


class WagerBook(Struct, frozen=True):
    """What a wager has brought in at a table, beside what the exact figures expect of it; money in cents."""

    wager: str
    bets: int
    handle: int
    win: int
    hold: float | None
    edge: float | None
    expected: float | None
    deviations: float | None
    note: str = ""


class TableBook(Struct, frozen=True):
    """The books of a table."""

    table: int
    name: str
    sheet: str
    status: str
    rounds: int
    float: int
    wagers: list[WagerBook]


class Books(Struct, frozen=True):
    """The books of the house, in cents: players' chips, floats and house are together what was bought in."""

    players: int
    floats: int
    house: int
    bought_in: int
    tables: list[TableBook]


class Taken(NamedTuple):
    """What a wager took in at a table. `first` is what was staked before doubles and splits, `squares` of that."""

    bets: int
    first: int
    squares: int
    handle: int
    win: int


def taken(db: Connection, table: int) -> dict[str, Taken]:
    """By wager. A split hand is part of the wager that was split: it adds to the handle, not to the bets."""
    b = schema.bets
    of_first_hand = case((b.c.hand == 0, b.c.first), (b.c.wager != "main", b.c.first), else_=0)
    rows = db.execute(
        select(
            b.c.wager,
            func.sum(case((of_first_hand > 0, 1), else_=0)),
            func.sum(of_first_hand),
            func.sum(cast(of_first_hand, Float) * of_first_hand),  # too large for whole numbers of 64 bits
            func.sum(b.c.stake),
            func.sum(b.c.stake - b.c.back),
        )
        .where(b.c.table_id == table)
        .group_by(b.c.wager)
    )
    return {wager: Taken(*(int(number) for number in numbers)) for wager, *numbers in rows}


def wager_book(wager: str, took: Taken, law: Expected) -> WagerBook:
    """A wager's line: hold is win over handle; deviations are of the win from what was to be expected."""
    hold = took.win / took.handle if took.handle else None
    if law.edge is None or law.variance is None:
        return WagerBook(wager, took.bets, took.handle, took.win, hold, None, None, None, law.note)
    expected, spread = took.first * law.edge, sqrt(took.squares * law.variance)
    deviations = (took.win - expected) / spread if spread else None
    return WagerBook(wager, took.bets, took.handle, took.win, hold, law.edge, expected, deviations)


def questions(db: Connection, table: int | None = None) -> list[Question]:
    """What must be counted for the books of a table, or of all: each once, for tables at which something was wagered."""
    t, b, sheets = schema.tables, schema.bets, schema.sheets
    played = select(b.c.table_id).where(b.c.table_id == t.c.id).exists()
    rows = select(t.c.config, sheets.c.text).join(sheets, sheets.c.sha256 == t.c.sheet).where(played).order_by(t.c.id)
    found = db.execute(rows if table is None else rows.where(t.c.id == table))
    return list(dict.fromkeys(Question.of(config, text) for config, text in found))


def table_book(db: Connection, table: int, answers: Answers) -> TableBook | None:
    """The books of one table; None if there is no such table."""
    t, r, a = schema.tables, schema.rounds, schema.accounts
    row = db.execute(
        select(t, schema.sheets.c.text).join(schema.sheets, schema.sheets.c.sha256 == t.c.sheet).where(t.c.id == table)
    ).first()
    if row is None:
        return None
    rounds = db.execute(
        select(func.count()).select_from(r).where(r.c.table_id == table, r.c.ended_at.is_not(None))
    ).scalar_one()
    won = db.execute(select(a.c.balance).where(a.c.name == table_float(table))).scalar_one()
    took = taken(db, table)
    laws = answers.get(Question.of(row.config, row.text), {})
    return TableBook(
        table=table,
        name=row.name,
        sheet=read_config(row.config).sheet,
        status=row.status,
        rounds=rounds,
        float=won,
        wagers=[wager_book(wager, one, laws.get(wager, Expected(note=NOT_YET))) for wager, one in sorted(took.items())],
    )


def books(db: Connection, answers: Answers) -> Books:
    """All tables, and where the chips are."""
    a = schema.accounts
    sums: dict[str, int] = {}
    for name, balance in db.execute(select(a.c.name, a.c.balance)):
        kind = name.partition(":")[0]
        sums[kind] = sums.get(kind, 0) + balance
    ids = db.execute(select(schema.tables.c.id).order_by(schema.tables.c.id)).scalars().all()
    found = (table_book(db, id, answers) for id in ids)
    return Books(
        players=sum(sums.get(kind, 0) for kind in ("chips", "seat", "felt")),
        floats=sums.get("float", 0),
        house=sums.get(HOUSE, 0),
        bought_in=-sums.get(BANK, 0),
        tables=[book for book in found if book],
    )
