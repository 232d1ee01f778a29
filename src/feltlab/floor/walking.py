"""A walk along the steps of one table: their links, the rows that were stored with them, and the shoes as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from feltlab.errors import FeltlabError
from feltlab.floor import links, schema
from feltlab.floor.events import ShoeOpened, ShoeRevealed, read
from feltlab.floor.heads import Kept, of_table
from feltlab.floor.live import State
from feltlab.floor.replaying import Unseen, replay_at, verify_at
from feltlab.floor.stored import SHOE_TAGS, Differs, Published, StoredTable, read_part

Rows = Callable[[Any, str], Iterator[Any]]


class Walk:
    """One table, from its opening to its last step."""

    def __init__(self, db: Connection, table: Any, kept: Kept, rows: Rows) -> None:
        self.db, self.table, self.kept, self._rows = db, table, kept, rows
        self.id: int = table["id"]
        self.steps = self.shoes = self.rounds = self.unrevealed = self.in_play = self.unseen = self.older = 0
        self._last: Any = None
        self._shoe: Any = None  # the row of the shoe in use
        self._told = Published()

    def go(self, opening: str, at: StoredTable | None) -> None:
        """Each step is what its link says, and each shoe and round what its steps say."""
        x, s, r, p = schema.transfers, schema.shoes, schema.rounds, schema.steps
        self._at = at
        shoes = self._of(s, s.c.number)
        self._ends = links.Along(self._of(r, r.c.number))
        steps = links.linked(
            opening,
            self._of(p, p.c.seq),
            transfers=self._of(x, x.c.seq, x.c.id),
            shoes=self._of(s, s.c.number),
            began=self._of(r, r.c.number),
            ended=self._of(r, r.c.number),
        )
        for step, link in steps:
            self._check_link(step, link)
            if any(tag in step["events"] for tag in SHOE_TAGS):
                self._follow_shoes(step, shoes)
        if self._shoe is not None:
            self._unrevealed()
        if extra := next(shoes, None):
            raise Differs(f"shoe {self.id}-{extra['number']} is kept, but no step opened it")
        if extra := self._ends.next:
            raise Differs(f"round {self.id}-{extra['number']} is kept as one of shoe {extra['shoe']}, which is not")

    def _of(self, rows: Any, *order: Any) -> Iterator[Any]:
        return self._rows(select(rows).where(rows.c.table_id == self.id).order_by(*order), f"table {self.id}")

    def _check_link(self, step: Any, link: str) -> None:
        self.steps += 1
        name = f"step {self.id}-{self.steps}"
        if step["seq"] != self.steps:
            raise Differs(f"{name} is missing")
        if step["link"] != link:
            raise Differs(f"{name} is not what its link says: it, or what was stored with it, was altered since")
        if self.kept.differs(of_table(self.id), self.steps, link):
            raise Differs(f"{name} is not what a head that was kept says")
        self.older += not step["state"]
        self._last = step

    # ---- shoes and their rounds

    def _follow_shoes(self, step: Any, shoes: Iterator[Any]) -> None:
        events = read_part(step, "events", read)
        for event in events:
            if isinstance(event, ShoeOpened):
                self._told, self._shoe = Published(), next(shoes, None)
                self._compare("number", event.number)
                self._compare("commitment", event.commitment)
                self._compare("opened_at", step["at"])
            self._told.follow(event, events)
            if isinstance(event, ShoeRevealed):
                self._compare("number", event.number)
                self._compare("revealed_at", step["at"])
                self._revealed()

    def _compare(self, what: str, told: Any) -> None:
        kept = self._shoe[what] if self._shoe is not None else None
        if kept != told:
            raise Differs(f"a shoe of table {self.id} is kept with {what} {kept}, but the steps tell of {told}")

    def _revealed(self) -> None:
        number = self._shoe["number"]
        rounds = [row["number"] for row in self._ends.take("shoe", number)]
        if self._at is not None:
            self.rounds += len(verify_at(self.db, self._at, number, self._told, rounds).rounds)
            self.shoes += 1
        self._shoe = None

    def _unrevealed(self) -> None:
        """The shoe in use: what is known of it so far, and its rounds with the cards that were seen."""
        self.unrevealed += 1
        self._compare("seeds", msgspec.json.encode(self._told.seeds if self._told.cut else []).decode())
        self._compare("secret", None)
        self._compare("revealed_at", None)
        for row in self._ends.take("shoe", self._shoe["number"]):
            if row["ended_at"] is None:
                self.in_play += 1
            elif self._at is not None:
                try:
                    replay_at(self.db, self._at, row["number"])
                    self.rounds += 1
                except Unseen:
                    self.unseen += 1

    # ---- the end

    def check_end(self, closed: tuple[int, str] | None) -> None:
        """The table is where its last step left it, and as far as heads and acts say it was."""
        row, last = self.table, self._last
        if last is None or row["seq"] != self.steps:
            raise Differs(f"table {self.id} has gone {row['seq']} steps, but the last that is kept is {self.steps}")
        if self.kept.longest(of_table(self.id)) > self.steps:
            was = self.kept.longest(of_table(self.id))
            raise Differs(f"table {self.id} had gone {was} steps when a head was kept, and has gone {self.steps}")
        if links.of_state(row["state"]) != last["state"]:
            raise Differs(f"table {self.id} is in another state than its last step left it in")
        try:
            state = msgspec.json.decode(row["state"], type=State)
        except (msgspec.MsgspecError, FeltlabError) as error:
            raise Differs(f"the state of table {self.id} cannot be read: {error}") from None
        ends = ("closed", last["at"], (self.steps, last["link"])) if state.closed else ("open", None, None)
        for what, kept, told in (
            ("status", row["status"], ends[0]),
            ("closed_at", row["closed_at"], ends[1]),
            ("deadline", row["deadline"], state.due),
            ("an act that it was closed after", closed, ends[2]),
        ):
            if kept != told:
                raise Differs(f"table {self.id} is kept with {what} {kept}, but its steps tell of {told}")
