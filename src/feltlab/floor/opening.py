"""The house opens a table."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from feltlab.errors import Refused
from feltlab.floor import schema
from feltlab.floor.commands import OpenTable
from feltlab.floor.config import Wish, configure
from feltlab.floor.fair import Seal
from feltlab.floor.ledger import Ledger, felt, table_float
from feltlab.floor.live import Live, Person
from feltlab.floor.procedure import perform
from feltlab.floor.store import save

LONGEST_NAME = 60
MOST_OPEN = 1000


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
    sheets = schema.sheets
    if not db.execute(select(sheets.c.sha256).where(sheets.c.sha256 == config.sheet_sha256)).first():
        db.execute(insert(sheets).values(sha256=config.sheet_sha256, text=text))
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
