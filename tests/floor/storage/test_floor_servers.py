"""Several servers on one database: whatever they do at the same time, it is as if one after the other had done it."""

import random
from threading import Barrier, Thread

import pytest
from sqlalchemy import text

from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.ledger.transfers import TooLittle
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.commands import Bring, CloseTable, Decide, Leave, Ready, SetBets, Sit
from feltlab.floor.tables.view import now_of
from support.floor.floors import BLACKJACK, encoded

pytestmark = pytest.mark.slow


def at_once(*acts):
    """Do several things in threads of their own, all beginning together; gives what each returned."""
    found, barrier = [None] * len(acts), Barrier(len(acts))

    def run(place, act):
        barrier.wait()
        found[place] = act()

    threads = [Thread(target=run, args=item) for item in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_two_servers_take_turns_at_one_table(floor):
    """Every command goes to either of two servers; each always knows what the other did."""
    chance = random.Random(5)
    ada, bob = people = floor.players("ada", "bob")
    table = floor.table(Wish("bad-beat-blackjack", decks=1))
    desks = [floor.new_desk(), floor.new_desk()]

    def do(command, person=None):
        return chance.choice(desks).do(Job(table, command, person)).now

    do(Sit((1,), 500_00), ada)
    do(Sit((2,), 500_00), bob)
    for _ in range(12):
        for spot, person in enumerate(people, 1):
            do(SetBets(spot, {"main": 2_00, "bad-beat": 1_00}), person)
            now = do(Ready(), person)
        while now.waits.kind != "bets":
            waits = now.waits
            action = "decline" if waits.kind == "insurance" else chance.choice(waits.actions)
            now = do(Decide(waits.turn, waits.spot, action), people[waits.spot - 1])
            assert {encoded(now_of(desk.look(table))) for desk in (*desks, floor.new_desk())} == {encoded(now)}
    do(CloseTable())
    with reading(floor.engine) as db:
        assert sum(len(verify_shoe(db, table, shoe).rounds) for shoe in range(1, now.shoe.number + 1)) == 12


def test_the_same_request_at_two_servers_at_once_is_carried_out_once(floor):
    (ada,) = floor.players("ada")
    table = floor.table()
    floor.seated(table, ada, chips=100_00)
    one, other = floor.new_desk(), floor.new_desk()
    for number in range(8):
        job = Job(table, Bring(1_00), ada, f"key {number}")
        outcomes = [outcomes[0] for outcomes in at_once(lambda j=job: one.run([j]), lambda j=job: other.run([j]))]
        assert [outcome.error for outcome in outcomes] == [None, None]
        assert sorted(outcome.again for outcome in outcomes) == [False, True]
        assert outcomes[0].step == outcomes[1].step
    assert floor.seat(table, ada) == 108_00


def test_chips_are_spent_once_however_many_servers_are_asked(floor):
    """A person sits down at every table with all their chips at the same time: one of them has them."""
    (ada,) = floor.players("ada")
    tables = [floor.table() for _ in range(3)]
    desks = [floor.new_desk() for _ in tables]
    for _ in range(4):
        outcomes = at_once(
            *(
                lambda d=desk, t=table: d.run([Job(t, Sit((1,), 1000_00), ada)])[0]
                for desk, table in zip(desks, tables, strict=True)
            )
        )
        errors = [outcome.error for outcome in outcomes if outcome.error]
        assert len(errors) == 2
        assert all(isinstance(error, TooLittle) for error in errors)
        (sat,) = [table for table, outcome in zip(tables, outcomes, strict=True) if not outcome.error]
        desks[0].do(Job(sat, Leave(), ada))


def test_two_answers_to_one_turn_at_two_servers_count_once(floor):
    (ada,) = floor.players("ada")
    one, other = floor.new_desk(), floor.new_desk()
    for number in range(4):
        table = floor.table(cards="2h 6c 2c Td 2d 3s 2s 3d 3h")
        floor.do(table, Sit((1,), 100_00), ada)
        turn = floor.dealt(table, ada).waits.turn
        jobs = [Job(table, Decide(turn, 1, action), ada) for action in ("hit", "stand" if number % 2 else "hit")]
        outcomes = at_once(lambda j=jobs: one.run(j[:1])[0], lambda j=jobs: other.run(j[1:])[0])
        assert sorted(type(outcome.error).__name__ for outcome in outcomes) in (
            ["NoneType", "Stale"],
            ["NoneType", "Refused"],  # the round was over by then
        )
        floor.do(table, Leave(), ada)


def test_many_at_once_at_several_tables(floor):
    """Servers that each serve all tables, with transactions that touch several of them in any order."""
    people = floor.players("ada", "bob", "eve")
    tables = [floor.table(BLACKJACK), floor.table(Wish("bad-beat-baccarat"))]

    def serve(number):
        chance, desk, done = random.Random(number), floor.new_desk(), 0
        for _ in range(25):
            jobs = []
            for _ in range(3):
                table, person = chance.choice(tables), chance.choice(people)
                waits = now_of(desk.look(table)).waits
                spot = people.index(person) + 1
                command = chance.choice([
                    Sit((spot,), 50_00), Bring(1_00), Ready(), Ready(), Leave(),
                    SetBets(spot, {"main" if table == tables[0] else "banker": chance.randint(1, 500)}),
                    Decide(waits.turn, waits.spot, chance.choice(waits.actions or ("stand",))),
                ])  # fmt: skip
                jobs.append(Job(table, command, person))
            for outcome in desk.run(jobs):
                assert outcome.error is None or type(outcome.error).__name__ in ("Refused", "Stale", "TooLittle"), (
                    outcome
                )
                done += outcome.error is None
        return done

    done = at_once(*(lambda n=number: serve(n) for number in range(3)))
    assert sum(done) + len(tables) == floor.check().steps
    for table in tables:
        floor.same(table)
    with reading(floor.engine) as db:
        over = db.execute(text("SELECT table_id, number FROM rounds WHERE ended_at IS NOT NULL")).all()
        for table, number in over:
            replay_round(db, table, number)
    assert over


def test_a_look_sees_one_moment(floor):
    """While somebody reads, others write; what is read is what was there when it began."""
    (ada,) = floor.players("ada")
    table = floor.table()
    floor.seated(table, ada)
    with reading(floor.engine) as db:
        count = text("SELECT (SELECT count(*) FROM steps), (SELECT seq FROM tables)")
        before = db.execute(count).one()
        floor.new_desk().do(Job(table, Bring(1_00), ada))
        assert db.execute(count).one() == before
    with reading(floor.engine) as db:
        assert db.execute(count).one() == tuple(number + 1 for number in before)


def test_a_server_with_another_key_deals_no_cards(floor):
    from feltlab.floor.desk import Desk
    from feltlab.floor.records.damage import Damaged
    from feltlab.floor.shoes.fair import Seal

    (ada,) = floor.players("ada")
    table = floor.table()
    stranger = Desk(floor.engine, Seal(bytes(32)))
    with pytest.raises(Damaged) as caught:
        stranger.do(Job(table, Sit((1,), 100_00), ada))
    assert "not the key it was sealed with" in caught.value.reason
    floor.seated(table, ada)
