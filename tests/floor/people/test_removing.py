"""Somebody's data is deleted: nothing in the database has the name any more, and everything is still proven."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from feltlab.errors import Refused
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import people
from feltlab.floor.people.lookalikes import check_name
from feltlab.floor.people.removing import remove
from feltlab.floor.records.heads import KeptHeads, heads_of, write
from feltlab.floor.records.proof import prove
from feltlab.floor.records.records import round_of, shoe_of, steps_after
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.commands import AddSeed, CloseTable, Ready, SetBets, Sit
from support.floor.floors import BLACKJACK, SEAL, Floor, known_shoes

NAME = "Zelda Quux"


def played(floor):
    """Two players at a table whose shoes go by, one of them with a seed and a table of her own."""
    floor.players("ada")
    zelda, bob = both = floor.players(NAME, "bob", chips=5000_00)
    with known_shoes(3):
        table = floor.table(Wish("bad-beat-blackjack", decks=1, behind_cut=30))
        for spot, person in enumerate(both, 1):
            floor.do(table, Sit((spot,), 1000_00), person)
            floor.do(table, AddSeed(f"seed {spot}"), person)
        floor.play(table, both, 3, random.Random(1))
        floor.do(table, AddSeed("for the shoe in use"), zelda)
    floor.desk.plain(lambda db, now: open_table(db, BLACKJACK, zelda, SEAL, now))
    floor.desk.plain(lambda db, now: people.begin_session(db, zelda, now))
    return table, zelda, bob


def cells_with(floor, words):
    """The columns of the database in which these words stand."""
    found = set()
    for name, rows in floor.rows().items():
        for row in rows:
            found |= {f"{name}.{key}" for key, value in row._mapping.items() if words.lower() in str(value).lower()}
    return found


def test_nothing_has_the_name_any_more_and_all_is_proven(floor):
    table, zelda, _ = played(floor)
    assert cells_with(floor, "Quux") == {"people.name", "people.looks", "tables.state"}, "while she sits there"
    before = floor.rows()
    with reading(floor.engine) as db:
        kept = KeptHeads(write(heads_of(db)))
    chips = floor.chips(zelda) + floor.seat(table, zelda)
    remove(floor.desk, zelda, by=zelda.id)
    assert cells_with(floor, "Quux") == set()
    rows = floor.rows()
    for name in ("steps", "transfers", "acts", "bets", "rounds"):
        assert set(before[name]) <= set(rows[name]), "nothing that was written was changed"
    assert rows["transfers"][-1][2:5] == (f"chips:{zelda.id}", "bank", chips)
    assert [row for row in rows["sessions"] if row.person == zelda.id] == []
    with reading(floor.engine) as db:
        proof = prove(db, kept)
    assert (proof.faults, proof.heads) == ([], kept.count)
    assert proof.shoes and proof.rounds == 3


def test_what_was_played_is_told_of_a_number(floor):
    table, zelda, _ = played(floor)
    name, gone = NAME, f"(gone {zelda.id})"

    def told():
        with reading(floor.engine) as db:
            steps = steps_after(db, table, 0, 1000)
            parts = [steps, shoe_of(db, table, 1), *(round_of(db, table, number) for number in (1, 2, 3))]
        return msgspec.json.encode([*parts, floor.now(table)]).decode()

    before = told()
    assert before.count(name) > 5 and gone not in before
    assert '"by":"the house"' in before and '"#' not in before, "no token is told"
    assert f'["{name}","for the shoe in use"]' in before
    remove(floor.desk, zelda, by=None)
    floor.desk.tables.forget()
    after = told()
    assert name not in after
    assert f'["{gone}","for the shoe in use"]' in after
    assert after.count(gone) > 5


@pytest.mark.parametrize("statement", [
    "INSERT INTO sessions (digest, person, made_at, ends_at) VALUES ('d', :id, 1, 2)",
    "INSERT INTO factors (person, sealed, last, recovery) VALUES (:id, 'x', 0, '[]')",
    "INSERT INTO own_limits (person, lost) VALUES (:id, 0)",
])  # fmt: skip
def test_whatever_is_kept_of_somebody_who_is_gone_is_a_fault(floor, statement):
    (ada,) = floor.players("ada")
    remove(floor.desk, ada, by=ada.id)
    with floor.tampered(statement, id=ada.id) as db:
        assert any(fault.startswith(f"person {ada.id} is gone, but a row of ") for fault in prove(db).faults)


def test_it_is_refused_while_wagers_are_in_play(floor):
    table, (ada, bob) = floor.table(BLACKJACK, "Th 6c Tc 9c Td 5c 2c"), floor.players("ada", "bob")
    floor.seated(table, ada, bob)
    other = floor.table()
    floor.do(other, Sit((1,), 100_00), ada)
    floor.do(other, SetBets(1, {"main": 10_00}), ada)
    floor.dealt(table, ada, bob)
    before = floor.rows()
    with pytest.raises(Refused, match=f"there are wagers in play at table {table}"):
        remove(floor.desk, ada, by=ada.id)
    assert floor.rows() == before, "she has left no seat either"
    floor.decide(table, ada, "stand")
    floor.decide(table, bob, "stand")
    remove(floor.desk, ada, by=ada.id)
    assert floor.now(other).round.bets == [], "wagers that can be taken back are"
    assert floor.chips(ada) == 0
    floor.check()


def test_a_session_that_is_remembered_elsewhere_can_do_nothing(floor):
    (ada,) = floor.players("ada")
    remove(floor.desk, ada, by=ada.id)
    with pytest.raises(Refused, match="this account was removed"):
        floor.desk.plain(lambda db, now: people.buy_in(db, ada, 100, now))
    assert "0.00 here" in floor.refused(floor.table(), Sit((1,), 100), ada)


def test_the_name_is_free_and_nobody_can_have_that_of_somebody_gone(floor):
    (ada,) = floor.players("ada")
    remove(floor.desk, ada, by=ada.id)
    gone = f"(gone {ada.id})"
    with reading(floor.engine) as db:
        assert people.find(db, gone) is None
    with pytest.raises(Refused, match="a name is 3 to 40 letters"):
        check_name(gone)
    assert floor.player("ada").id != ada.id


def test_no_hash_that_is_left_tells_the_name(floor):
    """What acts say of a row has a salt in it, and the salt is nowhere any more."""
    (ada,) = floor.players("ada")
    row = floor.rows()["people"][0]
    assert len(row.salt) == 32
    remove(floor.desk, ada, by=ada.id)
    assert cells_with(floor, row.salt) == set()
    (salt,) = [row.salt for row in floor.rows()["people"] if row.id == ada.id]
    assert salt is None


def test_two_people_have_two_salts(floor):
    floor.players("ada", "bob")
    assert len({row.salt for row in floor.rows()["people"]}) == 2


def test_not_a_byte_of_the_file_has_the_name(sqlite):
    floor = Floor(sqlite)
    _, zelda, _ = played(floor)
    remove(floor.desk, zelda, by=zelda.id)
    floor.close()
    path = sqlite.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as db:  # as docs/operations.md says
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    files = [file for file in Path(path).parent.iterdir() if file.name.startswith(Path(path).name)]
    assert files and all(b"Quux" not in file.read_bytes() for file in files)


def test_a_closed_table_and_one_of_ones_own(floor):
    (ada,) = floor.players("ada")
    own = floor.desk.plain(lambda db, now: open_table(db, BLACKJACK, ada, SEAL, now))
    floor.do(own, Sit((1,), 100_00), ada)
    floor.do(own, AddSeed("x"), ada)
    floor.do(own, SetBets(1, {"main": 10_00}), ada)
    floor.do(own, Ready(), ada)
    while floor.now(own).waits.kind != "bets":
        floor.decide(own, ada, "stand" if "stand" in floor.now(own).waits.actions else "decline")
    floor.desk.do(Job(own, CloseTable(), ada))
    remove(floor.desk, ada, by=ada.id)
    with reading(floor.engine) as db:
        assert prove(db).faults == []
        assert db.execute(select(schema.tables.c.opened_by)).scalars().all() == [ada.id]
