"""Guessing at an account is slowed, and its owner is not locked out by it.

Whoever fails at an account from one place waits longer each time. Whoever guesses from many places is slowed for the account as
a whole; but a browser that was logged in before shows so with a cookie of its own, and is not slowed by what others do. So
strangers can make it slow for strangers alone.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable

from feltlab.floor.shoes.fair import Seal

FREE, LONGEST = 5, 900.0  # failures from one place without a wait, and the longest wait, in seconds
FREE_ALL, LONGEST_ALL = 30, 60.0  # the same for all places together that nobody knows
MOST_KNOWN = 50_000
DEVICE = "feltlab_device"
DEVICE_SECONDS = 365 * 24 * 3600


class Lockout:
    """How long to wait before a password is tried again. An attempt counts as failed until it is known to be right.

    >>> now = [0.0]
    >>> lockout = Lockout(lambda: now[0])
    >>> [lockout.attempt("ada", "here") for _ in range(7)]
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    >>> now[0] = 1.0
    >>> lockout.attempt("ada", "here"), lockout.attempt("ada", "here"), lockout.attempt("ada", "elsewhere")
    (0.0, 2.0, 0.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[tuple[str, str], tuple[int, float]] = (
            OrderedDict()
        )  # how often, and the end of the wait

    def attempt(self, account: str, place: str, *, known: bool = False) -> float:
        """Try a password of an account from a place; gives the seconds to wait, and 0 if it may be tried now."""
        now = self._clock()
        counted = [((account, place), FREE, LONGEST)]
        if not known:
            counted.append(((account, ""), FREE_ALL, LONGEST_ALL))
        wait = max(self._failed.get(key, (0, 0.0))[1] - now for key, _, _ in counted)
        if wait > 0:
            return wait
        for key, free, longest in counted:
            failures = self._failed.pop(key, (0, 0.0))[0] + 1
            pause = 2.0 ** min(failures - free, 30) if failures >= free else 0.0
            self._failed[key] = failures, now + min(pause, longest)
        while len(self._failed) > MOST_KNOWN:
            self._failed.popitem(last=False)
        return 0.0

    def right(self, account: str, place: str) -> None:
        """It was right: what was counted is forgotten."""
        for key in ((account, place), (account, "")):
            self._failed.pop(key, None)


def device_token(seal: Seal, person: int, password: str) -> str:
    """What a browser shows that was logged in to an account before, with the password that it has now."""
    return f"{person}.{seal.sign('device', f'{person} {password}')}"


def is_device(seal: Seal, shown: str, person: int, password: str) -> bool:
    """Was this browser logged in before?"""
    return hmac.compare_digest(shown.encode(), device_token(seal, person, password).encode())


def place_of(shown: str) -> str:
    """A browser as a place, for counting."""
    return f"device {hashlib.sha256(shown.encode()).hexdigest()}"
