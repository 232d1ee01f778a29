"""What is stored of a table in play beside its steps, its shoe and its money: seats, spots and deadlines."""

from __future__ import annotations

from msgspec import Struct

from feltlab.floor.tables.placed_bets import PlacedBets


class SpotHolding(Struct):
    """Who has a spot or had it last, since when without a deal to it, and when it was given up (0: it was not)."""

    holder: int
    since: int
    left: int = 0


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
    laid: PlacedBets | None = None  # the wagers before the deal of the last round
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
