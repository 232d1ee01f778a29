"""Whose line is gone, and who is back: at one server, at two, and over a real connection."""

import asyncio
from types import SimpleNamespace

import pytest

from feltlab.client import Client
from feltlab.floor.tables import deadlines
from feltlab.floor.tables.commands import IsBack, SeemsGone
from feltlab.floor.tables.deadlines import GONE
from feltlab.floor.tables.live import Person
from feltlab.web.streams import presence
from feltlab.web.streams.presence import Presence
from support.floor.floors import Floor
from support.floor.inside import Inside
from support.waiting import comes

ADA, HOUSE = Person(1, "guest", "ada"), Person(2, "house", "house")


class Line:
    """Streams at a server whose clock is set by hand."""

    def __init__(self):
        self.time = 100.0
        self.presence = Presence(lambda: self.time)

    async def open(self, table, person):
        """A stream that has told something, and can be closed."""

        async def endless():
            while True:
                yield b"news"

        stream = self.presence.following(table, person, endless())
        assert await anext(stream) == b"news"
        return stream


def test_a_line_that_is_closed_for_a_while_is_gone_once():
    async def run():
        line = Line()
        stream = await line.open(3, ADA)
        line.time += 1000
        assert line.presence.gone() == []
        await stream.aclose()
        line.time += GONE / 1000 - 0.1
        assert line.presence.gone() == []
        line.time += 0.1
        assert line.presence.gone() == [(3, ADA.id)]
        assert line.presence.gone() == []

    asyncio.run(run())


def test_who_reloads_the_page_or_has_another_one_open_is_not_gone():
    async def run():
        line = Line()
        one, two = await line.open(3, ADA), await line.open(3, ADA)
        other = await line.open(4, ADA)
        await one.aclose()
        line.time += 60
        assert line.presence.gone() == []
        await two.aclose()
        line.time += 1
        again = await line.open(3, ADA)
        line.time += 60
        assert line.presence.gone() == []
        await other.aclose()
        line.time += 60
        assert line.presence.gone() == [(4, ADA.id)]
        await again.aclose()

    asyncio.run(run())


def test_the_house_looks_on_and_is_never_gone():
    async def run():
        line = Line()
        await (await line.open(3, HOUSE)).aclose()
        line.time += 60
        assert line.presence.gone() == []

    asyncio.run(run())


def test_who_registers_is_still_who_follows():
    """One stream was opened before, one after; both are the same person's."""

    async def run():
        line = Line()
        ada = Person(ADA.id, "player", "Ada Quill")
        first = await line.open(3, ADA)
        line.presence.rename(ada)
        await (await line.open(3, ada)).aclose()
        line.time += 60
        assert line.presence.gone() == []
        line.presence.look(SimpleNamespace(table=3, seats=[SimpleNamespace(name="Ada Quill", gone=True)]))
        assert line.presence.back() == [(3, ADA.id)]
        await first.aclose()
        assert line.presence.back() == []
        line.presence.rename(ADA)
        assert not line.presence._names, "nobody is remembered who does not follow"

    asyncio.run(run())


def test_a_server_that_has_a_line_to_somebody_says_so(database):
    """One server lost ada's line and says that she seems gone; the other has her, and she has her whole time."""

    async def run(floor):
        ada, bob = floor.players("ada", "bob")
        table = floor.table(cards="Th 9h 6c Tc 9c Td 5c")
        floor.seated(table, ada, bob)
        until = floor.dealt(table, ada, bob).waits.until
        first, second = Line(), Line()
        lost, kept = await first.open(table, ada), await second.open(table, ada)
        await lost.aclose()
        first.time += GONE / 1000
        floor.time += GONE
        ((_, person),) = first.presence.gone()
        now = floor.do(table, SeemsGone(person)).now
        assert now.waits.until == floor.time + GONE
        for line in (first, second):
            line.presence.look(now)
        assert first.presence.back() == []
        ((_, person),) = second.presence.back()
        now = floor.do(table, IsBack(person)).now
        assert now.waits.until == until
        second.presence.look(now)
        assert second.presence.back() == []
        await kept.aclose()

    floor = Floor(database)
    asyncio.run(run(floor))
    floor.close()


# ---- over a real connection


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(presence, "GONE", 100)
    monkeypatch.setattr(deadlines, "GONE", 100)
    with Inside(tmp_path) as found:
        yield found
        found.check()


def test_a_table_does_not_wait_for_a_page_that_was_closed(server):
    """Ten minutes are allowed for wagers, and the table deals as soon as it has seen that Bea has gone."""
    with server.house() as house, Client(server.url).guest() as ada, Client(server.url).guest() as bea:
        slow = {"sheet": "bad-beat-blackjack", "betting_seconds": 600, "decision_seconds": 600}
        table = house.change("POST", "/tables", slow)["about"]["id"]
        for guest in (ada, bea):
            guest.buy_chips(100_000)
        mine = ada.sit(table, [1], 50_000)
        bea.sit(table, [2], 50_000)
        stream = bea.events(table)
        next(stream)
        mine.bet({"main": 1000})
        mine.deal()
        assert mine.now.waits.who == (bea.me()["name"],)
        stream.close()
        comes(lambda: mine.look().seats[1].away)
        comes(lambda: mine.look().round.step not in ("", "wagers"))
        assert mine.now.seats[1].gone
        stream = bea.events(table)
        next(stream)
        comes(lambda: not mine.look().seats[1].gone)
        stream.close()


def test_another_server_knows_better(server, tmp_path):
    """Bea's line to one server is closed, and she has one to another at the same database: that one says so."""
    with Inside(tmp_path) as other, server.house() as house, Client(server.url).guest() as bea:
        table = house.change("POST", "/tables", {"sheet": "bad-beat-blackjack"})["about"]["id"]
        bea.buy_chips(100_000)
        seat = bea.sit(table, [2], 50_000)
        with Client(other.url) as same:
            same._http.cookies.update(bea._http.cookies)
            kept = same.events(table)
            next(kept)
            lost = bea.events(table)
            next(lost)
            before = seat.look().seq
            lost.close()
            comes(lambda: seat.look().seq >= before + 2)
            assert not seat.now.seats[0].gone
            heard = [next(kept), next(kept)]
            assert [event["event"] for said in heard for event in said["events"]] == ["gone", "back"]
            kept.close()


def test_who_plays_without_a_line_is_never_gone(server):
    """A program that only asks and is answered has all the time of the table."""
    with server.house() as house, Client(server.url).guest() as ada, Client(server.url).guest() as bea:
        table = house.change("POST", "/tables", {"sheet": "bad-beat-blackjack"})["about"]["id"]
        for guest in (ada, bea):
            guest.buy_chips(100_000)
        mine = ada.sit(table, [1], 50_000)
        bea.sit(table, [2], 50_000)
        stream = ada.events(table)
        next(stream)
        stream.close()
        comes(lambda: mine.look().seats[0].gone)
        assert not mine.now.seats[1].gone
