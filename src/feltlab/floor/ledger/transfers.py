"""Where every cent is. Accounts hold balances; a transfer moves an amount from one to another and can do nothing else.

A transfer is both sides of a double entry in one row, so the sum of all balances cannot change. Each row also keeps
what both accounts held afterwards: a row that was altered, lost or added by somebody else breaks the chain at its place,
and `feltlab ledger check` names it. What accounts there are is in `accounts.py`.

Chips of players (chips, seat, felt), floats of tables and house together are what was bought in: minus the bank.

Nobody is given chips beyond `LARGEST_BALANCE`, and no table wins or loses more. So that no settlement is ever what is
refused, what a person may still come to hold at tables is `reserved` beside their chips before it can be won (`room.py`).
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

BANKED = ("buy-in", "cash-out")  # transfers that no table has to do with; acts tell of them
STORABLE = 2**63 - 1  # cents, either way: what a column of the database holds


class TooLittle(Refused):
    """An account does not hold what a transfer takes from it."""


class TooMuch(FeltlabError):
    """An account would hold, or owe, more than any may."""


class NoRoom(Refused):
    """Somebody could come to hold more than anybody may."""


class Ledger:
    """The accounts that one transaction touches, and the transfers that it makes. Written by `store`, in one go."""

    def __init__(self, db: Connection, at: int) -> None:
        self._db = db
        self.at = at
        self.balances: dict[str, int] = {}
        self._reserved: dict[str, int] = {}
        self._new: set[str] = set()  # not there yet: opened, or to be made if something moves to them
        self._opened: set[str] = set()
        self._touched: set[str] = set()
        self._kept: set[str] = set()
        self._transfers: list[dict[str, Any]] = []
        self._undo: list[tuple[dict[str, int], str, int]] = []
        self.own_limits = OwnLimits(db, at)

    def know(self, balances: dict[str, int]) -> None:
        """Balances that are known already, of accounts that the transaction has locked."""
        self.balances.update(balances)

    def balance(self, account: str) -> int:
        """What an account holds; it is locked until the transaction ends. One that never was holds nothing."""
        if account not in self.balances:
            found = self._db.execute(_FIND, {"account": account}).first()
            if found is None:
                self._new.add(account)
            self.balances[account], self._reserved[account] = found or (0, 0)
        return self.balances[account]

    def open(self, account: str) -> None:
        """A new account of a table that is locked, so nobody else can be opening it."""
        self._new.add(account)
        self._opened.add(account)
        self.balances[account] = 0

    def check(self, account: str, amounts: Iterable[int], more: int = 0) -> None:
        """Refuse amounts that an account cannot pay one after the other, after `more` has come to it."""
        held = self.balance(account) + more
        for amount in amounts:
            if held < amount:
                raise TooLittle(f"that takes {amount_text(amount)}, and there are {amount_text(held)} here")
            held -= amount

    def check_own_limits(self, person: int, cost: int, *, lays: bool = False) -> None:
        """Refuse what a player's own limits do not allow; see `own_limits`."""
        if self.own_limits.limited(person):
            self.own_limits.check(person, self._played().get(person, PlaySpend()), cost, lays=lays)

    def _played(self) -> dict[int, PlaySpend]:
        """What people put on the felt in this transaction, less what came back to their seats."""
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
        """Move an amount. Nothing happens where that would leave an account with fewer chips than none."""
        if amount <= 0 or source == target:
            raise FeltlabError(f"a transfer moves something from one account to another, not {amount} from {source}")
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
        """No float passes the bound either way, and no chips of the house or the bank take anybody past it.

        Chips that go from one account of players to another are no more than were bounded when they were made.
        """
        kind, to = source.partition(":")[0], target.partition(":")[0]
        made = to == "float" or (kind in MAY_OWE and to not in MAY_OWE)
        if held + self._reserved.get(target, 0) > (LARGEST_BALANCE if made else STORABLE):
            raise TooMuch(f"{target} would hold {amount_text(held)}, more than {amount_text(LARGEST_BALANCE)}")
        if left < -(LARGEST_BALANCE if kind == "float" else STORABLE):
            raise TooMuch(f"{source} would owe {amount_text(-left)}, more than {amount_text(LARGEST_BALANCE)}")

    def check_room(self, account: str, amount: int) -> None:
        """Refuse to make what somebody may come to hold more by an amount, where that would be too much."""
        if self.balance(account) + self._reserved.get(account, 0) + amount > LARGEST_BALANCE:
            raise NoRoom(
                f"nobody may come to hold more than {amount_text(LARGEST_BALANCE)}, chips at all tables and what open"
                " wagers can bring back together; lay less, or leave another table first"
            )

    def reserve(self, account: str, amount: int) -> None:
        """Keep room beside what an account holds; refused where there is none."""
        self.check_room(account, amount)
        self._reserve(account, amount)

    def release(self, account: str, amount: int) -> None:
        """Give room back that was reserved."""
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
        """Where it stands now."""
        return len(self._transfers), len(self._undo)

    def made_since(self, mark: tuple[int, int]) -> list[dict[str, Any]]:
        """The transfers since a mark."""
        return self._transfers[mark[0] :]

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget everything since a mark: what was asked for was refused."""
        transfers, undo = mark
        del self._transfers[transfers:]
        while len(self._undo) > undo:
            kept, account, value = self._undo.pop()
            kept[account] = value

    def store(self) -> None:
        """Write the accounts and the transfers. An account that nothing came to after all is not made."""
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
