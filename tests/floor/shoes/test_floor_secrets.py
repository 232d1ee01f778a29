"""Nobody can learn a card before it is seen: two shoes that differ only in unseen cards look the same, everywhere.

Two floors get the same commands. Their shoes agree on every card that was seen up to some moment, and on nothing else:
the burn card, the hole card and all cards to come lie in another order. Up to that moment every view, every message and
every row of the database must be the same, byte for byte, but for the seal and the commitment, which are meant to differ.
"""

import random
import shutil

import msgspec
import pytest

from feltlab.cards import decks, rank
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.shoes.fair import Secret
from feltlab.floor.tables.commands import AddSeed, Decide, Leave, Ready, SetBets, Sit
from feltlab.floor.tables.view import now_of
from feltlab.games.blackjack import card_points
from feltlab.rounds.events import CardDealt
from support.floor.floors import SHEETS, Floor, encoded

BETS = {
    "bad-beat-blackjack": {"main": 10_00, "bad-beat": 5_00},
    "bad-beat-baccarat": {"player": 10_00, "tie": 1_00, "bad-beat": 5_00},
    "big-slick-blackjack": {"main": 10_00, "big-slick": 5_00},
}
CASES = [
    (sheet, hole, seed)
    for sheet, hole in (*((sheet, "peek") for sheet in SHEETS), (SHEETS[0], "none-all"))
    for seed in range(6)
]


def wish(sheet, hole):
    rules = {} if "baccarat" in sheet else {"hole-card": hole, "surrender": "early" if hole == "none-all" else "late"}
    return Wish(sheet, decks=6, rules=rules)


class Watched:
    """A floor of which everything is written down that anybody can see."""

    def __init__(self, url, wish, order, seeds=()):
        self.floor = Floor(url)
        self.people = self.floor.players("ada", "bob")
        self.table = self.floor.table(wish, order, seeds)
        self.seen = []

    def do(self, command, person):
        try:
            outcome = self.floor.desk.do(Job(self.table, command, person))
            said = msgspec.json.encode(outcome.step)
        except Exception as error:
            said = repr(error).encode()
        self.seen.append((said, encoded(self.floor.now(self.table)), self.stored()))

    def stored(self):
        rows = self.floor.rows()
        rows["shoes"] = [(*row[:2], len(row.sealed), *row[4:]) for row in rows["shoes"]]
        rows["people"] = [{**row._mapping, "salt": ""} for row in rows["people"]]  # the salt is chance's
        rows["steps"] = [row[:-1] for row in rows["steps"]]  # links hash the seal
        rows["acts"] = [row[:-2] for row in rows["acts"]]  # and acts hash salts and links
        return rows

    @property
    def live(self):
        return self.floor.desk.look(self.table)


def next_command(watched, bets, chance):
    """What somebody does next, chosen by what everybody sees; some of it is refused."""
    now, (ada, bob) = now_of(watched.live), watched.people
    waits, person = now.waits, chance.choice([ada, bob])
    spot = 1 if person is ada else 2
    if len(now.seats) < 2:
        person = ada if "ada" not in [seat.name for seat in now.seats] else bob
        return Sit((1 if person is ada else 2,), 12_00 if chance.random() < 0.2 else 200_00), person
    if chance.random() < 0.1:
        return (Leave() if now.seq > 20 else AddSeed(f"{person.name}'s")), person
    if waits.kind == "bets":
        laid = {bet.spot for bet in now.round.bets if bet.back is None} if now.round else set()
        return (Ready() if spot in laid else SetBets(spot, bets)), person
    person, actions = (ada, bob)[waits.spot - 1], waits.actions
    action = chance.choice([*actions, *("double", "split", "insure", "stand", "hit")])
    side = {"action-match": 1_00} if chance.random() < 0.3 else {}
    return Decide(waits.turn, waits.spot, action, side, waits.most if action == "insure" else 0), person


def unseen(live):
    """The places of the shoe whose cards nobody has seen, and the place of a hole card that lies face down."""
    places, hole = [*range(live.config.burn)], None
    if live.shoe is None:
        return list(range(312)), None
    if live.round is not None:
        dealt = [event for event in live.round.log if isinstance(event, CardDealt)]
        hole = next((live.state.dealt + at for at, event in enumerate(dealt) if not event.face_up), None)
    return [*places, *([hole] if hole is not None else []), *range(live.shoe.dealt, 312)], hole


def has_hole(watched):
    """Is a card dealt face down in this game?"""
    return watched.live.table.setup.sheet.game == "blackjack" and watched.live.table.setup.rules["hole-card"] == "peek"


def natural(*cards):
    return sorted(card_points(card) for card in cards) == [1, 10]


def another_order(live, chance):
    """The same cards where they were seen, others where not. A dealer who has looked for a natural has none in both."""
    order, (places, hole) = live.shoe.order if live.shoe else decks(6), unseen(live)
    while True:
        other, cards = list(order), [order[place] for place in places]
        chance.shuffle(cards)
        for place, card in zip(places, cards, strict=True):
            other[place] = card
        if hole is None:
            return other
        if rank(other[hole]) != rank(order[hole]) and not natural(other[hole], live.round.hands.dealer.cards[0]):
            return other


@pytest.mark.parametrize(("sheet", "hole", "seed"), CASES)
def test_unseen_cards_show_nowhere(monkeypatch, empty_sqlite, tmp_path, sheet, hole, seed):
    monkeypatch.setattr(Secret, "commitment", lambda self: "0" * 64)  # that two secrets have two is what it is for
    chance = random.Random(f"{sheet} {hole} {seed}")

    def opened(name, *shoe):
        return Watched(f"sqlite:///{shutil.copy(empty_sqlite, tmp_path / name)}", wish(sheet, hole), *shoe)

    first, commands = opened("first.db", chance.sample(decks(6), 312)), []
    least, most = chance.randint(6, 20), 40
    while len(commands) < least or (unseen(first.live)[1] is None and has_hole(first) and len(commands) < most):
        commands.append(next_command(first, BETS[sheet], chance))
        first.do(*commands[-1])
    seeds = [seed for _, seed in first.live.state.seeds]
    other = opened("other.db", another_order(first.live, chance), seeds)
    assert other.live.secret != first.live.secret
    for command, person in commands:
        other.do(command, person)
    assert other.seen == first.seen
    if first.live.shoe:
        assert other.live.shoe.order != first.live.shoe.order
    first.floor.close()
    other.floor.close()
