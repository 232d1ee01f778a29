"""`python -m feltlab.lab`: answers questions, a line of JSON each, until there are no more.

Its arguments are its limits as JSON and, to be ready for play at once, `warm`.
"""

from __future__ import annotations

import sys

import msgspec
from msgspec.structs import replace

from feltlab.lab.asks import LabQuestion, Told, Trouble, told
from feltlab.lab.limits import WorkerLimits, confine

NICE = 5


def main() -> None:
    """Read questions and write answers. The last one before another process should go on says so."""
    limits = msgspec.json.decode(sys.argv[1], type=WorkerLimits) if len(sys.argv) > 1 else WorkerLimits()
    confine(NICE, limits.most_bytes)
    if "warm" in sys.argv:
        from feltlab.analysis import analyse  # noqa: PLC0415

        analyse("bad-beat-blackjack", decks=1).figures("bad-beat")
    for number, line in enumerate(sys.stdin.buffer, 1):
        found = _answer(line)
        if limits.reached(number):
            found = replace(found, last=True)
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        sys.stdout.buffer.flush()


def _answer(line: bytes) -> Told:
    try:
        return told(msgspec.json.decode(line, type=LabQuestion))
    except MemoryError:
        return Trouble("that takes more memory than one question may; ask for less at once", "large", last=True)
    except Exception as error:  # whatever it is, the next question should have nothing to do with it
        return Trouble(f"that cannot be figured: {type(error).__name__}", last=True)


if __name__ == "__main__":
    main()
