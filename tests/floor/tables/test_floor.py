"""Live tables: who sits, what lies on the felt, whose turn it is, what the clock does; all of it as it is stored."""

import pytest
from sqlalchemy import text

from feltlab.errors import Refused
from feltlab.floor.desk import Job, KeyUsed, NotFound
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import GIVES_WAY, in_the_way, left_alone, may_open, open_table
from feltlab.floor.house.opening import IDLE as IDLE_TABLE
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import Unavailable, writing
from feltlab.floor.storage.idempotency import once
from feltlab.floor.tables.commands import (
    AddSeed,
    Bring,
    CloseTable,
    DeadlineExpired,
    Decide,
    Leave,
    Ready,
    SetBets,
    Sit,
)
from feltlab.floor.tables.deadlines import ALONE
from feltlab.floor.tables.procedure import NotYet, Stale
from support.floor.floors import BLACKJACK, NOON, SEAL, TWENTIES, all_tens_first, drop_guards, kinds

# ---- sitting


def test_sitting_takes_spots_and_brings_chips(floor):
    (ada,) = floor.players("ada")
    table = floor.table()
    now = floor.do(table, Sit((5, 2), 300_00), ada).now
    assert [(seat.name, seat.spots, seat.chips) for seat in now.seats] == [("ada", (2, 5), 300_00)]
    assert floor.chips(ada) == 700_00
    floor.do(table, Bring(100_00), ada)
    assert (floor.seat(table, ada), floor.chips(ada)) == (400_00, 600_00)
    assert kinds(floor.events(table)) == ["table-open", "shoe", "sit", "chips"]


CANNOT = [
    (Sit((1,), 100), "spot 1 is taken; free: 3, 4, 5, 6 and 7"),
    (Sit((3, 1), 100), "spot 1 is taken"),
    (Sit((), 100), "choose one or more of the spots 1 to 7"),
    (Sit((3, 3), 100), "each once"),
    (Sit((0,), 100), "spots 1 to 7"),
    (Sit((8,), 100), "spots 1 to 7"),
    (Sit((-1, 3), 100), "spots 1 to 7"),
    (Sit((3,), 0), "bring some chips"),
    (Sit((3,), -500), "bring some chips"),
    (Sit((3,), 1000_01), "that takes 1,000.01, and there are 1,000.00 here"),
    (Bring(5), "you have no seat at this table"),
    (Leave(), "you have no seat"),
    (SetBets(1, {"main": 100}), "you have no seat"),
    (Ready(), "you have no seat"),
    (AddSeed("x"), "you have no seat"),
    (Decide("1.0", 1, "hit"), "you have no seat"),
]


def test_who_cannot_sit_and_what_needs_a_seat(here):
    floor, table, _, _, eve = here
    for command, reason in CANNOT:
        assert reason in floor.refused(table, command, eve)


def test_nobody_sits_twice_and_brings_only_chips_that_are_theirs(here):
    floor, table, ada, _, _ = here
    assert "a seat at this table already" in floor.refused(table, Sit((4,), 100), ada)
    assert "there are 500.00 here" in floor.refused(table, Bring(500_01), ada)
    assert "bring some chips" in floor.refused(table, Bring(0), ada)
    assert "bring some chips" in floor.refused(table, Bring(-1), ada)


def test_leaving_gives_all_chips_back_and_the_spot_is_free(here):
    floor, table, ada, _, eve = here
    assert [seat.name for seat in floor.do(table, Leave(), ada).now.seats] == ["bob"]
    assert floor.chips(ada) == 1000_00
    floor.do(table, Sit((1,), 100_00), eve)
    floor.do(table, Sit((3,), 1000_00), ada)
    assert floor.chips(ada) == 0


def test_a_table_that_is_not_there(here):
    floor, _, ada, _, _ = here
    with pytest.raises(NotFound, match="there is no table 99"):
        floor.desk.do(Job(99, Leave(), ada))


# ---- wagers


def test_wagers_are_laid_changed_and_taken_back(here):
    floor, table, ada, _, _ = here
    now = floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 5_00}), ada).now
    assert [(bet.bet, bet.wager, bet.stake) for bet in now.round.bets] == [(1, "main", 10_00), (2, "bad-beat", 5_00)]
    assert floor.seat(table, ada) == 485_00
    now = floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 2_00}), ada).now
    assert [(bet.bet, bet.wager, bet.stake) for bet in now.round.bets] == [(1, "main", 10_00), (3, "bad-beat", 2_00)]
    assert floor.seat(table, ada) == 488_00, "what stays lies where it lay, and a number is never given again"
    assert floor.do(table, SetBets(1), ada).now.round.bets == []
    assert floor.seat(table, ada) == 500_00
    floor.do(table, SetBets(1, {"main": 1_00}), ada)
    floor.do(table, Leave(), ada)
    assert floor.chips(ada) == 1000_00, "who leaves before the deal takes the wagers back"
    assert floor.now(table).round.number == 1


