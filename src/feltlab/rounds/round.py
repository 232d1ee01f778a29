"""What rounds of all games share: verifying and carrying out commands, recording events, settling bets.

A round changes only through its events. `verify` raises the reason why a command is refused, `can` says whether it is
legal, and `do` carries it out up to the next decision. Applying a log to a new round gives the same state.
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
    validated,
)
from feltlab.rounds.events import AnyEvent, BetPlaced, BetSettled, BetTakenBack, RoundEnded, RoundVoided, StepBegan
from feltlab.rounds.shoe import CardSource, OutOfCards, Stacked
from feltlab.tables.table import Table
from feltlab.wagers.wager import Wager, happens

WAGERS, OVER = "wagers", "over"


class Round(ABC):
    """A round of any game. Cards come from `source`; without one, the round can only follow a log."""

    def __init__(self, table: Table, source: CardSource | None = None) -> None:
        self.table = table
        self.source = source or Stacked(())
        self.log: list[AnyEvent] = []
        self.felt = Felt()
        self.step = ""
        self._decision: tuple[int, Decision | None] = (-1, None)  # cached, with the length of the log it is for

    # ---- for callers

    @property
    def waits_for(self) -> Decision | None:
        """The decision that the round waits for, with exactly what is legal; None when the round is over."""
        if self._decision[0] != len(self.log):  # only an event changes it
            self._decision = len(self.log), self._waits_for()
        return self._decision[1]

    @abstractmethod
    def _waits_for(self) -> Decision | None:
        """Work out the decision that the round waits for."""

    def verify(self, command: AnyMove) -> None:
        """Raise `Refused` with the reason if the command is not legal now."""
        if isinstance(command, Void):
            self._verify_void()
            return
        command = validated(command)
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
        """Whether the command is legal now."""
        try:
            self.verify(command)
        except Refused:
            return False
        return True

    def do(self, command: AnyMove) -> list[AnyEvent]:
        """Carry out a legal command, and everything that follows up to the next decision. Returns the new events."""
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
                self._record(event)
            except (LookupError, StopIteration) as error:
                raise FeltlabError(
                    f"this is not the log of a round at this table: {event} cannot follow the events before it"
                ) from error

    def verify_bets(self, spot: int, bets: Mapping[str, int]) -> None:
        """Refuse the wagers of a spot if any could not be placed now, regardless of what is there already."""
        for wager, amount in bets.items():
            command = PlaceBet(spot, wager, amount)
            validated(command)
            self._verify_wager(command)

    def forget_taken_back(self) -> None:
        """Drop bets that were taken back from the log, which then has only the bets that are there."""
        kept = self.felt.bets
        self.log = [event for event in self.log if not isinstance(event, BetPlaced | BetTakenBack) or event.bet in kept]
        self._decision = (-1, None)

    @property
    def over(self) -> bool:
        """Whether everything has been settled."""
        return self.step == OVER

    @abstractmethod
    def view(self, bet: Bet) -> tuple[int, ...]:
        """The view of a bet's wager now."""

    # ---- what each game implements

    @abstractmethod
    def _carry_out(self, command: AnyCommand) -> None:
        """Carry out a verified command other than placing wagers and taking them back."""

    @abstractmethod
    def _apply(self, event: AnyEvent) -> None:
        """Apply an event to the game's own state."""

    # ---- what games share

    def _record(self, event: AnyEvent) -> None:
        self.log.append(event)
        self.felt.apply(event)
        if isinstance(event, StepBegan):
            self.step = event.step
        elif isinstance(event, RoundEnded):
            self.step = OVER
        self._apply(event)

    def _begin_step(self, step: str) -> None:
        self._record(StepBegan(step))

    def _place(self, spot: int, wager: str, amount: int, hand: int = 0) -> Bet:
        if not self.log:
            self._begin_step(WAGERS)
        number = self.felt.laid + 1
        self._record(BetPlaced(number, spot, hand, wager, amount))
        return self.felt.bets[number]

    def _take_back(self, spot: int, wager: str) -> None:
        bet = self.felt.find(spot, wager)
        assert bet is not None
        self._record(BetTakenBack(bet.id, spot, wager, bet.stake))

    def _wager(self, bet: Bet) -> Wager:
        return self.table.setup.wagers[bet.wager]

    def _settle(self, bet: Bet, view: tuple[int, ...]) -> None:
        """Settle a bet by its wager's lines."""
        wager = self._wager(bet)
        outcome = wager.outcome(view)
        lines, pays = wager.line_ids(outcome), pay_text(outcome.pays)
        returned = back(bet.stake, outcome.pays, self.table.rounding)
        self._record(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, lines, pays, bet.stake, returned))

    def _take(self, bet: Bet) -> None:
        """Take a bet that can no longer win."""
        lost = pay_text(LOSE)
        self._record(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, (), lost, bet.stake, 0, taken=True))

    def _reach(self, moment: str, spot: int | None = None) -> None:
        """Take and settle the bets whose clauses name this moment, in the sheet's order."""
        for bet in self._in_order([bet for bet in self.felt.open(spot) if moment in self._wager(bet).moments]):
            wager, view = self._wager(bet), self.view(bet)
            if happens(wager.take, moment, view):
                self._take(bet)
            elif self._can_be_settled(bet) and happens(wager.settled, moment, view):
                self._settle(bet, view)

    def _in_order(self, bets: list[Bet]) -> list[Bet]:
        """Bets by spot, and on each spot the base wagers first and the others in the sheet's order."""
        order = list(self.table.setup.wagers)
        return sorted(bets, key=lambda bet: (bet.spot, order.index(bet.wager)))

    def _can_be_settled(self, bet: Bet) -> bool:
        """Whether the hand that the bet rides on is dealt: a split hand waits for its second card."""
        return True

    def _end(self) -> None:
        self._reach("end")
        assert not self.felt.open()  # the last moment of every wager is one that every round reaches
        self._record(RoundEnded(self.felt.nets()))

    def _void(self, reason: str) -> None:
        """Void the round: open bets are returned, settled ones stay settled."""
        self._record(RoundVoided(reason))
        for bet in self._in_order(self.felt.open()):
            push = pay_text(PUSH)
            self._record(BetSettled(bet.id, bet.spot, bet.hand, bet.wager, (), push, bet.stake, bet.stake))
        self._record(RoundEnded(self.felt.nets()))

    def _verify_void(self) -> None:
        if self.over or (self.step in ("", WAGERS) and not self.felt.open()):
            raise Refused("there is no round to void: the felt is empty")

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
            raise Refused(
                f"{wager.id} is not placed before the deal" + (f", but at '{later[0]}'" if later else " here")
            )
        self.table.check_amount(wager.id, command.amount)

    def _verify_take_back(self, spot: int, wager: str) -> None:
        if self.step not in ("", WAGERS):
            raise Refused("no more bets: wagers cannot be taken back now")
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
        """Refuse a spot whose wagers cannot be dealt to: side wagers without the base wager that they need."""
        open_ = self.felt.open(spot)
        base = [bet for bet in open_ if bet.wager in self.table.setup.sheet.base_ids]
        if not base and self._needs_base():
            raise Refused(f"spot {spot} has side wagers but no {self._base_words()} wager, which they need here")
        for bet in open_:
            self._verify_share(bet.wager, bet.stake, sum(bet.stake for bet in base))

    @abstractmethod
    def _needs_base(self) -> bool:
        """Whether a spot with a side wager must have a base wager too."""

    def _base_words(self) -> str:
        base = self.table.setup.sheet.base_ids
        return " or ".join(id for id in base if self.table.setup.wagers[id].before_deal)

    def _verify_share(self, wager: str, amount: int, of: int) -> None:
        """Refuse a wager that is limited to a share of the main one, and exceeds it."""
        share = self.table.setup.wagers[wager].at_most
        if share is not None and amount > of * share:
            most = amount_text(int(of * share))
            raise Refused(f"{wager} is at most {pay_text(share)} of the main wager, {most} here")


def encode(log: list[AnyEvent]) -> bytes:
    """Encode a log as JSON."""
    return msgspec.json.encode(log)


def decode(data: bytes) -> list[AnyEvent]:
    """Decode a log from JSON."""
    try:
        return msgspec.json.decode(data, type=list[AnyEvent])
    except msgspec.MsgspecError as error:
        raise FeltlabError(f"this is not the log of a round: {with_place(str(error))}") from None
