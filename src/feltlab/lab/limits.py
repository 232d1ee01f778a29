"""The limits of a server's worker processes, which they enforce themselves."""

from __future__ import annotations

import os
import signal

from msgspec import Struct

from feltlab import memory


class WorkerLimits(Struct, frozen=True):
    """The limits of a worker: the most bytes it may ever use, and the bytes or questions after which it is replaced."""

    most_bytes: int = 2 << 30
    large: int = 1 << 30
    questions: int = 1000

    def reached(self, answered: int) -> bool:
        """Whether the process has answered or grown so much that it should be replaced."""
        return answered >= self.questions or memory.resident_bytes() > self.large


def confine(nice: int, most_bytes: int = WorkerLimits().most_bytes) -> None:
    """Limit this process: lower its priority, bound its memory, and leave control-C to the server."""
    if hasattr(os, "nice"):
        os.nice(nice)
    memory.limit_data_bytes(most_bytes)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
