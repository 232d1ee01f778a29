"""Where every cent is. Accounts hold balances; a transfer moves an amount from one to another and can do nothing else.

A transfer is both sides of a double entry in one row, so the sum of all balances cannot change. Each row also keeps
what both accounts held afterwards: a row that was altered, lost or added by somebody else breaks the chain at its place,
and `feltlab ledger check` names it.

    bank         the world outside: minus what was ever bought in, less what was cashed
    house        what the house has won from closed tables
    chips:P      the chips of person P, away from the tables
    seat:T:P     the chips of person P at table T
    felt:T       the wagers that lie on table T
    float:T      what table T has won since it was opened; below nothing if it has lost

Chips of players (chips, seat, felt), floats of tables and house together are what was bought in: minus the bank.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from feltlab.errors import FeltlabError, Refused
from feltlab.floor import schema
from feltlab.floor.rows import write_rows
from feltlab.money import amount_text

_a = schema.accounts
_OPEN, _TRANSFER = insert(_a), insert(schema.transfers)
_SET = update(_a).where(_a.c.name == bindparam("account")).values(balance=bindparam("value"))
_BALANCE = select(_a.c.balance).where(_a.c.name == bindparam("account")).with_for_update()

BANK, HOUSE = "bank", "house"
MAY_OWE = ("bank", "house", "float")  # the others hold chips, of which nobody has fewer than none


def chips(person: int) -> str:
    """The account of a person's chips away from the tables."""
    return f"chips:{person}"


def seat(table: int, person: int) -> str:
    """The account of a person's chips at a table."""
    return f"seat:{table}:{person}"


def felt(table: int) -> str:
    """The account of the wagers on a table."""
    return f"felt:{table}"


def table_float(table: int) -> str:
    """The account of what a table has won."""
    return f"float:{table}"


def table_of(account: str) -> int | None:
    """The table that an account belongs to.

    >>> table_of("seat:3:12"), table_of("chips:12")
    (3, None)
    """
    kind, _, rest = account.partition(":")
    return int(rest.partition(":")[0]) if kind in ("seat", "felt", "float") else None


class TooLittle(Refused):
    """An account does not hold what a transfer takes from it."""


class Ledger:
    """The accounts that one transaction touches, and the transfers that it makes. Written by `store`, in one go."""

    def __init__(self, db: Connection, at: int) -> None:
        self._db = db
        self.at = at
        self.balances: dict[str, int] = {}
        self._new: set[str] = set()
        self._touched: set[str] = set()
        self._transfers: list[dict[str, Any]] = []
        self._undo: list[tuple[str, int]] = []

    def know(self, balances: dict[str, int]) -> None:
        """Balances that are known already, of accounts that the transaction has locked."""
        self.balances.update(balances)

    def balance(self, account: str) -> int:
        """What an account holds; it is locked until the transaction ends. One that never was holds nothing."""
        if account not in self.balances:
            found = self._db.execute(_BALANCE, {"account": account}).scalar()
            if found is None:
                self._new.add(account)
            self.balances[account] = found or 0
        return self.balances[account]

    def open(self, account: str) -> None:
        """A new account of a table that is locked, so nobody else can be opening it."""
        self._new.add(account)
        self.balances[account] = 0

    def move(
        self, source: str, target: str, amount: int, why: str, *, seq: int | None = None, bet: int | None = None
    ) -> None:
        """Move an amount. Nothing happens where that would leave an account with fewer chips than none."""
        if amount <= 0 or source == target:
            raise FeltlabError(f"a transfer moves something from one account to another, not {amount} from {source}")
        held = self.balance(source)
        if held < amount and source.partition(":")[0] not in MAY_OWE:
            raise TooLittle(f"that takes {amount_text(amount)}, and there are {amount_text(held)} here")
        self._set(source, held - amount)
        self._set(target, self.balance(target) + amount)
        table = table_of(source) or table_of(target)
        self._transfers.append(
            {
                "at": self.at,
                "source": source,
                "target": target,
                "amount": amount,
                "source_after": self.balances[source],
                "target_after": self.balances[target],
                "why": why,
                "table_id": table,
                "seq": seq,
                "bet": bet,
            }
        )

    def _set(self, account: str, balance: int) -> None:
        self._undo.append((account, self.balances[account]))
        self.balances[account] = balance
        self._touched.add(account)

    def mark(self) -> tuple[int, int]:
        """Where it stands now."""
        return len(self._transfers), len(self._undo)

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget everything since a mark: what was asked for was refused."""
        transfers, undo = mark
        del self._transfers[transfers:]
        while len(self._undo) > undo:
            account, balance = self._undo.pop()
            self.balances[account] = balance

    def store(self) -> None:
        """Write the accounts and the transfers."""
        new = [{"name": name, "table_id": table_of(name), "balance": self.balances[name]} for name in sorted(self._new)]
        changed = [{"account": name, "value": self.balances[name]} for name in sorted(self._touched - self._new)]
        for statement, rows in ((_OPEN, new), (_SET, changed), (_TRANSFER, self._transfers)):
            write_rows(self._db, statement, rows)

    def changed(self) -> dict[str, int]:
        """The balances of all accounts that are new or have changed."""
        return {name: self.balances[name] for name in self._touched | self._new}
