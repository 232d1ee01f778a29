"""The procedure of a live table: what each command does, whose turn it is, and what happens at a deadline."""

from __future__ import annotations

import logging
from typing import Any

from msgspec import UNSET
from sqlalchemy.exc import SQLAlchemyError

from feltlab.errors import Refused, listed
from feltlab.floor.ledger import accounts
from feltlab.floor.ledger.transfers import Ledger, TooLittle
from feltlab.floor.people.names import token
from feltlab.floor.shoes.fair import LONGEST_SEED, MOST_SEEDS
from feltlab.floor.tables import deadlines, spots
from feltlab.floor.tables.commands import (
    AddSeed,
    Bring,
    CloseTable,
    DeadlineExpired,
    Decide,
    IsBack,
    Leave,
    OpenTable,
    Ready,
    SeemsGone,
    SetBets,
    Sit,
    TableCommand,
    TakeName,
    VoidRound,
)
from feltlab.floor.tables.events import (
    CalledOff,
    CameBack,
    ChipsBrought,
    ClockSetBack,
    GaveUp,
    Gone,
    Leaving,
    Left,
    Readied,
    Renamed,
    Sat,
    SeedAdded,
    TableClosed,
    TableOpened,
    TimeUp,
)
from feltlab.floor.tables.headroom import check_room_to_sit, give_room_back, room_for_chips, room_for_wagers
from feltlab.floor.tables.live import Live, Person
from feltlab.floor.tables.state import SeatState
from feltlab.rounds.answers import command_for
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Act, AnyCommand, Insure, PlaceBet, TakeBack, Void, timeout_default
from feltlab.rounds.open import open_round

log = logging.getLogger("feltlab.floor")
LONGEST_REASON = 200
WENT_WRONG = "it could not be carried on, through no fault of the players"
DEALING = (Decide, Ready, Leave, DeadlineExpired)  # commands that can lead to cards dealt and wagers settled


class Stale(Refused):
    """An answer to a question that the table no longer asks."""


class NotYet(Refused):
    """A deadline was reported that has not passed, or no longer exists."""


def perform(
    live: Live, command: TableCommand, person: Person | None, ledger: Ledger, now: int, *, failed: bool = False
) -> dict[str, Any]:
    """Carry out a command with everything that follows from it; returns the row of its step. A refusal changes nothing.

    Any other error changes nothing either, unless it is unexpected and comes after cards were dealt or wagers settled:
    the player could learn a face-down card from it and then act differently. In that case the round is voided by the step
    of this command. `failed` says that this is known already, because the result could not be stored.
    """
    mark = ledger.mark()
    live.begin(ledger, now)
    try:
        if failed:
            _void(live, WENT_WRONG)
        else:
            _carry_out(live, command, person)
        return live.commit(command, person)
    except BaseException as error:
        harmless = failed or not isinstance(error, Exception) or _reveals_nothing(live, error)
        ledger.back_to(mark)
        live.undo()
        if harmless or not deals(live, command):
            raise
        log.exception("table %d, round %d is void", live.id, live.state.round)
    return perform(live, command, person, ledger, now, failed=True)


def _reveals_nothing(live: Live, error: Exception) -> bool:
    """Whether an error reveals nothing about face-down cards, so that the command may be sent again.

    That is so before the round has changed, for errors of the database, which do not depend on the cards, and for a player
    who cannot pay, since the price of an answer is paid before its cards are drawn.
    """
    unpaid = isinstance(error, TooLittle) and len(live.commands) == 1
    return unpaid or not live.acted or isinstance(error, SQLAlchemyError)


def deals(live: Live, command: TableCommand) -> bool:
    """Whether a command may deal cards of the round or settle its wagers."""
    return isinstance(command, DEALING) and live.round is not None and live.round.can(Void(WENT_WRONG))


def _carry_out(live: Live, command: TableCommand, person: Person | None) -> None:
    if live.state.closed:
        raise Refused("this table is closed")
    _heard_of(live, person)
    match command:
        case Sit():
            if person is None:
                raise Refused("only a person can sit down")
            _sit(live, command, person)
        case Leave():
            _leave(live, live.seat_of(person))
        case Bring(amount):
            _bring(live, live.seat_of(person), amount)
        case SetBets():
            _set_bets(live, live.seat_of(person), command)
        case Ready():
            _ready(live, live.seat_of(person))
        case Decide():
            _decide(live, live.seat_of(person), command)
        case AddSeed(seed):
            _add_seed(live, live.seat_of(person), seed)
        case TakeName():
            live.seat_of(person)
        case DeadlineExpired():
            _deadline_expired(live)
        case SeemsGone() | IsBack():
            _seen(live, command)
        case OpenTable():
            live.events.append(TableOpened(person.name if person else "the house"))
            live.open_shoe()
        case CloseTable():
            _close(live)
        case VoidRound(reason):
            _void(live, _checked_reason(reason))
    deadlines.follow(live)


