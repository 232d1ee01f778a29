"""A round dealt at a table: the legal actions, the cards and the money."""

from __future__ import annotations

from collections.abc import Mapping

from feltlab.cards import cards as cards_of
from feltlab.cards import names
from feltlab.errors import Refused
from feltlab.rounds.answers import command_for, legal_answers
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Deal
from feltlab.rounds.events import AnyEvent
from feltlab.rounds.narration import narrate
from feltlab.rounds.open import open_round
from feltlab.rounds.player import default_bets, place_bets
from feltlab.rounds.shoe import Stacked, seeded, shuffled
from feltlab.tables import Setup
from feltlab.tables.table import open_table


class DealtRound:
    """A round of blackjack or a coup of baccarat, dealt and played. Made by `GameTable.deal`."""

    def __init__(self, round_: BlackjackRound | BaccaratRound) -> None:
        self._round = round_

    @property
    def over(self) -> bool:
        """Whether everything has been paid."""
        return self._round.over

    @property
    def spot(self) -> int | None:
        """The spot that the round waits for, or None."""
        waits = self._round.waits_for
        return waits.spot if waits else None

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the legal actions now; empty when the round is over."""
        waits = self._round.waits_for
        return legal_answers(self._round.table, waits, waits.most) if waits else ()

    def act(self, action: str, *, side: Mapping[str, int] | None = None, amount: int | None = None) -> DealtRound:
        """Take one of `actions`. `side` are wagers on the next card; `amount` is the insurance, by default the most."""
        waits = self._round.waits_for
        if waits is None:
            raise Refused("the round is over")
        self._round.do(command_for(action, waits.spot, side or {}, waits.most if amount is None else amount))
        return self

    @property
    def net(self) -> int:
        """The total that all spots have won or lost, in cents."""
        return sum(self.nets.values())

    @property
    def nets(self) -> dict[int, int]:
        """What each spot has won or lost, in cents."""
        return self._round.felt.nets()

    @property
    def hands(self) -> dict[str, list[str]]:
        """The cards of the dealer and each spot, or of Player and Banker, without face-down cards."""
        if isinstance(self._round, BaccaratRound):
            return {"player": [names(self._round.coup.player)], "banker": [names(self._round.coup.banker)]}
        dealer = self._round.hands.dealer.cards
        seen = dealer if self._round.hands.second_seen or self.over else dealer[:1]
        spots = {f"spot {number}": spot.hands for number, spot in self._round.hands.spots.items()}
        return {
            "dealer": [names(seen)],
            **{spot: [names(hand.cards) for hand in hands] for spot, hands in spots.items()},
        }

    @property
    def log(self) -> list[AnyEvent]:
        """Everything that has happened, as frozen events."""
        return list(self._round.log)

    def __str__(self) -> str:
        """The round in words, step by step."""
        return "\n".join(sentence.text for sentence in narrate(self._round.table, self._round.log))

    def __repr__(self) -> str:
        felt = "; ".join(f"{whose} {', '.join(hands)}" for whose, hands in self.hands.items())
        state = f"net {self.net / 100:+.2f}" if self.over else f"spot {self.spot}: {', '.join(self.actions)}?"
        return f"<{felt}; {state}>"


def dealt_round(setup: Setup, cards: str, bets: Mapping[str, int] | None, spots: int, seed: int | None) -> DealtRound:
    """Deal a round at a table with default limits, with the bets placed."""
    table = open_table(setup)
    shuffled_shoe = shuffled(setup.decks) if seed is None else seeded(setup.decks, seed)
    round_ = open_round(table, Stacked(cards_of(cards)) if cards else shuffled_shoe)
    place_bets(round_, spots, default_bets(table) if bets is None else bets)
    round_.do(Deal())
    return DealtRound(round_)
