"""Proves a database with players: the ledger, the steps they received, their wagers, the shoes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from feltlab.floor.desk import messages
from feltlab.floor.ledger.checking import LedgerReport, check
from feltlab.floor.records.replaying import Verified, verify_shoe
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import connect, reading
from support.players import Remembering, Witness


@dataclass(frozen=True)
class Told:
    """A stored step."""

    person: int | None
    round: int | None
    at: int
    events: Any


@dataclass(frozen=True)
class Stored:
    """What a database holds at one moment."""

    checked: LedgerReport
    steps: dict[tuple[int, int], Told]
    people: dict[str, int]


def stored(db: Connection) -> Stored:
    """Check the ledger, and read all steps."""
    p, q = schema.steps, schema.people
    rows = db.execute(select(p)).mappings().all()
    told = zip(rows, messages(db, rows), strict=True)  # names are not kept with steps
    return Stored(
        check(db),
        {
            (step.table, step.seq): Told(row["person"], step.round, step.at, msgspec.json.decode(step.events))
            for row, step in told
        },
        dict(db.execute(select(q.c.name, q.c.id)).all()),
    )


def prove(url: str, witness: Witness, clients: Sequence[Remembering]) -> Stored:
    """While others play: the ledger balances, whatever anybody was told is stored, and nothing else in their names.

    A client may have one request under way that is stored and not yet answered.
    """
    told = dict(witness.steps)
    answered = [set(client.steps) for client in clients]
    bought = sum(client.bought for client in clients)
    engine = connect(url)
    try:
        with reading(engine) as db:
            found = stored(db)
    finally:
        engine.dispose()  # a server that is killed and started again must find the database to itself
    assert not witness.contradictions, witness.contradictions[:3]
    for place, events in told.items():
        assert place in found.steps, f"step {place} was told of, and is lost"
        assert found.steps[place].events == events, f"step {place} is stored otherwise than it was told"
    for client, before in zip(clients, answered, strict=True):
        id = found.people[client.name]
        mine = {place for place, step in found.steps.items() if step.person == id}
        assert before <= mine
        unheard = mine - set(client.steps)
        assert len(unheard) <= 1, f"{client.name} did not ask for {unheard}, or asked once"
    under_way = sum(client.asking for client in clients)
    assert bought <= found.checked.bought_in <= sum(client.bought for client in clients) + under_way * 10_000_00
    return found


class Totals(NamedTuple):
    """What was proven in the end."""

    rounds: int
    bets: int
    ledger_rows: int
    revealed_shoes: int


def verify_shoes(db: Connection) -> list[Verified]:
    """Every shoe of a database; all of them must be over."""
    shoes = db.execute(select(schema.shoes.c.table_id, schema.shoes.c.number)).all()
    return [verify_shoe(db, *shoe) for shoe in shoes]


def prove_the_end(url: str, witness: Witness, clients: Sequence[Remembering]) -> Totals:
    """When all tables are closed: every wager of every player is kept once, every chip is there, every shoe verifies."""
    found = prove(url, witness, clients)
    engine = connect(url)
    with reading(engine) as db:
        kept = {
            (row.table_id, row.round, row.bet): (row.person, row.first) for row in db.execute(select(schema.bets)).all()
        }
        rounds = db.execute(select(schema.rounds)).all()
        verified = verify_shoes(db)
    engine.dispose()
    back = {
        (table, step.round, event["bet"])
        for (table, _), step in found.steps.items()
        for event in step.events
        if event["event"] == "take-back"
    }
    laid = {}
    for client in clients:
        id = found.people[client.name]
        assert set(client.steps) == {place for place, step in found.steps.items() if step.person == id}
        for (table, _), answer in client.steps.items():
            for event in answer["events"]:
                if event["event"] == "bet":
                    laid[table, answer["round"], event["bet"]] = id, event["amount"]
    assert {place: bet for place, bet in laid.items() if place not in back} == kept
    money = found.checked
    assert money.bought_in == sum(client.bought for client in clients) == money.players + money.house
    assert money.floats == 0
    assert money.players == sum(client.me()["chips"] for client in clients)
    assert all(row.ended_at is not None for row in rounds)
    assert sum(len(shoe.rounds) for shoe in verified) == len(rounds)
    return Totals(len(rounds), len(kept), money.rows, len(verified))
