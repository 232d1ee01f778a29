"""`verify --all`: what really happened is proven, and whatever row of whatever table is forged is found."""

import random
import tracemalloc
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Integer, String, Text, text
from sqlalchemy.exc import DBAPIError

from feltlab.errors import FeltlabError
from feltlab.floor.people import people
from feltlab.floor.records.heads import ACTS, Forged, Head, KeptHeads, heads_of, write
from feltlab.floor.records.links import START
from feltlab.floor.records.proof import prove
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.commands import Bring
from feltlab.floor.tables.events import (
    CalledOff,
    ClockSetBack,
    GaveUp,
    Left,
    RoundOpened,
    Sat,
    SeedAdded,
    ShoeCut,
    ShoeOpened,
    TableClosed,
)
from feltlab.rounds.events import CardDealt, RoundEnded
from support.floor.changing import SEES_NOTHING, from_base64, played
from support.floor.floors import SEAL
from support.floor.forging import FORGERIES, relink, step_added, unguarded
from support.soak import soak

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def floor(request, tmp_path_factory):
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('proof')}/felt.db"
    else:
        from support.postgres import new_database

        url = new_database(request.getfixturevalue("postgres_server"), f"proof_{uuid4().hex}")
    found = played(url)
    yield found
    found.close()


def proof_of(floor, kept=None, tell=lambda _: None):
    with reading(floor.engine) as db:
        return prove(db, kept, tell)


def kept_heads(floor):
    with reading(floor.engine) as db:
        return KeptHeads(write(heads_of(db)))


def test_what_really_happened_is_proven(floor):
    rows, found = floor.rows(), proof_of(floor, kept_heads(floor))
    assert found.faults == []
    assert (found.acts, found.people, found.transfers) == tuple(len(rows[of]) for of in ("acts", "people", "transfers"))
    assert (found.steps, found.tables) == (len(rows["steps"]), 3)
    revealed = [shoe for shoe in rows["shoes"] if shoe.secret]
    assert found.shoes == len(revealed) >= 2
    assert found.rounds == len([row for row in rows["rounds"] if row.ended_at]) >= 6
    assert (found.unrevealed, found.in_play, found.unseen) == (len(rows["shoes"]) - len(revealed), 1, 0)
    assert found.heads == 3, "acts, and the tables that are open"
    assert (found.older, found.other_version) == (0, 0)


# ---- forgeries


def forged(floor, forgery, *, linked, kept=None):
    """What is found after a forgery, by somebody who makes all links anew or does not."""
    with floor.engine.connect().execution_options(feltlab_writes=True) as db:
        unguarded(db)
        forgery(db)
        if linked:
            relink(db)
        found = prove(db, kept).faults
        db.rollback()
    return found


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_forgery_is_found(floor, forgery):
    assert forged(floor, forgery, linked=False), "by the links alone"


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_forgery_with_links_made_anew_is_found_by_heads_that_were_kept(floor, forgery):
    assert forged(floor, forgery, linked=True, kept=kept_heads(floor))


def test_the_page_says_what_each_forgery_is_found_by(floor):
    """Without heads, whoever makes all links anew is found only where the rows contradict each other."""
    page = Path("docs/proof.md").read_text()
    for forgery in FORGERIES:
        found = forged(floor, forgery, linked=True)
        words = " ".join((forgery.__doc__ or "").split()).rstrip(".")
        assert f"| {words} | links | {'other rows' if found else 'kept heads alone'} |" in page
    assert page.count("| links |") == len(FORGERIES)


def test_making_links_anew_changes_nothing_where_nothing_was_forged(floor):
    assert forged(floor, lambda db: None, linked=True, kept=kept_heads(floor)) == []


def test_nothing_of_these_tests_was_kept(floor):
    assert proof_of(floor, kept_heads(floor)).faults == []


def test_a_database_that_was_set_back_is_found_by_heads(sqlite):
    """The last steps, transfers and acts never were: an older copy of the file. Nothing in it is wrong."""
    floor = played(sqlite)
    old = kept_heads(floor)
    before = floor.rows()
    bob = next(person for person in floor.rows()["people"] if person.name == "bob")
    floor.desk.plain(lambda db, now: people.buy_in(db, people.Person(bob.id, bob.kind, bob.name), 500, now))
    acts_grown = kept_heads(floor)
    floor.do(2, Bring(500), people.Person(bob.id, bob.kind, bob.name))
    table_grown = kept_heads(floor)
    assert proof_of(floor, old).faults == []
    assert proof_of(floor, table_grown).heads == 3
    with floor.engine.connect().execution_options(feltlab_writes=True) as db:
        unguarded(db)
        for table in schema.metadata.tables.values():
            db.execute(table.delete())
        for name, table in schema.metadata.tables.items():
            db.execute(table.insert(), [dict(row._mapping) for row in before[name]] or [{}]) if before[name] else None
        assert prove(db, old).faults == []
        (fault,) = prove(db, acts_grown).faults
        assert fault.startswith(f"there were {len(before['acts']) + 1} acts when a head was kept")
        assert any(said.startswith("table 2 had gone ") for said in prove(db, table_grown).faults)
    floor.close()


