"""The limits that players set for themselves: how much they may lose, and how long they may play, in a day of play.

A day of play begins with a stake and ends 24 hours later. What is on the felt counts as lost until it comes back, so a limit
on losses works like having fewer chips: no wager is taken that could exceed it, and what is in play goes on. When the time
is up, no more wagers are taken. A stricter limit holds at once; a looser one holds a day after it was requested.

The cost of a day is the chips that a player had when it began, including those on the felt, less the chips now. So wagers
that were already on the felt count from the beginning of the day, and only what was charged can come back. The same holds
from the moment in which a player sets limits for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from feltlab.errors import Refused
from feltlab.floor.ledger.at_risk import at_risk
from feltlab.floor.people import acts
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import LIMITS_LOCK, Unavailable, exclusive_lock, shared_lock
from feltlab.money import amount_text

DAY = 24 * 3600 * 1000
MINUTE = 60 * 1000
MOST_MINUTES = 24 * 60
SETTINGS = ("loss", "minutes", "later_loss", "later_minutes", "later_at")  # also recorded in acts

_l = schema.own_limits
_FIND = select(_l).where(_l.c.person.in_(bindparam("persons", expanding=True))).order_by(_l.c.person).with_for_update()
_COUNT = update(_l).where(_l.c.person == bindparam("who"))


class PlayLimits(NamedTuple):
    """The most to lose in cents, and the time to play in minutes; None for no limit."""

    loss: int | None = None
    minutes: int | None = None

    def stricter(self, other: PlayLimits) -> PlayLimits:
        """The stricter of each limit.

        >>> PlayLimits(5_00, None).stricter(PlayLimits(9_00, 60))
        PlayLimits(loss=500, minutes=60)
        """
        return PlayLimits(_least(self.loss, other.loss), _least(self.minutes, other.minutes))


class PlaySpend(NamedTuple):
    """What a player placed on the felt less what came back, and whether anything was placed."""

    cost: int = 0
    staked: bool = False


class Later(Struct, frozen=True):
    """Limits that take effect at a later time."""

    loss: int | None
    minutes: int | None
    at: int


class MyLimits(Struct, frozen=True):
    """A player's own limits, those that take effect later, and the day of play: its cost, beginning and end."""

    loss: int | None = None
    minutes: int | None = None
    later: Later | None = None
    lost: int = 0
    began: int | None = None
    ends: int | None = None


class Unreadable(Unavailable):
    """A player's stored limits are damaged. This player's wagers are refused; others are not affected."""

    def __init__(self, person: int) -> None:
        super().__init__("your own limits cannot be read, so no more wagers are taken; tell the house")
        self.person = person


class _Own(Struct, frozen=True):
    """A row of `own_limits` with the types of its columns checked, which SQLite does not enforce."""

    person: int
    loss: int | None
    minutes: int | None
    later_loss: int | None
    later_minutes: int | None
    later_at: int | None
    began: int | None
    lost: int

    @classmethod
    def of(cls, row: Row[Any]) -> _Own | Unreadable:
        """Read a row; an error value if it cannot be read."""
        try:
            return msgspec.convert(row._mapping, cls)
        except Exception:  # rows can be damaged in more ways than can be listed
            return Unreadable(row.person)

    def in_force(self, now: int) -> PlayLimits:
        """The limits in force."""
        if self.later_at is not None and now >= self.later_at:
            return PlayLimits(self.later_loss, self.later_minutes)
        return PlayLimits(self.loss, self.minutes)

    def later(self, now: int) -> Later | None:
        """The limits that take effect later, if any."""
        if self.later_at is None or now >= self.later_at:
            return None
        return Later(self.later_loss, self.later_minutes, self.later_at)

    def day_began(self, now: int) -> int | None:
        """When the day of play began, if it is not over. A beginning far from now comes from a wrong clock and is ignored."""
        if self.began is None or abs(now - self.began) >= DAY:
            return None
        return min(self.began, now)


def limits_of(db: Connection, person: int, now: int) -> MyLimits:
    """A player's own limits and day of play."""
    own = _checked(_read(db.execute(select(_l).where(_l.c.person == person)).all()).get(person))
    return MyLimits() if own is None else _my_limits(own, now)


def set_limits(db: Connection, person: int, wanted: PlayLimits, now: int) -> MyLimits:
    """Set a player's own limits; looser ones wait a day. A request that changes nothing is not recorded."""
    own = _checked(_read(db.execute(_FIND, {"persons": [person]})).get(person))
    if own is None and wanted != PlayLimits():
        exclusive_lock(db, LIMITS_LOCK)  # whoever plays meanwhile, not knowing of any limits, has stored what they did
        own = _checked(_read(db.execute(_FIND, {"persons": [person]})).get(person))
    if own is None:
        return MyLimits() if wanted == PlayLimits() else _begin(db, person, wanted, now)
    before = own.in_force(now), own.later(now)
    holds, later = before[0].stricter(wanted), None
    if holds != wanted:
        later = Later(wanted.loss, wanted.minutes, now + DAY)
        asked = before[1]
        if asked and (asked.loss, asked.minutes) == wanted:  # requested before: keep the earlier time
            later = Later(wanted.loss, wanted.minutes, min(asked.at, later.at))
    if (holds, later) != before:
        settings = _settings(holds, later)
        db.execute(update(_l).where(_l.c.person == person).values(settings))
        _record(db, person, settings, now)
    return limits_of(db, person, now)


