"""Deadlines: how long a table waits, and for whom. A player who keeps nobody waiting has plenty of time."""

from __future__ import annotations

from feltlab.floor.tables.live import Live
from feltlab.floor.tables.state import SeatState

ALONE = 10 * 60 * 1000  # ms for all answers in a round, for a player who keeps nobody waiting
UNDEALT = 10 * 60 * 1000  # ms that wagers stay on the felt without anybody asking for the deal
GONE = 5000  # ms that the table waits for a player who seems to have gone


def waited_for(live: Live) -> list[SeatState]:
    """The seats that the table waits for: the one to answer or, once somebody is ready for the deal, all who are not."""
    waits = live.waits
    if waits is None:
        return []
    if waits.kind != "bets":
        seat = live.seat_at(waits.spot)
        return [seat] if seat else []
    here = [seat for seat in live.state.seats if not seat.away]
    return [seat for seat in here if not seat.ready] if any(seat.ready for seat in here) else []


def ask(live: Live) -> None:
    """Start the time for the answer to a new question."""
    state = live.state
    state.alone, state.hurry = _is_alone(live), None
    state.deadline = state.patience if state.alone else live.now + _usual(live)


def follow(live: Live) -> None:
    """Adjust the deadline after somebody came, left or came back."""
    state = live.state
    asked = live.waits is not None and live.waits.kind != "bets"
    alone = asked and _is_alone(live)
    if asked and state.deadline is not None and alone != state.alone:
        state.deadline = state.patience if alone else min(state.deadline, live.now + _usual(live))
    state.alone = alone
    waited = waited_for(live)
    hurry = state.deadline is not None and not alone and waited and all(seat.gone for seat in waited)
    state.hurry = (state.hurry or live.now + GONE) if hurry else None


def until(live: Live) -> int | None:
    """The deadline that players see; None if nobody is kept waiting."""
    state = live.state
    if state.deadline is None or state.alone:
        return None
    return min(state.deadline, state.hurry or state.deadline)


def stop(live: Live) -> None:
    """Clear the deadline: the table waits for nobody."""
    live.state.deadline = live.state.hurry = None
    live.state.alone = False


def set_back(live: Live) -> bool:
    """Restart deadlines that are further away than possible, because the clock was set back; returns whether any was."""
    state, restarted = live.state, False
    for name, longest in (
        ("patience", ALONE),
        ("deadline", ALONE if state.alone else _usual(live)),
        ("hurry", GONE),
        ("lapses", UNDEALT),
    ):
        if (getattr(state, name) or 0) > live.now + longest:
            setattr(state, name, live.now + longest)
            restarted = True
    return restarted


def _usual(live: Live) -> int:
    """The table's usual time for wagers or for an answer, in ms."""
    bets = live.waits is None or live.waits.kind == "bets"
    return 1000 * (live.config.betting_seconds if bets else live.config.decision_seconds)


def _is_alone(live: Live) -> bool:
    """Whether the player to answer keeps nobody waiting, and has more than the usual time left for the round."""
    waited = waited_for(live)
    others = any(_waits(live, seat) for seat in live.state.seats if seat not in waited)
    return not others and live.now + _usual(live) < live.state.patience


def _waits(live: Live, seat: SeatState) -> bool:
    """Whether a seat is kept waiting: its player is here, has wagers in the round, or leaves when it is over."""
    return seat.leaving or (not seat.gone and (not seat.away or live.has_bets(seat)))
