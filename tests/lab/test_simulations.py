"""The row of simulations: everybody's are dealt in turn, each for so long, and none for nobody."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from feltlab.floor.tables.live import Person
from feltlab.lab.dealing_shapes import DealtWager, NewSimulation, Report, SheetTable, SimulationJob
from feltlab.sheets.loader import builtin_text
from feltlab.web.http.problems import Problem
from feltlab.web.lab import simulations
from feltlab.web.lab.simulations import (
    FEWEST_POINTS,
    MOST_HISTORY_BYTES,
    MOST_OWN,
    MOST_POINTS,
    MOST_WAITING,
    OVER,
    HostedSimulation,
    Simulations,
)
from feltlab.web.queues.turns import Asker
from feltlab.web.streams.following import Follower

SHEET = "bad-beat-baccarat"


def job(rounds: int) -> SimulationJob:
    return SimulationJob(builtin_text(SHEET), NewSimulation(SheetTable(sheet=SHEET), rounds, 7, "shoe"))


class Row:
    """The simulations of a server, and people who begin some."""

    def __init__(self) -> None:
        self.time = 0.0
        self.simulations = Simulations(lambda: self.time)

    def begin(self, number: int, rounds: int, *, kind: str = "guest", address: str = "192.0.2.1") -> str:
        person = Person(number, kind, f"{kind} {number}")
        asker = Asker(f"address {address}" if kind == "guest" else f"person {number}", number)
        return self.simulations.begin(job(rounds), person, asker, "").id

    def status(self, id: str) -> str:
        return self.simulations._known[id].answer().status

    def why(self, id: str) -> str:
        return self.simulations._known[id].answer().why

    async def until(self, id: str, *statuses: str) -> None:
        async with asyncio.timeout(300):
            while self.status(id) not in statuses:
                await asyncio.sleep(0.01)

    async def stop(self, id: str, number: int) -> None:
        await self.simulations.end(id, Person(number, "guest", f"guest {number}"))


def run(act) -> None:
    async def all_of_it() -> None:
        row = Row()
        try:
            await act(row)
        finally:
            await row.simulations.stop()

    asyncio.run(all_of_it())


def test_eight_guests_fill_the_row_and_a_ninths_small_one_is_next():
    async def act(row):
        many = {guest: [row.begin(guest, 400_000_000) for _ in range(MOST_OWN)] for guest in range(1, 9)}
        first = many[1][0]
        await row.until(first, "running")
        small = row.begin(9, 1000)
        await row.stop(first, 1)
        await row.until(small, *OVER)
        assert row.status(small) == "done"
        others = [id for ids in many.values() for id in ids if id != first]
        assert sum(row.status(id) in ("waiting", "running") for id in others) == len(others)

    run(act)


def test_when_the_row_is_full_who_has_most_gives_way():
    async def act(row):
        many = {guest: [row.begin(guest, 400_000_000) for _ in range(MOST_OWN)] for guest in range(1, 9)}
        await row.until(many[1][0], "running")
        ninth = [row.begin(9, 1000) for _ in range(3)]

        def given_way() -> list[int]:
            return [guest for guest, ids in many.items() for id in ids if row.status(id) == "stopped"]

        async with asyncio.timeout(300):
            while len(given_way()) < 2:
                await asyncio.sleep(0.01)
        assert all("too much is asked" in row.why(id) for ids in many.values() for id in ids if row.status(id) in OVER)
        assert {row.status(id) for id in ninth} == {"waiting"} and len(set(given_way())) == 2
        with pytest.raises(Problem, match="too much is asked"):
            row.begin(given_way()[0], 400_000_000)  # who gave way, and would have no less than others

    run(act)


def test_small_ones_get_a_place_though_everybody_waits_for_one():
    """Forty-one who each wait for one large simulation fill no row for those who want a small one."""

    async def act(row):
        many = [row.begin(person, 1_000_000_000, kind="player") for person in range(1, MOST_WAITING + 2)]
        await row.until(many[0], "running")
        small = row.begin(100, 10_000)
        async with asyncio.timeout(300):
            while sum(row.status(id) == "stopped" for id in many) != 1:
                await asyncio.sleep(0.01)
        assert row.status(small) == "waiting"
        with pytest.raises(Problem, match="too much is asked"):
            row.begin(101, 1_000_000_000, kind="player")

    run(act)


def test_a_guest_has_so_many_rounds_and_somebody_with_an_account_more():
    async def act(row):
        for _ in range(2):
            row.begin(1, 1_000_000_000)
        with pytest.raises(Problem, match="2,000,000,000 rounds at a time"):
            row.begin(1, 1)
        for _ in range(MOST_OWN):
            row.begin(2, 1_000_000_000, kind="player")
        with pytest.raises(Problem, match="of yours run or wait"):
            row.begin(2, 1, kind="player")

    run(act)


def test_a_simulation_is_dealt_for_so_long_and_what_was_dealt_stays(monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.simulations.MOST_GUEST_SECONDS", 0.01)

    async def act(row):
        long = row.begin(1, 1_000_000_000)
        await row.until(long, *OVER)
        assert row.status(long) == "stopped" and "0.01 seconds" in row.why(long)
        monkeypatch.undo()
        after = row.begin(2, 1000)
        await row.until(after, *OVER)
        assert row.status(after) == "done"

    run(act)


def test_nobodys_simulation_ends_and_a_followed_one_goes_on():
    async def act(row):
        running = row.begin(1, 1_000_000_000)
        await row.until(running, "running")
        alone, followed, looked_at = row.begin(2, 1000), row.begin(3, 1000), row.begin(4, 1000)
        stream = row.simulations.follow(followed, Follower(lambda: None))
        await anext(stream)
        row.time = 10_000.0
        assert row.simulations.find(looked_at)
        await row.until(running, "stopped")
        assert "nobody looked at it for 15 minutes" in row.why(running)
        for id in (alone, followed, looked_at):
            await row.until(id, *OVER)
        assert (row.status(alone), row.status(followed), row.status(looked_at)) == ("stopped", "done", "done")
        await stream.aclose()

    run(act)


def told(dealt, wagers):
    return Report(
        "h", dealt, 1.0, [DealtWager(f"{'w' * 55}{n}", "W", dealt, 0.1, 0.01, 0.1, 0.0) for n in range(wagers)]
    )


@pytest.mark.parametrize("wagers", [1, 40])
def test_what_a_simulation_keeps_of_its_way_is_bounded_in_bytes(wagers):
    """The attack: forty wagers with long names, a megabyte for every look of every follower."""
    one = HostedSimulation(job(1000), Person(1, "guest", "guest 1"))
    for dealt in range(1, 1000):
        one.add(told(dealt, wagers))
        assert len(msgspec.json.encode(one.history)) <= MOST_HISTORY_BYTES + 2 * MOST_POINTS
        assert len(one.history) <= MOST_POINTS
    assert one.history[0].dealt == 1 and one.history[-1].dealt == 999
    assert len(one.history) >= FEWEST_POINTS and len(one.encoded()) < 2 * MOST_HISTORY_BYTES


def test_a_report_is_encoded_once_for_all_who_follow(monkeypatch):
    encoded = []
    answer = HostedSimulation.answer
    monkeypatch.setattr(HostedSimulation, "answer", lambda one: encoded.append(one.report.dealt) or answer(one))

    async def act(row: Row) -> None:
        made = simulations.HostedSimulation(job(1000), Person(1, "guest", "guest 1"))
        row.simulations._known[made.id] = made
        followed = [row.simulations.follow(made.id, Follower(made.wake)) for _ in range(20)]
        heard = [[await anext(one) for _ in range(2)][1] for one in followed]
        made.add(told(5, 3))
        heard += [await anext(one) for one in followed]
        made.end("done")
        heard += [await anext(one) for one in followed]
        assert encoded == [0, 5, 5] and len(set(heard)) == 3
        assert b'"status":"done"' in heard[-1]
        (listed,) = row.simulations.of(Person(1, "guest", "guest 1"))
        assert listed.dealt == 5 and not listed.history and len(made.answer().history) == 1
        for one in followed:
            await one.aclose()

    run(act)
