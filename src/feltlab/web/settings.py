"""How a server is run."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")


class Settings(Struct, frozen=True):
    """What `feltlab serve` is told, and what its limits are."""

    db: str
    host: str = "127.0.0.1"
    port: int = 8000
    key_file: Path | None = None
    hosts: tuple[str, ...] = ()  # names under which the server is reached, beside its own address
    writes_per_second: float = 20  # of one person
    writes_at_once: int = 60
    logins_per_minute: float = 10  # of one address
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
