"""PlayLimits that players set themselves: what they may lose, how long they may play, and when that changes."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from unittest import mock

import pytest
from sqlalchemy import func, or_, select, text

from feltlab.client import Client, ServiceError
from feltlab.errors import Refused
from feltlab.floor import desk
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.house.voiding import void_all
from feltlab.floor.people import people
from feltlab.floor.people.own_limits import DAY, MINUTE, Later, MyLimits, PlayLimits, limits_of, set_limits
from feltlab.floor.people.removing import remove
from feltlab.floor.records.proof import prove
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import Unavailable, open_database, reading, writing
from feltlab.floor.tables.commands import Decide, Leave, Ready, SetBets, Sit, VoidRound
from feltlab.floor.tables.view import now_of
from support.floor.floors import BLACKJACK, TWENTIES, checked, known_shoes
from support.floor.inside import Inside
from support.postgres import PATIENT
from support.soak import soak

WON = "Th 9h 6c Tc 9c Td Jc"  # as TWENTIES, but the dealer has too many


def limit(floor, person, loss=None, minutes=None):
    return floor.desk.plain(lambda db, now: set_limits(db, person.id, PlayLimits(loss, minutes), now))


def mine(floor, person):
    with reading(floor.engine) as db:
        return limits_of(db, person.id, floor.time)


def lay(floor, table, person, amount, spot=1):
    return floor.do(table, SetBets(spot, {"main": amount} if amount else {}), person)


def over_with(floor, table, *persons):
    """A round in which everybody who is asked stands."""
    for person in persons:
        now = floor.do(table, Ready(), person).now
    while now.waits.kind != "bets":
        now = floor.decide(table, persons[now.waits.spot - 1], "stand")


# ---- losses


def test_a_limit_on_losses_works_as_fewer_chips_would(here):
    floor, table, ada, bob, _ = here
    limit(floor, ada, loss=25_00)
    words = floor.refused(table, SetBets(1, {"main": 25_01}), ada)
    assert words == (
        "your own limit: that takes 25.01, and you allow yourself to lose 25.00 more in the next 24 h 0 min"
    )
    assert mine(floor, ada) == MyLimits(25_00), "what was refused began no day of play"
    began = floor.time
    lay(floor, table, ada, 10_00)
    lay(floor, table, bob, 100_00, 2)
    assert mine(floor, ada) == MyLimits(25_00, lost=10_00, began=began, ends=began + DAY)
    over_with(floor, table, ada, bob)
    assert mine(floor, ada).lost == 10_00
    assert mine(floor, bob) == MyLimits(), "who has set none is not counted"
    floor.time += 90 * MINUTE
    assert "lose 15.00 more in the next 22 h 30 min" in floor.refused(table, SetBets(1, {"main": 15_01}), ada)
    lay(floor, table, ada, 15_00)
    assert "lose 0.00 more" in floor.refused(table, SetBets(1, {"main": 15_00, "bad-beat": 1_00}), ada)
    lay(floor, table, ada, 5_00)
    lay(floor, table, ada, 0)
    assert mine(floor, ada).lost == 10_00, "what was taken back cost nothing"


def test_what_is_won_may_be_played_with(floor):
    ada, bob = floor.players("ada", "bob")
    table = floor.table(cards=WON)
    floor.seated(table, ada, bob)
    limit(floor, ada, loss=10_00)
    lay(floor, table, ada, 10_00)
    lay(floor, table, bob, 10_00, 2)
    over_with(floor, table, ada, bob)
    assert mine(floor, ada).lost == -10_00
    lay(floor, table, ada, 20_00)
    assert "lose 0.00 more" in floor.refused(table, SetBets(1, {"main": 20_01}), ada)


def test_it_holds_at_all_tables_together_and_in_one_transaction(floor):
    ada, bob = floor.players("ada", "bob", chips=5000_00)
    tables = [floor.table() for _ in range(3)]
    for table in tables:
        floor.do(table, Sit((1,), 500_00), ada)
        floor.do(table, Sit((2,), 500_00), bob)
    limit(floor, ada, loss=25_00)
    jobs = [Job(table, SetBets(1, {"main": 10_00}), ada) for table in tables]
    errors = [outcome.error for outcome in floor.desk.run(jobs)]
    assert errors[:2] == [None, None] and "10.00, and you allow yourself to lose 5.00 more" in str(errors[2])
    assert "lose 5.00 more" in floor.refused(tables[2], SetBets(1, {"main": 6_00}), ada)
    lay(floor, tables[2], bob, 400_00, 2)
    floor.do(tables[0], VoidRound("a test"))
    assert mine(floor, ada).lost == 10_00, "a void round costs nothing"
    lay(floor, tables[2], ada, 15_00)


def test_a_hand_in_play_is_played_within_the_limit(floor):
    (ada,) = floor.players("ada")
    table = floor.table(cards="6h 6c 5c Td 9c Tc")  # 11 against a six
    floor.seated(table, ada)
    limit(floor, ada, loss=15_00)
    floor.dealt(table, ada)
    waits = floor.now(table).waits
    assert "double" in waits.actions
    with pytest.raises(Refused, match="that takes 10.00, and you allow yourself to lose 5.00 more"):
        floor.decide(table, ada, "double")
    assert floor.now(table).waits.turn == waits.turn, "it can be answered otherwise"
    floor.decide(table, ada, "hit")
    assert "void" not in [event["event"] for event in floor.events(table)]


# ---- what lay on the felt before


@pytest.fixture
def two(floor):
    """Somebody at two tables."""
    (ada,) = floor.players("ada", chips=5000_00)
    tables = floor.table(), floor.table()
    for table in tables:
        floor.do(table, Sit((1,), 2000_00), ada)
    return floor, ada, *tables


def test_what_lies_on_the_felt_when_a_limit_is_set_is_at_risk_already(two):
    floor, ada, one, other = two
    lay(floor, one, ada, 500_00)
    assert limit(floor, ada, loss=10_00) == MyLimits(10_00, lost=500_00, began=floor.time, ends=floor.time + DAY)
    assert "lose 0.00 more" in floor.refused(other, SetBets(1, {"main": 5_00}), ada)
    lay(floor, one, ada, 0)
    assert mine(floor, ada).lost == 0
    lay(floor, other, ada, 10_00)
    assert "lose 0.00 more" in floor.refused(one, SetBets(1, {"main": 5_00}), ada)


def test_wagers_that_are_dealt_to_when_a_limit_is_set(floor):
    """Doubled before and split after, some settled and some not: only what still lies there counts."""
    ada, bob = floor.players("ada", "bob")
    table = floor.table(cards="6h 8h 6c 5c 8c Td 9c Tc Td 9d 9h")  # 11 and a pair of eights, against a six
    for person, spot in ((ada, 1), (bob, 2)):
        floor.do(table, Sit((spot,), 500_00), person)
    lay(floor, table, ada, 10_00)
    lay(floor, table, bob, 10_00, 2)
    for person in (ada, bob):
        floor.do(table, Ready(), person)
    floor.decide(table, ada, "double")
    assert limit(floor, ada, loss=15_00).lost == 20_00
    assert limit(floor, bob, loss=15_00).lost == 10_00
    with pytest.raises(Refused, match="that takes 10.00, and you allow yourself to lose 5.00 more"):
        floor.decide(table, bob, "split")
    while floor.now(table).waits.kind != "bets":
        floor.decide(table, bob, "stand")
    b = schema.bets
    with reading(floor.engine) as db:
        for person in (ada, bob):
            (bet,) = db.execute(select(b.c.stake, b.c.back).where(b.c.person == person.id)).all()
            assert mine(floor, person).lost == bet.stake - bet.back


def test_a_wager_of_the_day_before_is_at_risk_in_the_new_day(two):
    floor, ada, one, other = two
    limit(floor, ada, loss=300_00)
    lay(floor, other, ada, 1_00)
    lay(floor, other, ada, 0)
    floor.time += DAY - 1000
    lay(floor, one, ada, 299_00)
    floor.time += 2000
    assert "lose 1.00 more" in floor.refused(other, SetBets(1, {"main": 2_00}), ada)
    lay(floor, other, ada, 1_00)
    assert mine(floor, ada) == MyLimits(300_00, lost=300_00, began=floor.time, ends=floor.time + DAY)
    lay(floor, one, ada, 0)
    assert mine(floor, ada).lost == 1_00, "what comes back brings no more than was charged"
    assert "lose 299.00 more" in floor.refused(one, SetBets(1, {"main": 300_00}), ada)


def test_a_wager_is_replaced_in_a_new_day(two):
    floor, ada, table, _ = two
    limit(floor, ada, loss=300_00)
    lay(floor, table, ada, 1_00)
    floor.time += DAY - 1000
    lay(floor, table, ada, 300_00)
    floor.time += 2000
    assert "that takes 200.00, and you allow yourself to lose 0.00 more" in floor.refused(
        table, SetBets(1, {"main": 500_00}), ada
    )
    lay(floor, table, ada, 250_00)
    assert mine(floor, ada).lost == 250_00


@pytest.mark.parametrize(("loss", "doubled"), [(15_00, False), (20_00, True)])
def test_a_double_in_a_new_day_counts_with_its_wager(floor, loss, doubled):
    (ada,) = floor.players("ada")
    table = floor.table(cards="6h 6c 5c Td 9c Tc")  # 11 against a six
    floor.seated(table, ada)
    limit(floor, ada, loss=loss)
    lay(floor, table, ada, 1_00)
    floor.time += DAY - 1000
    floor.dealt(table, ada)
    floor.time += 2000
    if not doubled:
        with pytest.raises(Refused, match="that takes 10.00, and you allow yourself to lose 5.00 more"):
            floor.decide(table, ada, "double")
        return
    floor.decide(table, ada, "double")
    (bet,) = floor.rows()["bets"]
    assert mine(floor, ada) == MyLimits(loss, lost=bet.stake - bet.back, began=floor.time, ends=floor.time + DAY)


class Chips:
    """What a day of play has cost, from chips alone: those there were when it began, less those there are."""

    def __init__(self, floor, person):
        self.floor, self.person = floor, person
        self.began = self.base = None

    def held(self):
        a = schema.accounts
        with reading(self.floor.engine) as db:
            own = or_(a.c.name == f"chips:{self.person.id}", a.c.name.like(f"seat:%:{self.person.id}"))
            return db.execute(select(func.sum(a.c.balance)).where(own)).scalar_one()

    def lies(self, tables):
        """On the felt of all tables, as the rounds in play say."""
        found = 0
        for live in map(self.floor.desk.look, tables):
            spots = {spot for seat in live.state.seats if seat.person == self.person.id for spot in seat.spots}
            found += sum(bet.stake for bet in live.round.felt.open() if bet.spot in spots) if live.round else 0
        return found

    @property
    def in_day(self):
        return self.began is not None and self.floor.time < self.began + DAY

    def begin(self, base):
        self.began, self.base = self.floor.time, base

    @property
    def lost(self):
        return self.base - self.held() if self.in_day else 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(soak(40, 3)))
def test_nobody_has_more_out_than_they_allow_themselves(floor, seed, request):
    """Days, tables, wagers, doubles, take-backs, voids and other players, beside a model that counts chips."""
    chance, shoes = random.Random(seed), known_shoes(seed)
    shoes.start()
    request.addfinalizer(shoes.stop)
    ada, bob = floor.players("ada", "bob", chips=100_000_00)
    tables = [floor.table(BLACKJACK), floor.table(Wish("big-slick-blackjack")), floor.table(BLACKJACK)]
    desks, chips, loss, refusals = [floor.desk, floor.new_desk()], Chips(floor, ada), None, 0

    def command_for(table):
        """Something that ada or bob could ask for."""
        who = ada if chance.random() < 0.75 else bob
        live = floor.desk.look(table)
        seat = next((seat for seat in live.state.seats if seat.person == who.id), None)
        if seat is None:
            return who, Sit((1, 2) if who is ada else (3,), 2000_00)
        waits = now_of(live).waits
        if waits.kind != "bets" and chance.random() < 0.9:
            who = ada if waits.spot in (1, 2) else bob
            action = chance.choice(waits.actions)
            side = {id: 1_00 for id in waits.side.get(action, ()) if chance.random() < 0.5}
            return who, Decide(waits.turn, waits.spot, action, side, waits.most if action == "insure" else 0)
        if chance.random() < 0.35:
            return who, Ready()
        if chance.random() < 0.04:
            return (who, Leave()) if chance.random() < 0.7 else (None, VoidRound("a test"))
        amount = chance.choice([0, 1_00, 5_00, 20_00, 60_00, 200_00])
        return who, SetBets(chance.choice(seat.spots), {"main": amount} if amount else {})

    for _ in range(soak(600, 200)):
        if chance.random() < 0.08:
            floor.time += chance.choice([MINUTE, DAY // 3, DAY - 1, DAY])
        if chance.random() < (0.02 if loss else 0.1):
            loss = min(loss or 100_00, chance.choice([40_00, 60_00, 100_00]))
            lies, first = chips.lies(tables), mine(floor, ada) == MyLimits()
            limit(floor, ada, loss)
            if first and lies:
                chips.begin(chips.held() + lies)
        jobs = [Job(table, command, who) for table in tables for who, command in [command_for(table)]]
        jobs = chance.sample(jobs, chance.randint(1, 3))
        before, lies, lost = chips.held(), chips.lies(tables), chips.lost
        outcomes = chance.choice(desks).run(jobs)
        for outcome in outcomes:
            assert outcome.error is None or isinstance(outcome.error, Refused), outcome.error
        refusals += sum("your own limit" in str(outcome.error) for outcome in outcomes)
        if loss is None:
            continue
        told = mine(floor, ada)
        if told.began == floor.time and not chips.in_day:
            chips.begin(before + lies)
        assert (told.lost, told.began) == (chips.lost, chips.began if chips.in_day else None)
        out = chips.base - chips.held() if chips.in_day else chips.lies(tables)
        assert out <= max(loss, lost, lies), "more is out than is allowed, and than there was already"
    assert loss and refusals, "the limit was never reached"


def test_who_is_playing_while_they_set_their_first_limits_is_counted(new_postgres):
    """On PostgreSQL one server stores a wager while another stores limits that the first has not seen."""
    url = new_postgres()
    open_database(url).dispose()
    with checked(url) as floor:
        (ada,) = floor.players("ada")
        table = floor.table()
        floor.seated(table, ada)
        laying, go_on, save = Event(), Event(), desk.save

        def slow(*of):
            laying.set()
            assert go_on.wait(PATIENT)
            save(*of)

        with mock.patch.object(desk, "save", slow), ThreadPoolExecutor(2) as threads:
            laid = threads.submit(lambda: floor.new_desk().run([Job(table, SetBets(1, {"main": 10_00}), ada)]))
            assert laying.wait(PATIENT)
            limited = threads.submit(limit, floor, ada, 15_00)
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not limited.done():
                with reading(floor.engine) as db:
                    if db.execute(waits).scalar_one():
                        break
            go_on.set()
            assert laid.result(PATIENT)[0].error is None
            assert limited.result(PATIENT).lost == 10_00


@pytest.mark.slow
@pytest.mark.parametrize("column", ["loss", "minutes", "later_loss", "later_at", "began", "lost"])
@pytest.mark.parametrize("value", ["'much'", "x'ff00'", "CAST(x'7bff' AS TEXT)", "1.5"])
def test_limits_that_cannot_be_read_are_one_person_s_trouble(sqlite, column, value):
    with checked(sqlite) as floor:
        ada, bob = floor.players("ada", "bob")
        table = floor.table(cards=TWENTIES)
        floor.seated(table, ada, bob)
        for person in (ada, bob):
            limit(floor, person, 100_00, 60)
        floor.dealt(table, ada, bob)
        with writing(floor.engine) as db:
            db.execute(text(f"UPDATE own_limits SET {column} = {value} WHERE person = {ada.id}"))
        floor.decide(table, ada, "stand")
        floor.decide(table, bob, "stand")
        jobs = [Job(table, SetBets(spot, {"main": 5_00}), person) for spot, person in ((1, ada), (2, bob))]
        errors = [outcome.error for outcome in floor.desk.run(jobs)]
        assert isinstance(errors[0], Unavailable) and "your own limits cannot be read" in str(errors[0])
        assert errors[1] is None and mine(floor, bob).lost == 15_00
        for act in (mine, limit):
            with pytest.raises(Unavailable, match="your own limits cannot be read"):
                act(floor, ada)
        floor.do(table, Leave(), ada)


# ---- time


def test_when_the_time_is_up_no_more_is_laid_and_the_round_goes_on(here):
    floor, table, ada, bob, _ = here
    limit(floor, ada, minutes=60)
    lay(floor, table, ada, 10_00)
    lay(floor, table, bob, 10_00, 2)
    floor.do(table, Ready(), ada)
    floor.do(table, Ready(), bob)
    floor.time += 60 * MINUTE
    for person in (ada, bob):
        floor.decide(table, person, "stand")
    assert floor.refused(table, SetBets(1, {"main": 1_00}), ada) == (
        "your own limit: 60 minutes of play a day, and they are up; you may play again in 23 h 0 min"
    )
    lay(floor, table, bob, 10_00, 2)
    floor.time += 23 * 60 * MINUTE
    lay(floor, table, ada, 10_00)
    assert mine(floor, ada) == MyLimits(None, 60, lost=10_00, began=floor.time, ends=floor.time + DAY)


def test_wagers_may_be_taken_back_when_the_time_is_up(here):
    floor, table, ada, _, _ = here
    limit(floor, ada, minutes=1)
    lay(floor, table, ada, 10_00)
    floor.time += MINUTE
    assert "they are up" in floor.refused(table, SetBets(1, {"main": 5_00}), ada)
    lay(floor, table, ada, 0)
    floor.do(table, Leave(), ada)


def test_no_play_at_all(here):
    floor, table, ada, _, _ = here
    limit(floor, ada, minutes=0)
    assert floor.refused(table, SetBets(1, {"main": 5_00}), ada).startswith("your own limit: no play at all")
    limit(floor, ada)
    assert floor.refused(table, SetBets(1, {"main": 5_00}), ada).startswith("your own limit: no play at all")
    floor.time += DAY
    lay(floor, table, ada, 5_00)


@pytest.mark.parametrize("wrong", [-40 * DAY, 40 * DAY])
def test_a_clock_that_was_wrong_keeps_nobody_out_for_long(here, wrong):
    floor, table, ada, _, _ = here
    limit(floor, ada, loss=5_00, minutes=10)
    floor.time += wrong
    lay(floor, table, ada, 5_00)
    floor.time -= wrong
    lay(floor, table, ada, 0)
    lay(floor, table, ada, 5_00)
    assert mine(floor, ada).began == floor.time


# ---- what is set


def test_what_allows_less_holds_at_once_and_what_allows_more_a_day_later(floor):
    (ada,) = floor.players("ada")
    assert limit(floor, ada, 50_00) == MyLimits(50_00)
    assert limit(floor, ada, 30_00, 90) == MyLimits(30_00, 90)
    asked = floor.time
    assert limit(floor, ada, 40_00, 60) == MyLimits(30_00, 60, Later(40_00, 60, asked + DAY))
    floor.time += DAY - 1
    assert mine(floor, ada).loss == 30_00
    floor.time += 1
    assert mine(floor, ada) == MyLimits(40_00, 60)
    assert limit(floor, ada) == MyLimits(40_00, 60, Later(None, None, floor.time + DAY))
    assert limit(floor, ada, 40_00, 60) == MyLimits(40_00, 60), "asked for and not wanted any more"
    floor.time += DAY
    assert mine(floor, ada) == MyLimits(40_00, 60)


def test_asking_twice_takes_no_longer_and_no_less(floor):
    (ada,) = floor.players("ada")
    limit(floor, ada, 10_00)
    asked = floor.time
    for _ in range(3):
        assert limit(floor, ada, 99_00) == MyLimits(10_00, later=Later(99_00, None, asked + DAY))
        floor.time += DAY // 4
    assert limit(floor, ada, 98_00).later == Later(98_00, None, floor.time + DAY)
    assert limit(floor, ada, 10_00) == MyLimits(10_00)
    floor.time += 2 * DAY
    assert mine(floor, ada) == MyLimits(10_00)


def test_what_was_asked_for_while_the_clock_was_ahead_holds_a_day_after_it_is_asked_for_again(floor):
    (ada,) = floor.players("ada")
    limit(floor, ada, 5_00)
    floor.time += 40 * DAY
    limit(floor, ada, 50_00)
    floor.time -= 40 * DAY
    later = Later(50_00, None, floor.time + DAY)
    assert limit(floor, ada, 50_00).later == later
    floor.time += MINUTE
    assert limit(floor, ada, 50_00).later == later


@pytest.mark.parametrize("ahead", [MINUTE, 20 * 60 * MINUTE])
def test_a_day_that_began_while_the_clock_was_ahead_is_no_longer(here, ahead):
    floor, table, ada, _, _ = here
    limit(floor, ada, 50_00)
    floor.time += ahead
    lay(floor, table, ada, 10_00)
    floor.time -= ahead
    assert mine(floor, ada) == MyLimits(50_00, lost=10_00, began=floor.time, ends=floor.time + DAY)
    lay(floor, table, ada, 20_00)
    floor.time += DAY - 1
    assert mine(floor, ada).lost == 20_00
    floor.time += 1
    assert mine(floor, ada) == MyLimits(50_00)


def test_only_what_changes_anything_is_an_act(floor):
    (ada,) = floor.players("ada")

    def acts():
        return [row.act for row in floor.rows()["acts"]].count("limits")

    assert limit(floor, ada) == MyLimits() and acts() == 0
    for wanted, told in (((50_00, 60), 1), ((40_00, 60), 2), ((90_00, None), 3), ((40_00, 60), 4), ((None, None), 5)):
        for _ in range(3):
            limit(floor, ada, *wanted)
            floor.time += MINUTE
        assert acts() == told, wanted
    floor.time += DAY
    limit(floor, ada)
    assert mine(floor, ada) == MyLimits() and acts() == 5
    with reading(floor.engine) as db:
        assert prove(db).faults == []


# ---- what is counted, stored and proven


def test_what_was_lost_is_what_was_wagered_less_what_came_back(floor):
    """Counted a second time from the wagers of all rounds, at tables of both games and with every decision."""
    ada, bob = floor.players("ada", "bob", chips=100_000_00)
    limit(floor, ada, loss=1_000_000_00, minutes=1440)
    for number, wish in enumerate((BLACKJACK, Wish("bad-beat-baccarat"), Wish("big-slick-blackjack"))):
        table = floor.table(wish)
        floor.seated(table, ada, bob, chips=20_000_00)
        floor.play(table, (ada, bob), 4, random.Random(number))
    b = schema.bets
    with reading(floor.engine) as db:
        rounds = db.execute(select(b.c.stake, b.c.back).where(b.c.person == ada.id)).all()
    assert len(rounds) > 20
    assert mine(floor, ada).lost == sum(row.stake - row.back for row in rounds)


def test_chips_that_an_operator_gives_back_are_not_lost(here):
    floor, table, ada, _, _ = here
    limit(floor, ada, loss=25_00)
    lay(floor, table, ada, 10_00)
    floor.desk.plain(lambda db, now: void_all(db, "a test", now))
    assert mine(floor, ada).lost == 0


def test_limits_are_acts_and_go_with_the_person(floor):
    (ada,) = floor.players("ada")
    limit(floor, ada, 25_00, 60)
    with reading(floor.engine) as db:
        assert prove(db).faults == []
    remove(floor.desk, ada, by=ada.id)
    assert floor.rows()["own_limits"] == []
    with reading(floor.engine) as db:
        assert prove(db).faults == []
    with pytest.raises(Refused, match="was removed"):
        floor.desk.plain(lambda db, _: people.still_here(db, ada.id))


# ---- over HTTP


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("own"), "bad-beat-baccarat") as found:
        yield found
        found.check()


def test_a_player_sets_limits(server, house):
    with Client(server.url, patience=PATIENT).guest() as guest:
        nothing = {"loss": None, "minutes": None, "later": None, "lost": 0, "began": None, "ends": None}
        assert guest.request("GET", "/me/limits") == nothing
        assert guest.request("PUT", "/me/limits", {"loss": 500, "minutes": 30}) == {
            **nothing,
            "loss": 500,
            "minutes": 30,
        }
        later = guest.request("PUT", "/me/limits", {"loss": None, "minutes": 30})["later"]
        assert (later["loss"], later["minutes"]) == (None, 30)
        guest.buy_chips(100_000)
        seat = guest.sit(1, [1], 50_000)
        with pytest.raises(ServiceError, match="you allow yourself to lose 5.00 more") as refused:
            seat.bet({"player": 600})
        assert refused.value.status == 409
        seat.bet({"player": 500})
        assert guest.request("GET", "/me/limits")["lost"] == 500
        for body in (
            {"loss": -1, "minutes": 1},
            {"loss": 1, "minutes": 1441},
            {"loss": 1},
            {"loss": 0.5, "minutes": 1},
        ):
            with pytest.raises(ServiceError) as refused:
                guest.request("PUT", "/me/limits", body)
            assert refused.value.status == 422
        seat.leave()
    for method, body in (("GET", None), ("PUT", {"loss": 1, "minutes": None})):
        with pytest.raises(ServiceError) as refused:
            house.request(method, "/me/limits", body)
        assert refused.value.status == 403
    acts = house.request("GET", "/house/acts")
    assert [act["act"] for act in acts].count("limits") == 2
