"""Tables: look, sit, wager, act, follow."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from msgspec import UNSET
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from feltlab.bounds import Length
from feltlab.floor.desk import Desk, Job, NotFound
from feltlab.floor.house.about import TableLine, about
from feltlab.floor.records.damage import intact
from feltlab.floor.records.roads import Scoreboard, scoreboard
from feltlab.floor.tables.commands import AddSeed, Bring, Decide, Leave, Ready, SetBets, Sit, TableCommand
from feltlab.floor.tables.view import now_of
from feltlab.web.documents.examples import EVENTS
from feltlab.web.http.routing import API, In, Routes, Said
from feltlab.web.routes import Key, TableId
from feltlab.web.routes.answers import StepAnswer, TableAnswer, said, stepped
from feltlab.web.routes.bodies import Bets, BuyIn, Move, Seed, SitDown
from feltlab.web.services import asker, player, services, somebody
from feltlab.web.streams.following import EventStream
from feltlab.web.streams.streams import snapshot

routes = Routes(API, "tables")
STREAM = Said("Server-sent events.", "text/event-stream", {"type": "string", "examples": [EVENTS]})


@routes.get("/tables", list[TableLine])
async def list_tables(request: Request) -> Response:
    """The tables that are not closed. One that is out of order is `status` so, has no seats, and tells the house why."""
    person, here = request.state.person, services(request)
    lobby = here.lobby_of_house if person is not None and person.kind == "house" else here.lobby
    return said(await lobby.ask())


@routes.get("/tables/{table}", TableAnswer)
async def see_table(request: Request, table: TableId) -> Response:
    """A table: its rules, wagers and limits, and how it is now."""

    def find(desk: Desk) -> TableAnswer:
        live = desk.look(table)
        return TableAnswer(about(live), now_of(live))

    return said(await services(request).worker.ask(find))


@routes.get("/tables/{table}/scoreboard", Scoreboard)
async def see_scoreboard(request: Request, table: TableId) -> Response:
    """What has come of a baccarat table's shoe, as the five roads."""
    here = services(request)
    live = await here.worker.ask(lambda desk: desk.look(table))
    game, shoe = live.table.setup.sheet.game, live.state.shoe

    def find(db: Connection) -> Scoreboard:
        with intact(table, "its scoreboard", NotFound):
            return scoreboard(db, table, game, shoe)

    return said(await here.look_up(asker(request), find))


@routes.get("/tables/{table}/events", STREAM)
async def follow(
    request: Request,
    table: TableId,
    last_event_id: Annotated[
        Annotated[str, Length(0, 20)] | None,
        In("header", "The id of the last event that arrived.", "17", "last-event-id"),
    ] = None,
) -> Response:
    """Live updates as server-sent events: first the table as it is (`now`), then every `step`.

    With `Last-Event-ID` the steps after that one come first, so nothing is missed after a lost connection.
    """
    person = somebody(request)
    here = services(request)
    if last_event_id and last_event_id.isascii() and last_event_id.isdecimal():
        seq, first = await here.catch_up(table, int(last_event_id), asker(request))
    else:
        now = await here.now(table)
        seq, first = now.seq, snapshot(now)
    follower = here.streams.follower(table)
    catch_up = partial(here.catch_up, asker=asker(request))
    events = here.streams.follow(table, seq, first, catch_up, follower)
    return EventStream(here.followers, follower, here.presence.following(table, person, events))


@routes.post("/tables/{table}/seat", StepAnswer)
async def sit(request: Request, table: TableId, body: SitDown, key: Key) -> Response:
    """Sit down on one or more spots, with chips."""
    return await _do(request, table, Sit(tuple(body.spots), body.chips), key)


@routes.delete("/tables/{table}/seat", StepAnswer)
async def leave(request: Request, table: TableId, key: Key) -> Response:
    """Leave with all chips; with wagers in play, when the round is over."""
    return await _do(request, table, Leave(), key)


@routes.post("/tables/{table}/chips", StepAnswer)
async def bring(request: Request, table: TableId, body: BuyIn, key: Key) -> Response:
    """Bring more chips to the table."""
    return await _do(request, table, Bring(body.amount), key)


@routes.put("/tables/{table}/bets", StepAnswer)
async def bet(request: Request, table: TableId, body: Bets, key: Key) -> Response:
    """Set the wagers of a spot, before the deal."""
    return await _do(request, table, SetBets(body.spot, body.bets, UNSET if body.round is None else body.round), key)


@routes.post("/tables/{table}/deal", StepAnswer)
async def deal(request: Request, table: TableId, key: Key) -> Response:
    """No more bets from me: the cards are dealt when all at the table are ready, or their time is up."""
    return await _do(request, table, Ready(), key)


@routes.post("/tables/{table}/moves", StepAnswer)
async def move(request: Request, table: TableId, body: Move, key: Key) -> Response:
    """Answer what the table asks: an action, insurance, even money, surrender."""
    return await _do(request, table, Decide(body.turn, body.spot, body.action, body.side, body.amount), key)


@routes.post("/tables/{table}/seeds", StepAnswer)
async def add_seed(request: Request, table: TableId, body: Seed, key: Key) -> Response:
    """Mix a text of your own into the order of the shoe, before its first card."""
    return await _do(request, table, AddSeed(body.seed), key)


async def _do(request: Request, table: int, command: TableCommand, key: str) -> Response:
    person = player(request)
    return stepped(await services(request).worker.do(Job(table, command, person, key)))
