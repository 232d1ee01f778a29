"""Nobody can see a card before it is turned up: not in answers, streams, errors, headers, logs, metrics or on the disk."""

import logging
import random
import threading
from contextlib import ExitStack

import msgspec
import pytest
from msgspec.structs import replace

from feltlab.cards import name, names
from feltlab.client.bot import default_stakes
from feltlab.floor import desk
from feltlab.floor.shoes.fair import Seal, Secret
from feltlab.floor.tables import events, view
from feltlab.floor.tables.live import Live
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import CardDealt
from feltlab.rounds.hands import Hand
from feltlab.web.lab.figuring import Figuring
from feltlab.web.routes import tables
from support.floor.inside import Inside
from support.postgres import PATIENT
from support.service.servers import SHEETS
from support.soak import soak
from support.spies import Leak, Spy, refused

pytestmark = pytest.mark.slow

WISHES = {
    "bad-beat-blackjack": {"decks": 1, "behind_cut": 20, "paytables": ["P1"], "rules": {"surrender": "late"}},
    "bad-beat-baccarat": {"decks": 6, "behind_cut": 280},
    "big-slick-blackjack": {"decks": 1, "behind_cut": 20},
}
SLOW = {"decision_seconds": 600, "betting_seconds": 600}


class Party:
    """Two players, a bystander and the house at one table, all of them spied on."""

    def __init__(self, server, spy, sheet, chance):
        self.spy, self.chance = spy, chance
        self.clients = [spy.client() for _ in range(4)]
        self.house, self.bystander, *players = self.clients
        self.house.log_in("house", server.house_password)
        self.bystander.guest()
        answer = self.house.change("POST", "/tables", {"sheet": sheet, **WISHES[sheet], **SLOW})
        self.table, self.about = answer["about"]["id"], answer["about"]
        self.blackjack = self.about["game"] == "blackjack"
        self.seats = []
        for spot, player in enumerate(players, start=1):
            player.guest()
            player.buy_chips(50_000_000)
            self.seats.append(player.sit(self.table, [spot], 50_000_000))
        self.stakes = default_stakes(self.about)
        self.threads = [threading.Thread(target=self.follow, args=(one,)) for one in (self.bystander, players[0])]
        for thread in self.threads:
            thread.start()

    def follow(self, client):
        stream = client.events(self.table)
        for said in stream:
            now = said.get("now")  # steps that were caught up with come without it
            if now and now["status"] == "closed":
                break
        stream.close()

    def look_around(self):
        """All that anybody can ask for at a quiet moment; then see what was heard."""
        number = self.seats[0].look().round
        for client in (self.bystander, self.house):
            client.table(self.table)
            client.tables()
            client.request("GET", f"/shoes/{self.table}-{self.seats[0].now.shoe.number}")
            if number:
                client.request("GET", f"/rounds/{self.table}-{number.number}")
        self.bystander.rounds()
        self.seats[0]._client.rounds()
        self.house._http.get("/metrics")
        self.spy.look(self.table)

    def round(self):
        placed = {wager["id"]: wager["placed"] for wager in self.about["wagers"]}
        laid = {id: amount for id, amount in self.stakes.items() if "before-deal" in placed[id]}
        for seat in self.seats:
            for spot in seat.spots:
                seat.bet(laid, spot)
        refused(self.seats[0].bet, {"no-such": 5})
        self.look_around()
        for seat in self.seats:
            seat.deal()
        while True:
            self.look_around()
            for seat in self.seats:
                seat.look()
            seat = next((seat for seat in self.seats if seat.my_turn), None)
            if seat is None:
                self.house.request("GET", f"/books/{self.table}")
                return
            self.try_what_cannot_be(seat)
            self.act(seat)

    def act(self, seat):
        asked = seat.my_turn
        action = self.chance.choice(asked.actions)
        side = {id: self.stakes[id] for id in asked.side.get(action, ())}
        seat.act(action, side=side, amount=asked.most if action == "insure" else 0)

    def try_what_cannot_be(self, seat):
        """Wrong answers, whose refusals might say too much."""
        asked, client = seat.my_turn, seat._client
        other = next(one for one in self.seats if one is not seat)
        moves = f"/tables/{self.table}/moves"
        every = {"stand", "hit", "double", "split", "surrender", "continue", "insure", "even-money"}
        action = self.chance.choice(sorted(every - set(asked.actions)))
        body = {"turn": asked.turn, "spot": asked.spot, "action": action, "amount": 3}
        refused(client.change, "POST", moves, body)
        refused(client.change, "POST", moves, {**body, "turn": "1.1"})
        refused(client.change, "POST", moves, {**body, "action": "peek"})
        refused(other._client.change, "POST", moves, body)
        refused(self.house.change, "POST", moves, body)

    def close(self):
        """Whatever happened, the table closes, and its followers go."""
        if self.house.table(self.table)["now"]["status"] == "open":
            self.house.change("DELETE", f"/tables/{self.table}")
            for seat in self.seats:
                if seat.look().seats:
                    seat.leave()
        for thread in self.threads:
            thread.join(PATIENT)
        for client in self.clients:
            client.close()


