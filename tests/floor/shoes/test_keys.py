"""The key of a database: another one, or none, is noticed at the start; and what is done when it is lost for good."""

import random
import sqlite3

import pytest
from sqlalchemy import select, text

from feltlab import cli
from feltlab.floor.desk import Desk
from feltlab.floor.house.config import Wish
from feltlab.floor.house.voiding import void_all
from feltlab.floor.people.acts import acts_of
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.shoes.keys import key_of
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import read_key, reading, writing
from feltlab.floor.tables.commands import CloseTable, SetBets
from feltlab.web.server import prepare
from feltlab.web.settings import Settings
from support.floor.floors import BLACKJACK, SHEETS, Floor, drop_guards

OTHER = Seal(b"another key of thirty-two bytes.")


@pytest.fixture
def floor(database):
    """One whose ledger may be wrong in the end: some tests see to that."""
    found = Floor(database)
    yield found
    found.close()


def settings(folder, **more):
    return Settings(db=f"sqlite:///{folder / 'felt.db'}", key_file=folder / "felt.key", **more)


def start(folder, *sheets):
    """A server's start; gives what it said."""
    said = []
    prepare(settings(folder, open_tables=sheets), said.append).engine.dispose()
    return said


def refused(capsys, monkeypatch, *words):
    """A command that cannot be done says so in one line."""
    monkeypatch.setattr("sys.argv", ["feltlab", *words])
    with pytest.raises(SystemExit) as end:
        cli.main()
    said = capsys.readouterr()
    assert (end.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the process would end, and its socket
@pytest.mark.parametrize("how", ["missing", "another", "older"])
def test_a_server_with_another_key_or_none_does_not_start(how, tmp_path, capsys, monkeypatch):
    """`older`: a database in which nothing says yet which key is its own."""
    start(tmp_path, SHEETS[0])
    start(tmp_path, SHEETS[0])
    key = tmp_path / "felt.key"
    right = key.read_text()
    if how == "missing":
        key.unlink()
    else:
        key.write_text("ab" * 32 + "\n")
    if how == "older":
        with sqlite3.connect(tmp_path / "felt.db") as db:
            db.execute("DELETE FROM seals")
    words = ["serve", "--port", "0", "--db", f"sqlite:///{tmp_path}/felt.db", "--key", str(key)]
    line = refused(capsys, monkeypatch, *words)
    assert ("is missing" if how == "missing" else "is not the key") in line and "feltlab key lost" in line
    assert key.exists() == (how != "missing"), "a new key was made, and all tables are shut with the chips in them"
    key.write_text(right)
    key.chmod(0o600)
    start(tmp_path, SHEETS[0])


def test_a_damaged_shoe_is_no_wrong_key(tmp_path):
    start(tmp_path, *SHEETS)
    with sqlite3.connect(tmp_path / "felt.db") as db:
        db.execute("UPDATE shoes SET sealed = x'00' WHERE table_id = 1")
    start(tmp_path, *SHEETS)


def test_a_database_in_which_nothing_is_sealed_takes_another_key(tmp_path):
    start(tmp_path)
    (tmp_path / "felt.key").unlink()
    start(tmp_path)


def test_servers_that_start_together_agree_on_the_key(floor, tmp_path):
    seals = [key_of(floor.engine, str(floor.engine.url), tmp_path / "felt.key") for _ in range(3)]
    sealed = seals[0].wrap(b"for all of them", "this")
    assert {seal.unwrap(sealed, "this") for seal in seals} == {b"for all of them"}


# ---- lost for good


def played(floor):
    """Tables of each sheet: rounds over, one before its deal, one in the middle, one with a leaver, one with nobody."""
    players = floor.players("Ada", "Bob", chips=10_000_00)
    tables = [floor.table(Wish(sheet)) for sheet in SHEETS]
    chance = random.Random(7)
    for table in tables:
        floor.seated(table, *players, chips=1000_00)
        floor.play(table, players, 2, chance)
    middle = floor.table(BLACKJACK, "Ts 9s Th Tc 9h Td 2s 3s 4s 5s")
    floor.seated(middle, *players, chips=100_00)
    assert floor.dealt(middle, *players, bets={"main": 10_00, "bad-beat": 5_00}).waits.kind != "bets"
    before = floor.table(Wish("bad-beat-baccarat"))
    floor.seated(before, *players, chips=100_00)
    floor.do(before, SetBets(1, {"player": 7_00}), players[0])
    empty = floor.table(BLACKJACK)
    closed = floor.table(BLACKJACK)
    floor.do(closed, CloseTable())
    return players, [*tables, middle, before, empty], closed


def held(floor, person):
    """All that somebody has: chips, seats, wagers."""
    a, p = schema.accounts, schema.people
    with reading(floor.engine) as db:
        own = db.execute(
            select(a.c.balance).where(a.c.name.in_([f"chips:{person.id}"]) | a.c.name.like(f"seat:%:{person.id}"))
        ).scalars()
        assert db.execute(select(p.c.id).where(p.c.id == person.id)).scalar()
        return sum(own)


def test_without_its_key_everything_goes_back_and_the_ledger_holds(floor):
    players, tables, _ = played(floor)
    ada, bob = players
    laid = {ada: 10_00 + 5_00 + 7_00, bob: 10_00 + 5_00}
    before = {person: held(floor, person) + laid[person] for person in players}
    floor.check()
    done = floor.desk.plain(lambda db, now: void_all(db, "the key is lost", now))
    assert [one.table for one in done] == tables
    assert {one.table: one.wagers for one in done} == {**dict.fromkeys(tables, 0), tables[3]: 30_00, tables[4]: 7_00}
    assert {person: floor.chips(person) for person in players} == before == {p: held(floor, p) for p in players}
    found = floor.check()
    assert found.players + found.house == found.bought_in and found.floats == 0
    blind = Desk(floor.engine, OTHER)
    for table in tables:
        now = blind.look(table)
        assert now.state.closed and not now.state.seats
        assert floor.events(table)[-1]["event"] == "table-closed"
    void = [event for event in floor.events(tables[3]) if event["event"] == "void"]
    assert void == [{"event": "void", "reason": "the key is lost"}]
    with reading(floor.engine) as db:
        told = [(act.act, act.subject, act.detail) for act in acts_of(db, 0, 100) if act.act == "void"]
        ended = db.execute(select(schema.rounds.c.ended_at)).scalars().all()
        backs = db.execute(select(schema.bets).where(schema.bets.c.table_id == tables[3])).all()
    assert told == [("void", f"table {table}", {"reason": "the key is lost"}) for table in tables]
    assert None not in ended and {(bet.stake - bet.back, bet.lines) for bet in backs} == {(0, "[]")}
    assert floor.desk.plain(lambda db, now: void_all(db, "again", now)) == []


def test_a_table_whose_state_is_damaged_is_given_back_too(floor):
    _, tables, _ = played(floor)
    with writing(floor.engine) as db:
        db.execute(text("UPDATE tables SET state = '{'"))
    floor.desk.plain(lambda db, now: void_all(db, "it cannot be read", now))
    assert len(floor.check().__struct_fields__) and all(
        Desk(floor.engine, OTHER).look(one).state.closed for one in tables
    )


@pytest.mark.parametrize(
    "statement", ["DELETE FROM steps WHERE seq = 2", "UPDATE accounts SET balance = 5 WHERE name LIKE 'seat:%'"]
)
def test_what_does_not_follow_is_not_given_back(floor, statement):
    """Who holds what is not known then: nothing at all is changed."""
    played(floor)
    with writing(floor.engine) as db:
        drop_guards(db)
        db.execute(text(statement))
    before = floor.rows()
    with pytest.raises(Exception, match="cannot be voided"):
        floor.desk.plain(lambda db, now: void_all(db, "lost", now))
    assert floor.rows() == before


def test_the_command_for_a_lost_key(tmp_path, capsys, monkeypatch):
    start(tmp_path, *SHEETS)
    db, key = f"sqlite:///{tmp_path}/felt.db", tmp_path / "felt.key"
    words = ["key", "lost", "--db", db, "--key", str(key)]
    assert "the key is there, and it fits" in refused(capsys, monkeypatch, *words)
    key.unlink()
    monkeypatch.setattr("sys.argv", ["feltlab", *words])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0 and capsys.readouterr().out.count("is closed") == 3
    start(tmp_path, *SHEETS)
    assert key.exists(), "with nothing sealed any more, a new key is made"
    read_key(db, key, make=False)
