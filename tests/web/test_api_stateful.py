"""The API under random players, in any order: chips are conserved, what is offered is accepted, all else is refused."""

import json
import random
import tempfile
from itertools import count
from math import factorial
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from feltlab.client import Client
from feltlab.floor.shoes.fair import Secret
from support.floor.inside import Inside
from support.soak import soak

API = "/api/v1"
NAMES = ("ada", "bob", "cleo", "dan")
ACTIONS = ("stand", "hit", "double", "split", "surrender", "continue", "insure", "decline", "even-money")
WISHES = (
    {"sheet": "bad-beat-blackjack", "decks": 1, "behind_cut": 30, "paytables": ["P1"], "rules": {"surrender": "early"}},
    {"sheet": "big-slick-blackjack", "decks": 2, "behind_cut": 80},
    {"sheet": "bad-beat-baccarat", "behind_cut": 390},
)
KEYS = count()
START = 5000  # cents at a table: few enough to run out of
RICH = 10**10  # cents in a pocket: it never runs out, so that examples do not depend on those before them
AMOUNTS = st.one_of(st.integers(0, START), st.just(10**11))


class Floor(RuleBasedStateMachine):
    """One table at a time, three or four players, the house, and a model of everybody's chips."""

    server: Inside
    clients: dict[str, Client]
    house: Client

    @initialize(wish=st.sampled_from((*WISHES, *WISHES[:2])), many=st.integers(3, 4), seed=st.integers(0, 2**32))
    def open(self, wish, many, seed):
        self.names = NAMES[:many]
        Floor.chance = random.Random(seed)
        body = {**wish, "decision_seconds": 600, "betting_seconds": 600, "limits": {}}
        status, answer = self.send(self.house, "POST", "/tables", body)
        assert status == 201
        self.table, self.about, self.now = answer["about"]["id"], answer["about"], answer["now"]
        self.pocket = {name: self.me(name)["chips"] for name in self.names}
        self.done = []  # changes that were made, to be asked for again
        for spot, name in enumerate(self.names[: many - 1], start=1):
            self.ask(name, "POST", "seat", {"spots": [spot], "chips": START}, expect=True)

    # ---- asking

    def send(self, client, method, path, body=None, key=None):
        """A request as it is, and its answer; a refusal is never without a reason."""
        headers = {"X-CSRF-Token": client._csrf, "Idempotency-Key": key or f"stateful-{next(KEYS)}"}
        content = None
        if body is not None:
            content, headers["Content-Type"] = json.dumps(body), "application/json"
        answer = client._http.request(method, API + path, content=content, headers=headers)
        said = answer.json() if answer.content else None
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert said["detail"] and said["type"], answer.text
        return answer.status_code, said

    def me(self, name):
        return self.send(self.clients[name], "GET", "/me")[1]

    def ask(self, name, method, what, body=None, *, expect):
        """Ask something of the table. `expect`: must it be accepted, refused, or may it be either (None)?"""
        key, before = f"stateful-{next(KEYS)}", self.now
        status, said = self.send(self.clients[name], method, f"/tables/{self.table}/{what}", body, key)
        assert status in (200, 409), said
        if expect is not None:
            assert (status == 200) == expect, (before, name, what, body, said)
        if status == 200:
            assert said["seq"] == before["seq"] + 1 and not said["again"]
            self.now = said["now"]
            self.done.append((name, method, what, body, key, said))
            self.settle(before, said)
        else:
            assert self.look() == before, "a refusal changes nothing"
        return said if status == 200 else None

    def settle(self, before, said):
        """Chips that went between pockets and table, by the events."""
        for event in said["events"]:
            if event["event"] in ("sit", "chips"):
                self.pocket[event["who"]] -= event.get("chips", event.get("amount"))
            elif event["event"] == "leave":
                self.pocket[event["who"]] += event["chips"]

    def look(self):
        return self.send(self.house, "GET", f"/tables/{self.table}")[1]["now"]

    # ---- what is so now

    def seat(self, name):
        return next((seat for seat in self.now["seats"] if seat["name"] == name), None)

    def asked(self):
        """Who is asked something, if anybody is."""
        waits = self.now["waits"]
        if not waits or waits["kind"] == "bets":
            return None, waits
        return next(seat["name"] for seat in self.now["seats"] if waits["spot"] in seat["spots"]), waits

    @property
    def open_(self):
        return self.now["status"] == "open"

    @property
    def betting(self):
        return bool(self.now["waits"]) and self.now["waits"]["kind"] == "bets"

    # ---- what players do

    @rule(data=st.data(), who=st.integers(0, 3), what=st.sampled_from(("sit", "sit", "bring", "leave", "add_seed")))
    def come_and_go(self, data, who, what):
        getattr(self, what)(data, self.names[who % len(self.names)])

    def sit(self, data, name):
        taken = {spot for seat in self.now["seats"] for spot in seat["spots"]}
        spots = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=2))
        chips = data.draw(AMOUNTS)
        good = (
            self.open_
            and not self.seat(name)
            and len(set(spots)) == len(spots)
            and not taken & set(spots)
            and 0 < chips <= self.pocket[name]
        )
        self.ask(name, "POST", "seat", {"spots": spots, "chips": chips}, expect=good)

    def bring(self, data, name):
        amount = data.draw(AMOUNTS)
        good = self.open_or_closing() and self.seat(name) is not None and 0 < amount <= self.pocket[name]
        self.ask(name, "POST", "chips", {"amount": amount}, expect=good)

    def open_or_closing(self):
        return self.now["status"] != "closed"

    @precondition(lambda self: self.betting)
    @rule(data=st.data())
    def bet(self, data):
        """Wagers within one's chips are taken."""
        seats = [seat for seat in self.now["seats"] if seat["name"] in self.names]
        if not seats:
            return
        seat = data.draw(st.sampled_from(seats))
        spot = data.draw(st.sampled_from(seat["spots"]))
        offered = [wager["id"] for wager in self.about["wagers"] if "before-deal" in wager["placed"]]
        bets = data.draw(st.dictionaries(st.sampled_from(offered), st.integers(1, 800), max_size=3))
        lying = sum(bet["stake"] for bet in (self.now["round"] or {"bets": []})["bets"] if bet["spot"] == spot) * (
            self.now["round"] is not None and self.now["round"]["step"] == "wagers"
        )
        nothing_there = self.now["round"] is None or self.now["round"]["step"] != "wagers"
        good = sum(bets.values()) <= seat["chips"] + lying and not (nothing_there and not bets)
        self.ask(seat["name"], "PUT", "bets", {"spot": spot, "bets": bets}, expect=good)

    @precondition(lambda self: self.betting and self.open_ and self.now["seats"])
    @rule(data=st.data())
    def everybody_deals(self, data):
        """All lay what they can on their first spots, and want the deal; the last who says so gets it."""
        base = data.draw(st.sampled_from([one["id"] for one in self.about["wagers"] if one["base"] and "before-deal" in one["placed"]]))  # fmt: skip
        if self.now["round"] is not None and self.now["round"]["step"] == "wagers":
            for bet in self.now["round"]["bets"]:
                name = next(seat["name"] for seat in self.now["seats"] if bet["spot"] in seat["spots"])
                self.ask(name, "PUT", "bets", {"spot": bet["spot"], "bets": {}}, expect=True)
        laid = 0
        for name in [seat["name"] for seat in self.now["seats"]]:
            seat = self.seat(name)
            if seat["chips"]:
                stake = data.draw(st.integers(1, min(seat["chips"], 1500)))
                laid += bool(
                    self.ask(name, "PUT", "bets", {"spot": seat["spots"][0], "bets": {base: stake}}, expect=True)
                )
        for name in [seat["name"] for seat in self.now["seats"]]:
            if self.betting and laid:
                said = self.ask(name, "POST", "deal", expect=True)
        if laid:
            assert "card" in {event["event"] for event in said["events"]}

    @precondition(lambda self: self.betting)
    @rule(who=st.integers(0, 3))
    def deal(self, who):
        name = self.names[who % len(self.names)]
        self.ask(name, "POST", "deal", expect=None if self.seat(name) else False)

    @precondition(lambda self: self.asked()[0] is not None)
    @rule(data=st.data(), more=st.integers(0, 3))
    def answer(self, data, more):
        """Whatever is offered is accepted."""
        for _ in range(1 + more):
            if self.asked()[0] is not None:
                self.answer_once(data)

    def answer_once(self, data):
        name, waits = self.asked()
        action = data.draw(st.sampled_from(waits["actions"]))
        body = {"turn": waits["turn"], "spot": waits["spot"], "action": action}
        if action == "insure":
            body["amount"] = data.draw(st.integers(1, waits["most"]))
        ids = waits["side"].get(action, [])
        chips = self.seat(name)["chips"]
        if ids and chips > START // 2 and data.draw(st.booleans()):
            body["side"] = {ids[0]: data.draw(st.integers(1, 100))}
        self.ask(name, "POST", "moves", body, expect=True)

    @precondition(lambda self: self.asked()[0] is not None)
    @rule(data=st.data())
    def answer_what_is_not_offered(self, data):
        """Whatever is not offered is refused, and whoever is not asked has no say."""
        name, waits = self.asked()
        wrong = data.draw(st.sampled_from(["action", "turn", "spot", "person", "side"]))
        body = {"turn": waits["turn"], "spot": waits["spot"], "action": waits["actions"][0]}
        if wrong == "action":
            body["action"] = data.draw(st.sampled_from([one for one in ACTIONS if one not in waits["actions"]]))
            body["amount"] = data.draw(st.integers(0, 100))
        elif wrong == "turn":
            number, _, place = waits["turn"].partition(".")
            body["turn"] = data.draw(st.sampled_from(["", "1.1", f"{number}.{int(place) - 1}", f"{number}.{place} "]))
            if body["turn"] == waits["turn"]:
                return
        elif wrong == "spot":
            body["spot"] = data.draw(st.integers(1, 7).filter(lambda spot: spot != waits["spot"]))
        elif wrong == "person":
            name = data.draw(st.sampled_from([one for one in self.names if one != name]))
        else:
            body["side"] = {data.draw(st.sampled_from(["main", "bad-beat", "tie", "x"])): 5}
        self.ask(name, "POST", "moves", body, expect=False)

    def leave(self, data, name):
        good = self.open_or_closing() and self.seat(name) is not None
        self.ask(name, "DELETE", "seat", expect=good)

    def add_seed(self, data, name):
        seed, shoe = data.draw(st.text(max_size=70)), self.now["shoe"]
        if not 1 <= len(seed) <= 64 or any("\ud800" <= letter <= "\udfff" for letter in seed):
            status, _ = self.send(self.clients[name], "POST", f"/tables/{self.table}/seeds", {"seed": seed})
            assert status == 422
            return
        good = (
            self.open_or_closing()
            and self.seat(name) is not None
            and not shoe["cut"]
            and seed.isprintable()
            and name not in [by for by, _ in shoe["seeds"]]
        )
        self.ask(name, "POST", "seeds", {"seed": seed}, expect=good)

    @precondition(lambda self: self.now["seq"] > 25)
    @rule()
    def close(self):
        status, said = self.send(self.house, "DELETE", f"/tables/{self.table}")
        assert (status == 200) == self.open_or_closing(), said
        if status == 200:
            before, self.now = self.now, said["now"]
            self.settle(before, said)
            assert self.now["status"] == (
                "closed" if before["waits"] and before["waits"]["kind"] == "bets" else "closing"
            )

    # ---- asking again, and following

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def ask_again(self, data):
        """The same request with the same key is answered as before, and not done again."""
        name, method, what, body, key, said = data.draw(st.sampled_from(self.done))
        status, again = self.send(self.clients[name], method, f"/tables/{self.table}/{what}", body, key)
        assert status == 200
        assert again == {**said, "again": True, "now": self.now}

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def use_a_key_for_something_else(self, data):
        name, method, what, body, key, _ = data.draw(st.sampled_from(self.done))
        other = data.draw(st.sampled_from([("POST", "seeds", {"seed": "x"}), ("POST", "chips", {"amount": 1})]))
        if other == (method, what, body):
            return
        status, said = self.send(self.clients[name], other[0], f"/tables/{self.table}/{other[1]}", other[2], key)
        assert status == 422 and said["type"].endswith("key-used")
        status, said = self.send(self.clients[name], "POST", "/me/chips", {"amount": 1}, key)
        assert status == 422 and said["type"].endswith("key-used")

    @precondition(lambda self: self.done)
    @rule(data=st.data(), who=st.integers(0, 3))
    def follow(self, data, who):
        """Taking up a stream after a step gives exactly the steps after it."""
        last = data.draw(st.integers(1, self.now["seq"]))
        client = self.clients[self.names[who % len(self.names)]]
        told = {said["seq"]: said["events"] for *_, said in self.done}
        heard = self.hear(client, last)
        if last == self.now["seq"]:
            assert [(said["seq"], said.get("seats")) for said in heard] == [(last, self.now["seats"])]
            return
        assert [said["seq"] for said in heard] == list(range(last + 1, self.now["seq"] + 1))
        for said in heard:
            assert told.get(said["seq"], said["events"]) == said["events"]
        assert heard[-1]["now"] == self.now

    def hear(self, client, last):
        heard = []
        with client._http.stream(
            "GET", f"{API}/tables/{self.table}/events", headers={"Last-Event-ID": str(last)}
        ) as stream:
            assert stream.status_code == 200
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    heard.append(json.loads(line[6:]))
                    if heard[-1]["seq"] >= self.now["seq"]:
                        return heard
        raise AssertionError("the stream ended")

    # ---- what always holds

    @invariant()
    def chips_are_conserved(self):
        if not hasattr(self, "now"):
            return
        at_table = sum(seat["chips"] for seat in self.now["seats"])
        round_ = self.now["round"]
        felt = sum(bet["stake"] for bet in round_["bets"] if bet["back"] is None) if round_ else 0
        books = self.server.at_desk(self.balances)
        assert {name: books[f"chips:{self.ids[name]}"] for name in self.names} == self.pocket
        assert at_table == sum(held for account, held in books.items() if account.startswith(f"seat:{self.table}:"))
        assert felt == books[f"felt:{self.table}"]
        assert sum(books.values()) == 0
        assert all(
            held >= 0 for account, held in books.items() if account.partition(":")[0] in ("chips", "seat", "felt")
        )

    @staticmethod
    def balances(desk):
        with desk.engine.connect() as db:
            return dict(db.exec_driver_sql("SELECT name, balance FROM accounts").all())

    def teardown(self):
        """Every table can be closed: whoever is left goes."""
        if not hasattr(self, "now"):
            return
        if self.now["status"] == "open":
            self.close()
        for name in self.names:
            if self.now["status"] != "closed" and self.seat(name):
                self.ask(name, "DELETE", "seat", expect=True)
        assert self.look()["status"] == "closed"
        assert {name: self.me(name)["chips"] for name in self.names} == self.pocket


