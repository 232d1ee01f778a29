"""A floor for tests: a database, a desk with a clock set by hand, players, and tables with stacked shoes."""

import random
from collections.abc import Iterable
from contextlib import contextmanager
from math import factorial
from unittest import mock

import msgspec
from sqlalchemy import select, text

from feltlab.cards import cards as named
from feltlab.cards import decks
from feltlab.errors import Refused
from feltlab.floor.desk import Desk, Job, messages
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import open_table
from feltlab.floor.ledger.checking import check
from feltlab.floor.people import people
from feltlab.floor.shoes.fair import Seal, Secret, mixed
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import connect, reading
from feltlab.floor.tables import live
from feltlab.floor.tables.commands import DeadlineExpired, Decide, Ready, SetBets, Sit
from feltlab.floor.tables.view import now_of
from feltlab.rounds.player import default_bets

SHEETS = ("bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack")
SEAL = Seal(bytes(range(32)))
NOON = 1_700_000_000_000
BLACKJACK = Wish("bad-beat-blackjack", decks=6)
TWENTIES = "Th 9h 6c Tc 9c Td 5c"  # spot 1 has 20, spot 2 has 18, the dealer 16 and then 21


def kinds(events):
    """What happened, in order."""
    return [event["event"] for event in events]


def stacked(first: str, count: int, burn: int = 1) -> list[int]:
    """A whole shoe that begins with these cards, after the burn cards; the others follow in their order."""
    wanted, others = list(named(first)), decks(count)
    for card in wanted:
        others.remove(card)
    return [*others[:burn], *wanted, *others[burn:]]


