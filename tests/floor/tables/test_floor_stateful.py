"""A floor under random commands, legal and not: after each of them the books balance and what is stored is what is there."""

import random
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from feltlab.errors import FeltlabError, Refused
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.records.replaying import replay_round, verify_shoe
from feltlab.floor.storage.database import open_database, reading
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
from feltlab.floor.tables.procedure import NotYet
from feltlab.floor.tables.view import now_of
from feltlab.rounds.player import default_bets
from support.floor.floors import Floor, encoded, known_shoes
from support.soak import soak

pytestmark = pytest.mark.slow

WISHES = [
    Wish("bad-beat-blackjack", decks=1, rules={"surrender": "early", "resplit-aces": "yes"}, coin=25),
    Wish("bad-beat-baccarat", behind_cut=395, rounding="up"),
    Wish("big-slick-blackjack", decks=1, behind_cut=0, rules={"hole-card": "none-all", "match-on-double": "yes"}),
]
BEFORE = {"main", "bad-beat", "player", "tie", "big-slick"}  # laid before the deal; now and then another is tried
TABLES = st.integers(1, 4)  # there is no fourth
PEOPLE = st.integers(0, 2)
SPOTS = st.integers(0, 8)
CENTS = st.sampled_from([-1, 0, 1, 25, 100, 775, 20_000, 10**9])
WAGERS = st.sampled_from(["main", "bad-beat", "player", "banker", "tie", "big-slick", "insurance", "action-match", "x"])
BETS = st.dictionaries(WAGERS, CENTS, max_size=3)
ACTIONS = st.sampled_from(
    ["stand", "hit", "double", "split", "surrender", "continue", "insure", "even-money", "decline", "x"]
)
TURNS = st.sampled_from(["1.0", "2.14", "", "x"])
KEYS = st.sampled_from(["", "", "a", "b", "c"])
ANYTHING = st.one_of(
    st.builds(Sit, st.lists(SPOTS, max_size=3).map(tuple), CENTS),
    st.builds(Leave),
    st.builds(Bring, CENTS),
    st.builds(SetBets, SPOTS, BETS),
    st.builds(Ready),
    st.builds(Decide, TURNS, SPOTS, ACTIONS, BETS, CENTS),
    st.builds(AddSeed, st.text(max_size=3)),
    st.builds(DeadlineExpired),
)
_TEMPLATE = []  # a file with the schema, made once