def known_secret(shoe, decks, burn, behind_cut):
    """Shoes that follow from what Hypothesis chose, so that it can try the same again."""
    order, reserve = (f"{Floor.chance.randrange(factorial(52 * decks)):x}" for _ in range(2))
    return Secret(shoe, decks, burn, behind_cut, order, reserve)


def test_players_in_any_order(monkeypatch):
    monkeypatch.setattr("feltlab.floor.tables.live.new_secret", known_secret)
    monkeypatch.setattr("feltlab.web.streams.presence.GONE", 10**9)  # a slow machine makes no steps of its own
    with tempfile.TemporaryDirectory() as folder, Inside(Path(folder)) as server:
        clients = {name: Client(server.url).register(name, "a long password") for name in NAMES}
        Floor.server, Floor.clients, Floor.house = server, clients, server.house()
        for client in clients.values():
            client.buy_chips(RICH)
        with server.services.engine.connect() as db:
            Floor.ids = dict(db.exec_driver_sql("SELECT name, id FROM people").all())
        try:
            run_state_machine_as_test(
                Floor,
                settings=settings(
                    max_examples=soak(150, 8),
                    stateful_step_count=soak(60, 30),
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                    database=None,
                ),
            )
        finally:
            for client in (*clients.values(), Floor.house):
                client.close()
        checked = server.check()
        assert checked.bets > 10