NO_WAGERS = [
    ({"mian": 100}, "did you mean 'main'?"),
    ({"main": 0}, "more than zero"),
    ({"main": -5}, "more than zero"),
    ({"main": 10_000_01}, "outside the table's limits"),
    ({"main": 500_01}, "that takes 500.01, and there are 500.00 here"),
    ({"main": 400_00, "bad-beat": 100_01}, "and there are 100.00 here"),
    ({"insurance": 100}, "insurance is not placed before the deal"),
    ({}, "there is no wager to take back"),
]


def test_wagers_that_are_refused_leave_nothing_on_the_felt(here):
    floor, table, ada, _, _ = here
    for bets, reason in NO_WAGERS:
        assert reason in floor.refused(table, SetBets(1, bets), ada)
        assert floor.now(table).round is None


def test_a_refused_change_leaves_the_wagers_as_they_were(here):
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00, "bad-beat": 5_00}), ada)
    assert "there are" in floor.refused(table, SetBets(1, {"main": 600_00}), ada)
    assert "spot 2 is not yours; you play 1" in floor.refused(table, SetBets(2, {"main": 10_00}), ada)
    assert [bet.stake for bet in floor.now(table).round.bets] == [10_00, 5_00]


def test_cards_are_dealt_when_all_who_are_here_are_ready(here):
    floor, table, ada, bob, _ = here
    assert "nobody has placed a wager yet" in floor.refused(table, Ready(), ada)
    floor.do(table, SetBets(1, {"bad-beat": 5_00}), ada)
    assert "side wagers but no main wager" in floor.refused(table, Ready(), ada)
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    now = floor.do(table, Ready(), ada).now
    assert [(seat.name, seat.ready) for seat in now.seats] == [("ada", True), ("bob", False)]
    assert floor.do(table, SetBets(1, {"main": 20_00}), ada).now.seats[0].ready is False, "who changes a wager is not"
    floor.do(table, Ready(), bob)
    now = floor.do(table, Ready(), ada).now
    assert (now.round.step, now.waits.kind, now.waits.spot) == ("actions", "action", 1)
    assert now.round.dealer.cards == ["9h", "--"], "bob has no wager, so he gets no cards"
    assert "the cards have been dealt already" in floor.refused(table, Ready(), ada)
    assert "no more bets" in floor.refused(table, SetBets(1, {"main": 10_00}), ada)


# ---- turns


def test_a_round_from_wagers_to_payments(here):
    floor, table, ada, bob, _ = here
    now = floor.dealt(table, ada, bob)
    assert now.round.dealer.cards == ["6c", "--"]
    assert (now.waits.spot, now.waits.actions) == (1, ("stand", "hit", "double", "split"))
    now = floor.decide(table, ada, "stand")
    assert now.waits.spot == 2
    now = floor.decide(table, bob, "stand")
    assert (now.round.step, now.round.dealer.cards, now.round.dealer.total) == ("over", ["6c", "Td", "5c"], 21)
    assert now.waits.kind == "bets"
    assert [floor.seat(table, one) for one in (ada, bob)] == [490_00, 490_00]
    assert floor.check().floats == 20_00


def test_turns_are_answered_by_their_players_and_once(here):
    floor, table, ada, bob, _ = here
    assert "waits for wagers" in floor.refused(table, Decide("0.0", 1, "hit"), ada)
    floor.dealt(table, ada, bob)
    turn = floor.now(table).waits.turn
    assert "spot 1 is not yours; you play 2" in floor.refused(table, Decide(turn, 1, "stand"), bob)
    assert "it is the turn of spot 1" in floor.refused(table, Decide(turn, 2, "stand"), bob)
    assert "'fold' is not an action" in floor.refused(table, Decide(turn, 1, "fold"), ada)
    floor.do(table, Decide(turn, 1, "stand"), ada)
    with pytest.raises(Stale, match=f"this answers turn {turn}, and it is turn 1."):
        floor.do(table, Decide(turn, 1, "stand"), ada)
    with pytest.raises(Stale):
        floor.do(table, Decide(turn, 2, "stand"), bob)


