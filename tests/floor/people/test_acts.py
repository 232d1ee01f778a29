"""What was done beside play is written down, by whom and when, and cannot be changed."""

import threading

import pytest
from sqlalchemy import text

from feltlab.floor.desk import Job
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import acts, people
from feltlab.floor.records.links import START, link
from feltlab.floor.records.proof import prove
from feltlab.floor.storage.database import reading, writing
from feltlab.floor.tables.commands import CloseTable
from support.floor.floors import BLACKJACK, NOON, SEAL


def acts_of(floor, after=0, most=1000):
    with reading(floor.engine) as db:
        return acts.acts_of(db, after, most)


def test_what_the_house_does_is_recorded(floor):
    house = floor.desk.plain(lambda db, now: people.add(db, "house", "house", None, now, by_operator=True))
    ada = floor.player("ada", chips=0)
    table = floor.desk.plain(lambda db, now: open_table(db, BLACKJACK, house, SEAL, now))
    floor.desk.plain(lambda db, now: people.set_password(db, house.id, "x", now, by=None))
    floor.time += 1000
    floor.do(table, CloseTable(), house)
    assert [(act.at, act.by, act.act, act.subject) for act in acts_of(floor)] == [
        (NOON, None, "account", f"person {house.id}"),
        (NOON, ada.id, "account", f"person {ada.id}"),
        (NOON, house.id, "open", f"table {table}"),
        (NOON, None, "password", f"person {house.id}"),
        (NOON + 1000, house.id, "close", f"table {table}"),
        (NOON + 1000, None, "closed", f"table {table}"),
    ]
    assert [act.id for act in acts_of(floor, after=1, most=2)] == [2, 3]


def test_a_closing_that_is_refused_is_no_act(floor):
    table = floor.table()
    floor.do(table, CloseTable())
    before = acts_of(floor)
    assert floor.refused(table, CloseTable()) == "this table is closed"
    outcomes = floor.desk.run([Job(table, CloseTable()), Job(99, CloseTable())])
    assert all(outcome.error for outcome in outcomes)
    assert acts_of(floor) == before


def test_each_act_is_linked_to_the_one_before(floor):
    floor.players("ada", "bob", "cyd", chips=0)
    before = START
    for row in floor.rows()["acts"]:
        assert row.link == link(before, list(row[:-1]))
        before = row.link


def test_acts_of_several_servers_at_once_are_one_chain(floor):
    def join():
        desk = floor.new_desk()
        for _ in range(8):
            desk.plain(people.add_guest)

    servers = [threading.Thread(target=join) for _ in range(4)]
    for server in servers:
        server.start()
    for server in servers:
        server.join()
    with reading(floor.engine) as db:
        found = prove(db)
    assert (found.faults, found.acts, found.people) == ([], 32, 32)


@pytest.mark.parametrize("change", ["UPDATE acts SET at = 0", "DELETE FROM acts"])
def test_acts_are_never_changed(floor, change):
    floor.player("ada", chips=0)
    with pytest.raises(Exception, match="rows of acts are never changed or removed"), writing(floor.engine) as db:
        db.execute(text(change))
