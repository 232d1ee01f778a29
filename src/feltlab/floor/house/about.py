"""Describes tables: in the lobby, for those who choose one, and in full, for those who sit there."""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.floor.house.config import Config
from feltlab.floor.records.damage import shown_name
from feltlab.floor.storage import schema
from feltlab.floor.storage.store import LiveTables
from feltlab.floor.tables import spots
from feltlab.floor.tables.live import Live
from feltlab.money import pay_text
from feltlab.tables.table import Table

OUT_OF_ORDER = "out of order"


class TableLine(Struct, frozen=True):
    """A table in the lobby. For one that is out of order, only its number, its name and, for the house, the reason."""

    id: int
    name: str
    sheet: str
    game: str
    headline: str
    seats: int
    free: list[int]
    limits: dict[str, tuple[int, int]]
    status: str
    trouble: str = ""


class LineAbout(Struct, frozen=True):
    """A line of a wager that can be paid at this table, with its pay."""

    id: str
    name: str
    pays: str


class WagerAbout(Struct, frozen=True):
    """A wager that a table offers: its limits in cents, when it is placed, and its lines."""

    id: str
    name: str
    base: bool
    placed: list[str]
    least: int
    most: int
    lines: list[LineAbout]


class About(Struct, frozen=True):
    """A full description of a table, with every choice; the hashes identify the sheet and the configuration."""

    id: int
    name: str
    sheet: str
    sheet_name: str
    game: str
    headline: str
    modified: list[str]
    config: Config
    config_sha256: str
    wagers: list[WagerAbout]
    procedure: list[tuple[str, str]]
    notes: list[str]


def lobby(db: Connection, tables: LiveTables, now: int, *, why: bool = False) -> list[TableLine]:
    """The tables that are not closed; with `why`, the reason for those that are out of order."""
    t = schema.tables
    names = {row.id: row.name for row in db.execute(select(t.c.id, t.c.name).where(t.c.status != "closed"))}
    lives = tables.find(db, set(names), lock=False) if names else {}
    lines = (
        line(lives[id], now) if id in lives else _out_of_order(id, name, tables, why=why)
        for id, name in sorted(names.items())
    )
    return [line for line in lines if line]


def _out_of_order(id: int, name: object, tables: LiveTables, *, why: bool) -> TableLine | None:
    """The line of a table that could not be loaded; None if it is gone or is still being set up."""
    damaged = tables.broken(id)
    if damaged is None:
        return None
    reason = damaged.reason if why else ""
    return TableLine(id, shown_name(id, name), "", "", "", 0, [], {}, OUT_OF_ORDER, reason)


def line(live: Live, now: int) -> TableLine:
    """The line of a table in the lobby. A spot that nobody plays counts as free, even if it is taken."""
    setup, state = live.table.setup, live.state
    return TableLine(
        id=live.id,
        name=live.name,
        sheet=setup.sheet.id,
        game=setup.sheet.game,
        headline=setup.headline(),
        seats=live.config.seats,
        free=spots.free(live, max(now, state.at)),
        limits={id: (limit.least, limit.most) for id, limit in live.table.limits.items()},
        status="closing" if state.closing else "open",
    )


def posted(table: Table) -> list[WagerAbout]:
    """The wagers of a table with their limits and every line that can be paid."""
    setup = table.setup
    return [
        WagerAbout(
            id=id,
            name=wager.definition.name,
            base=id in setup.sheet.base_ids,
            placed=[clause.at for clause in wager.placed],
            least=table.limits[id].least,
            most=table.most(id),
            lines=[LineAbout(line.id, line.name, pay_text(line.pays)) for line in setup.payable[id]],
        )
        for id, wager in setup.wagers.items()
    ]


def about(live: Live) -> About:
    """The full description of a table."""
    table, setup = live.table, live.table.setup
    return About(
        id=live.id,
        name=live.name,
        sheet=setup.sheet.id,
        sheet_name=setup.sheet.file.name,
        game=setup.sheet.game,
        headline=setup.headline(),
        modified=[difference.sentence() for difference in setup.differences],
        config=live.config,
        config_sha256=live.config.sha256(),
        wagers=posted(table),
        procedure=[(step.step, step.sentence) for step in setup.sheet.procedure],
        notes=list(table.notes),
    )