def _call_by_name(live: Live, seat: SeatState, person: Person) -> None:
    """Rename the seat of a guest who has registered since. (A server that does not know it yet changes nothing.)"""
    if person.kind == "player" and seat.name != person.name:
        live.events.append(Renamed(person.name, seat.name))
        seat.name = person.name


# ---- seats


def _heard_of(live: Live, person: Person | None) -> None:
    """Note that the person who sent a command is present."""
    for seat in live.state.seats:
        if person is not None and seat.person == person.id:
            seat.seen, seat.away, seat.gone = live.at, False, False
            _call_by_name(live, seat, person)


def _sit(live: Live, command: Sit, person: Person) -> None:
    state = live.state
    if state.closing:
        raise Refused("this table is closing")
    if any(seat.person == person.id for seat in state.seats):
        raise Refused("you have a seat at this table already")
    wanted = tuple(sorted(set(command.spots)))
    if not wanted or len(wanted) != len(command.spots) or not 1 <= wanted[0] <= wanted[-1] <= live.config.seats:
        raise Refused(f"choose one or more of the spots 1 to {live.config.seats}, each once")
    for spot in wanted:
        if not spots.is_free(live, spot, live.at):
            raise Refused(f"spot {spot} is taken; free: {listed(spots.free(live, live.at), 'and') or 'none'}")
    if command.chips < 1:
        raise Refused("bring some chips to the table")
    live.ledger.check(accounts.chips(person.id), [command.chips])
    check_room_to_sit(live, person.id, command.chips)
    spots.count(live, person.id, len(wanted))
    for other in list(state.seats):
        _give_up(live, other, [spot for spot in other.spots if spot in wanted])
    seat = SeatState(person.id, person.name, wanted, live.at)
    state.seats.append(seat)
    spots.take(live, seat)
    _move_chips(live, person.id, command.chips)
    room_for_chips(live, seat)
    live.events.append(Sat(person.name, wanted, command.chips))


def _give_up(live: Live, seat: SeatState, lost: list[int]) -> None:
    """Take spots from a player who did not play them; wagers there that were not dealt to are returned."""
    if not lost:
        return
    for spot in lost:
        if live.betting:
            _take_back(live, spot)
    if len(lost) == len(seat.spots):
        _remove(live, seat)
        return
    spots.give_up(live, seat, lost)
    seat.spots = tuple(spot for spot in seat.spots if spot not in lost)
    live.events.append(GaveUp(seat.name, tuple(lost)))


def _move_chips(live: Live, person: int, amount: int) -> None:
    """Move chips from a person's account to their seat."""
    live.ledger.move(accounts.chips(person), accounts.seat(live.id, person), amount, "sit", seq=live.seq + 1)


def _bring(live: Live, seat: SeatState, amount: int) -> None:
    if amount < 1:
        raise Refused("bring some chips")
    live.ledger.check(accounts.chips(seat.person), [amount])
    _count(live, seat)
    _move_chips(live, seat.person, amount)
    room_for_chips(live, seat)
    live.events.append(ChipsBrought(seat.name, amount))


def _count(live: Live, seat: SeatState) -> None:
    spots.count(live, seat.person, len(seat.spots))


def _leave(live: Live, seat: SeatState) -> None:
    if seat.leaving:
        _count(live, seat)
    if live.betting:
        for spot in seat.spots:
            _take_back(live, spot)
    if live.has_bets(seat):
        seat.leaving = seat.away = True
        live.events.append(Leaving(seat.name))
    else:
        _remove(live, seat)
    _go_on(live)


def _remove(live: Live, seat: SeatState) -> None:
    live.state.seats.remove(seat)
    give_room_back(live, seat)
    spots.give_up(live, seat, seat.spots)
    account = accounts.seat(live.id, seat.person)
    chips = live.ledger.balance(account)
    if chips:
        live.ledger.move(account, accounts.chips(seat.person), chips, "leave", seq=live.seq + 1)
    live.events.append(Left(seat.name, seat.spots, chips))


def _add_seed(live: Live, seat: SeatState, seed: str) -> None:
    state = live.state
    if state.cut:
        raise Refused("the shoe has been cut: add a seed to the next one, before its first round is dealt")
    if not seed or len(seed) > LONGEST_SEED or not seed.isprintable():
        raise Refused(f"a seed is 1 to {LONGEST_SEED} printable characters")
    if len(state.seeds) >= MOST_SEEDS or any(who == token(seat.person) for who, _ in state.seeds):
        raise Refused("each player adds one seed to a shoe")
    state.seeds.append((token(seat.person), seed))
    live.seeders[token(seat.person)] = seat.name
    live.events.append(SeedAdded(seat.name, seed))


