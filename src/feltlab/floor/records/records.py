"""Answers about past rounds and shoes, from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Row, func, select

from feltlab.errors import FeltlabError
from feltlab.floor.desk import NotFound, StepMessage, messages
from feltlab.floor.house.config import Config, read_config
from feltlab.floor.people.names import named_seeds, names_of, people_in, with_names
from feltlab.floor.records.damage import Damaged, intact, typed
from feltlab.floor.shoes.fair import Secret
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import of_round, read
from feltlab.floor.tables.shapes import RoundView
from feltlab.floor.tables.view import round_view
from feltlab.rounds.events import AnyEvent, BetPlaced, BetTakenBack, CardDealt
from feltlab.rounds.narration import Sentence, narrate, narrate_along
from feltlab.rounds.open import open_round, with_hole_card
from feltlab.tables.table import Table


class StepLine(Struct, frozen=True):
    """A stored step of a round."""

    seq: int
    at: int
    command: Any
    events: list[dict[str, Any]]


class BetLine(Struct, frozen=True):
    """A wager of a round and what it returned, in cents."""

    bet: int
    player: str
    spot: int
    hand: int
    wager: str
    stake: int
    back: int
    lines: list[str]


class Chapter(Struct, frozen=True):
    """A step of the procedure as it took place: its number and rule on the sheet, and what happened in it."""

    step: str
    number: int
    title: str
    rule: str
    lines: list[str]


class RoundAnswer(Struct, frozen=True):
    """A round from its first wager to its last payment, as it was stored and in words."""

    id: str
    table: int
    number: int
    sheet: str
    sheet_sha256: str
    config_sha256: str
    shoe: str
    over: bool
    began_at: int
    ended_at: int | None
    steps: list[StepLine]
    bets: list[BetLine]
    told: list[str]
    story: list[Chapter]


class Frame(Struct, frozen=True):
    """A moment of a round: what happened, in words, and the felt after it. `opens` marks the beginning of a step.

    `dealt` is the number of cards dealt from the shoe.
    """

    step: str
    number: int
    opens: bool
    text: str
    dealt: int
    round: RoundView


class ReplayAnswer(Struct, frozen=True):
    """A round moment by moment, as seen at the table: a face-down card is `--` until it is turned over.

    Wagers that were taken back before the deal are left out. `cards` is the size of the shoe.
    """

    id: str
    over: bool
    cards: int
    behind_cut: int
    frames: list[Frame]


class RoundLine(Struct, frozen=True):
    """A round that a person played: the table, what they staked and what came back, in cents."""

    id: str
    table: int
    name: str
    sheet: str
    at: int
    stake: int
    back: int


class ShoeAnswer(Struct, frozen=True):
    """A shoe: its commitment and, once it is finished, the numbers that its order follows from."""

    id: str
    table: int
    decks: int
    burn: int
    behind_cut: int
    commitment: str
    seeds: list[tuple[str, str]]
    revealed: bool
    order: str | None
    reserve: str | None
    rounds: list[str]


def parse_id(text: str, what: str) -> tuple[int, int]:
    """Parse the id of a round or a shoe: the table and the number.

    >>> parse_id("12-345", "round")
    (12, 345)
    """
    table, dash, number = text.partition("-")
    if not dash or not all(part.isascii() and part.isdecimal() and len(part) < 16 for part in (table, number)):
        raise FeltlabError(f"'{text[:40]}' is not a {what}; write TABLE-NUMBER, for example 12-345")
    return int(table), int(number)


def steps_after(db: Connection, table: int, seq: int, most: int) -> list[StepMessage]:
    """The steps of a table after a number."""
    p = schema.steps
    found = select(p).where(p.c.table_id == table, p.c.seq > seq).order_by(p.c.seq).limit(most)
    with intact(table, f"what followed step {table}-{seq}"):
        steps = messages(db, db.execute(found).mappings().all())
        for step in steps:
            msgspec.json.decode(step.events)
            typed(step)
    return steps


class _Played(NamedTuple):
    """A stored round: its rows, and the table where it was played."""

    head: Row[Any]
    config: Config
    table: Table
    steps: Sequence[Row[Any]]
    log: list[AnyEvent]


def _played(db: Connection, table: int, number: int) -> _Played:
    r, t, p = schema.rounds, schema.tables, schema.steps
    head = db.execute(
        select(r, t.c.config, t.c.config_sha256, schema.sheets.c.text)
        .join(t, t.c.id == r.c.table_id)
        .join(schema.sheets, schema.sheets.c.sha256 == t.c.sheet)
        .where(r.c.table_id == table, r.c.number == number)
    ).first()
    if head is None:
        raise NotFound(f"there is no round {table}-{number}")
    config = read_config(head.config)
    steps = db.execute(select(p).where(p.c.table_id == table, p.c.round == number).order_by(p.c.seq)).all()
    log = with_hole_card(event for step in steps for event in of_round(read(step.events)))
    return _Played(head, config, config.table(head.text), steps, log)


def round_of(db: Connection, table: int, number: int) -> RoundAnswer:
    """A round, step by step."""
    head, config, played_at, steps, log = _played(db, table, number)
    sentences = list(narrate(played_at, log))
    names = names_of(db, people_in(step.events for step in steps))
    b = schema.bets
    bets = (
        select(b, schema.people.c.name)
        .join(schema.people, schema.people.c.id == b.c.person)
        .where(b.c.table_id == table, b.c.round == number)
        .order_by(b.c.bet)
    )
    return typed(
        RoundAnswer(
            id=f"{table}-{number}",
            table=table,
            number=number,
            sheet=config.sheet,
            sheet_sha256=config.sheet_sha256,
            config_sha256=head.config_sha256,
            shoe=f"{table}-{head.shoe}",
            over=head.ended_at is not None,
            began_at=head.began_at,
            ended_at=head.ended_at,
            steps=[
                typed(
                    StepLine(
                        s.seq, s.at, msgspec.json.decode(s.command), msgspec.json.decode(with_names(s.events, names))
                    )
                )
                for s in steps
            ],
            bets=[
                typed(BetLine(x.bet, x.name, x.spot, x.hand, x.wager, x.stake, x.back, msgspec.json.decode(x.lines)))
                for x in db.execute(bets)
            ],
            told=[sentence.text for sentence in sentences],
            story=_story(played_at, sentences),
        )
    )


def _story(table: Table, sentences: list[Sentence]) -> list[Chapter]:
    """The sentences grouped by the steps of the sheet's procedure."""
    rules: dict[str, str] = {entry.step: entry.sentence for entry in table.setup.sheet.procedure}
    chapters: list[Chapter] = []
    for sentence in sentences:
        if sentence.opens:
            chapters.append(Chapter(sentence.step, sentence.number, sentence.text, rules.get(sentence.step, ""), []))
        elif chapters:
            chapters[-1].lines.append(sentence.text)
    return chapters


