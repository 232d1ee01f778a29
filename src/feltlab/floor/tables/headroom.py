"""Room for wins: before a card is dealt, it is certain that every payment of the round can be made.

The most that a seat may come to hold (its chips, its wagers and what these can bring back) is reserved beside the person's
chips away from tables, so that the total never exceeds the bound, however many tables they play at. Most seats never need
more than what they reserve when they are taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from feltlab.errors import Refused
from feltlab.floor.ledger import accounts
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.state import SeatState
from feltlab.money import LARGEST_BALANCE, amount_text
from feltlab.rounds.bets import Bet

AT_ONCE = 2**40  # cents that a seat reserves when it is taken; a person can sit at all tables and still have room
Bets = Mapping[int, Mapping[str, int]]


def room_for_wagers(live: Live, seat: SeatState, bets: Bets | None = None) -> None:
    """Reserve room for these wagers of a seat, and for those on its other spots; refused if there is not enough."""
    mine = _most_back(live, seat, bets or {})
    others = sum(_most_back(live, other, {}) for other in live.state.seats if other is not seat)
    won = live.ledger.balance(accounts.table_float(live.id))
    if abs(won) + mine + others > LARGEST_BALANCE:
        raise Refused(f"these wagers can bring {amount_text(mine)} back, more than this table can pay now; wager less")
    _keep(live, seat, mine)


def room_for_chips(live: Live, seat: SeatState) -> None:
    """Reserve room for chips that a player has brought."""
    _keep(live, seat, _most_back(live, seat, {}))


def check_room_to_sit(live: Live, person: int, chips: int) -> None:
    """Refuse a person if there would be no room for a seat with these chips."""
    live.ledger.check_room(accounts.chips(person), max(chips, AT_ONCE) - chips)


def give_room_back(live: Live, seat: SeatState) -> None:
    """Release what was reserved for a seat that is given up."""
    if seat.room:
        live.ledger.release(accounts.chips(seat.person), seat.room)
        seat.room = 0


def _keep(live: Live, seat: SeatState, back: int) -> None:
    laid = sum(bet.stake for spot in seat.spots for bet in _open(live, spot))
    most = live.ledger.balance(accounts.seat(live.id, seat.person)) + laid + back
    if most > seat.room:
        room = max(most, AT_ONCE)
        live.ledger.reserve(accounts.chips(seat.person), room - seat.room)
        seat.room = room


def _most_back(live: Live, seat: SeatState, bets: Bets) -> int:
    """The most that a seat can get back, with these wagers on its spots in the place of those there now."""
    laid = {spot: {bet.wager: bet.stake for bet in _open(live, spot)} for spot in seat.spots}
    return sum(live.most_back(frozenset(spot.items())) for spot in {**laid, **bets}.values())


def _open(live: Live, spot: int) -> list[Bet]:
    return live.round.felt.open(spot) if live.round else []
