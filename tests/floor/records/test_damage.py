"""One damaged row is one table's trouble: the lobby, the other tables, the books and a start go on beside it."""

import asyncio
import json
import logging
import sqlite3

import pytest
from sqlalchemy import LargeBinary

from feltlab.client import Client, ServiceError
from feltlab.floor.desk import Job, clock
from feltlab.floor.house.about import OUT_OF_ORDER
from feltlab.floor.storage import schema
from feltlab.floor.storage.store import LiveTables
from feltlab.floor.tables.commands import Bring
from feltlab.sheets.loader import builtin_text
from feltlab.web.lab import figuring
from feltlab.web.server import prepare
from support.floor.inside import Inside

pytestmark = pytest.mark.slow

NOT_UTF8 = "CAST(x'7bff' AS TEXT)"
DAMAGES = ["NULL", "'{\"seats\": 7'", "'[]'", "x'ff00'", NOT_UTF8, "-1"]
PLAUSIBLE = {
    ("accounts", "balance"),
    ("tables", "name"),
}  # a number or a name like any other; `ledger check` knows the first
READ_BY_TABLES = {
    "tables": {"id", "name", "status", "sheet", "config", "config_sha256", "seq", "state", "deadline"},
    "sheets": {"sha256", "text"},
    "shoes": {"table_id", "number", "sealed"},
    "steps": {"table_id", "seq", "round", "events"},
    "accounts": {"name", "table_id", "balance"},
    "rounds": {"table_id", "number"},
}


class Stage:
    """A server with a table in the middle of a round, to be damaged, and two others."""

    def __init__(self, folder):
        self.inside = Inside(folder, "bad-beat-baccarat")
        self.inside.__enter__()
        now = clock()  # however long these tests take, nobody's time is up
        self.inside.at_desk(lambda desk: setattr(desk, "clock", lambda: now))
        url = self.inside.url
        self.house, self.ada, self.bob = self.inside.house(), Client(url).guest(), Client(url).guest()
        text = builtin_text("bad-beat-blackjack").replace("\n", "\n# a sheet of its own\n", 1)
        self.table = int(
            self.house.change("POST", "/tables", {"text": text, "name": "Own", "decision_seconds": 600})["about"]["id"]
        )
        for who in (self.ada, self.bob):
            who.buy_chips(10_000_000)
        self.other = self.bob.sit(1, [1], 1_000_000)
        self.bet_at_other()
        seat = self.ada.sit(self.table, [2, 3], 1_000_000)
        self.round = 0
        while self.round < 2 or not seat.my_turn:
            seat.bet({"main": 1000, "bad-beat": 500}, 2)
            seat.deal()
            while seat.my_turn and self.round == 0:
                seat.act("decline" if seat.my_turn.kind == "insurance" else "stand")
            self.round = seat.now.round.number
        self.file = folder / "felt.db"
        with self.sql() as db:  # whoever damages a file asks no trigger and no constraint
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                db.execute(f"DROP TRIGGER {name}")
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
            db.execute("PRAGMA writable_schema = RESET")
        self.inside.services.engine.dispose()
        self.before = self.ada.table(self.table)

    def sql(self):
        db = sqlite3.connect(self.file, isolation_level=None, timeout=120)
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA ignore_check_constraints = ON")
        return db

    def bet_at_other(self):
        """The other tables play on."""
        self.other.bet({"player": 1000})
        self.other.deal()

    def forget(self, log=None):
        """As a server that has just started: nothing of any table is in memory, and nothing is in the log."""

        def anew(desk):
            desk.tables = LiveTables(desk.tables.seal)
            if log:
                log.clear()  # here, so that no clock strikes in between

        self.inside.at_desk(anew)

    def status(self, who, method, path):
        """What is answered, at once: nothing but a sentence ever goes wrong."""
        answer = who._http.request(method, f"/api/v1{path}")
        assert answer.status_code != 500, f"{method} {path}: {answer.text}"
        if answer.status_code >= 400:
            assert json.loads(answer.text)["detail"], path
        return answer.status_code, json.loads(answer.text)

    def check_others(self):
        """The lobby, the other table, the books and my rounds are there; gives the damaged table's line."""
        status, lines = self.status(self.bob, "GET", "/tables")
        assert status == 200
        lobby = {line["id"]: line for line in lines}
        assert lobby[1]["status"] == "open" and lobby[1]["free"]
        self.bet_at_other()
        for who, path in (
            (self.ada, "/me"),
            (self.ada, "/me/rounds"),
            (self.house, "/books"),
            (self.house, "/books/1"),
            (self.bob, "/rounds/1-1"),
            (self.bob, "/tables/1/scoreboard"),
        ):
            assert self.status(who, "GET", path)[0] == 200, path
        for path in ("rounds/{0}-1", "rounds/{0}-1/replay", "rounds/{0}-2", "shoes/{0}-1"):
            assert self.status(self.ada, "GET", "/" + path.format(self.table))[0] in (200, 404, 409, 503)
        assert self.status(self.house, "GET", f"/books/{self.table}")[0] in (200, 404)
        assert self.inside.at_desk(lambda desk: isinstance(desk.due(), list))
        self.strike()
        return lobby.get(self.table)

    def strike(self):
        """The clock of the damaged table stops no other."""
        here = self.inside.services
        asyncio.run_coroutine_threadsafe(here._strike(self.table), here.worker._loop).result(120)

    def start(self):
        """A server starts on it, and finds that its table is open."""
        prepare(self.inside.services.settings, lambda words: None).engine.dispose()


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    found = Stage(tmp_path_factory.mktemp("damage"))
    yield found
    for client in (found.house, found.ada, found.bob):
        client.close()
    found.inside.__exit__()


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Exact figures are not what is looked at here, and take a minute to count."""

    async def nothing(self, question):
        return {}

    monkeypatch.setattr(figuring.Figuring, "_count", nothing)


def rows_of(stage):
    """A row of each kind that is this table's, and which one it is."""
    table, number = stage.table, stage.round
    with stage.sql() as db:
        sheet, step, paid, seat = (
            db.execute(text).fetchone()[0]
            for text in (
                f"SELECT sheet FROM tables WHERE id = {table}",
                f"SELECT min(seq) FROM steps WHERE table_id = {table} AND round = {number}",
                f"SELECT min(id) FROM transfers WHERE table_id = {table}",
                f"SELECT name FROM accounts WHERE table_id = {table} AND name LIKE 'seat%'",
            )
        )
        asked = db.execute(f"SELECT id FROM requests WHERE answer LIKE '{table}:%' LIMIT 1").fetchone()[0]
    yield "tables", f"id = {table}"
    yield "sheets", f"sha256 = '{sheet}'"
    yield "shoes", f"table_id = {table} AND number = 1"
    yield "rounds", f"table_id = {table} AND number = {number}"
    yield "rounds", f"table_id = {table} AND number = 1"
    yield "steps", f"table_id = {table} AND seq = {step}"
    yield "bets", f"table_id = {table} AND round = 1 AND bet = 1"
    yield "transfers", f"id = {paid}"
    yield "requests", f"id = '{asked}'"
    for account in (seat, f"felt:{table}", f"float:{table}"):
        yield "accounts", f"name = '{account}'"


