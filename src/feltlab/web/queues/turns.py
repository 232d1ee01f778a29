"""Who is served next where one thing is done at a time: everybody in turn, whoever asks most last."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from feltlab.web.http.problems import RETRY_SECONDS, Problem


class Asker(NamedTuple):
    """Who asks: a person with an account by themselves, and guests in one group with all of their address."""

    group: str
    person: int


class _Waiting(NamedTuple):
    """Something that waits: how much work it is, the number under which it came, and how it is told to begin."""

    work: float
    number: int
    begin: asyncio.Future[None]


class _Share:
    """What somebody had: the work that was begun for them, on a scale on which `now` is what a newcomer is taken to have."""

    def __init__(self, had: float) -> None:
        self.had = had

    @property
    def waits(self) -> float:
        """The work that waits for them."""
        raise NotImplementedError

    def load(self, now: float) -> float:
        """What they will have had when all that waits is done."""
        return max(self.had, now) + self.waits


class _Person(_Share):
    """A person's errands, in their order."""

    def __init__(self, had: float) -> None:
        super().__init__(had)
        self.errands: deque[_Waiting] = deque()

    @property
    def waits(self) -> float:
        """The work that waits for them."""
        return sum(errand.work for errand in self.errands)


class _Group(_Share):
    """The people of a group."""

    def __init__(self, had: float) -> None:
        super().__init__(had)
        self.people: dict[int, _Person] = {}
        self.now = 0.0

    @property
    def waits(self) -> float:
        """The work that waits for them."""
        return sum(person.waits for person in self.people.values())

    @property
    def waiting(self) -> int:
        """How many errands wait."""
        return sum(len(person.errands) for person in self.people.values())

    def busy(self) -> dict[int, _Person]:
        """The people who wait for something."""
        return {id: person for id, person in self.people.items() if person.errands}

    def next(self) -> int:
        """The person who is served next: who will have had least by then, and of equals who asked first."""
        return min(self.busy(), key=lambda one: _after(self.people[one], self.people[one].errands[0]))


def _after(share: _Share, errand: _Waiting) -> tuple[float, int]:
    return share.had + errand.work, errand.number


class Turns:
    """One errand at a time. Groups are served in turn by the work they had, and the people of a group likewise.

    So somebody new waits for at most one like errand of each other person, and for none that is much larger than theirs.
    Time goes on for those who wait too: large errands are not put off for ever by ever new small ones. When too many wait,
    who will have had most work, with all that waits, gives up a place to who will have had less.
    """

    def __init__(self, most_waiting: int) -> None:
        self._most = most_waiting
        self._groups: dict[str, _Group] = {}
        self._now, self._number, self._busy = 0.0, 0, False

    @property
    def waiting(self) -> int:
        """How many errands wait."""
        return sum(group.waiting for group in self._groups.values())

    @asynccontextmanager
    async def turn(self, asker: Asker, work: float = 1.0) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the end. Refused when too many wait, even while waiting."""
        begin = self._join(asker, work)
        try:
            await begin
        except asyncio.CancelledError:
            if begin.cancelled():
                self._leave(asker, begin)
            elif begin.exception() is None:
                self._go_on()  # it was its turn just now
            raise
        try:
            yield
        finally:
            self._go_on()

    def _join(self, asker: Asker, work: float) -> asyncio.Future[None]:
        if self.waiting >= self._most:
            self._make_room(asker, work)
        group = self._groups.setdefault(asker.group, _Group(self._now))
        person = group.people.setdefault(asker.person, _Person(group.now))
        self._number += 1
        begin = asyncio.get_running_loop().create_future()
        person.errands.append(_Waiting(work, self._number, begin))
        if not self._busy:
            self._busy = True
            self._go_on()
        return begin

    def _leave(self, asker: Asker, begin: asyncio.Future[None]) -> None:
        """Who waited has gone."""
        group = self._groups.get(asker.group)
        person = group.people.get(asker.person) if group else None
        if person:
            person.errands = deque(errand for errand in person.errands if errand.begin is not begin)

    def check_room(self, asker: Asker, work: float = 1.0) -> None:
        """Refuse, if the asker could not wait here now."""
        if self.waiting >= self._most:
            self._who_gives_way(asker, work)

    def _make_room(self, asker: Asker, work: float) -> None:
        begin = self._who_gives_way(asker, work).errands.pop().begin
        if not begin.done():
            words = "too much is asked at once, and most of it by you or from where you are; ask again later"
            begin.set_exception(Problem(503, "busy", words, retry_after=RETRY_SECONDS))

    def _who_gives_way(self, asker: Asker, work: float) -> _Person:
        """Who has most, if that is more than the asker would have; else the asker is refused."""
        heavy = max((one for one in self._groups.values() if one.waiting), key=lambda one: one.load(self._now))
        most = max(heavy.busy().values(), key=lambda one: one.load(heavy.now))
        own = self._groups.get(asker.group, _Group(0.0))
        if own is heavy:
            mine, theirs = own.people.get(asker.person, _Person(0.0)).load(own.now), most.load(own.now)
        else:
            mine, theirs = own.load(self._now), heavy.load(self._now)
        if mine + work >= theirs:
            raise Problem(503, "busy", "too much is asked at once; try again", retry_after=RETRY_SECONDS)
        return most

    def _go_on(self) -> None:
        """Begin what is next; when nothing waits, everybody starts anew."""
        while busy := {name: group for name, group in self._groups.items() if group.busy()}:
            group = min(busy.values(), key=lambda one: _after(one, one.people[one.next()].errands[0]))
            person = group.people[group.next()]
            errand = person.errands.popleft()
            if errand.begin.done():  # who asked has gone
                continue
            self._now += errand.work / len(busy)
            group.now += errand.work / (len(group.busy()) or 1)
            group.had += errand.work
            person.had += errand.work
            group.people = {id: one for id, one in group.people.items() if one.errands or one.had > group.now}
            self._groups = {name: one for name, one in self._groups.items() if one.busy() or one.had > self._now}
            errand.begin.set_result(None)
            return
        self._groups.clear()
        self._now, self._busy = 0.0, False
