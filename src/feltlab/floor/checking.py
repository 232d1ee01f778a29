"""Proves the ledger: every transfer continues the balances before it, and is what the steps of its table say.

Rows are gone through one by one and never held together, so a ledger of any length can be checked. Whatever is wrong,
the first row that shows it is named: a row that was removed is seen at the next one that misses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, select

from feltlab.errors import FeltlabError
from feltlab.floor import schema
from feltlab.floor.accounting import Entry, Mismatch, Settled, TableMoney
from feltlab.floor.ledger import BANK, HOUSE, MAY_OWE, felt, table_of
from feltlab.money import amount_text

AT_ONCE = 1000  # rows that are fetched together
PLAYERS = ("chips", "seat", "felt")

t, p, b, x = schema.tables, schema.steps, schema.bets, schema.transfers


class Broken(FeltlabError):
    """The ledger does not hold. `row` is the first transfer that shows it; None where no transfer does."""

    def __init__(self, why: str, row: int | None = None) -> None:
        super().__init__(f"transfer {row}: {why}" if row is not None else why)
        self.row, self.why = row, why


class Checked(Struct, frozen=True):
    """What was found in order, and where the chips are: players, floats and house are what was bought in."""

    rows: int
    accounts: int
    tables: int
    steps: int
    bets: int
    players: int
    floats: int
    house: int
    bought_in: int


def check(db: Connection) -> Checked:
    """Check the whole ledger; raises `Broken` with the first row that is wrong. `db` should see one moment."""
    tables = {id: seq for id, seq in db.execute(select(t.c.id, t.c.seq).order_by(t.c.id))}
    found: list[Broken] = []
    chain = Chain(set(tables))
    books = [Book(id, seq) for id, seq in tables.items()]
    for part in (chain, *books):
        try:
            part.check(db)
        except Broken as broken:
            found.append(broken)
    if found:
        raise min(found, key=lambda broken: (broken.row is None, broken.row))
    chain.check_accounts(db)
    for book in books:
        book.check_felt(chain.balances)
    sums = chain.sums()
    return Checked(
        rows=chain.rows,
        accounts=len(chain.balances),
        tables=len(tables),
        steps=sum(tables.values()),
        bets=sum(book.bets for book in books),
        players=sum(sums.get(kind, 0) for kind in PLAYERS),
        floats=sums.get("float", 0),
        house=sums.get(HOUSE, 0),
        bought_in=chain.bought_in,
    )


def _stream(db: Connection, rows: Select[Any]) -> Iterator[Any]:
    with db.execute(rows, execution_options={"yield_per": AT_ONCE}) as found:
        yield from found


class Chain:
    """All transfers in their order, whatever they are for: what each account holds after each."""

    def __init__(self, tables: set[int]) -> None:
        self.tables = tables
        self.rows = 0
        self.bought_in = 0
        self.balances: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def check(self, db: Connection) -> None:
        """Go through all transfers."""
        for row in _stream(db, select(x).order_by(x.c.id)):
            if why := self._wrong(row):
                raise Broken(why, row.id)
            self.rows += 1

    def _wrong(self, row: Any) -> str:
        """What is wrong with a row, after those before it; nothing if it is right."""
        if row.amount <= 0 or row.source == row.target:
            return f"it moves {row.amount} cents from {row.source} to {row.target}"
        kinds = {name.partition(":")[0] for name in (row.source, row.target)}
        if (table_of(row.source) or table_of(row.target)) != row.table_id:
            return f"{row.source} and {row.target} are not accounts of table {row.table_id}"
        if row.table_id is None and (kinds != {BANK, "chips"} or (row.seq, row.bet) != (None, None)):
            return f"no table moved this, and no one buys in or cashes from {row.source} to {row.target}"
        if row.table_id is not None and row.table_id not in self.tables:
            return f"there is no table {row.table_id}"
        for name, after, change in (
            (row.source, row.source_after, -row.amount),
            (row.target, row.target_after, row.amount),
        ):
            held = self.balances.get(name, 0)
            if after != held + change:
                since = f"after transfer {self._last[name]}" if name in self._last else "with no transfer before it"
                return (
                    f"{name} held {held} cents {since}, and {after} after {change:+}; this row is altered, or one"
                    " before it is altered or missing"
                )
            if after < 0 and name.partition(":")[0] not in MAY_OWE:
                return f"{name} would hold {after} cents, fewer than none"
            self.balances[name], self._last[name] = after, row.id
        self.bought_in += row.amount * ((row.source == BANK) - (row.target == BANK))
        return ""

    def check_accounts(self, db: Connection) -> None:
        """Every account holds what its transfers come to, and all of them together hold nothing."""
        stored = {}
        for name, table, balance in _stream(db, select(schema.accounts).order_by(schema.accounts.c.name)):
            stored[name] = balance
            if table != table_of(name):
                raise Broken(f"account {name} is kept as one of table {table}")
        for name in sorted({*stored, *self.balances}):
            held, moved = stored.get(name, 0), self.balances.setdefault(name, 0)
            if held != moved:
                last = f"the last of which is transfer {self._last[name]}" if name in self._last else "of which it has none"
                raise Broken(f"account {name} holds {held} cents, but its transfers, {last}, come to {moved}")
        sums = self.sums()
        others = sum(sums.get(kind, 0) for kind in (*PLAYERS, "float", HOUSE))
        if others + sums.get(BANK, 0) or others != self.bought_in:
            raise Broken(f"{amount_text(self.bought_in)} was bought in, but there are chips for {amount_text(others)}")

    def sums(self) -> dict[str, int]:
        """What the accounts of each kind hold together."""
        sums: dict[str, int] = {}
        for name, balance in self.balances.items():
            kind = name.partition(":")[0]
            sums[kind] = sums.get(kind, 0) + balance
        return sums


class Book:
    """One table: its steps beside its transfers and its settled wagers."""

    def __init__(self, table: int, seq: int) -> None:
        self.table, self.seq = table, seq
        self.bets = 0
        self.money = TableMoney(table)

    def check(self, db: Connection) -> None:
        """Each step moved exactly what it says, and its settled wagers are kept."""
        rows = _stream(db, select(x).where(x.c.table_id == self.table).order_by(x.c.id))
        bets = _stream(db, select(b).where(b.c.table_id == self.table).order_by(b.c.round, b.c.bet))
        row, bet, last = next(rows, None), next(bets, None), 0
        for step in _stream(db, select(p).where(p.c.table_id == self.table).order_by(p.c.seq)):
            last += 1
            if step.seq != last:
                break
            try:
                entries = self.money.follow(step)
            except Mismatch as error:
                raise Broken(f"step {self.table}-{last}: {error}", row and row.id) from None
            for entry in entries:
                self._same(row, entry, last)
                row = next(rows, None)
            for settled in self.money.settled:
                self._kept(bet, settled)
                bet = next(bets, None)
                self.bets += 1
        if last != self.seq or (row and row.seq is not None and row.seq > last):
            ...
