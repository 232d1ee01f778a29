"""The lab: sheets looked at, changed, figured, drawn and simulated. Nothing here touches chips or tables."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request, Response
from starlette.responses import StreamingResponse

from feltlab.floor.desk import NotFound
from feltlab.floor.house.opening import keep_sheet, kept_sheet
from feltlab.floor.storage.database import reading
from feltlab.lab.about import SheetAbout, SheetLine
from feltlab.lab.auditing import AuditAnswer
from feltlab.lab.chart_shapes import LabChart
from feltlab.lab.copying import Copy
from feltlab.lab.dealing_shapes import SheetTable, Wish
from feltlab.lab.figures import FiguresAnswer
from feltlab.lab.questions import LabQuestion
from feltlab.lab.series import Series
from feltlab.sheets.loader import builtin_names, builtin_text
from feltlab.tables import TableChoice
from feltlab.web.answers import said
from feltlab.web.following import EventStream, Follower
from feltlab.web.lab_bodies import (
    SHEET,
    AskCopy,
    AskFigures,
    AskSeries,
    AskStrategy,
    LabTable,
    NewSheet,
    NewSimulation,
)
from feltlab.web.lab_examples import PROGRESS
from feltlab.web.laboratory import Lane
from feltlab.web.openapi import answer, answers_with
from feltlab.web.problems import Problem
from feltlab.web.routes import NoBody
from feltlab.web.services import Services, asker, services, somebody
from feltlab.web.simulations import SimulationAnswer

SECONDS_BETWEEN_LOOKS = 0.25  # whether somebody still waits
router = APIRouter(prefix="/lab", tags=["lab"])
SheetId = Annotated[
    str, Path(pattern=SHEET, description="A built-in sheet's id, or a text's hash.", examples=["bad-beat-baccarat"])
]
SimulationId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{16}$", description="A simulation's id.", examples=["Zk3vQ0y1b7WmXc2d"])
]
STREAM: dict[int | str, dict[str, Any]] = {
    200: answer("Server-sent events.", {"type": "string", "examples": [PROGRESS]}, "text/event-stream")
}


@router.get("/sheets", responses=answers_with(SheetLine, many=True))
async def list_sheets(request: Request) -> Response:
    """The built-in sheets."""
    return _json(await services(request).laboratory.ask("counted", LabQuestion("sheets"), asker(request)))


@router.get("/sheets/{sheet}", responses=answers_with(SheetAbout))
async def see_sheet(request: Request, sheet: SheetId) -> Response:
    """A sheet: its text, its choices, wagers and papers."""
    here = _looking(request)
    question = LabQuestion("about", await sheet_text(here, sheet))
    return _json(await here.laboratory.ask("counted", question, asker(request)))


@router.post("/sheets", responses=answers_with(SheetAbout, 201), status_code=201)
async def new_sheet(request: Request, body: NewSheet) -> Response:
    """Check the text of a sheet, and keep it under its hash. A wrong one is refused with the lines that are wrong."""
    person, here = somebody(request), services(request)
    found = await here.laboratory.ask("counted", LabQuestion("check", body.text), asker(request))
    if wait := here.laboratory.saves.take(person.id):  # wrong ones cost nothing: they are not kept
        raise Problem(429, "too-often", "too many sheets at once; wait a moment", retry_after=wait)
    sha256 = msgspec.json.decode(found, type=SheetAbout).sha256
    await here.worker.plain(lambda db, now: keep_sheet(db, sha256, body.text, now))
    return _json(found, 201)


@router.post("/figures", responses=answers_with(FiguresAnswer))
async def ask_figures(request: Request, body: AskFigures) -> Response:
    """The figures of a table's wagers.

    Those that are counted come at once; those that depend on play take about a second. What whole rounds win of the main
    wager, and so its variance and frequencies, takes some seconds more: it is there in part `all`.
    """
    lane: Lane = "counted" if body.part == "counted" else "played"
    return await _ask(request, lane, "figures", body.table, part=body.part, wagers=body.wagers)


@router.post("/series", responses=answers_with(Series))
async def ask_series(request: Request, body: AskSeries) -> Response:
    """How a wager's house edge moves with the decks, a line's pay, a card gone or the depth of the shoe."""
    given = {"wager": body.wager, "over": body.over, "line": body.line}
    return await _ask(request, "long", "series", body.table, **given)


@router.get("/audit/{sheet}", responses=answers_with(AuditAnswer))
async def see_audit(request: Request, sheet: SheetId) -> Response:
    """Every figure that a sheet prints beside the computed one, and what other readings would give."""
    if sheet not in builtin_names():
        somebody(request)
    here = _looking(request)
    question = LabQuestion("audit", await sheet_text(here, sheet))
    return _json(await here.laboratory.ask("long", question, asker(request)))


@router.post("/strategy", responses=answers_with(LabChart))
async def ask_strategy(request: Request, body: AskStrategy) -> Response:
    """A table's strategy as a chart, with the house edge that it leaves and what playing for a side wager costs."""
    return await _ask(request, "played", "strategy", body.table, ratio=body.ratio)


@router.post("/copy", responses=answers_with(Copy))
async def ask_copy(request: Request, body: AskCopy) -> Response:
    """The text of a table's sheet with the pays in force."""
    return await _ask(request, "counted", "copy", body.table)


@router.post("/simulations", responses=answers_with(SimulationAnswer, 201), status_code=201)
async def new_simulation(request: Request, body: NewSimulation) -> Response:
    """Deal rounds of a table, as soon as the simulations before it are over. It goes on when you go."""
    person, here = somebody(request), services(request)
    table, text = _choice(body.table), await sheet_text(here, body.table.sheet)
    checked = await here.laboratory.ask("counted", LabQuestion("figures", text, table, "counted", []), asker(request))
    told = msgspec.json.decode(checked, type=FiguresAnswer)  # what cannot be dealt is refused now
    headline = "; ".join([told.headline, *told.modified])
    wish = Wish(
        text, msgspec.convert(body.table.model_dump(), SheetTable), body.rounds, body.seed, body.mode, body.spots
    )
    return said(here.simulations.begin(wish, person, asker(request), headline), 201)


@router.get("/simulations", responses=answers_with(SimulationAnswer, many=True))
async def list_simulations(request: Request) -> Response:
    """My simulations on this server, the latest first."""
    return said(services(request).simulations.of(somebody(request)))


@router.get("/simulations/{id}", responses=answers_with(SimulationAnswer))
async def see_simulation(request: Request, id: SimulationId) -> Response:
    """A simulation as it is now; whoever knows its id may look."""
    return _json(services(request).simulations.find(id).encoded())


@router.get("/simulations/{id}/events", responses=STREAM, response_class=StreamingResponse)
async def follow_simulation(request: Request, id: SimulationId) -> Response:
    """A simulation as it goes, as server-sent events: each `progress` is the whole of it. They end when it is over."""
    here = services(request)
    follower = Follower(here.simulations.find(id).wake)
    return EventStream(here.followers, follower, here.simulations.follow(id, follower))


@router.delete("/simulations/{id}", responses=answers_with(SimulationAnswer), dependencies=[NoBody])
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


def _choice(table: LabTable) -> TableChoice:
    return msgspec.convert(table.model_dump(exclude={"sheet"}), TableChoice)


async def _ask(request: Request, lane: Lane, ask: Any, table: LabTable, **more: Any) -> Response:
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
