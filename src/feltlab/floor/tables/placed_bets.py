"""The bets on the felt before the deal, which are all that is needed of a betting phase, however long it was."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile

from msgspec import Struct

from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import AnyEvent, BetPlaced, RoundVoided, StepBegan
from feltlab.rounds.round import WAGERS


class PlacedBets(Struct, frozen=True):
    """The bets on the felt, stored with the table, so that loading it does not depend on how often bets were changed."""

    bets: list[BetPlaced]
    numbers: int  # how many were ever placed: the number of a bet that is taken back is not used again
    dealt: int = 0  # the step that dealt to them, or voided the round before the deal; 0 before that

    @classmethod
    def of(cls, round_: BlackjackRound | BaccaratRound, dealt: int = 0) -> PlacedBets:
        """The bets of a round now; bets that were taken back are dropped from the round's log too."""
        round_.forget_taken_back()
        return cls([event for event in round_.log if isinstance(event, BetPlaced)], round_.felt.laid, dealt)

    def log(self, events: Iterable[AnyEvent]) -> list[AnyEvent]:
        """The round's log, given the events from the step that dealt, or voided the round, onwards."""
        return [StepBegan(WAGERS), *self.bets, *dropwhile(_before_the_deal, events)]


def _before_the_deal(event: AnyEvent) -> bool:
    return not isinstance(event, RoundVoided) and (not isinstance(event, StepBegan) or event.step == WAGERS)
