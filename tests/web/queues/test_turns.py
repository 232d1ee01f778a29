"""One errand at a time, and everybody in turn: nobody can fill what others wait for."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from feltlab.web.http.problems import Problem
from feltlab.web.queues.turns import Asker, Turns

ADA, BEA, CAI = Asker("person 1", 1), Asker("person 2", 2), Asker("person 3", 3)


def guest(number: int, address: str = "192.0.2.1") -> Asker:
    return Asker(f"address {address}", number)


class Row:
    """Errands that are done one by one as the test says, and the order in which they began."""

    def __init__(self, most: int = 100) -> None:
        self.turns, self.began, self.refused = Turns(most), [], []
        self._end, self._tasks = asyncio.Event(), []

    async def _errand(self, asker: Asker, work: float, name: object) -> None:
        try:
            async with self.turns.turn(asker, work):
                self.began.append(name)
                await self._end.wait()
                self._end.clear()
        except Problem:
            self.refused.append(name)

    async def come(self, asker: Asker, work: float = 1.0, name: object = None) -> asyncio.Task[None]:
        task = asyncio.create_task(self._errand(asker, work, asker if name is None else name))
        self._tasks.append(task)
        for _ in range(4):  # so that who gives way for it knows
            await asyncio.sleep(0)
        return task

    async def end_one(self) -> None:
        self._end.set()
        for _ in range(4):
            await asyncio.sleep(0)

    async def end_all(self) -> list[object]:
        for _ in self._tasks:
            await self.end_one()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return self.began


def in_row(act) -> list[object]:
    async def run() -> list[object]:
        return await act()

    return asyncio.run(run())


def test_everybody_in_turn():
    async def act():
        row = Row()
        for asker in (ADA, ADA, ADA, BEA, BEA, CAI):
            await row.come(asker)
        return await row.end_all()

    assert in_row(act) == [ADA, ADA, BEA, CAI, ADA, BEA], "the first had begun before anybody else came"


def test_somebody_new_waits_for_at_most_one_errand_of_each():
    async def act():
        row = Row()
        for number in range(1, 9):
            for _ in range(5):
                await row.come(guest(number, f"192.0.2.{number}"))
        await row.come(CAI)
        return await row.end_all()

    began = in_row(act)
    before = began[1 : began.index(CAI)]
    assert len(before) == len(set(before)) <= 8


@pytest.mark.parametrize("addresses", [1, 8])
def test_what_is_small_is_next_though_others_wait_with_much(addresses):
    async def act():
        row = Row()
        for number in range(1, 9):
            for _ in range(5):
                await row.come(guest(number, f"192.0.2.{number % addresses}"), 1e9)
        await row.come(guest(9, "192.0.2.0"), 1e4)
        return await row.end_all()

    began = in_row(act)
    assert began[1] == guest(9, "192.0.2.0")
    assert len(began) == 41, "and the others too"


def test_guests_of_one_address_share_what_one_has():
    async def act():
        row = Row()
        for number in range(1, 9):
            await row.come(guest(number))
        for _ in range(3):
            await row.come(ADA)
        return await row.end_all()

    began = in_row(act)
    assert began.index(ADA) <= 2 and began[:7].count(ADA) == 3


def test_small_errands_of_ever_new_people_do_not_put_a_large_one_off_for_ever():
    async def act():
        row = Row()
        await row.come(ADA, 1.0)
        await row.come(BEA, 50.0, "large")
        for number in range(10, 200):
            await row.come(Asker(f"person {number}", number), 1.0)
            await row.end_one()
        return row.began

    assert "large" in in_row(act)


def test_who_has_most_waiting_gives_way_when_too_many_wait():
    async def act():
        row = Row(most=6)
        for _ in range(7):  # one is begun
            await row.come(ADA)
        await row.come(BEA)
        await row.come(BEA)
        assert row.refused == [ADA, ADA]
        for _ in range(3):
            await row.come(BEA)
        assert row.refused.count(BEA) == 2, "who has as much waits in vain"
        await row.come(CAI)
        began = await row.end_all()
        assert row.turns.waiting == 0
        return began

    assert in_row(act).count(CAI) == 1


def test_who_wants_less_finds_a_place_among_those_who_each_want_much():
    async def act():
        row = Row(most=3)
        for number in range(4):  # one is begun
            await row.come(guest(number, f"192.0.2.{number}"), work=1000)
        with pytest.raises(Problem):
            row.turns.check_room(CAI, 1000)
        await row.come(CAI, work=10)
        assert len(row.refused) == 1 and row.turns.waiting == 3
        await row.come(BEA, work=20)
        assert len(row.refused) == 2
        return await row.end_all()

    began = in_row(act)
    assert began[1:3] == [CAI, BEA] and len(began) == 4


def test_guests_of_one_address_give_way_to_each_other():
    async def act():
        row = Row(most=6)
        for _ in range(7):
            await row.come(guest(1))
        await row.come(guest(2))
        assert row.refused == [guest(1)]
        with pytest.raises(Problem):
            row.turns.check_room(guest(1))
        row.turns.check_room(guest(2))
        return await row.end_all()

    assert in_row(act).count(guest(2)) == 1


def test_who_goes_leaves_no_place_taken():
    async def act():
        row = Row(most=2)
        await row.come(ADA)
        waiting = [await row.come(ADA) for _ in range(2)]
        for task in waiting:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        assert row.turns.waiting == 0
        last = await row.come(BEA)
        row._tasks[0].cancel()  # while it is served
        for _ in range(4):
            await asyncio.sleep(0)
        assert row.began == [ADA, BEA]
        last.cancel()
        await asyncio.gather(last, return_exceptions=True)
        await row.come(CAI)
        return row.began[:]

    assert in_row(act) == [ADA, BEA, CAI]
