"""The lab: sheets looked at, changed, figured, drawn and simulated. Nothing here touches chips or tables."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feltlab.bounds import Pattern
from feltlab.floor.desk import NotFound
from feltlab.floor.house.opening import keep_sheet, kept_sheet
from feltlab.floor.storage.database import reading
from feltlab.lab.about import SheetAbout, SheetLine
from feltlab.lab.auditing import AuditAnswer
from feltlab.lab.chart_shapes import LabChart
from feltlab.lab.copying import Copy
from feltlab.lab.dealing_shapes import SHEET, NewSimulation, SheetTable, SimulationJob
from feltlab.lab.figures import FiguresAnswer
from feltlab.lab.questions import LabQuestion
from feltlab.lab.series import Series
from feltlab.sheets.loader import builtin_names, builtin_text
from feltlab.tables import TableChoice
from feltlab.web.documents.lab_examples import PROGRESS
from feltlab.web.http.problems import Problem
from feltlab.web.http.routing import API, In, Routes, Said
from feltlab.web.lab.laboratory import Lane
from feltlab.web.lab.simulations import SimulationAnswer
from feltlab.web.routes.answers import said
from feltlab.web.routes.bodies import AskCopy, AskFigures, AskSeries, AskStrategy, NewSheet
from feltlab.web.services import Services, asker, services, somebody
from feltlab.web.streams.following import EventStream, Follower

SECONDS_BETWEEN_LOOKS = 0.25  # whether somebody still waits
routes = Routes(f"{API}/lab", "lab")
SheetId = Annotated[str, SHEET, In("path", "A built-in sheet's id, or a text's hash.", "bad-beat-baccarat")]
SimulationId = Annotated[str, Pattern(r"[A-Za-z0-9_-]{16}"), In("path", "A simulation's id.", "Zk3vQ0y1b7WmXc2d")]
STREAM = Said("Server-sent events.", "text/event-stream", {"type": "string", "examples": [PROGRESS]})


@routes.get("/sheets", list[SheetLine])
async def list_sheets(request: Request) -> Response:
    """The built-in sheets."""
    return _json(await services(request).laboratory.ask("counted", LabQuestion("sheets"), asker(request)))


@routes.get("/sheets/{sheet}", SheetAbout)
async def see_sheet(request: Request, sheet: SheetId) -> Response:
    """A sheet: its text, its choices, wagers and papers."""
    here = _looking(request)
    question = LabQuestion("about", await sheet_text(here, sheet))
    return _json(await here.laboratory.ask("counted", question, asker(request)))


@routes.post("/sheets", SheetAbout, status=201)
async def new_sheet(request: Request, body: NewSheet) -> Response:
    """Check the text of a sheet, and keep it under its hash. A wrong one is refused with the lines that are wrong."""
    person, here = somebody(request), services(request)
    found = await here.laboratory.ask("counted", LabQuestion("check", body.text), asker(request))
    if wait := here.laboratory.saves.take(person.id):  # wrong ones cost nothing: they are not kept
        raise Problem(429, "too-often", "too many sheets at once; wait a moment", retry_after=wait)
    sha256 = msgspec.json.decode(found, type=SheetAbout).sha256
    await here.worker.plain(lambda db, now: keep_sheet(db, sha256, body.text, now))
    return _json(found, 201)


@routes.post("/figures", FiguresAnswer)
async def ask_figures(request: Request, body: AskFigures) -> Response:
    """The figures of a table's wagers.

    Those that are counted come at once; those that depend on play take about a second. What whole rounds win of the main
    wager, and so its variance and frequencies, takes some seconds more: it is there in part `all`.
    """
    lane: Lane = "counted" if body.part == "counted" else "played"
    return await _ask(request, lane, "figures", body.table, part=body.part, wagers=body.wagers)


@routes.post("/series", Series)
async def ask_series(request: Request, body: AskSeries) -> Response:
    """How a wager's house edge moves with the decks, a line's pay, a card gone or the depth of the shoe."""
    given = {"wager": body.wager, "over": body.over, "line": body.line}
    return await _ask(request, "long", "series", body.table, **given)


@routes.get("/audit/{sheet}", AuditAnswer)
async def see_audit(request: Request, sheet: SheetId) -> Response:
    """Every figure that a sheet prints beside the computed one, and what other readings would give."""
    if sheet not in builtin_names():
        somebody(request)
    here = _looking(request)
    question = LabQuestion("audit", await sheet_text(here, sheet))
    return _json(await here.laboratory.ask("long", question, asker(request)))


@routes.post("/strategy", LabChart)
async def ask_strategy(request: Request, body: AskStrategy) -> Response:
    """A table's strategy as a chart, with the house edge that it leaves and what playing for a side wager costs."""
    return await _ask(request, "played", "strategy", body.table, ratio=body.ratio)


