"""Plays a little of everything into an empty database: for the fixtures of the first schema.

    python tools/first_schema.py sqlite:///first.db
    sqlite3 first.db .dump > tests/fixtures/first-schema.sqlite.sql
    python tools/first_schema.py postgresql://USER@HOST/first
    pg_dump --no-owner --inserts first > tests/fixtures/first-schema.postgresql.sql

This was done once. Later versions must open what was written then, so the fixtures stay as they are.
"""

from __future__ import annotations

import sys

from sqlalchemy import Connection

from feltlab.floor.desk import Desk, Job
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import people
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.storage.database import open_database
from feltlab.floor.tables.commands import AddSeed, CloseTable, Decide, Leave, Ready, SetBets, Sit
from feltlab.floor.tables.live import Person
from feltlab.floor.tables.shapes import Now

KEY = bytes(range(32))  # of this fixture only
NAMES = ("First Player", "Second Player")
START = 1_790_000_000_000
BETS = {
    "bad-beat-blackjack": {"main": 1000, "bad-beat": 500},
    "bad-beat-baccarat": {"player": 1000, "tie": 200, "bad-beat": 500},
    "big-slick-blackjack": {"main": 1000, "big-slick": 500},
}


def play(url: str) -> None:
    """Tables of all sheets: one closed with its shoe revealed, one in the middle of a round, one with wagers laid."""
    ticks = iter(range(START, START + 10**9, 1000))
    seal = Seal(KEY)
    desk = Desk(open_database(url), seal, lambda: next(ticks))

    def begin(db: Connection, now: int) -> list[Person]:
        people.open_books(db)
        people.add(db, "house", "house", people.hash_password("a long password"), now)
        players = [people.add(db, "player", name, people.hash_password("a long password"), now) for name in NAMES]
        for player in players:
            people.buy_in(db, player, 500_000, now)
        for sheet in BETS:
            open_table(db, Wish(sheet, name=f"Fixture {sheet}"), None, seal, now)
        return players

    players = desk.plain(begin)
    for table, sheet in enumerate(BETS, 1):
        for spot, player in enumerate(players, 1):
            desk.do(Job(table, Sit((spot,), 100_000), player))
        desk.do(Job(table, AddSeed("kept for later"), players[0]))
        for _ in range(3):
            now = deal(desk, table, sheet, players)
            while now.waits and now.waits.kind != "bets":
                now = stand(desk, table, now, players)
    for player in players:
        desk.do(Job(2, Leave(), player))
    desk.do(Job(2, CloseTable()))
    while (now := deal(desk, 1, "bad-beat-blackjack", players)).waits and now.waits.kind == "bets":
        pass  # until a round waits for somebody
    desk.do(Job(3, SetBets(1, BETS["big-slick-blackjack"]), players[0], "kept-key"))


def deal(desk: Desk, table: int, sheet: str, players: list[Person]) -> Now:
    """Wagers of all, and the deal."""
    for spot, player in enumerate(players, 1):
        desk.do(Job(table, SetBets(spot, BETS[sheet]), player))
    for player in players:
        outcome = desk.do(Job(table, Ready(), player))
    assert outcome.now is not None
    return outcome.now


def stand(desk: Desk, table: int, now: Now, players: list[Person]) -> Now:
    """The plainest answer to what is asked."""
    assert now.waits is not None
    action = "stand" if "stand" in now.waits.actions else "decline"
    outcome = desk.do(Job(table, Decide(now.waits.turn, now.waits.spot, action), players[now.waits.spot - 1]))
    assert outcome.now is not None
    return outcome.now


if __name__ == "__main__":
    play(sys.argv[1])
