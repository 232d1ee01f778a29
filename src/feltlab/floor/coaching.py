"""The coach: the value of each legal action at a table, bonus included, from what everybody can see.

This module reads decisions from rounds, and values what is placed in the middle of a round (insurance, a wager on the next
card) over the cards that may come; `feltlab.exact.blackjack.advice.actions` values the hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.cards import NO_CARD, name
from feltlab.exact.blackjack.advice.situation import Situation, Worth, in_play
from feltlab.floor.desk import NotFound
from feltlab.floor.house.config import Config
from feltlab.floor.ledger.accounts import seat
from feltlab.floor.records.stored import StoredRound, stored_round, stored_table
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import of_round
from feltlab.floor.tables.live import Live
from feltlab.floor.tables.view import actions_of, affordable
from feltlab.games.blackjack import card_points
from feltlab.hands.peek import natural_hole, next_card_ways, peeks
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Decision
from feltlab.rounds.events import Acted, AnyEvent, InsuranceAnswered, SurrenderAnswered
from feltlab.rounds.hands import BlackjackFelt
from feltlab.rounds.open import open_round, with_hole_card
from feltlab.sheets.sheet import INSURANCE, MAIN

CLOSE = 1e-9
INSURE, EVEN_MONEY, DECLINE = "insure", "even-money", "decline"


class ActionWorth(Struct, frozen=True):
    """The value of an action in units of the hand's stake: for the main wager, for each side wager, and in total."""

    action: str
    main: float
    side: dict[str, float]
    total: float


class Coaching(Struct, frozen=True):
    """A decision with the value of each action and the best one; for a past decision, the choice and its cost in cents.

    `offers` are the wagers that can be placed with an action, with their average win per stake of 1; `left_out` are wagers
    that ride on the hand but are not included in the values.
    """

    turn: str
    spot: int
    hand: int
    cards: list[str]
    up: str
    stake: int
    best: str
    actions: list[ActionWorth]
    offers: dict[str, float]
    left_out: list[str]
    chosen: str = ""
    cost: float = 0.0


class DecisionPoint(NamedTuple):
    """A decision as read from a round, with the values of what can be placed in the middle of the round."""

    situation: Situation
    turn: str
    spot: int
    hand: int
    actions: Sequence[str]
    stake: int
    insurance: float  # what insuring adds, in units of the hand's stake
    even_money: float
    offers: dict[str, float]
    left_out: list[str]
    chosen: str = ""


def asked_at(live: Live) -> tuple[DecisionPoint, Config]:
    """The decision that a table waits for now, and the table's configuration."""
    round_, waits = live.round, live.waits
    if live.table.setup.sheet.game != "blackjack":
        raise NotFound(f"table {live.id} has no coach: {live.table.setup.sheet.game} has no decisions")
    if not isinstance(round_, BlackjackRound) or waits is None or waits.kind == "bets":
        raise NotFound(f"table {live.id} waits for no decision now")
    actions, most = actions_of(live, waits)
    return _read(round_, waits, live.turn, actions, most), live.config


def asked_in(db: Connection, table: int, number: int) -> tuple[list[DecisionPoint], Config]:
    """Every decision of a finished round, with the player's choice. Baccarat has none."""
    at, played = stored_table(db, table), stored_round(db, table, number)
    round_ = open_round(at.table)
    points: list[DecisionPoint] = []
    if not isinstance(round_, BlackjackRound):
        return points, at.config
    chips = _Chips(db, played, table)
    seqs = [step.seq for step in played.steps for _ in of_round(step.events)]
    log = with_hole_card(of_round(event for step in played.steps for event in step.events))
    for seq, event in zip(seqs, log, strict=True):
        waits = round_.waits_for
        chosen = _chosen(event, round_) if waits is not None else ""
        if waits is not None and chosen:
            actions, most = affordable(round_, waits, chips.before(seq, waits.spot))
            amount = event.amount if isinstance(event, InsuranceAnswered) else 0
            points.append(_read(round_, waits, "", actions, amount or most)._replace(chosen=chosen))
        round_.follow([event])
    return points, at.config


class _Chips:
    """The players' chips at the table at each step of a round: the balance after their last transfer before it."""

    def __init__(self, db: Connection, played: StoredRound, table: int) -> None:
        t = schema.transfers
        self._of = {bet.spot: seat(table, bet.person) for bet in played.bets}
        within = t.c.seq.between(played.steps[0].seq, played.steps[-1].seq)
        rows = db.execute(select(t).where(t.c.table_id == table, within).order_by(t.c.id)).all()
        self._after = [
            (row.seq, name, after)
            for row in rows
            for name, after in ((row.source, row.source_after), (row.target, row.target_after))
        ]

    def before(self, seq: int, spot: int) -> int:
        """The chips of a spot's player before a step."""
        balances = [after for at, name, after in self._after if at < seq and name == self._of[spot]]
        return int(balances[-1])


