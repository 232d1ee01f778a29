"""Hash chains over what was stored, and names that can be deleted.

What is there already is linked as it is: that it was not forged before is not vouched for, that it is not from now on is.
Names in events and seeds become tokens (see `feltlab.floor.people.names`). All tables are gone through in pages.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

from feltlab.floor.records import links
from feltlab.floor.storage.migrations.guards import lifted

revision = "chains"
down_revision = "acts"

PAGE = 500


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *(sa.column(column) for column in columns))


people = _table("people", *links.PERSON)
tables = _table("tables", *links.OPENING, "status", "seq", "state")
steps = _table("steps", *links.STEP, "link")
transfers = _table("transfers", "id", *links.TRANSFER)
shoes = _table("shoes", "table_id", "number", "sealed", "seeds")
rounds = _table("rounds", "table_id", *links.BEGAN, "ended_at", "last_seq")
acts = _table("acts", "id", "at", "by", "act", "subject", "detail", "link")


def upgrade() -> None:
    """New columns, then what they hold for everything that is there."""
    op.add_column("people", sa.Column("salt", sa.String(length=32), nullable=True))
    op.add_column("steps", sa.Column("state", sa.String(length=64), server_default="", nullable=False))
    op.add_column("steps", sa.Column("link", sa.String(length=64), server_default="", nullable=False))
    record = _Acts()
    for person in _pages(people, ["id"]):
        salted = {**person, "salt": secrets.token_hex(16)}
        _do(sa.update(people).where(people.c.id == person["id"]).values(salt=salted["salt"]))
        detail = {"kind": person["kind"], "row": links.of_person(salted)}
        record("account", f"person {person['id']}", detail)
    for row in _pages(transfers, ["id"], transfers.c.table_id.is_(None)):
        moved = {column: row[column] for column in links.TRANSFER}
        account = row["target"] if row["source"] == "bank" else row["source"]
        record(row["why"], f"person {account.rpartition(':')[2]}", moved)
    with lifted("steps"):
        for table in _pages(tables, ["id"]):
            opening = links.of_table(table)
            record("open", f"table {table['id']}", {"link": opening})
            last = _chain(table, opening)
            if table["status"] == "closed":
                record("closed", f"table {table['id']}", {"steps": table["seq"], "link": last})


def _chain(table: Any, opening: str) -> str:
    """Link the steps of a table; gives the last link."""
    for shoe in _of(shoes, table, "number"):
        which = sa.and_(shoes.c.table_id == table["id"], shoes.c.number == shoe["number"])
        _do(sa.update(shoes).where(which).values(seeds=_seeds(shoe["seeds"])))
    state = msgspec.json.decode(table["state"])
    if state.get("seeds"):
        state["seeds"] = msgspec.json.decode(_seeds(msgspec.json.encode(state["seeds"]).decode()))
    text = msgspec.json.encode(state).decode()
    _do(sa.update(tables).where(tables.c.id == table["id"]).values(state=text))
    found = links.linked(
        opening,
        (_changed(step, text if step["seq"] == table["seq"] else None) for step in _of(steps, table, "seq")),
        transfers=_of(transfers, table, "seq", "id"),
        shoes=_of(shoes, table, "number"),
        began=_of(rounds, table, "number"),
        ended=_of(rounds, table, "number"),
    )
    link = opening
    with suppress(links.Leftover):  # a proof will say so; play goes on
        for step, link in found:
            which = sa.and_(steps.c.table_id == table["id"], steps.c.seq == step["seq"])
            _do(sa.update(steps).where(which).values(events=step["events"], state=step["state"], link=link))
    return link


def _changed(step: Any, state: str | None) -> Any:
    return {**step, "events": _events(step["events"]), "state": "" if state is None else links.of_state(state)}


class _Acts:
    """Records what is there as acts of the server itself, at the time of the migration."""

    def __init__(self) -> None:
        found = _rows(sa.select(acts).order_by(acts.c.id.desc()).limit(1))
        self.id: int = found[0]["id"] if found else 0
        self.link: str = found[0]["link"] if found else links.START
        self.at = time.time_ns() // 1_000_000
        self._begun = False

    def __call__(self, act: str, subject: str, detail: dict[str, Any]) -> None:
        if not self._begun:
            self._begun = True
            self("chained", "database", {})  # what follows is older than this
        self.id += 1
        text = msgspec.json.encode(detail, order="sorted").decode()
        row = {"id": self.id, "at": self.at, "by": None, "act": act, "subject": subject, "detail": text}
        self.link = links.link(self.link, list(row.values()))
        _do(sa.insert(acts).values(**row, link=self.link))


def _pages(table: sa.TableClause, by: Sequence[str], *where: sa.ColumnElement[bool]) -> Iterator[Any]:
    """Rows in the order of some numbers, a page at a time: what is read can be changed meanwhile."""
    order = [table.c[column] for column in by]
    last = [-1] * len(by)
    while page := _rows(sa.select(table).where(*where, sa.tuple_(*order) > last).order_by(*order).limit(PAGE)):
        yield from page
        last = [page[-1][column] for column in by]


def _of(rows: sa.TableClause, table: Any, *by: str) -> Iterator[Any]:
    return _pages(rows, by, rows.c.table_id == table["id"])


def _events(text: str) -> str:
    """Events with tokens for names."""
    events = msgspec.json.decode(text)
    for event in events:
        for field in ("who", "by"):
            if field in event:
                event[field] = _token(event[field])
    return msgspec.json.encode(events).decode()


def _seeds(text: str) -> str:
    """Seeds with tokens for names."""
    return msgspec.json.encode([[_token(who), seed] for who, seed in msgspec.json.decode(text)]).decode()


def _token(name: str) -> str:
    found = _rows(sa.select(people.c.id).where(people.c.name == name))
    return f"#{found[0]['id']}" if found else name


def _rows(found: sa.Select[Any]) -> Any:
    return op.get_bind().execute(found).mappings().all()


def _do(change: sa.Insert | sa.Update) -> None:
    op.get_bind().execute(change)
