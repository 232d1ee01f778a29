"""The procedure of a live table: what each command does, whose turn it is, and what happens when time is up."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from feltlab.errors import Refused, listed
from feltlab.floor import ledger as accounts
from feltlab.floor.commands import (
    AddSeed,
    Bring,
    ClockStruck,
    CloseTable,
    Decide,
    Leave,
    OpenTable,
    Ready,
    SetBets,
    Sit,
    TableCommand,
)
from feltlab.floor.events import (
    ChipsBrought,
    ClockSetBack,
    Leaving,
    Left,
    Readied,
    Sat,
    SeedAdded,
    TableClosed,
    TableOpened,
    TimeUp,
)
from feltlab.floor.fair import LONGEST_SEED, MOST_SEEDS
from feltlab.floor.ledger import Ledger
from feltlab.floor.live import Live, Person, Seat
from feltlab.table.commands import Act, AnyCommand, Deal, EvenMoney, Insure, PlaceBet, TakeBack, for_the_absent

IDLE = 10 * 60 * 1000  # a seat that nobody has heard of for so long, with no wagers, is free for others


class Stale(Refused):
    """An answer to a question that the table no longer asks."""


class NotYet(Refused):
    """The clock struck, but nobody's time is up any more."""


def perform(live: Live, command: TableCommand, person: Person | None, ledger: Ledger, now: int) -> dict[str, Any]:
    """Carry a command out, with everything that follows from it; gives the row of its step. A refusal, or any error, leaves no trace."""
    mark = ledger.mark()
    live.begin(ledger, now)
    try:
        _carry_out(live, command, person)
        return live.commit(command, person)
    except BaseException:
        ledger.back_to(mark)
        live.undo()
        raise


def _carry_out(live: Live, command: TableCommand, person: Person | None) -> None:
    if live.state.closed:
        raise Refused("this table is closed")
    if person is not None:
        for seat in live.state.seats:
            if seat.person == person.id:
                seat.seen, seat.away = live.at, False
    match command:
        case Sit():
            assert person is not None
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
        case ClockStruck():
            _clock_struck(live)
        case OpenTable():
            live.events.append(TableOpened(person.name if person else "the house"))
            live.open_shoe()
        case CloseTable():
            _close(live)


# ---- coming and going


def _sit(live: Live, command: Sit, person: Person) -> None:
    state = live.state
    if state.closing:
        raise Refused("this table is closing")
    if any(seat.person == person.id for seat in state.seats):
        raise Refused("you have a seat at this table already")
    spots = tuple(sorted(set(command.spots)))
    if not spots or len(spots) != len(command.spots) or not 1 <= spots[0] <= spots[-1] <= live.config.seats:
        raise Refused(f"choose one or more of the spots 1 to {live.config.seats}, each once")
    for spot in spots:
        taken = live.seat_at(spot)
        if taken and live.at - taken.seen > IDLE and not live.has_bets(taken):
            _remove(live, taken)
        elif taken:
            raise Refused(f"spot {spot} is taken; free: {listed(_free(live), 'and') or 'none'}")
    if command.chips < 1:
        raise Refused("bring some chips to the table")
    state.seats.append(Seat(person.id, person.name, spots, live.at))
    _move_chips(live, person.id, command.chips)
    live.events.append(Sat(person.name, spots, command.chips))


def _free(live: Live) -> list[int]:
    return [spot for spot in range(1, live.config.seats + 1) if not live.seat_at(spot)]


def _move_chips(live: Live, person: int, amount: int) -> None:
    """From a person's pocket to their seat."""
    live.ledger.move(accounts.chips(person), accounts.seat(live.id, person), amount, "sit", seq=live.seq + 1)


def _bring(live: Live, seat: Seat, amount: int) -> None:
    if amount < 1:
        raise Refused("bring some chips")
    _move_chips(live, seat.person, amount)
    live.events.append(ChipsBrought(seat.name, amount))


def _leave(live: Live, seat: Seat) -> None:
    if live.betting:
        for spot in seat.spots:
            _take_back(live, spot)
    if live.has_bets(seat):
        seat.leaving = seat.away = True
        live.events.append(Leaving(seat.name))
    else:
        _remove(live, seat)
    _go_on(live)


def _remove(live: Live, seat: Seat) -> None:
    live.state.seats.remove(seat)
    account = accounts.seat(live.id, seat.person)
    chips = live.ledger.balance(account)
    if chips:
        live.ledger.move(account, accounts.chips(seat.person), chips, "leave", seq=live.seq + 1)
    live.events.append(Left(seat.name, seat.spots, chips))


def _add_seed(live: Live, seat: Seat, seed: str) -> None:
    state = live.state
    if state.cut:
        raise Refused("the shoe has been cut: add a seed to the next one, before its first round is dealt")
    if not seed or len(seed) > LONGEST_SEED or not seed.isprintable():
        raise Refused(f"a seed is 1 to {LONGEST_SEED} printable characters")
    if len(state.seeds) >= MOST_SEEDS or any(who == seat.name for who, _ in state.seeds):
        raise Refused("each player adds one seed to a shoe")
    state.seeds.append((seat.name, seed))
    live.events.append(SeedAdded(seat.name, seed))


# ---- wagers and the deal


