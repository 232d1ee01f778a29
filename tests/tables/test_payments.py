"""Payments beyond what can be stored: refused before a card is dealt, at every door; and every balance is bounded."""

import contextlib
import random
from collections import Counter
from fractions import Fraction
from unittest import mock

import pytest
from sqlalchemy import delete, insert, text
from sqlalchemy.exc import IntegrityError

from feltlab.errors import FeltlabError, Refused, SetupError
from feltlab.floor.desk import Job
from feltlab.floor.house.config import configure
from feltlab.floor.house.opening import MOST_OWED, open_table
from feltlab.floor.ledger.accounts import BANK, HOUSE, chips, seat, table_float
from feltlab.floor.ledger.books import taken
from feltlab.floor.ledger.checking import check
from feltlab.floor.ledger.transfers import Ledger, NoRoom, TooMuch
from feltlab.floor.people import people
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import reading, writing
from feltlab.floor.tables.commands import Bring, CloseTable, Decide, Leave, Ready, SetBets, Sit, VoidRound
from feltlab.floor.tables.headroom import AT_ONCE
from feltlab.money import LARGEST_AMOUNT, LARGEST_BALANCE, Rounding
from feltlab.rounds.conformance import deal_at_random
from feltlab.rounds.player import default_bets
from feltlab.sheets import load, load_text
from feltlab.tables import set_up
from feltlab.tables.payments import check_payments, most_back
from feltlab.tables.table import Limit
from feltlab.tables.table import open_table as table_of
from support.floor.floors import SEAL, SHEETS
from support.unpayable import FIFTY_BILLION, LINE, RICH, as_before, rich, wish

# ---- what a table may have to pay


def test_a_table_that_could_not_pay_a_wager_is_not_opened():
    """Whoever opens it: the house over the service, a player to practise, `feltlab serve --open` all do it so."""
    with pytest.raises(SetupError) as error:
        configure(wish(rich(), FIFTY_BILLION))
    assert str(error.value) == (
        "limits of rich: 500,000,000.00 can bring 200,000,000,500,000,000.00 back, more than the"
        " 90,071,992,547,409.92 that this table may pay; lower its limit"
    )


def test_the_bound_is_exact():
    """One spot, 7 to 1 on the most that any wager may be: 8 times that, and a main wager of 1 cent split and doubled."""
    limits = {"rich": Limit(1, LARGEST_AMOUNT), "main": Limit(1, 1), "insurance": Limit(1, 1)}
    table = table_of(set_up(load_text(rich(lines=1, pays="7:1"), "rich")), limits=limits)
    whole = (
        8 * LARGEST_AMOUNT + 4 * 5
    )  # four hands, each of 2 cents that bring 3 and 2 back; half a cent insures nothing
    assert most_back(table, {id: limit.most for id, limit in limits.items()}) == whole
    check_payments(table, 1, whole)
    with pytest.raises(SetupError, match="limits: a round with all 1 spots"):
        check_payments(table, 1, whole - 1)
    with pytest.raises(SetupError, match="limits of rich: 1,000,000,000.00 can bring 8,000,000,000.00 back"):
        check_payments(table, 1, 8 * LARGEST_AMOUNT - 1)


def test_a_round_that_could_not_be_paid_is_not_opened_though_each_wager_could():
    most = 15_000_000  # 40 lines of 10,000,000 to 1: six spots of seven could be paid
    with pytest.raises(SetupError, match="a round with all 7 spots and every wager at its limit can bring"):
        configure(wish(rich(), most))
    config, _ = configure(wish(rich(), most, seats=1))
    assert config.seats == 1


@pytest.mark.parametrize(
    ("lines", "when", "pays"),
    [(40, "always", 40), (40, "pair(first, second)", 40), (2, "suited(first, second)", 2)],
)
def test_lines_that_hold_together_are_added_up(lines, when, pays):
    table = table_of(set_up(load_text(rich(when, lines, "1:1"), "rich")))
    assert table.setup.wagers["rich"].top_pay() == Fraction(pays)


def test_lines_that_exclude_each_other_are_not_added_up():
    sheet = RICH.replace("{more}", "") + "".join(
        LINE.replace("{number}", str(n)).replace("{when}", f"points(first) == {n}").replace("{pays}", "10000000:1")
        for n in range(2, 10)
    )
    configure(wish(sheet, 100_000_000, seats=1))


def test_players_tables_pay_no_more_than_anybody_may_buy(floor):
    """They write the sheet, and win from the house what they like."""
    ada = floor.player("ada")

    def open_it(most):
        return floor.desk.plain(lambda db, now: open_table(db, wish(rich(), most), ada, SEAL, now))

    with pytest.raises(SetupError, match="more than the 1,000,000,000.00 that this table may pay"):
        open_it(1000)
    assert open_it(30)


