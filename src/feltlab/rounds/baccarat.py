"""A baccarat coup, for any number of bettors."""

from __future__ import annotations

from dataclasses import dataclass, field

from feltlab.cards import NO_CARD
from feltlab.errors import Refused
from feltlab.games.baccarat import (
    BANKER,
    NO_THIRD,
    PLAYER,
    banker_draws,
    card_points,
    is_natural,
    outcome,
    player_draws,
    total,
)
from feltlab.rounds.bets import Bet
from feltlab.rounds.commands import Act, AnyCommand, Decision, EvenMoney, Insure
from feltlab.rounds.events import AnyEvent, CardDealt, CoupEnded
from feltlab.rounds.round import WAGERS, Round
from feltlab.rounds.shoe import CardSource
from feltlab.tables.table import Table
from feltlab.wagers.baccarat_facts import coup_view


@dataclass
class Coup:
    """The cards of the two hands."""

    player: list[int] = field(default_factory=list)
    banker: list[int] = field(default_factory=list)

    def hand(self, to: str) -> list[int]:
        """Player's or Banker's cards."""
        return self.player if to == "player" else self.banker

    def points(self, to: str) -> int:
        """Player's or Banker's total."""
        return total(*(card_points(card) for card in self.hand(to)))


class BaccaratRound(Round):
    """Wagers, deal, third cards, settlement."""

    def __init__(self, table: Table, source: CardSource | None = None) -> None:
        super().__init__(table, source)
        self.coup = Coup()

    def _waits_for(self) -> Decision | None:
        """Bets until the deal, and nothing afterwards: baccarat has no decisions."""
        return Decision("bets") if self.step in ("", WAGERS) else None

    def _verify_decision(self, command: Insure | EvenMoney | Act) -> None:
        raise Refused("baccarat has no decisions after the deal")

    def _carry_out(self, command: AnyCommand) -> None:
        self._begin_step("deal")
        for to in ("player", "banker", "player", "banker"):
            self._deal(to)
        player, banker = self.coup.points("player"), self.coup.points("banker")
        if not is_natural(player) and not is_natural(banker):
            self._third_cards(player, banker)
        self._begin_step("settlement")
        player, banker = self.coup.points("player"), self.coup.points("banker")
        names = {BANKER: "banker", PLAYER: "player"}
        self._record(CoupEnded(player, banker, names.get(outcome(player, banker), "tie")))
        self._end()

    def _third_cards(self, player: int, banker: int) -> None:
        self._begin_step("third")
        third = NO_THIRD
        if player_draws(player, banker):
            third = card_points(self._deal("player"))
        if banker_draws(banker, third):
            self._deal("banker")

    def _deal(self, to: str) -> int:
        card = self.source.draw()
        self._record(CardDealt(to, card))
        return card

    def _apply(self, event: AnyEvent) -> None:
        if isinstance(event, CardDealt):
            self.coup.hand(event.to).append(event.card)

    def view(self, bet: Bet) -> tuple[int, ...]:
        """The coup, which is the view of every bet."""
        player, banker = ((*cards, NO_CARD, NO_CARD, NO_CARD)[:3] for cards in (self.coup.player, self.coup.banker))
        return coup_view(*player, *banker)

    def _needs_base(self) -> bool:
        return self.table.setup.rules["base-wager"] == "mandatory"
