"""How many connections a server holds: so many in all, fewer than the system lends descriptors, and of one address."""

from __future__ import annotations

import resource
from typing import Protocol

from feltlab.errors import FeltlabError
from feltlab.web.settings import Settings

KEPT_FREE = 96  # descriptors for the database, the lab's workers and files
FEWEST = 32  # connections with which a server is of any use


class Held(Protocol):
    """A connection that can be told to end."""

    def let_go(self) -> None:
        """End it now: another needs its place."""


def most_connections(settings: Settings) -> int:
    """How many connections a server may hold with the descriptors that the system lends it."""
    lent, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if lent == resource.RLIM_INFINITY:
        return settings.most_connections
    if lent < KEPT_FREE + FEWEST:
        raise FeltlabError(
            f"the system lends this process {lent} descriptors, and a server needs {KEPT_FREE + FEWEST}: "
            f"run ulimit -n {KEPT_FREE + FEWEST} or more first"
        )
    return min(settings.most_connections, lent - KEPT_FREE)


class HeldConnections:
    """The connections that are held. When there is no place for another, one that asks for nothing makes room.

    >>> class Line:
    ...     def let_go(self): print("let go")
    >>> room, first, second = HeldConnections(most=2, by_address=2), Line(), Line()
    >>> room.enter(first, "a"), room.enter(second, "b")
    (None, None)
    >>> room.wanted_for("c")
    'full'
    >>> room.waits(second)
    >>> room.wanted_for("c")
    let go
    """

    def __init__(self, most: int, by_address: int) -> None:
        self.most = most
        self.by_address = min(by_address, most // 2)
        self._address: dict[Held, str] = {}
        self._of: dict[str, dict[Held, None]] = {}
        self._waiting: dict[Held, None] = {}  # for a whole request; who waits longest is first
        self.made = 0  # places that had to be made

    def __len__(self) -> int:
        return len(self._address)

    def wanted_for(self, address: str) -> str | None:
        """Make sure of a place for a connection from an address; says why there is none. No address: one of a proxy."""
        own = self._of.get(address, {}) if address else {}
        if len(own) >= self.by_address:
            return self._make("address-full", next((one for one in own if one in self._waiting), None))
        if len(self) >= self.most:
            return self._make("full", next(iter(self._waiting), None))
        return None

    def _make(self, why: str, longest: Held | None) -> str | None:
        if longest is None:
            return why
        self.leave(longest)
        self.made += 1
        longest.let_go()
        return None

    def enter(self, connection: Held, address: str) -> None:
        """A connection is there."""
        self._address[connection] = address
        if address:
            self._of.setdefault(address, {})[connection] = None

    def leave(self, connection: Held) -> None:
        """It is gone."""
        address = self._address.pop(connection, "")
        self._waiting.pop(connection, None)
        if address:
            self._of[address].pop(connection)
            if not self._of[address]:
                del self._of[address]

    def waits(self, connection: Held) -> None:
        """It has no whole request that is being answered."""
        if connection in self._address:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def works(self, connection: Held) -> None:
        """A request of it is there as a whole, and is being answered."""
        self._waiting.pop(connection, None)
