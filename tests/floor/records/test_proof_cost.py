"""What a proof asks of the database: a round costs as much in a long database as in a short one."""

import pytest

from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.records.proof import prove
from feltlab.floor.storage.database import open_database, reading
from feltlab.floor.tables.commands import Ready, SetBets, Sit
from support.floor.floors import Floor

pytestmark = pytest.mark.slow


def steps_of(floor):
    """The steps of SQLite's machine that a proof takes."""
    count = 0

    def counts():
        nonlocal count
        count += 1
        return 0

    with reading(floor.engine) as db:
        driver = db.connection.driver_connection
        driver.set_progress_handler(counts, 100)
        found = prove(db)
        driver.set_progress_handler(None, 0)
    assert found.faults == []
    return count, found.steps


def test_twice_as_many_rounds_take_twice_as_much_asking(sqlite):
    open_database(sqlite).dispose()
    floor = Floor(sqlite)
    (ada,) = floor.players("ada")
    table = floor.table(Wish("bad-beat-baccarat", behind_cut=390))
    floor.desk.do(Job(table, Sit((1,), 1000_00), ada))

    def play(rounds):
        for _ in range(rounds):
            floor.desk.run([Job(table, SetBets(1, {"player": 1_00}), ada), Job(table, Ready(), ada)])
        return steps_of(floor)

    few, steps = play(60)
    many, more = play(180)
    assert more > 3.5 * steps
    assert many / more < 1.3 * few / steps, "a round costs no more because there were others before it"
    floor.close()
