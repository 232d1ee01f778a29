"""The limits that players set themselves: how much they may lose, and how long they may play, in a day of play.

A day of play begins with a wager and is over 24 hours later. What lies on the felt counts as lost until it comes back, so a
limit on losses works as fewer chips would: nothing is laid that could pass it, and what is in play goes on. Time that is
up takes no more wagers. A limit that is stricter holds at once; one that is not holds a day after it was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from feltlab.errors import Refused
from feltlab.floor import acts, schema
from feltlab.money import amount_text

DAY = 24 * 3600 * 1000
MINUTE = 60 * 1000
MOST_MINUTES = 24 * 60
SETTINGS = ("loss", "minutes", "later_loss", "later_minutes", "later_at")  # what acts tell of, too

_l = schema.own_limits
_FIND = select(_l).where(_l.c.person.in_(bindparam("persons", expanding=True))).order_by(_l.c.person).with_for_update()
_COUNT = update(_l).where(_l.c.person == bindparam("who"))


class Limits(NamedTuple):
    """The most to lose, in cents, and the time to play, in minutes; None where there is no limit."""

    loss: int | None = None
    minutes: int | None = None

    def stricter(self, other: Limits) -> Limits:
        """Of each the one that allows less.

        >>> Limits(5_00, None).stricter(Limits(9_00, 60))
        Limits(loss=500, minutes=60)
        """
        return Limits(_least(self.loss, other.loss), _least(self.minutes, other.minutes))


class Played(NamedTuple):
    """What somebody put on the felt less what came back, and whether a wager was laid."""

    cost: int = 0
    laid: bool = False


class Later(Struct, frozen=True):
    """Limits that hold from a time on."""

    loss: int | None
    minutes: int | None
    at: int


class MyLimits(Struct, frozen=True):
    """Somebody's own limits, those that hold later, and the day of play: what it has cost, when it began and ends."""

    loss: int | None = None
    minutes: int | None = None
    later: Later | None = None
    lost: int = 0
    began: int | None = None
    ends: int | None = None


def limits_of(db: Connection, person: int, now: int) -> MyLimits:
    """How it stands with somebody's own limits."""
    row = db.execute(select(_l).where(_l.c.person == person)).first()
    if row is None:
        return MyLimits()
    later = Later(row.later_loss, row.later_minutes, row.later_at) if row.later_at and now < row.later_at else None
    day = {"lost": row.lost, "began": row.began, "ends": row.began + DAY} if _in_day(row, now) else {}
    return MyLimits(**_in_force(row, now)._asdict(), later=later, **day)


def set_limits(db: Connection, person: int, wanted: Limits, now: int) -> MyLimits:
    """Set somebody's own limits; what allows more than those in force waits a day."""
    row = db.execute(_FIND, {"persons": [person]}).first()
    holds = (_in_force(row, now) if row else Limits()).stricter(wanted)
    settings = {**holds._asdict(), "later_loss": None, "later_minutes": None, "later_at": None}
    if holds != wanted:
        asked = row is not None and row.later_at is not None and _later(row) == wanted  # already, and not again
        at = row.later_at if row and asked else now + DAY
        settings |= {"later_loss": wanted.loss, "later_minutes": wanted.minutes, "later_at": at}
    if row:
        db.execute(update(_l).where(_l.c.person == person).values(settings))
    else:
        db.execute(insert(_l).values(person=person, lost=0, **settings))
    acts.record(db, at=now, by=person, act="limits", subject=acts.of_person(person), detail=settings)
    return limits_of(db, person, now)


def forget_limits(db: Connection, person: int) -> None:
    """Somebody's data is deleted."""
    db.execute(delete(_l).where(_l.c.person == person))


class OwnLimits:
    """The own limits of the people of one transaction."""

    def __init__(self, db: Connection, at: int) -> None:
        self._db, self._at = db, at
        self._rows: dict[int, Row[Any] | None] = {}

    def know(self, persons: Iterable[int]) -> None:
        """Find the limits of these people with one question. Their rows are locked until the transaction ends."""
        if missing := sorted(set(persons) - self._rows.keys()):
            found = {row.person: row for row in self._db.execute(_FIND, {"persons": missing})}
            self._rows.update({person: found.get(person) for person in missing})

    def limited(self, person: int) -> bool:
        """Has somebody set any?"""
        self.know([person])
        return self._rows[person] is not None

    def check(self, person: int, played: Played, cost: int, *, lays: bool) -> None:
        """Refuse what costs somebody more than they allow themselves, after what they played in this transaction already.

        `lays`: it is a wager for a round to come, for which there must be time.
        """
        row = self._rows[person]
        if row is None:
            return
        limits, in_day = _in_force(row, self._at), _in_day(row, self._at)
        began = row.began if in_day else self._at
        again = _span(began + DAY - self._at)
        if lays and limits.minutes is not None and self._at >= began + limits.minutes * MINUTE:
            raise Refused(
                f"your own limit: {limits.minutes} minutes of play a day, and they are up; you may play again in {again}"
                if in_day
                else "your own limit: no play at all; change it in your account, and it holds a day later"
            )
        left = None if limits.loss is None else limits.loss - (row.lost if in_day else 0) - played.cost
        if left is not None and cost > max(0, left):
            raise Refused(
                f"your own limit: that takes {amount_text(cost)}, and you allow yourself to lose"
                f" {amount_text(max(0, left))} more in the next {again}"
            )

    def store(self, played: Mapping[int, Played]) -> None:
        """Count what people played."""
        self.know(played)
        for person, what in played.items():
            row = self._rows[person]
            if row is None:
                continue
            if _in_day(row, self._at):
                self._db.execute(_COUNT.values(lost=row.lost + what.cost), {"who": person})
            elif what.laid:
                self._db.execute(_COUNT.values(lost=what.cost, began=self._at), {"who": person})


def _in_force(row: Row[Any], now: int) -> Limits:
    if row.later_at is not None and now >= row.later_at:
        return _later(row)
    return Limits(row.loss, row.minutes)


def _later(row: Row[Any]) -> Limits:
    return Limits(row.later_loss, row.later_minutes)


def _in_day(row: Row[Any], now: int) -> bool:
    """Is the day of play not over? One that seems to begin far from now began when the clock was wrong."""
    return row.began is not None and abs(now - row.began) < DAY


def _least(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def _span(milliseconds: int) -> str:
    """A time to wait, in words.

    >>> _span(90 * 60_000), _span(1)
    ('1 h 30 min', '1 min')
    """
    minutes = -(-milliseconds // MINUTE)
    hours = f"{minutes // 60} h " if minutes >= 60 else ""
    return f"{hours}{minutes % 60} min"