# ---- every column of every table


def other_values(column, value, dialect):
    """Other values that the column could have: near ones, one that fits no row, none at all, and those of another kind."""
    if isinstance(value, bytes):
        return [value[:-1] + bytes([value[-1] ^ 1]), b"", *([value.hex()] if dialect == "sqlite" else [])]
    found = [] if value is None or not column.nullable else [None]
    if dialect == "sqlite":
        found += [b"\xff\x00", b"", 1.5, "x" if isinstance(value, int) else 7]
        found += [decoded] if (decoded := from_base64(value)) else []
    if isinstance(value, int) or (value is None and not isinstance(column.type, String)):
        near = [value + 1, -value - 1] if isinstance(value, int) else [1, 0]
        return [*found, *near, 1_000_000, 2**31 - 1 if type(column.type) is Integer else 2**62]
    if value is None:
        return [*found, "x", ""]
    if (column.table.name, column.name) in (("shoes", "seeds"), ("shoes", "secret")):
        return [*found, value.replace("1", "2", 1) if "1" in value else '[["#1","x"]]']
    if isinstance(column.type, Text):
        return [*found, value + " ", "", "[", "[" * 5000]  # the first is the same JSON, but not the same text
    return [*found, value[:-1] + ("0" if value[-1] != "0" else "1"), "x"]


def altered(floor, table, column, row, value):
    """What is found when a column of a row has another value; None where the database keeps it from having that."""
    keys = {f"key_{key.name}": row._mapping[key.name] for key in table.primary_key.columns}
    which = " AND ".join(f"{key.name} = :key_{key.name}" for key in table.primary_key.columns)
    change = text(f'UPDATE {table.name} SET "{column.name}" = :new WHERE {which}')
    try:
        return forged(floor, lambda db: db.execute(change, {"new": value, **keys}), linked=False)
    except DBAPIError:
        return None  # as a number of a row that must be one


