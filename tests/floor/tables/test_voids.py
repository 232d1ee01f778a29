"""What becomes of a job that fails, and of a round that cannot go on: nobody else is disturbed, and nothing is told."""

import contextlib
import random
from unittest import mock

import pytest
from sqlalchemy import event, text

from feltlab.floor import desk as desks
from feltlab.floor.desk import Job
from feltlab.floor.records.records import replay_of, round_of
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.storage.database import Unavailable, reading, writing
from feltlab.floor.tables import deadlines, procedure
from feltlab.floor.tables.commands import Bring, CloseTable, Decide, Leave, Ready, SetBets, Sit, VoidRound
from feltlab.floor.tables.live import Live
from feltlab.rounds.bets import Cash
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Act, Deal, Void
from feltlab.rounds.conformance import deal_at_random
from feltlab.rounds.open import open_round, replay
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import open_table as table_of
from support.floor.floors import kinds
from support.stacked import dealt
from support.unpayable import ORACLE, TEN_AND_NINE, unpayable

# ---- jobs that share a transaction


def test_a_job_that_cannot_be_stored_fails_alone(floor):
    """One of three tables' steps is refused by the database when all are written; the other two are done, once."""
    tables, persons = [floor.table() for _ in range(3)], floor.players("ada", "bob", "eve")
    jobs = [
        Job(table, Sit((1,), 500_00), person, f"key-{table}") for table, person in zip(tables, persons, strict=True)
    ]
    with refusing(floor, tables[1]):
        outcomes = floor.desk.run(jobs)
    assert [bool(outcome.error) for outcome in outcomes] == [False, True, False]
    assert [outcome.now and outcome.now.seats[0].name for outcome in outcomes] == ["ada", None, "eve"]
    assert [len(floor.now(table).seats) for table in tables] == [1, 0, 1]
    again = floor.desk.run(jobs)
    assert [outcome.again for outcome in again] == [True, False, True]
    assert not any(outcome.error for outcome in again)


def test_jobs_that_are_run_again_keep_their_order(floor):
    one, two = floor.table(), floor.table()
    ada, bob = floor.players("ada", "bob")
    jobs = [
        Job(two, Sit((1,), 500_00), bob),
        *(Job(one, what, ada) for what in (Sit((1,), 1_00), Bring(2_00), Leave())),
    ]
    with refusing(floor, two):
        outcomes = floor.desk.run(jobs)
    assert [bool(outcome.error) for outcome in outcomes] == [True, False, False, False]
    assert floor.chips(ada) == 1000_00


def test_a_view_that_cannot_be_made_stores_nothing_and_disturbs_nobody(floor):
    one, two = floor.table(), floor.table()
    ada, bob = floor.players("ada", "bob")

    def view(live, real=desks.now_of):
        if live.id == one:
            raise RuntimeError("this cannot be shown")
        return real(live)

    with mock.patch.object(desks, "now_of", view):
        bad, good = floor.desk.run([Job(one, Sit((1,), 500_00), ada), Job(two, Sit((1,), 500_00), bob)])
    assert isinstance(bad.error, RuntimeError) and not good.error
    assert floor.chips(ada) == 1000_00, "nothing was stored of what could not be answered"
    assert floor.chips(bob) == 500_00


def test_a_database_that_is_away_is_not_asked_job_by_job(floor):
    """Each of them would wait for it."""
    jobs = [Job(floor.table(), Sit((1,), 500_00), person) for person in floor.players("ada", "bob")]
    tries = []

    def gone(*_):
        tries.append(1)
        raise Unavailable("the database cannot be used: it is away")

    event.listen(floor.engine, "checkout", gone)
    outcomes = floor.desk.run(jobs)
    event.remove(floor.engine, "checkout", gone)
    assert len(tries) == 1
    assert all(isinstance(outcome.error, Unavailable) for outcome in outcomes)


