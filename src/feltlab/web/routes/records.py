"""Looking back: rounds and shoes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feltlab.bounds import Length, Pattern
from feltlab.floor.desk import NotFound
from feltlab.floor.records.damage import intact
from feltlab.floor.records.records import ReplayAnswer, RoundAnswer, ShoeAnswer, parse_id, replay_of, round_of, shoe_of
from feltlab.web.http.routing import API, In, Routes, Said
from feltlab.web.routes.answers import said
from feltlab.web.services import asker, services, somebody

routes = Routes(API, "records")
HEADS = Said("Heads, a line each.", "text/plain", {"type": "string"})
Id = Annotated[
    str,
    Length(0, 40),
    Pattern(r"[0-9]{1,15}-[0-9]{1,15}"),
    In("path", "A table's number and the number of its round or shoe.", "12-345"),
]


@routes.get("/rounds/{id}", RoundAnswer)
async def see_round(request: Request, id: Id) -> Response:
    """A round from its first wager to its last payment, step by step and in words."""
    return await _look(request, "round", id, round_of)


@routes.get("/rounds/{id}/replay", ReplayAnswer)
async def see_replay(request: Request, id: Id) -> Response:
    """A round as it lay on the felt, moment by moment; one that is still played, as far as everybody has seen it."""
    return await _look(request, "round", id, replay_of)


@routes.get("/shoes/{id}", ShoeAnswer)
async def see_shoe(request: Request, id: Id) -> Response:
    """A shoe: its commitment and, once it is over, everything that its order follows from."""
    return await _look(request, "shoe", id, shoe_of)


@routes.get("/heads", HEADS)
async def see_heads(request: Request) -> Response:
    """The heads of all hash chains, signed: who keeps them can tell later that nothing before them was changed."""
    return PlainTextResponse(await services(request).heads())


async def _look(request: Request, what: str, id: str, find: Callable[[Connection, int, int], object]) -> Response:
    somebody(request)
    table, number = parse_id(id, what)

    def look(db: Connection) -> Response:
        with intact(table, f"{what} {id}", NotFound):
            return said(find(db, table, number))  # what is stored as JSON goes out as it is: it is read here too

    return await services(request).look_up(asker(request), look)
