"""Damaged rows: what is stored of one table but cannot be read must not disturb other tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy.exc import DBAPIError

from feltlab.errors import FeltlabError
from feltlab.floor.ledger import accounts
from feltlab.floor.storage.database import Unavailable
from feltlab.floor.tables.live import Live

T = TypeVar("T", bound=Struct)
LONGEST_REASON = 200


class Damaged(Unavailable):
    """What is stored of a table cannot be read. The text is for everybody, `reason` for the house."""

    def __init__(self, table: int, reason: str) -> None:
        super().__init__(f"table {table} is out of order: what is stored of it cannot be read; the house is told why")
        self.table, self.reason = table, reason


def intact(table: int, what: str, *but: type[Exception]) -> AbstractContextManager[None]:
    """Turn errors while reading a part of a table into `Damaged`, except the exceptions `but`.

    Errors of the database as a whole are raised as they are.
    """
    return _reading(what, partial(Damaged, table), Unavailable, *but)


def readable(what: object, refuse: Callable[[str], FeltlabError]) -> AbstractContextManager[None]:
    """Turn errors while checking stored rows into an error of one line, which names `what`, formatted at that time.

    Errors of the database as a whole are raised as they are.
    """
    return _reading(what, refuse, FeltlabError)


@contextmanager
def _reading(what: object, refuse: Callable[[str], FeltlabError], *but: type[Exception]) -> Iterator[None]:
    unchanged: tuple[type[Exception], ...] = (DBAPIError, MemoryError, *but)
    try:
        yield
    except unchanged:
        raise
    except Exception as error:  # rows can be damaged in more ways than can be listed
        raise refuse(f"{what} cannot be read ({_summary(error)})") from error


def _summary(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}")[:LONGEST_REASON]


def one_line(words: str) -> str:
    r"""Text from rows that anybody may have written, made printable and put on one line.

    >>> one_line("a name\n\x1b[31m \udc80")
    'a name \\x1b[31m \\udc80'
    """
    shown = (letter if letter.isprintable() else ascii(letter)[1:-1] for letter in " ".join(words.split()))
    return "".join(shown)


def typed(answer: T) -> T:
    """Check that an answer has fields of its types and can be encoded, because SQLite does not enforce column types."""
    checked = msgspec.convert(asdict(answer), type(answer))
    msgspec.json.encode(checked)
    return checked


def shown_name(table: int, name: object) -> str:
    """The name to show for a table whose row may be damaged."""
    return name if isinstance(name, str) and name.isprintable() else f"table {table}"


def check_fits(live: Live, status: str, step: int | None, round_: int | None, shoe: int | None) -> None:
    """Refuse a readable state that contradicts the rows of its table; given are the last step, round and shoe."""
    state, config = live.state, live.config
    found = (step or 0, round_ or 0, shoe or 0)
    _fit(found == (live.seq, state.round, state.shoe), f"its last step, round and shoe are {found}")
    _fit(status == ("closed" if state.closed else "open"), f"it is kept as {status}")
    _fit(live.name.isprintable(), "its name cannot be shown")
    spots = [spot for seat in state.seats for spot in seat.spots]
    _fit(len(spots) == len(set(spots)) and set(spots) <= set(range(1, config.seats + 1)), f"seats are at {spots}")
    _fit(state.closed or config.burn <= state.dealt <= 52 * config.decks, f"{state.dealt} cards are gone from its shoe")
    if live.secret is not None:
        _fit(live.secret.commitment() == state.commitment, "its shoe is not the one that was committed to")
    _fit(not state.playing or (live.round is not None and not live.round.over), "its round is over, and is not")
    for account, balance in live.balances.items():
        _fit(accounts.may_hold(account, balance), f"{account} holds {balance!r}")
    seated = {accounts.seat(live.id, seat.person) for seat in state.seats}
    for account in (accounts.felt(live.id), accounts.table_float(live.id), *seated):
        _fit(account in live.balances, f"there is no account {account}")
    for account, balance in live.balances.items():
        _fit(not balance or account in seated or not account.startswith("seat:"), f"nobody sits at {account}")
    for bet in live.round.felt.bets.values() if live.round else ():
        _fit(bet.spot in spots, f"nobody sits at spot {bet.spot}, where a wager lies")
    laid = sum(bet.stake for bet in live.round.felt.open()) if live.round else 0
    held = live.balances[accounts.felt(live.id)]
    _fit(held == laid, f"{held} cents are on its felt, and wagers of {laid}")


def _fit(fits: bool, otherwise: str) -> None:
    if not fits:
        raise ValueError(otherwise)
