"""Proves a whole database: every chain, the ledger, every finished shoe and every round.

Rows are streamed from one snapshot of the database. Faults are reported by part (a chain, a table, a shoe), the first fault
of each. What cannot be proven yet is counted separately.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Select, select

from feltlab.errors import FeltlabError, one_sentence
from feltlab.floor.ledger.accounts import chips
from feltlab.floor.ledger.chain import counted, stream
from feltlab.floor.ledger.checking import check
from feltlab.floor.ledger.transfers import BANKED
from feltlab.floor.people import people
from feltlab.floor.people.names import gone
from feltlab.floor.people.own_limits import SETTINGS
from feltlab.floor.records import links
from feltlab.floor.records.column_types import sound
from feltlab.floor.records.damage import one_line, readable
from feltlab.floor.records.heads import ACTS, KeptHeads, of_table
from feltlab.floor.records.stored import Differs, OtherVersion, stored_table
from feltlab.floor.records.table_proof import TableProof
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import Unavailable

MOST_FAULTS = 100


class Proof(Struct):
    """What was proven, what is wrong, and what cannot be proven yet."""

    acts: int = 0
    people: int = 0
    transfers: int = 0
    tables: int = 0
    steps: int = 0
    shoes: int = 0
    rounds: int = 0
    heads: int = 0  # kept heads that the chains agree with
    faults: list[str] = []
    unrevealed: int = 0  # shoes in use, whose order is sealed
    in_play: int = 0  # rounds in play
    unseen: int = 0  # rounds with a card that nobody saw, from shoes in use
    other_version: int = 0  # tables whose rounds must be replayed by another version
    older: int = 0  # steps from before there were links; proven only since they were linked


def prove(db: Connection, kept: KeptHeads | None = None, tell: Callable[[str], None] = lambda _: None) -> Proof:
    """Prove everything, in a transaction with one snapshot. `kept` are earlier heads of the chains."""
    return _Prover(db, kept or KeptHeads(), tell).prove()


class _Prover:
    def __init__(self, db: Connection, kept: KeptHeads, tell: Callable[[str], None]) -> None:
        self.db, self.kept, self.tell = db, kept, tell
        self.proof = Proof()
        self._streams = ExitStack()
        self._people: dict[int, tuple[str, str]] = {}  # the kind and the hash of each person's row, from acts
        self._limits: dict[int, dict[str, Any]] = {}  # players' own limits, from acts
        self._opened: dict[int, str] = {}  # the first link of each table, from acts
        self._closed: dict[int, tuple[int, str]] = {}  # the length and the last link of each closed table, from acts

    def prove(self) -> Proof:
        """Prove part by part, so that a fault in one does not hide faults in others."""
        proof = self.proof
        parts: list[tuple[str, Callable[[], None]]] = [
            ("what acts tell", self._acts),
            ("a person", self._persons),
            ("a player's own limits", self._own_limits),
            ("what is kept of somebody who is gone", self._gone),
            ("a sheet", self._sheets),
            ("the ledger", self._ledger),
        ]
        for what, part in parts:
            with self._part(what):
                part()
        ids = list(self.db.execute(select(schema.tables.c.id).order_by(schema.tables.c.id)).scalars())
        for id in sorted({*ids, *self._opened}):
            with self._part(f"table {id}"):
                self._table(id)
        for chain in self.kept.links:
            with self._part(f"a head of {chain}"):
                self._kept_is_known(chain, {ACTS, *map(of_table, ids)})
        proof.heads = self.kept.count if not proof.faults else 0
        return proof

    @contextmanager
    def _part(self, what: str) -> Iterator[None]:
        try:
            with readable(what, Differs), ExitStack() as self._streams:  # a fault leaves rows unread
                yield
        except Unavailable:
            raise
        except FeltlabError as error:
            if len(self.proof.faults) < MOST_FAULTS:
                self.proof.faults.append(one_sentence(one_line(str(error))))

    def _rows(self, asked: Select[Any], what: str) -> Iterator[Any]:
        """Stream rows, reporting progress now and then."""
        rows = self._streams.enter_context(stream(self.db, asked))
        return (row._mapping for row in counted(sound(rows, asked, Differs), what, self.tell))

    # ---- acts, and what they record

    def _acts(self) -> None:
        a, x = schema.acts, schema.transfers
        last, count = links.START, 0
        banked = self._rows(select(x).where(x.c.table_id.is_(None)).order_by(x.c.id), "buy-ins")
        for row in self._rows(select(a).order_by(a.c.id), "acts"):
            count += 1
            if row["id"] != count:
                raise Differs(f"act {count} is missing")
            last = links.link(last, links.values(row, links.ACT))
            if row["link"] != last or self.kept.differs(ACTS, count, last):
                of = "a head that was kept" if row["link"] == last else "its link"
                raise Differs(f"act {count} ({row['act']} of {row['subject']}) is not what {of} says")
            with readable(f"act {count}", Differs):
                self._act(row, msgspec.json.decode(row["detail"]), banked)
            self.proof.acts = count
        if self.kept.longest(ACTS) > count:
            raise Differs(f"there were {self.kept.longest(ACTS)} acts when a head was kept, and there are {count}")
        if extra := next(banked, None):
            raise Differs(f"transfer {extra['id']}: no act records it, and no table's step made it")

    def _act(self, row: Any, detail: Any, banked: Iterator[Any]) -> None:
        kind, _, number = row["subject"].partition(" ")
        if "row" in detail:
            self._people[int(number)] = detail["kind"], detail["row"]
            if detail["kind"] == people.GONE:
                self._limits.pop(int(number), None)
        if row["act"] == "limits":
            self._limits[int(number)] = detail
        if kind == "table" and row["act"] == "open":
            self._opened[int(number)] = detail["link"]
        if kind == "table" and row["act"] == "closed":
            self._closed[int(number)] = detail["steps"], detail["link"]
        if row["act"] in BANKED:
            moved = next(banked, None)
            whose = chips(int(number)) in (detail["source"], detail["target"])
            if moved is None or {column: moved[column] for column in links.TRANSFER} != detail or not whose:
                which = f"transfer {moved['id']} is not" if moved else "there is no transfer"
                raise Differs(f"{which} what act {row['id']} ({row['act']} of {row['subject']}) records")
            self.proof.transfers += 1

    def _persons(self) -> None:
        p, left = schema.people, dict(self._people)
        for row in self._rows(select(p).order_by(p.c.id), "people"):
            kind, recorded = left.pop(row["id"], ("nobody", ""))
            if links.of_person(row) != recorded:
                was = f"acts say that they are a {kind}" if row["kind"] != kind else "acts record another row"
                was = was if recorded else "no act records them"
                raise Differs(f"person {row['id']} is kept as a {row['kind']}, named {row['name']}, but {was}")
            if kind == "gone" and (row["name"], row["password"], row["salt"]) != (gone(row["id"]), None, None):
                raise Differs(f"person {row['id']} is gone, but something of them is kept")
            self.proof.people += 1
        for id in left:
            raise Differs(f"acts record person {id}, who is not kept")

    def _own_limits(self) -> None:
        own, left = schema.own_limits, dict(self._limits)
        for row in self._rows(select(own).order_by(own.c.person), "players' own limits"):
            if left.pop(row["person"], None) != {column: row[column] for column in SETTINGS}:
                raise Differs(f"the own limits of person {row['person']} are not what acts record")
        for id in left:
            raise Differs(f"acts record own limits of person {id}, which are not kept")

    def _gone(self) -> None:
        """Check that nothing is left of people whose data was deleted except what they played."""
        p = schema.people
        for table in (schema.sessions, schema.factors, schema.own_limits):
            left = select(p.c.id).join(table, table.c.person == p.c.id).where(p.c.kind == people.GONE).order_by(p.c.id)
            if (id := self.db.execute(left.limit(1)).scalar()) is not None:
                raise Differs(f"person {id} is gone, but a row of {table.name} is kept")

    def _sheets(self) -> None:
        for row in self._rows(select(schema.sheets), "sheets"):
            if hashlib.sha256(row["text"].encode()).hexdigest() != row["sha256"]:
                raise Differs(f"sheet {row['sha256']} was altered since it was kept")

    def _ledger(self) -> None:
        self.proof.transfers = check(self.db, self.tell).rows

    # ---- tables

    def _table(self, id: int) -> None:
        row = next(self._rows(select(schema.tables).where(schema.tables.c.id == id), f"table {id}"), None)
        if row is None:
            raise Differs(f"acts record table {id}, which is not kept")
        walk = TableProof(self.db, row, self.kept, self._rows)
        opening = links.of_table(row)
        if self._opened.get(id) != opening:
            raise Differs(f"table {id} is not what was opened: its name, sheet, rules, or who opened it and when")
        try:
            at = stored_table(self.db, id)
        except OtherVersion:
            at = None
            self.proof.other_version += 1
        try:
            with readable(walk, Differs):
                walk.go(opening, at)
                walk.check_end(self._closed.get(id))
            self.proof.tables += 1
        finally:
            for count in ("steps", "shoes", "rounds", "unrevealed", "in_play", "unseen", "older"):
                setattr(self.proof, count, getattr(self.proof, count) + getattr(walk, count))

    def _kept_is_known(self, chain: str, known: set[str]) -> None:
        if chain not in known:
            raise Differs(f"a head of {chain} was kept, and there is no such chain")
