"""The routes of the API, and what they share: paths, keys, tags."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Path, Request

from feltlab.web.problems import Problem

TableId = Annotated[int, Path(ge=1, le=2**53, description="A table's number.", examples=[1])]
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=8,
        max_length=64,
        pattern=r"^[A-Za-z0-9._-]+$",
        description="A name of your own for this request: sent again, it is answered again and not done again.",
        examples=["7d3f0c1ab2e94d55"],
    ),
]


async def _no_body(request: Request) -> None:
    if await request.body() not in (b"", b"{}"):
        raise Problem(400, "no-body", "this request has no body, or an empty object")


NoBody = Depends(_no_body)
"""For routes that are told nothing beside their address."""
