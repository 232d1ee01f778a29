"""The schema: what migrations make is what the code expects, and a database of the first schema goes on being played."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, select, text

from feltlab.floor.desk import Desk, Job
from feltlab.floor.ledger.checking import check
from feltlab.floor.people.acts import acts_of
from feltlab.floor.people.removing import remove
from feltlab.floor.records.proof import prove
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import connect, migrate, open_database, reading
from feltlab.floor.tables.commands import CloseTable, Decide, Ready, SetBets
from feltlab.floor.tables.live import Person
from support.floor.first_schema import load_fixture
from support.floor.floors import drop_guards
from support.postgres import new_database, running

KEY = bytes(range(32))
FIRST_PLAYER = Person(2, "player", "First Player")


@pytest.fixture(scope="module")
def server():
    with running() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'felt.db'}"
    return new_database(request.getfixturevalue("server"), f"m{tmp_path.name}".lower())


@pytest.fixture
def opened(database):
    """Opens databases, and closes them at the end."""
    engines = []

    def open_it():
        engines.append(open_database(database))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.dispose()


def test_migrations_make_what_the_code_expects(opened):
    engine = opened()
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    opened()  # a second start finds nothing to do


def test_a_database_of_the_first_schema_goes_on(database, opened):
    load_fixture(database)
    desk = Desk(opened(), Seal(KEY))
    with reading(desk.engine) as db:
        before = check(db)
        assert before.bought_in == 1_000_000
        for table, number in db.execute(
            select(schema.rounds.c.table_id, schema.rounds.c.number).where(schema.rounds.c.ended_at.is_not(None))
        ).all():
            replay_round(db, table, number)
        verify_shoe(db, 2, 1)
    live = desk.look(1)
    assert live.waits is not None and live.waits.kind != "bets"
    people = {1: FIRST_PLAYER, 2: Person(3, "player", "Second Player")}
    while live.waits and live.waits.kind != "bets":  # the round in the middle is played out
        action = "stand" if "stand" in live.waits.actions else "decline"
        desk.do(Job(1, Decide(live.turn, live.waits.spot, action), people[live.waits.spot]))
        live = desk.look(1)
    assert desk.do(Job(3, SetBets(1, {"main": 1000, "big-slick": 500}), FIRST_PLAYER, "kept-key")).again
    for person in people.values():
        outcome = desk.do(Job(3, Ready(), person))
    while outcome.now.waits.kind != "bets":
        action = "stand" if "stand" in outcome.now.waits.actions else "decline"
        outcome = desk.do(
            Job(3, Decide(outcome.now.waits.turn, outcome.now.waits.spot, action), people[outcome.now.waits.spot])
        )
    for table in (1, 3):
        desk.do(Job(table, CloseTable()))
    with reading(desk.engine) as db:
        assert check(db).bought_in == before.bought_in
        for table in (1, 3):
            verify_shoe(db, table, 1)
    assert_proven(desk)
    remove(desk, FIRST_PLAYER, by=None)
    assert_proven(desk)
    with reading(desk.engine) as db:
        for table in schema.metadata.tables.values():
            assert not [row for row in db.execute(select(table)) if "First Player" in str(row)], table
        acts = [act.act for act in acts_of(db, 0, 8)]
    assert acts == ["chained", *["account"] * 3, *["buy-in"] * 2, *["open"] * 1, "open"]


def assert_proven(desk):
    """Everything; the steps of before the migration as they were then."""
    with reading(desk.engine) as db:
        found = prove(db)
    assert found.faults == []
    assert 0 < found.older < found.steps


def test_what_a_migration_linked_is_vouched_for_from_then_on(database, opened):
    load_fixture(database)
    engine = opened()
    with reading(engine) as db:
        assert prove(db).faults == []
    for forgery in (
        "UPDATE steps SET at = at + 1 WHERE table_id = 1 AND seq = 5",
        "UPDATE steps SET person = 5 - person WHERE table_id = 1 AND seq = 6",
        "UPDATE people SET kind = 'house' WHERE id = 2",
        "UPDATE people SET name = 'Else' WHERE id = 3",
        "UPDATE tables SET name = 'Else' WHERE id = 2",
        "UPDATE tables SET state = replace(state, 'ready', 'steady') WHERE id = 1",
        "UPDATE transfers SET at = at + 1 WHERE table_id IS NULL",
    ):
        with engine.connect().execution_options(feltlab_writes=True) as db:
            drop_guards(db)
            db.execute(text(forgery))
            assert prove(db).faults, forgery
            db.rollback()


def test_a_migration_takes_a_page_of_rows_at_a_time(database):
    """However long a table is, no statement asks for all of it."""
    load_fixture(database)
    engine, asked = connect(database), []
    event.listen(engine, "before_cursor_execute", lambda _connection, _cursor, words, *_: asked.append(words))
    migrate(engine)
    engine.dispose()
    for table in ("steps", "transfers", "rounds", "shoes", "tables"):
        reads = [words for words in asked if words.startswith("SELECT") and f"FROM {table}" in words]
        assert reads and all("LIMIT" in words for words in reads), table


def test_a_database_that_is_not_ours_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    path.write_bytes(b"this is no database, and long enough to be sure of it" * 100)
    with pytest.raises(Exception, match="cannot be used: file is not a database"):
        open_database(f"sqlite:///{path}")
