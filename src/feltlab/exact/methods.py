"""Which engine fits a wager: counting where play does not matter, a strategy played out where it does."""

from __future__ import annotations

from collections.abc import Iterator

from feltlab.exact.baccarat import sequences
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.counting.named_cards import Spend
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import House
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager


def is_counted(game: str, wager: Wager) -> bool:
    """Whether a wager is counted, and not played out by a strategy."""
    return game == "baccarat" or first_cards.can_be_counted(wager) or dealer.can_be_counted(wager)


def counted(game: str, wager: Wager, shoe: ShoeComposition, rules: House | None) -> Law | None:
    """The law of a wager by counting; None where it depends on how a hand is played."""
    if game == "baccarat":
        return sequences.law(wager, shoe)
    if first_cards.can_be_counted(wager):
        return first_cards.law(wager, shoe)
    assert rules is not None
    return dealer.law(wager, shoe, rules) if dealer.can_be_counted(wager) else None


def endings(game: str, wager: Wager, shoe: ShoeComposition, rules: House | None, spend: Spend) -> Iterator[int] | None:
    """The outcomes of a wager that is counted, case by case; None where it is not counted."""
    if game == "baccarat":
        return (outcome for outcome, _ in sequences.endings(wager, shoe, spend))
    if first_cards.can_be_counted(wager):
        return (outcome for _, outcome, _ in first_cards.count(wager, shoe, spend).walk({}, 1))
    assert rules is not None
    if dealer.can_be_counted(wager):
        return (outcome for outcome, ways in dealer.endings(wager, shoe, rules, spend) if ways)
    return None