def _take_back(live: Live, spot: int, keep: dict[str, int] | None = None) -> None:
    """Take back what lies on a spot, but for wagers that are to stay as they are."""
    for bet in live.round.felt.open(spot) if live.round else []:
        if (keep or {}).get(bet.wager) != bet.stake:
            live.do(TakeBack(spot, bet.wager))


def _set_bets(live: Live, seat: Seat, command: SetBets) -> None:
    if live.state.closing:
        raise Refused("this table is closing: no more wagers")
    if command.spot not in seat.spots:
        raise Refused(f"spot {command.spot} is not yours; you play {listed(seat.spots, 'and')}")
    if not live.betting:
        raise Refused("no more bets: the cards are being dealt")
    if command.round not in (UNSET, live.following):
        raise Stale(f"the table has gone on: these are for round {command.round}, and the next is {live.following}")
    if live.round is None:
        if not command.bets:
            raise Refused("there is no wager to take back")
        live.open_round()
    assert live.round is not None
    _take_back(live, command.spot, dict(command.bets))
    for wager, amount in command.bets.items():
        if not live.round.felt.find(command.spot, wager):
            live.do(PlaceBet(command.spot, wager, amount))
    seat.ready = False


def _ready(live: Live, seat: Seat) -> None:
    if not live.betting:
        raise Refused("the cards have been dealt already")
    if live.round is None or not live.round.felt.open():
        raise Refused("nobody has placed a wager yet")
    for spot in seat.spots:
        if live.round.felt.open(spot):
            live.round.verify_spot(spot)
    if not seat.ready:
        seat.ready = True
        live.events.append(Readied(seat.name))
    _go_on(live)


def _go_on(live: Live) -> None:
    """Whatever the table need not wait for: the deal when all are ready, and answers for those who are away."""
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
            if live.commands:  # a new question; who leaves meanwhile gives nobody more time for the old one
                live.state.deadline = live.now + 1000 * live.config.decision_seconds
            return
        live.do(for_the_absent(waits))


def _all_ready(live: Live) -> bool:
    """Has everybody who is here said so? The first who does starts the clock for the others."""
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
    """No more bets. A spot whose wagers cannot be dealt to gets them back."""
    assert live.round is not None
    for spot in sorted({bet.spot for bet in live.round.felt.open()}):
        try:
            live.round.verify_spot(spot)
        except Refused:
            _take_back(live, spot)
    for seat in live.state.seats:
        seat.ready = False
    live.state.deadline = None
    if not live.round.felt.open():
        return
    if not live.state.cut:
        live.cut_shoe()
    live.do(Deal())


def _decide(live: Live, seat: Seat, command: Decide) -> None:
    if live.waits is None or live.waits.kind == "bets":
        raise Refused("the table waits for wagers, not for a decision")
    if command.spot not in seat.spots:
        raise Refused(f"spot {command.spot} is not yours; you play {listed(seat.spots, 'and')}")
    if command.turn != live.turn:
        raise Stale(f"the table has gone on: this answers turn {command.turn[:20]}, and it is turn {live.turn}")
    live.do(_answer(command))
    _go_on(live)


def _answer(command: Decide) -> AnyCommand:
    match command.action:
        case "insure":
            return Insure(command.spot, command.amount)
        case "decline":
            return Insure(command.spot)
        case "even-money":
            return EvenMoney(command.spot)
        case action:
            return Act(command.spot, action, dict(command.side))


def _round_over(live: Live) -> None:
    live.state.deadline = None
    live.end_round()
    for seat in list(live.state.seats):
        seat.ready = False
        if seat.leaving:
            _remove(live, seat)
    if live.state.closing:
        _close_now(live)


# ---- the clock and the end


def _clock_struck(live: Live) -> None:
    state, longest = live.state, 1000 * max(live.config.decision_seconds, live.config.betting_seconds)
    if state.deadline is None:
        raise NotYet("nobody's time is running")
    if state.deadline > live.now + longest:
        state.deadline = live.now + longest
        live.events.append(ClockSetBack())
        return
    if live.now < state.deadline:
        raise NotYet("there is time left")
    waits = live.waits
    assert live.round is not None and waits is not None
    if waits.kind == "bets":
        for seat in state.seats:
            if not seat.ready and not live.has_bets(seat) and not seat.away:
                _away(live, seat)
        _deal(live)
    else:
        late = live.seat_at(waits.spot)
        assert late is not None
        _away(live, late)
    _go_on(live)


def _away(live: Live, seat: Seat) -> None:
    seat.away = True
    live.events.append(TimeUp(seat.name))


def _close(live: Live) -> None:
    live.state.closing = True
    if live.betting:
        if live.round is not None:
            for spot in sorted({bet.spot for bet in live.round.felt.open()}):
                _take_back(live, spot)
            live.abandon_round()
        _close_now(live)


def _close_now(live: Live) -> None:
    """Everybody takes their chips, the shoe is revealed, and what the table has won goes to the house."""
    for seat in list(live.state.seats):
        _remove(live, seat)
    live.reveal_shoe()
    account = accounts.table_float(live.id)
    won = live.ledger.balance(account)
    if won > 0:
        live.ledger.move(account, accounts.HOUSE, won, "close", seq=live.seq + 1)
    elif won < 0:
        live.ledger.move(accounts.HOUSE, account, -won, "close", seq=live.seq + 1)
    live.state.closed, live.state.deadline = True, None
    live.events.append(TableClosed())
