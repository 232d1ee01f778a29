"""Who is here: guests, accounts, sessions, chips."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Literal, TypeVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from feltlab.bounds import Between
from feltlab.errors import FeltlabError
from feltlab.floor.desk import Job
from feltlab.floor.people import factors, people
from feltlab.floor.people.lookalikes import check_name, looks
from feltlab.floor.people.own_limits import MyLimits, PlayLimits, limits_of, set_limits
from feltlab.floor.people.people import Unknown
from feltlab.floor.people.removing import errands, seats_of
from feltlab.floor.records.records import RoundLine, rounds_of
from feltlab.floor.storage.database import reading
from feltlab.floor.storage.idempotency import once
from feltlab.floor.tables.commands import TakeName
from feltlab.floor.tables.live import Person
from feltlab.web.http.problems import Problem
from feltlab.web.http.routing import API, In, Routes, Said
from feltlab.web.routes import Key
from feltlab.web.routes.answers import Chips, Me, SessionAnswer, said
from feltlab.web.routes.bodies import BuyIn, LogIn, SetLimits
from feltlab.web.services import Services, asker, player, services, somebody
from feltlab.web.sessions.lockout import DEVICE, DEVICE_SECONDS, Lockout, device_token, is_device, place_of

T = TypeVar("T")
Often = Literal["arrivals", "log-ins", "passwords", "purchases", "tables"]
routes = Routes(API, "people")
MOST_ROUNDS = 100
REMOVED = Said("Nothing says any more who it was.")
ENDED = Said("The session has ended.")


@routes.post("/guests", Me, status=201)
async def new_guest(request: Request) -> Response:
    """Begin a session without an account. Its cookie is all that a guest has: lose it, and the chips are lost."""
    not_too_often(request, "arrivals")
    here = services(request)
    person = await here.worker.plain(people.add_guest)
    return await _welcome(request, person)


@routes.post("/accounts", Me, status=201)
async def new_account(request: Request, body: LogIn) -> Response:
    """A player's account, and a session for it. A guest who asks for one keeps chips, seats, rounds and session."""
    not_too_often(request, "arrivals")
    guest: Person | None = request.state.person
    here, name = services(request), check_name(body.name)
    hashed = await slowly(request, people.hash_password, body.password)
    if guest is not None and guest.kind == "guest":
        return await _register(request, guest, name, hashed)
    person = await here.worker.plain(lambda db, now: people.add(db, "player", name, hashed, now))
    return await _welcome(request, person)


async def _register(request: Request, guest: Person, name: str, hashed: str) -> Response:
    here, token = services(request), request.state.token
    person = await here.worker.plain(lambda db, now: people.register(db, guest, name, hashed, token, now))
    here.sessions.forget(token)
    here.presence.rename(person)
    found = await asyncio.to_thread(_me, here, person, token)
    for table in found.tables:
        with suppress(FeltlabError):  # the seat takes the name with the next thing that is done there
            await here.worker.do(Job(table, TakeName(), person))
    response = said(found, 201)
    here.sessions.set_cookie(response, token, person, request)
    return response


@routes.post("/sessions", Me, status=201)
async def log_in(request: Request, body: LogIn) -> Response:
    """Begin a session with a name and a password."""
    not_too_often(request, "log-ins")
    here = services(request)
    found = await asyncio.to_thread(_find, here, body.name)
    person, stored = found or (None, None)
    passed = try_password(request, looks(body.name), "this account", found)
    right = await slowly(request, people.matches, stored, body.password)
    if person is None or stored is None or not right:
        raise Unknown("the name or the password is wrong")
    await check_factor(request, person, body.code)
    passed()
    response = await _welcome(request, person, stored)
    remember_device(response, request, person.id, stored)
    return response


@routes.delete("/sessions", ENDED, status=204)
async def log_out(request: Request) -> Response:
    """End the session."""
    somebody(request)
    here, token = services(request), request.state.token
    await here.worker.plain(lambda db, _: people.end_session(db, token))
    here.sessions.forget(token)
    here.followers.end(token)
    response = Response(status_code=204)
    here.sessions.drop_cookie(response, request)
    return response


@routes.get("/session", SessionAnswer)
async def who_is_here(request: Request) -> Response:
    """Who I am, as `GET /me` says it, or that I am nobody yet: where no session is no mistake."""
    person: Person | None = request.state.person
    if person is None:
        return said(SessionAnswer(None))
    return said(SessionAnswer(await asyncio.to_thread(_me, services(request), person, request.state.token)))


@routes.get("/me", Me)
async def me(request: Request) -> Response:
    """Who I am, my chips, my seats, and the token that goes with changes."""
    person = somebody(request)
    return said(await asyncio.to_thread(_me, services(request), person, request.state.token))


@routes.delete("/me", REMOVED, status=204)
async def remove_me(request: Request) -> Response:
    """Delete my data: the name, the password, all sessions. Seats are left, and chips go back to the bank.

    Refused while wagers of mine are in play. What was played stays, without a name.
    """
    person, here = player(request), services(request)
    for errand in errands(await here.worker.plain(lambda db, _: seats_of(db, person.id)), person, by=person.id):
        await here.worker.ask(errand)
    here.sessions.forget_person(person.id)
    response = Response(status_code=204)
    here.sessions.drop_cookie(response, request)
    return response