def test_of_two_answers_to_one_turn_in_one_transaction_the_first_counts(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    turn = floor.now(table).waits.turn
    jobs = [Job(table, Decide(turn, spot, action), who) for spot, action, who in
            ((2, "hit", bob), (1, "stand", ada), (1, "hit", ada), (2, "stand", bob))]  # fmt: skip
    outcomes = floor.desk.run(jobs)
    assert [type(outcome.error).__name__ for outcome in outcomes] == ["Refused", "NoneType", "Stale", "Stale"]
    assert {outcome.now.seq for outcome in outcomes} == {floor.now(table).seq}
    floor.same(table)
    floor.decide(table, bob, "stand")


def test_a_player_with_two_spots_answers_for_both(floor):
    (ada,) = floor.players("ada")
    table = floor.table(cards=TWENTIES)
    floor.do(table, Sit((1, 2), 500_00), ada)
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, SetBets(2, {"main": 20_00}), ada)
    floor.do(table, Ready(), ada)
    floor.decide(table, ada, "stand", spot=1)
    assert floor.decide(table, ada, "stand", spot=2).round.step == "over"


# ---- keys


def test_the_same_key_is_carried_out_once(here):
    floor, table, ada, bob, _ = here
    first = floor.do(table, Bring(5_00), ada, "k")
    again = floor.do(table, Bring(5_00), ada, "k")
    assert (first.again, again.again) == (False, True)
    assert again.step == first.step
    assert floor.seat(table, ada) == 505_00
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    late = floor.new_desk().do(Job(table, Bring(5_00), ada, "k"))
    assert (late.step, late.again, late.now.seq) == (first.step, True, first.now.seq + 1)
    assert floor.do(table, Bring(5_00), bob, "k").again is False, "a key is its person's"


def test_the_same_key_twice_in_one_transaction(here):
    floor, table, ada, _, _ = here
    one, two = floor.desk.run([Job(table, Bring(5_00), ada, "k")] * 2)
    assert (one.again, two.again, two.step) == (False, True, one.step)
    assert floor.seat(table, ada) == 505_00
    outcomes = floor.desk.run([Job(table, Bring(1_00), ada, "j"), Job(table, Bring(2_00), ada, "j")])
    assert isinstance(outcomes[1].error, KeyUsed)
    assert floor.seat(table, ada) == 506_00


def test_a_key_stands_for_one_request(here):
    floor, table, ada, _, _ = here
    floor.do(table, Bring(5_00), ada, "k")
    other = floor.table()
    for at, command in ((table, Bring(6_00)), (table, Leave()), (other, Bring(5_00))):
        with pytest.raises(KeyUsed):
            floor.do(at, command, ada, "k")


def test_a_key_that_was_used_beside_the_tables_disturbs_nobody(here):
    floor, table, ada, bob, _ = here
    floor.desk.plain(lambda db, now: once(db, ada, "k", "buy 5", now, lambda: "1000"))
    bad, good = floor.desk.run([Job(table, Bring(5_00), ada, "k"), Job(table, Bring(5_00), bob, "k")])
    assert isinstance(bad.error, KeyUsed)
    assert good.error is None


def test_a_refused_request_may_come_again_with_its_key(here):
    floor, table, ada, _, _ = here
    floor.refused(table, Bring(600_00), ada, "k")
    assert floor.do(table, Bring(500_00), ada, "k").again is False


# ---- one transaction for many


def test_a_refused_command_does_not_disturb_the_others(here):
    floor, table, ada, bob, eve = here
    other = floor.table()
    jobs = [
        Job(table, SetBets(1, {"main": 10_00}), ada),
        Job(table, SetBets(1, {"main": 900_00}), ada),
        Job(table, SetBets(2, {"main": 20_00}), bob),
        Job(other, Sit((1,), 600_00), eve),
        Job(table, Sit((3,), 600_00), eve),  # the chips are at the other table by now
        Job(table, Sit((3,), 400_00), eve),
        Job(99, Leave(), ada),
    ]
    errors = [type(outcome.error).__name__ for outcome in floor.desk.run(jobs)]
    assert errors == ["NoneType", "TooLittle", "NoneType", "NoneType", "TooLittle", "NoneType", "NotFound"]
    assert [bet.stake for bet in floor.now(table).round.bets] == [10_00, 20_00]
    assert floor.chips(eve) == 0
    floor.same(table)
    floor.same(other)


