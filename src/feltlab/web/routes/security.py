"""Accounts kept safe: the password, the sessions, and for the house what was done and by whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from feltlab.bounds import Between, Length, Pattern
from feltlab.floor.desk import NotFound
from feltlab.floor.people import acts, factors, people
from feltlab.floor.people.factors import Enrolment, RecoveryCodes, SecondFactor
from feltlab.floor.people.people import SessionLine, Unknown
from feltlab.floor.storage.database import reading
from feltlab.floor.tables.live import Person
from feltlab.web.http.problems import Problem
from feltlab.web.http.routing import API, In, Routes, Said
from feltlab.web.routes.answers import ActLine, said
from feltlab.web.routes.bodies import Code, NewPassword, Off, Password
from feltlab.web.routes.people import check_factor, not_too_often, remember_device, slowly, try_password
from feltlab.web.services import asker, house, services, somebody

routes = Routes(API, "people")
MOST_ACTS = 200
DONE = Said("It is done.")


def _account(request: Request) -> Person:
    person = somebody(request)
    if person.kind == "guest":
        raise Problem(403, "guest", "a guest has no password; register first")
    return person


@routes.post("/me/password", DONE, status=204)
async def change_password(request: Request, body: NewPassword) -> Response:
    """A new password, for who knows the present one. All other sessions of the account end."""
    person, here, token = _account(request), services(request), request.state.token
    stored, passed = await _check_password(request, person, body.present)
    passed()
    hashed = await slowly(request, people.hash_password, body.new)

    def act(db: Connection, now: int) -> None:
        people.still_right(db, person.id, stored)
        people.set_password(db, person.id, hashed, now, by=person.id, keep=token)

    await here.worker.plain(act)
    here.sessions.forget_person(person.id)
    response = Response(status_code=204)
    remember_device(response, request, person.id, hashed)
    return response


@routes.get("/me/second-factor", SecondFactor)
async def my_second_factor(request: Request) -> Response:
    """Is a second factor asked for when I log in?"""
    person, here = _account(request), services(request)

    def find() -> SecondFactor:
        with reading(here.engine) as db:
            return factors.factor_of(db, person.id)

    return said(await asyncio.to_thread(find))


@routes.post("/me/second-factor", Enrolment)
async def begin_second_factor(request: Request, body: Password) -> Response:
    """Begin with a second factor: tell the authenticator what comes back, then send a first code of it."""
    person, here = _account(request), services(request)
    stored, passed = await _check_password(request, person, body.present)
    passed()

    def act(db: Connection, _: int) -> Enrolment:
        people.still_right(db, person.id, stored)
        return factors.enrol(db, here.seal, person)

    return said(await here.worker.plain(act))


@routes.put("/me/second-factor", RecoveryCodes)
async def confirm_second_factor(request: Request, body: Code) -> Response:
    """A first code: from now on one is asked for at every log-in. Gives the recovery codes, once."""
    person, here = _account(request), services(request)
    passed = try_password(request, f"person {person.id}", "the code")
    codes = await here.worker.plain(lambda db, now: factors.confirm(db, here.seal, person, body.code, now))
    if codes is None:
        raise Problem(401, "second-factor", "that code is wrong; is the clock of the authenticator right?")
    passed()
    return said(codes)


@routes.post("/me/second-factor/off", DONE, status=204)
async def remove_second_factor(request: Request, body: Off) -> Response:
    """No second factor any more, for who has the password and a code."""
    person, here = _account(request), services(request)
    stored, passed = await _check_password(request, person, body.present)
    await check_factor(request, person, body.code)
    passed()  # not before: who has the password may not guess codes

    def act(db: Connection, now: int) -> None:
        people.still_right(db, person.id, stored)
        factors.remove(db, person.id, now, by=person.id)

    await here.worker.plain(act)
    return Response(status_code=204)


@routes.get("/me/sessions", list[SessionLine])
async def my_sessions(request: Request) -> Response:
    """Where I am logged in: when each session began and was last used. Nothing else is kept of them."""
    person, here, token = somebody(request), services(request), request.state.token

    def find() -> list[SessionLine]:
        with reading(here.engine) as db:
            return people.sessions_of(db, person.id, token, here.clock())

    return said(await asyncio.to_thread(find))


@routes.delete("/me/sessions", DONE, status=204)
async def end_other_sessions(request: Request) -> Response:
    """End all my sessions but this one."""
    await _end(request, None)
    return Response(status_code=204)


@routes.delete("/me/sessions/{id}", DONE, status=204)
async def end_one_session(
    request: Request,
    id: Annotated[str, Pattern(r"[0-9a-f]{16}"), In("path", "A session's id.", "0899fe79f3707c5b")],
) -> Response:
    """End one of my other sessions."""
    if not await _end(request, id):
        raise NotFound("there is no other session of yours by that id")
    return Response(status_code=204)


async def _end(request: Request, id: str | None) -> int:
    person, here, token = somebody(request), services(request), request.state.token
    ended = await here.worker.plain(lambda db, now: people.end_sessions(db, person, now, but=token, id=id))
    here.sessions.forget_person(person.id)
    return ended


@routes.get("/house/acts", list[ActLine], tags=("house",))
async def see_acts(
    request: Request,
    before: Annotated[int, Between(1, 2**53), In("query", "Only acts before this one.")] = 2**53,
    most: Annotated[int, Between(1, MOST_ACTS), In("query", "How many acts, at most.")] = 50,
    act: Annotated[str, Length(0, 30), Pattern(r"[a-z-]*"), In("query", "Only acts of this kind.", "open")] = "",
) -> Response:
    """What was done beside play, by whom and when, the latest first: accounts, passwords, sessions, tables."""
    house(request)

    def find(db: Connection) -> list[ActLine]:
        return [ActLine.of(done, name) for done, name in acts.latest(db, before, most, act)]

    return said(await services(request).look_up(asker(request), find))


async def _check_password(request: Request, person: Person, present: str) -> tuple[str, Callable[[], None]]:
    """Refuse who has only the session; gives the password as stored, and what is to be called when all is right."""
    not_too_often(request, "passwords")
    not_too_often(request, "passwords", person)
    stored = await asyncio.to_thread(_stored, request, person)
    passed = try_password(request, f"person {person.id}", "the present password")
    right = await slowly(request, people.matches, stored, present)
    if stored is None or not right:
        raise Unknown("the present password is wrong")
    return stored, passed


def _stored(request: Request, person: Person) -> str | None:
    with reading(services(request).engine) as db:
        return people.password_of(db, person.id)
