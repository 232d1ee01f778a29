"""Damaged rows are faults of a part of the proof, said in a line each."""

import random
import re
import sqlite3
from contextlib import suppress

import pytest

from feltlab.errors import FeltlabError
from feltlab.floor.ledger.checking import check
from feltlab.floor.people.acts import acts_of
from feltlab.floor.records.damage import readable
from feltlab.floor.records.proof import prove
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import any_text
from feltlab.floor.storage.read_only import open_read_only
from support.floor.changing import SEES_NOTHING, from_base64, played
from support.soak import soak

pytestmark = pytest.mark.slow

VALUES = [
    None, b"\xff\x00", b"", -1, 7, 2**62, 1.5, float("inf"), "x", "", "a\0b", "é\x1b[31m", "seat:x:y", "[]", "{}", "[1]",
    "[" * 5000, '{"a":' * 3000, '[{"event":"shoe","number":' + "9" * 5000 + "}]", '[{"event":"round"}]', '{"card":1}',
    '[{"event":"card","card":5}]', '[{"event":"sit","who":"#2","spots":[1],"chips":1e400}]', "9" * 5000,
    '[{"event":"shoe","number":1,"commitment":"","decks":1,"burn":1,"behind_cut":1}]', '{"seats":[{}]}',
]  # fmt: skip
NOT_UTF8 = "CAST(x'7bff' AS TEXT)"


class File:
    """A database that anything can be written into, and where each row is."""

    def __init__(self, url):
        self.url, self.path = url, url.removeprefix("sqlite:///")
        played(url).close()
        with self.sql() as db:
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                db.execute(f"DROP TRIGGER {name}")
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
            db.execute("PRAGMA writable_schema = RESET")
            self.cells = [
                (table.name, column.name, row)
                for table in schema.metadata.tables.values()
                for (row,) in db.execute(f"SELECT rowid FROM {table.name} ORDER BY rowid").fetchall()
                for column in table.columns
                if column.name != "id"  # it names the row
            ]

    def sql(self):
        db = sqlite3.connect(self.path, isolation_level=None)
        db.text_factory = any_text
        for pragma in ("foreign_keys = OFF", "ignore_check_constraints = ON"):
            db.execute(f"PRAGMA {pragma}")
        return db

    def read(self, table, column, row):
        with self.sql() as db:
            return db.execute(f'SELECT "{column}" FROM {table} WHERE rowid = ?', [row]).fetchone()[0]

    def put(self, table, column, row, value):
        """Give a column of a row a value, if SQLite takes it."""
        new, values = (NOT_UTF8, [row]) if value is NOT_UTF8 else ("?", [value, row])
        with self.sql() as db, suppress(sqlite3.Error):
            db.execute(f'UPDATE {table} SET "{column}" = {new} WHERE rowid = ?', values)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return File(f"sqlite:///{tmp_path_factory.mktemp('damage')}/felt.db")


def look(act, *where):
    """Something asked of damaged rows: whatever it comes to, it is an answer or a line."""
    try:
        act(*where)
    except FeltlabError as error:
        assert str(error), act


def acts(db):
    with readable("an act", FeltlabError):
        acts_of(db, 0, 1000)


def look_at_all(file, seen=True):
    with open_read_only(file.url) as db:
        found = prove(db)
        assert bool(found.faults) == seen, found.faults
        for fault in found.faults:
            assert len(fault) <= 700 and len(fault.splitlines()) == 1 and fault.isprintable()
        look(check, db)
        look(acts, db)
        for table, number in ((1, 1), (2, 1), (2, 2), (3, 1)):
            look(verify_shoe, db, table, number)
            look(replay_round, db, table, number)


def test_any_damaged_value_is_a_fault_and_no_traceback(file):
    chance, tried = random.Random(11), 0
    seen = [cell for cell in file.cells if not {(cell[0], None), cell[:2]} & SEES_NOTHING.keys()]
    for _ in range(soak(3000, 80)):
        table, column, row = chance.choice(seen)
        value = chance.choice([*VALUES, NOT_UTF8, "base64"])
        old = file.read(table, column, row)
        if value == "base64":
            value = from_base64(old) or 7
        file.put(table, column, row, value)
        now = file.read(table, column, row)
        if (now, type(now)) == (old, type(old)):
            continue
        try:
            look_at_all(file)
        except BaseException as error:
            error.add_note(f"{table}.{column} of {row} = {value!r}")
            raise
        finally:
            file.put(table, column, row, old)
        tried += 1
    assert tried > 40
    look_at_all(file, seen=False)


@pytest.mark.parametrize(("change", "words"), [
    ("UPDATE sheets SET text = CAST(text AS BLOB)", "the row .* of sheets is kept with bytes as its text, not a text"),
    ("UPDATE sheets SET text = NULL", "the row .* of sheets is kept with nothing as its text, not a text"),
    ("UPDATE tables SET state = CAST(state AS BLOB) WHERE id = 2", "the row 2 of tables is kept with bytes as its state"),
    ("UPDATE tables SET seq = 'x' WHERE id = 2", "the row 2 of tables is kept with a text as its seq, not a whole number"),
    ("UPDATE transfers SET amount = 1.5 WHERE id = 7", "the row 7 of transfers is kept with a fraction as its amount"),
])  # fmt: skip
def test_a_value_of_another_kind_is_named_and_the_other_parts_are_proven(tmp_path, change, words):
    file = File(f"sqlite:///{tmp_path}/felt.db")
    with open_read_only(file.url) as db:
        whole = prove(db)
    with file.sql() as db:
        db.execute(change)
    with open_read_only(file.url) as db:
        found = prove(db)
    assert any(re.search(words, fault) for fault in found.faults), found.faults
    assert (found.acts, found.people) == (whole.acts, whole.people)


def test_a_damaged_database_is_no_fault_of_a_part(file, monkeypatch):
    """What is wrong with the database as a whole, or with the machine, is said as that."""

    def full(*_):
        raise MemoryError

    monkeypatch.setattr("feltlab.floor.records.proof.check", full)
    with open_read_only(file.url) as db, pytest.raises(MemoryError):
        prove(db)