def replay_of(db: Connection, table: int, number: int) -> ReplayAnswer:
    """A round to be watched again. While it is in play, it shows only what everybody at the table sees."""
    head, config, played_at, _, log = _played(db, table, number)
    size, round_ = 52 * config.decks, open_round(played_at)

    def frame(sentence: Sentence) -> Frame:
        gone = head.began + sum(isinstance(event, CardDealt) for event in round_.log)
        view = round_view(number, round_)
        return Frame(sentence.step, sentence.number, sentence.opens, sentence.text, min(size, gone), view)

    frames = [frame(sentence) for sentence in narrate_along(round_, _without_taken_back(log))]
    return typed(ReplayAnswer(f"{table}-{number}", head.ended_at is not None, size, config.behind_cut, frames))


def _without_taken_back(log: list[AnyEvent]) -> list[AnyEvent]:
    """A log without bets that were taken back, so that a replay stays short however often bets were changed."""
    back = {event.bet for event in log if isinstance(event, BetTakenBack)}
    return [event for event in log if not (isinstance(event, BetPlaced | BetTakenBack) and event.bet in back)]


def rounds_of(db: Connection, person: int, most: int) -> list[RoundLine]:
    """The last rounds in which a person had wagers, the latest first. Unreadable ones are left out."""
    b, t = schema.bets, schema.tables
    found = (
        select(b.c.table_id, b.c.round, t.c.name, t.c.config, func.max(b.c.at), func.sum(b.c.stake), func.sum(b.c.back))
        .join(t, t.c.id == b.c.table_id)
        .where(b.c.person == person)
        .group_by(b.c.table_id, b.c.round, t.c.name, t.c.config)
        .order_by(func.max(b.c.at).desc(), b.c.round.desc())
        .limit(most)
    )
    lines = (_round_line(*row) for row in db.execute(found))
    return [line for line in lines if line]


def _round_line(
    table: int, number: int, name: str, config: str, at: int, stake: Decimal | int, back: Decimal | int
) -> RoundLine | None:
    with suppress(Damaged), intact(table, f"round {table}-{number}"):
        line = RoundLine(f"{table}-{number}", table, name, read_config(config).sheet, at, int(stake), int(back))
        return typed(line)
    return None


def shoe_of(db: Connection, table: int, number: int) -> ShoeAnswer:
    """A shoe, with its secret only once it is finished."""
    s, t, r = schema.shoes, schema.tables, schema.rounds
    row = db.execute(
        select(s, t.c.config).join(t, t.c.id == s.c.table_id).where(s.c.table_id == table, s.c.number == number)
    ).first()
    if row is None:
        raise NotFound(f"there is no shoe {table}-{number}")
    config = read_config(row.config)
    secret = msgspec.json.decode(row.secret, type=Secret) if row.secret else None
    rounds = select(r.c.number).where(r.c.table_id == table, r.c.shoe == number).order_by(r.c.number)
    return typed(
        ShoeAnswer(
            id=f"{table}-{number}",
            table=table,
            decks=config.decks,
            burn=config.burn,
            behind_cut=config.behind_cut,
            commitment=row.commitment,
            seeds=named_seeds(db, msgspec.json.decode(row.seeds)),
            revealed=secret is not None,
            order=secret.order if secret else None,
            reserve=secret.reserve if secret else None,
            rounds=[f"{table}-{found}" for found in db.execute(rounds).scalars()],
        )
    )
