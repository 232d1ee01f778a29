"""Who keeps a spot and who loses it; for whom a table waits, and for whom it does not."""

import pytest

from feltlab.errors import Refused
from feltlab.floor.desk import Job
from feltlab.floor.house.about import lobby
from feltlab.floor.house.config import Wish
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.commands import Bring, DeadlineExpired, IsBack, Leave, Ready, SeemsGone, SetBets, Sit
from feltlab.floor.tables.deadlines import ALONE, GONE, UNDEALT
from feltlab.floor.tables.live import Person
from feltlab.floor.tables.procedure import NotYet
from feltlab.floor.tables.spots import KEPT
from support.floor.floors import NOON, kinds

BACCARAT = Wish("bad-beat-baccarat")
MINUTE = 60_000
YEAR = 365 * 24 * 60 * MINUTE


def spots_of(now):
    return {seat.name: seat.spots for seat in now.seats}


def stand(floor, table):
    """Everybody answers as those who are not there."""
    while (waits := floor.now(table).waits).kind != "bets":
        seat = next(seat for seat in floor.desk.look(table).state.seats if waits.spot in seat.spots)
        floor.decide(
            table, Person(seat.person, "player", seat.name), "stand" if "stand" in waits.actions else waits.actions[-1]
        )


# ---- spots are kept by playing them


def test_a_spot_that_is_not_played_is_free_for_others(here):
    floor, table, ada, _, eve = here
    floor.time += KEPT
    floor.do(table, Bring(1), ada)
    assert "spot 1 is taken; free: 3, 4, 5, 6 and 7" in floor.refused(table, Sit((1,), 100_00), eve)
    floor.time += 1
    now = floor.do(table, Sit((1,), 100_00), eve).now
    assert spots_of(now) == {"bob": (2,), "eve": (1,)}, "to be heard of is not to play"
    assert floor.chips(ada) == 1000_00
    assert "no seat" in floor.refused(table, Leave(), ada)
    assert kinds(floor.events(table))[-2:] == ["leave", "sit"]


def test_wagers_that_are_not_dealt_to_hold_no_spot(here):
    """They go back to whom they belong to."""
    floor, table, ada, bob, eve = here
    floor.time += KEPT - MINUTE
    floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 1_00}), ada)
    floor.time += MINUTE + 1
    floor.do(table, SetBets(2, {"main": 5_00}), bob)
    now = floor.do(table, Sit((1,), 100_00), eve).now
    assert [(bet.spot, bet.stake) for bet in now.round.bets] == [(2, 5_00)]
    assert floor.chips(ada) == 1000_00


def test_who_has_asked_for_the_deal_does_not_lose_the_spot_before_it(here):
    floor, table, ada, bob, eve = here
    floor.time += KEPT + 1
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    assert "spot 1 is taken" in floor.refused(table, Sit((1,), 100_00), eve)
    assert spots_of(floor.do(table, Sit((2,), 100_00), eve).now) == {"ada": (1,), "eve": (2,)}, "bob did not ask"
    assert floor.chips(bob) == 1000_00


def test_wagers_in_play_hold_their_spot(here):
    """However long the round is; and when it is over, its players have played a moment ago."""
    floor, table, ada, bob, eve = here
    floor.dealt(table, ada, bob)
    floor.time += KEPT + 1
    for spot in (1, 2):
        assert f"spot {spot} is taken" in floor.refused(table, Sit((spot,), 100_00), eve)
    assert floor.now(table).seats[0].kept == {}
    floor.decide(table, ada, "stand")
    now = floor.decide(table, bob, "stand")
    assert [seat.kept for seat in now.seats] == [{"1": floor.time + KEPT}, {"2": floor.time + KEPT}]
    assert "spot 1 is taken" in floor.refused(table, Sit((1,), 100_00), eve)


