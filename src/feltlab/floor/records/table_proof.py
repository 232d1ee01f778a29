"""Proves one table along its steps: their links, the rows stored with them, its shoes and its rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from feltlab.errors import FeltlabError
from feltlab.floor.records import links
from feltlab.floor.records.heads import KeptHeads, of_table
from feltlab.floor.records.replaying import Unseen, replay_at, verify_at
from feltlab.floor.records.round_spans import Spans, check_text
from feltlab.floor.records.stored import SHOE_TAGS, Differs, Published, StoredTable, read_part
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import SeedAdded, ShoeCut, ShoeOpened, ShoeRevealed, read
from feltlab.floor.tables.state import TableState

Rows = Callable[[Any, str], Iterator[Any]]


class TableProof:
    """The proof of one table, from its opening to its last step."""

    def __init__(self, db: Connection, table: Any, kept: KeptHeads, rows: Rows) -> None:
        self.db, self.table, self.kept, self._rows = db, table, kept, rows
        self.id: int = table["id"]
        self.steps = self.shoes = self.rounds = self.unrevealed = self.in_play = self.unseen = self.older = 0
        self._last: Any = None
        self._shoe: Any = None  # the row of the shoe in use
        self._published = Published()  # about the shoe in use
        self._shoes_opened = 0

    def __str__(self) -> str:
        """Where it is, for error messages."""
        return f"what follows step {self.id}-{self.steps}"

    def go(self, opening: str, at: StoredTable | None) -> None:
        """Check each step against its link, and each shoe and round against its steps."""
        x, s, r, p = schema.transfers, schema.shoes, schema.rounds, schema.steps
        self._at = at
        shoes = self._of(s, s.c.number)
        self.spans = Spans(self.id, self._of(r, r.c.number))
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
            self.spans.follow(step, self._shoe["number"] if self._shoe is not None else None)
            if any(tag in step["events"] for tag in SHOE_TAGS):
                self._follow_shoes(step, shoes)
        self.spans.check_end()
        if extra := next(shoes, None):
            raise Differs(f"shoe {self.id}-{extra['number']} is kept, but no step opened it")
        if self._shoe is not None:
            self._unrevealed()

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
        check_text(step)
        self.older += not step["state"]
        self._last = step

    # ---- shoes and their rounds

    def _follow_shoes(self, step: Any, shoes: Iterator[Any]) -> None:
        events = read_part(step, "events", read)
        for event in events:
            if isinstance(event, ShoeOpened):
                self._open(event, step, shoes)
            elif isinstance(event, SeedAdded | ShoeCut | ShoeRevealed) and self._shoe is None:
                raise Differs(f"step {self.id}-{step['seq']} is about a shoe, but none is in use")
            if isinstance(event, ShoeCut):
                self._compare("number", event.number)
                if self._published.cut:
                    raise Differs(f"shoe {self.id}-{event.number} is cut again by step {step['seq']}")
            self._published.follow(event, events)
            if self._published.late_seed:
                raise Differs(f"shoe {self.id}-{self._shoe['number']}: a seed was added after it was cut")
            if isinstance(event, ShoeRevealed):
                self._compare("number", event.number)
                self._compare("revealed_at", step["at"])
                if self.spans.playing is not None:
                    raise Differs(f"shoe {self.id}-{event.number} was revealed while a round was in play")
                self._revealed()

    def _open(self, event: ShoeOpened, step: Any, shoes: Iterator[Any]) -> None:
        """A shoe was opened: the one before it must have been revealed."""
        if self._shoe is not None:
            used = f"{self.id}-{self._shoe['number']}"
            raise Differs(f"step {self.id}-{step['seq']} opens shoe {event.number} before shoe {used} was revealed")
        if event.number != self._shoes_opened + 1:
            raise Differs(f"step {self.id}-{step['seq']} opens shoe {event.number} after shoe {self._shoes_opened}")
        self._shoes_opened += 1
        self._published, self._shoe = Published(), next(shoes, None)
        self._compare("number", event.number)
        self._compare("commitment", event.commitment)
        self._compare("opened_at", step["at"])
        if self._at is not None:
            config = self._at.config
            wanted = (config.decks, config.burn, config.behind_cut)
            if (found := (event.decks, event.burn, event.behind_cut)) != wanted:
                what = "decks, burn cards and cards behind the cut card"
                raise Differs(f"shoe {self.id}-{event.number} was opened with other {what} {found}, not {wanted}")

    def _compare(self, what: str, expected: Any) -> None:
        kept = self._shoe[what] if self._shoe is not None else None
        if kept != expected:
            raise Differs(f"a shoe of table {self.id} is kept with {what} {kept}, but the steps say {expected}")

    def _revealed(self) -> None:
        number = self._shoe["number"]
        rounds = self.spans.take_over()
        if self._at is not None:
            self.rounds += len(verify_at(self.db, self._at, number, self._published, rounds).rounds)
            self.shoes += 1
        self._shoe = None

    def _unrevealed(self) -> None:
        """Check what is known about the shoe in use, and its rounds with the cards that were seen."""
        self.unrevealed += 1
        self._compare("seeds", msgspec.json.encode(self._published.seeds if self._published.cut else []).decode())
        self._compare("secret", None)
        self._compare("revealed_at", None)
        self.in_play += self.spans.playing is not None
        for number in self.spans.take_over():
            if self._at is not None:
                try:
                    replay_at(self.db, self._at, number)
                    self.rounds += 1
                except Unseen:
                    self.unseen += 1

    # ---- the end

    def check_end(self, closed: tuple[int, str] | None) -> None:
        """Check that the table is in the state of its last step, and that it agrees with heads and acts."""
        row, last = self.table, self._last
        if last is None or row["seq"] != self.steps:
            raise Differs(f"table {self.id} has gone {row['seq']} steps, but the last that is kept is {self.steps}")
        if self.kept.longest(of_table(self.id)) > self.steps:
            was = self.kept.longest(of_table(self.id))
            raise Differs(f"table {self.id} had gone {was} steps when a head was kept, and has gone {self.steps}")
        if links.of_state(row["state"]) != last["state"]:
            raise Differs(f"table {self.id} is in another state than its last step left it in")
        try:
            state = msgspec.json.decode(row["state"], type=TableState)
        except (ValueError, TypeError, RecursionError, FeltlabError) as error:
            raise Differs(f"the state of table {self.id} cannot be read: {error}") from None
        self._check_state(state)
        ends = ("closed", last["at"], (self.steps, last["link"])) if state.closed else ("open", None, None)
        for what, kept, expected in (
            ("status", row["status"], ends[0]),
            ("closed_at", row["closed_at"], ends[1]),
            ("deadline", row["deadline"], state.due),
            ("an act that it was closed after", closed, ends[2]),
        ):
            if kept != expected:
                raise Differs(f"table {self.id} is kept with {what} {kept}, but its steps say {expected}")

    def _check_state(self, state: TableState) -> None:
        """Check that the stored state agrees with the steps."""
        shoe, playing = self._published, self.spans.playing is not None
        wanted: list[tuple[str, Any, Any]] = [
            ("its last round", state.round, self.spans.last),
            ("a round in play", state.playing, playing),
            ("an end", state.closed, self.spans.closed),
            ("its last shoe", state.shoe, self._shoes_opened),
            ("the commitment", state.commitment, shoe.opened.commitment if shoe.opened else ""),
        ]
        if not state.closed:
            wanted += [("a shoe that is cut", state.cut, shoe.cut), ("the seeds", state.seeds, shoe.seeds)]
        for what, kept, expected in wanted:
            if kept != expected:
                raise Differs(f"the state of table {self.id} has {kept} as {what}, but its steps say {expected}")