def all_tens_first():
    """Seven spots get tens, spot 1 two more: 16 hands that each need 12 points to be over, and too few cards for it."""
    tens = [card for card in decks(1) if card // 4 >= 9]
    small = [card for card in decks(1) if 0 < card // 4 < 9]
    aces = [card for card in decks(1) if card // 4 == 0]
    return [*tens[:7], small.pop(0), *tens[7:14], small.pop(0), *tens[14:], *reversed(small), *aces]


def secret_of(
    order: Iterable[int], count: int, *, shoe: str, burn: int, behind_cut: int, seeds: Iterable[str] = ()
) -> Secret:
    """The secret of a shoe that has this order once these seeds are mixed in: a shuffle undone."""
    order, cards, picks = list(order), decks(count), []
    for last in range(len(cards) - 1, 0, -1):
        place = cards.index(order[last], 0, last + 1)
        cards[last], cards[place] = cards[place], cards[last]
        picks.append((place, last + 1))
    number = 0
    for place, bound in reversed(picks):
        number = number * bound + place
    orders = factorial(52 * count)
    number, width = (number - mixed(seeds, orders)) % orders, len(f"{orders - 1:x}")
    return Secret(shoe, count, burn, behind_cut, f"{number:0{width}x}", "0" * width)


def known_shoes(seed: int):
    """While this lasts, shoes are the same for the same seed."""
    chance = random.Random(seed)

    def secret(shoe, count, burn, behind_cut):
        orders = factorial(52 * count)
        order, reserve = (f"{chance.randrange(orders):x}" for _ in range(2))
        return Secret(shoe, count, burn, behind_cut, order, reserve)

    return mock.patch.object(live, "new_secret", secret)


class Floor:
    """What tests do at tables. After every command, another desk loads the table and must see the same."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)
        self.time = NOON
        self.desk = self.new_desk()
        self.desk.plain(lambda db, now: people.open_books(db))

    def new_desk(self) -> Desk:
        """Another server at the same database."""
        return Desk(self.engine, SEAL, lambda: self.time)

    def close(self) -> None:
        self.engine.dispose()

    def player(self, name: str, chips: int = 1000_00):
        def add(db, now):
            person = people.add(db, "player", name, None, now)
            if chips:
                people.buy_in(db, person, chips, now)
            return person

        return self.desk.plain(add)

    def players(self, *names: str, chips: int = 1000_00):
        return [self.player(name, chips) for name in names]

    def table(self, wish: Wish = BLACKJACK, cards: str | list[int] | None = None, seeds: Iterable[str] = ()) -> int:
        """A table; its first shoe begins with these cards, or has this whole order."""

        def known(shoe, count, burn, behind_cut):
            order = stacked(cards, count, burn) if isinstance(cards, str) else cards
            return secret_of(order, count, shoe=shoe, burn=burn, behind_cut=behind_cut, seeds=seeds)

        with mock.patch.object(live, "new_secret", live.new_secret if cards is None else known):
            return self.desk.plain(lambda db, now: open_table(db, wish, None, SEAL, now))

    def do(self, table, command, person=None, key=""):
        """Carry out a command, and check that memory agrees with what is stored."""
        try:
            return self.desk.do(Job(table, command, person, key))
        finally:
            self.same(table)

    def refused(self, table, command, person=None, key=""):
        """Check that a command is refused and changes nothing; returns the reason."""
        before = self.rows(), self.now(table)
        try:
            self.do(table, command, person, key)
        except Refused as error:
            assert (self.rows(), self.now(table)) == before
            return str(error)
        raise AssertionError("it was not refused")

    def same(self, table):
        """Check that a new desk sees the same as this one."""
        assert encoded(now_of(self.new_desk().look(table))) == encoded(self.now(table))

    def now(self, table):
        return now_of(self.desk.look(table))

    def clock(self, table):
        """Let the table's deadline pass."""
        return self.do(table, DeadlineExpired())

    # ---- a few commands at once

    def seated(self, table, *people, chips=500_00):
        """Each sits at a spot of their own."""
        for spot, person in enumerate(people, 1):
            self.do(table, Sit((spot,), chips), person)

    def dealt(self, table, *people, bets=None):
        """Each bets on their own spot and is ready; returns the table after the deal."""
        for spot, person in enumerate(people, 1):
            self.do(table, SetBets(spot, bets or {"main": 10_00}), person)
        for person in people:
            outcome = self.do(table, Ready(), person)
        return outcome.now

    def decide(self, table, person, action, spot=None, **more):
        """An answer to what the table asks now."""
        waits = self.now(table).waits
        return self.do(table, Decide(waits.turn, spot or waits.spot, action, **more), person).now

    def play(self, table, people, rounds, chance):
        """Rounds to their end; everybody bets on everything, and answers by chance."""
        offered = self.desk.look(table).table
        bets = {id: amount for id, amount in default_bets(offered).items() if offered.wager(id).before_deal}
        for _ in range(rounds):
            for spot, person in enumerate(people, 1):
                self.desk.do(Job(table, SetBets(spot, bets), person))
            for person in people:
                now = self.desk.do(Job(table, Ready(), person)).now
            while now.waits.kind != "bets":
                waits = now.waits
                action = chance.choice(waits.actions)
                side = {id: 1_00 for id in waits.side.get(action, ()) if chance.random() < 0.5}
                command = Decide(waits.turn, waits.spot, action, side, waits.most if action == "insure" else 0)
                now = self.desk.do(Job(table, command, people[waits.spot - 1])).now

    # ---- what is stored

    def chips(self, person):
        with reading(self.engine) as db:
            return people.chips_of(db, person.id)

    def seat(self, table, person):
        """A player's chips at the table."""
        (found,) = [seat for seat in self.now(table).seats if seat.name == person.name]
        return found.chips

    def events(self, table):
        """All that happened, step by step."""
        p = schema.steps
        with reading(self.engine) as db:
            steps = db.execute(select(p).where(p.c.table_id == table).order_by(p.c.seq)).mappings().all()
            return [event for step in messages(db, steps) for event in msgspec.json.decode(step.events)]

    def rows(self):
        """Every row of every table of the database."""
        with reading(self.engine) as db:
            return {
                name: db.execute(select(one).order_by(*one.primary_key.columns)).all()
                for name, one in schema.metadata.tables.items()
            }

    def check(self):
        with reading(self.engine) as db:
            return check(db)

    @contextmanager
    def tampered(self, *statements, **values):
        """A transaction in which something was changed that must not be; nothing of it stays."""
        with self.engine.connect().execution_options(feltlab_writes=True) as db:
            drop_guards(db)
            for statement in statements:
                db.execute(text(statement), values)
            yield db
            db.rollback()


def encoded(now):
    return msgspec.json.encode(now)


def drop_guards(db):
    """Drop the triggers, as anybody who can change rows could."""
    if db.dialect.name == "sqlite":
        for name in db.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all():
            db.execute(text(f"DROP TRIGGER {name}"))
        db.execute(text("PRAGMA defer_foreign_keys = ON"))
        return
    for table in schema.APPEND_ONLY:
        db.execute(text(f"DROP TRIGGER {table}_only_added ON {table}"))
    db.execute(text("ALTER TABLE transfers DROP CONSTRAINT amount_above_nothing"))


@contextmanager
def checked(url):
    """A floor on a database, whose ledger must check in the end."""
    found = Floor(url)
    yield found
    found.check()
    found.close()
