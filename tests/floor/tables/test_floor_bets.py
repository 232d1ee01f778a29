"""A long betting phase: what a command costs, what is kept of it, and where it ends."""

import random

import msgspec
import pytest

from feltlab.errors import Refused
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.records.damage import Damaged
from feltlab.floor.records.records import replay_of, round_of
from feltlab.floor.records.replaying import replay_round
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import reading
from feltlab.floor.tables import spots
from feltlab.floor.tables.commands import Bring, DeadlineExpired, Decide, Leave, Ready, SetBets, Sit
from feltlab.floor.tables.deadlines import UNDEALT
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.procedure import NotYet
from feltlab.floor.tables.spots import KEPT, MOST_CHANGES
from support.counting import instructions
from support.floor.floors import TWENTIES, checked

LENGTHS = (10, 100, 1_000, 10_000)


@pytest.fixture
def quick(sqlite):
    """Where only numbers of operations are looked at, one kind of database is enough."""
    with checked(sqlite) as found:
        yield found


def think(floor, table, person, times, spot=1):
    """Somebody changes a wager so many times, many times in one transaction."""
    jobs = [Job(table, SetBets(spot, {"main": 1_00 + place % 7}), person) for place in range(times)]
    for first in range(0, times, 500):
        errors = [outcome.error for outcome in floor.desk.run(jobs[first : first + 500])]
        assert not any(errors), next(filter(None, errors))


# ---- what a command costs


ASKED = {
    "change": (SetBets(1, {"main": 50_00, "bad-beat": 1_00}), 0),
    "change back": (SetBets(1, {"main": 1_00}), 0),
    "another's wager": (SetBets(2, {"main": 5_00}), 1),
    "too few chips": (SetBets(1, {"main": 9_000_00}), 0),
    "over the limit": (SetBets(1, {"main": 10**9}), 0),
    "no such wager": (SetBets(1, {"main": 2_00, "mian": 1_00}), 0),
    "not theirs": (SetBets(2, {"main": 2_00}), 0),
    "not sitting": (Sit((1,), 1_00), 1),
    "more chips": (Bring(1), 1),
    "taking back": (SetBets(2), 1),
    "leaving": (Leave(), 1),
    "sitting down": (Sit((2,), 100_00), 1),
    "wagers again": (SetBets(2, {"main": 5_00}), 1),
    "the clock": (DeadlineExpired(), None),
    "ready": (Ready(), 0),
    "the deal": (Ready(), 1),
    "a late change": (SetBets(1, {"main": 1_00}), 0),
    "an answer that is none": (Decide("1.3", 1, "stand"), 0),
    "leaving in play": (Leave(), 1),
}


def costs(floor, people, changes):
    """What each command costs at a new table after so many changes, and how much is kept."""
    table = floor.table(cards=TWENTIES)
    floor.seated(table, *people, chips=200_00)
    think(floor, table, people[0], changes)
    fresh, live = floor.new_desk(), floor.desk.look(table)
    found = {"taking the table up": instructions(lambda: fresh.look(table))}
    found["what is kept"] = len(live.round.log) + len(live._spots) + len(live.state.laid.bets)
    for what, (command, who) in ASKED.items():
        job = Job(table, command, None if who is None else people[who])
        found[what] = instructions(lambda job=job: floor.desk.run([job]))
    turn = floor.now(table).waits.turn
    job = Job(table, Decide(turn, 1, "stand"), people[0])
    found["the end of the round"] = instructions(lambda: floor.desk.run([job]))
    assert floor.now(table).round.step == "over"
    found["seeing it again"] = instructions(lambda: floor.new_desk().look(table))
    return found


@pytest.mark.slow
def test_what_a_command_costs_does_not_grow_with_the_changes_before_it(quick, monkeypatch):
    """Counted in instructions, from 10 to 10,000 changes; the limit of changes is lifted to come so far."""
    monkeypatch.setattr(spots, "MOST_CHANGES", 10**9)
    people = quick.players("ada", "bob")
    costs(quick, people, 1)  # what is made once is made
    found = [costs(quick, people, changes) for changes in LENGTHS]
    for what in found[0]:
        counts = [one[what] for one in found]
        assert max(counts) <= min(counts) * 1.05, f"{what}: {counts}"


