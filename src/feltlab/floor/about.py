"""What is played at a table, for those who choose one and those who sit there."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.floor import schema
from feltlab.floor.live import Live
from feltlab.floor.store import Tables
from feltlab.money import pay_text


class TableLine(Struct, frozen=True):
    """A table in the lobby."""

    id: int
    name: str
    sheet: str
    game: str
    headline: str
    seats: int
    free: list[int]
    limits: dict[str, tuple[int, int]]
    status: str


class LineAbout(Struct, frozen=True):
    """A line of a wager: what must happen, and what it pays."""

    id: str
    name: str
    pays: str


class WagerAbout(Struct, frozen=True):
    """A wager that a table offers, with its limits in cents, when it is placed, and its lines."""

    id: str
    name: str
    base: bool
    placed: list[str]
    least: int
    most: int
    lines: list[LineAbout]


class About(Struct, frozen=True):
    """What is played at a table, with every choice made; the hashes name the sheet and the configuration."""

    id: int
    name: str
    sheet: str
    sheet_name: str
    game: str
    headline: str
    modified: list[str]
    config: Any
    config_sha256: str
    wagers: list[WagerAbout]
    procedure: list[tuple[str, str]]
    notes: list[str]


def lobby(db: Connection, tables: Tables) -> list[TableLine]:
    """The open tables."""
    t = schema.tables
    ids = list(db.execute(select(t.c.id).where(t.c.status == "open").order_by(t.c.id)).scalars())
    return [line(live) for live in tables.find(db, set(ids), lock=False).values()] if ids else []


def line(live: Live) -> TableLine:
    """A table in one line."""
    setup, state = live.table.setup, live.state
    taken = {spot for seat in state.seats for spot in seat.spots}
    return TableLine(
        id=live.id,
        name=live.name,
        sheet=setup.sheet.id,
        game=setup.sheet.game,
        headline=setup.headline(),
        seats=live.config.seats,
        free=[spot for spot in range(1, live.config.seats + 1) if spot not in taken],
        limits={id: (limit.least, limit.most) for id, limit in live.table.limits.items()},
        status="closing" if state.closing else "open",
    )


def about(live: Live) -> About:
    """All that is settled about a table."""
    table, setup = live.table, live.table.setup
    wagers = [
        WagerAbout(
            id=id,
            name=wager.definition.name,
            base=id in setup.sheet.base_ids,
            placed=[clause.at for clause in wager.placed],
            least=table.limits[id].least,
            most=table.most(id),
            lines=[LineAbout(line.id, line.name, pay_text(line.pays)) for line in wager.lines],
        )
        for id, wager in setup.wagers.items()
    ]
    return About(
        id=live.id,
        name=live.name,
        sheet=setup.sheet.id,
        sheet_name=setup.sheet.file.name,
        game=setup.sheet.game,
        headline=setup.headline(),
        modified=[difference.sentence() for difference in setup.differences],
        config=msgspec.to_builtins(live.config),
        config_sha256=live.config.sha256(),
        wagers=wagers,
        procedure=[(step.step, step.sentence) for step in setup.sheet.procedure],
        notes=list(table.notes),
    )
