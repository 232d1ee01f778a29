"""The public view of a table: seats, felt, the question and what is legal, without face-down cards."""

from __future__ import annotations

from feltlab.cards import NO_CARD, name
from feltlab.floor.people.names import gone, person_of
from feltlab.floor.tables import deadlines
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.shapes import BetView, CardsView, Now, RoundView, SeatView, ShoeView, TurnView
from feltlab.floor.tables.spots import kept_until
from feltlab.floor.tables.state import SeatState
from feltlab.rounds.answers import legal_answers
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.bets import Bet
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Decision
from feltlab.rounds.hands import Hand


def now_of(live: Live) -> Now:
    """The public view of a table now."""
    state, config = live.state, live.config
    dealt = live.shoe.dealt if live.shoe and not live.shoe.ran_out else state.dealt
    on_felt = live.round or live.last
    seeds = [(live.seeders.get(who, gone(person_of(who))), seed) for who, seed in state.seeds]
    return Now(
        table=live.id,
        seq=live.seq,
        status="closed" if state.closed else "closing" if state.closing else "open",
        seats=[
            SeatView(
                seat.name,
                seat.spots,
                live.chips(seat),
                seat.ready,
                seat.away,
                seat.leaving,
                seat.gone,
                _kept(live, seat),
            )
            for seat in state.seats
        ],
        shoe=ShoeView(state.shoe, state.commitment, state.cut, seeds, 52 * config.decks, dealt, config.behind_cut),
        following=live.following,
        round=round_view(live.state.round, on_felt) if on_felt else None,
        waits=_question(live),
    )


def _question(live: Live) -> TurnView | None:
    """The question, with the answers that are legal and that the player can pay for."""
    waits, until, who = live.waits, deadlines.until(live), tuple(seat.name for seat in deadlines.waited_for(live))
    if waits is None:
        return None if live.state.closing else TurnView("bets", live.turn, 0, 0, (), {}, 0, until, who)
    actions, most = actions_of(live, waits)
    side = {action: ids for action, ids in waits.side.items() if action in actions}
    return TurnView(waits.kind, live.turn, waits.spot, waits.hand, actions, side, most, until, who)


def _kept(live: Live, seat: SeatState) -> dict[str, int]:
    by_spot = {str(spot): kept_until(live, seat, spot) for spot in seat.spots}
    return {spot: until for spot, until in by_spot.items() if until is not None}


def actions_of(live: Live, waits: Decision) -> tuple[tuple[str, ...], int]:
    """The answers that are legal and that the player can pay for, and the largest insurance."""
    seat = live.seat_at(waits.spot)
    if seat is None or not isinstance(live.round, BlackjackRound):
        return legal_answers(live.table, waits, waits.most), waits.most
    return affordable(live.round, waits, live.chips(seat))


def affordable(round_: BlackjackRound, waits: Decision, chips: int) -> tuple[tuple[str, ...], int]:
    """The legal answers that cost at most these chips, and the largest insurance."""
    coin = round_.table.rounding.coin
    most = min(waits.most, chips // coin * coin)
    legal = legal_answers(round_.table, waits, most)
    return tuple(action for action in legal if round_.price(waits.spot, waits.hand, action) <= chips), most


def round_view(number: int, round_: BlackjackRound | BaccaratRound) -> RoundView:
    """The public view of a round."""
    bets = [_bet(bet) for bet in round_.felt.bets.values()]
    step = round_.step
    if isinstance(round_, BaccaratRound):
        hands = (_coup(round_, "player"), _coup(round_, "banker"))
        return RoundView(number, step, bets, player=hands[0], banker=hands[1])
    spots = {str(spot): [_hand(hand) for hand in place.hands] for spot, place in round_.hands.spots.items()}
    return RoundView(number, step, bets, spots=spots, dealer=_dealer(round_))


def _bet(bet: Bet) -> BetView:
    if bet.settled is None:
        return BetView(bet.id, bet.spot, bet.hand, bet.wager, bet.stake)
    return BetView(bet.id, bet.spot, bet.hand, bet.wager, bet.stake, bet.settled.back, bet.settled.lines)


def _hand(hand: Hand) -> CardsView:
    cards = [name(card) for card in hand.cards]
    return CardsView(hand.id, cards, hand.total, hand.total > hand.hard, hand.how, hand.doubled)


def _dealer(round_: BlackjackRound) -> CardsView | None:
    """The dealer's cards, with the hole card hidden until it is turned over."""
    cards = round_.hands.dealer.cards
    if not cards:
        return None
    seen = cards if round_.hands.second_seen else cards[:1]
    shown = _hand(Hand(0, list(seen)))
    return CardsView(0, shown.cards + [name(NO_CARD)] * (len(cards) - len(seen)), shown.total, shown.soft)


def _coup(round_: BaccaratRound, to: str) -> CardsView:
    return CardsView(0, [name(card) for card in round_.coup.hand(to)], round_.coup.points(to), False)