# ---- wagers and the deal


def _take_back(live: Live, spot: int, keep: dict[str, int] | None = None) -> None:
    """Take back the wagers of a spot, except those to keep unchanged."""
    for bet in live.round.felt.open(spot) if live.round else []:
        if (keep or {}).get(bet.wager) != bet.stake:
            live.do(TakeBack(spot, bet.wager))


def _set_bets(live: Live, seat: SeatState, command: SetBets) -> None:
    if live.state.closing:
        raise Refused("this table is closing: no more wagers")
    if command.spot not in seat.spots:
        raise Refused(f"spot {command.spot} is not yours; you play {listed(seat.spots, 'and')}")
    if not live.betting:
        raise Refused("no more bets: the cards are being dealt")
    if command.round not in (UNSET, live.following):
        raise Stale(f"the table has gone on: these are for round {command.round}, and the next is {live.following}")
    if live.round is None and not command.bets:
        raise Refused("there is no wager to take back")
    _verify_bets(live, seat, command)
    room_for_wagers(live, seat, {command.spot: command.bets})
    if live.round is None:
        live.open_round()
        live.state.lapses = live.now + deadlines.UNDEALT
    assert live.round is not None
    _take_back(live, command.spot, dict(command.bets))
    for wager, amount in command.bets.items():
        if not live.round.felt.find(command.spot, wager):
            live.do(PlaceBet(command.spot, wager, amount))
    seat.ready = False


def _verify_bets(live: Live, seat: SeatState, command: SetBets) -> None:
    """Refuse the wagers if any cannot be placed or paid for, before the first is touched."""
    round_ = live.round or open_round(live.table)
    round_.verify_bets(command.spot, command.bets)
    placed = {bet.wager: bet.stake for bet in round_.felt.open(command.spot)}
    back = sum(stake for wager, stake in placed.items() if command.bets.get(wager) != stake)
    new = [amount for wager, amount in command.bets.items() if placed.get(wager) != amount]
    live.ledger.check(accounts.seat(live.id, seat.person), new, back)
    if new:
        live.ledger.check_own_limits(seat.person, sum(new) - back, lays=True)
    if command.bets or not placed:  # taking everything back is never refused
        _count(live, seat)


def _ready(live: Live, seat: SeatState) -> None:
    if not live.betting:
        raise Refused("the cards have been dealt already")
    if live.round is None or not live.round.felt.open():
        raise Refused("nobody has placed a wager yet")
    for spot in seat.spots:
        if live.round.felt.open(spot):
            live.round.verify_spot(spot)
    if seat.ready:
        _count(live, seat)
    else:
        seat.ready = True
        live.events.append(Readied(seat.name))
    _go_on(live)


def _go_on(live: Live) -> None:
    """Do everything that needs no waiting: deal when all are ready, and answer for players who are away."""
    while live.round is not None:
        waits = live.waits
        if waits is None:
            _round_over(live)
            return
        if waits.kind == "bets":
            if not _all_ready(live):
                return
            _deal(live)
            continue
        seat = live.seat_at(waits.spot)
        if seat is not None and not seat.away:
            if live.commands:  # only for a new question: somebody leaving gives nobody more time
                deadlines.ask(live)
            return
        live.do(timeout_default(waits))


def _all_ready(live: Live) -> bool:
    """Whether everybody who is here is ready. The first one who is starts the time for the others."""
    state = live.state
    assert live.round is not None
    here = [seat for seat in state.seats if not seat.away]
    if not live.round.felt.open() or not any(seat.ready for seat in here):
        state.deadline = None
        return False
    if state.deadline is None:
        state.deadline = live.now + 1000 * live.config.betting_seconds
    return all(seat.ready for seat in here)


def _deal(live: Live) -> None:
    """Close the betting and deal. Wagers that cannot be dealt to, or whose wins could not be paid, are returned."""
    assert live.round is not None
    for spot in sorted({bet.spot for bet in live.round.felt.open()}):
        seat = live.seat_at(spot)
        assert seat is not None
        try:
            live.round.verify_spot(spot)
            room_for_wagers(live, seat)
        except Refused:
            _take_back(live, spot)
    for seat in live.state.seats:
        seat.ready = False
    deadlines.stop(live)
    if not live.round.felt.open():
        return
    live.state.lapses = None
    if not live.state.cut:
        live.cut_shoe()
    live.state.patience = live.now + deadlines.ALONE
    spots.count_anew(live)
    spots.played(live)
    live.deal()