COLUMNS = [(table, column) for table in schema.metadata.tables.values() for column in table.columns]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=[str(column) for _, column in COLUMNS])
def test_whatever_column_is_changed_it_is_found(floor, table, column):
    if SEES_NOTHING.keys() & {(table.name, None), (table.name, column.name)}:
        return
    there = floor.rows()[table.name]
    assert there, "the floor of these tests has one"
    tried, dialect = 0, floor.engine.dialect.name
    for place, row in {0: there[0], len(there) // 2: there[len(there) // 2], len(there) - 1: there[-1]}.items():
        old = row._mapping[column.name]
        values = [value for value in other_values(column, old, dialect) if (value, type(value)) != (old, type(old))]
        chance = random.Random(f"{column} {place}")
        for value in chance.sample(values, min(soak(len(values), 3), len(values))):
            found = altered(floor, table, column, row, value)
            tried += found is not None
            assert found != [], f"{column} of {row} was {old!r}, and is {value!r}"
            assert all(len(fault.splitlines()) == 1 for fault in found or [])
    assert tried


def test_rows_that_are_removed_or_added_are_found(floor):
    for table in schema.metadata.tables.values():
        if (table.name, None) in SEES_NOTHING:
            continue
        for row in floor.rows()[table.name][-1:]:
            which = [key == row._mapping[key.name] for key in table.primary_key.columns]
            assert forged(
                floor, lambda db, which=which, table=table: db.execute(table.delete().where(*which)), linked=False
            )
            key = list(table.primary_key.columns)[-1]
            old = row._mapping[key.name]
            for other in (
                (old + 1, 1_000_000) if isinstance(old, int) else (old[:-1] + ("0" if old[-1] != "0" else "1"),)
            ):
                new = {**row._mapping, key.name: other}
                if table.name == "people":
                    new["name"], new["looks"] = "eve", "eve"
                if table.name == "own_limits":
                    new["person"] = floor.rows()["people"][-1].id  # who has set none
                if table.name == "sheets":
                    continue  # a text under a hash that is not its own is found; under its own it is one more sheet
                assert forged(
                    floor, lambda db, table=table, new=new: db.execute(table.insert(), [new]), linked=False
                ), new


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(("statement", "words"), [
    ("UPDATE rounds SET last_seq = 1000000 WHERE ended_at IS NULL", "is kept as one that ended, but no step ended it"),
    ("UPDATE rounds SET ended_at = 1 WHERE ended_at IS NULL", "is kept as one that ended, but no step ended it"),
    ("INSERT INTO rounds (table_id, number, shoe, began, began_at, first_seq) VALUES (2, 99, 2, 1, 1, 1000000)",
     "round"),
    ("INSERT INTO rounds (table_id, number, shoe, began, began_at, first_seq) VALUES (3, 2, 1, 1, 1, 3)", "round"),
    ("UPDATE rounds SET shoe = 2 WHERE table_id = 2 AND number = 1", "is kept with shoe 2, but the steps say 1"),
    ("INSERT INTO accounts (name, table_id, balance) VALUES ('seat:3:2', 3, 0)", "account seat:3:2 is kept"),
    ("INSERT INTO accounts (name, balance) VALUES ('chips:999', 0)", "account chips:999 is kept"),
    ("INSERT INTO accounts (name, balance) VALUES ('gift', 0)", "account gift is kept"),
    ("DELETE FROM accounts WHERE name = 'chips:1'", "there is no account chips:1"),
    ("DELETE FROM accounts WHERE name = 'felt:1'", "account felt:1 holds None"),
    ("UPDATE tables SET state = replace(state, '\"playing\":true', '\"playing\":false') WHERE id = 3",
     "has False as a round in play"),
    ("UPDATE tables SET state = replace(state, '\"cut\":true', '\"cut\":false') WHERE id = 3",
     "has False as a shoe that is cut"),
    ("UPDATE tables SET state = replace(state, '\"spots\":[1]', '\"spots\":[2]') WHERE id = 3",
     "the spots of each person are"),
])  # fmt: skip
def test_rows_that_follow_from_nothing_are_found_by_other_rows(floor, statement, words, linked):
    found = forged(floor, lambda db: db.exec_driver_sql(statement), linked=linked)
    assert found
    assert not linked or any(words in fault for fault in found), found


STEPS = {
    "a round in a round": ([RoundOpened(4), RoundOpened(5)], "opens round 5 after round 4, which is in play"),
    "a round that is left out": ([RoundOpened(5)], "opens round 5 after round 3"),
    "an end of no round": ([RoundEnded({})], "something happens in a round, but none is in play"),
    "a card for nobody": ([CardDealt("dealer", 5)], "something happens in a round, but none is in play"),
    "a round called off": ([CalledOff(3)], "calls round 3 off, which does not wait for its deal"),
    "somebody's spot": ([Sat("#3", (1,), 5)], "where somebody sits already"),
    "a leave from another's spot": ([Left("#3", (1,), 5)], "does not have all of them"),
    "a spot of another given up": ([GaveUp("#3", (1,))], "does not have all of them"),
    "a leave from no spot": ([Left("#3", (), 5)], "leaves, but not all spots"),
    "an end of the table": ([TableClosed()], "closes the table while somebody sits there"),
    "a shoe cut again": ([ShoeCut(2), ShoeCut(2)], "is cut again"),
    "another shoe cut": ([ShoeCut(1)], "a shoe of table 2 is kept with number 2, but the steps say 1"),
    "a shoe too far": ([ShoeOpened(9, "c" * 64, 1, 1, 30)], "opens shoe 9 before shoe 2-2 was revealed"),
    "a seed after the cut": ([ShoeCut(2), SeedAdded("#3", "late")], "a seed was added after it was cut"),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_cannot_be_is_found_by_the_steps_before_it(floor, name):
    events, words = STEPS[name]
    found = forged(floor, lambda db: step_added(db, 2, events, [], person=3), linked=True)
    assert any(words in fault for fault in found), found


@pytest.mark.parametrize(("events", "changes", "words"), [
    ("[]", {"moves": '[{"command":"deal"}]'}, "no round is in play, and something is asked of it"),
    ("[]", {"round": 3}, "is kept as one of"),
    ('[{"event":"ready","who":"#2" }]', {}, "are not written as events are"),
    ('[{"who":"#2","event":"ready"}]', {}, "are not written as events are"),
    ('[{"\\u0065vent":"ready","who":"#2"}]', {}, "are not written as events are"),
    ('[{"event":"clock","event":"clock"}]', {}, "are not written as events are"),
    ("{}", {}, "its events do not follow from the steps before it"),
])  # fmt: skip
def test_a_step_is_written_in_one_way_and_of_its_round(floor, events, changes, words):
    found = forged(floor, lambda db: step_added(db, 2, events, [], **changes), linked=True)
    assert any(words in fault for fault in found), found


def test_a_win_in_the_step_after_a_table_closed_is_found(floor):
    found = forged(floor, lambda db: step_added(db, 1, [ClockSetBack()], []), linked=True)
    assert any("it follows the end of the table" in fault for fault in found), found


# ---- heads


HEADS = [Head(ACTS, 3, "a" * 64), Head("table-1", 7, "b" * 64)]


def test_heads_are_lines(floor):
    assert write(HEADS) == f"feltlab heads 1\nacts 3 {'a' * 64}\ntable-1 7 {'b' * 64}\n"
    kept = KeptHeads(write(HEADS) + write([Head(ACTS, 4, "c" * 64)]))
    assert kept.links == {"acts": {3: "a" * 64, 4: "c" * 64}, "table-1": {7: "b" * 64}}
    with reading(floor.engine) as db:
        assert [head.chain for head in heads_of(db)] == ["acts", "table-2", "table-3"]


def test_heads_are_signed():
    text_, key = write(HEADS, SEAL.signer), SEAL.signer.public_key().public_bytes_raw().hex()
    assert KeptHeads(text_, key).count == KeptHeads(text_).count == 2
    for other, words in (
        (text_.replace("acts 3", "acts 4"), f"heads that are signed by {key} were altered since"),
        (write(HEADS), "heads are signed by nobody, not by"),
        (write(HEADS, Seal(bytes(32)).signer), "heads are signed by .{64}, not by"),
        (text_ + write(HEADS), "heads are signed by nobody, not by"),
    ):
        with pytest.raises(Forged, match=words):
            KeptHeads(other, key)
    assert KeptHeads(text_ * 3, key.upper()).count == 6
    for empty in ("", write([]), write([], SEAL.signer)):
        with pytest.raises(FeltlabError, match="there is no head in this text|heads are signed by nobody"):
            KeptHeads(empty, key)


def test_heads_that_were_mailed_are_read():
    text_, key = write(HEADS, SEAL.signer), SEAL.signer.public_key().public_bytes_raw().hex()
    for sent in (text_.replace("\n", "\r\n"), text_.replace("\n", "\r\n") + text_, text_.rstrip("\n"), text_ + "\r\n"):
        assert KeptHeads(sent, key).links == KeptHeads(text_).links


def test_the_head_of_no_acts_is_one():
    assert KeptHeads(write([Head(ACTS, 0, START)])).count == 1


@pytest.mark.parametrize(("text_", "words"), [
    ("acts 3 aa\n", "these are not heads"), ("feltlab heads 1\nacts 3 aa\n", "'acts 3 aa' is not a head"),
    ("feltlab heads 1\n\nacts", "'' is not a head"), ("", "there is no head in this text"),
    ("feltlab heads 1\n", "there is no head in this text"),
    (write([Head(ACTS, 0, "a" * 64)]), "'acts 0 a+' is not a head"),
    (write([Head("table-1", 0, START)]), "'table-1 0 0+' is not a head"), ("x" * (2**26 + 1), "the heads are more than 64 MiB"),
    (write(HEADS) + write([Head(ACTS, 3, "c" * 64)]), "two heads say what link 3 of acts is"),
])  # fmt: skip
def test_what_is_no_head_is_refused(text_, words):
    with pytest.raises(FeltlabError, match=words):
        KeptHeads(text_)


def test_a_head_of_a_chain_that_is_not_there_is_a_fault(floor):
    (fault,) = proof_of(floor, KeptHeads(write([Head("table-9", 1, "a" * 64)]))).faults
    assert fault == "a head of table-9 was kept, and there is no such chain"


# ---- long databases


def test_a_long_database_is_not_held_in_memory_and_shows_how_far_it_is(sqlite):
    floor = played(sqlite)
    ada = next(person for person in floor.rows()["people"] if person.name == "ada")
    ada = people.Person(ada.id, ada.kind, ada.name)

    def peak():
        said = []
        tracemalloc.start()
        assert proof_of(floor, tell=said.append).faults == []
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size, said

    peak()
    (small, few), more = peak(), 3000
    assert few[0] == "acts"
    floor.desk.plain(lambda db, now: [people.buy_in(db, ada, 1, now) for _ in range(more)])
    large, many = peak()
    assert large < small + 1_000_000
    assert len(many) >= len(few) + 2 * more // 200, "a word every 200 rows"
    floor.close()
