"""Opening and closing tables and voiding rounds, which is the house's (and a player's who may practise), and the books, which are its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from feltlab.floor.desk import Job, NotFound
from feltlab.floor.house.about import about
from feltlab.floor.house.opening import in_the_way, may_open, open_configured, opener_of
from feltlab.floor.ledger.books import Answers, Books, TableBook, books, questions, table_book
from feltlab.floor.ledger.expected_win import ExpectedQuery
from feltlab.floor.storage.database import reading
from feltlab.floor.storage.idempotency import once
from feltlab.floor.tables.commands import CloseTable, VoidRound
from feltlab.floor.tables.view import now_of
from feltlab.web.http.routing import API, Routes
from feltlab.web.routes import Key, TableId
from feltlab.web.routes.answers import StepAnswer, TableAnswer, said, stepped
from feltlab.web.routes.bodies import NewTable, Reason
from feltlab.web.routes.people import not_too_often
from feltlab.web.services import asker, house, opener, services

T = TypeVar("T")
routes = Routes(API, "house")


@routes.post("/tables", TableAnswer, status=201)
async def new_table(request: Request, body: NewTable, key: Key) -> Response:
    """Open a table. What breaks the sheet or the jurisdiction is refused with the rule it breaks.

    Where the server lets players practise, a player may open a few too.
    """
    person, here = opener(request), services(request)
    checked = await here.setting_up.check(body, asker(request))  # refuses what cannot be opened, away from the server

    def act(db: Connection, now: int) -> str:
        asked = msgspec.json.encode(body).decode()
        return once(db, person, key, asked, now, lambda: str(opened(db, now)))

    def opened(db: Connection, now: int) -> int:
        if person.kind != "house":
            may_open(db, person)
        return open_configured(db, checked.config, checked.text, body.name, person, here.seal, now)

    if person.kind != "house":
        not_too_often(request, "tables")
        await here.close(lambda db, now: in_the_way(db, person, now))
    id = int(await here.worker.plain(act))
    live = await here.worker.ask(lambda desk: desk.look(id))
    return said(TableAnswer(about(live), now_of(live)), 201)


@routes.delete("/tables/{table}", StepAnswer)
async def close_table(request: Request, table: TableId, key: Key) -> Response:
    """Close a table, when its round is over: everybody gets their chips, and the shoe is revealed."""
    person, here = opener(request), services(request)

    def whose() -> int | None:
        with reading(here.engine) as db:
            return opener_of(db, table)

    if person.kind != "house" and await asyncio.to_thread(whose) != person.id:
        house(request)  # which refuses
    return stepped(await here.worker.do(Job(table, CloseTable(), person, key)))


@routes.post("/tables/{table}/void", StepAnswer)
async def void_round(request: Request, table: TableId, body: Reason, key: Key) -> Response:
    """Void the round in play: wagers that are still open go back, and the round's record says why.

    What was settled stays settled. For house accounts only, also at players' own tables.
    """
    person = house(request)
    return stepped(await services(request).worker.do(Job(table, VoidRound(body.reason), person, key)))


@routes.get("/books", Books)
async def see_books(request: Request) -> Response:
    """Where the chips are, and what each table and wager brought in, beside what was to be expected.

    Exact figures take a while to be counted: a wager whose figures are not known yet has a `note` that says so.
    """
    return said(await _look(request, None, books))


@routes.get("/books/{table}", TableBook)
async def see_book(request: Request, table: TableId) -> Response:
    """The books of one table."""
    found = await _look(request, table, lambda db, answers: table_book(db, table, answers))
    if found is None:
        raise NotFound(f"there is no table {table}")
    return said(found)


async def _look(request: Request, table: int | None, find: Callable[[Connection, Answers], T]) -> T:
    """Books, with the exact figures that are known. The database is not kept waiting for those that are not."""
    house(request)
    here = services(request)

    def ask() -> list[ExpectedQuery]:
        with reading(here.engine) as db:
            return questions(db, table)

    def look(answers: Answers) -> T:
        with reading(here.engine) as db:
            return find(db, answers)

    answers = await here.figuring.find(await asyncio.to_thread(ask))
    return await asyncio.to_thread(look, answers)
