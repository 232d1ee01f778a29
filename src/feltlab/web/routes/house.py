"""What only the house may do: open and close tables, and see the books."""

from __future__ import annotations

import asyncio

import msgspec
from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from feltlab.floor.about import about
from feltlab.floor.books import Books, TableBook, books, table_book
from feltlab.floor.commands import CloseTable
from feltlab.floor.config import Wish, configure
from feltlab.floor.database import reading
from feltlab.floor.desk import Job, NotFound
from feltlab.floor.once import once
from feltlab.floor.opening import open_table
from feltlab.floor.view import now_of
from feltlab.web.answers import StepAnswer, TableAnswer, said, stepped
from feltlab.web.bodies import NewTable
from feltlab.web.openapi import answers_with
from feltlab.web.routes import Key, TableId
from feltlab.web.services import house, services

router = APIRouter(tags=["house"])


@router.post("/tables", responses=answers_with(TableAnswer, 201), status_code=201)
async def new_table(request: Request, body: NewTable, key: Key) -> Response:
    """Open a table. What breaks the sheet or the jurisdiction is refused with the rule it breaks."""
    person, here = house(request), services(request)
    wish = msgspec.convert(body.model_dump(), Wish)
    await asyncio.to_thread(configure, wish)  # refuses what cannot be opened, away from the desk

    def act(db: Connection, now: int) -> str:
        asked = msgspec.json.encode(wish).decode()
        return once(db, person, key, asked, now, lambda: str(open_table(db, wish, person, here.seal, now)))

    id = int(await here.worker.plain(act))
    live = await here.worker.ask(lambda desk: desk.look(id))
    return said(TableAnswer(about(live), now_of(live)), 201)


@router.delete("/tables/{table}", responses=answers_with(StepAnswer))
async def close_table(request: Request, table: TableId, key: Key) -> Response:
    """Close a table, when its round is over: everybody gets their chips, and the shoe is revealed."""
    person = house(request)
    return stepped(await services(request).worker.do(Job(table, CloseTable(), person, key)))


@router.get("/books", responses=answers_with(Books))
async def see_books(request: Request) -> Response:
    """Where the chips are, and what each table and wager brought in, beside what was to be expected."""
    house(request)
    engine = services(request).engine

    def look() -> Books:
        with reading(engine) as db:
            return books(db)

    return said(await asyncio.to_thread(look))


@router.get("/books/{table}", responses=answers_with(TableBook))
async def see_book(request: Request, table: TableId) -> Response:
    """The books of one table."""
    house(request)
    engine = services(request).engine

    def look() -> TableBook | None:
        with reading(engine) as db:
            return table_book(db, table)

    found = await asyncio.to_thread(look)
    if found is None:
        raise NotFound(f"there is no table {table}")
    return said(found)