@contextlib.contextmanager
def refusing(floor, table):
    """The database refuses every step of a table while this lasts, when all that is to be written is there."""
    with writing(floor.engine) as db:
        if db.dialect.name == "sqlite":
            db.execute(
                text(
                    f"CREATE TRIGGER no_steps BEFORE INSERT ON steps WHEN NEW.table_id = {table}"
                    " BEGIN SELECT RAISE(ABORT, 'this step is refused'); END"
                )
            )
        else:
            db.execute(text(f"ALTER TABLE steps ADD CONSTRAINT no_steps CHECK (table_id <> {table}) NOT VALID"))
    try:
        yield
    finally:
        with writing(floor.engine) as db:
            sqlite = db.dialect.name == "sqlite"
            db.execute(text("DROP TRIGGER no_steps" if sqlite else "ALTER TABLE steps DROP CONSTRAINT no_steps"))


def test_three_rounds_that_fail_disturb_no_other_table(floor):
    """All in one transaction, as the worker gathers them: the three are void, the others are dealt to."""
    bad = [unpayable(floor, name=f"rich {n}") for n in range(3)]
    persons = floor.players(*(f"plain {n}" for n in range(6)))
    tables = [floor.table() for _ in persons]
    for table, person in zip(tables, persons, strict=True):
        floor.do(table, Sit((1,), 500_00), person)
    jobs = [Job(table, Decide(floor.now(table).waits.turn, 1, "stand"), person) for table, person in bad]
    for table, person in zip(tables, persons, strict=True):
        jobs.insert(1, Job(table, SetBets(1, {"main": 10_00}), person))
    assert [outcome.error for outcome in floor.desk.run(jobs)] == [None] * 9
    assert all("void" in kinds(floor.events(table)) for table, _ in bad)
    assert all(len(floor.now(table).round.bets) == 1 for table in tables)


# ---- decisions are final


@pytest.mark.parametrize("hole", ["Kc", "5c"])
def test_a_line_on_the_hole_card_tells_nothing_before_the_decision_is_final(floor, hole):
    """With the ten the payment is too large to be made, with the five there is none. Both ways the round is over."""
    table, ada = unpayable(floor, ORACLE, hole)
    turn = floor.now(table).waits.turn
    outcome = floor.do(table, Decide(turn, 1, "stand"), ada)
    assert outcome.error is None and outcome.now.waits.kind == "bets"
    assert ("void" in kinds(floor.events(table))) == (hole == "Kc")
    assert "the table waits for wagers" in floor.refused(table, Decide(turn, 1, "hit"), ada)


@pytest.mark.parametrize("what", ["in memory", "when it is written"])
@pytest.mark.parametrize("asked", ["stand", "clock", "leave", "deal"])
def test_a_round_that_fails_is_void_with_the_command_that_it_failed_in(floor, what, asked):
    """Whatever fails, and whoever asked: the wagers go back, the record says why, and the table goes on."""
    table = floor.table(cards=TEN_AND_NINE.replace("{hole}", "Kc"))
    ada = floor.player("ada")
    floor.do(table, Sit((1,), 500_00), ada)
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    if asked != "deal":
        floor.do(table, Ready(), ada)
    floor.time += deadlines.ALONE  # the longest that a table waits for anybody
    failing = mock.patch.object(Live, "end_round", broken) if what == "in memory" else spoiled()
    if asked == "deal":
        failing = mock.patch.object(Live, "do", fails_at_the_deal) if what == "in memory" else spoiled("card")
    with failing:
        if asked == "clock":
            floor.desk.do(Job(table, procedure.DeadlineExpired()))
        elif asked == "leave":
            floor.desk.do(Job(table, Leave(), ada))
        elif asked == "deal":
            floor.desk.do(Job(table, Ready(), ada))
        else:
            floor.desk.do(Job(table, Decide(floor.now(table).waits.turn, 1, "stand"), ada))
    floor.same(table)
    said = [one for one in floor.events(table) if one["event"] == "void"]
    assert [one["reason"] for one in said] == [procedure.WENT_WRONG]
    now = floor.now(table)
    assert now.waits.kind == "bets" and [bet.back for bet in now.round.bets] == [10_00]
    floor.do(table, CloseTable())
    with reading(floor.engine) as db:
        replay_round(db, table, 1)
        verify_shoe(db, table, 1)
    assert floor.chips(ada) == 1000_00