def test_each_spot_needs_a_wager_of_its_own(here):
    """Seven spots are not held with one cent on one of them: the others can be taken, one by one."""
    floor, table, ada, bob, eve = here
    floor.do(table, Leave(), ada)
    floor.do(table, Leave(), bob)
    floor.do(table, Sit(tuple(range(1, 8)), 500_00), ada)
    for _ in range(11):
        floor.do(table, SetBets(4, {"main": 1}), ada)
        floor.do(table, Ready(), ada)
        stand(floor, table)
        floor.time += MINUTE
    now = floor.do(table, Sit((2, 5), 100_00), eve).now
    assert spots_of(now) == {"ada": (1, 3, 4, 6, 7), "eve": (2, 5)}
    assert {"event": "gave-up", "who": "ada", "spots": [2, 5]} in floor.events(table)
    assert "spot 4 is taken; free: 1, 3, 6 and 7" in floor.refused(table, Sit((4,), 100), bob)
    floor.do(table, SetBets(2, {"main": 5_00}), eve)
    assert "spot 2 is not yours" in floor.refused(table, SetBets(2, {"main": 5_00}), ada)
    assert "spot 2 is not yours; you play 1, 3, 4, 6 and 7" in floor.refused(table, SetBets(2, {"main": 1}), ada)


def test_a_spot_is_lost_while_another_of_the_same_player_is_in_play(here):
    floor, table, ada, bob, eve = here
    floor.do(table, Leave(), bob)
    floor.do(table, Leave(), ada)
    floor.do(table, Sit((1, 2), 500_00), ada)
    floor.time += KEPT
    floor.dealt(table, ada)
    floor.time += 1
    assert spots_of(floor.do(table, Sit((2,), 100_00), eve).now) == {"ada": (1,), "eve": (2,)}
    stand(floor, table)
    assert [row.person for row in floor.rows()["bets"]] == [ada.id]


def test_one_cent_holds_no_table_for_a_year(floor):
    """Fourteen baccarat spots, a cent on one of them that is never dealt to: ten minutes, and anybody can have any."""
    ada, eve = floor.players("ada", "eve")
    table = floor.table(BACCARAT)
    floor.do(table, Sit(tuple(range(1, 15)), 1_00), ada)
    floor.do(table, SetBets(7, {"player": 1}), ada)
    for _ in range(3):
        floor.time += UNDEALT
        for due in floor.desk.due():
            floor.clock(due)
        (outcome,) = floor.desk.run([Job(table, SetBets(7, {"player": 1}), ada)])
        assert outcome.error is None
    with reading(floor.engine) as db:
        assert lobby(db, floor.desk.tables, floor.time)[0].free == list(range(1, 15))
    floor.time += YEAR
    assert floor.desk.due() == [table]
    now = floor.do(table, Sit(tuple(range(1, 15)), 500_00), eve).now
    assert spots_of(now) == {"eve": tuple(range(1, 15))}
    assert floor.chips(ada) == 1000_00


def test_to_sit_down_again_wins_no_time(floor):
    """A guest who gets up and sits down every minute has the spots for ten minutes, as anybody."""
    ada, eve = floor.players("ada", "eve")
    table = floor.table(BACCARAT)
    mine = tuple(range(1, 15))
    for _ in range(10):
        floor.do(table, Sit(mine, 1_00), ada)
        assert "free: none" in floor.refused(table, Sit((3,), 1_00), eve)
        floor.time += MINUTE
        floor.do(table, Leave(), ada)
    floor.do(table, Sit(mine, 1_00), ada)
    floor.time += 1
    assert spots_of(floor.do(table, Sit((3,), 1_00), eve).now)["eve"] == (3,)
    assert len(spots_of(floor.now(table))["ada"]) == 13


def test_who_comes_back_later_has_time_again_and_so_has_somebody_else(floor):
    ada, eve = floor.players("ada", "eve")
    table = floor.table(BACCARAT)
    floor.do(table, Sit((1,), 1_00), ada)
    floor.time += KEPT
    floor.do(table, Leave(), ada)
    floor.do(table, Sit((1,), 1_00), eve)
    assert floor.now(table).seats[0].kept == {"1": floor.time + KEPT}, "it is not eve who held it"
    floor.do(table, Leave(), eve)
    floor.time += KEPT
    floor.do(table, Sit((1,), 1_00), ada)
    assert floor.now(table).seats[0].kept == {"1": floor.time + KEPT}