def _begin(db: Connection, person: int, wanted: PlayLimits, now: int) -> MyLimits:
    """Set a player's first limits. What is on the felt is the cost of the first day of play so far."""
    settings, on_felt = _settings(wanted, None), at_risk(db, person)
    db.execute(insert(_l).values(person=person, lost=on_felt, began=now if on_felt else None, **settings))
    _record(db, person, settings, now)
    return limits_of(db, person, now)


def _settings(holds: PlayLimits, later: Later | None) -> dict[str, int | None]:
    """The columns of a row with the settings."""
    values = (*holds, later.loss, later.minutes, later.at) if later else (*holds, None, None, None)
    return dict(zip(SETTINGS, values, strict=True))


def _record(db: Connection, person: int, settings: dict[str, int | None], now: int) -> None:
    acts.record(db, at=now, by=person, act="limits", subject=acts.of_person(person), detail=settings)


def forget_limits(db: Connection, person: int) -> None:
    """Delete a player's limits."""
    db.execute(delete(_l).where(_l.c.person == person))


class OwnLimits:
    """The own limits of the people in one transaction."""

    def __init__(self, db: Connection, at: int) -> None:
        self._db, self._at = db, at
        self._rows: dict[int, _Own | Unreadable | None] = {}
        self._lay: dict[int, int] = {}  # what was on the felt when the transaction began

    def know(self, persons: Iterable[int]) -> None:
        """Load the limits of these people in one query. Their rows are locked until the transaction ends.

        Until then, people without limits cannot set any either.
        """
        if missing := sorted(set(persons) - self._rows.keys()):
            shared_lock(self._db, LIMITS_LOCK)
            found = _read(self._db.execute(_FIND, {"persons": missing}))
            self._rows.update({person: found.get(person) for person in missing})

    def limited(self, person: int) -> bool:
        """Whether a person has set any limits."""
        self.know([person])
        return self._rows[person] is not None

    def check(self, person: int, played: PlaySpend, cost: int, *, lays: bool) -> None:
        """Refuse a cost beyond a player's own limits, given what they have played in this transaction already.

        `lays`: the cost is for a wager on a round to come, which the time limit applies to.
        """
        found = self._rows[person]
        if isinstance(found, Unreadable) and cost <= 0 and not lays:
            return  # what is in play goes on
        own = _checked(found)
        if own is None:
            return
        limits, began = own.in_force(self._at), own.day_began(self._at)
        in_day = began is not None
        began = self._at if began is None else began
        again = _span(began + DAY - self._at)
        if lays and limits.minutes is not None and self._at >= began + limits.minutes * MINUTE:
            raise Refused(
                f"your own limit: {limits.minutes} minutes of play a day, and they are up; you may play again in {again}"
                if in_day
                else "your own limit: no play at all; change it in your account, and it holds a day later"
            )
        if limits.loss is None or cost <= 0:
            return
        left = max(0, limits.loss - self._lost(own) - played.cost)
        if cost > left:
            raise Refused(
                f"your own limit: that takes {amount_text(cost)}, and you allow yourself to lose"
                f" {amount_text(left)} more in the next {again}"
            )

    def store(self, played: Mapping[int, PlaySpend]) -> None:
        """Store what people played. To be called before any of it is written to the ledger."""
        self.know(played)
        for person, what in played.items():
            own = self._rows[person]
            if own is None or isinstance(own, Unreadable):
                continue
            began = own.day_began(self._at)
            if began is not None or what.staked:
                began = self._at if began is None else began
                self._db.execute(_COUNT.values(lost=self._lost(own) + what.cost, began=began), {"who": person})

    def _lost(self, own: _Own) -> int:
        """The cost of the day of play when the transaction began; for a new day, what was on the felt then."""
        if own.day_began(self._at) is not None:
            return own.lost
        if own.person not in self._lay:
            self._lay[own.person] = at_risk(self._db, own.person)
        return self._lay[own.person]


def _read(rows: Iterable[Row[Any]]) -> dict[int, _Own | Unreadable]:
    return {row.person: _Own.of(row) for row in rows}


def _checked(own: _Own | Unreadable | None) -> _Own | None:
    if isinstance(own, Unreadable):
        raise own
    return own


def _my_limits(own: _Own, now: int) -> MyLimits:
    began = own.day_began(now)
    day = {} if began is None else {"lost": own.lost, "began": began, "ends": began + DAY}
    return MyLimits(**own.in_force(now)._asdict(), later=own.later(now), **day)


def _least(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def _span(milliseconds: int) -> str:
    """A waiting time in words.

    >>> _span(90 * 60_000), _span(1)
    ('1 h 30 min', '1 min')
    """
    minutes = -(-milliseconds // MINUTE)
    hours = f"{minutes // 60} h " if minutes >= 60 else ""
    return f"{hours}{minutes % 60} min"
