"""One player at a server that is killed at every point of a transaction, one after the other."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from feltlab.client import Seat
from feltlab.client.bot import default_stakes
from feltlab.errors import FeltlabError
from support.floor.forked import Forked
from support.floor.houses import House, wished
from support.floor.proving import Stored, Totals, prove, prove_the_end
from support.players import Remembering, Witness
from support.postgres import PATIENT

NEVER = 10**6
LONG = {"decision_seconds": 600, "betting_seconds": 600}
KILLED = -9
TIMED_SECONDS = 60  # of a table whose clock is put forward; nothing that is done meanwhile takes so long


class Request(NamedTuple):
    """What is asked: by whom, and how the transaction that does it is called."""

    kind: str
    client: Remembering
    method: str
    path: str
    body: object = None


class Sweep(NamedTuple):
    """What leads to a request, and what its transaction must write."""

    lead: Callable[[], Request]
    writes: set[str]


STEP = {"INSERT steps", "UPDATE tables", "INSERT requests"}
MONEY = STEP | {"UPDATE accounts", "INSERT transfers"}
OVER = MONEY | {"INSERT bets", "UPDATE rounds"}
SHOE = {"UPDATE shoes", "INSERT shoes"}


class Stage:
    """A player at two tables of a sheet: an ordinary one, and one whose shoe is over after each round."""

    def __init__(self, server: Forked, witness: Witness, sheet: str) -> None:
        self.server, self.witness, self.sheet = server, witness, sheet
        self.house = House(server, self.witness)
        self.me = Remembering(server.url, self.witness).guest()
        self.me.buy_chips(10**9)
        self.seats: dict[int, Seat] = {}
        self.stakes: dict[int, dict[str, int]] = {}
        self.at, self.short = (self.join(cards=cards, **LONG) for cards in (40, 3))
        self.timed: int | None = None  # a table with little time
        self.clients = [self.me]
        self.ahead = 0  # the server's clock, in milliseconds

    def join(self, **wish: Any) -> int:
        """A new table, with the player at it."""
        table = self.house.open(self.sheet, **wish)
        about = self.me.table(table)["about"]
        before = {wager["id"] for wager in about["wagers"] if "before-deal" in wager["placed"]}
        self.stakes[table] = {id: stake for id, stake in default_stakes(about).items() if id in before}
        self.seats[table] = self.me.sit(table, [1], 10**6)
        return table

    # ---- playing up to what is asked

    def over(self, table: int) -> Seat:
        """Play until the table waits for wagers and none is laid; everybody stands."""
        seat = self.seats[table]
        seat.look()
        if seat.betting and seat.now.round and seat.now.round.step != "over" and seat.now.round.bets:
            seat.deal()
        while asked := seat.my_turn:
            seat.act(next(word for word in ("stand", "continue", "decline") if word in asked.actions))
        return seat

    def laid(self, table: int) -> Seat:
        seat = self.over(table)
        seat.bet(self.stakes[table])
        return seat

    def asked(self, table: int) -> Seat:
        """Play until the table asks what to do with a hand."""
        while True:
            seat = self.laid(table)
            seat.deal()
            while (asked := seat.my_turn) and asked.kind != "action":
                seat.act("continue" if asked.kind == "surrender" else "decline")
            if asked:
                return seat

    def waited_for(self, table: int) -> Seat:
        """Somebody sits down beside the player who is asked: nobody's time runs while they are alone."""
        if len(self.clients) == 1:
            self.clients.append(Remembering(self.server.url, self.witness).guest())
            self.clients[1].buy_chips(10**6)
        return self.clients[1].sit(table, [2], 10**4)

    # ---- what is asked

    def bet(self, table: int) -> Request:
        self.over(table)
        body = {"spot": 1, "bets": self.stakes[table]}
        return Request("bets", self.me, "PUT", f"/tables/{table}/bets", body)

    def deal(self, table: int) -> Request:
        self.laid(table)
        return Request("deal", self.me, "POST", f"/tables/{table}/deal")

    def action(self, table: int, word: str = "hit") -> Request:
        asked = self.asked(table).my_turn
        assert asked is not None
        move = {"turn": asked.turn, "spot": 1, "action": word if word in asked.actions else "stand"}
        return Request("move", self.me, "POST", f"/tables/{table}/moves", move)

    def settlement(self, table: int) -> Request:
        """In baccarat the deal settles everything, in blackjack a stand does."""
        return self.deal(table) if "player" in self.stakes[table] else self.action(table, "stand")

    def leave(self, table: int) -> Request:
        if not self.seats[table].look().seats:
            self.seats[table] = self.me.sit(table, [1], 10**6)
        self.laid(table)
        return Request("leave", self.me, "DELETE", f"/tables/{table}/seat")

    def sit(self, table: int) -> Request:
        if self.seats[table].look().seats:
            self.over(table)
            self.seats[table].leave()
        return Request("sit", self.me, "POST", f"/tables/{table}/seat", {"spots": [1], "chips": 10**6})

    def bring(self, table: int) -> Request:
        self.over(table)
        return Request("chips", self.me, "POST", f"/tables/{table}/chips", {"amount": 100})

    def seed(self, table: int) -> Request:
        """Each shoe takes one seed of a player, so a round is played first."""
        self.laid(table).deal()
        self.over(table)
        return Request("seed", self.me, "POST", f"/tables/{table}/seeds", {"seed": secrets.token_hex(8)})

    def buy(self) -> Request:
        return Request("buy_in", self.me, "POST", "/me/chips", {"amount": 100})

    def open(self) -> Request:
        return Request("new_table", self.house.client, "POST", "/tables", wished(self.sheet, 3, **LONG))

    def close(self) -> Request:
        table = self.join(cards=40, **LONG)
        self.laid(table)
        return Request("close", self.house.client, "DELETE", f"/tables/{table}")

    @property
    def playing(self) -> dict[str, Sweep]:
        """What is asked while a round is played."""
        found = {
            "bet": Sweep(partial(self.bet, self.at), MONEY | {"INSERT rounds"}),
            "deal of a new shoe": Sweep(partial(self.deal, self.short), STEP | {"UPDATE shoes"}),
            "settlement": Sweep(partial(self.settlement, self.at), OVER),
            "settlement and a new shoe": Sweep(partial(self.settlement, self.short), OVER | SHOE),
        }
        if "blackjack" in self.sheet:
            found["action"] = Sweep(partial(self.action, self.at), STEP)
        return found

    @property
    def coming_and_going(self) -> dict[str, Sweep]:
        """What is asked before and after."""
        return {
            "sitting down": Sweep(partial(self.sit, self.at), MONEY),
            "leaving": Sweep(partial(self.leave, self.at), MONEY),
            "bringing chips": Sweep(partial(self.bring, self.short), MONEY),
            "adding a seed": Sweep(partial(self.seed, self.short), STEP),
            "buying chips": Sweep(self.buy, {"INSERT transfers", "UPDATE accounts", "INSERT requests"}),
            "opening a table": Sweep(self.open, {"INSERT tables", "INSERT shoes", "INSERT accounts", "INSERT steps"}),
            "closing a table": Sweep(self.close, MONEY | {"UPDATE shoes"}),
        }

    # ---- dying

    def ask(self, lead: Callable[[], Request], point: int = NEVER) -> list[str]:
        """Ask, and let the server die at a point; gives the points that were passed. Dead or not, it is done once."""
        request = lead()
        kind, client, method, path, body = request
        key = secrets.token_hex(12)
        client.me()  # so that the connection is alive
        self.server.crash(kind, point)
        try:
            client.once(method, path, body, key)
            died = False
        except FeltlabError as error:
            assert "does not answer" in str(error), error
            assert self.server.process is not None and self.server.process.wait(PATIENT) == KILLED
            died = True
        points = self.server.points
        assert died == (len(points) == point + 1)
        if died:
            self.server.start()
            self._look()
            answer = client.change(method, path, body, key)
            if "again" in answer:
                assert answer["again"] == ("committed" in points)
        self.prove()
        return points

    def _look(self) -> None:
        """The tables are as anybody saw them before the kill: the witness compares."""
        for table in (self.at, self.short):
            self.me.now(table)

    def prove(self) -> Stored:
        return prove(self.server.db, self.witness, self.clients)

    def end(self) -> Totals:
        """Close all tables; every shoe is revealed."""
        for line in self.me.tables():
            self.house.close(line["id"])
            if line["id"] in self.seats:
                self.over(line["id"])
        return prove_the_end(self.server.db, self.witness, self.clients)

    def strike(self, point: int = NEVER) -> list[str]:
        """Let somebody's time be up, and let the server die while it goes on without them."""
        if self.timed is None:
            self.timed = self.join(cards=40, decision_seconds=TIMED_SECONDS)
        self.asked(self.timed)
        other = self.waited_for(self.timed)
        before = other.now.seq
        self.server.crash("clock", point)
        self.ahead += 1000 * TIMED_SECONDS + 500
        self.server.set_clock(self.ahead)
        until = time.monotonic() + PATIENT
        while "answer" not in self.server.points and len(self.server.points) <= point:
            assert time.monotonic() < until, "the clock did not strike"
            time.sleep(0.01)
        points = self.server.points
        if len(points) == point + 1:
            assert self.server.process is not None and self.server.process.wait(PATIENT) == KILLED
            self.server.start()
            self._look()
        while self.me.now(self.timed).seq == before:
            assert time.monotonic() < until, "the clock did not strike again"
            time.sleep(0.01)
        steps = self.prove().steps
        told = [event for place, step in steps.items() if place > (self.timed, before) for event in step.events]
        assert [event["event"] for event in told].count("time-up") == 1
        other.leave()
        return points
