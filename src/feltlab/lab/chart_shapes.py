"""The shape of a chart, apart from what draws it: a server need not load that."""

from __future__ import annotations

from msgspec import Struct


class ChartRow(Struct, frozen=True):
    """A row of a chart: codes against 2 to A, and those that are others while the side wager is alive."""

    kind: str
    label: str
    codes: list[str]
    bonus: list[str | None]


class ChartHand(Struct, frozen=True):
    """A hand that is not played as its cell says."""

    hand: str
    up: str
    code: str


class ChartChange(Struct, frozen=True):
    """A hand that is played otherwise while the side wager is alive, and how it is played without."""

    hand: str
    up: str
    code: str
    without: str


class ChartDeviation(Struct, frozen=True):
    """What a change of play costs the main wager and gains the side wager, and from which ratio of stakes it pays."""

    hand: str
    up: str
    action: str
    instead_of: str
    cost: float
    gain: float
    ratio: float


class LabChart(Struct, frozen=True):
    """A strategy as a chart, with the house edge that it leaves and what playing for a side wager costs."""

    strategy: str
    house_edge: dict[str, float]
    up_cards: list[str]
    rows: list[ChartRow]
    meanings: dict[str, str]
    hands: list[ChartHand]
    changes: list[ChartChange]
    cost: float | None
    deviations: list[ChartDeviation]