class Casino(RuleBasedStateMachine):
    """Three tables, three players, and a clock that goes forward and sometimes back."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="feltlab-casino-"))
        if not _TEMPLATE:
            open_database(f"sqlite:///{self.folder}/felt.db").dispose()
            _TEMPLATE.append((self.folder / "felt.db").read_bytes())
        (self.folder / "felt.db").write_bytes(_TEMPLATE[0])
        self.shoes = known_shoes(1)
        self.shoes.__enter__()
        self.floor = Floor(f"sqlite:///{self.folder}/felt.db")
        self.people = self.floor.players("ada", "bob", "eve", chips=900_00)
        self.tables = [self.floor.table(wish) for wish in WISHES]
        for table in self.tables:
            for spot, person in enumerate(self.people[:2], 1):
                self.floor.desk.do(Job(table, Sit((spot,), 200_00), person))

    def now(self, table):
        return self.floor.now(table)

    def open(self, table):
        return table in self.tables and self.now(table).status != "closed"

    def run(self, jobs):
        """Whatever is asked, it is done or refused in words: no command breaks a table."""
        outcomes = self.floor.desk.run(jobs)
        for outcome in outcomes:
            assert outcome.error is None or isinstance(outcome.error, FeltlabError), outcome.error
        return outcomes

    # ---- what players do

    @rule(table=TABLES, person=PEOPLE, command=ANYTHING, key=KEYS)
    def ask_anything(self, table, person, command, key):
        self.run([Job(table, command, self.people[person], key)])

    @rule(jobs=st.lists(st.tuples(TABLES, PEOPLE, ANYTHING, KEYS), min_size=2, max_size=4))
    def ask_several_at_once(self, jobs):
        self.run([Job(table, command, self.people[person], key) for table, person, command, key in jobs])

    @rule(table=TABLES, person=PEOPLE)
    def ask_twice(self, table, person):
        """A key is carried out once, whether it comes again in the same transaction or later."""
        if not self.open(table):
            return
        job = Job(table, Bring(1), self.people[person], f"twice {table} {self.now(table).seq}")
        one, two = self.run([job, job])
        if one.error is None:
            assert (two.again, two.step, self.run([job])[0].step) == (True, one.step, one.step)
        else:
            assert isinstance(two.error, Refused)

    @rule(table=st.sampled_from([1, 2, 3]), seed=st.integers(0, 999), rounds=st.integers(1, 5))
    def play(self, table, seed, rounds):
        """Some rounds, the last of them perhaps not to its end."""
        chance = random.Random(seed)
        for last in (*[False] * rounds, True):
            self.everybody_bets(table, chance)
            self.everybody_answers(table, chance, chance.choice([0, 1, 2, 60]) if last else 60)

    def everybody_bets(self, table, chance):
        offered = default_bets(self.floor.desk.look(table).table)
        for seat in self.now(table).seats:
            for spot in seat.spots:
                bets = {id: amount for id, amount in offered.items() if id in BEFORE or chance.random() < 0.05}
                self.run([Job(table, SetBets(spot, bets), self.person(seat)), Job(table, Ready(), self.person(seat))])

    def everybody_answers(self, table, chance, most):
        """Whatever is offered is legal, and can be paid for."""
        for _ in range(most):
            now = self.now(table)
            if now.waits is None or now.waits.kind == "bets":
                return
            waits, (seat,) = now.waits, [seat for seat in now.seats if now.waits.spot in seat.spots]
            action = chance.choice(waits.actions)
            side = {id: 1_00 for id in waits.side.get(action, ()) if seat.chips > 100_00 and chance.random() < 0.5}
            command = Decide(waits.turn, waits.spot, action, side, waits.most if action == "insure" else 0)
            self.floor.desk.do(Job(table, command, self.person(seat)))

    def person(self, seat):
        return next(one for one in self.people if one.name == seat.name)

    # ---- time, and the house

    @rule(ahead=st.sampled_from([1, 20_000, 30_000, 700_000, -3_600_000]))
    def time_passes(self, ahead):
        self.floor.time += ahead
        for table in self.floor.desk.due():
            with suppress(NotYet):  # where the clock went back, there may be time left
                self.floor.desk.do(Job(table, DeadlineExpired()))
        assert self.floor.desk.due() == []

    @precondition(lambda self: self.now(3).seq > 30)
    @rule(table=TABLES)
    def close(self, table):
        self.run([Job(table, CloseTable())])

    @rule()
    def another_server_takes_over(self):
        self.floor.desk = self.floor.new_desk()

    # ---- what always holds

    @invariant()
    def the_ledger_holds(self):
        found = self.floor.check()
        assert found.bought_in == 2700_00 == found.players + found.floats + found.house

    @invariant()
    def what_is_stored_is_what_is_there(self):
        fresh = self.floor.new_desk()
        for table in self.tables:
            assert encoded(now_of(fresh.look(table))) == encoded(self.now(table))

    def teardown(self):
        rows = self.floor.rows()
        with reading(self.floor.engine) as db:
            for row in rows["rounds"]:
                if row.ended_at is not None:
                    replay_round(db, row.table_id, row.number)
            for shoe in rows["shoes"]:
                if shoe.secret is not None:
                    verify_shoe(db, shoe.table_id, shoe.number)
        self.floor.close()
        self.shoes.__exit__(None, None, None)
        shutil.rmtree(self.folder)


TestCasino = Casino.TestCase
TestCasino.settings = settings(settings.default, max_examples=soak(200, 8), stateful_step_count=30)