def broken(live):
    """The first time; what is done instead goes well."""
    if not any(isinstance(one, Void) for one in live.commands):
        raise RuntimeError("nobody foresaw this")
    return REAL_END(live)


def fails_at_the_deal(live, command):
    REAL_DO(live, command)
    if isinstance(command, Deal):
        raise RuntimeError("nobody foresaw this")


REAL_END, REAL_DO = Live.end_round, Live.do


@contextlib.contextmanager
def spoiled(kind="over"):
    """The database does not take steps with such an event, unless the round is void."""
    real = desks.save

    def save(db, lives, steps, writes):
        for step in steps:
            if f'"event":"{kind}"' in step["events"] and '"event":"void"' not in step["events"]:
                step["at"] = 2**70  # what no column holds
        real(db, lives, steps, writes)

    with mock.patch.object(desks, "save", save):
        yield


def test_nobody_voids_a_round_by_asking_for_what_cannot_be(floor):
    """Every refusal leaves the round as it is: in play, with the same question."""
    table = floor.table(cards=TEN_AND_NINE.replace("{hole}", "Kc"))
    ada, bob = floor.players("ada", "bob")
    floor.do(table, Sit((1,), 10_00), ada)
    now = floor.do(table, SetBets(1, {"main": 10_00}), ada).now
    now = floor.do(table, Ready(), ada).now
    turn = now.waits.turn
    for command, person in [
        (Decide(turn, 1, "double"), ada),
        (Decide(turn, 1, "split"), ada),
        (Decide(turn, 1, "void"), ada),
        (Decide(turn, 1, "hit", {"rich": 1}), ada),
        (Decide(turn, 1, "hit", {"bad-beat": 2**80}), ada),
        (Decide(turn, 1, "insure", {}, 2**80), ada),
        (Decide(turn, 1, "insure", {}, -1), ada),
        (Decide(turn, 2, "stand"), ada),
        (Decide(turn, 1, "stand"), bob),
        (Leave(), bob),
        (procedure.DeadlineExpired(), None),
        (VoidRound(""), None),
        (VoidRound("x" * 201), None),
        (VoidRound("two\nlines"), None),
    ]:
        floor.refused(table, command, person)
    assert "void" not in kinds(floor.events(table))


@pytest.mark.parametrize("where", ["_verify_decision", "verify"])
def test_what_fails_before_anything_was_done_voids_nothing(floor, where):
    """Else a player who finds an answer that the table stumbles over could give up a hand that is lost."""
    table = floor.table(cards=TEN_AND_NINE.replace("{hole}", "Kc"))
    (ada,) = floor.players("ada")
    floor.seated(table, ada)
    waits = floor.dealt(table, ada).waits
    with mock.patch.object(BlackjackRound, where, side_effect=RuntimeError("nobody foresaw this")):
        (outcome,) = floor.desk.run([Job(table, Decide(waits.turn, 1, "stand"), ada)])
    assert isinstance(outcome.error, RuntimeError)
    floor.same(table)
    assert floor.now(table).waits == waits


def test_a_view_that_fails_for_everybody_voids_nothing_for_who_was_refused(floor):
    table = floor.table(cards=TEN_AND_NINE.replace("{hole}", "Kc"))
    ada, bob = floor.players("ada", "bob")
    floor.seated(table, ada)
    floor.dealt(table, ada)
    turn = floor.now(table).waits.turn
    with mock.patch.object(desks, "now_of", wraps=desks.now_of) as shown:
        shown.side_effect = [RuntimeError("this cannot be shown"), mock.DEFAULT]
        (outcome,) = floor.desk.run([Job(table, Decide(turn, 1, "stand"), bob)])
    assert outcome.error
    assert "void" not in kinds(floor.events(table))


# ---- the house voids a round


