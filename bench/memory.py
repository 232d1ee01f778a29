"""How large processes grow that figure one table after another: the resident size, as a table.

`python bench/memory.py plain [TABLES]` plays `composition` at so many different tables in this process;
`python bench/memory.py lab [QUESTIONS]` asks the lab's workers so many different questions, as a server does.
"""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import combinations

from feltlab.analysis import analyse
from feltlab.cards import name
from feltlab.lab.questions import LabQuestion
from feltlab.memory import resident_bytes
from feltlab.sheets.loader import builtin_text
from feltlab.tables import TableChoice
from feltlab.web.lab.laboratory import Laboratory
from feltlab.web.queues.turns import Asker

MB = 1 << 20
SHEET = "bad-beat-blackjack"
GONE = [f"{name(one)} {name(other)}" for one, other in combinations(range(52), 2)]


def plain(tables: int) -> None:
    """The same process throughout, and nothing held by this program."""
    print(f"{'tables':>9}{'resident MB':>13}{'seconds':>9}")
    began = time.monotonic()
    for number, gone in enumerate(GONE[:tables], 1):
        analyse(SHEET, decks=6, remove=gone).play("composition").expected  # noqa: B018
        if number == 1 or number % max(1, tables // 12) == 0:
            print(f"{number:9}{resident_bytes() / MB:13.0f}{time.monotonic() - began:9.0f}", flush=True)


def questions(count: int) -> list[tuple[str, LabQuestion]]:
    """Different ones: figures that are counted, figures of play for other shoes, strategies, ratios."""
    text, found = builtin_text(SHEET), []
    for number in range(count):
        gone, kind = GONE[number % len(GONE)], number % 4
        ratio = round(0.1 + number / count, 6)
        choice = TableChoice(
            decks=6, remove=gone if kind < 3 else "", strategy=f"joint:{ratio}" if kind == 3 else "basic"
        )
        if kind == 0:
            found.append(("counted", LabQuestion("figures", text, choice, "counted")))
        elif kind == 3:
            found.append(("played", LabQuestion("strategy", text, choice)))
        else:
            found.append(("played", LabQuestion("figures", text, choice, "played")))
    return found


async def lab(count: int) -> None:
    """The server's side of it, one question after another; the sizes are the workers' own."""
    print(f"{'questions':>9}{'counted MB':>13}{'played MB':>12}{'largest MB':>12}{'workers':>9}{'seconds':>9}")
    laboratory, largest, pids, began = Laboratory(), 0, set(), time.monotonic()
    try:
        for number, (lane, question) in enumerate(questions(count), 1):
            await laboratory.ask(lane, question, Asker("bench", 0))
            sizes = [_resident(laboratory.workers[one].pid) for one in ("counted", "played")]
            largest = max(largest, *sizes)
            pids |= {worker.pid for worker in laboratory.workers.values() if worker.pid}
            if number in (1, 25) or number % max(1, count // 10) == 0:
                told = "".join(
                    f"{size / MB:{width}.0f}" for size, width in zip((*sizes, largest), (13, 12, 12), strict=True)
                )
                print(f"{number:9}{told}{len(pids):9}{time.monotonic() - began:9.0f}", flush=True)
    finally:
        await laboratory.stop()


def _resident(pid: int | None) -> int:
    return resident_bytes(pid) if pid else 0


if __name__ == "__main__":
    what, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if what == "plain":
        plain(count or 240)
    else:
        asyncio.run(lab(count or 1000))