def test_what_cannot_be_stored_did_not_happen(here):
    """The desk has carried it out in memory when the database refuses: then memory is forgotten."""
    floor, table, ada, bob, _ = here
    before = floor.rows()
    with writing(floor.engine) as db:  # somebody else's step is in its way
        db.execute(
            text("INSERT INTO steps (table_id, seq, at, command, moves, events) VALUES (:t, 4, 0, '', '[]', '[]')"),
            {"t": table},
        )
    outcomes = floor.desk.run([Job(table, SetBets(1, {"main": 10_00}), ada), Job(table, SetBets(2, {"main": 1}), bob)])
    assert all(isinstance(outcome.error, Unavailable) for outcome in outcomes)
    assert all(outcome.step is outcome.now is None for outcome in outcomes)
    with writing(floor.engine) as db:
        drop_guards(db)
        db.execute(text("DELETE FROM steps WHERE seq = 4"))
    assert floor.rows() == before
    floor.do(table, SetBets(1, {"main": 10_00}), ada)


# ---- leaving in the middle of a round


def test_who_leaves_in_a_round_stands_and_goes_when_it_is_over(here):
    floor, table, ada, bob, eve = here
    floor.dealt(table, ada, bob)
    now = floor.do(table, Leave(), ada).now
    assert (now.seats[0].leaving, now.seats[0].away, now.waits.spot) == (True, True, 2)
    assert now.round.spots["1"][0].how == "stood"
    assert "spot 1 is taken" in floor.refused(table, Sit((1,), 100), eve)
    now = floor.decide(table, bob, "stand")
    assert [seat.name for seat in now.seats] == ["bob"]
    assert floor.chips(ada) == 990_00


