"""Looking back: rounds and shoes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Request, Response
from sqlalchemy import Connection

from feltlab.floor.database import reading
from feltlab.floor.records import ReplayAnswer, RoundAnswer, ShoeAnswer, parse_id, replay_of, round_of, shoe_of
from feltlab.web.answers import said
from feltlab.web.openapi import answers_with
from feltlab.web.services import services, somebody

T = TypeVar("T")
router = APIRouter(tags=["records"])
Id = Annotated[
    str,
    Path(
        max_length=40,
        pattern=r"^[0-9]{1,15}-[0-9]{1,15}$",
        description="A table's number and the number of its round or shoe.",
        examples=["12-345"],
    ),
]


@router.get("/rounds/{id}", responses=answers_with(RoundAnswer))
async def see_round(request: Request, id: Id) -> Response:
    """A round from its first wager to its last payment, step by step and in words."""
    return await _look(request, lambda db: round_of(db, *parse_id(id, "round")))


@router.get("/rounds/{id}/replay", responses=answers_with(ReplayAnswer))
async def see_replay(request: Request, id: Id) -> Response:
    """A round as it lay on the felt, moment by moment; one that is still played, as far as everybody has seen it."""
    return await _look(request, lambda db: replay_of(db, *parse_id(id, "round")))


@router.get("/shoes/{id}", responses=answers_with(ShoeAnswer))
async def see_shoe(request: Request, id: Id) -> Response:
    """A shoe: its commitment and, once it is over, everything that its order follows from."""
    return await _look(request, lambda db: shoe_of(db, *parse_id(id, "shoe")))


async def _look(request: Request, find: Callable[[Connection], T]) -> Response:
    somebody(request)
    engine = services(request).engine

    def look() -> T:
        with reading(engine) as db:
            return find(db)

    return said(await asyncio.to_thread(look))
