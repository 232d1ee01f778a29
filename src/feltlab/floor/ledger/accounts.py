"""The names of accounts, and what each may hold.

bank         the outside world: minus all chips bought in, plus those cashed out
house        what the house has won at closed tables
chips:P      the chips of person P away from the tables
seat:T:P     the chips of person P at table T
felt:T       the wagers on the felt of table T
float:T      what table T has won since it was opened; negative if it has lost
"""

from __future__ import annotations

BANK, HOUSE = "bank", "house"
MAY_OWE = ("bank", "house", "float")  # may be negative; the others hold chips


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
    """The table that an account belongs to, if any.

    >>> table_of("seat:3:12"), table_of("chips:12")
    (3, None)
    """
    kind, _, rest = account.partition(":")
    return int(rest.partition(":")[0]) if kind in ("seat", "felt", "float") else None


def player_at(account: str) -> int | None:
    """The person whose seat an account is, if it is a seat.

    >>> player_at("seat:3:12"), player_at("chips:12")
    (12, None)
    """
    return int(account.rpartition(":")[2]) if account.startswith("seat:") else None


def may_hold(account: str, balance: object) -> bool:
    """Whether an account may hold this: whole cents, and no negative number of chips.

    >>> may_hold("float:3", -5), may_hold("seat:3:12", -5), may_hold("seat:3:12", "5")
    (True, False, False)
    """
    return type(balance) is int and (balance >= 0 or account.partition(":")[0] in MAY_OWE)
