"""Proves the ledger: every transfer continues the balances before it and agrees with the steps of its table.

Rows are streamed, so a ledger of any length can be checked. The error names the first row that shows what is wrong: a row
that was removed shows at the next row of its accounts or its table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.floor.ledger.accounts import HOUSE, chips, felt
from feltlab.floor.ledger.chain import HELD, Broken, Chain, counted, stream
from feltlab.floor.ledger.table_money import ExpectedTransfer, Mismatch, Settled, TableMoney
from feltlab.floor.records.column_types import sound
from feltlab.floor.records.damage import readable
from feltlab.floor.storage import schema
from feltlab.floor.tables.state import TableState


class LedgerReport(Struct, frozen=True):
    """What was checked, and where the chips are: players, floats and house add up to what was bought in."""

    rows: int
    accounts: int
    tables: int
    steps: int
    bets: int
    players: int
    floats: int
    house: int
    bought_in: int


def check(db: Connection, tell: Callable[[str], None] = lambda _: None) -> LedgerReport:
    """Check the whole ledger in a transaction with one snapshot. Raises `Broken` with the first row that is wrong."""
    with readable("the ledger", Broken):
        return _check(db, tell)


def _check(db: Connection, tell: Callable[[str], None]) -> LedgerReport:
    last = _last_steps(db)
    chain, books = Chain(set(last)), [Book(id, seq) for id, seq in last.items()]
    parts: list[Chain | Book] = [chain, *books]
    found: list[Broken] = []
    for part in parts:
        try:
            with readable(part.name, Broken):
                part.check(db, tell)
        except Broken as broken:
            found.append(broken)
    if found:
        raise min(found, key=lambda broken: float("inf") if broken.row is None else broken.row)
    chain.check_accounts(db)
    for book in books:
        book.check_felt(chain)
    check_room(db, {book.table: book.money for book in books})
    sums = chain.sums()
    return LedgerReport(
        rows=chain.rows,
        accounts=len(chain.balances),
        tables=len(books),
        steps=sum(last.values()),
        bets=sum(book.bets for book in books),
        players=sum(sums[kind] for kind in HELD),
        floats=sums["float"],
        house=sums[HOUSE],
        bought_in=chain.bought_in,
    )


def _last_steps(db: Connection) -> dict[int, int]:
    """The number of the last step of each table."""
    t = schema.tables
    tables = select(t.c.id, t.c.seq).order_by(t.c.id)
    return {row.id: row.seq for row in sound(db.execute(tables), tables, Broken)}


def check_room(db: Connection, moneys: Mapping[int, TableMoney]) -> None:
    """Check that the seats agree with the steps, and that each person's reserve is the sum of the room of their seats.

    With a wrong reserve a person could win too much, or play too little.
    """
    t, a = schema.tables, schema.accounts
    rooms: Counter[str] = Counter()
    for id, state in db.execute(select(t.c.id, t.c.state).where(t.c.status == "open")):
        try:
            seats = msgspec.json.decode(state, type=TableState).seats
        except (ValueError, TypeError, RecursionError) as error:
            raise Broken(f"the state of table {id} cannot be read: {error}") from None
        if (there := {seat.person: tuple(sorted(seat.spots)) for seat in seats}) != moneys[id].seats:
            raise Broken(f"at table {id} the spots of each person are {there}, but the steps say {moneys[id].seats}")
        for seat in seats:
            rooms[chips(seat.person)] += seat.room
    for name, reserved in db.execute(select(a.c.name, a.c.reserved).order_by(a.c.name)):
        if reserved != rooms[name]:
            raise Broken(f"{name} has {reserved} cents reserved, but the seats there are have room for {rooms[name]}")


class Book:
    """The check of one table: its steps against its transfers and its settled wagers."""

    def __init__(self, table: int, seq: int) -> None:
        self.table, self.seq = table, seq
        self.name = f"what the steps of table {table} say of its money"
        self.bets = 0
        self.money = TableMoney(table)

    def check(self, db: Connection, tell: Callable[[str], None]) -> None:
        """Check that each step made exactly its transfers, and that each settled wager is stored once."""
        x, b, p = schema.transfers, schema.bets, schema.steps
        rows, bets, steps = (
            select(one).where(one.c.table_id == self.table).order_by(*order)
            for one, order in (
                (x, [x.c.id]),
                (b, [b.c.round, b.c.bet]),
                (p, [p.c.seq]),
            )
        )
        with stream(db, rows) as moved, stream(db, bets) as kept, stream(db, steps) as gone:
            self._check(
                sound(moved, rows, Broken),
                sound(kept, bets, Broken),
                counted(sound(gone, steps, Broken), f"the ledger, table {self.table}", tell),
            )

    def _check(self, rows: Iterator[Any], bets: Iterator[Any], steps: Iterator[Any]) -> None:
        row, last = next(rows, None), 0
        for step in steps:
            if step.seq != last + 1:
                raise Broken(f"step {self.table}-{last + 1} is missing", row and row.id)
            last = step.seq
            try:
                entries = self.money.follow(step)
            except Mismatch as error:
                raise Broken(f"step {self.table}-{last}: {error}", row and row.id) from None
            if self.money.acted and step.moves == "[]":
                raise Broken(f"step {self.table}-{last}: its round has events, but it made no move", row and row.id)
            for entry in entries:
                self._compare(row, entry, last)
                row = next(rows, None)
            for settled in self.money.settled:
                self._compare_bet(next(bets, None), settled)
        if row is not None:
            raise Broken(f"no step of table {self.table} made it", row.id)
        if last != self.seq:
            raise Broken(f"table {self.table} has gone {self.seq} steps, but the last that is kept is {last}")
        if bet := next(bets, None):
            raise Broken(f"{self._name(bet)} is kept, but no step settles it")

    def _compare(self, row: Any, entry: ExpectedTransfer, seq: int) -> None:
        if row is None:
            raise Broken(f"step {self.table}-{seq} made a transfer that is missing: {_describe(entry)}")
        kept = ExpectedTransfer(row.source, row.target, row.amount, row.why, row.bet)
        if (row.seq, kept) != (seq, entry):
            raise Broken(
                f"it is {_describe(kept)} in step {row.seq}, but step {self.table}-{seq} made {_describe(entry)}",
                row.id,
            )

    def _compare_bet(self, bet: Any, settled: Settled) -> None:
        self.bets += 1
        if bet is None or (bet.round, bet.bet) > (settled.round, settled.bet):
            raise Broken(f"{self._name(settled)} was settled, but is not kept")
        if (bet.round, bet.bet) < (settled.round, settled.bet):
            raise Broken(f"{self._name(bet)} is kept, but no step settles it")
        for field, expected in settled._asdict().items():
            if (kept := getattr(bet, field)) != expected:
                raise Broken(f"{self._name(bet)} is kept with {field} {kept}, but the steps say {expected}")

    def _name(self, bet: Any) -> str:
        return f"bet {bet.bet} of round {self.table}-{bet.round}"

    def check_felt(self, chain: Chain) -> None:
        """Check that the felt holds the open wagers of the round in play."""
        held = chain.balances.get(felt(self.table), 0)
        if held != self.money.open_bets:
            raise Broken(f"{felt(self.table)} holds {held} cents, but the open wagers are {self.money.open_bets}")


def _describe(entry: ExpectedTransfer) -> str:
    of = "" if entry.bet is None else f", bet {entry.bet}"
    return f"{entry.amount} cents from {entry.source} to {entry.target} ({entry.why}{of})"
