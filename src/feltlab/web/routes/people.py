"""Who is here: guests, accounts, sessions, chips."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy import Connection, select

from feltlab.floor import people, schema
from feltlab.floor.database import reading
from feltlab.floor.live import Person
from feltlab.floor.once import once
from feltlab.floor.people import Unknown
from feltlab.floor.records import RoundLine, rounds_of
from feltlab.web.answers import Chips, Me, said
from feltlab.web.bodies import BuyIn, LogIn
from feltlab.web.openapi import answers_with
from feltlab.web.problems import Problem
from feltlab.web.routes import Key, NoBody
from feltlab.web.services import Services, player, services, somebody

T = TypeVar("T")
router = APIRouter(tags=["people"])
MOST_ROUNDS = 100
ENDED: dict[int | str, dict[str, Any]] = {204: {"description": "The session has ended."}}


@router.post("/guests", responses=answers_with(Me, 201), status_code=201, dependencies=[NoBody])
async def new_guest(request: Request) -> Response:
    """Begin a session without an account. Its cookie is all that a guest has: lose it, and the chips are lost."""
    _not_too_often(request)
    here = services(request)
    person = await here.worker.plain(people.add_guest)
    return await _welcome(request, person)


@router.post("/accounts", responses=answers_with(Me, 201), status_code=201)
async def new_account(request: Request, body: LogIn) -> Response:
    """A player's account, and a session for it."""
    _not_too_often(request)
    here, name = services(request), people.check_name(body.name)
    hashed = await _slowly(request, people.hash_password, body.password)
    person = await here.worker.plain(lambda db, now: people.add(db, "player", name, hashed, now))
    return await _welcome(request, person)


@router.post("/sessions", responses=answers_with(Me, 201), status_code=201)
async def log_in(request: Request, body: LogIn) -> Response:
    """Begin a session with a name and a password."""
    _not_too_often(request)
    here = services(request)
    found = await asyncio.to_thread(_find, here, body.name)
    person, stored = found or (None, None)
    right = await _slowly(request, people.matches, stored, body.password)
    if person is None or not right:
        raise Unknown("the name or the password is wrong")
    return await _welcome(request, person)


@router.delete("/sessions", status_code=204, responses=ENDED, dependencies=[NoBody])
async def log_out(request: Request) -> Response:
    """End the session."""
    somebody(request)
    here, token = services(request), request.state.token
    await here.worker.plain(lambda db, _: people.end_session(db, token))
    here.sessions.forget(token)
    response = Response(status_code=204)
    here.sessions.drop_cookie(response, request)
    return response


@router.get("/me", responses=answers_with(Me))
async def me(request: Request) -> Response:
    """Who I am, my chips, my seats, and the token that goes with changes."""
    person = somebody(request)
    return said(await asyncio.to_thread(_me, services(request), person, request.state.token))


@router.post("/me/chips", responses=answers_with(Chips))
async def buy_in(request: Request, body: BuyIn, key: Key) -> Response:
    """Buy chips with play money."""
    person, amount = player(request), body.amount

    def act(db: Connection, now: int) -> str:
        asked = f"buy-in {amount}"
        return once(db, person, key, asked, now, lambda: str(people.buy_in(db, person, amount, now)))

    return said(Chips(int(await services(request).worker.plain(act))))


@router.get("/me/rounds", responses=answers_with(RoundLine, many=True))
async def my_rounds(
    request: Request, most: Annotated[int, Query(ge=1, le=MOST_ROUNDS, description="How many rounds, at most.")] = 10
) -> Response:
    """My last rounds, the latest first."""
    person, here = somebody(request), services(request)

    def find() -> list[RoundLine]:
        with reading(here.engine) as db:
            return rounds_of(db, person.id, most)

    return said(await asyncio.to_thread(find))


def _not_too_often(request: Request) -> None:
    """Sessions and passwords are tried a few times a minute from one address, not more."""
    address = request.client.host if request.client else ""
    if wait := request.app.state.log_ins.take(address):
        raise Problem(429, "too-often", "too many log-ins from this address; wait a little", retry_after=wait)


async def _slowly(request: Request, act: Callable[..., T], *arguments: object) -> T:
    """Hash a password: one at a time, so that many log-ins cannot take the whole machine."""
    async with request.app.state.hashing:
        return await asyncio.to_thread(act, *arguments)


def _find(here: Services, name: str) -> tuple[Person, str | None] | None:
    with reading(here.engine) as db:
        return people.find(db, name)


def _me(here: Services, person: Person, token: str) -> Me:
    t = schema.tables
    seats = select(t.c.id).where(t.c.status == "open", t.c.state.like(f'%"person":{person.id},%')).order_by(t.c.id)
    with reading(here.engine) as db:
        tables = list(db.execute(seats).scalars())
        return Me(person.name, person.kind, people.chips_of(db, person.id), tables, people.csrf(token))


async def _welcome(request: Request, person: Person) -> Response:
    here = services(request)
    token = await here.worker.plain(lambda db, now: people.begin_session(db, person, now))
    response = said(await asyncio.to_thread(_me, here, person, token), 201)
    here.sessions.set_cookie(response, token, person, request)
    return response