HOSTILE = [
    SetBets(1, {"main": 5_00, "bad-beat": 900_00}),
    SetBets(1, {"bad-beat": 5_00, "main": 10**9}),
    SetBets(1, {"main": 5_00, "insurance": 1_00}),
    SetBets(1, {"main": 5_00, "mian": 1_00}),
    SetBets(1, {"main": 5_00, "bad-beat": -1}),
    SetBets(9, {"main": 5_00}),
    Decide("1.3", 1, "hit"),
    Bring(10**9),
    Sit((1, 3), 10**9),
    Sit((3,), 0),
]


def test_no_refusal_plays_a_round_again(quick, monkeypatch):
    """Whatever is refused, before the deal or after it, was refused before anything was touched."""
    again = []
    take_up = Live.take_up
    monkeypatch.setattr(Live, "take_up", lambda self, *given: again.append(given) or take_up(self, *given))
    ada, bob, eve = quick.players("ada", "bob", "eve", chips=30_00)
    table = quick.table(cards="8h 9h 6c 8c 9c Td 5c 2d 3d")
    quick.seated(table, ada, bob, chips=15_00)
    quick.do(table, SetBets(1, {"main": 3_00, "bad-beat": 1_00}), ada)
    del again[:]  # a desk that sees the table for the first time takes it up
    for _ in range(2):
        for person in (ada, bob, eve):
            for command in (*HOSTILE, Sit((1, 2), 5_00), DeadlineExpired()):
                (outcome,) = quick.desk.run([Job(table, command, person if command != DeadlineExpired() else None)])
                assert isinstance(outcome.error, Refused), command
        if quick.now(table).round.step == "wagers":
            for spot, person in enumerate((ada, bob), 1):
                quick.desk.run([Job(table, SetBets(spot, {"main": 10_00}), person)])
            quick.desk.run([Job(table, Ready(), person) for person in (ada, bob)])
    waits = quick.now(table).waits
    for action, more in (("double", {}), ("split", {}), ("surrender", {}), ("hit", {"side": {"main": 1_00}})):
        (outcome,) = quick.desk.run([Job(table, Decide(waits.turn, 1, action, **more), ada)])
        assert isinstance(outcome.error, Refused), action
    assert not again


def test_a_fault_in_the_middle_leaves_no_trace_either(here, monkeypatch):
    """What nobody can ask for may still go wrong: then the round is put together again, from what lies there."""
    floor, table, ada, _, _ = here
    think(floor, table, ada, 30)
    before = floor.rows(), floor.now(table)
    with monkeypatch.context() as patch:
        patch.setattr("feltlab.floor.tables.live.PlacedBets.of", lambda round_: 1 / 0)
        (outcome,) = floor.desk.run([Job(table, SetBets(1, {"main": 77_00, "bad-beat": 1_00}), ada)])
    assert isinstance(outcome.error, ZeroDivisionError)
    assert (floor.rows(), floor.now(table)) == before
    assert floor.do(table, SetBets(1, {"bad-beat": 1_00}), ada).now.round.bets[0].bet == 31


# ---- what is kept


def test_what_was_taken_back_is_no_part_of_the_round(here):
    """Two servers name the same turn, no number is given twice, and what is stored still says it all."""
    floor, table, ada, bob, _ = here
    think(floor, table, ada, 60)
    live = floor.desk.look(table)
    assert (len(live.round.log), live.turn) == (2, "1.2")
    floor.do(table, SetBets(2, {"main": 4_00}), bob)
    floor.do(table, SetBets(2), bob)
    floor.desk = floor.new_desk()
    assert floor.do(table, SetBets(2, {"main": 5_00}), bob).now.round.bets[1].bet == 62
    floor.do(table, Ready(), ada)
    floor.do(table, Ready(), bob)
    floor.desk = floor.new_desk()
    assert floor.now(table).waits.turn == floor.new_desk().look(table).turn
    floor.decide(table, ada, "stand")
    floor.desk = floor.new_desk()
    now = floor.decide(table, bob, "stand")
    assert [bet.bet for bet in now.round.bets] == [60, 62]
    with reading(floor.engine) as db:
        assert (
            len([step for step in round_of(db, table, 1).steps if b"take-back" in msgspec.json.encode(step.events)])
            == 60
        )
        assert (
            len(
                [
                    frame
                    for frame in replay_of(db, table, 1).frames
                    if " on main" in frame.text and "wagers" in frame.text
                ]
            )
            == 2
        )
        assert len(replay_round(db, table, 1).round.log) > 120
    assert floor.do(table, SetBets(1, {"main": 5_00}), ada).now.round.bets[0].bet == 1


