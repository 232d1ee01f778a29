"""What a simulation is asked and what it tells, apart from what deals: a server need not load that."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from feltlab.tables import TableChoice

MOST_ROUNDS = 10**9


class SheetTable(TableChoice, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of a sheet, which a built-in sheet's id or the hash of a text names."""

    sheet: str


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """What to deal."""

    text: str
    table: SheetTable
    rounds: int
    seed: int
    mode: Literal["fresh", "shoe"] = "fresh"
    spots: int = 1


class DealtWager(Struct, frozen=True):
    """A wager as far as it was dealt: its edge and the standard error, and the exact edge where there is one.

    `z` is how many standard errors lie between them; not where whole shoes are dealt, which is another way of dealing.
    """

    id: str
    name: str
    bets: int
    house_edge: float | None
    error: float | None
    exact: float | None
    z: float | None


class Report(Struct, frozen=True):
    """How far a simulation is."""

    headline: str = ""
    dealt: int = 0
    rate: float = 0.0
    wagers: list[DealtWager] = []
    done: bool = False
    why: str = ""