def test_who_leaves_before_their_turn_is_not_waited_for(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    assert floor.do(table, Leave(), bob).now.waits.spot == 1
    now = floor.decide(table, ada, "stand")
    assert (now.round.step, [seat.name for seat in now.seats]) == ("over", ["ada"])


def test_who_leaves_with_a_hand_that_is_over_goes_when_the_round_is(floor):
    """Their settled wagers are theirs, so their spot is nobody else's until the round is written down."""
    ada, bob, eve = floor.players("ada", "bob", "eve")
    table = floor.table(cards="Th 9h 6c Tc 9c Td 5h 5c")
    floor.seated(table, ada, bob)
    floor.dealt(table, ada, bob)
    assert floor.decide(table, ada, "hit").round.bets[0].back == 0
    assert floor.do(table, Leave(), ada).now.seats[0].leaving
    floor.refused(table, Sit((1,), 100), eve)
    now = floor.decide(table, bob, "stand")
    assert [seat.name for seat in now.seats] == ["bob"]
    assert [(row.person, row.back) for row in floor.rows()["bets"]] == [(ada.id, 0), (bob.id, 0)]
    assert floor.chips(ada) == 990_00


def test_the_last_to_leave_ends_the_round(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.do(table, Leave(), bob)
    now = floor.do(table, Leave(), ada).now
    assert (now.round.step, now.seats) == ("over", [])
    assert [floor.chips(one) for one in (ada, bob)] == [990_00, 990_00]


# ---- the clock


def test_who_does_not_decide_in_time_stands_and_is_away(here):
    floor, table, ada, bob, _ = here
    now = floor.dealt(table, ada, bob)
    assert now.waits.until == NOON + 30_000
    floor.time += 29_999
    assert floor.desk.due() == []
    with pytest.raises(NotYet, match="there is time left"):
        floor.clock(table)
    floor.time += 1
    assert floor.desk.due() == [table]
    now = floor.clock(table).now
    assert (now.seats[0].away, now.waits.spot, now.waits.until) == (True, 2, floor.time + 30_000)
    assert "time-up" in kinds(floor.events(table))
    assert floor.decide(table, bob, "stand").round.step == "over"
    assert floor.desk.due() == []
    with pytest.raises(NotYet, match="nobody's time is running"):
        floor.clock(table)


def test_who_leaves_gives_nobody_else_more_time(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += 29_000
    for _ in range(3):
        assert floor.do(table, Leave(), bob).now.waits.until == NOON + 30_000
    floor.time += 1_000
    assert floor.clock(table).now.round.step == "over"


def test_nobody_waits_for_who_is_away_until_they_do_something(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time += 30_000
    floor.clock(table)
    floor.decide(table, bob, "stand")
    floor.do(table, SetBets(2, {"main": 10_00}), bob)
    now = floor.do(table, Ready(), bob).now
    assert now.round.number == 2
    assert now.round.step != "wagers", "ada is away: the deal does not wait for her"
    while floor.now(table).waits.kind != "bets":
        floor.decide(table, bob, "decline" if floor.now(table).waits.kind == "insurance" else "stand")
    assert floor.do(table, SetBets(1, {"main": 10_00}), ada).now.seats[0].away is False
    floor.do(table, SetBets(2, {"main": 10_00}), bob)
    assert floor.do(table, Ready(), bob).now.round.step == "wagers", "she is back"


def test_the_first_who_is_ready_starts_the_time_for_wagers(here):
    floor, table, ada, bob, _ = here
    now = floor.do(table, SetBets(1, {"main": 10_00}), ada).now
    assert now.waits.until is None
    assert floor.do(table, Ready(), ada).now.waits.until == NOON + 20_000
    floor.time += 5_000
    floor.do(table, SetBets(2, {"bad-beat": 5_00}), bob)
    assert floor.now(table).waits.until == NOON + 20_000
    floor.time += 15_000
    now = floor.clock(table).now
    assert now.round.step == "actions"
    assert list(now.round.spots) == ["1"], "a side wager alone cannot be dealt to: bob gets it back"
    assert floor.seat(table, bob) == 500_00
    assert [seat.away for seat in now.seats] == [False, False], "bob did something in time"


def test_who_does_not_bet_in_time_is_away(here):
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    floor.time += 20_000
    now = floor.clock(table).now
    assert [seat.away for seat in now.seats] == [False, True]
    assert now.round.step == "actions"


def test_wagers_that_went_away_while_the_time_ran_are_not_dealt_to(here):
    floor, table, ada, _, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    floor.do(table, SetBets(1), ada)
    floor.time += 20_000
    now = floor.clock(table).now
    assert (now.round.step, now.waits.kind, now.waits.until) == ("wagers", "bets", None)
    assert now.shoe.cut is False


def test_a_clock_that_goes_back_gives_no_more_time_than_there_is(here):
    floor, table, ada, bob, _ = here
    floor.dealt(table, ada, bob)
    floor.time -= 24 * 3600 * 1000
    assert floor.desk.due() == [table]
    now = floor.clock(table).now
    assert now.waits.until == floor.time + 30_000
    assert kinds(floor.events(table))[-1] == "clock"
    assert floor.desk.due() == []
    floor.time += 30_000
    assert floor.clock(table).now.waits.spot == 2
    times = [row.at for row in floor.rows()["steps"]]
    assert times == sorted(times), "time does not go back at a table"


# ---- too few chips, insurance


def poor(floor, cards, chips=15_00, wish=BLACKJACK):
    """A player with a wager of 10.00 and not as much again, dealt to."""
    (ada,) = floor.players("ada", chips=chips)
    table = floor.table(wish, cards)
    floor.seated(table, ada, chips=chips)
    floor.dealt(table, ada)
    return table, ada


def test_a_double_that_cannot_be_paid_is_neither_offered_nor_done(floor):
    table, ada = poor(floor, "5h 6c 6h Td 9c 9d")
    assert floor.now(table).waits.actions == ("stand", "hit")
    assert "that takes 10.00, and there are 5.00 here" in floor.refused(
        table, Decide(floor.now(table).waits.turn, 1, "double"), ada
    )
    assert floor.now(table).round.spots["1"][0].cards == ["5h", "6h"]
    assert floor.decide(table, ada, "hit").round.spots["1"][0].cards == ["5h", "6h", "9c"], "the same card comes"


def test_a_split_that_cannot_be_paid_is_neither_offered_nor_done(floor):
    table, ada = poor(floor, "8h 6c 8d Td 3c 3d 9s")
    assert floor.now(table).waits.actions == ("stand", "hit")
    assert "there are 5.00 here" in floor.refused(table, Decide(floor.now(table).waits.turn, 1, "split"), ada)
    floor.decide(table, ada, "hit")
    floor.do(table, Leave(), ada)


def test_doubles_and_splits_that_can_be_paid(floor):
    table, ada = poor(floor, "8h 6c 8d Td 3c Tc 9d 5c", chips=40_00)
    assert "split" in floor.now(table).waits.actions
    floor.decide(table, ada, "split")
    now = floor.decide(table, ada, "double")  # 8 3 and a ten
    assert floor.seat(table, ada) == 10_00
    assert [hand.cards for hand in now.round.spots["1"]] == [["8h", "3c", "Tc"], ["8d", "9d"]]
    now = floor.decide(table, ada, "stand")
    assert [bet.back for bet in now.round.bets] == [40_00, 0] or [bet.back for bet in now.round.bets] == [20_00, 0]


@pytest.mark.parametrize(("hole", "back"), [("Kd", 15_00), ("9d", 0)])
def test_insurance(floor, hole, back):
    table, ada = poor(floor, f"Th Ac 9h {hole} 5c 5d")
    waits = floor.now(table).waits
    assert (waits.kind, waits.actions, waits.most) == ("insurance", ("insure", "decline"), 5_00)
    assert "at most 1:2" in floor.refused(table, Decide(waits.turn, 1, "insure", amount=5_01), ada)
    floor.refused(table, Decide(waits.turn, 1, "even-money"), ada)
    now = floor.decide(table, ada, "insure", amount=5_00)
    if not back:
        now = floor.decide(table, ada, "stand")
    assert [bet.back for bet in now.round.bets if bet.wager == "insurance"] == [back]


def test_insurance_that_cannot_be_paid_is_not_offered(floor):
    table, ada = poor(floor, "Th Ac 9h 9d", chips=12_00)
    assert floor.now(table).waits.most == 2_00
    assert "there are 2.00 here" in floor.refused(
        table, Decide(floor.now(table).waits.turn, 1, "insure", amount=3_00), ada
    )
    floor.decide(table, ada, "insure", amount=2_00)
    table, ada = floor.table(BLACKJACK, "Th Ac 9h 9d 5c"), floor.player("bob", 10_00)
    floor.seated(table, ada, chips=10_00)
    assert floor.dealt(table, ada).waits.actions == ("decline",)
    assert floor.decide(table, ada, "decline").waits.kind == "action"


def test_even_money(floor):
    table, ada = poor(floor, "Th Ac As Kd")
    assert "even-money" in floor.now(table).waits.actions
    assert floor.decide(table, ada, "even-money").round.bets[0].back == 20_00
    assert floor.seat(table, ada) == 25_00


def test_who_is_late_takes_no_insurance(floor):
    table, ada = poor(floor, "Th Ac 9h Kd")
    floor.time += ALONE  # as long as somebody has for whom nobody waits
    now = floor.clock(table).now
    assert (now.round.step, [bet.wager for bet in now.round.bets]) == ("over", ["main"])
    assert floor.seat(table, ada) == 5_00


def test_a_wager_on_the_next_card_is_paid_for_with_the_answer(floor):
    table, ada = poor(floor, "5h 6c 6h Td 6d 9d", chips=11_00, wish=Wish("big-slick-blackjack", decks=6))
    turn = floor.now(table).waits
    assert turn.side == {"hit": ("action-match",)}
    assert "there are 1.00 here" in floor.refused(table, Decide(turn.turn, 1, "hit", {"action-match": 1_01}), ada)
    now = floor.decide(table, ada, "hit", side={"action-match": 1_00})
    assert [(bet.wager, bet.back) for bet in now.round.bets][1] == ("action-match", 6_00)


# ---- baccarat


def test_a_coup_needs_no_answers(floor):
    ada, bob = floor.players("ada", "bob")
    table = floor.table(Wish("bad-beat-baccarat"), "9h 5c Td 3c")
    floor.do(table, Sit((1, 9), 100_00), ada)
    floor.do(table, Sit((14,), 100_00), bob)
    floor.do(table, SetBets(1, {"player": 10_00, "bad-beat": 1_00}), ada)
    floor.do(table, SetBets(9, {"tie": 5_00}), ada)
    floor.do(table, SetBets(14, {"banker": 20_00}), bob)
    floor.do(table, Ready(), bob)
    now = floor.do(table, Ready(), ada).now
    assert (now.round.player.cards, now.round.player.total) == (["9h", "Td"], 9)
    assert (now.round.banker.cards, now.round.banker.total) == (["5c", "3c"], 8)
    assert [floor.seat(table, one) for one in (ada, bob)] == [115_00, 80_00]


# ---- the shoe


def test_seeds_are_mixed_in_until_the_shoe_is_cut(here):
    floor, table, ada, bob, _ = here
    floor.do(table, AddSeed("lucky"), ada)
    assert "one seed to a shoe" in floor.refused(table, AddSeed("luckier"), ada)
    for bad in ("", "x" * 65, "two\nlines", "\x00"):
        assert "1 to 64 printable characters" in floor.refused(table, AddSeed(bad), bob)
    now = floor.do(table, AddSeed("ünïcode ♠"), bob).now
    assert now.shoe.seeds == [("ada", "lucky"), ("bob", "ünïcode ♠")]
    now = floor.dealt(table, ada, bob)
    assert now.shoe.cut
    assert now.round.spots["1"][0].cards != ["Th", "Tc"], "the stacked order is not the order any more"
    assert "has been cut" in floor.refused(table, AddSeed("late"), ada)


def test_when_the_cut_card_is_out_the_shoe_is_revealed_and_another_opened(floor):
    (ada,) = floor.players("ada")
    table = floor.table(Wish("bad-beat-blackjack", decks=1, behind_cut=46), "Th 9h Tc 9c")
    floor.seated(table, ada)
    floor.dealt(table, ada)
    now = floor.decide(table, ada, "stand")
    assert (now.shoe.number, now.shoe.cut, now.shoe.dealt) == (1, True, 5)
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    floor.do(table, Ready(), ada)
    while floor.now(table).waits.kind != "bets":
        floor.decide(table, ada, "decline" if floor.now(table).waits.kind == "insurance" else "stand")
    now = floor.now(table)
    assert (now.shoe.number, now.shoe.cut, now.shoe.dealt) == (2, False, 1)
    one, two = floor.rows()["shoes"]
    assert one.secret is not None and two.secret is None
    assert one.commitment != two.commitment == now.shoe.commitment
    assert kinds(floor.events(table))[-2:] == ["reveal", "shoe"]


def test_a_round_that_needs_more_cards_than_there_are_is_void(floor):
    ada = floor.player("ada", 10_000_00)
    table = floor.table(Wish("bad-beat-blackjack", decks=1, burn=0, behind_cut=0), all_tens_first())
    floor.do(table, Sit(tuple(range(1, 8)), 5_000_00), ada)
    for spot in range(1, 8):
        floor.do(table, SetBets(spot, {"main": 10_00}), ada)
    now = floor.do(table, Ready(), ada).now
    while now.waits.kind == "action":
        action = next(one for one in ("split", "hit", "stand") if one in now.waits.actions)
        now = floor.decide(table, ada, action)
    assert "void" in kinds(floor.events(table))
    assert now.round.dealer.cards == ["2c", "--"], "the hole card was never turned over"
    assert (now.shoe.number, now.shoe.cut) == (2, False)
    open_ = [bet for bet in now.round.bets if bet.back == bet.stake]
    lost = [bet for bet in now.round.bets if bet.back == 0]
    assert len(open_) + len(lost) == len(now.round.bets), "what was settled stays settled"
    assert open_
    assert lost
    assert floor.seat(table, ada) == 5_000_00 - 10_00 * len(lost)


def test_a_shoe_that_runs_out_in_a_round_is_dealt_on_from_its_discards(floor):
    (ada,) = floor.players("ada")
    wish = Wish("bad-beat-blackjack", decks=1, behind_cut=0)
    table = floor.table(wish)
    floor.seated(table, ada)
    for _ in range(40):
        floor.do(table, SetBets(1, {"main": 1_00}), ada)
        now = floor.do(table, Ready(), ada).now
        while now.waits.kind != "bets":
            waits = now.waits
            now = floor.decide(
                table, ada, "decline" if waits.kind == "insurance" else "hit" if "hit" in waits.actions else "stand"
            )
        if now.shoe.number > 1:
            break
    rounds = floor.rows()["rounds"]
    dealt = [event for event in floor.events(table) if event["event"] == "card"]
    assert now.shoe.number == 2
    assert len(dealt) >= 51 and rounds[-1].began < 52


# ---- closing


def test_a_table_closes_at_once_when_nothing_is_dealt(here):
    floor, table, ada, bob, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}), ada)
    now = floor.do(table, CloseTable()).now
    assert (now.status, now.seats, now.waits) == ("closed", [], None)
    assert [floor.chips(one) for one in (ada, bob)] == [1000_00, 1000_00]
    assert kinds(floor.events(table))[-5:] == ["take-back", "leave", "leave", "reveal", "table-closed"]
    for command in (Sit((1,), 100), CloseTable(), DeadlineExpired(), SetBets(1, {"main": 100})):
        assert "this table is closed" in floor.refused(table, command, ada)


def test_a_table_closes_when_its_round_is_over(here):
    floor, table, ada, bob, eve = here
    floor.dealt(table, ada, bob)
    assert floor.do(table, CloseTable()).now.status == "closing"
    assert "closing" in floor.refused(table, Sit((5,), 100), eve)
    floor.decide(table, ada, "stand")
    now = floor.decide(table, bob, "stand")
    assert (now.status, now.seats, now.waits) == ("closed", [], None)
    assert now.round.dealer.total == 21, "the last round lies there as it ended"
    assert [floor.chips(one) for one in (ada, bob)] == [990_00, 990_00]
    found = floor.check()
    assert (found.players, found.floats, found.house) == (2980_00, 0, 20_00)


def test_what_a_closed_table_has_lost_the_house_owes(floor):
    (ada,) = floor.players("ada")
    table = floor.table(cards="Th 9h As 9c")
    floor.seated(table, ada)
    floor.dealt(table, ada)
    floor.do(table, CloseTable())
    found = floor.check()
    assert (found.players, found.floats, found.house, found.bought_in) == (1015_00, 0, -15_00, 1000_00)


# ---- rows that are only ever added


@pytest.mark.parametrize("table", schema.APPEND_ONLY)
def test_transfers_and_steps_are_never_changed_or_removed(here, table):
    floor = here[0]
    statements = [f"UPDATE {table} SET at = 0", f"DELETE FROM {table}"]
    if floor.engine.dialect.name == "postgresql":
        statements.append(f"TRUNCATE {table} CASCADE")
    before = floor.rows()
    for statement in statements:
        with (
            pytest.raises(Unavailable, match=f"rows of {table} are never changed or removed"),
            writing(floor.engine) as db,
        ):
            db.execute(text(statement))
    assert floor.rows() == before


def test_the_migrations_make_the_schema(floor):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with floor.engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), schema.metadata) == []


