"""How long a table waits, and for whom. Nobody's time runs while nobody waits for them."""

from __future__ import annotations

from feltlab.floor.tables.live import Live
from feltlab.floor.tables.state import SeatState

ALONE = 10 * 60 * 1000  # ms for all answers of a round that nobody waits for; it does not lie there for ever
UNDEALT = 10 * 60 * 1000  # ms that wagers lie there without anybody asking for the deal
GONE = 5000  # ms that the table waits for somebody who seems to have gone


def waited_for(live: Live) -> list[SeatState]:
    """Whom the table waits for: who is asked; before the deal who has not asked for it, once somebody has."""
    waits = live.waits
    if waits is None:
        return []
    if waits.kind != "bets":
        seat = live.seat_at(waits.spot)
        return [seat] if seat else []
    here = [seat for seat in live.state.seats if not seat.away]
    return [seat for seat in here if not seat.ready] if any(seat.ready for seat in here) else []


def ask(live: Live) -> None:
    """A new question is asked: the time for its answer begins."""
    state = live.state
    state.alone, state.hurry = _is_alone(live), None
    state.deadline = state.patience if state.alone else live.now + _usual(live)


def follow(live: Live) -> None:
    """Somebody came, went or came back: who is alone has time, and who is gone has little."""
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
    """When the time is up that players see; there is none to see where nobody waits."""
    state = live.state
    if state.deadline is None or state.alone:
        return None
    return min(state.deadline, state.hurry or state.deadline)


def stop(live: Live) -> None:
    """The table waits for nobody."""
    live.state.deadline = live.state.hurry = None
    live.state.alone = False


def set_back(live: Live) -> bool:
    """The server's clock went back: a time that is longer than any begins anew."""
    state, found = live.state, False
    for name, longest in (
        ("patience", ALONE),
        ("deadline", ALONE if state.alone else _usual(live)),
        ("hurry", GONE),
        ("lapses", UNDEALT),
    ):
        if (getattr(state, name) or 0) > live.now + longest:
            setattr(state, name, live.now + longest)
            found = True
    return found


def _usual(live: Live) -> int:
    """What the table gives for wagers, or for an answer."""
    bets = live.waits is None or live.waits.kind == "bets"
    return 1000 * (live.config.betting_seconds if bets else live.config.decision_seconds)


def _is_alone(live: Live) -> bool:
    """Is nobody there but who is asked? It helps while there is more time for the whole round than usually for an answer."""
    waited = waited_for(live)
    others = any(_waits(live, seat) for seat in live.state.seats if seat not in waited)
    return not others and live.now + _usual(live) < live.state.patience


def _waits(live: Live, seat: SeatState) -> bool:
    """Others wait who are here, who have wagers in the round, or who leave when it is over."""
    return seat.leaving or (not seat.gone and (not seat.away or live.has_bets(seat)))