def test_what_the_lobby_calls_free(here):
    floor, table, ada, bob, _ = here

    def free():
        with reading(floor.engine) as db:
            return lobby(db, floor.desk.tables, floor.time)[0].free

    assert free() == [3, 4, 5, 6, 7]
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    floor.do(table, Ready(), bob)
    floor.time += KEPT + 1
    assert free() == [2, 3, 4, 5, 6, 7], "spot 1 is in play"


# ---- who is alone


def test_no_clock_is_seen_by_who_is_alone(here):
    floor, table, ada, bob, _ = here
    floor.do(table, Leave(), bob)
    waits = floor.dealt(table, ada).waits
    assert (waits.kind, waits.until, waits.who) == ("action", None, ("ada",))
    floor.time += ALONE - 1
    assert floor.desk.due() == []
    floor.decide(table, ada, "hit" if "hit" in waits.actions else "stand")


def test_a_round_of_somebody_alone_does_not_lie_there_for_ever(here):
    floor, table, ada, bob, eve = here
    floor.do(table, Leave(), bob)
    floor.dealt(table, ada)
    floor.time += ALONE
    assert floor.desk.due() == [table]
    assert floor.clock(table).now.round.step == "over"
    floor.time += KEPT + 1
    floor.do(table, Sit((1,), 100), eve)


def test_who_is_alone_has_ten_minutes_for_the_whole_round(floor):
    """Seven hands in play keep everybody else from the table: they do not take ten minutes each."""
    (ada,) = floor.players("ada")
    table = floor.table(cards="2h 2c 2d 3h 3c 3d 4h 9h 4c 4d 5h 5c 5d 6h 6c 9c")
    floor.do(table, Sit(tuple(range(1, 8)), 500_00), ada)
    for spot in range(1, 8):
        floor.do(table, SetBets(spot, {"main": 1}), ada)
    began, until = floor.time, floor.do(table, Ready(), ada).now.waits.until
    assert until is None
    for _ in range(3):
        floor.time += 3 * MINUTE
        assert floor.decide(table, ada, "stand").waits.until is None
    floor.time = began + ALONE - 30_000
    assert floor.decide(table, ada, "stand").waits.until == floor.time + 30_000
    floor.time += 30_000
    now = floor.clock(table).now
    assert (now.round.step, now.seats[0].away) == ("over", True)


def test_who_sits_down_makes_time_run(here):
    floor, table, ada, bob, eve = here
    floor.do(table, Leave(), bob)
    floor.dealt(table, ada)
    floor.time += 5 * MINUTE
    assert floor.do(table, Sit((2,), 100_00), eve).now.waits.until == floor.time + 30_000
    floor.time += 10_000
    assert floor.do(table, Leave(), eve).now.waits.until is None
    floor.time += 20_000
    with pytest.raises(NotYet):
        floor.clock(table)
    floor.do(table, Sit((3,), 100_00), bob)
    floor.time += 30_000
    assert floor.clock(table).now.round.step == "over"


def test_who_waits_for_the_end_of_the_round_waits(here):
    """Chips in play keep somebody waiting, also who is away or leaves with the round."""
    floor, table, ada, bob, _ = here
    until = floor.dealt(table, ada, bob).waits.until
    assert until == NOON + 30_000
    assert floor.do(table, Leave(), bob).now.waits.until == until


# ---- who is gone


def test_the_table_says_for_whom_it_waits(here):
    floor, table, ada, bob, eve = here
    floor.do(table, Sit((5,), 100_00), eve)
    assert floor.do(table, SetBets(1, {"main": 10_00}), ada).now.waits.who == ()
    waits = floor.do(table, Ready(), ada).now.waits
    assert (waits.who, waits.until) == (("bob", "eve"), NOON + 20_000)
    floor.do(table, SetBets(2, {"main": 10_00}), bob)
    assert floor.do(table, Ready(), bob).now.waits.who == ("eve",)
    floor.time += 20_000
    assert floor.clock(table).now.waits.who == ("ada",)
    assert floor.decide(table, ada, "stand").waits.who == ("bob",)


