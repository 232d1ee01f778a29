"""Reads stored tables, rounds and shoes, and checks them against their hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import BindParameter, Connection, RowMapping, bindparam, or_, select

from feltlab.errors import FeltlabError, Refused
from feltlab.floor.desk import NotFound
from feltlab.floor.house.config import Altered, Config, read_table
from feltlab.floor.shoes.fair import Secret
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import (
    SeedAdded,
    ShoeCut,
    ShoeOpened,
    ShoeRevealed,
    StepEvent,
    TableClosed,
    read,
    read_moves,
)
from feltlab.rounds.commands import AnyMove
from feltlab.sheets.loader import base_sha256
from feltlab.tables.table import Table

Part = TypeVar("Part")

_r, _p, _b = schema.rounds, schema.steps, schema.bets
_TABLE: BindParameter[int] = bindparam("table")
_NUMBER: BindParameter[int] = bindparam("number")
_ROUND = select(_r).where(_r.c.table_id == _TABLE, _r.c.number == _NUMBER)
_BETS = select(_b).where(_b.c.table_id == _TABLE, _b.c.round == _NUMBER).order_by(_b.c.bet)
# The steps of a round, and steps elsewhere that claim to be of the round. In a single query, or with an order for the
# second, SQLite would scan all steps of the table for each round.
_THERE = _p.c.seq.between(bindparam("first"), bindparam("last"))
_WITHIN = select(_p).where(_p.c.table_id == _TABLE, _THERE).order_by(_p.c.seq)
_ELSEWHERE = select(_p.c.seq).where(_p.c.table_id == _TABLE, _p.c.round == _NUMBER, ~_THERE).limit(1)


class Differs(FeltlabError):
    """What is stored differs from what follows from the rules, the moves and the cards. The text names the first place."""


class OtherVersion(FeltlabError):
    """A table whose rounds must be replayed by another version of Feltlab."""


@dataclass(frozen=True)
class StoredTable:
    """A table with its configuration."""

    id: int
    config: Config
    table: Table


class StoredStep(NamedTuple):
    """A step: its moves in the round, and its events."""

    seq: int
    moves: list[AnyMove]
    events: list[StepEvent]


@dataclass(frozen=True)
class StoredRound:
    """A finished round: all steps from its first wager to its end, and its settled wagers."""

    name: str
    number: int
    shoe: int
    began: int
    steps: list[StoredStep]
    bets: list[Any]


@dataclass(frozen=True)
class StoredShoe:
    """A shoe; `secret` is None until it is finished."""

    name: str
    commitment: str
    seeds: list[tuple[str, str]]
    secret: Secret | None


def stored_table(db: Connection, id: int) -> StoredTable:
    """Read a table as it was opened; refused if the rules of its game are those of another version."""
    t, sheets = schema.tables, schema.sheets
    row = db.execute(select(t, sheets.c.text).join(sheets, sheets.c.sha256 == t.c.sheet).where(t.c.id == id)).first()
    if row is None:
        raise NotFound(f"there is no table {id} in this database")
    try:
        config, table = read_table(row.config, row.config_sha256, row.text)
    except Altered as error:
        raise Differs(f"table {id}: {error}") from None
    if base_sha256(table.setup.sheet.game) != config.base_sha256:
        raise OtherVersion(f"table {id} was opened with the base wagers of Feltlab {config.feltlab}; use that version")
    return StoredTable(id, config, table)


def stored_round(db: Connection, table: int, number: int) -> StoredRound:
    """Read a finished round, with no step missing between its first and its last."""
    name, of = f"{table}-{number}", {"table": table, "number": number}
    row = db.execute(_ROUND, of).first()
    if row is None:
        raise NotFound(f"there is no round {name} in this database")
    if row.ended_at is None:
        raise Refused(f"round {name} is still being played; it can be replayed when it is over")
    of |= {"first": row.first_seq, "last": row.last_seq}
    if (other := db.execute(_ELSEWHERE, of).scalar()) is not None:
        raise Differs(f"round {name}: step {other} does not belong here, but is kept as one of it")
    steps: list[StoredStep] = []
    for step in db.execute(_WITHIN, of).mappings().all():
        if step["seq"] != row.first_seq + len(steps):
            raise Differs(f"round {name}: step {step['seq']} does not belong here, or the one before it is missing")
        steps.append(StoredStep(step["seq"], read_part(step, "moves", read_moves), read_part(step, "events", read)))
        if step["round"] != (number if steps[-1].moves else None):
            raise Differs(f"round {name}, step {step['seq']}: it is kept as one of round {step['round']}")
    if not steps or steps[-1].seq != row.last_seq:
        raise Differs(f"round {name}: its steps do not end with {row.last_seq}, as they should")
    return StoredRound(name, number, row.shoe, row.began, steps, list(db.execute(_BETS, of).all()))


def read_part(step: RowMapping, what: str, reader: Callable[[str], Part]) -> Part:
    """Read the moves or the events of a stored step."""
    try:
        return reader(step[what])
    except (FeltlabError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise Differs(f"the {what} of step {step['table_id']}-{step['seq']} cannot be read: {error}") from None


def stored_shoe(db: Connection, table: int, number: int) -> StoredShoe:
    """Read a shoe, revealed or not."""
    s = schema.shoes
    name = f"{table}-{number}"
    row = db.execute(select(s).where(s.c.table_id == table, s.c.number == number)).first()
    if row is None:
        raise NotFound(f"there is no shoe {name} in this database")
    try:
        seeds = msgspec.json.decode(row.seeds, type=list[tuple[str, str]])
        secret = msgspec.json.decode(row.secret, type=Secret) if row.secret else None
    except msgspec.MsgspecError as error:
        raise Differs(f"shoe {name}: its seeds or its secret cannot be read: {error}") from None
    return StoredShoe(name, row.commitment, seeds, secret)


SHOE_TAGS = [f'"event":"{kind.__struct_config__.tag}"' for kind in (ShoeOpened, SeedAdded, ShoeCut, ShoeRevealed)]


@dataclass
class Published:
    """What was published about a shoe, step by step, while it was in use."""

    opened: ShoeOpened | None = None
    seeds: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False
    late_seed: bool = False  # a seed was added after the cut
    revealed: ShoeRevealed | None = None
    closed: bool = False  # it was revealed because the table closed

    def follow(self, event: StepEvent, step: list[StepEvent]) -> None:
        """Follow an event of a step about this shoe."""
        match event:
            case ShoeOpened():
                self.opened = event
            case SeedAdded(who, seed):
                self.seeds.append((who, seed))
                self.late_seed = self.cut
            case ShoeCut():
                self.cut = True
            case ShoeRevealed():
                self.revealed, self.closed = event, any(isinstance(one, TableClosed) for one in step)
            case _:
                pass


def published(db: Connection, table: int, number: int) -> Published:
    """What the steps published about a shoe, from its commitment to its secret."""
    p, shoe, here = schema.steps, Published(), False
    steps = select(p).where(p.c.table_id == table, or_(*(p.c.events.like(f"%{tag}%") for tag in SHOE_TAGS)))
    for step in db.execute(steps.order_by(p.c.seq)).mappings():
        events = read_part(step, "events", read)
        for event in events:
            if isinstance(event, ShoeOpened):
                here = event.number == number
            if here:
                shoe.follow(event, events)
    return shoe
