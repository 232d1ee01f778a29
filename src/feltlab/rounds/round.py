"""What every round has in common: commands verified and done, events said, bets settled.

A round is changed by nothing but its events. `verify` says why a command is refused, `can` whether it is legal, and
`do` carries it out and goes on until somebody has to decide again. A log applied to a new round gives the same state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

import msgspec

from feltlab.errors import FeltlabError, Refused, with_place
from feltlab.money import LOSE, PUSH, amount_text, back, pay_text
from feltlab.rounds.bets import Bet, Felt
from feltlab.rounds.commands import (
    Act,
    AnyCommand,
    AnyMove,
    Deal,
    Decision,
    EvenMoney,
    Insure,
    PlaceBet,
    TakeBack,
    Void,
    checked,
)
from feltlab.rounds.events import AnyEvent, BetPlaced, BetSettled, BetTakenBack, RoundEnded, RoundVoided, StepBegan
from feltlab.rounds.shoe import CardSource, OutOfCards, Stacked
from feltlab.tables.table import Table
from feltlab.wagers.wager import Wager, happens

WAGERS, OVER = "wagers", "over"


class Round(ABC):
    """A round of any game. Cards come from `source`; without one the round can only follow a log."""

    def __init__(self, table: Table, source: CardSource | None = None) -> None:
        self.table = table
        self.source = source or Stacked(())
        self.log: list[AnyEvent] = []
        self.felt = Felt()
        self.step = ""
        self._asked: tuple[int, Decision | None] = (-1, None)

    # ---- what the outside asks

    @property
    def waits_for(self) -> Decision | None:
        """The decision that the round waits for, with exactly what is legal; None when it is over."""
        if self._asked[0] != len(self.log):  # only an event changes it
            self._asked = len(self.log), self._waits_for()
        return self._asked[1]

    @abstractmethod
    def _waits_for(self) -> Decision | None:
        """Work out the decision that the round waits for."""

    def verify(self, command: AnyMove) -> None:
        """Raise `Refused`, with the reason in words, if the command is not legal now."""
        if isinstance(command, Void):
            self._verify_void()
            return
        command = checked(command)
        match command:
            case PlaceBet():
                self._verify_bet(command)
            case TakeBack(spot, wager):
                self._verify_take_back(spot, wager)
            case Deal():
                self._verify_deal()
            case _:
                self._verify_decision(command)

    @abstractmethod
    def _verify_decision(self, command: Insure | EvenMoney | Act) -> None:
        """Refuse a player's decision that is not legal now."""

    def can(self, command: AnyMove) -> bool:
        """Is the command legal now?"""
        try:
            self.verify(command)
        except Refused:
            return False
        return True

    def do(self, command: AnyMove) -> list[AnyEvent]:
        """Carry out a legal command, and everything that follows until the next decision. Gives the new events."""
        self.verify(command)
        before = len(self.log)
        try:
            match command:
                case PlaceBet(spot, wager, amount):
                    self._place(spot, wager, amount)
                case TakeBack(spot, wager):
                    self._take_back(spot, wager)
                case Void(reason):
                    self._void(reason)
                case _:
                    self._carry_out(command)
        except OutOfCards as error:
            self._void(str(error))
        return self.log[before:]

    def follow(self, log: Iterable[AnyEvent]) -> None:
        """Apply a log's events, without cards or decisions: a replay."""
        for event in log:
            try:
                self._say(event)
            except (LookupError, StopIteration) as error:
                raise FeltlabError(
                    f"this is not the log of a round at this table: it cannot go on at {event}"
                ) from error

    def verify_bets(self, spot: int, bets: Mapping[str, int]) -> None:
        """Refuse wagers of a spot of which any could not be laid now, whatever lies there already."""
        for wager, amount in bets.items():
            command = PlaceBet(spot, wager, amount)
            checked(command)
            self._verify_wager(command)

    def forget_taken_back(self) -> None:
        """Drop what was laid and taken back from the log, so that it says what lies there and not how it came to."""
        lies = self.felt.bets
        self.log = [event for event in self.log if not isinstance(event, BetPlaced | BetTakenBack) or event.bet in lies]
        self._asked = (-1, None)

    @property
    def over(self) -> bool:
        """Has everything been settled?"""
        return self.step == OVER

    @abstractmethod
    def view(self, bet: Bet) -> tuple[int, ...]:
        """What a bet's wager sees now."""

    # ---- what a game says

    @abstractmethod
    def _carry_out(self, command: AnyCommand) -> None:
        """Do a verified command other than laying wagers and taking them back."""

    @abstractmethod
    def _apply(self, event: AnyEvent) -> None:
        """Change the game's own state by an event."""

    # ---- what games share

    def _say(self, event: AnyEvent) -> None:
        self.log.append(event)
        self.felt.apply(event)
        if isinstance(event, StepBegan):
            self.step = event.step
        elif isinstance(event, RoundEnded):
            self.step = OVER
        self._apply(event)

    def _begin(self, step: str) -> None:
        self._say(StepBegan(step))

    def _place(self, spot: int, wager: str, amount: int, hand: int = 0) -> Bet:
        if not self.log:
            self._begin(WAGERS)
        number = self.felt.laid + 1
        self._say(BetPlaced(number, spot, hand, wager, amount))
        return self.felt.bets[number]

    def _take_back(self, spot: int, wager: str) -> None:
        bet = self.felt.find(spot, wager)
        assert bet is not None
        self._say(BetTakenBack(bet.id, spot, wager, bet.stake))

    def _wager(self, bet: Bet) -> Wager:
        return self.table.setup.wagers[bet.wager]

    def _settle(self, bet: Bet, view: tuple[int, ...]) -> None:
        """Settle a bet by its wager's lines."""
        wager = self._wager(bet)
        outcome = wager.outcome(view)
        lines, pays = wager.line_ids(outcome), pay_text(outcome.pays)
        returned = back(bet.stake, outcome.pays, self.table.rounding)
        self._say(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, lines, pays, bet.stake, returned))

    def _take(self, bet: Bet) -> None:
        """Take a bet that can no longer win."""
        lost = pay_text(LOSE)
        self._say(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, (), lost, bet.stake, 0, taken=True))

    def _reach(self, moment: str, spot: int | None = None) -> None:
        """A moment of the round has come: take and settle the bets whose clauses name it, in the sheet's order."""
        for bet in self._in_order([bet for bet in self.felt.open(spot) if moment in self._wager(bet).moments]):
            wager, view = self._wager(bet), self.view(bet)
            if happens(wager.take, moment, view):
                self._take(bet)
            elif self._can_be_settled(bet) and happens(wager.settled, moment, view):
                self._settle(bet, view)

    def _in_order(self, bets: list[Bet]) -> list[Bet]:
        """Spot by spot; on each the base wagers first and the others as the sheet lists them."""
        order = list(self.table.setup.wagers)
        return sorted(bets, key=lambda bet: (bet.spot, order.index(bet.wager)))

    def _can_be_settled(self, bet: Bet) -> bool:
        """Is what the bet rides on dealt? (A split hand waits for its second card.)"""
        return True

    def _end(self) -> None:
        self._reach("end")
        assert not self.felt.open()  # the last moment of every wager is one that every round comes to
        self._say(RoundEnded(self.felt.nets()))

    def _void(self, reason: str) -> None:
        """The round cannot go on: what is open goes back, what is settled stays settled."""
        self._say(RoundVoided(reason))
        for bet in self._in_order(self.felt.open()):
            push = pay_text(PUSH)
            self._say(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, (), push, bet.stake, bet.stake))
        self._say(RoundEnded(self.felt.nets()))

    def _verify_void(self) -> None:
        if self.over or (self.step in ("", WAGERS) and not self.felt.open()):
            raise Refused("there is no round to void: nothing lies on the felt")

    # ---- wagers before the deal

    def _verify_bet(self, command: PlaceBet) -> None:
        self._verify_wager(command)
        if self.felt.find(command.spot, command.wager):
            raise Refused(f"spot {command.spot} has a {command.wager} wager already")

    def _verify_wager(self, command: PlaceBet) -> None:
        if self.step not in ("", WAGERS):
            raise Refused("no more bets: the cards are being dealt")
        if not 1 <= command.spot <= self.table.most_spots:
            raise Refused(f"there is no spot {command.spot}; this table has spots 1 to {self.table.most_spots}")
        wager = self.table.wager(command.wager)
        if not wager.before_deal:
            later = [clause.at for clause in wager.placed if clause.at != "before-deal"]
            raise Refused(f"{wager.id} is not placed before the deal" + (f" but at '{later[0]}'" if later else " here"))
        self.table.check_amount(wager.id, command.amount)

    def _verify_take_back(self, spot: int, wager: str) -> None:
        if self.step not in ("", WAGERS):
            raise Refused("no more bets: what lies on the felt stays there")
        if not self.felt.find(spot, wager):
            raise Refused(f"spot {spot} has no {self.table.wager(wager).id} wager to take back")

    def _verify_deal(self) -> None:
        if self.step not in ("", WAGERS):
            raise Refused("the cards have been dealt already")
        if not self.felt.bets:
            raise Refused("nobody has placed a wager yet")
        for spot in sorted({bet.spot for bet in self.felt.open()}):
            self.verify_spot(spot)

    def verify_spot(self, spot: int) -> None:
        """Refuse a spot whose wagers cannot be dealt to as they lie: side wagers that lack their base wager."""
        open_ = self.felt.open(spot)
        base = [bet for bet in open_ if bet.wager in self.table.setup.sheet.base_ids]
        if not base and self._needs_base():
            raise Refused(f"spot {spot} has side wagers but no {self._base_words()} wager, which they need here")
        for bet in open_:
            self._verify_share(bet.wager, bet.stake, sum(one.stake for one in base))

    @abstractmethod
    def _needs_base(self) -> bool:
        """Must a spot with a side wager have a base wager too?"""

    def _base_words(self) -> str:
        base = self.table.setup.sheet.base_ids
        return " or ".join(id for id in base if self.table.setup.wagers[id].before_deal)

    def _verify_share(self, wager: str, amount: int, of: int) -> None:
        """A wager that is bound to the main one may not be more than its share of it."""
        share = self.table.setup.wagers[wager].at_most
        if share is not None and amount > of * share:
            most = amount_text(int(of * share))
            raise Refused(f"{wager} is at most {pay_text(share)} of the main wager, {most} here")


def encode(log: list[AnyEvent]) -> bytes:
    """A log as JSON."""
    return msgspec.json.encode(log)


def decode(data: bytes) -> list[AnyEvent]:
    """A log from JSON."""
    try:
        return msgspec.json.decode(data, type=list[AnyEvent])
    except msgspec.MsgspecError as error:
        raise FeltlabError(f"this is not the log of a round: {with_place(str(error))}") from None
