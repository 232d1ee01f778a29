"""Who follows which table at this server: whoever stops is gone, and whoever seems gone but follows is back.

Another server may have a stream of the same person. It sees the step that says they seem gone, as all do, and says
that they are back; until then the table has only shortened their time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable

from feltlab.floor.tables.deadlines import GONE
from feltlab.floor.tables.live import Person
from feltlab.floor.tables.shapes import Now

Place = tuple[int, int]  # a table and a person


class Presence:
    """The people who follow tables at this server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._streams: Counter[Place] = Counter()
        self._lost: dict[Place, float] = {}
        self._names: dict[int, str] = {}  # of those who follow
        self._gone: dict[int, frozenset[str]] = {}  # tables with somebody who seems gone, and their names

    async def following(self, table: int, person: Person, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A stream, whose end is noticed."""
        place = table, person.id
        self._streams[place] += 1
        self._names[person.id] = person.name
        self._lost.pop(place, None)
        try:
            async for part in stream:
                yield part
        finally:
            self._streams[place] -= 1
            if not self._streams[place]:
                del self._streams[place]
                if person.kind != "house":
                    self.lose(place)
                if not any(follows == person.id for _, follows in self._streams):
                    del self._names[person.id]

    def lose(self, place: Place) -> None:
        """Nobody follows a table for somebody any more; whether they are gone is asked a while later."""
        self._lost[place] = self._clock()

    def rename(self, person: Person) -> None:
        """Somebody goes by another name from now on."""
        if person.id in self._names:
            self._names[person.id] = person.name

    def look(self, now: Now) -> None:
        """See who seems gone at a table."""
        self._gone.pop(now.table, None)
        if names := frozenset(seat.name for seat in now.seats if seat.gone):
            self._gone[now.table] = names

    def gone(self) -> list[Place]:
        """Who was not seen here for a while. Each is named once."""
        before = self._clock() - GONE / 1000
        found = [place for place, at in self._lost.items() if at <= before]
        for place in found:
            del self._lost[place]
        return found

    def back(self) -> list[Place]:
        """Who seems gone, but follows here."""
        if not self._gone:
            return []
        return [place for place in self._streams if self._names[place[1]] in self._gone.get(place[0], ())]
