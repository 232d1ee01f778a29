"""The house's books: what each wager has won, beside what the exact figures expect."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import sqrt
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Float, case, cast, func, select

from feltlab.floor.house.config import read_config, read_table
from feltlab.floor.ledger.accounts import BANK, HOUSE, table_float
from feltlab.floor.ledger.expected_win import ANY, Expected, ExpectedQuery
from feltlab.floor.records.damage import Damaged, intact, shown_name, typed
from feltlab.floor.storage import schema

PART = 2**32  # amounts are added in two parts, because their sum may exceed 64 bits
NOT_YET = "its exact figures are still being counted; look again in a minute"
Answers = Mapping[ExpectedQuery, Mapping[str, Expected]]
"""The expected wins of tables' wagers that are known already."""


class WagerBook(Struct, frozen=True):
    """What a wager has won at a table, beside what the exact figures expect; money in cents."""

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
    """The books of a table. `trouble` says what cannot be read."""

    table: int
    name: str
    sheet: str
    status: str
    rounds: int
    float: int
    wagers: list[WagerBook]
    trouble: str = ""


class Books(Struct, frozen=True):
    """The books of the house, in cents: players' chips, floats and house add up to what was bought in.

    `unread` names accounts whose balance is not a number; they are in none of the sums.
    """

    players: int
    floats: int
    house: int
    bought_in: int
    tables: list[TableBook]
    unread: list[str] = []


class Taken(NamedTuple):
    """The totals of a wager at a table. `first` is what was staked before doubles and splits, `squares` its squares."""

    bets: int
    first: int
    squares: int
    handle: int
    win: int


def taken(db: Connection, table: int) -> dict[str, Taken]:
    """The totals by wager. A split hand adds to the handle of its wager, not to the number of bets."""
    b = schema.bets
    of_first_hand = case((b.c.hand == 0, b.c.first), (b.c.wager != "main", b.c.first), else_=0)
    sums = {"first": of_first_hand, "handle": b.c.stake, "win": b.c.stake - b.c.back}
    rows = db.execute(
        select(
            b.c.wager,
            func.sum(case((of_first_hand > 0, 1), else_=0)).label("bets"),
            func.sum(cast(of_first_hand, Float) * of_first_hand).label("squares"),  # too large for 64 bits
            *(func.sum(amount // PART).label(f"{name}_high") for name, amount in sums.items()),
            *(func.sum(amount % PART).label(f"{name}_low") for name, amount in sums.items()),
        )
        .where(b.c.table_id == table)
        .group_by(b.c.wager)
    )
    found = {}
    for row in rows.mappings():
        whole = {name: int(row[f"{name}_high"]) * PART + int(row[f"{name}_low"]) for name in sums}
        found[row["wager"]] = Taken(bets=int(row["bets"]), squares=int(row["squares"]), **whole)
    return found


def wager_book(wager: str, took: Taken, law: Expected) -> WagerBook:
    """The line of a wager: hold is win over handle; deviations are of the win from the expected win."""
    hold = took.win / took.handle if took.handle else None
    if law.edge is None or law.variance is None:
        return WagerBook(wager, took.bets, took.handle, took.win, hold, None, None, None, law.note)
    expected, spread = took.first * law.edge, sqrt(took.squares * law.variance)
    deviations = (took.win - expected) / spread if spread else None
    return WagerBook(wager, took.bets, took.handle, took.win, hold, law.edge, expected, deviations)


def questions(db: Connection, table: int | None = None) -> list[ExpectedQuery]:
    """The distinct queries for the books of a table, or of all tables where something was wagered."""
    t, b, sheets = schema.tables, schema.bets, schema.sheets
    played = select(b.c.table_id).where(b.c.table_id == t.c.id).exists()
    rows = select(t.c.id, t.c.config, t.c.config_sha256, sheets.c.text).join(sheets, sheets.c.sha256 == t.c.sheet)
    rows = rows.where(played).order_by(t.c.id)
    queries: dict[ExpectedQuery, None] = {}
    for row in db.execute(rows if table is None else rows.where(t.c.id == table)):
        with suppress(Damaged), intact(row.id, "its configuration or its sheet"):
            queries[_question(row)] = None
    return list(queries)


def _question(row: Any) -> ExpectedQuery:
    """The query for a row of `tables` with its sheet, which is checked to be readable first."""
    read_table(row.config, row.config_sha256, row.text)
    return ExpectedQuery.of(row.config, row.text)


def table_book(db: Connection, table: int, answers: Answers) -> TableBook | None:
    """The books of a table; None if there is no such table."""
    t = schema.tables
    row = db.execute(select(t.c.name, t.c.status).where(t.c.id == table)).first()
    if row is None:
        return None
    try:
        with intact(table, "its book"):
            return _table_book(db, table, answers)
    except Damaged as damaged:
        status = row.status if row.status in ("open", "closed") else ""
        return TableBook(table, shown_name(table, row.name), "", status, 0, 0, [], damaged.reason)


def _table_book(db: Connection, table: int, answers: Answers) -> TableBook:
    t, r, a, sheets = schema.tables, schema.rounds, schema.accounts, schema.sheets
    row = db.execute(select(t, sheets.c.text).join(sheets, sheets.c.sha256 == t.c.sheet).where(t.c.id == table)).one()
    rounds = db.execute(
        select(func.count()).select_from(r).where(r.c.table_id == table, r.c.ended_at.is_not(None))
    ).scalar_one()
    won = db.execute(select(a.c.balance).where(a.c.name == table_float(table))).scalar_one()
    took = taken(db, table)
    laws = answers.get(_question(row), {})
    others = laws.get(ANY, Expected(note=NOT_YET))
    return typed(
        TableBook(
            table=table,
            name=row.name,
            sheet=read_config(row.config).sheet,
            status=row.status,
            rounds=rounds,
            float=won,
            wagers=[wager_book(wager, one, laws.get(wager, others)) for wager, one in sorted(took.items())],
        )
    )


def books(db: Connection, answers: Answers) -> Books:
    """The books of all tables, and where the chips are."""
    a = schema.accounts
    sums: dict[str, int] = {}
    unread: list[str] = []
    for name, balance in db.execute(select(a.c.name, a.c.balance).order_by(a.c.name)):
        if not isinstance(name, str) or not isinstance(balance, int):
            unread.append(str(name)[:60])
            continue
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
        unread=unread,
    )
