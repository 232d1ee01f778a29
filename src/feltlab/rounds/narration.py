"""A round's log in words, step by step, with cards, totals and money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from feltlab.cards import name
from feltlab.money import amount_text
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import (
    Acted,
    AnyEvent,
    BetPlaced,
    BetRaised,
    BetSettled,
    BetTakenBack,
    CardDealt,
    CoupEnded,
    DealerEnded,
    HandEnded,
    HandSplit,
    HoleShown,
    InsuranceAnswered,
    Peeked,
    RoundEnded,
    RoundVoided,
    StepBegan,
    SurrenderAnswered,
)
from feltlab.rounds.open import open_round
from feltlab.tables.table import Table

TITLES = {
    "wagers": "Wagers",
    "deal": "Deal",
    "take": "Early take, wagers on first cards",
    "insurance": "Insurance",
    "naturals": "Naturals",
    "actions": "Actions",
    "third": "Third cards",
    "dealer": "Dealer",
    "settlement": "Settlement",
}


class Sentence(NamedTuple):
    """A sentence about an event in a step of the procedure, which has a `number`. One that `opens` a step is its title."""

    step: str
    number: int
    opens: bool
    text: str


def narrate(table: Table, log: Iterable[AnyEvent]) -> Iterator[Sentence]:
    """Describe the events of a log in words, in order."""
    return narrate_along(open_round(table), log)


def narrate_along(round_: BlackjackRound | BaccaratRound, log: Iterable[AnyEvent]) -> Iterator[Sentence]:
    """Describe a log in words while a new round follows it, so that at each sentence the round is in the state described."""
    procedure = round_.table.setup.sheet.procedure
    numbers: dict[str, int] = {entry.step: place for place, entry in enumerate(procedure, 1)}
    for event in log:
        round_.follow([event])
        number = numbers.get(round_.step, 0)
        if isinstance(event, StepBegan):
            yield Sentence(event.step, number, True, TITLES[event.step])
        elif sentence := _sentence(round_, event):
            yield Sentence(round_.step, number, False, sentence)


def _sentence(round_: BlackjackRound | BaccaratRound, event: AnyEvent) -> str:
    match event:
        case BetPlaced() | BetRaised() | BetTakenBack() | BetSettled():
            return _money(round_, event)
        case CardDealt():
            return _card(round_, event)
        case Peeked(natural):
            return "the dealer looks at the hole card: " + ("a natural" if natural else "no natural")
        case InsuranceAnswered(spot, amount, even_money):
            return (
                f"spot {spot} takes even money" if even_money else "" if amount else f"spot {spot} takes no insurance"
            )
        case SurrenderAnswered(spot, taken):
            return "" if taken else f"spot {spot} does not surrender"
        case Acted(spot, hand, action):
            return f"{_hand(round_, spot, hand)}: {action}"
        case HandSplit(spot):
            return f"spot {spot} now has {_count(round_, spot)} hands"
        case HandEnded(spot, hand, how, total):
            return _ended(round_, spot, hand, how, total)
        case HoleShown(card):
            return f"the hole card is {name(card)}: the dealer has {_dealer(round_)}"
        case DealerEnded(total):
            return "the dealer is bust" if total > 21 else ""
        case CoupEnded(player, banker, result):
            won = "it is a tie" if result == "tie" else f"{result.capitalize()} wins"
            return f"Player {player}, Banker {banker}: {won}"
        case RoundVoided(reason):
            return f"the round is void: {reason}"
        case RoundEnded(nets):
            return "; ".join(f"spot {spot} {_net(net)}" for spot, net in nets.items())
        case _:
            return ""


def _money(round_: BlackjackRound | BaccaratRound, event: BetPlaced | BetRaised | BetTakenBack | BetSettled) -> str:
    match event:
        case BetPlaced(_, spot, _, wager, amount):
            return f"spot {spot} wagers {amount_text(amount)} on {wager}"
        case BetRaised(bet, amount):
            return f"spot {round_.felt.bets[bet].spot} adds {amount_text(amount)} to {round_.felt.bets[bet].wager}"
        case BetTakenBack(_, spot, wager, amount):
            return f"spot {spot} takes {amount_text(amount)} back from {wager}"
        case BetSettled():
            return settled(round_, event)


def settled(round_: BlackjackRound | BaccaratRound, event: BetSettled) -> str:
    """Describe how a wager was settled."""
    wager = round_.table.setup.wagers[event.wager]
    who = f"{_hand(round_, event.spot, event.hand)}, {event.wager}"
    if event.taken:
        return f"{who}: taken, {amount_text(event.stake)} lost; it can no longer win"
    names = " and ".join(line.name for line in wager.lines if line.id in event.lines)
    why = f"{names}, " if names and names.lower() != "push" else ""
    if event.back == 0:
        return f"{who}: {why}{amount_text(event.stake)} lost"
    if event.back == event.stake:
        return f"{who}: {why}push, {amount_text(event.stake)} back"
    if event.back < event.stake:
        return f"{who}: {why}{amount_text(event.stake - event.back)} lost, {amount_text(event.back)} back"
    won = amount_text(event.back - event.stake)
    return f"{who}: {why}pays {event.pays}, {won} won on {amount_text(event.stake)}"


def _card(round_: BlackjackRound | BaccaratRound, event: CardDealt) -> str:
    if isinstance(round_, BaccaratRound):
        return f"{event.to.capitalize()} gets {name(event.card)}: {round_.coup.points(event.to)}"
    if event.to == "dealer":
        return (
            f"the dealer gets {name(event.card)}: {_dealer(round_)}"
            if event.face_up
            else "the dealer gets a card face down"
        )
    hand = round_.hands.hand(event.spot, event.hand)
    return f"{_hand(round_, event.spot, event.hand)} gets {name(event.card)}: {_total(hand.hard, hand.total)}"


def _dealer(round_: BlackjackRound | BaccaratRound) -> str:
    assert isinstance(round_, BlackjackRound)
    return _total(round_.hands.dealer.hard, round_.hands.dealer.total)


def _total(hard: int, total: int) -> str:
    return f"soft {total}" if total > hard else str(total)


def _count(round_: BlackjackRound | BaccaratRound, spot: int) -> int:
    assert isinstance(round_, BlackjackRound)
    return len(round_.hands.spots[spot].hands)


def _hand(round_: BlackjackRound | BaccaratRound, spot: int, hand: int) -> str:
    if isinstance(round_, BaccaratRound) or spot not in round_.hands.spots or _count(round_, spot) == 1:
        return f"spot {spot}"
    return f"spot {spot}, hand {round_.hands.spots[spot].place(hand) + 1}"


def _ended(round_: BlackjackRound | BaccaratRound, spot: int, hand: int, how: str, total: int) -> str:
    who = _hand(round_, spot, hand)
    words = {
        "stood": f"{who} stands on {total}",
        "natural": f"{who} has a natural",
        "bust": f"{who} is bust with {total}",
        "doubled": f"{who} stays on {total}",
        "surrendered": f"{who} gives up half the wager",
    }
    return words.get(how, "")


def _net(net: int) -> str:
    if net == 0:
        return "breaks even"
    return f"{'wins' if net > 0 else 'loses'} {amount_text(abs(net))} in all"
