"""`python -m feltlab.lab`: answers questions, a line of JSON each, until there are no more. `warm` makes ready for play."""

from __future__ import annotations

import os
import signal
import sys

import msgspec

from feltlab.lab.asks import Question, Told, Trouble, told

NICE = 5  # tables that people sit at go first


def main() -> None:
    """Read questions and write answers."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # control-C is the server's, which ends this process
    if "warm" in sys.argv:
        from feltlab.analysis import analyse  # noqa: PLC0415

        analyse("bad-beat-blackjack", decks=1).figures("bad-beat")
    for line in sys.stdin.buffer:
        try:
            found: Told = told(msgspec.json.decode(line, type=Question))
        except Exception as error:  # whatever it is, the next question has nothing to do with it
            found = Trouble(f"that cannot be figured: {type(error).__name__}")
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