@routes.post("/me/chips", Chips)
async def buy_in(request: Request, body: BuyIn, key: Key) -> Response:
    """Buy chips with play money."""
    person, amount = player(request), body.amount
    not_too_often(request, "purchases", person)

    def act(db: Connection, now: int) -> str:
        asked = f"buy-in {amount}"
        return once(db, person, key, asked, now, lambda: str(people.buy_in(db, person, amount, now)))

    return said(Chips(int(await services(request).worker.plain(act))))


@routes.get("/me/limits", MyLimits)
async def my_limits(request: Request) -> Response:
    """My own limits, those that hold later, and what this day of play has cost so far."""
    person, here = player(request), services(request)

    def find() -> MyLimits:
        with reading(here.engine) as db:
            return limits_of(db, person.id, here.clock())

    return said(await asyncio.to_thread(find))


@routes.put("/me/limits", MyLimits)
async def set_my_limits(request: Request, body: SetLimits) -> Response:
    """Set my own limits. What allows less holds at once; what allows more holds 24 hours later."""
    person, wanted = player(request), PlayLimits(body.loss, body.minutes)

    def act(db: Connection, now: int) -> MyLimits:
        people.still_here(db, person.id)
        return set_limits(db, person.id, wanted, now)

    return said(await services(request).worker.plain(act))


@routes.get("/me/rounds", list[RoundLine])
async def my_rounds(
    request: Request, most: Annotated[int, Between(1, MOST_ROUNDS), In("query", "How many rounds, at most.")] = 10
) -> Response:
    """My last rounds, the latest first."""
    person, here = somebody(request), services(request)
    return said(await here.look_up(asker(request), lambda db: rounds_of(db, person.id, most)))


def not_too_often(request: Request, what: Often, person: Person | None = None) -> None:
    """What costs much, or is kept for ever, is done a few times a minute: from one address, or by one person."""
    who, where = (person.id, "by you") if person else (request.state.address, "from this address")
    if wait := request.app.state.often[what].take(who):
        raise Problem(429, "too-often", f"too many {what} {where}; wait a little", retry_after=wait)


def try_password(
    request: Request, account: str, what: str, found: tuple[Person, str | None] | None = None
) -> Callable[[], None]:
    """Refuse to try a password that was wrong too often; else gives what is to be called if it was right."""
    lockout: Lockout = request.app.state.lockout
    shown = request.cookies.get(DEVICE, "")
    known = found is not None and is_device(services(request).seal, shown, found[0].id, found[1] or "")
    place = place_of(shown) if known else f"address {request.state.address}"
    if wait := lockout.attempt(account, place, known=known):
        raise Problem(
            429, "too-often", f"{what} was tried with wrong passwords too often; wait a little", retry_after=wait
        )
    return lambda: lockout.right(account, place)


async def check_factor(request: Request, person: Person, code: str) -> None:
    """Refuse who does not have the second factor of an account that asks for one."""
    here = services(request)

    def on() -> bool:
        with reading(here.engine) as db:
            return factors.factor_of(db, person.id).on

    if not await asyncio.to_thread(on):
        return
    if not code:
        raise Problem(401, "second-factor", "this account has a second factor: send a code of it, or a recovery code")
    if not await here.worker.plain(lambda db, now: factors.check(db, here.seal, person, code, now)):
        raise Problem(401, "second-factor", "that code is wrong, or was used before; wait for the next one")


def remember_device(response: Response, request: Request, person: int, stored: str) -> None:
    """The browser knows the password: wrong ones of others do not slow it."""
    here = services(request)
    here.sessions.set_device(response, device_token(here.seal, person, stored), DEVICE_SECONDS, request)


async def slowly(request: Request, act: Callable[..., T], *arguments: object) -> T:
    """Hash a password: one at a time, in everybody's turn, so that many log-ins cannot take the whole machine."""
    async with request.app.state.hashing.turn(asker(request)):
        return await asyncio.to_thread(act, *arguments)


def _find(here: Services, name: str) -> tuple[Person, str | None] | None:
    with reading(here.engine) as db:
        return people.find(db, name)


def _me(here: Services, person: Person, token: str) -> Me:
    with reading(here.engine) as db:
        chips, tables = people.chips_of(db, person.id), seats_of(db, person.id)
        return Me(person.name, person.kind, chips, tables, people.csrf(token))


async def _welcome(request: Request, person: Person, stored: str | None = None) -> Response:
    """A session for somebody, if the password that they showed is still theirs."""
    here = services(request)

    def act(db: Connection, now: int) -> str:
        if stored is not None:
            people.still_right(db, person.id, stored)
        return people.begin_session(db, person, now)

    token = await here.worker.plain(act)
    response = said(await asyncio.to_thread(_me, here, person, token), 201)
    here.sessions.set_cookie(response, token, person, request)
    return response
