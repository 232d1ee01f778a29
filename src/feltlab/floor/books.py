"""The house's books: what each wager brought in, beside what the exact figures expect of it."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, case, func, select

from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError
from feltlab.figures import Figures
from feltlab.floor import schema
from feltlab.floor.config import read_config
from feltlab.floor.ledger import BANK, HOUSE, table_float


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
            func.sum(of_first_hand * of_first_hand),
            func.sum(b.c.stake),
            func.sum(b.c.stake - b.c.back),
        )
        .where(b.c.table_id == table)
        .group_by(b.c.wager)
    )
    return {wager: Taken(*(int(number) for number in numbers)) for wager, *numbers in rows}


@cache
def _figures(config: str, text: str) -> dict[str, Figures | str]:
    """The exact figures of a table's wagers by basic strategy, or why there are none. Takes a while the first time."""
    analysis = Analysis(read_config(config).table(text).setup)
    found: dict[str, Figures | str] = {}
    for id in analysis.setup.wagers:
        try:
            found[id] = next(iter(analysis.all_figures(id))).figures
        except FeltlabError as error:
            found[id] = str(error)
    return found


def wager_book(wager: str, took: Taken, figures: Figures | str) -> WagerBook:
    """A wager's line: hold is win over handle; deviations are of the win from what was to be expected."""
    hold = took.win / took.handle if took.handle else None
    if isinstance(figures, str) or not figures.varies_by_round:
        note = figures if isinstance(figures, str) else "what whole rounds win is not counted"
        return WagerBook(wager, took.bets, took.handle, took.win, hold, None, None, None, note)
    edge = float(figures.house_edge)
    expected, spread = took.first * edge, sqrt(took.squares * float(figures.variance))
    deviations = (took.win - expected) / spread if spread else None
    return WagerBook(wager, took.bets, took.handle, took.win, hold, edge, expected, deviations)


def table_book(db: Connection, table: int) -> TableBook | None:
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
    figures = _figures(row.config, row.text) if took else {}
    return TableBook(
        table=table,
        name=row.name,
        sheet=read_config(row.config).sheet,
        status=row.status,
        rounds=rounds,
        float=won,
        wagers=[wager_book(wager, one, figures[wager]) for wager, one in sorted(took.items())],
    )


def books(db: Connection) -> Books:
    """All tables, and where the chips are."""
    a = schema.accounts
    sums: dict[str, int] = {}
    for name, balance in db.execute(select(a.c.name, a.c.balance)):
        kind = name.partition(":")[0]
        sums[kind] = sums.get(kind, 0) + balance
    ids = db.execute(select(schema.tables.c.id).order_by(schema.tables.c.id)).scalars().all()
    found = (table_book(db, id) for id in ids)
    return Books(
        players=sum(sums.get(kind, 0) for kind in ("chips", "seat", "felt")),
        floats=sums.get("float", 0),
        house=sums.get(HOUSE, 0),
        bought_in=-sums.get(BANK, 0),
        tables=[book for book in found if book],
    )
