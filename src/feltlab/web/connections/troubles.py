"""Connections that were turned away or cut: counted each time, and said in the log now and then."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from prometheus_client import Counter

BETWEEN_LINES = 10.0  # seconds between two lines of the same kind: whoever attacks shall not fill the log

WORDS = {
    "head": "a request's headers did not come in time",
    "body": "a request's body did not come in time",
    "rest": "what was left of an answered request did not come in time, or was too much",
    "stalled": "a client does not take what is sent to it",
    "not-http": "what a client sent is no HTTP",
    "no-room": "a waiting connection made room for another",
    "address-full": "an address holds as many connections as it may",
    "full": "no more connections can be held",
    "descriptors": "the system lends no more descriptors (see ulimit -n)",
    "streams": "somebody follows as much as they may",
}
TROUBLES = Counter("feltlab_troubles", "Connections turned away or cut, by reason", ["why"])

log = logging.getLogger("feltlab.connections")


class Troubles:
    """Says each kind of trouble once in a while, with how often it has happened.

    >>> times, said = iter([0.0, 1.0, 2.0, 20.0]), []
    >>> troubles = Troubles(said.append, lambda: next(times))
    >>> for address in "abcd":
    ...     troubles.note("full", address)
    >>> said
    ['no more connections can be held (from a)', 'no more connections can be held (from d; 3 since the last line)']
    """

    def __init__(self, say: Callable[[str], None] = log.warning, clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._said: dict[str, float] = {}
        self._since: dict[str, int] = {}

    def note(self, why: str, address: str) -> None:
        """Something of a kind has happened again."""
        TROUBLES.labels(why).inc()
        now, last = self._clock(), self._said.get(why)
        self._since[why] = self._since.get(why, 0) + 1
        if last is not None and now - last < BETWEEN_LINES:
            return
        times = f"; {self._since[why]} since the last line" if last is not None else ""
        self._said[why], self._since[why] = now, 0
        self._say(f"{WORDS[why]} (from {address or 'somewhere'}{times})")
