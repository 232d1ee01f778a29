"""What accounts are called, and what each may hold.

bank         the world outside: minus what was ever bought in, less what was cashed
house        what the house has won from closed tables
chips:P      the chips of person P, away from the tables
seat:T:P     the chips of person P at table T
felt:T       the wagers that lie on table T
float:T      what table T has won since it was opened; below nothing if it has lost
"""

from __future__ import annotations

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


def player_at(account: str) -> int | None:
    """Whose seat at a table an account is.

    >>> player_at("seat:3:12"), player_at("chips:12")
    (12, None)
    """
    return int(account.rpartition(":")[2]) if account.startswith("seat:") else None


def may_hold(account: str, balance: object) -> bool:
    """Can an account hold this? Whole cents, and chips no fewer than none.

    >>> may_hold("float:3", -5), may_hold("seat:3:12", -5), may_hold("seat:3:12", "5")
    (True, False, False)
    """
    return type(balance) is int and (balance >= 0 or account.partition(":")[0] in MAY_OWE)
