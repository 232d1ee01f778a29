"""What lies on the felt before the deal: all that is needed of a betting phase, however long it was."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile

from msgspec import Struct

from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import AnyEvent, BetPlaced, RoundVoided, StepBegan
from feltlab.rounds.round import WAGERS


class PlacedBets(Struct, frozen=True):
    """The wagers that lie there, as they were placed. It is kept with the table, so that nobody has to read how often
    somebody thought again.
    """

    bets: list[BetPlaced]
    numbers: int  # how many were ever laid: the number of one that was taken back is not given again
    dealt: int = 0  # the step that dealt to them, or gave the round up before the deal; 0 before that

    @classmethod
    def of(cls, round_: BlackjackRound | BaccaratRound, dealt: int = 0) -> PlacedBets:
        """What lies there now; the round's log keeps no more than that either."""
        round_.forget_taken_back()
        return cls([event for event in round_.log if isinstance(event, BetPlaced)], round_.felt.laid, dealt)

    def log(self, events: Iterable[AnyEvent]) -> list[AnyEvent]:
        """The round's log, from the events of the step that dealt, or gave the round up, and of those after it."""
        return [StepBegan(WAGERS), *self.bets, *dropwhile(_before_the_deal, events)]


def _before_the_deal(event: AnyEvent) -> bool:
    return not isinstance(event, RoundVoided) and (not isinstance(event, StepBegan) or event.step == WAGERS)