# ---- wagers for a round, and tables of players


def test_wagers_for_a_round_that_was_dealt_come_too_late(here):
    """Those of another round are refused, so that a slow line lays nothing on the next one."""
    floor, table, ada, bob, _ = here
    floor.do(table, SetBets(1, {"main": 10_00}, round=1), ada)
    floor.do(table, SetBets(1, {"main": 20_00}, round=1), ada)
    with pytest.raises(Stale, match="for round 2, and the next is 1"):
        floor.do(table, SetBets(1, {"main": 10_00}, round=2), ada)
    floor.do(table, Ready(), ada)
    floor.do(table, Ready(), bob)
    turn = floor.desk.look(table).turn
    floor.do(table, Decide(turn, 1, "stand"), ada)
    with pytest.raises(Stale, match="for round 1, and the next is 2"):
        floor.do(table, SetBets(1, {"main": 25_00}, round=1), ada)
    floor.do(table, SetBets(1, {"main": 25_00}, round=2), ada)


def test_a_players_table_that_is_left_alone_can_be_closed(floor):
    (ada,) = floor.players("ada")
    own = floor.desk.plain(lambda db, now: open_table(db, BLACKJACK, ada, SEAL, now))
    house = floor.table()
    floor.time += IDLE_TABLE + 1
    assert floor.desk.plain(left_alone) == [own], f"and not the house's, {house}"
    floor.do(own, Sit((1,), 100_00), ada)
    floor.time += IDLE_TABLE
    assert floor.desk.plain(left_alone) == [], "somebody has sat down there"
    floor.dealt(own, ada)
    while (
        floor.now(own).waits.kind != "bets"
    ):  # its cards are not stacked: there may be nothing to decide, or insurance
        floor.decide(own, ada, "stand" if "stand" in floor.now(own).waits.actions else "decline")
    floor.time += IDLE_TABLE
    assert floor.desk.plain(left_alone) == [], "somebody was dealt to"
    floor.do(own, SetBets(1, {"main": 10_00}), ada)
    floor.do(own, Bring(1), ada)
    floor.time += 1
    assert floor.desk.plain(left_alone) == [own], "and nothing else counts while somebody sits there"
    floor.do(own, Leave(), ada)
    assert floor.desk.plain(left_alone) == [], "something has just happened there"


