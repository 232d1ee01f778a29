"""A table in play: who sits there, the round, the shoe, the chips. Changed by one command at a time, or not at all.

What it is follows from the database alone, so any server can take it up at any moment: the table's row, the steps of the
round in play, the sealed shoe and the balances.
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
from feltlab.floor.tables.laid import Laid
from feltlab.floor.tables.spots import SpotHolding
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.bets import FELT, PLAYER, moves
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import AnyMove, Deal, Decision, Void
from feltlab.rounds.events import AnyEvent, BetPlaced, BetTakenBack, CardDealt
from feltlab.rounds.open import open_round, replay, uncovered
from feltlab.rounds.shoe import Shoe
from feltlab.tables.payments import most_back
from feltlab.tables.table import Table

MOST_LAID = 32  # sets of wagers on a spot, of which a table remembers what they can bring back


PersonKind = Literal["guest", "player", "house"]


class Person(Struct, frozen=True):
    """Somebody with an account."""

    id: int
    kind: PersonKind
    name: str


class SeatState(Struct):
    """Somebody at the table. `away`: the table does not wait for them until they do something. `gone`: it seems so."""

    person: int
    name: str
    spots: tuple[int, ...]
    seen: int
    ready: bool = False
    away: bool = False
    leaving: bool = False
    room: int = 0  # what is reserved beside the person's chips for what the seat may come to hold
    gone: bool = False


class TableState(Struct):
    """What is stored of a table beside its steps, its shoe and its money."""

    at: int = 0
    seats: list[SeatState] = []
    round: int = 0  # the number of the last round
    playing: bool = False  # is that round still under way?
    shoe: int = 0
    commitment: str = ""
    cut: bool = False
    dealt: int = 0  # cards gone from the shoe when the round began
    seeds: list[tuple[str, str]] = []  # by whose token, and what
    closing: bool = False
    closed: bool = False
    deadline: int | None = None  # when the time for an answer or for wagers is up
    hurry: int | None = None  # when it is up because whoever is waited for seems gone
    alone: bool = False  # nobody waits for the answer
    lapses: int | None = None  # when wagers go back that nobody has asked to be dealt to
    laid: Laid | None = None  # the wagers before the deal of the last round
    spots: dict[int, SpotHolding] = {}
    changes: dict[int, int] = {}  # by whom how many were made since the last deal
    counted: int = 0  # since when they are counted
    patience: int = 0  # until when who is alone in the round has time

    @property
    def due(self) -> int | None:
        """When something happens by itself."""
        if self.deadline is None:
            return self.lapses
        return min(self.deadline, self.hurry or self.deadline)


@dataclass
class Writes:
    """Rows that a command adds or changes beside steps, accounts and transfers."""

    shoes: list[dict[str, Any]] = field(default_factory=list)
    cut: list[dict[str, Any]] = field(default_factory=list)
    revealed: list[dict[str, Any]] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    ended: list[dict[str, Any]] = field(default_factory=list)
    bets: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Writes) -> None:
        """The rows of another command of the same transaction."""
        for name, rows in vars(other).items():
            getattr(self, name).extend(rows)


class _Before(NamedTuple):
    """What a table had when a command began. The log may have become longer since."""

    secret: Secret | None
    shoe: Shoe | None
    round: BlackjackRound | BaccaratRound | None
    last: BlackjackRound | BaccaratRound | None
    spots: dict[int, int]
    log: list[AnyEvent]
    length: int


class Live:
    """A table in play. `procedure.perform` carries out what is asked of it."""

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
        self.last: BlackjackRound | BaccaratRound | None = None  # the round before, as it was left on the felt
        self.link = ""  # of the last step
        self.seeders: dict[str, str] = {}  # the names of those who added seeds, by their tokens
        self.names: dict[int, str] = {}  # of those that the last step tells of
        self._spots: dict[int, int] = {}
        # Asked for every seat with every wager, and the same wagers are laid again and again.
        self.most_back = lru_cache(MOST_LAID)(lambda laid: most_back(table, dict(laid)))

    # ---- a command begins, and ends well or is undone

    def begin(self, ledger: Ledger, now: int) -> None:
        """A command begins: nothing has happened yet. Time does not go back at a table, even if the clock does."""
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
        """Has the round gone on since the command began?"""
        return bool(self.commands) or (self.round is not None and len(self.round.log) > self._before.length)

    def commit(self, command: TableCommand, person: Person | None) -> dict[str, Any]:
        """The command went well: the step that is stored."""
        self.seq += 1
        self.state.at = self.at
        if self.round is not None and self.betting:
            self.state.laid = Laid.of(self.round)
        self.saved = msgspec.json.encode(self.state)
        self.names = self._seated | {seat.person: seat.name for seat in self.state.seats}
        tokens = {name: id for id, name in (*self._seated.items(), *self.names.items())}
        if person:  # may be remembered by a name from before they registered
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
        """The command was refused: everything is as it was when it began.

        Nothing that is asked is refused after the round was touched, so only a fault costs playing the round again.
        """
        before, acted = self._before, self.acted
        self.state = msgspec.json.decode(self.saved, type=TableState)
        self.secret, self.shoe, self.round, self.last = before.secret, before.shoe, before.round, before.last
        self._spots = before.spots
        if acted:
            self.take_up(before.secret, before.log[: before.length])

    def take_up(self, secret: Secret | None, log: Iterable[AnyEvent]) -> None:
        """Put shoe and round together again from the secret and the round's events; cards come from the shoe."""
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
        """Lay the last round out again, as it ended."""
        self.last = replay(self.table, uncovered(log))

    def _shoe(self) -> Shoe:
        assert self.secret is not None
        shoe = fair_shoe(self.secret, [seed for _, seed in self.state.seeds])
        shoe.dealt = shoe.round_began = self.state.dealt
        return shoe

    def _seen(self, event: AnyEvent) -> AnyEvent:
        """An event with its card, which the shoe knows also where it lies face down."""
        if not isinstance(event, CardDealt):
            return event
        assert self.shoe is not None
        drawn = self.shoe.draw()
        if event.face_up and event.card != drawn:
            raise FeltlabError(f"table {self.id}: the stored round does not follow from shoe {self.state.shoe}")
        return replace(event, card=drawn)

    # ---- who is here

    def seat_of(self, person: Person | None) -> SeatState:
        """Where a person sits; refused if nowhere here."""
        for seat in self.state.seats:
            if person is not None and seat.person == person.id:
                return seat
        raise Refused("you have no seat at this table; sit down first")

    def seat_at(self, spot: int) -> SeatState | None:
        """Who plays a spot."""
        return next((seat for seat in self.state.seats if spot in seat.spots), None)

    def has_bets(self, seat: SeatState) -> bool:
        """Has a seat wagers in this round? A settled one counts too: the round's record says whose it was."""
        return self.round is not None and any(bet.spot in seat.spots for bet in self.round.felt.bets.values())

    def chips(self, seat: SeatState) -> int:
        """What a seat has in chips, beside what it has wagered."""
        return self.balances.get(accounts.seat(self.id, seat.person), 0)

    # ---- the round

    @property
    def following(self) -> int:
        """The number of the round that wagers are for: the one that is not dealt yet, or the next."""
        return self.state.round + (self.round is None or not self.betting)

    @property
    def betting(self) -> bool:
        """May wagers be laid?"""
        return self.round is None or (self.waits is not None and self.waits.kind == "bets")

    @property
    def waits(self) -> Decision | None:
        """What the round waits for."""
        return self.round.waits_for if self.round else None

    @property
    def turn(self) -> str:
        """The name of the question that the table asks now. An answer to another one comes too late."""
        return f"{self.state.round}.{len(self.round.log) if self.round else 0}"

    def open_round(self) -> None:
        """A new round, for the first wager."""
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
        """Deal to the wagers that lie there; how they came there is forgotten."""
        assert self.round is not None
        self.state.laid = Laid.of(self.round, self.seq + 1)
        self.do(Deal())

    def void(self, reason: str) -> None:
        """Give the round up, dealt or not."""
        assert self.round is not None
        if self.betting:
            self.state.laid, self.state.lapses = Laid.of(self.round, self.seq + 1), None
        self.do(Void(reason))

    def do(self, command: AnyMove) -> None:
        """Do what was asked of the round, and move the money that this moves."""
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
        """The round is over: write its wagers down; the shoe may be over too."""
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
        if self.shoe:  # a round that was void before the first deal has cut none
            self.state.dealt = self.shoe.dealt
        over = self.round
        self.abandon_round()
        self.last = over
        if self.shoe and (self.shoe.cut_is_out or self.shoe.ran_out):
            self.reveal_shoe()
            self.open_shoe()

    def abandon_round(self) -> None:
        """Nothing more happens in the round: it is over, or is not dealt at all and leaves nothing on the felt."""
        self.last = None
        self.writes.ended.append({"t": self.id, "n": self.state.round, "ended_at": self.at, "last_seq": self.seq + 1})
        self.state.playing = False
        self.round, self._spots = None, {}

    # ---- the shoe

    def open_shoe(self) -> None:
        """A new shoe: its secret is sealed, its commitment published, and seeds may be added."""
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
        """The order is settled: no more seeds."""
        assert self.round is not None
        self.state.cut = True
        self.shoe = self.round.source = self._shoe()
        self.events.append(ShoeCut(self.state.shoe))
        seeds = msgspec.json.encode(self.state.seeds).decode()
        self.writes.cut.append({"t": self.id, "n": self.state.shoe, "seeds": seeds})

    def reveal_shoe(self) -> None:
        """The shoe is over: everybody may see what its order followed from."""
        assert self.secret is not None
        self.events.append(ShoeRevealed(self.state.shoe, self.secret.order, self.secret.reserve))
        secret = msgspec.json.encode(self.secret).decode()
        seeds = msgspec.json.encode(self.state.seeds).decode()
        self.writes.revealed.append(
            {"t": self.id, "n": self.state.shoe, "secret": secret, "seeds": seeds, "revealed_at": self.at}
        )
