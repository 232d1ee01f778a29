"""Waiting for what comes before long."""

import time
from collections.abc import Callable

from support.postgres import PATIENT


def comes(true: Callable[[], object], words: str = "it did not come to that") -> None:
    """Wait until something is true, however busy the machine is."""
    until = time.monotonic() + PATIENT
    while not true():
        assert time.monotonic() < until, words
        time.sleep(0.02)