def play(tmp_path, sheet, shoes, seed=1):
    """Play so many shoes out under the eyes of the spy."""
    with ExitStack() as stack:
        server = stack.enter_context(Inside(tmp_path))
        spy = stack.enter_context(Spy(server))
        party = Party(server, spy, sheet, random.Random(f"{sheet} {seed}"))
        stack.callback(party.close)
        rounds = 0
        while party.seats[0].now.shoe.number <= shoes:
            party.round()
            rounds += 1
        seen = sum(sum(cards.values()) for cards in spy.seen.values())
        house, table = party.house, party.table
        revealed = house.request("GET", f"/shoes/{table}-1")
        assert revealed["revealed"] and revealed["order"]
        house.change("DELETE", f"/tables/{table}")
        for thread in party.threads:
            thread.join(PATIENT)
        spy.look(table)
        assert not spy.secret, "all shoes are over, and revealed"
        return rounds, seen, spy.messages


@pytest.fixture(autouse=True)
def no_figures(monkeypatch):
    async def count(*_):
        return {}

    monkeypatch.setattr(Figuring, "_count", count)


@pytest.mark.parametrize("sheet", SHEETS)
def test_nobody_sees_a_card_before_it_is_turned_up(tmp_path, sheet):
    shoes = soak(20, 1)
    rounds, seen, messages = play(tmp_path, sheet, shoes)
    assert rounds >= 2 * shoes and seen >= 20 * shoes and messages >= 100 * shoes


# ---- the spy would find out


def hole_in_events(patch):
    real = events.public

    def public(event):
        return real(event) | ({"card": name(event.card)} if isinstance(event, CardDealt) else {})

    patch.setattr(events, "public", public)


def hole_in_view(patch):
    def dealer(round_):
        cards = round_.hands.dealer.cards
        return view._hand(Hand(0, list(cards))) if cards else None

    patch.setattr(view, "_dealer", dealer)


def hole_in_total(patch):
    real = view._dealer

    def dealer(round_):
        shown = real(round_)
        return shown and replace(shown, total=Hand(0, list(round_.hands.dealer.cards)).total)

    patch.setattr(view, "_dealer", dealer)


def hole_in_errors(patch):
    real = BlackjackRound._why_not

    def why_not(self, action, waits):
        return f"{real(self, action, waits)}, the dealer has {names(self.hands.dealer.cards)}"

    patch.setattr(BlackjackRound, "_why_not", why_not)


def next_card_in_seeds(patch):
    real = view.now_of

    def now_of(live):
        now = real(live)
        coming = live.shoe.order[live.shoe.dealt] if live.shoe else 0
        return replace(now, shoe=replace(now.shoe, seeds=[("next", name(coming))]))

    for module in (view, desk, tables):
        patch.setattr(module, "now_of", now_of)


def secret_in_log(patch):
    real = Live.commit

    def commit(self, command, person):
        logging.getLogger("feltlab").debug("shoe %s", self.secret)
        return real(self, command, person)

    patch.setattr(Live, "commit", commit)


def secret_in_database(patch):
    patch.setattr(Seal, "close", lambda self, secret: msgspec.json.encode(secret))
    patch.setattr(Seal, "open", lambda self, sealed, shoe: msgspec.json.decode(sealed, type=Secret))


LEAKS = [hole_in_events, hole_in_view, hole_in_total, hole_in_errors, next_card_in_seeds, secret_in_log, secret_in_database]  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(tmp_path, monkeypatch, leak):
    leak(monkeypatch)
    with pytest.raises(Leak):
        play(tmp_path, "bad-beat-blackjack", shoes=1)
