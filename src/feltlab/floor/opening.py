"""The house opens a table, or a player one to practise at; and the texts of sheets are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, insert, select

from feltlab.errors import Refused
from feltlab.floor import schema
from feltlab.floor.commands import OpenTable
from feltlab.floor.config import Wish, configure
from feltlab.floor.fair import Seal
from feltlab.floor.ledger import Ledger, felt, table_float
from feltlab.floor.live import Live, Person, State
from feltlab.floor.procedure import perform
from feltlab.floor.store import save

LONGEST_NAME = 60
MOST_OPEN = 1000
MOST_OWN = 3
MOST_PRACTICE = 100  # of all players, so that there is room for the house's
IDLE = 3_600_000  # ms after which a player's table that nobody sits at is closed


def open_table(db: Connection, wish: Wish, person: Person | None, seal: Seal, now: int) -> int:
    """A new table, with its first shoe; gives its number. Refused with the rule that the wish breaks."""
    config, text = configure(wish)
    table = config.table(text)
    name = " ".join(wish.name.split()) or table.setup.sheet.file.name
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(f"a table's name is at most {LONGEST_NAME} printable characters")
    t = schema.tables
    if len(db.execute(select(t.c.id).where(t.c.status == "open").limit(MOST_OPEN)).all()) >= MOST_OPEN:
        raise Refused(f"{MOST_OPEN} tables are open; close some first")
    keep_sheet(db, config.sheet_sha256, text)
    row = {
        "name": name,
        "status": "open",
        "sheet": config.sheet_sha256,
        "config": config.text(),
        "config_sha256": config.sha256(),
        "seq": 0,
        "state": "{}",
        "opened_by": person.id if person else None,
        "opened_at": now,
    }
    id: int = db.execute(insert(t).values(row).returning(t.c.id)).scalar_one()
    live = Live(id, name, config, table, seal)
    ledger = Ledger(db, now)
    ledger.open(felt(id))
    ledger.open(table_float(id))
    step = perform(live, OpenTable(), person, ledger, now)
    ledger.store()
    save(db, [live], [step], live.writes)
    return id


def may_open(db: Connection, person: Person) -> None:
    """A player has a few tables open at most, and all players together leave room for the house's."""
    tables = _practice(db)
    if sum(table.opened_by == person.id for table in tables) >= MOST_OWN:
        raise Refused(f"you have {MOST_OWN} tables open; close one first")
    if len(tables) >= MOST_PRACTICE:
        raise Refused(f"players have {MOST_PRACTICE} tables open; try again when some of them are closed")


def left_alone(db: Connection, now: int) -> list[int]:
    """Players' tables at which nobody sits, and nothing has happened for an hour: they can be closed."""
    found = [(table.id, msgspec.json.decode(table.state, type=State)) for table in _practice(db)]
    return [id for id, state in found if not state.seats and state.at < now - IDLE]


def _practice(db: Connection) -> Sequence[Row[Any, Any, Any]]:
    """The open tables that players opened."""
    t, p = schema.tables, schema.people
    found = select(t.c.id, t.c.opened_by, t.c.state).join(p, p.c.id == t.c.opened_by)
    return db.execute(found.where(t.c.status == "open", p.c.kind != "house")).all()


def opener_of(db: Connection, table: int) -> int | None:
    """Who opened a table."""
    t = schema.tables
    return db.execute(select(t.c.opened_by).where(t.c.id == table)).scalar()


def keep_sheet(db: Connection, sha256: str, text: str) -> None:
    """Keep the text of a sheet, under its hash."""
    sheets = schema.sheets
    if not db.execute(select(sheets.c.sha256).where(sheets.c.sha256 == sha256)).first():
        db.execute(insert(sheets).values(sha256=sha256, text=text))


def kept_sheet(db: Connection, sha256: str) -> str | None:
    """The text of a sheet that is kept."""
    sheets = schema.sheets
    return db.execute(select(sheets.c.text).where(sheets.c.sha256 == sha256)).scalar()
