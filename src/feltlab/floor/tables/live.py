"""A live table: its seats, round, shoe and chips. A command changes it completely or not at all.

It follows from the database alone (the table's row, the steps of the round in play, the sealed shoe and the balances), so
any server can load it at any moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from feltlab.errors import FeltlabError, Refused
from feltlab.floor.house.config import Config
from feltlab.floor.ledger import accounts
from feltlab.floor.ledger.transfers import Ledger
from feltlab.floor.records.links import of_state, of_step
from feltlab.floor.shoes.fair import Seal, Secret, fair_shoe, new_secret
from feltlab.floor.tables.commands import TableCommand
from feltlab.floor.tables.events import RoundOpened, ShoeCut, ShoeOpened, ShoeRevealed, StepEvent, write, write_moves
from feltlab.floor.tables.placed_bets import PlacedBets
from feltlab.floor.tables.state import SeatState, TableState
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.bets import FELT, PLAYER, moves
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import AnyMove, Deal, Decision, Void
from feltlab.rounds.events import AnyEvent, BetPlaced, BetTakenBack, CardDealt
from feltlab.rounds.open import open_round, replay, with_hole_card
from feltlab.rounds.shoe import Shoe
from feltlab.tables.payments import most_back
from feltlab.tables.table import Table

MOST_LAID = 32  # sets of wagers for which a table caches the most that they can bring back


PersonKind = Literal["guest", "player", "house"]


class Person(Struct, frozen=True):
    """A person with an account, or a guest."""

    id: int
    kind: PersonKind
    name: str


@dataclass
class Writes:
    """The rows that a command adds or changes beside steps, accounts and transfers."""

    shoes: list[dict[str, Any]] = field(default_factory=list)
    cut: list[dict[str, Any]] = field(default_factory=list)
    revealed: list[dict[str, Any]] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    ended: list[dict[str, Any]] = field(default_factory=list)
    bets: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Writes) -> None:
        """Add the rows of another command in the same transaction."""
        for name, rows in vars(other).items():
            getattr(self, name).extend(rows)


class _Before(NamedTuple):
    """The parts of a table when a command began. The log may be longer by now."""

    secret: Secret | None
    shoe: Shoe | None
    round: BlackjackRound | BaccaratRound | None
    last: BlackjackRound | BaccaratRound | None
    spots: dict[int, int]
    log: list[AnyEvent]
    length: int


class Live:
    """A live table. `procedure.perform` carries out its commands."""

    def __init__(
        self,
        id: int,
        name: str,
        config: Config,
        table: Table,
        seal: Seal,
        *,
        seq: int = 0,
        state: TableState | None = None,
        balances: dict[str, int] | None = None,
    ) -> None:
        self.id, self.name, self.config, self.table, self.seal = id, name, config, table, seal
        self.seq = seq
        self.state = state or TableState()
        self.saved = msgspec.json.encode(self.state)
        self.balances = balances or {}
        self.secret: Secret | None = None
        self.shoe: Shoe | None = None
        self.round: BlackjackRound | BaccaratRound | None = None
        self.last: BlackjackRound | BaccaratRound | None = None  # the last round, whose cards are still on the felt
        self.link = ""  # of the last step
        self.seeders: dict[str, str] = {}  # the names of those who added seeds, by their tokens
        self.names: dict[int, str] = {}  # of the people in the last step
        self._spots: dict[int, int] = {}
        # Cached, because it is needed for every seat with every wager, and the same wagers come again and again.
        self.most_back = lru_cache(MOST_LAID)(lambda laid: most_back(table, dict(laid)))

    # ---- a command begins, and is committed or undone

    def begin(self, ledger: Ledger, now: int) -> None:
        """Begin a command. A table's time never goes back, even if the clock does."""
        self.ledger, self.now, self.at = ledger, now, max(now, self.state.at)
        self.events: list[StepEvent] = []
        self.commands: list[AnyMove] = []
        self.writes = Writes()
        self._mark = ledger.mark()
        self._seated = {seat.person: seat.name for seat in self.state.seats}
        log = self.round.log if self.round else []
        self._before = _Before(self.secret, self.shoe, self.round, self.last, self._spots, log, len(log))

    @property
    def acted(self) -> bool:
        """Whether the round has changed since the command began."""
        return bool(self.commands) or (self.round is not None and len(self.round.log) > self._before.length)

    def commit(self, command: TableCommand, person: Person | None) -> dict[str, Any]:
        """Finish a command that succeeded; returns the step to store."""
        self.seq += 1
        self.state.at = self.at
        if self.round is not None and self.betting:
            self.state.laid = PlacedBets.of(self.round)
        self.saved = msgspec.json.encode(self.state)
        self.names = self._seated | {seat.person: seat.name for seat in self.state.seats}
        tokens = {name: id for id, name in (*self._seated.items(), *self.names.items())}
        if person:  # who may still be known by a name from before they registered
            self.names.setdefault(person.id, person.name)
            tokens.setdefault(person.name, person.id)
        step = {
            "table_id": self.id,
            "seq": self.seq,
            "round": self.state.round if self.commands else None,
            "person": person.id if person else None,
            "at": self.at,
            "command": msgspec.json.encode(command).decode(),
            "moves": write_moves(self.commands),
            "events": write(self.events, tokens),
            "state": of_state(self.saved.decode()),
        }
        writes = self.writes
        step["link"] = self.link = of_step(
            self.link,
            step,
            self.ledger.made_since(self._mark),
            sealed=[row["sealed"] for row in writes.shoes],
            began=writes.rounds,
            ended=[{**row, "number": row["n"]} for row in writes.ended],
        )
        return step

    def undo(self) -> None:
        """Restore the table as it was when the command began.

        Commands are refused before they touch the round, so the round has to be rebuilt only after an unexpected error.
        """
        before, acted = self._before, self.acted
        self.state = msgspec.json.decode(self.saved, type=TableState)
        self.secret, self.shoe, self.round, self.last = before.secret, before.shoe, before.round, before.last
        self._spots = before.spots
        if acted:
            self.take_up(before.secret, before.log[: before.length])

    def take_up(self, secret: Secret | None, log: Iterable[AnyEvent]) -> None:
        """Rebuild the shoe and the round from the secret and the round's events; the cards come from the shoe."""
        state = self.state
        self.secret = secret
        self.shoe = self._shoe() if state.cut else None
        self.round, self._spots = None, {}
        if state.playing:
            self.round = open_round(self.table, self.shoe)
            self.round.follow(self._seen(event) for event in log)
            for event in self.round.log:
                moves(event, self._spots)
            if state.laid:
                self.round.felt.laid = max(self.round.felt.laid, state.laid.numbers)

    def show_last(self, log: Iterable[AnyEvent]) -> None:
        """Rebuild the last round as it ended."""
        self.last = replay(self.table, with_hole_card(log))

    def _shoe(self) -> Shoe:
        assert self.secret is not None
        shoe = fair_shoe(self.secret, [seed for _, seed in self.state.seeds])
        shoe.dealt = shoe.round_began = self.state.dealt
        return shoe

    def _seen(self, event: AnyEvent) -> AnyEvent:
        """An event with its card from the shoe, which knows face-down cards too."""
        if not isinstance(event, CardDealt):
            return event
        assert self.shoe is not None
        drawn = self.shoe.draw()
        if event.face_up and event.card != drawn:
            raise FeltlabError(f"table {self.id}: the stored round does not follow from shoe {self.state.shoe}")
        return replace(event, card=drawn)

    # ---- who is here

    def seat_of(self, person: Person | None) -> SeatState:
        """The seat of a person; refused if they have none at this table."""
        for seat in self.state.seats:
            if person is not None and seat.person == person.id:
                return seat
        raise Refused("you have no seat at this table; sit down first")

    def seat_at(self, spot: int) -> SeatState | None:
        """The seat that plays a spot."""
        return next((seat for seat in self.state.seats if spot in seat.spots), None)

    def has_bets(self, seat: SeatState) -> bool:
        """Whether this seat has wagers in the round. Settled ones count too, since the round's record names their owner."""
        return self.round is not None and any(bet.spot in seat.spots for bet in self.round.felt.bets.values())

    def chips(self, seat: SeatState) -> int:
        """The chips of a seat, beside what it has wagered."""
        return self.balances.get(accounts.seat(self.id, seat.person), 0)

    # ---- the round

    @property
    def following(self) -> int:
        """The number of the round that new wagers are for: the one that is not dealt yet, or else the next."""
        return self.state.round + (self.round is None or not self.betting)

    @property
    def betting(self) -> bool:
        """Whether wagers can be placed."""
        return self.round is None or (self.waits is not None and self.waits.kind == "bets")

    @property
    def waits(self) -> Decision | None:
        """The decision that the round waits for."""
        return self.round.waits_for if self.round else None

    @property
    def turn(self) -> str:
        """The id of the question that the table asks now; an answer to another one is too late."""
        return f"{self.state.round}.{len(self.round.log) if self.round else 0}"

    def open_round(self) -> None:
        """Open a new round, for its first wager."""
        state = self.state
        state.round += 1
        state.playing = True
        self.round, self._spots = open_round(self.table, self.shoe), {}
        if self.shoe:
            self.shoe.round_began = self.shoe.dealt
        self.events.append(RoundOpened(state.round))
        self.writes.rounds.append(
            {
                "table_id": self.id,
                "number": state.round,
                "shoe": state.shoe,
                "began": state.dealt,
                "began_at": self.at,
                "first_seq": self.seq + 1,
            }
        )

    def deal(self) -> None:
        """Deal to the wagers on the felt, and forget how they were changed before."""
        assert self.round is not None
        self.state.laid = PlacedBets.of(self.round, self.seq + 1)
        self.do(Deal())

    def void(self, reason: str) -> None:
        """Void the round, dealt or not."""
        assert self.round is not None
        if self.betting:
            self.state.laid, self.state.lapses = PlacedBets.of(self.round, self.seq + 1), None
        self.do(Void(reason))

    def do(self, command: AnyMove) -> None:
        """Carry out a command in the round, and make the transfers of its events."""
        assert self.round is not None
        events = self.round.do(command)
        self.commands.append(command)
        for event in events:
            self.events.append(event)
            for move in moves(event, self._spots):
                source, target = (self._account(kind, move.spot) for kind in (move.source, move.target))
                self.ledger.move(source, target, move.amount, type(event).__name__, seq=self.seq + 1, bet=move.bet)
            if isinstance(event, BetTakenBack):
                del self._spots[event.bet]

    def _account(self, kind: str, spot: int) -> str:
        if kind == PLAYER:
            seat = self.seat_at(spot)
            assert seat is not None  # nobody leaves with wagers on the felt
            return accounts.seat(self.id, seat.person)
        return accounts.felt(self.id) if kind == FELT else accounts.table_float(self.id)

    def end_round(self) -> None:
        """Finish a round: store its wagers, and reveal the shoe if it is finished too."""
        assert self.round is not None
        firsts = {event.bet: event.amount for event in self.round.log if isinstance(event, BetPlaced)}
        for bet in self.round.felt.bets.values():
            seat = self.seat_at(bet.spot)
            assert seat is not None and bet.settled is not None
            self.writes.bets.append(
                {
                    "table_id": self.id,
                    "round": self.state.round,
                    "bet": bet.id,
                    "person": seat.person,
                    "spot": bet.spot,
                    "hand": bet.hand,
                    "wager": bet.wager,
                    "first": firsts[bet.id],
                    "stake": bet.stake,
                    "back": bet.settled.back,
                    "lines": msgspec.json.encode(bet.settled.lines).decode(),
                    "at": self.at,
                }
            )
        if self.shoe:  # there is none if the round was voided before the first deal
            self.state.dealt = self.shoe.dealt
        over = self.round
        self.abandon_round()
        self.last = over
        if self.shoe and (self.shoe.cut_is_out or self.shoe.ran_out):
            self.reveal_shoe()
            self.open_shoe()

    def abandon_round(self) -> None:
        """Close the round, which is over, or is not dealt and leaves nothing on the felt."""
        self.last = None
        self.writes.ended.append({"t": self.id, "n": self.state.round, "ended_at": self.at, "last_seq": self.seq + 1})
        self.state.playing = False
        self.round, self._spots = None, {}

    # ---- the shoe

    def open_shoe(self) -> None:
        """Open a new shoe: seal its secret, publish its commitment, and accept seeds."""
        state, config = self.state, self.config
        state.shoe += 1
        state.cut, state.seeds, state.dealt = False, [], config.burn
        self.secret = new_secret(f"{self.id}-{state.shoe}", config.decks, config.burn, config.behind_cut)
        self.shoe = None
        state.commitment = self.secret.commitment()
        self.events.append(ShoeOpened(state.shoe, state.commitment, config.decks, config.burn, config.behind_cut))
        self.writes.shoes.append(
            {
                "table_id": self.id,
                "number": state.shoe,
                "commitment": state.commitment,
                "sealed": self.seal.close(self.secret),
                "seeds": "[]",
                "opened_at": self.at,
            }
        )

    def cut_shoe(self) -> None:
        """Fix the order of the shoe, which accepts no more seeds."""
        assert self.round is not None
        self.state.cut = True
        self.shoe = self.round.source = self._shoe()
        self.events.append(ShoeCut(self.state.shoe))
        seeds = msgspec.json.encode(self.state.seeds).decode()
        self.writes.cut.append({"t": self.id, "n": self.state.shoe, "seeds": seeds})

    def reveal_shoe(self) -> None:
        """Reveal the secret of a finished shoe."""
        assert self.secret is not None
        self.events.append(ShoeRevealed(self.state.shoe, self.secret.order, self.secret.reserve))
        secret = msgspec.json.encode(self.secret).decode()
        seeds = msgspec.json.encode(self.state.seeds).decode()
        self.writes.revealed.append(
            {"t": self.id, "n": self.state.shoe, "secret": secret, "seeds": seeds, "revealed_at": self.at}
        )
