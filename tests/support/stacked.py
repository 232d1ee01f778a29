"""A stacked round with one spot's bets and some decisions, the start of many tests."""

from feltlab.cards import cards
from feltlab.rounds.commands import Deal, PlaceBet
from feltlab.rounds.open import open_round
from feltlab.rounds.shoe import Stacked


def dealt(at, stack, *commands, bets=(("main", 1000),)):
    """Deal a table these cards, with these bets on spot 1 and these decisions."""
    round_ = open_round(at, Stacked(cards(stack)))
    for wager, amount in bets:
        round_.do(PlaceBet(1, wager, amount))
    round_.do(Deal())
    for command in commands:
        round_.do(command)
    return round_
