"""Who holds which spot, which is kept by playing it, and how many changes are allowed between two deals."""

from __future__ import annotations

from collections.abc import Iterable

from feltlab.errors import Refused
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.state import SeatState, SpotHolding

KEPT = 10 * 60 * 1000  # ms that a holder keeps a spot without being dealt to there
MOST_CHANGES = 200  # by a player for each of their spots, from one deal to the next
MOST_COUNTED = 100  # players whose changes are counted


def take(live: Live, seat: SeatState) -> None:
    """Hold the spots of a new seat. A player who gave a spot up recently gains no time by sitting down again."""
    for spot in seat.spots:
        last = live.state.spots.get(spot)
        back = last is not None and last.holder == seat.person and last.left > live.at - KEPT
        live.state.spots[spot] = SpotHolding(seat.person, last.since if last is not None and back else live.at)


def give_up(live: Live, seat: SeatState, spots: Iterable[int]) -> None:
    """Release these spots."""
    for number in spots:
        _spot(live, seat, number).left = live.at


def played(live: Live) -> None:
    """Note that the spots with wagers in the round are being played."""
    assert live.round is not None
    for number in {bet.spot for bet in live.round.felt.bets.values()}:
        seat = live.seat_at(number)
        if seat is not None:
            _spot(live, seat, number).since = live.at


def kept_until(live: Live, seat: SeatState, number: int) -> int | None:
    """Until when a seat keeps a spot if nothing is dealt to it; None while its wagers are in play or about to be."""
    if live.round is not None and (seat.ready or not live.betting):
        if any(bet.spot == number for bet in live.round.felt.bets.values()):
            return None
    spot = live.state.spots.get(number)
    return (spot.since if spot is not None and not spot.left else seat.seen) + KEPT


def free(live: Live, at: int) -> list[int]:
    """The spots where somebody else may sit down: empty ones, and those that are not played."""
    return [number for number in range(1, live.config.seats + 1) if is_free(live, number, at)]


def is_free(live: Live, number: int, at: int) -> bool:
    """Whether somebody else may sit down on a spot."""
    seat = live.seat_at(number)
    until = None if seat is None else kept_until(live, seat, number)
    return seat is None or (until is not None and at > until)


def count(live: Live, person: int, spots: int) -> None:
    """Count a change by a person with this many spots; refused if there were too many since the last deal."""
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
    if len(state.changes) > MOST_COUNTED:  # forget the person with the fewest changes
        del state.changes[min(state.changes, key=lambda known: (known == person, state.changes[known]))]


def count_anew(live: Live) -> None:
    """Restart the count of changes."""
    live.state.counted, live.state.changes = live.at, {}


def _spot(live: Live, seat: SeatState, number: int) -> SpotHolding:
    """The holding of a spot; in databases from before there were holdings, it dates from the player's last command."""
    return live.state.spots.setdefault(number, SpotHolding(seat.person, seat.seen))