def test_tables_that_were_opened_before_there_was_a_bound_are_still_there(floor):
    with as_before():
        table = floor.table(wish(rich(), FIFTY_BILLION))
    ada = floor.player("ada")
    floor.do(table, Sit((1,), 500_00), ada)
    floor.do(table, SetBets(1, {"main": 1000, "rich": 1000}), ada)
    assert floor.do(table, Ready(), ada).now.round.bets
    assert floor.do(table, CloseTable()).now.status in ("closing", "closed")


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("to", ["down", "up"])
def test_no_round_pays_more_than_is_said_before(name, to):
    """Rounds with every wager and any decisions, in coins that round up as far as a coin can."""
    chance = random.Random(name + to)
    for coin in (1, 500):
        table = table_of(set_up(load(name)), rounding=Rounding(to, coin))
        bets = {id: amount for id, amount in default_bets(table).items() if table.wager(id).before_deal}
        later = {id: table.most(id) for id in table.setup.wagers}
        most = most_back(table, bets)
        assert most <= most_back(table, later)
        for _ in range(60):
            back = Counter()
            for bet in deal_at_random(table, chance).felt.bets.values():
                back[bet.spot] += bet.settled.back
            assert max(back.values()) <= most


def test_a_wager_on_hit_cards_can_be_laid_again_with_every_card():
    """Four hands of twenty cards each, on which Action Match may be as much as the table takes."""
    table = table_of(set_up(load("big-slick-blackjack")), limits={"action-match": Limit(1, 100)})
    wager = table.wager("action-match")
    once = 100 + 100 * wager.top_pay()
    without = table_of(set_up(load("big-slick-blackjack"), offered=["big-slick"]))
    assert most_back(table, {"main": 1000}) - most_back(without, {"main": 1000}) == 4 * 20 * once


# ---- the ledger


def test_the_ledger_gives_nobody_more_than_the_bound(floor):
    ada, table = floor.player("ada", 0), floor.table()
    mine, floats = chips(ada.id), table_float(table)
    with _books(floor) as books:
        with pytest.raises(TooMuch, match="would hold 90,071,992,547,409.93, more than 90,071,992,547,409.92"):
            books.move(BANK, mine, LARGEST_BALANCE + 1, "buy-in")
        with pytest.raises(TooMuch, match="float:1 would hold"):
            books.move(HOUSE, floats, LARGEST_BALANCE + 1, "close")
        books.move(floats, seat(table, ada.id), LARGEST_BALANCE, "BetSettled")
        with pytest.raises(TooMuch, match="float:1 would owe"):
            books.move(floats, seat(table, 99), 1, "BetSettled")
        books.move(BANK, mine, LARGEST_BALANCE, "buy-in")
        assert books.balance(mine) == LARGEST_BALANCE


@contextlib.contextmanager
def _books(floor):
    """A ledger of which nothing is stored."""
    with reading(floor.engine) as db:
        yield Ledger(db, 0)


def test_what_is_reserved_counts(floor):
    ada = floor.player("ada", 0)
    with _books(floor) as books:
        mark = books.mark()
        books.reserve(chips(ada.id), LARGEST_BALANCE)
        with pytest.raises(TooMuch):
            books.move(BANK, chips(ada.id), 1, "buy-in")
        with pytest.raises(NoRoom, match="nobody may come to hold more than 90,071,992,547,409.92"):
            books.reserve(chips(ada.id), 1)
        books.back_to(mark)
        books.move(BANK, chips(ada.id), 1, "buy-in")


@pytest.mark.parametrize(
    ("source", "target", "after"),
    [
        ("bank", "chips:1", (0, LARGEST_BALANCE + 1)),
        ("float:1", "seat:1:1", (0, LARGEST_BALANCE + 1)),
        ("float:1", "seat:1:1", (-LARGEST_BALANCE - 1, 5)),
        ("felt:1", "float:1", (0, LARGEST_BALANCE + 1)),
    ],
)
def test_the_database_itself_refuses_such_a_transfer(floor, source, target, after):
    account = text("INSERT INTO accounts (name, balance) VALUES (:name, 0) ON CONFLICT DO NOTHING")
    transfer = text(
        "INSERT INTO transfers (at, source, target, amount, source_after, target_after, why)"
        " VALUES (0, :source, :target, 1, :left, :held, 'x')"
    )
    row = {"source": source, "target": target, "left": after[0], "held": after[1]}
    with floor.engine.connect() as db:
        for name in (source, target):
            db.execute(account, {"name": name})
        with pytest.raises(IntegrityError, match="nobody holds so much"):
            db.execute(transfer, row)
        db.rollback()