def test_wagers_wait_a_moment_for_who_is_gone(here):
    floor, table, ada, bob, _ = here
    floor.time += GONE
    now = floor.do(table, SeemsGone(bob.id)).now
    assert [seat.gone for seat in now.seats] == [False, True]
    assert now.waits.until is None, "nobody waits yet"
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    waits = floor.do(table, Ready(), ada).now.waits
    assert (waits.who, waits.until) == (("bob",), floor.time + GONE)
    floor.time += GONE
    assert floor.desk.due() == [table]
    now = floor.clock(table).now
    assert (now.round.step, now.seats[1].away) == ("actions", True)
    assert kinds(floor.events(table)).count("gone") == 1


def test_who_is_gone_is_not_waited_for_in_their_turn(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += GONE
    assert floor.do(table, SeemsGone(ada.id)).now.waits.until == floor.time + GONE
    floor.time += GONE
    now = floor.clock(table).now
    assert (now.waits.spot, now.seats[0].away, now.round.spots["1"][0].how) == (2, True, "stood")
    assert now.waits.until is None, "ada is gone: nobody waits for bob"
    now = floor.do(table, Bring(1), ada).now
    seat = now.seats[0]
    assert (seat.gone, seat.away, now.waits.until) == (False, False, floor.time + 30_000), "she is back"


def test_who_goes_before_their_turn_has_little_time_in_it(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += GONE
    assert floor.do(table, SeemsGone(bob.id)).now.waits.until is None, "nobody waits for ada"
    waits = floor.decide(table, ada, "stand").waits
    assert (waits.who, waits.until) == (("bob",), floor.time + GONE)


def test_who_is_seen_again_has_the_time_that_is_left(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += GONE
    floor.do(table, SeemsGone(ada.id))
    floor.time += GONE - 1
    now = floor.do(table, IsBack(ada.id)).now
    assert (now.seats[0].gone, now.waits.until) == (False, NOON + 30_000)
    assert kinds(floor.events(table))[-2:] == ["gone", "back"]
    for command in (IsBack(ada.id), IsBack(99), SeemsGone(99)):
        assert "known already" in (reason := floor.refused(table, command)) or "no seat" in reason


def test_nobody_is_gone_who_was_here_a_moment_ago(here):
    """One stream was closed, and another server has heard of them since."""
    floor, table, ada, _, _ = here
    floor.time += GONE - 1
    with pytest.raises(NotYet):
        floor.do(table, SeemsGone(ada.id))
    floor.time += 1
    floor.do(table, SeemsGone(ada.id))
    assert "known already" in floor.refused(table, SeemsGone(ada.id))


def test_wagers_of_who_is_gone_are_dealt_to(here):
    """They lay there; only their answers are not waited for."""
    floor, table, ada, bob, _ = here
    floor.do(table, SetBets(2, {"main": 10_00}), bob)
    floor.time += GONE
    floor.do(table, SeemsGone(bob.id))
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    floor.time += GONE
    now = floor.clock(table).now
    assert sorted(now.round.spots) == ["1", "2"]
    now = floor.decide(table, ada, "stand")
    assert now.round.step == "over"
    assert floor.seat(table, bob) == 490_00


def test_all_who_wait_together_are_named_until_one_who_is_there(here):
    """The short time is for those alone who are gone: with somebody else to wait for, there is the whole time."""
    floor, table, ada, bob, eve = here
    floor.do(table, Sit((5,), 100_00), eve)
    floor.time += GONE
    floor.do(table, SeemsGone(bob.id))
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    assert floor.do(table, Ready(), ada).now.waits.until == floor.time + 20_000
    floor.do(table, SetBets(5, {"main": 10_00}), eve)
    assert floor.do(table, Ready(), eve).now.waits.until == floor.time + GONE


def test_a_clock_that_goes_back_makes_nobody_wait_longer_for_who_is_gone(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += GONE
    floor.do(table, SeemsGone(ada.id))
    floor.time -= 24 * 60 * MINUTE
    assert floor.desk.due() == [table]
    assert floor.clock(table).now.waits.until == floor.time + GONE
    with pytest.raises(Refused):
        floor.do(table, DeadlineExpired())
    floor.time += GONE
    assert floor.clock(table).now.seats[0].away
