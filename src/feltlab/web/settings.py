"""How a server is run."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
METRICS_HOST = "127.0.0.1"


class Patience(Struct, frozen=True):
    """How many seconds a client may take, in every state that a connection can be in."""

    head: float = 10.0  # from the first moment, or the first byte of another request, to the end of its headers
    body: float = 10.0  # for the body of a change
    rest: float = 5.0  # for what is left of a request after its answer
    idle: float = 75.0  # between two requests: a player may think as long as a table lets them
    stall: float = 30.0  # in which nothing of an answer or a stream that waits to be sent is taken


class Settings(Struct, frozen=True):
    """What `feltlab serve` is told, and what its limits are."""

    db: str
    host: str = "127.0.0.1"
    port: int = 8000
    key_file: Path | None = None
    hosts: tuple[str, ...] = ()  # names under which the server is reached, beside its own address
    trusted_proxies: tuple[str, ...] = ()  # addresses and networks whose word about their clients counts
    metrics_port: int | None = None  # at METRICS_HOST, for metrics alone
    metrics_token: str = ""  # with which metrics may be read at the server's own port
    writes_per_second: float = 20  # of one person
    writes_at_once: int = 60
    reads_per_second: float = 50  # of one person, or of one address that nobody has begun a session from
    reads_at_once: int = 500
    logins_per_minute: float = 10  # of one address
    arrivals_per_minute: float = 10  # guests and accounts that one address makes
    purchases_per_minute: float = 20  # of chips, by one person
    tables_per_hour: float = 20  # that players open from one address
    most_connections: int = 10_000  # in all; fewer where the system lends fewer descriptors
    connections_by_address: int = 200  # and streams; never more than half of all
    streams_by_person: int = 20
    patience: Patience = Patience()
    open_tables: tuple[str, ...] = ()  # sheets of which a table is opened, if none is open
    practice: bool = False  # may players open tables, to try sheets of their own?

    @property
    def loopback(self) -> bool:
        """Is it for this machine alone? Then a cookie may travel without encryption."""
        if self.host in LOOPBACK:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False