KINDS = ("tables", "sheets", "shoes", "rounds", "steps", "bets", "transfers", "requests", "accounts")


def damaged(stage, kind, where, column, value):
    """Damage a column of a row; gives what puts it right, or None where it is what it was."""
    with stage.sql() as db:
        rowid, before = db.execute(f"SELECT rowid, {column} FROM {kind} WHERE {where}").fetchone()
        try:
            db.execute(f"UPDATE {kind} SET {column} = {value} WHERE rowid = ?", [rowid])
        except sqlite3.Error:
            return None  # SQLite itself keeps a row's number from being no number
        if db.execute(f"SELECT {column} IS ? FROM {kind} WHERE rowid = ?", [before, rowid]).fetchone()[0]:
            return None

    def mend():
        with stage.sql() as db:
            db.execute(f"UPDATE {kind} SET {column} = ? WHERE rowid = ?", [before, rowid])

    return mend


def test_every_kind_of_row_of_a_table_is_damaged_here(stage):
    of_tables = {
        name
        for name, table in schema.metadata.tables.items()
        if any(key.column.table.name == "tables" for key in table.foreign_keys)
    }
    assert of_tables | {"tables", "sheets", "requests"} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_row_is_one_table_s_trouble(stage, kind, caplog):
    tried = 0
    for found, where in rows_of(stage):
        if found != kind:
            continue
        for column in schema.metadata.tables[kind].columns:
            if column.name == "id":
                continue  # it names the row
            for value in DAMAGES:
                mend = damaged(stage, kind, where, column.name, value)
                if mend is None:
                    continue
                try:
                    check_damage(stage, kind, column, caplog)
                except BaseException as error:
                    error.add_note(f"{kind} {where}: {column.name} = {value}")
                    raise
                finally:
                    mend()
                tried += 1
    assert tried > 5
    stage.forget()
    assert stage.ada.table(stage.table) == stage.before