def test_a_table_that_nobody_plays_at_makes_room_for_another(floor, monkeypatch):
    monkeypatch.setattr("feltlab.floor.house.opening.MOST_PRACTICE", 2)
    ada, bob = floor.players("ada", "bob")

    def in_the_way_of(person):
        return lambda db, now: in_the_way(db, person, now)

    tables = []
    for _ in range(2):
        tables.append(floor.desk.plain(lambda db, now: open_table(db, BLACKJACK, ada, SEAL, now)))
        floor.do(tables[-1], Sit((1,), 100_00), ada)
        assert floor.desk.plain(in_the_way_of(bob)) == []
        floor.time += 1
    floor.time += GIVES_WAY
    assert floor.desk.plain(in_the_way_of(bob)) == tables[:1]
    monkeypatch.setattr("feltlab.floor.house.opening.MOST_OWN", 2)
    assert floor.desk.plain(in_the_way_of(ada)) == [], "she has as many as she may, and is refused anyway"
    floor.do(tables[0], Sit((1,), 100_00), bob)
    assert floor.desk.plain(in_the_way_of(bob)) == tables[1:]
    monkeypatch.setattr("feltlab.floor.house.opening.MOST_PRACTICE", 3)
    assert floor.desk.plain(in_the_way_of(bob)) == []


def test_players_leave_room_for_the_house(floor, monkeypatch):
    monkeypatch.setattr("feltlab.floor.house.opening.MOST_PRACTICE", 2)
    ada, bob = floor.players("ada", "bob")
    for _ in range(2):
        floor.desk.plain(lambda db, now: may_open(db, ada) or open_table(db, BLACKJACK, ada, SEAL, now))
    with pytest.raises(Refused, match="players have 2 tables open"):
        floor.desk.plain(lambda db, now: may_open(db, bob))