# ---- pumping chips


def test_chips_cannot_be_pumped(floor):
    """A wager that always wins, with more and more of what was won: it stops at the bound, and no table freezes."""
    most = 100_000_000  # at 10,000,000 to 1: nine times that is the bound
    tables = [floor.table(wish(rich(lines=1), most, seats=1)) for _ in range(2)]
    home = floor.table()
    ada, bob = floor.players("ada", "bob", chips=most + 1000)
    floor.do(home, Sit((2,), 500_00), bob)
    floor.do(tables[0], Sit((1,), most + 1000), ada)
    pump(floor, tables[0], ada, most)
    won = floor.seat(tables[0], ada)
    assert LARGEST_BALANCE * 0.99 < won <= LARGEST_BALANCE
    floor.do(tables[0], Leave(), ada)
    assert floor.chips(ada) == won
    # what was won is not lost, but nothing can be added to it: not by chips that are bought, nor at another table
    with pytest.raises(Refused, match="chips can be bought up to 1,000,000,000.00"):
        floor.desk.plain(lambda db, now: people.buy_in(db, ada, 1, now))
    for table in (tables[1], home):
        assert "nobody may come to hold more" in floor.refused(table, Sit((1,), LARGEST_AMOUNT), ada)
    floor.do(tables[1], Sit((1,), won), ada)
    assert "nobody may come to hold more" in floor.refused(tables[1], SetBets(1, {"main": 1, "rich": most}), ada)
    floor.do(tables[1], Leave(), ada)
    # taken to a table of the house, it freezes nobody
    floor.do(home, Sit((1,), won), ada)
    floor.do(home, SetBets(1, {"main": 1000}), ada)
    floor.do(home, SetBets(2, {"main": 1000}), bob)
    for table in (home, *tables):
        if floor.do(table, CloseTable()).now.status != "closed":
            floor.do(table, VoidRound("the house closes"))
    assert max(row.balance for row in floor.rows()["accounts"]) <= LARGEST_BALANCE
    assert floor.check().house == -(won - most - 1000)