def test_the_house_voids_a_round(floor):
    """Of two players one has lost already: that stays. The other's wager, and what was added to it, goes back."""
    table = floor.table(cards="6h Th 9h Tc 7c 8c  Ts 5s")
    ada, bob = floor.players("ada", "bob")
    floor.seated(table, ada, bob)
    floor.dealt(table, ada, bob)
    floor.decide(table, ada, "hit")
    before = floor.now(table)
    assert before.waits.spot == 2
    now = floor.do(table, VoidRound("a card was seen"), None, "").now
    assert now.waits.kind == "bets" and now.following == 2
    assert [(bet.spot, bet.back) for bet in now.round.bets] == [(1, 0), (2, 10_00)]
    assert (floor.seat(table, ada), floor.seat(table, bob)) == (490_00, 500_00)
    with reading(floor.engine) as db:
        record, again = round_of(db, table, 1), replay_of(db, table, 1)
    assert record.over and "the round is void: a card was seen" in record.told
    assert [line.back for line in record.bets] == [0, 10_00]
    assert any("a card was seen" in line for chapter in record.story for line in chapter.lines)
    assert again.over and again.frames[-1].round.dealer.cards == ["9h", "--"]
    floor.dealt(table, ada, bob)
    floor.do(table, VoidRound("and again"))
    floor.do(table, CloseTable())
    with reading(floor.engine) as db:
        assert verify_shoe(db, table, 1).rounds == [f"{table}-1", f"{table}-2"]
        for number in (1, 2):
            replay_round(db, table, number)


def test_a_round_is_void_before_its_deal_too(floor):
    table, (ada, bob) = floor.table(), floor.players("ada", "bob")
    assert "no round to void" in floor.refused(table, VoidRound("nothing is there"))
    floor.seated(table, ada, bob)
    floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 1_00}), ada)
    floor.do(table, SetBets(2, {"main": 10_00}), bob)
    floor.do(table, SetBets(2, {}), bob)
    now = floor.do(table, VoidRound("the wrong shoe")).now
    assert floor.seat(table, ada) == 500_00 and not now.shoe.cut
    assert "no round to void" in floor.refused(table, VoidRound("nothing is there any more"))
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, SetBets(1, {}), ada)
    assert "no round to void" in floor.refused(table, VoidRound("all was taken back"))
    floor.dealt(table, ada)
    floor.do(table, VoidRound("once more"))
    floor.do(table, CloseTable())
    with reading(floor.engine) as db:
        replay_round(db, table, 1)
        replay_round(db, table, 2)
        verify_shoe(db, table, 1)


def test_who_leaves_and_a_table_that_closes_go_when_the_round_is_void(floor):
    table = floor.table(cards="6h Th 9h Tc 7c 8c  Ts 5s")
    ada, bob = floor.players("ada", "bob")
    floor.seated(table, ada, bob)
    floor.dealt(table, ada, bob)
    floor.do(table, Leave(), bob)
    floor.do(table, CloseTable())
    now = floor.do(table, VoidRound("that is enough")).now
    assert now.status == "closed"
    assert (floor.chips(ada), floor.chips(bob)) == (1000_00, 1000_00)


def test_only_the_house_says_void_to_a_round():
    """It is no command of a player, and a log with it replays."""
    table = table_of(set_up(load("bad-beat-blackjack")))
    round_ = deal_at_random(table, random.Random(4))
    assert not round_.can(Void("it is over"))
    open_ = open_round(table)
    assert not open_.can(Void("nothing lies there"))


@pytest.mark.parametrize("close", [False, True])
def test_money_of_a_void_round_is_where_it_was(close):
    table = table_of(set_up(load("bad-beat-blackjack")))
    round_ = dealt(table, "8h 9h 8c Kc  2h 3h 4h 5h", Act(1, "split"), bets=(("main", 1000), ("bad-beat", 100)))
    if close:
        round_.do(Act(1, "double"))
        round_.do(Act(1, "hit"))
    round_.do(Void("it was not right"))
    assert round_.over and Cash.of(round_.log).total == 0
    assert not round_.felt.open()
    assert replay(table, round_.log).felt == round_.felt
