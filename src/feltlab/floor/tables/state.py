"""What is stored of a table in play beside its steps, its shoe and its money: seats, spots and deadlines."""

from __future__ import annotations

from msgspec import Struct

from feltlab.floor.tables.placed_bets import PlacedBets


class SpotHolding(Struct):
    """The holder of a spot, since when it has not been dealt to, and when it was given up (0: it was not)."""

    holder: int
    since: int
    left: int = 0


class SeatState(Struct):
    """A player at the table. `away`: the table does not wait for them until they act. `gone`: they seem to have gone."""

    person: int
    name: str
    spots: tuple[int, ...]
    seen: int
    ready: bool = False
    away: bool = False
    leaving: bool = False
    room: int = 0  # reserved beside the person's chips for what the seat may still win
    gone: bool = False


class TableState(Struct):
    """The stored state of a table. Field names are stored and stay as they are."""

    at: int = 0
    seats: list[SeatState] = []
    round: int = 0  # the number of the last round
    playing: bool = False  # whether that round is still in play
    shoe: int = 0
    commitment: str = ""
    cut: bool = False
    dealt: int = 0  # cards gone from the shoe when the round began
    seeds: list[tuple[str, str]] = []  # the token of each player, and their seed
    closing: bool = False
    closed: bool = False
    deadline: int | None = None  # for an answer, or for wagers
    hurry: int | None = None  # an earlier deadline, if the player waited for seems gone
    alone: bool = False  # whether the player to answer keeps nobody waiting
    lapses: int | None = None  # when wagers are returned that nobody has asked to be dealt to
    laid: PlacedBets | None = None  # the bets of the last round before its deal
    spots: dict[int, SpotHolding] = {}
    changes: dict[int, int] = {}  # how many changes each person has made since the last deal
    counted: int = 0  # since when changes are counted
    patience: int = 0  # the deadline in the round for a player who keeps nobody waiting

    @property
    def due(self) -> int | None:
        """When the next deadline passes, of any kind."""
        if self.deadline is None:
            return self.lapses
        return min(self.deadline, self.hurry or self.deadline)
