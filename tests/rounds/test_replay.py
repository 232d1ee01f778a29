"""Stored rounds played again, and shoes verified: what really happened passes, and whatever was changed is found."""

import random
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import text

from feltlab.cards import name
from feltlab.errors import FeltlabError
from feltlab.floor.desk import Job, NotFound
from feltlab.floor.house.config import Wish
from feltlab.floor.records import stored
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.records.stored import Differs
from feltlab.floor.shoes.fair import Secret
from feltlab.floor.storage.database import open_database, reading
from feltlab.floor.tables.commands import AddSeed, CloseTable, Decide, Ready, SetBets, Sit
from feltlab.rounds.narration import narrate
from support.floor.floors import BLACKJACK, Floor, all_tens_first, known_shoes

WISHES = [
    Wish("bad-beat-blackjack", decks=1, paytables=["P2"]),
    Wish("bad-beat-baccarat", behind_cut=390),
    Wish("big-slick-blackjack", decks=1, behind_cut=20),
    Wish("bad-beat-blackjack", decks=1, behind_cut=0, burn=3),  # runs out in the middle of a round
]
VOID, ABANDONED, PLAYING = 5, 6, 7


def played(url):
    """Tables 1 to 4 by `WISHES`, then one with a void round, one closed before its deal, and one that waits."""
    open_database(url).dispose()
    found = Floor(url)
    ada, bob = people = found.players("ada", "bob", chips=100_000_00)
    with known_shoes(8):
        for number, wish in enumerate(WISHES):
            table = found.table(wish)
            for spot, person in enumerate(people, 1):
                found.desk.do(Job(table, Sit((spot,), 10_000_00), person))
            found.desk.do(Job(table, AddSeed("lucky ♠"), ada))
            found.desk.do(Job(table, AddSeed("seven"), bob))
            found.play(table, people, 7, random.Random(number))
    found.desk.do(Job(3, CloseTable()))
    void(found, ada)
    table = found.table()
    found.desk.do(Job(table, Sit((1,), 500_00), ada))
    found.desk.do(Job(table, SetBets(1, {"main": 10_00}), ada))
    found.desk.do(Job(table, CloseTable()))
    table = found.table(BLACKJACK, "Th 9h 6c Tc 9c Td 5c")
    found.desk.do(Job(table, Sit((1,), 500_00), ada))
    found.desk.do(Job(table, SetBets(1, {"main": 10_00}), ada))
    found.desk.do(Job(table, Ready(), ada))
    return found


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    found = played(f"sqlite:///{tmp_path_factory.mktemp('replay')}/felt.db")
    yield found
    found.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(request):
    """The same in either kind of database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("floor")
        return
    from support.postgres import new_database

    found = played(new_database(request.getfixturevalue("postgres_server"), f"replay_{uuid4().hex}"))
    yield found
    found.close()


def void(floor, person):
    table = floor.table(Wish("bad-beat-blackjack", decks=1, burn=0, behind_cut=0), all_tens_first())
    floor.desk.do(Job(table, Sit(tuple(range(1, 8)), 5_000_00), person))
    for spot in range(1, 8):
        floor.desk.do(Job(table, SetBets(spot, {"main": 10_00}), person))
    now = floor.desk.do(Job(table, Ready(), person)).now
    while now.waits.kind == "action":
        action = next(one for one in ("split", "hit", "stand") if one in now.waits.actions)
        now = floor.desk.do(Job(table, Decide(now.waits.turn, now.waits.spot, action), person)).now


def rounds(floor, revealed=None):
    """The rounds that are over; of revealed shoes alone, or of others alone."""
    rows = floor.rows()
    open_ = {(shoe.table_id, shoe.number) for shoe in rows["shoes"] if shoe.secret is None}
    return [row for row in rows["rounds"] if row.ended_at and revealed in (None, (row.table_id, row.shoe) not in open_)]


def steps_of(floor, row):
    return [
        step
        for step in floor.rows()["steps"]
        if step.table_id == row.table_id and row.first_seq <= step.seq <= row.last_seq
    ]


def differs(floor, act, *where, statements=(), **values):
    """What is said of a round or a shoe after something was changed."""
    with floor.tampered(*statements, **values) as db, pytest.raises(Differs) as caught:
        act(db, *where)
    return str(caught.value)


# ---- what really happened


def test_every_round_comes_out_as_it_is_stored(either):
    sources = set()
    with reading(either.engine) as db:
        for row in rounds(either):
            found = replay_round(db, row.table_id, row.number)
            assert found.name == f"{row.table_id}-{row.number}"
            assert list(narrate(found.table.table, found.round.log))
            sources.add(found.from_shoe)
    assert sources == {True, False}


def test_every_revealed_shoe_is_what_it_was_said_to_be(either):
    rows, seen, ran_out = either.rows(), 0, 0
    with reading(either.engine) as db:
        for shoe in rows["shoes"]:
            if shoe.secret is None:
                with pytest.raises(FeltlabError, match="is not over"):
                    verify_shoe(db, shoe.table_id, shoe.number)
                continue
            found = verify_shoe(db, shoe.table_id, shoe.number)
            seen += len(found.rounds)
            ran_out += found.ran_out
            assert (found.commitment, len(found.seeds)) == (
                shoe.commitment, 2 if shoe.number == 1 and shoe.table_id <= 4 else 0
            )  # fmt: skip
    assert seen == len(rounds(either, revealed=True)) > 10
    assert ran_out, "one of them ran out in the middle of a round"


def test_a_round_is_played_again_with_the_cards_that_were_dealt(either):
    with reading(either.engine) as db:
        row = rounds(either, revealed=True)[0]
        order = verify_shoe(db, row.table_id, row.shoe).order
        log = replay_round(db, row.table_id, row.number).round.log
    dealt = [name(event.card) for event in log if hasattr(event, "face_up")]
    assert dealt == order[row.began : row.began + len(dealt)]


def test_a_void_round_and_one_that_was_never_dealt(either):
    with reading(either.engine) as db:
        told = [sentence.text for sentence in narrate(*_told(replay_round(db, VOID, 1)))]
        assert any("the round is void: every card lies on the felt" in words for words in told)
        assert verify_shoe(db, VOID, 1).rounds == [f"{VOID}-1"]
        told = [sentence.text for sentence in narrate(*_told(replay_round(db, ABANDONED, 1)))]
        assert told == ["Wagers", "spot 1 wagers 10.00 on main", "spot 1 takes 10.00 back from main"]
        assert verify_shoe(db, ABANDONED, 1).dealt == 1, "no more than the burn card"


def _told(found):
    return found.table.table, found.round.log


def test_what_is_not_over_or_not_there(either):
    with reading(either.engine) as db:
        with pytest.raises(FeltlabError, match=f"round {PLAYING}-1 is still being played"):
            replay_round(db, PLAYING, 1)
        with pytest.raises(FeltlabError, match=f"shoe {PLAYING}-1 is not over"):
            verify_shoe(db, PLAYING, 1)
        for act, where, words in (
            (replay_round, (1, 99), "there is no round 1-99"), (replay_round, (99, 1), "there is no table 99"),
            (verify_shoe, (1, 99), "there is no shoe 1-99"), (verify_shoe, (99, 1), "there is no table 99"),
        ):  # fmt: skip
            with pytest.raises(NotFound, match=words):
                act(db, *where)


# ---- events


CHANGES = {
    "step": {"step": "dealer"},
    "bet": {"amount": 7},
    "raise": {"amount": 7},
    "card": {"card": "As", "face_up": True},
    "peek": {"natural": True},
    "insurance": {"amount": 7},
    "action": {"action": "surrender"},
    "split": {"new_hand": 9},
    "hand-over": {"how": "surrendered", "total": 30},
    "hole": {"card": "As"},
    "dealer-over": {"total": 30},
    "coup-over": {"result": "x"},
    "settled": {"back": 7},
    "over": {"nets": {"1": 7}},
    "void": {"reason": "no reason"},
}
SET_EVENTS = "UPDATE steps SET events = :events WHERE table_id = :table AND seq = :seq"


def with_events(floor, step, row, events):
    values = {"events": msgspec.json.encode(events).decode(), "table": step.table_id, "seq": step.seq}
    found = [
        differs(floor, replay_round, row.table_id, row.number, statements=[SET_EVENTS], **values),
        differs(floor, verify_shoe, row.table_id, row.shoe, statements=[SET_EVENTS], **values),
    ]
    assert found[0] == found[1]
    return found[0]


def test_every_kind_of_event_is_compared(either):
    """One of each kind is changed, in a round whose shoe is revealed."""
    left = dict(CHANGES)
    for row in rounds(either, revealed=True):
        for step in steps_of(either, row):
            for place, event in enumerate(msgspec.json.decode(step.events)):
                change = left.get(event["event"], {})
                if not change or event == {**event, **change}:
                    continue
                del left[event["event"]]
                events = msgspec.json.decode(step.events)
                events[place].update(change)
                error = with_events(either, step, row, events)
                assert f"round {row.table_id}-{row.number}, step {step.seq}: stored is" in error
    assert not left, "the rounds of this test have them all"


def test_events_that_are_lost_added_or_elsewhere(floor):
    row = rounds(floor, revealed=True)[0]
    for step in steps_of(floor, row)[::2]:
        events = msgspec.json.decode(step.events)
        if len(events) < 3:
            continue
        where = f"round {row.table_id}-{row.number}, step {step.seq}: "
        for other in (events[:-1], [*events, events[-1]], [*events[:-2], events[-1], events[-2]]):
            assert where in with_events(floor, step, row, other)


def test_cards_of_an_open_shoe_must_make_the_same_round(floor):
    """Before the shoe is revealed the cards are those of the record, but what follows from them is not."""
    row = rounds(floor, revealed=False)[0]
    step = next(step for step in steps_of(floor, row) if '"card"' in step.events)
    events = msgspec.json.decode(step.events)
    card = next(event for event in events if event["event"] == "card")
    card["card"] = "2c" if card["card"] != "2c" else "9c"
    values = {"events": msgspec.json.encode(events).decode(), "table": step.table_id, "seq": step.seq}
    differs(floor, replay_round, row.table_id, row.number, statements=[SET_EVENTS], **values)


# ---- moves, steps, rounds


def test_moves_are_what_was_asked(floor):
    row = next(row for row in rounds(floor, revealed=True) if row.table_id == 1)
    for step in steps_of(floor, row):
        moves = msgspec.json.decode(step.moves)
        if not moves:
            continue
        for other in (moves[:-1], [*moves, moves[-1]], [{**moves[0], "spot": 5}, *moves[1:]], "x"):
            said = differs(
                floor, replay_round, row.table_id, row.number,
                statements=["UPDATE steps SET moves = :moves WHERE table_id = :table AND seq = :seq"],
                moves=msgspec.json.encode(other).decode(), table=step.table_id, seq=step.seq,
            )  # fmt: skip
            assert f"step {step.seq}" in said or f"step {step.table_id}-{step.seq}" in said


@pytest.mark.parametrize("change", [
    "DELETE FROM steps WHERE table_id = :table AND seq = :seq",
    "UPDATE steps SET round = round + 1 WHERE table_id = :table AND seq = :seq",
    "UPDATE steps SET round = NULL WHERE table_id = :table AND seq = :seq",
])  # fmt: skip
def test_no_step_of_a_round_can_be_left_out(floor, change):
    row = rounds(floor, revealed=True)[1]
    for step in steps_of(floor, row):
        if step.round is not None:
            values = {"table": step.table_id, "seq": step.seq}
            differs(floor, replay_round, row.table_id, row.number, statements=[change], **values)


@pytest.mark.parametrize("change", [
    "began = began + 1", "first_seq = first_seq + 1", "last_seq = last_seq + 1", "last_seq = last_seq - 1",
    "first_seq = first_seq - 1",
])  # fmt: skip
def test_a_round_is_where_it_was(floor, change):
    row = rounds(floor, revealed=True)[1]
    statement = f"UPDATE rounds SET {change} WHERE table_id = :table AND number = :number"
    where = {"table": row.table_id, "number": row.number}
    differs(floor, verify_shoe, row.table_id, row.shoe, statements=[statement], **where)
    differs(floor, replay_round, row.table_id, row.number, statements=[statement], **where)


def test_rounds_cannot_be_left_out_of_a_shoe_or_put_into_another(either):
    for row in [row for row in rounds(either, revealed=True) if row.table_id == 1 and row.shoe == 1]:
        where = {"table": row.table_id, "number": row.number}
        for change in ("DELETE FROM rounds", "UPDATE rounds SET shoe = 2"):
            statement = f"{change} WHERE table_id = :table AND number = :number"
            differs(either, verify_shoe, 1, 1, statements=[statement], **where)
    last = max(row.number for row in rounds(either, revealed=True) if row.table_id == 1 and row.shoe == 1)
    said = differs(
        either,
        verify_shoe,
        1,
        1,
        statements=["DELETE FROM rounds WHERE table_id = 1 AND number = :number"],
        number=last,
    )
    assert "was given up after" in said
    assert "before its cut card came out" in said
    said = differs(
        either, verify_shoe, 1, 1,
        statements=["UPDATE rounds SET shoe = 1 WHERE table_id = 1 AND number = :number"], number=last + 1,
    )  # fmt: skip
    assert "after its cut card had come out" in said


# ---- payments


@pytest.mark.parametrize("what", ["spot", "hand", "first", "stake", "back"])
def test_every_payment_is_compared(floor, what):
    row = rounds(floor, revealed=True)[0]
    where = {"table": row.table_id, "round": row.number}
    clause = "WHERE table_id = :table AND round = :round AND bet = 1"
    said = differs(
        floor,
        replay_round,
        row.table_id,
        row.number,
        statements=[f"UPDATE bets SET {what} = {what} + 1 {clause}"],
        **where,
    )
    assert f"round {row.table_id}-{row.number}: bet 1 is kept with {what} " in said
    said = differs(floor, replay_round, row.table_id, row.number, statements=[f"DELETE FROM bets {clause}"], **where)
    assert "bet 1 was settled, but is not kept" in said
    said = differs(floor, replay_round, row.table_id, row.number,
                   statements=[f"UPDATE bets SET bet = 99, wager = 'x', lines = '[' {clause}"], **where)  # fmt: skip
    assert "bet 1 was settled" in said


# ---- the shoe


def revealed(floor):
    return next(shoe for shoe in floor.rows()["shoes"] if shoe.table_id == 1 and shoe.number == 1)


@pytest.mark.parametrize(("field", "value", "words"), [
    ("shoe", "1-9", "its secret is for shoe 1-9"),
    ("decks", 2, "decks, burn cards"),
    ("burn", 2, "decks, burn cards"),
    ("behind_cut", 2, "decks, burn cards"),
    ("order", "ab", "the SHA-256 of its secret is"),
    ("reserve", "ab", "the SHA-256 of its secret is"),
])  # fmt: skip
def test_the_secret_is_the_one_that_was_committed_to(floor, field, value, words):
    secret = msgspec.structs.replace(msgspec.json.decode(revealed(floor).secret, type=Secret), **{field: value})
    statement = "UPDATE shoes SET secret = :secret WHERE table_id = 1 AND number = 1"
    said = differs(floor, verify_shoe, 1, 1, statements=[statement], secret=msgspec.json.encode(secret).decode())
    assert f"shoe 1-1: {words}" in said


def test_a_secret_with_a_commitment_to_match_is_not_what_was_published(floor):
    secret = msgspec.structs.replace(msgspec.json.decode(revealed(floor).secret, type=Secret), order="ab")
    statement = "UPDATE shoes SET secret = :secret, commitment = :commitment WHERE table_id = 1 AND number = 1"
    values = {"secret": msgspec.json.encode(secret).decode(), "commitment": secret.commitment()}
    assert "the commitment that was published is" in differs(floor, verify_shoe, 1, 1, statements=[statement], **values)


def test_numbers_that_no_shoe_has(floor):
    for order in ("f" * 80, "-1", "x"):
        secret = msgspec.structs.replace(msgspec.json.decode(revealed(floor).secret, type=Secret), order=order)
        statement = "UPDATE shoes SET secret = :secret WHERE table_id = 1 AND number = 1"
        values = {"secret": msgspec.json.encode(secret).decode()}
        assert "are not below 52!" in differs(floor, replay_round, 1, 1, statements=[statement], **values)


@pytest.mark.parametrize("seeds", ["[]", '[["ada","lucky ♠"]]', '[["bob","seven"],["ada","lucky ♠"]]', "[1]"])
def test_seeds_are_those_that_were_added(floor, seeds):
    statement = "UPDATE shoes SET seeds = :seeds WHERE table_id = 1 AND number = 1"
    assert "seeds" in differs(floor, verify_shoe, 1, 1, statements=[statement], seeds=seeds)


def change_event(floor, kind, change):
    """A statement that changes what was published of shoe 1-1."""
    for step in floor.rows()["steps"]:
        events = msgspec.json.decode(step.events)
        for place, event in enumerate(events):
            if step.table_id == 1 and event["event"] == kind:
                events[place : place + 1] = change(event)
                return {"events": msgspec.json.encode(events).decode(), "table": 1, "seq": step.seq}
    raise AssertionError(kind)


@pytest.mark.parametrize(("kind", "change", "words"), [
    ("shoe", lambda event: [{**event, "commitment": "0" * 64}], "the commitment that was published is 0000"),
    ("shoe", lambda event: [], "no step opened it"),
    ("seed", lambda event: [{**event, "seed": "unlucky"}], "the seeds that players added are"),
    ("seed", lambda event: [], "the seeds that players added are"),
    ("cut", lambda event: [event, {"event": "seed", "who": "eve", "seed": "late"}], "the seeds that players added are"),
    ("reveal", lambda event: [{**event, "order": "ab"}], "the secret that was published is"),
    ("reveal", lambda event: [{**event, "reserve": "ab"}], "the secret that was published is"),
    ("reveal", lambda event: [], "no step opened it, or no step revealed it"),
])  # fmt: skip
def test_what_was_published_is_what_is_kept(floor, kind, change, words):
    said = differs(floor, verify_shoe, 1, 1, statements=[SET_EVENTS], **change_event(floor, kind, change))
    assert words in said


def test_a_seed_after_the_cut_is_found(either):
    late = change_event(either, "cut", lambda event: [event, {"event": "seed", "who": "eve", "seed": "late"}])
    seeds = '[["#1","lucky ♠"],["#2","seven"],["eve","late"]]'
    said = differs(
        either, verify_shoe, 1, 1,
        statements=[SET_EVENTS, "UPDATE shoes SET seeds = :seeds WHERE table_id = 1 AND number = 1"], seeds=seeds, **late,
    )  # fmt: skip
    assert "a seed was added after it was cut" in said


# ---- the rules


def test_the_rules_are_those_of_the_table(floor):
    said = differs(
        floor,
        replay_round,
        1,
        1,
        statements=["UPDATE tables SET config = replace(config, 'hit', 'stand') WHERE id = 1"],
    )
    assert "table 1: its configuration was altered" in said
    said = differs(floor, replay_round, 1, 1, statements=["UPDATE sheets SET text = replace(text, '5', '6')"])
    assert "table 1: its sheet was altered" in said


def test_a_round_of_another_version_is_not_judged(floor, monkeypatch):
    monkeypatch.setattr(stored, "base_sha256", lambda game: "0" * 64)
    with (
        reading(floor.engine) as db,
        pytest.raises(FeltlabError, match="with the base wagers of Feltlab .*; use that version"),
    ):
        replay_round(db, 1, 1)


def test_nothing_was_changed_by_these_tests(either):
    with reading(either.engine) as db:
        assert db.execute(text("SELECT count(*) FROM rounds")).scalar_one() == 4 * 7 + 3
    either.check()