def test_a_round_that_an_older_version_began_goes_on(here):
    """It kept no wagers with the table: they are read from the steps, and are kept from then on."""
    floor, table, ada, bob, _ = here
    think(floor, table, ada, 3)

    def older(db, now):
        t = schema.tables
        state = msgspec.json.decode(db.execute(t.select().where(t.c.id == table)).one().state)
        for new in ("laid", "spots", "changes", "counted", "patience", "lapses", "alone", "hurry"):
            del state[new]
        for seat in state["seats"]:
            del seat["gone"]
        text = msgspec.json.encode(state).decode()
        db.execute(t.update().where(t.c.id == table).values(state=text, deadline=state["deadline"]))

    before = floor.now(table)
    floor.desk.plain(older)
    floor.desk = floor.new_desk()
    assert floor.now(table).round == before.round
    floor.do(table, SetBets(2, {"main": 5_00}), bob)
    floor.do(table, Ready(), ada)
    floor.do(table, Ready(), bob)
    turn = floor.now(table).waits.turn
    floor.desk.plain(older)
    floor.desk = floor.new_desk()
    assert floor.now(table).waits.turn != turn, "the log has what was taken back, as it had then"
    floor.decide(table, ada, "stand")
    assert floor.decide(table, bob, "stand").round.step == "over"
    with reading(floor.engine) as db:
        replay_round(db, table, 1)


# ---- where it ends


def test_changes_are_counted_from_deal_to_deal(here):
    floor, table, ada, bob, _ = here
    think(floor, table, ada, MOST_CHANGES - 1)  # sitting down was the first
    floor.time += 3 * 60_000
    reason = floor.refused(table, SetBets(1, {"main": 9_00}), ada)
    assert reason == (
        "you have made 200 changes at this table since the last deal; go on after the next one, or in 7 minutes"
    )
    floor.do(table, SetBets(2, {"main": 5_00}), bob)
    assert floor.do(table, SetBets(1), ada).now.round.bets[0].spot == 2, "to take all back is never refused"
    floor.refused(table, SetBets(1, {"main": 9_00}), ada)
    floor.do(table, Leave(), ada)
    assert "200 changes" in floor.refused(table, Sit((3,), 10_00), ada), "nobody wins more by getting up"
    floor.do(table, Ready(), bob)
    floor.do(table, Sit((1,), 100_00), ada)
    floor.decide(table, bob, "stand")
    floor.do(table, SetBets(1, {"main": 9_00}), ada)


def test_who_changes_much_keeps_nobody_else_from_anything(here):
    """Not even at the spot that was changed; and only so many people are remembered."""
    floor, table, ada, bob, _ = here
    think(floor, table, ada, MOST_CHANGES - 1)
    floor.do(table, Leave(), ada)
    floor.do(table, Leave(), bob)
    for person in floor.players(*(f"guest-{number}" for number in range(spots.MOST_COUNTED + 5))):
        jobs = [Job(table, one, person) for one in (Sit((1,), 10_00), SetBets(1, {"main": 1_00}), Leave())]
        assert not any(outcome.error for outcome in floor.desk.run(jobs))
    changes = floor.desk.look(table).state.changes
    assert len(changes) == spots.MOST_COUNTED
    assert changes[ada.id] == MOST_CHANGES, "she is not forgotten"


def test_a_player_may_change_each_of_their_spots_as_often(floor):
    (ada,) = floor.players("ada")
    table = floor.table()
    floor.do(table, Sit((1, 2), 500_00), ada)
    think(floor, table, ada, MOST_CHANGES)
    think(floor, table, ada, MOST_CHANGES - 1, spot=2)
    assert "400 changes" in floor.refused(table, SetBets(2, {"main": 9_00}), ada)


def test_wagers_that_the_table_and_the_ledger_do_not_agree_on_stop_the_table(here):
    """What is kept with the table is taken for what lies there only if the chips on the felt are as many."""
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    state = floor.desk.look(table).saved.decode()
    forged = state.replace('"amount":1000', '"amount":9000')
    assert forged != state

    def forge(db, now):
        db.execute(schema.tables.update().where(schema.tables.c.id == table).values(state=forged))

    floor.desk.plain(forge)
    with pytest.raises(Damaged) as caught:
        floor.new_desk().look(table)
    assert "1000 cents are on its felt, and wagers of 9000" in caught.value.reason


