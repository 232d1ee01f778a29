"""What a simulation is asked and what it tells, apart from what deals: a server need not load that."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from feltlab.bounds import Between, Pattern
from feltlab.tables import TableChoice

MOST_ROUNDS = 10**9
SimulationMode = Literal["fresh", "shoe"]
SHEET = Pattern(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


class SheetTable(TableChoice, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table: a built-in sheet's id or the hash of a text that was put in, and choices. The rest is the usual table."""

    sheet: Annotated[str, SHEET]


class NewSimulation(Struct, frozen=True, forbid_unknown_fields=True):
    """How many rounds of a table to deal: each from a full shoe (`fresh`), or shoe by shoe, on several spots."""

    table: SheetTable
    rounds: Annotated[int, Between(1, MOST_ROUNDS)]
    seed: Annotated[int, Between(0, 2**53)] = 0
    mode: SimulationMode = "fresh"
    spots: Annotated[int, Between(1, 7)] = 1


class SimulationJob(Struct, frozen=True, forbid_unknown_fields=True):
    """What is dealt: the simulation that was asked for, and the text of its sheet."""

    text: str
    asked: NewSimulation


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
