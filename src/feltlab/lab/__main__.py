"""A worker of the lab (`python -m feltlab.lab`): answers questions, one line of JSON each, until its input ends.

Its arguments are its limits as JSON and, optionally, `warm`, which compiles the kernels before the first question.
"""

from __future__ import annotations

import sys

import msgspec
from msgspec.structs import replace

from feltlab.lab.limits import WorkerLimits, confine
from feltlab.lab.questions import LabQuestion, Told, Trouble, answer_to

NICE = 5


def main() -> None:
    """Read questions and write answers. An answer is marked as the last if the process should be replaced after it."""
    limits = msgspec.json.decode(sys.argv[1], type=WorkerLimits) if len(sys.argv) > 1 else WorkerLimits()
    confine(NICE, limits.most_bytes)
    if "warm" in sys.argv:
        from feltlab.analysis import analyse  # noqa: PLC0415

        analyse("bad-beat-blackjack", decks=1).figures("bad-beat")
    for number, line in enumerate(sys.stdin.buffer, 1):
        answer = _answer(line)
        if limits.reached(number):
            answer = replace(answer, last=True)
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def _answer(line: bytes) -> Told:
    try:
        return answer_to(msgspec.json.decode(line, type=LabQuestion))
    except MemoryError:
        return Trouble("that takes more memory than one question may; ask for less at once", "large", last=True)
    except Exception as error:  # whatever it is, it must not affect the next question
        return Trouble(f"that cannot be computed: {type(error).__name__}", last=True)


if __name__ == "__main__":
    main()
