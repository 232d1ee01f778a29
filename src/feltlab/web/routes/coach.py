"""The coach: what each action is worth at a table, and what the decisions of a round have cost."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from feltlab.errors import Refused
from feltlab.exact.blackjack.advice.situation import Worth
from feltlab.floor.coaching import Coaching, DecisionPoint, asked_at, asked_in, coaching
from feltlab.floor.desk import NotFound
from feltlab.floor.house.config import Config
from feltlab.floor.records.damage import intact
from feltlab.floor.records.records import parse_id
from feltlab.lab.questions import LabQuestion
from feltlab.web.http.routing import API, Routes
from feltlab.web.routes import TableId
from feltlab.web.routes.answers import said
from feltlab.web.routes.lab import sheet_text
from feltlab.web.routes.records import Id
from feltlab.web.services import asker, services, somebody

routes = Routes(API, "coach")


@routes.get("/tables/{table}/coach", Coaching)
async def see_coach(request: Request, table: TableId) -> Response:
    """What each legal answer to the table's question is worth, bonus included: from a full shoe less hand and up card."""
    somebody(request)
    asked, config = await services(request).worker.ask(lambda desk: asked_at(desk.look(table)))
    return said((await _advise(request, [asked], config))[0])


@routes.get("/rounds/{id}/coach", list[Coaching])
async def see_mistakes(request: Request, id: Id) -> Response:
    """Every decision of a round that is over: what each action was worth, what was chosen, and what that cost."""
    somebody(request)
    table, number = parse_id(id, "round")

    def look(db: Connection) -> tuple[list[DecisionPoint], Config]:
        with intact(table, f"round {id}", NotFound, Refused):
            return asked_in(db, table, number)

    return said(await _advise(request, *await services(request).look_up(asker(request), look)))


async def _advise(request: Request, asked: list[DecisionPoint], config: Config) -> list[Coaching]:
    here = services(request)
    if not asked:
        return []
    text = await sheet_text(here, config.sheet_sha256)
    question = LabQuestion("coach", text, config.choice, situations=[one.situation for one in asked])
    found = msgspec.json.decode(await here.laboratory.ask("coach", question, asker(request)), type=list[list[Worth]])
    return [coaching(one, worths) for one, worths in zip(asked, found, strict=True)]
