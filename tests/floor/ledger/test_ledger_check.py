"""The ledger's proof: it holds after real play, and whatever row is changed, lost or added, the first bad one is named."""

import random
import tracemalloc
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import text

from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.ledger.chain import Broken
from feltlab.floor.ledger.checking import check
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.storage.database import open_database, reading
from feltlab.floor.tables.commands import Bring, CloseTable, Ready, SetBets, Sit
from feltlab.floor.tables.live import Person
from support.floor.floors import BLACKJACK, SHEETS, Floor, known_shoes


def played(url):
    """Rounds of every sheet, a table that was closed, and one at which cards lie on the felt."""
    open_database(url).dispose()
    found = Floor(url)
    with known_shoes(3):
        people = found.players("ada", "bob", chips=5000_00)
        tables = [found.table(Wish(sheet)) for sheet in (*SHEETS, SHEETS[0])]
        for table in tables:
            for spot, person in enumerate(people, 1):
                found.desk.do(Job(table, Sit((spot,), 1000_00), person))
            found.play(table, people, 2, random.Random(table))
        found.desk.do(Job(tables[-1], CloseTable()))
    playing = found.table(BLACKJACK, "Th 6c Tc Td 5c")
    found.desk.do(Job(playing, Sit((1,), 500_00), people[0]))
    found.desk.do(Job(playing, SetBets(1, {"main": 10_00, "bad-beat": 5_00}), people[0]))
    found.desk.do(Job(playing, Ready(), people[0]))
    return found


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    found = played(f"sqlite:///{tmp_path_factory.mktemp('ledger')}/felt.db")
    yield found
    found.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(request):
    """The same in either kind of database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("floor")
        return
    from support.postgres import new_database

    found = played(new_database(request.getfixturevalue("postgres_server"), f"ledger_{uuid4().hex}"))
    yield found
    found.close()


def broken(floor, *statements, **values):
    """What the check says after something was changed."""
    with floor.tampered(*statements, **values) as db:
        with pytest.raises(Broken) as caught:
            check(db)
        return caught.value


def transfers(floor):
    return floor.rows()["transfers"]


def some(rows, count=6):
    """A few of many, the first and the last among them."""
    rows = list(rows)
    return [rows[0], *random.Random(len(rows)).sample(rows[1:-1], min(count, len(rows) - 2)), rows[-1]]


def test_real_play_holds(either):
    found, rows = either.check(), either.rows()
    assert found.rows == len(rows["transfers"])
    assert found.steps == len(rows["steps"])
    assert found.bets == len(rows["bets"])
    assert found.tables == 5
    assert found.bought_in == 10_000_00 == found.players + found.floats + found.house
    assert found.house != 0, "a table was closed"
    assert found.players != 10_000_00
    felt = {row.name: row.balance for row in rows["accounts"] if row.name.startswith("felt")}
    assert felt["felt:5"] == 10_00 + 5_00


def test_nothing_was_changed_by_these_tests(either):
    with either.tampered("UPDATE accounts SET balance = 0"):
        pass
    either.check()
    assert len(either.rows()["transfers"]) == either.check().rows


# ---- transfers


@pytest.mark.parametrize("change", [
    "amount = amount + 1", "source_after = source_after + 1", "target_after = target_after - 1",
    "amount = amount + 5, source_after = source_after - 5, target_after = target_after + 5",
    "source = target, target = source", "why = 'gift'",
])  # fmt: skip
def test_a_changed_transfer_is_named(floor, change):
    for row in some(row for row in transfers(floor) if row.table_id or "why" not in change):
        if row.table_id is None and change.startswith("amount = amount + 5"):
            continue  # a larger buy-in is in order by itself; see below
        error = broken(floor, f"UPDATE transfers SET {change} WHERE id = :id", id=row.id)
        assert error.row == row.id, error
        assert str(error).startswith(f"transfer {row.id}: ")


def test_a_larger_buy_in_is_missed_at_the_next_transfer_of_its_accounts(floor):
    first, *others = transfers(floor)
    assert first.why == "buy-in"
    change = "amount = amount + 5, source_after = source_after - 5, target_after = target_after + 5"
    error = broken(floor, f"UPDATE transfers SET {change} WHERE id = :id", id=first.id)
    assert error.row == next(row.id for row in others if {row.source, row.target} & {first.source, first.target})


def test_a_transfer_of_somebody_else_is_named(floor):
    """Chips that went to the other player, with balances that fit."""
    row = next(row for row in transfers(floor) if row.why == "BetSettled" and row.target.startswith("seat:"))
    seat, _, person = row.target.rpartition(":")
    target = f"{seat}:{3 - int(person)}"
    error = broken(floor, "UPDATE transfers SET target = :target WHERE id = :id", id=row.id, target=target)
    assert error.row == row.id


@pytest.mark.parametrize("change", ["bet = bet + 1", "bet = NULL", "seq = seq + 1", "seq = NULL", "table_id = 2"])
def test_a_transfer_that_is_kept_for_another_bet_step_or_table_is_named(floor, change):
    for row in some((row for row in transfers(floor) if row.bet and row.table_id != 2), 3):
        assert broken(floor, f"UPDATE transfers SET {change} WHERE id = :id", id=row.id).row == row.id


def test_a_removed_transfer_is_missed_at_the_next_one(either):
    rows = transfers(either)
    for place in range(0, len(rows), 11):
        gone, accounts = rows[place], {rows[place].source, rows[place].target}
        after = [row for row in rows[place + 1 :]
                 if accounts & {row.source, row.target} or (gone.table_id and row.table_id == gone.table_id)]  # fmt: skip
        error = broken(either, "DELETE FROM transfers WHERE id = :id", id=gone.id)
        assert error.row == (after[0].id if after else None), error


def test_the_last_transfer_removed_is_missed_in_its_step(floor):
    last = transfers(floor)[-1]
    error = broken(floor, "DELETE FROM transfers WHERE id = :id", id=last.id)
    assert error.row is None
    assert f"made a transfer that is missing: {last.amount} cents" in error.why


def test_a_removed_buy_in_is_missed_in_the_account(floor):
    """Somebody who only bought in: no later row can miss it."""
    with floor.tampered(
        "INSERT INTO accounts (name, balance) VALUES ('chips:99', 500)",
        "UPDATE accounts SET balance = balance - 500 WHERE name = 'bank'",
    ) as db:
        with pytest.raises(Broken, match="account bank holds") as caught:
            check(db)
        assert caught.value.row is None


INSERT = (
    "INSERT INTO transfers (id, at, source, target, amount, source_after, target_after, why, table_id, seq, bet)"
    " VALUES (:id, 0, :source, :target, :amount, :source_after, :target_after, :why, :table, :seq, NULL)"
)


def stolen(floor, source, target, amount, **more):
    """A transfer that nobody told of, with balances and accounts that fit."""
    held = {row.name: row.balance for row in floor.rows()["accounts"]}
    return broken(
        floor, INSERT,
        "UPDATE accounts SET balance = balance - :amount WHERE name = :source",
        "UPDATE accounts SET balance = balance + :amount WHERE name = :target",
        id=10_000, source=source, target=target, amount=amount,
        source_after=held[source] - amount, target_after=held[target] + amount,
        **{"why": "leave", "table": 1, "seq": None, **more},
    )  # fmt: skip


def test_a_transfer_that_no_step_tells_of_is_named(floor):
    error = stolen(floor, "float:1", "seat:1:2", 100)
    assert (error.row, error.why) == (10_000, "no step of table 1 made it")
    last = floor.rows()["tables"][0].seq
    assert stolen(floor, "float:1", "seat:1:2", 100, seq=last).row == 10_000
    assert stolen(floor, "felt:5", "seat:5:1", 100, table=5, why="BetSettled").row == 10_000


def test_chips_that_nobody_bought_are_named(floor):
    error = stolen(floor, "house", "chips:1", 100, table=None)
    assert error.row == 10_000
    assert "neither a buy-in nor a cash-out" in error.why
    assert stolen(floor, "chips:1", "chips:2", 100, table=None).row == 10_000


def test_an_account_below_nothing_is_named(floor):
    held = {row.name: row.balance for row in floor.rows()["accounts"]}["chips:1"]
    error = stolen(floor, "chips:1", "bank", held + 1, table=None, why="cash")
    assert error.row == 10_000
    assert "less than zero" in error.why


def test_a_doubled_transfer_is_named(floor):
    for row in some(transfers(floor), 3):
        columns = "at, source, target, amount, source_after, target_after, why, table_id, seq, bet"
        copy = f"INSERT INTO transfers (id, {columns}) SELECT 10000, {columns} FROM transfers WHERE id = :id"
        assert broken(floor, copy, id=row.id).row == 10_000


def test_two_transfers_in_the_wrong_order_are_named(floor):
    rows = transfers(floor)
    for one, two in zip(rows[5::9], rows[6::9], strict=False):
        if {one.source, one.target} & {two.source, two.target}:
            swap = [f"UPDATE transfers SET id = {new} WHERE id = {old}" for old, new in
                    ((one.id, -1), (two.id, one.id), (-1, two.id))]  # fmt: skip
            assert broken(floor, *swap).row == one.id


def test_a_transfer_of_nothing_is_named(either):
    row = transfers(either)[3]
    ignore = ["PRAGMA ignore_check_constraints = ON"] if either.engine.dialect.name == "sqlite" else []
    for amount in (0, -5):
        error = broken(either, *ignore, f"UPDATE transfers SET amount = {amount} WHERE id = :id", id=row.id)
        assert error.row == row.id
        assert f"it moves {amount} cents" in error.why


# ---- accounts


def test_a_changed_balance_is_named(either):
    for name in ("bank", "house", "chips:1", "seat:1:2", "felt:5", "float:2"):
        error = broken(either, "UPDATE accounts SET balance = balance + 1 WHERE name = :name", name=name)
        assert error.row is None
        assert f"account {name} holds" in error.why
    error = broken(either, "INSERT INTO accounts (name, balance) VALUES ('chips:77', 5)")
    assert "account chips:77 holds 5 cents" in error.why
    assert "kept as one of table 2" in broken(either, "UPDATE accounts SET table_id = 2 WHERE name = 'felt:1'").why


def test_an_account_to_which_nothing_came_after_all_is_not_made(sqlite):
    """What was refused leaves nothing, also where something else is stored with it."""
    floor = Floor(sqlite)
    (ada,) = floor.players("ada")
    table = floor.table()

    def both(db, now):
        ledger = Ledger(db, now)
        mark = ledger.mark()
        ledger.move(f"chips:{ada.id}", f"seat:{table}:{ada.id}", 5, "sit", seq=2)
        ledger.back_to(mark)
        ledger.store()

    floor.desk.plain(both)
    assert f"seat:{table}:{ada.id}" not in {row.name for row in floor.rows()["accounts"]}
    floor.check()
    floor.close()


# ---- steps


def settled_steps(floor):
    return [step for step in floor.rows()["steps"] if '"settled"' in step.events]


def first_of(floor, step):
    """The first transfer of a step."""
    return next(row.id for row in transfers(floor) if (row.table_id, row.seq) == (step.table_id, step.seq))


SET_EVENTS = "UPDATE steps SET events = :events WHERE table_id = :table AND seq = :seq"


def with_events(floor, step, events):
    text_ = events if isinstance(events, str) else msgspec.json.encode(events).decode()
    return broken(floor, SET_EVENTS, events=text_, table=step.table_id, seq=step.seq)


def test_a_payment_that_the_step_tells_otherwise_is_named(floor):
    for step in some(settled_steps(floor), 4):
        events = msgspec.json.decode(step.events)
        paid = next(event for event in events if event["event"] == "settled")
        paid["back"] += 100
        error = with_events(floor, step, events)
        rows = [row.id for row in transfers(floor)
                if (row.table_id, row.seq, row.bet) == (step.table_id, step.seq, paid["bet"])]  # fmt: skip
        assert error.row in rows


def test_a_stake_that_was_never_laid_is_named(either):
    step = settled_steps(either)[0]
    events = msgspec.json.decode(step.events)
    next(event for event in events if event["event"] == "settled")["stake"] += 100
    error = with_events(either, step, events)
    assert error.row <= first_of(either, step) + len(events)
    assert "another stake than was laid" in error.why


def test_events_that_are_lost_or_doubled_are_missed(floor):
    for step in some(settled_steps(floor), 3):
        events = msgspec.json.decode(step.events)
        place = next(place for place, event in enumerate(events) if event["event"] == "settled")
        assert with_events(floor, step, []).row == first_of(floor, step)
        with_events(floor, step, events[:place] + events[place + 1 :])
        with_events(floor, step, events[: place + 1] + events[place:])
        assert f"step {step.table_id}-{step.seq}: its events" in with_events(floor, step, "[").why


def test_a_removed_step_is_missed(floor):
    for step in some(floor.rows()["steps"], 4):
        where = "WHERE table_id = :table AND seq = :seq"
        error = broken(floor, f"DELETE FROM steps {where}", table=step.table_id, seq=step.seq)
        later = [row.id for row in transfers(floor) if row.table_id == step.table_id and row.seq >= step.seq]
        assert error.row == (later[0] if later else None)
        words = (f"step {step.table_id}-{step.seq} is missing", "no step of table", "the last that is kept is")
        assert any(word in error.why for word in words)


def test_a_table_that_has_gone_on_without_steps_is_named(floor):
    assert "table 2 has gone" in broken(floor, "UPDATE tables SET seq = seq + 1 WHERE id = 2").why


# ---- settled wagers


@pytest.mark.parametrize(("change", "what"), [
    ("back = back + 1", "back"), ("stake = stake + 1", "stake"), ("first = first + 1", "first"), ("person = 3 - person", "person"),
    ("spot = 3 - spot", "spot"), ("hand = hand + 1", "hand"), ("wager = 'x'", "wager"), ("lines = '[\"x\"]'", "lines"),
])  # fmt: skip
def test_a_changed_wager_is_named(floor, change, what):
    for row in some(floor.rows()["bets"], 1):
        where = "WHERE table_id = :table AND round = :round AND bet = :bet"
        error = broken(floor, f"UPDATE bets SET {change} {where}", table=row.table_id, round=row.round, bet=row.bet)
        assert error.row is None
        assert f"bet {row.bet} of round {row.table_id}-{row.round} is kept with {what} " in error.why


def test_lost_and_doubled_wagers_are_named(either):
    for row in some(either.rows()["bets"], 2):
        where, values = (
            "WHERE table_id = :table AND round = :round AND bet = :bet",
            {"table": row.table_id, "round": row.round, "bet": row.bet},
        )
        name = f"bet {row.bet} of round {row.table_id}-{row.round}"
        assert broken(either, f"DELETE FROM bets {where}", **values).why == f"{name} was settled, but is not kept"
        rest = "person, spot, hand, wager, first, stake, back, lines, at"
        copy = f"INSERT INTO bets (table_id, round, bet, {rest}) SELECT table_id, round, 99, {rest} FROM bets {where}"
        error = broken(either, copy, **values)
        assert error.why == f"bet 99 of round {row.table_id}-{row.round} is kept, but no step settles it"


# ---- long ledgers


def test_a_long_ledger_is_not_held_in_memory(either):
    """Five thousand rows more take hardly more memory than none."""

    before = len(transfers(either))

    def peak(more):
        with either.tampered() as db:
            held = -db.execute(text("SELECT balance FROM accounts WHERE name = 'bank'")).scalar_one()
            chips = db.execute(text("SELECT balance FROM accounts WHERE name = 'chips:1'")).scalar_one()
            rows = [
                {"id": 10_000 + n, "source": "bank", "target": "chips:1", "amount": 1, "source_after": -held - n - 1,
                 "target_after": chips + n + 1, "why": "buy-in", "table": None, "seq": None}
                for n in range(more)
            ]  # fmt: skip
            if more:
                db.execute(text(INSERT), rows)
            db.execute(text(f"UPDATE accounts SET balance = balance - {more} WHERE name = 'bank'"))
            db.execute(text(f"UPDATE accounts SET balance = balance + {more} WHERE name = 'chips:1'"))
            count = len(rows)
            rows.clear()
            tracemalloc.start()
            found = check(db)
            size = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert found.rows == count + before
            return size

    assert peak(5_000) < peak(0) + 1_000_000


def test_what_is_played_meanwhile_does_not_disturb_it(either):
    with reading(either.engine) as db:
        before = check(db)
        ada = next(person for person in either.rows()["people"] if person.name == "ada")
        either.desk.do(Job(1, Bring(1_00), Person(ada.id, ada.kind, ada.name)))
        assert check(db) == before
    assert either.check().rows == before.rows + 1
