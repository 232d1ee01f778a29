"""What a process that works for a server may use of the machine. It limits itself, and says when another should go on."""

from __future__ import annotations

import os
import signal

from msgspec import Struct

from feltlab import memory


class WorkerLimits(Struct, frozen=True):
    """The limits of a worker: bytes that it may ever have, and bytes or questions after which another goes on."""

    most_bytes: int = 2 << 30
    large: int = 1 << 30
    questions: int = 1000

    def reached(self, answered: int) -> bool:
        """Has the process done enough, or grown enough, that another should answer the next question?"""
        return answered >= self.questions or memory.resident_bytes() > self.large


def confine(nice: int, most_bytes: int = WorkerLimits().most_bytes) -> None:
    """Limit this process: tables that people sit at go first, its memory is bounded, and control-C is the server's."""
    if hasattr(os, "nice"):
        os.nice(nice)
    memory.limit_data_bytes(most_bytes)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
