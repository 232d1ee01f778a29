"""How often somebody may ask, and how much at once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_KNOWN = 50_000  # of whom a bucket is kept; who has asked for nothing for longest is forgotten first


class Buckets:
    """A bucket of tokens for everybody: each request takes one, and they come back at a steady rate.

    >>> times = iter([0.0, 0.0, 0.0, 0.1])
    >>> buckets = Buckets(per_second=10, at_once=2, clock=lambda: next(times))
    >>> [buckets.take("ada") for _ in range(4)]
    [0.0, 0.0, 0.1, 0.0]
    """

    def __init__(self, per_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._most, self._clock = per_second, at_once, clock
        self._left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, who: object) -> float:
        """Take a token; gives how many seconds are missing to the next one, 0 if there was one."""
        now = self._clock()
        left, at = self._left.pop(who, (self._most, now))
        left = min(self._most, left + (now - at) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._left[who] = (left if wait else left - 1, now)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._left)


def per_minute(many: float) -> Buckets:
    """So many a minute, and so many at once."""
    return Buckets(many / 60, many)
