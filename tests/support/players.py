"""Players and onlookers for the tests of the service, who record what the server sends."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from feltlab.client import Client, Seat, ServiceError
from feltlab.client.bot import default_stakes
from feltlab.floor.tables.shapes import TurnView
from support.postgres import PATIENT

PACE = 0.01  # seconds between two requests of a player: a few think, the others find room to act
Place = tuple[int, int]  # a table, and the number of a step there


class Witness:
    """Records what anybody received about a step, and the table after it, which must be the same for everybody, always."""

    def __init__(self) -> None:
        self.clients: list[Remembering] = []
        self._lock = threading.Lock()
        self.steps: dict[Place, Any] = {}
        self.views: dict[Place, Any] = {}
        self.contradictions: list[str] = []

    def __enter__(self) -> Witness:
        return self

    def __exit__(self, *error: object) -> None:
        for client in self.clients:
            client.close()

    def step(self, table: int, seq: int, events: Any) -> None:
        self._keep(self.steps, (table, seq), events)

    def view(self, now: dict[str, Any]) -> None:
        self._keep(self.views, (now["table"], now["seq"]), now)

    def _keep(self, kept: dict[Place, Any], place: Place, said: Any) -> None:
        with self._lock:
            before = kept.setdefault(place, said)
        if before != said:
            self.contradictions.append(f"at {place} first {before}, then {said}")


class Remembering(Client):
    """A client that records its own steps, and everything for the witness."""

    def __init__(self, url: str, witness: Witness) -> None:
        super().__init__(url, patience=PATIENT)
        self.witness = witness
        witness.clients.append(self)
        self.steps: dict[Place, dict[str, Any]] = {}
        self.when: dict[Place, float] = {}
        self.asking = False  # whether a change is under way
        self.again = 0  # answers to requests that had been done before
        self.bought = 0

    def elsewhere(self, url: str, witness: Witness) -> Remembering:
        """The same session at another server."""
        found = Remembering(url, witness)
        found._http.cookies, found._csrf, found.name = self._http.cookies, self._csrf, self.name
        return found

    def change(self, method: str, path: str, body: object = None, key: str | None = None) -> Any:
        self.asking = True
        answer = super().change(method, path, body, key)
        if "seq" in answer:
            self.steps[answer["table"], answer["seq"]] = answer
            self.when[answer["table"], answer["seq"]] = time.monotonic()
            self.witness.step(answer["table"], answer["seq"], answer["events"])
            self.again += answer["again"]
        elif path == "/me/chips":
            self.bought += body["amount"]  # type: ignore[index]
        self.asking = False
        return answer

    def once(self, method: str, path: str, body: object, key: str) -> Any:
        """Send a change only once, whether or not there is an answer."""
        patience, self._patience = self._patience, 0
        try:
            return self.change(method, path, body, key)
        finally:
            self._patience = patience

    def request(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        answer = super().request(method, path, body, headers)
        if isinstance(answer, dict) and "now" in answer:
            self.witness.view(answer["now"])
        return answer


class Player(threading.Thread):
    """A player who makes random legal moves until stopped or the table is closed."""

    def __init__(self, client: Remembering, table: int, spots: Sequence[int], seed: int) -> None:
        super().__init__(name=f"player {seed}", daemon=True)
        self.client, self.table, self.spots = client, table, tuple(spots)
        self.random = random.Random(seed)
        self.ending = threading.Event()
        self.error: BaseException | None = None
        self.refused: list[str] = []
        self.seat: Seat
        self.stakes: dict[str, int] = {}
        self.before_deal: list[str] = []
        self.base: list[str] = []

    def join_table(self) -> Player:
        """Come in, buy chips and sit down."""
        self.client.guest()
        self.client.buy_chips(10_000_00)
        self._learn()
        self._sit()
        return self

    def take_up(self) -> Player:
        """Go on where the seat is already."""
        self._learn()
        self.seat = self.client.seat(self.table)
        return self

    def _learn(self) -> None:
        about = self.client.table(self.table)["about"]
        self.stakes = default_stakes(about)
        self.before_deal = [w["id"] for w in about["wagers"] if "before-deal" in w["placed"] and w["id"] in self.stakes]
        self.base = [w["id"] for w in about["wagers"] if w["base"] and w["id"] in self.before_deal]

    def run(self) -> None:
        try:
            while not self.ending.is_set() and self.seat.now.status != "closed":
                try:
                    self._turn()
                    time.sleep(PACE)
                except ServiceError as error:
                    if error.status != 409:
                        raise
                    self.refused.append(str(error))
                    self.seat.look()
        except BaseException as error:
            self.error = error

    def end(self) -> None:
        """Stop, and wait for it."""
        self.ending.set()
        self.finish()

    def finish(self, seconds: float = PATIENT) -> None:
        """Wait for its end."""
        self.join(seconds)
        if self.error:
            raise self.error
        assert not self.is_alive(), f"{self.name} did not end"

    # ---- what it does

    def _turn(self) -> None:
        seat = self.seat
        if not seat.spots:
            self._sit()
        elif asked := seat.my_turn:
            self._answer(asked)
        elif seat.betting and not self._ready:
            self._before_deal()
        else:
            time.sleep(0.02)
            seat.look()

    @property
    def _ready(self) -> bool:
        return any(seat.ready for seat in self.seat.now.seats if seat.name == self.client.name)

    def _sit(self) -> None:
        if self.client.me()["chips"] < 2_000_00:
            self.client.buy_chips(10_000_00)
        self.seat = self.client.sit(self.table, self.spots, 2_000_00)

    def _before_deal(self) -> None:
        seat, chance = self.seat, self.random.random()
        if seat.now.status == "closing":
            time.sleep(0.02)
            seat.look()
        elif chance < 0.04 or seat.chips < 300_00:
            seat.leave()
        elif chance < 0.07:
            seat.bring(1_00)
        elif chance < 0.2 and not seat.now.shoe.cut and all(who != self.client.name for who, _ in seat.now.shoe.seeds):
            seat.add_seed(f"seed {self.random.randrange(10**6)}")
        else:
            for spot in seat.spots:
                seat.bet(self._wagers(), spot)
            seat.deal()

    def _wagers(self) -> dict[str, int]:
        sides = [id for id in self.before_deal if id not in self.base and self.random.random() < 0.7]
        base = self.random.sample(self.base, self.random.randint(1, len(self.base)))
        return {id: self.stakes[id] for id in (*base, *sides)}

    def _answer(self, asked: TurnView) -> None:
        if self.random.random() < 0.01:
            time.sleep(0.1)  # lets others, or the clock, go first
        action = self.random.choice(asked.actions)
        side = {id: self.stakes[id] for id in asked.side.get(action, ()) if id in self.stakes}
        amount = asked.most if action == "insure" else 0
        if sum(side.values()) > self.seat.chips // 2:
            side = {}
        self.seat.act(action, side=side, amount=amount)


class Onlooker(threading.Thread):
    """An onlooker who follows a table's events until it is closed, and checks that each step comes exactly once."""

    def __init__(self, url: str, table: int, witness: Witness) -> None:
        super().__init__(name=f"onlooker of {table} at {url}", daemon=True)
        self.client = Remembering(url, witness).guest()
        self.table, self.witness = table, witness
        self.seen: list[int] = []
        self.when: dict[int, float] = {}
        self.gaps: list[str] = []
        self.error: BaseException | None = None
        self.started = threading.Event()

    def begin(self) -> Onlooker:
        self.start()
        assert self.started.wait(PATIENT)
        return self

    def run(self) -> None:
        try:
            for said in self.client.events(self.table):
                self._heard(said)
                if any(event["event"] == "table-closed" for event in said["events"]):
                    return
        except BaseException as error:
            self.error = error
        finally:
            self.started.set()

    def _heard(self, said: dict[str, Any]) -> None:
        seq = said["seq"]
        if now := said.get("now"):
            self.witness.view(now)
        if "table" in said:
            self.witness.step(self.table, seq, said["events"])
            if seq != self.seen[-1] + 1:
                self.gaps.append(f"step {seq} came after {self.seen[-1]}")
        elif self.seen:
            self.gaps.append(f"the table as it is at {seq} came after step {self.seen[-1]}, and not the steps")
        self.seen.append(seq)
        self.when[seq] = time.monotonic()
        self.started.set()

    def finish(self, seconds: float = PATIENT) -> None:
        self.join(seconds)
        if self.error:
            raise self.error
        assert not self.is_alive(), f"{self.name} did not see the end of the table; the last step was {self.seen[-1]}"
        assert not self.gaps, self.gaps[:5]