def test_changes_are_counted_for_ten_minutes_at_most(here):
    floor, table, ada, _, _ = here
    think(floor, table, ada, MOST_CHANGES - 1)
    floor.do(table, SetBets(1), ada)
    floor.time += KEPT
    assert "or in 1 minute" in floor.refused(table, SetBets(1, {"main": 9_00}), ada)
    floor.time += 1
    floor.do(table, SetBets(1, {"main": 9_00}), ada)


@pytest.mark.parametrize("what", ["bring", "sit", "ready", "leave"])
def test_nothing_else_grows_without_end_between_two_deals(here, what):
    """Chips brought, seats taken and given up, and words said twice count as changes of a spot."""
    floor, table, ada, bob, _ = here
    if what == "leave":
        floor.dealt(table, ada, bob)
    if what == "ready":
        floor.do(table, SetBets(1, {"main": 5_00}), ada)
    commands = {
        "bring": [Bring(1)],
        "sit": [Leave(), Sit((1,), 1_00)],
        "ready": [Ready()],
        "leave": [Leave()],
    }[what]
    errors = []
    while not any(errors):
        before = floor.now(table).seq
        errors = [outcome.error for outcome in floor.desk.run([Job(table, one, ada) for one in commands])]
    assert "you have made 200 changes" in str(next(filter(None, errors)))
    assert before < 2 * MOST_CHANGES + 20


def test_wagers_that_nobody_asks_to_be_dealt_to_go_back(here):
    floor, table, ada, bob, _ = here
    floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 1_00}), ada)
    floor.time += UNDEALT - 1
    floor.do(table, SetBets(2, {"main": 5_00}), bob)
    with pytest.raises(NotYet):
        floor.clock(table)
    assert floor.now(table).waits.until is None, "it is no time that anybody is asked to keep"
    floor.time += 1
    assert floor.desk.due() == [table]
    now = floor.clock(table).now
    assert [floor.seat(table, one) for one in (ada, bob)] == [500_00, 500_00]
    assert (now.round, now.following, now.waits.kind, floor.desk.due()) == (None, 2, "bets", [])
    with reading(floor.engine) as db:
        replay_round(db, table, 1)
    floor.desk = floor.new_desk()
    assert floor.dealt(table, ada, bob).round.number == 2


def test_who_asks_for_the_deal_late_is_dealt_to(here):
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.time += UNDEALT - 1_000
    floor.do(table, Ready(), ada)
    floor.time += 2_000
    assert floor.desk.due() == []
    floor.time += 18_000
    assert floor.clock(table).now.round.step == "actions"


def test_side_wagers_that_cannot_be_dealt_to_are_called_off_too(here):
    """They go back at the deal that is none; the round that is left over ends like any that nobody asks for."""
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    floor.do(table, SetBets(1, {"bad-beat": 1_00}), ada)
    floor.time += 20_000
    now = floor.clock(table).now
    assert (now.round.step, now.round.bets, now.following) == ("wagers", [], 1)
    floor.time += UNDEALT
    assert floor.clock(table).now.following == 2


def test_a_clock_that_goes_back_does_not_keep_wagers_for_ever(here):
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.time -= 24 * 3600 * 1000
    assert floor.desk.due() == [table]
    floor.clock(table)
    floor.time += UNDEALT
    assert floor.clock(table).now.following == 2


def test_any_betting_phase_is_stored_and_taken_up_as_it_is(floor):
    """At random: changes, deals, comings and goings at a baccarat table; `floor.do` looks with other eyes each time."""
    chance = random.Random(5)
    people = floor.players("ada", "bob", "eve")
    table = floor.table(Wish("bad-beat-baccarat"))
    for spot, person in enumerate(people, 1):
        floor.do(table, Sit((spot, spot + 5), 200_00), person)
    for _ in range(120):
        spot = chance.choice([1, 2, 3, 6, 7, 8])
        bets = {id: chance.randint(1, 300) for id in ("player", "banker", "bad-beat") if chance.random() < 0.5}
        person = people[(spot - 1) % 5]
        if chance.random() < 0.2:
            floor.time += chance.choice([1_000, 20_000, 600_000])
        commands = [SetBets(spot, bets), SetBets(spot, bets), Ready()]
        for job in [Job(table, chance.choice(commands), person), Job(table, DeadlineExpired())]:
            floor.desk.run([job])
            floor.same(table)
    with reading(floor.engine) as db:
        over = [row.number for row in floor.rows()["rounds"] if row.ended_at is not None]
        assert len(over) > 5
        for number in over:
            replay_round(db, table, number)