def coaching(point: DecisionPoint, worths: Sequence[Worth]) -> Coaching:
    """The coach's advice on a decision, given what each action is worth to the hand."""
    situation = point.situation
    by_action = {worth.action: worth for worth in worths}
    declined = by_action.get(DECLINE)
    actions = []
    for action in point.actions:
        worth = declined if declined and action in (INSURE, EVEN_MONEY) else by_action[action]
        main = point.even_money if action == EVEN_MONEY else worth.main
        side = {situation.bonus: situation.ratio * worth.side} if situation.bonus and worth.side is not None else {}
        if action == INSURE:
            side[INSURANCE] = point.insurance
        actions.append(ActionWorth(action, main, side, main + sum(side.values())))
    best = max(actions, key=lambda action: action.total)
    chosen = next((action.total for action in actions if action.action == point.chosen), best.total)
    lost = best.total - chosen
    return Coaching(
        turn=point.turn,
        spot=point.spot,
        hand=point.hand,
        cards=[name(card) for card in situation.cards],
        up=name(situation.up),
        stake=point.stake,
        best=best.action,
        actions=actions,
        offers=point.offers,
        left_out=point.left_out + [situation.bonus] * any(worth.side is None for worth in worths),
        chosen=point.chosen,
        cost=round(point.stake * lost, 4) if lost > CLOSE else 0.0,
    )


def _chosen(event: AnyEvent, round_: BlackjackRound) -> str:
    """The choice that an event records, or an empty text."""
    match event:
        case Acted(action=action) if round_.step == "actions":
            return action
        case SurrenderAnswered(taken=taken):
            return "surrender" if taken else "continue"
        case InsuranceAnswered(amount=amount, even_money=even):
            return EVEN_MONEY if even else INSURE if amount else DECLINE
    return ""


def _read(round_: BlackjackRound, waits: Decision, turn: str, actions: Sequence[str], most: int) -> DecisionPoint:
    hands, spot = round_.hands, waits.spot
    hand, setup = hands.hand(spot, waits.hand), round_.table.setup
    main = round_.felt.find(spot, MAIN, waits.hand)
    assert main is not None
    riding = {bet.wager: bet.stake for bet in round_.felt.open(spot) if bet.hand == waits.hand}
    bonus, *others = in_play(setup, riding) or [""]
    assert waits.kind != "bets"
    situation = Situation(
        kind=waits.kind,
        cards=list(hand.cards),
        up=hands.dealer.cards[0],
        actions=[action for action in actions if action not in (INSURE, EVEN_MONEY)],
        hand=hands.spots[spot].place(waits.hand) + 1,
        hands=len(hands.spots[spot].hands),
        bonus=bonus,
        ratio=riding[bonus] / main.stake if bonus else 0.0,
    )
    insurance = even = 0.0
    if waits.kind == "insurance":
        insurance = most / main.stake * float(_mean(round_, spot, INSURANCE, _with_hole))
        if waits.even_money:
            even = float(_mean(round_, spot, MAIN, _paid_evenly))
    offers = {id: float(_mean(round_, spot, id, _with_hit, waits.hand)) for ids in waits.side.values() for id in ids}
    return DecisionPoint(situation, turn, spot, waits.hand, actions, main.stake, insurance, even, offers, others)


# ---- what is placed in the middle of a round, valued over the cards that may come

Pays = Callable[[BlackjackFelt, int, int, int], tuple[int, ...]]


def _with_hole(hands: BlackjackFelt, spot: int, hand: int, card: int) -> tuple[int, ...]:
    """The view of a wager when this is the dealer's second card, face up."""
    hands.dealer.cards[1:] = [card]
    hands.second_seen = hands.finished = True
    return hands.view(spot, hand)


def _with_hit(hands: BlackjackFelt, spot: int, hand: int, card: int) -> tuple[int, ...]:
    """The view of a wager on the next card when it is this one."""
    hands.hand(spot, hand).cards[-1] = card
    return hands.view(spot, hand, hit=card)


def _paid_evenly(hands: BlackjackFelt, spot: int, hand: int, _card: int) -> tuple[int, ...]:
    """The view of the main wager when even money is taken."""
    hands.spots[spot].even_money = True
    return hands.view(spot, hand)


def _mean(round_: BlackjackRound, spot: int, wager: str, view: Pays, hand: int = 0) -> Fraction:
    """The average win of a stake of 1, over the cards of a full shoe less the hand and the up card."""
    ways, total = 0, Fraction()
    hands = deepcopy(round_.hands)  # one copy for all cards: each card replaces the one before
    if view is _with_hit:
        hands.hand(spot, hand).cards.append(NO_CARD)
    for card, count in _coming(round_, spot, hand, known_hole=view is _with_hit):
        outcome = round_.table.setup.wagers[wager].outcome(view(hands, spot, hand, card))
        total += count * outcome.pays
        ways += count
    return total / ways


def _coming(round_: BlackjackRound, spot: int, hand: int, *, known_hole: bool) -> Iterator[tuple[int, int]]:
    """The cards that may come, each with its weight.

    A dealer who has peeked and has no natural holds one of the other cards; the next card is any but that one.
    """
    hands, decks = round_.hands, round_.table.setup.decks
    up = hands.dealer.cards[0]
    gone = [up, *hands.hand(spot, hand).cards]
    left = [decks - gone.count(card) for card in range(52)]
    if known_hole and peeks(round_.house, card_points(up)):
        hole = natural_hole(card_points(up))
        left = next_card_ways(left, excluded={card for card in range(52) if card_points(card) - 1 == hole})
    yield from enumerate(left)