def test_a_table_that_has_lost_much_takes_no_wager_that_it_could_not_pay(floor):
    """Its next player has won nothing yet, and may win no more than is left."""
    most = LARGEST_BALANCE // 10_000_001 * 6 // 10
    table = floor.table(wish(rich(lines=1), most, seats=1))
    for person in floor.players("ada", "bob", chips=most + 1000):
        floor.do(table, Sit((1,), most + 1000), person)
        if person.name == "bob":
            bets = SetBets(1, {"main": 1, "rich": most})
            assert "more than this table can pay now" in floor.refused(table, bets, person)
        play(floor, table, person, most if person.name == "ada" else most // 2)
        floor.do(table, Leave(), person)


def pump(floor, table, person, most):
    """Win until nothing more can be won there; fewer and fewer cents are laid."""
    stake = most
    for _ in range(200):
        try:
            play(floor, table, person, stake)
        except Refused as error:
            assert "more than" in str(error)
            if stake == 1:
                return
            stake //= 10
    raise AssertionError("it never ends")


def play(floor, table, person, stake):
    """A round to its end."""
    floor.desk.do(Job(table, SetBets(1, {"main": 1, "rich": stake}), person))
    now = floor.desk.do(Job(table, Ready(), person)).now
    while now.waits.kind != "bets":
        answer = Decide(now.waits.turn, 1, "decline" if now.waits.kind == "insurance" else "stand")
        now = floor.desk.do(Job(table, answer, person)).now


def test_what_is_reserved_at_many_tables_is_one_persons(floor):
    """Each of three tables could pay nearly the bound; together they may not."""
    most = LARGEST_BALANCE // 10_000_001 // 2
    tables = [floor.table(wish(rich(lines=1), most, seats=1)) for _ in range(3)]
    ada = floor.player("ada", LARGEST_AMOUNT)
    for table in tables:
        floor.do(table, Sit((1,), 10_000_000_000), ada)
    bets = {"main": 1, "rich": most - 1000}
    floor.do(tables[0], SetBets(1, bets), ada)
    floor.do(tables[1], SetBets(1, {**bets, "rich": most // 2}), ada)
    jobs = [Job(table, SetBets(1, bets), ada) for table in tables[1:]]
    assert [type(outcome.error) for outcome in floor.desk.run(jobs)] == [NoRoom, NoRoom]
    floor.do(tables[0], Leave(), ada)
    assert floor.do(tables[1], SetBets(1, bets), ada).now.round.bets
    floor.do(tables[1], Leave(), ada)
    floor.do(tables[2], Leave(), ada)
    assert {row.name: row.reserved for row in floor.rows()["accounts"]}[chips(ada.id)] == 0


def test_no_chips_are_bought_for_which_there_is_no_room(floor):
    most = LARGEST_BALANCE // 10_000_001 - 10_000
    table = floor.table(wish(rich(lines=1), most, seats=1))
    ada = floor.player("ada", LARGEST_AMOUNT)
    floor.do(table, Sit((1,), LARGEST_AMOUNT), ada)
    floor.do(table, SetBets(1, {"main": 1, "rich": most}), ada)
    with pytest.raises(NoRoom, match=r"nobody may come to hold more than 90,071,992,547,409\.92"):
        floor.desk.plain(lambda db, now: people.buy_in(db, ada, LARGEST_AMOUNT, now))
    assert floor.chips(ada) == 0


def test_bringing_chips_is_never_more_than_there_is_room_for(floor):
    ada, table = floor.player("ada", LARGEST_AMOUNT), floor.table()
    floor.do(table, Sit((1,), 1), ada)
    floor.do(table, Bring(LARGEST_AMOUNT - 1), ada)
    (row,) = [row for row in floor.rows()["accounts"] if row.name == chips(ada.id)]
    assert (row.balance, row.reserved) == (0, AT_ONCE)


def test_a_seat_of_the_first_version_has_room_when_it_wagers(floor):
    ada, table = floor.player("ada"), floor.table()
    with mock.patch("feltlab.floor.tables.procedure.room_for_chips"):
        floor.desk.do(Job(table, Sit((1,), 500_00), ada))
    floor.do(table, SetBets(1, {"main": 1000}), ada)
    assert {row.name: row.reserved for row in floor.rows()["accounts"]}[chips(ada.id)] == AT_ONCE


def test_wagers_of_the_first_version_that_cannot_be_paid_are_not_dealt_to(floor):
    with as_before():
        table = floor.table(wish(rich(), FIFTY_BILLION))
        ada = floor.player("ada", LARGEST_AMOUNT)
        floor.desk.do(Job(table, Sit((1,), LARGEST_AMOUNT), ada))
        floor.desk.do(Job(table, SetBets(1, {"main": 1000, "rich": FIFTY_BILLION}), ada))
    now = floor.do(table, Ready(), ada).now
    assert now.waits.kind == "bets" and not now.round.bets
    assert floor.seat(table, ada) == LARGEST_AMOUNT


def test_a_house_that_stands_too_far_from_nothing_opens_no_more(floor):
    with writing(floor.engine) as db:
        db.execute(text("UPDATE accounts SET balance = :b WHERE name = 'house'"), {"b": -MOST_OWED - 1})
    with pytest.raises(Refused, match="no more tables are opened"):
        floor.table()
    with writing(floor.engine) as db:
        db.execute(text("UPDATE accounts SET balance = 0 WHERE name = 'house'"))


def test_what_is_reserved_is_proven_with_the_ledger(floor):
    ada, table = floor.player("ada"), floor.table()
    floor.do(table, Sit((1,), 500_00), ada)
    tampered = floor.tampered("UPDATE accounts SET reserved = reserved - 1 WHERE name = :n", n=chips(ada.id))
    with tampered as db, pytest.raises(FeltlabError, match="cents reserved, but the seats"):
        check(db)


# ---- relatives


def test_books_add_up_what_no_column_holds(floor):
    """A thousand and more payments of the bound, each: SQLite's own sum ends at 64 bits."""
    table, (ada,) = floor.table(), floor.players("ada")
    b = schema.bets
    row = {
        "table_id": table,
        "bet": 1,
        "person": ada.id,
        "spot": 1,
        "hand": 0,
        "wager": "bad-beat",
        "lines": "[]",
        "at": 0,
    }
    stakes = [(LARGEST_AMOUNT, LARGEST_BALANCE)] * 1500 + [(7, 0), (3, 10)]
    with writing(floor.engine) as db:
        for number, (stake, back) in enumerate(stakes, 1):
            db.execute(insert(b).values(row | {"round": number, "first": stake, "stake": stake, "back": back}))
    with reading(floor.engine) as db:
        took = taken(db, table)["bad-beat"]
    assert (took.bets, took.handle) == (1502, 1500 * LARGEST_AMOUNT + 10)
    assert took.first == took.handle
    assert took.win == 1500 * (LARGEST_AMOUNT - LARGEST_BALANCE) + 7 - 7
    assert took.win < -(2**63)
    with writing(floor.engine) as db:
        db.execute(delete(b))
