"""A long betting phase: what a command costs after 10 to 10,000 changes of wagers in one round.

    python bench/betting.py

The real desk on SQLite in a temporary folder, one command in each transaction; the median of several, in milliseconds.
The limit of changes is lifted to come so far. `another table` is a change at a table where nothing else has happened,
asked together with a refusal at the first: the wait of somebody who has nothing to do with it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from feltlab.floor.desk import Job
from feltlab.floor.storage.database import open_database
from feltlab.floor.tables import spots
from feltlab.floor.tables.commands import Ready, SetBets
from support.floor.floors import BLACKJACK, Floor

CHANGES = (10, 100, 1_000, 10_000)
TIMES = 15


def milliseconds(act: Callable[[int], object], times: int = TIMES) -> float:
    """The median of what it takes."""
    found = []
    for number in range(times):
        began = time.perf_counter()
        act(number)
        found.append(time.perf_counter() - began)
    return statistics.median(found) * 1000


def main() -> None:
    """Print the costs."""
    spots.MOST_CHANGES = 10**9
    names = ("a change", "a refusal", "another table", "taking it up", "the deal")
    print("changes", *(f"{name:>14}" for name in names))
    for changes in CHANGES:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/felt.db"
            open_database(url).dispose()
            costs = measure(Floor(url), changes)
        print(f"{changes:>7,}", *(f"{cost:>14.2f}" for cost in costs))


def measure(floor: Floor, changes: int) -> list[float]:
    """What each command costs after so many changes."""
    ada, bob = floor.players("ada", "bob")
    table, other = floor.table(BLACKJACK), floor.table(BLACKJACK)
    floor.seated(table, ada, chips=500_00)
    floor.seated(other, bob, chips=500_00)
    jobs = [Job(table, SetBets(1, {"main": 1_00 + number % 7}), ada) for number in range(changes)]
    for first in range(0, changes, 500):
        floor.desk.run(jobs[first : first + 500])
    refused = Job(table, SetBets(1, {"main": 9_000_00}), ada)

    def change(number: int) -> None:
        floor.desk.run([Job(table, SetBets(1, {"main": 2_00 + number % 7}), ada)])

    def beside(number: int) -> None:
        floor.desk.run([refused, Job(other, SetBets(1, {"main": 2_00 + number % 7}), bob)])

    return [
        milliseconds(change),
        milliseconds(lambda _: floor.desk.run([refused])),
        milliseconds(beside),
        milliseconds(lambda _: floor.new_desk().look(table)),
        milliseconds(lambda _: floor.desk.run([Job(table, Ready(), ada)]), 1),
    ]


if __name__ == "__main__":
    main()
