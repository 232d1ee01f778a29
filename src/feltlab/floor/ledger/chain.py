"""The chain of all transfers: each continues the balances that its two accounts had after the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from sqlalchemy import Connection, Result, Select, select

from feltlab.errors import FeltlabError
from feltlab.floor.ledger.accounts import BANK, HOUSE, MAY_OWE, chips, felt, table_float, table_of
from feltlab.floor.records.column_types import sound
from feltlab.floor.storage import schema
from feltlab.money import amount_text

AT_ONCE = 1000  # rows fetched together
OFTEN = 200  # rows between two reports of progress
HELD = ("chips", "seat", "felt")  # the accounts that hold players' chips


Row = TypeVar("Row")


class Broken(FeltlabError):
    """The ledger does not add up. `row` is the first transfer that shows it, or None if no transfer does."""

    def __init__(self, why: str, row: int | None = None) -> None:
        super().__init__(f"transfer {row}: {why}" if row is not None else why)
        self.why, self.row = why, row


def stream(db: Connection, rows: Select[Any]) -> Result[Any]:
    """Stream rows instead of fetching all at once; to be used in a `with` statement."""
    return db.execute(rows, execution_options={"yield_per": AT_ONCE})


def counted(rows: Iterable[Row], what: str, tell: Callable[[str], None]) -> Iterator[Row]:
    """The same rows, reporting progress now and then."""
    tell(what)
    for count, row in enumerate(rows, 1):
        yield row
        if not count % OFTEN:
            tell(f"{what}: {count:,}")


def kind_of(account: str) -> str:
    """The kind of an account.

    >>> kind_of("seat:3:12"), kind_of("bank")
    ('seat', 'bank')
    """
    return account.partition(":")[0]


class Chain:
    """All transfers in order, and what each account holds after them."""

    name = "a transfer"

    def __init__(self, tables: set[int]) -> None:
        self.tables = tables
        self.rows = 0
        self.bought_in = 0  # less what was cashed out
        self.balances: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def check(self, db: Connection, tell: Callable[[str], None]) -> None:
        """Check all transfers; raises `Broken` at the first that is wrong."""
        transfers = select(schema.transfers).order_by(schema.transfers.c.id)
        with stream(db, transfers) as rows:
            for row in counted(sound(rows, transfers, Broken), "the ledger, transfers", tell):
                if why := self._wrong_place(row) or self._wrong_balance(row):
                    raise Broken(why, row.id)
                self.rows += 1
                self.bought_in += row.amount * ((row.source == BANK) - (row.target == BANK))

    def _wrong_place(self, row: Any) -> str:
        if row.amount <= 0 or row.source == row.target:
            return f"it moves {row.amount} cents from {row.source} to {row.target}"
        if (table_of(row.source) or table_of(row.target)) != row.table_id:
            return f"{row.source} and {row.target} are not accounts of table {row.table_id}"
        if row.table_id is not None:
            return "" if row.table_id in self.tables else f"there is no table {row.table_id}"
        bank_and_chips = {kind_of(row.source), kind_of(row.target)} == {BANK, "chips"}
        if not bank_and_chips or row.seq is not None or row.bet is not None:
            return f"it belongs to no table, but {row.source} to {row.target} is neither a buy-in nor a cash-out"
        return ""

    def _wrong_balance(self, row: Any) -> str:
        for name, after, change in (
            (row.source, row.source_after, -row.amount),
            (row.target, row.target_after, row.amount),
        ):
            held = self.balances.get(name, 0)
            if after != held + change:
                since = f"since transfer {self._last[name]}" if name in self._last else "before any transfer"
                return (
                    f"{name} held {held} cents {since}, and {change:+} does not make {after};"
                    " this row was altered, or one before it was altered or removed"
                )
            if after < 0 and kind_of(name) not in MAY_OWE:
                return f"{name} would hold {after} cents, less than zero"
            self.balances[name], self._last[name] = after, row.id
        return ""

    def check_accounts(self, db: Connection) -> None:
        """Check that every account holds the sum of its transfers, and that all chips were bought in."""
        stored, accounts = {}, select(schema.accounts).order_by(schema.accounts.c.name)
        with stream(db, accounts) as rows:
            for row in sound(rows, accounts, Broken):
                stored[row.name] = row.balance
                if row.table_id != table_of(row.name):
                    raise Broken(f"account {row.name} is kept as one of table {row.table_id}")
        for name in sorted({*stored, *self.balances}):
            held, moved = stored.get(name), self.balances.setdefault(name, 0)
            if held != moved:
                last = (
                    f"transfer {self._last[name]} left" if name in self._last else "no transfer ever gave it more than"
                )
                raise Broken(f"account {name} holds {held} cents, but {last} {moved}")
        self._check_owners(db, stored)
        sums = self.sums()
        there = sum(sums[kind] for kind in (*HELD, "float", HOUSE))
        if there != -sums[BANK] or there != self.bought_in:
            raise Broken(f"chips for {amount_text(self.bought_in)} were bought in, and {amount_text(there)} are there")

    def _check_owners(self, db: Connection, stored: Mapping[str, int]) -> None:
        """Check that each person and each table has its accounts, and that all others are seats that somebody took."""
        p, t = schema.people, schema.tables
        with stream(db, select(p.c.id).order_by(p.c.id)) as people:
            wanted = {chips(id) for id in people.scalars()}
        for id in db.execute(select(t.c.id)).scalars():
            wanted |= {felt(id), table_float(id)}
        for name in sorted(wanted - stored.keys()):
            raise Broken(f"there is no account {name}")
        for name in sorted(stored.keys() - wanted - {BANK, HOUSE}):
            if kind_of(name) != "seat" or name not in self._last:
                raise Broken(
                    f"account {name} is kept, but belongs to no person, no table and no seat that was ever taken"
                )

    def sums(self) -> Counter[str]:
        """The total of the accounts of each kind."""
        sums: Counter[str] = Counter()
        for name, balance in self.balances.items():
            sums[kind_of(name)] += balance
        return sums