def check_damage(stage, kind, column, caplog):
    stage.forget(caplog)
    line = stage.check_others()
    status, said = stage.status(stage.ada, "GET", f"/tables/{stage.table}")
    if status == 503:
        assert said["type"].endswith("out-of-order") and "out of order" in said["detail"]
        assert not stage.inside.at_desk(lambda desk: desk.run([Job(stage.table, Bring(1))]))[0].step
        if line:
            assert (line["status"], line["trouble"]) == (OUT_OF_ORDER, "")
            lines = {one["id"]: one for one in stage.status(stage.house, "GET", "/tables")[1]}
            assert lines[stage.table]["trouble"]
    elif (kind, column.name) not in PLAUSIBLE:
        assert (status, said) in ((200, stage.before), (404, said)), "what is shown is neither what it was, nor refused"
    if column.name not in READ_BY_TABLES.get(kind, ()):
        assert status == 200
    told = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(told) == (status == 503), [record.getMessage() for record in told]
    if kind == "sheets" or column.name in ("status", "config", "opened_by"):
        stage.start()


STATES = [
    {"playing": False},
    {"round": 1},
    {"round": 99},
    {"shoe": 2},
    {"shoe": 0, "cut": False},
    {"cut": False},
    {"dealt": 0},
    {"dealt": 10**9},
    {"commitment": "0" * 64},
    {"closed": True},
    {"deadline": 5},
    {"seeds": [["Ada", "not hers"]]},
    {"seats": []},
    {"seats": [{"person": 10**6, "name": "Nobody", "spots": [2], "seen": 0}]},
    {"at": "yesterday"},
]


@pytest.mark.parametrize("change", STATES, ids=str)
def test_a_state_that_can_be_read_but_does_not_fit(stage, change, caplog):
    with stage.sql() as db:
        (state,) = db.execute("SELECT state FROM tables WHERE id = ?", [stage.table]).fetchone()
        changed = json.dumps({**json.loads(state), **change})
    mend = damaged(stage, "tables", f"id = {stage.table}", "state", f"'{changed}'")
    try:
        stage.forget()
        line = stage.check_others()
        assert line["status"] == OUT_OF_ORDER
        assert stage.status(stage.ada, "GET", f"/tables/{stage.table}")[0] == 503
        stage.start()
    finally:
        mend()


def test_what_is_wrong_with_a_table_is_told_once_and_it_goes_on_when_it_is_put_right(stage, caplog):
    mend = damaged(stage, "tables", f"id = {stage.table}", "state", "'{'")
    stage.forget(caplog)
    for _ in range(5):
        stage.check_others()
        stage.status(stage.ada, "GET", f"/tables/{stage.table}")
    assert sum("out of order" in record.getMessage() for record in caplog.records) == 1
    looked = []
    load = LiveTables._load
    stage.inside.at_desk(
        lambda desk: setattr(desk.tables, "_load", lambda *of: looked.append(of) or load(desk.tables, *of))
    )
    stage.status(stage.ada, "GET", "/tables")
    assert not looked, "whoever looks at the lobby has a damaged table read each time"
    mend()
    stage.inside.at_desk(lambda desk: desk.run([Job(stage.table, Bring(1))]))  # whoever would do something there does
    assert stage.ada.table(stage.table) == stage.before


def test_a_request_whose_step_is_damaged_disturbs_no_other_of_its_transaction(stage):
    """Many share one transaction."""
    key, body = "a-key-of-its-own", {"amount": 5}
    stage.ada.change("POST", f"/tables/{stage.table}/chips", body, key)
    with stage.sql() as db:
        (seq,) = db.execute("SELECT max(seq) FROM steps WHERE table_id = ?", [stage.table]).fetchone()
    mend = damaged(stage, "steps", f"table_id = {stage.table} AND seq = {seq}", "events", "'['")
    patience, stage.ada._patience = stage.ada._patience, 0
    try:
        with pytest.raises(ServiceError, match="out of order"):
            stage.ada.change("POST", f"/tables/{stage.table}/chips", body, key)
        stage.bet_at_other()
    finally:
        mend()
        stage.ada._patience = patience
    assert stage.ada.change("POST", f"/tables/{stage.table}/chips", body, key)["again"]
    stage.before = stage.ada.table(stage.table)  # with the chips that were brought


def test_a_secret_is_kept_as_bytes(stage):
    """What is damaged above as a text, an empty one and a number is bytes in the schema."""
    assert isinstance(schema.shoes.c.sealed.type, LargeBinary)
