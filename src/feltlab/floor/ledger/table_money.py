"""Derives the money of a table from its stored steps: every transfer of the ledger, a second time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from feltlab.errors import FeltlabError
from feltlab.floor.ledger.accounts import HOUSE, chips, felt, seat, table_float
from feltlab.floor.people.names import token
from feltlab.floor.tables.events import (
    CalledOff,
    ChipsBrought,
    GaveUp,
    Left,
    RoundOpened,
    Sat,
    StepEvent,
    TableClosed,
    read,
)
from feltlab.money import PUSH, pay_text
from feltlab.rounds.bets import FELT, PLAYER, Felt, moves
from feltlab.rounds.events import (
    AnyEvent,
    BetPlaced,
    BetSettled,
    CardDealt,
    RoundEnded,
    RoundVoided,
)


class ExpectedTransfer(NamedTuple):
    """A transfer that a step must have made."""

    source: str
    target: str
    amount: int
    why: str
    bet: int | None = None


class Settled(NamedTuple):
    """A wager of a finished round, as a row of the table `bets`."""

    round: int
    bet: int
    person: int
    spot: int
    hand: int
    wager: str
    first: int
    stake: int
    back: int
    lines: str
    at: int


class Mismatch(FeltlabError):
    """A step contradicts the steps before it."""


class TableMoney:
    """The money of one table according to its steps: who sits there, what is on the felt, what every account holds."""

    def __init__(self, table: int) -> None:
        self.table = table
        self.balances: dict[str, int] = defaultdict(int)
        self.settled: list[Settled] = []  # the wagers of rounds that ended in the last step
        self.acted = False  # whether the last step had an event of a round
        self._people: dict[str, int] = {}
        self._spots: dict[int, str] = {}
        self._round = 0
        self._felt = Felt()
        self._spot_of: dict[int, int] = {}
        self._owner: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._playing = self._dealt = self._called_off = self._closed = False

    @property
    def seats(self) -> dict[int, tuple[int, ...]]:
        """The people at the table, with the spots of each."""
        return {
            person: tuple(sorted(spot for spot, name in self._spots.items() if name == who))
            for who, person in self._people.items()
        }

    @property
    def round_in_play(self) -> int | None:
        """The number of the round in play, if there is one."""
        return self._round if self._playing else None

    @property
    def can_void(self) -> bool:
        """Whether there is a round to void: one that is dealt or has wagers."""
        return self._playing and (self._dealt or bool(self._felt.open()))

    def ending(self, reason: str) -> list[StepEvent]:
        """The events that return all wagers and chips and close the table."""
        events: list[StepEvent] = []
        back: Counter[int] = Counter()
        felt = deepcopy(self._felt)
        if self.can_void:
            events.append(RoundVoided(reason))
        for bet in felt.open():
            back[self._owner[bet.id]] += bet.stake
            push = BetSettled(bet.id, bet.spot, bet.hand, bet.wager, (), pay_text(PUSH), bet.stake, bet.stake)
            events.append(push)
            felt.apply(push)
        if self.can_void:
            events.append(RoundEnded(felt.nets()))
        seats = self.seats
        for who, person in self._people.items():
            events.append(Left(who, seats[person], self.balances[seat(self.table, person)] + back[person]))
        return [*events, TableClosed()]

    @property
    def open_bets(self) -> int:
        """The total of the wagers on the felt."""
        return sum(bet.stake for bet in self._felt.open())

    def follow(self, step: Any) -> list[ExpectedTransfer]:
        """Follow a row of `steps`; returns the transfers that it must have made, in order."""
        self.settled, self.acted = [], False
        entries: list[ExpectedTransfer] = []
        if self._closed:
            raise Mismatch("it follows the end of the table")
        try:
            for event in read(step.events):
                for entry in self._entries(event, step.person):
                    self.balances[entry.source] -= entry.amount
                    self.balances[entry.target] += entry.amount
                    entries.append(entry)
                if isinstance(event, RoundEnded):
                    self.settled += self._over(step.at)
            if self._called_off:
                self._end_called_off()
        except (LookupError, TypeError, ValueError, RecursionError, FeltlabError) as error:
            raise Mismatch(f"its events do not follow from the steps before it ({error})") from None
        if self.balances[felt(self.table)] != self.open_bets:
            raise Mismatch("it settles a wager for another stake than was laid")
        return entries

    def _entries(self, event: StepEvent, person: int | None) -> Iterator[ExpectedTransfer]:
        match event:
            case Sat(who, spots, amount):
                if person is None:
                    raise Mismatch(f"it says that {who} sat down, but is nobody's")
                if who != token(person):
                    raise Mismatch(f"it says that {who} sat down, but is of {token(person)}")
                if who in self._people or not self._spots.keys().isdisjoint(spots):
                    raise Mismatch(f"it says that {who} sat down at {spots}, where somebody sits already")
                self._people[who] = person
                self._spots.update(dict.fromkeys(spots, who))
                yield ExpectedTransfer(chips(person), seat(self.table, person), amount, "sit")
            case ChipsBrought(who, amount):
                yield ExpectedTransfer(chips(self._people[who]), seat(self.table, self._people[who]), amount, "sit")
            case Left(who, spots, amount):
                self._get_up(who, spots)
                person = self._people.pop(who)
                if who in self._spots.values():
                    raise Mismatch(f"{who} leaves, but not all spots")
                account = seat(self.table, person)
                if amount != self.balances[account]:
                    raise Mismatch(f"{who} leaves with {amount} cents, but holds {self.balances[account]}")
                if amount:
                    yield ExpectedTransfer(account, chips(person), amount, "leave")
            case GaveUp(who, spots):
                self._get_up(who, spots)
            case TableClosed():
                yield from self._close()
            case RoundOpened(number):
                self._open_round(number)
            case CalledOff(number):
                if not self._playing or self._dealt or number != self._round:
                    raise Mismatch(f"it calls round {number} off, which does not wait for its deal")
                self._called_off = True  # its wagers are taken back by the events that follow
            case _ if isinstance(event, AnyEvent):
                yield from self._of_round(event)

    def _close(self) -> Iterator[ExpectedTransfer]:
        if self._people or self._felt.open() or (self._playing and self._dealt):
            raise Mismatch("it closes the table while somebody sits there, or a round is in play")
        self._playing, self._closed = False, True
        won = self.balances[table_float(self.table)]
        pair = (table_float(self.table), HOUSE) if won > 0 else (HOUSE, table_float(self.table))
        if won:
            yield ExpectedTransfer(*pair, abs(won), "close")

    def _open_round(self, number: int) -> None:
        if self._playing or number != self._round + 1:
            playing = ", which is in play" if self._playing else ""
            raise Mismatch(f"it opens round {number} after round {self._round}{playing}")
        self._round, self._felt = number, Felt()
        self._playing, self._dealt = True, False
        self._spot_of, self._owner, self._first = {}, {}, {}

    def _get_up(self, who: str, spots: tuple[int, ...]) -> None:
        """Free spots of a person."""
        if any(self._spots.get(spot) != who for spot in spots):
            raise Mismatch(f"{who} gives spots {spots} up, and does not have all of them")
        if any(bet.spot in spots for bet in self._felt.open()):
            raise Mismatch(f"{who} gives spots {spots} up, where wagers lie")
        for spot in spots:
            del self._spots[spot]

    def _of_round(self, event: AnyEvent) -> Iterator[ExpectedTransfer]:
        if not self._playing:
            raise Mismatch("something happens in a round, but none is in play")
        self.acted = True
        if isinstance(event, BetSettled) and self._felt.bets[event.bet].settled is not None:
            raise Mismatch(f"it settles bet {event.bet} again")
        if isinstance(event, BetPlaced):
            self._owner[event.bet] = self._people[self._spots[event.spot]]
            self._first[event.bet] = event.amount
        self._felt.apply(event)
        self._dealt |= isinstance(event, CardDealt)
        if isinstance(event, RoundEnded):
            self._playing = self._dealt = False
        for move in moves(event, self._spot_of):
            source, target = (self._account(kind, move.bet) for kind in (move.source, move.target))
            yield ExpectedTransfer(source, target, move.amount, type(event).__name__, move.bet)

    def _end_called_off(self) -> None:
        if self._felt.open():
            raise Mismatch(f"it calls round {self._round} off, but wagers still lie there")
        self._playing = self._called_off = False

    def _account(self, kind: str, bet: int) -> str:
        if kind == PLAYER:
            return seat(self.table, self._owner[bet])
        return felt(self.table) if kind == FELT else table_float(self.table)

    def _over(self, at: int) -> Iterator[Settled]:
        for bet in self._felt.bets.values():
            if bet.settled is None:
                raise Mismatch(f"round {self._round} is over, but its bet {bet.id} is not settled")
            yield Settled(
                round=self._round,
                bet=bet.id,
                person=self._owner[bet.id],
                spot=bet.spot,
                hand=bet.hand,
                wager=bet.wager,
                first=self._first[bet.id],
                stake=bet.stake,
                back=bet.settled.back,
                lines=msgspec.json.encode(bet.settled.lines).decode(),
                at=at,
            )
