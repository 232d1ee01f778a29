"""Who has which spot: whoever plays it. And how much may be changed between two deals."""

from __future__ import annotations

from collections.abc import Iterable

from feltlab.errors import Refused
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.state import SeatState, SpotHolding

KEPT = 10 * 60 * 1000  # ms that a spot is its holder's without a wager of its own being dealt to
MOST_CHANGES = 200  # of a player for each of their spots, from one deal to the next
MOST_COUNTED = 100  # players whose changes are remembered


def take(live: Live, seat: SeatState) -> None:
    """Somebody sits down. Who gave the spot up a moment ago goes on where they were: getting up wins no time."""
    for spot in seat.spots:
        last = live.state.spots.get(spot)
        back = last is not None and last.holder == seat.person and last.left > live.at - KEPT
        live.state.spots[spot] = SpotHolding(seat.person, last.since if last is not None and back else live.at)


def give_up(live: Live, seat: SeatState, spots: Iterable[int]) -> None:
    """Nobody has these spots any more."""
    for number in spots:
        _spot(live, seat, number).left = live.at


def played(live: Live) -> None:
    """Cards have been dealt, or the round is over: who has wagers there has played."""
    assert live.round is not None
    for number in {bet.spot for bet in live.round.felt.bets.values()}:
        seat = live.seat_at(number)
        if seat is not None:
            _spot(live, seat, number).since = live.at


def kept_until(live: Live, seat: SeatState, number: int) -> int | None:
    """Until when a spot is a seat's if nothing is dealt to it; None while its wagers are in play, or about to be."""
    if live.round is not None and (seat.ready or not live.betting):
        if any(bet.spot == number for bet in live.round.felt.bets.values()):
            return None
    spot = live.state.spots.get(number)
    return (spot.since if spot is not None and not spot.left else seat.seen) + KEPT


def free(live: Live, at: int) -> list[int]:
    """The spots on which somebody else may sit down: empty ones, and those that nobody plays."""
    return [number for number in range(1, live.config.seats + 1) if is_free(live, number, at)]


def is_free(live: Live, number: int, at: int) -> bool:
    """May somebody sit down there?"""
    seat = live.seat_at(number)
    until = None if seat is None else kept_until(live, seat, number)
    return seat is None or (until is not None and at > until)


def count(live: Live, person: int, spots: int) -> None:
    """Count a change that somebody with so many spots makes; refused where there were too many since the last deal."""
    state = live.state
    if live.at > state.counted + KEPT:
        count_anew(live)
    made, most = state.changes.get(person, 0), MOST_CHANGES * spots
    if made >= most:
        minutes = max(1, -(-(state.counted + KEPT - live.at) // 60_000))
        raise Refused(
            f"you have made {most} changes at this table since the last deal; go on after the next one, "
            f"or in {minutes} minute{'s' if minutes > 1 else ''}"
        )
    state.changes[person] = made + 1
    if len(state.changes) > MOST_COUNTED:  # of those who have changed least, nobody has to be kept from more
        del state.changes[min(state.changes, key=lambda one: (one == person, state.changes[one]))]


def count_anew(live: Live) -> None:
    """Changes are counted from now."""
    live.state.counted, live.state.changes = live.at, {}


def _spot(live: Live, seat: SeatState, number: int) -> SpotHolding:
    """A spot of a seat; one of somebody who sat down before spots were kept is as old as what was heard of them."""
    return live.state.spots.setdefault(number, SpotHolding(seat.person, seat.seen))
