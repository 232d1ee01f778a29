"""The ledger: accounts hold balances, and a transfer moves an amount from one account to another.

A transfer is both sides of a double entry in one row, so the sum of all balances cannot change. Each row also stores the
balances of both accounts after it: a row that is altered, lost or added later breaks the chain at its place, and
`feltlab ledger check` names it. The accounts are described in `accounts.py`.

Players' chips (chips, seat, felt), the floats of tables and the house add up to what was bought in: minus the bank.

Nobody gets chips beyond `LARGEST_BALANCE`, and no table wins or loses more. So that a settlement is never refused, what a
person may still win at tables is `reserved` beside their chips before a card is dealt (see `floor/tables/headroom.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from feltlab.errors import FeltlabError, Refused
from feltlab.floor.ledger.accounts import MAY_OWE, player_at, table_of
from feltlab.floor.people.own_limits import OwnLimits, PlaySpend
from feltlab.floor.storage import schema
from feltlab.floor.storage.rows import write_rows
from feltlab.money import LARGEST_BALANCE, amount_text

_a = schema.accounts
_OPEN, _TRANSFER = insert(_a), insert(schema.transfers)
_SET = update(_a).where(_a.c.name == bindparam("account")).values(balance=bindparam("value"))
_KEEP = update(_a).where(_a.c.name == bindparam("account")).values(reserved=bindparam("value"))
_FIND = select(_a.c.balance, _a.c.reserved).where(_a.c.name == bindparam("account")).with_for_update()

BANKED = ("buy-in", "cash-out")  # transfers that belong to no table; each has an act
STORABLE = 2**63 - 1  # cents, positive or negative: what a column of the database holds


class TooLittle(Refused):
    """An account does not hold what a transfer takes from it."""


class TooMuch(FeltlabError):
    """An account would hold or owe more than any may."""


class NoRoom(Refused):
    """A person could come to hold more than anybody may."""


class Ledger:
    """The accounts that a transaction touches, and the transfers that it makes. `store` writes them all at once."""

    def __init__(self, db: Connection, at: int) -> None:
        self._db = db
        self.at = at
        self.balances: dict[str, int] = {}
        self._reserved: dict[str, int] = {}
        self._new: set[str] = set()  # not stored yet: opened, or created when something moves to them
        self._opened: set[str] = set()
        self._touched: set[str] = set()
        self._kept: set[str] = set()
        self._transfers: list[dict[str, Any]] = []
        self._undo: list[tuple[dict[str, int], str, int]] = []
        self.own_limits = OwnLimits(db, at)

    def know(self, balances: dict[str, int]) -> None:
        """Add balances that are known already, of accounts that the transaction has locked."""
        self.balances.update(balances)

    def balance(self, account: str) -> int:
        """The balance of an account, which is locked until the transaction ends; 0 for an account that does not exist."""
        if account not in self.balances:
            found = self._db.execute(_FIND, {"account": account}).first()
            if found is None:
                self._new.add(account)
            self.balances[account], self._reserved[account] = found or (0, 0)
        return self.balances[account]

    def open(self, account: str) -> None:
        """Open an account of a table that is locked, so that nobody else can open it at the same time."""
        self._new.add(account)
        self._opened.add(account)
        self.balances[account] = 0

    def check(self, account: str, amounts: Iterable[int], more: int = 0) -> None:
        """Refuse amounts that an account cannot pay one after the other, once it has received `more`."""
        held = self.balance(account) + more
        for amount in amounts:
            if held < amount:
                raise TooLittle(f"that takes {amount_text(amount)}, and there are {amount_text(held)} here")
            held -= amount

    def check_own_limits(self, person: int, cost: int, *, lays: bool = False) -> None:
        """Refuse what a player's own limits do not allow (see `own_limits`)."""
        if self.own_limits.limited(person):
            self.own_limits.check(person, self._played().get(person, PlaySpend()), cost, lays=lays)

    def _played(self) -> dict[int, PlaySpend]:
        """What people placed on the felt in this transaction, less what came back to their seats."""
        found: dict[int, PlaySpend] = {}
        for transfer in self._transfers:
            for account, other, sign in (("source", "target", 1), ("target", "source", -1)):
                person = player_at(transfer[account])
                if person is not None and table_of(transfer[other]) is not None:
                    before = found.get(person, PlaySpend())
                    found[person] = PlaySpend(before.cost + sign * transfer["amount"], before.staked or sign > 0)
        return found

    def move(
        self, source: str, target: str, amount: int, why: str, *, seq: int | None = None, bet: int | None = None
    ) -> None:
        """Move an amount; refused if an account would have a negative number of chips."""
        if amount <= 0 or source == target:
            raise FeltlabError(
                f"a transfer moves an amount between two accounts, not {amount} from {source} to {target}"
            )
        held = self.balance(source)
        if source.partition(":")[0] not in MAY_OWE:
            self.check(source, [amount])
        has = self.balance(target)
        self._check_transfer(source, held - amount, target, has + amount)
        self._set(self.balances, source, held - amount)
        self._set(self.balances, target, has + amount)
        self._touched |= {source, target}
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

    def _check_transfer(self, source: str, left: int, target: str, held: int) -> None:
        """Refuse a float beyond the bound in either direction, and chips from the house or the bank that exceed it.

        Chips that move between accounts of players were within the bound when they were created.
        """
        kind, to = source.partition(":")[0], target.partition(":")[0]
        made = to == "float" or (kind in MAY_OWE and to not in MAY_OWE)
        if held + self._reserved.get(target, 0) > (LARGEST_BALANCE if made else STORABLE):
            raise TooMuch(f"{target} would hold {amount_text(held)}, more than {amount_text(LARGEST_BALANCE)}")
        if left < -(LARGEST_BALANCE if kind == "float" else STORABLE):
            raise TooMuch(f"{source} would owe {amount_text(-left)}, more than {amount_text(LARGEST_BALANCE)}")

    def check_room(self, account: str, amount: int) -> None:
        """Refuse to raise what a person may come to hold by this amount, if that would be too much."""
        if self.balance(account) + self._reserved.get(account, 0) + amount > LARGEST_BALANCE:
            raise NoRoom(
                f"nobody may come to hold more than {amount_text(LARGEST_BALANCE)}, counting chips at all tables and what"
                " open wagers can bring back; wager less, or leave another table first"
            )

    def reserve(self, account: str, amount: int) -> None:
        """Reserve room beside the balance of an account; refused if there is none."""
        self.check_room(account, amount)
        self._reserve(account, amount)

    def release(self, account: str, amount: int) -> None:
        """Release reserved room."""
        self.balance(account)
        self._reserve(account, -amount)

    def _reserve(self, account: str, amount: int) -> None:
        reserved = self._reserved.setdefault(account, 0)
        self._set(self._reserved, account, reserved + amount)
        self._kept.add(account)

    def _set(self, kept: dict[str, int], account: str, value: int) -> None:
        self._undo.append((kept, account, kept[account]))
        kept[account] = value

    def mark(self) -> tuple[int, int]:
        """A mark of the present state, for `made_since` and `back_to`."""
        return len(self._transfers), len(self._undo)

    def made_since(self, mark: tuple[int, int]) -> list[dict[str, Any]]:
        """The transfers since a mark."""
        return self._transfers[mark[0] :]

    def back_to(self, mark: tuple[int, int]) -> None:
        """Undo everything since a mark, because a command was refused."""
        transfers, undo = mark
        del self._transfers[transfers:]
        while len(self._undo) > undo:
            kept, account, value = self._undo.pop()
            kept[account] = value

    def store(self) -> None:
        """Write the accounts and the transfers. A new account that nothing moved to is not created."""
        self.own_limits.store(self._played())
        moved = {transfer[side] for transfer in self._transfers for side in ("source", "target")}
        made = sorted(self._new & (self._opened | self._kept | moved))
        new = [{"name": name, "table_id": table_of(name), "balance": self.balances[name]} for name in made]
        changed = [{"account": name, "value": self.balances[name]} for name in sorted(self._touched - self._new)]
        kept = [{"account": name, "value": self._reserved[name]} for name in sorted(self._kept)]
        for statement, rows in ((_OPEN, new), (_SET, changed), (_KEEP, kept), (_TRANSFER, self._transfers)):
            write_rows(self._db, statement, rows)

    def changed(self) -> dict[str, int]:
        """The balances of all accounts that are new or have changed."""
        return {name: self.balances[name] for name in self._touched | self._new}