@routes.post("/copy", Copy)
async def ask_copy(request: Request, body: AskCopy) -> Response:
    """The text of a table's sheet with the pays in force."""
    return await _ask(request, "counted", "copy", body.table)


@routes.post("/simulations", SimulationAnswer, status=201)
async def new_simulation(request: Request, body: NewSimulation) -> Response:
    """Deal rounds of a table, as soon as the simulations before it are over. It goes on when you go."""
    person, here = somebody(request), services(request)
    text = await sheet_text(here, body.table.sheet)
    question = LabQuestion("figures", text, _choice(body.table), "counted", [])
    checked = await here.laboratory.ask("counted", question, asker(request))
    told = msgspec.json.decode(checked, type=FiguresAnswer)  # what cannot be dealt is refused now
    headline = "; ".join([told.headline, *told.modified])
    return said(here.simulations.begin(SimulationJob(text, body), person, asker(request), headline), 201)


@routes.get("/simulations", list[SimulationAnswer])
async def list_simulations(request: Request) -> Response:
    """My simulations on this server, the latest first."""
    return said(services(request).simulations.of(somebody(request)))


@routes.get("/simulations/{id}", SimulationAnswer)
async def see_simulation(request: Request, id: SimulationId) -> Response:
    """A simulation as it is now; whoever knows its id may look."""
    return _json(services(request).simulations.find(id).encoded())


@routes.get("/simulations/{id}/events", STREAM)
async def follow_simulation(request: Request, id: SimulationId) -> Response:
    """A simulation as it goes, as server-sent events: each `progress` is the whole of it. They end when it is over."""
    here = services(request)
    follower = Follower(here.simulations.find(id).wake)
    return EventStream(here.followers, follower, here.simulations.follow(id, follower))


@routes.delete("/simulations/{id}", SimulationAnswer)
async def stop_simulation(request: Request, id: SimulationId) -> Response:
    """Stop a simulation of mine. What was dealt stays."""
    return said(await services(request).simulations.end(id, somebody(request)))


def _looking(request: Request) -> Services:
    """What the server has, for who looks at what has to be worked out first: not without end."""
    here = services(request)
    if wait := here.laboratory.looks.take(asker(request)):
        raise Problem(429, "too-often", "too much is looked at at once; wait a moment", retry_after=wait)
    return here


def _json(found: bytes, status: int = 200) -> Response:
    return Response(found, status, media_type="application/json")


def _choice(table: SheetTable) -> TableChoice:
    return TableChoice(**{name: getattr(table, name) for name in TableChoice.__struct_fields__})


async def _ask(request: Request, lane: Lane, ask: Any, table: SheetTable, **more: Any) -> Response:
    somebody(request)
    here = services(request)
    question = LabQuestion(ask, await sheet_text(here, table.sheet), _choice(table), **more)
    answer = asyncio.ensure_future(here.laboratory.ask(lane, question, asker(request)))
    while not (await asyncio.wait([answer], timeout=SECONDS_BETWEEN_LOOKS))[0]:
        if await request.is_disconnected():
            answer.cancel()  # who has changed the table asks anew, and should not wait for what they asked before
            raise Problem(408, "gone", "nobody waits for this answer any more")
    return _json(answer.result())


async def sheet_text(here: Services, sheet: str) -> str:
    """The text of a sheet: a built-in one, or one that was put in."""
    if sheet in builtin_names():
        return builtin_text(sheet)

    def find() -> str | None:
        with reading(here.engine) as db:
            return kept_sheet(db, sheet)

    found = await asyncio.to_thread(find) if len(sheet) == 64 else None
    if found is None:
        raise NotFound(
            f"there is no sheet '{sheet}' here; one of your own is known by its hash once its text was put in"
        )
    return found