def _decide(live: Live, seat: SeatState, command: Decide) -> None:
    if live.waits is None or live.waits.kind == "bets":
        raise Refused("the table waits for wagers, not for a decision")
    if command.spot not in seat.spots:
        raise Refused(f"spot {command.spot} is not yours; you play {listed(seat.spots, 'and')}")
    if command.turn != live.turn:
        raise Stale(f"the table has gone on: this answers turn {command.turn[:20]}, and it is turn {live.turn}")
    answer = _answer(command)
    assert live.round is not None
    live.round.verify(answer)
    prices = _prices(live, answer)
    live.ledger.check(accounts.seat(live.id, seat.person), prices)
    live.ledger.check_own_limits(seat.person, sum(prices))
    live.do(answer)
    _go_on(live)


def _prices(live: Live, answer: AnyCommand) -> list[int]:
    """The amounts that an answer takes from the player's chips."""
    match answer:
        case Insure(_, amount):
            return [amount]
        case Act(spot, action, side) if isinstance(live.round, BlackjackRound) and live.waits is not None:
            return [*side.values(), live.round.price(spot, live.waits.hand, action)]
        case _:
            return []


def _answer(given: Decide) -> AnyCommand:
    return command_for(given.action, given.spot, given.side, given.amount)


def _round_over(live: Live) -> None:
    deadlines.stop(live)
    spots.played(live)
    live.end_round()
    for seat in list(live.state.seats):
        seat.ready = False
        if seat.leaving:
            _remove(live, seat)
    if live.state.closing:
        _close_now(live)


# ---- deadlines and the end


def _void(live: Live, reason: str) -> None:
    """Void the round: open wagers are returned, settled ones stay settled, as when a shoe runs out of cards."""
    if live.round is None:
        raise Refused("there is no round to void: the felt is empty")
    live.void(reason)
    _round_over(live)


def _checked_reason(reason: str) -> str:
    if not 1 <= len(reason) <= LONGEST_REASON or not reason.isprintable():
        raise Refused(f"give a reason of 1 to {LONGEST_REASON} printable characters, which the round's record keeps")
    return reason


def _deadline_expired(live: Live) -> None:
    state = live.state
    if state.due is None:
        raise NotYet("nobody's time is running")
    if deadlines.set_back(live):
        live.events.append(ClockSetBack())
        return
    if live.now < state.due:
        raise NotYet("there is time left")
    waits = live.waits
    assert live.round is not None and waits is not None
    if state.deadline is None:
        _call_off(live)
        return
    if waits.kind == "bets":
        for seat in state.seats:
            if not seat.ready and not seat.away and (seat.gone or not live.has_bets(seat)):
                _away(live, seat)
        _deal(live)
    else:
        late = live.seat_at(waits.spot)
        assert late is not None
        _away(live, late)
    _go_on(live)


def _away(live: Live, seat: SeatState) -> None:
    seat.away = True
    live.events.append(TimeUp(seat.name))


def _call_off(live: Live) -> None:
    """Call off a round that nobody has asked to be dealt, so that its wagers do not hold spots forever."""
    live.events.append(CalledOff(live.state.round))
    _take_all_back(live)


def _take_all_back(live: Live) -> None:
    """End the round before its deal, and return all wagers."""
    if live.round is None:
        return
    for spot in sorted({bet.spot for bet in live.round.felt.open()}):
        _take_back(live, spot)
    live.state.lapses = None
    spots.count_anew(live)
    live.abandon_round()


def _seen(live: Live, command: SeemsGone | IsBack) -> None:
    """Note that a person has gone from the table, or is back."""
    seat = next((seat for seat in live.state.seats if seat.person == command.person), None)
    if seat is None:
        raise Refused("they have no seat at this table")
    gone = isinstance(command, SeemsGone)
    if seat.gone == gone:
        raise Refused(f"that is known already: {seat.name} is {'gone' if gone else 'here'}")
    if gone and live.at < seat.seen + deadlines.GONE:
        raise NotYet(f"{seat.name} was here a moment ago")
    seat.gone = gone
    live.events.append(Gone(seat.name) if gone else CameBack(seat.name))


def _close(live: Live) -> None:
    live.state.closing = True
    if live.betting:
        _take_all_back(live)
        _close_now(live)


def _close_now(live: Live) -> None:
    """Close the table: everybody takes their chips, the shoe is revealed, and the float goes to the house."""
    for seat in list(live.state.seats):
        _remove(live, seat)
    live.reveal_shoe()
    account = accounts.table_float(live.id)
    won = live.ledger.balance(account)
    if won > 0:
        live.ledger.move(account, accounts.HOUSE, won, "close", seq=live.seq + 1)
    elif won < 0:
        live.ledger.move(accounts.HOUSE, account, -won, "close", seq=live.seq + 1)
    live.state.closed = True
    deadlines.stop(live)
    live.events.append(TableClosed())
