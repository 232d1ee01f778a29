"""A short way for the requests that come by the thousand: commands for tables, and their streams.

FastAPI defines and documents these routes like all others. But its layers cost several times what such a request itself
does, so a well-formed one is taken straight to the route's function here. Whatever is odd about a request (a path, a key
or a body that does not fit) goes the long way, which knows how to say what is wrong with it.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, NamedTuple

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = re.compile(r"/api/v1/tables/([1-9][0-9]{0,14})/([a-z]+)")
KEY = re.compile(r"[A-Za-z0-9._-]{8,64}")
LAST = re.compile(r"[0-9]{1,15}")


class Way(NamedTuple):
    """A route's function, and which of a request's parts it wants."""

    route: APIRoute
    endpoint: Any
    body: type[BaseModel] | None
    key: bool
    last: bool


class Shortcut:
    """Takes well-formed requests to their route's function; all others to the application."""

    def __init__(self, app: ASGIApp, router: APIRouter) -> None:
        self.app = app
        self.ways = {
            (method, route.path.rpartition("/")[2]): _way(route)
            for route in router.routes
            if isinstance(route, APIRoute) and re.fullmatch(r"/tables/\{table\}/[a-z]+", route.path)
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the short way, if this request can take it."""
        found = PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        way = self.ways.get((scope["method"], found[2])) if found else None
        given = _given(way, scope) if way else None
        if found is None or way is None or given is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = way.route
        response = await way.endpoint(Request(scope, receive), table=int(found[1]), **given)
        await response(scope, receive, send)


def _way(route: APIRoute) -> Way:
    wanted = inspect.signature(route.endpoint, eval_str=True).parameters
    body = wanted["body"].annotation if "body" in wanted else None
    return Way(route, route.endpoint, body, "key" in wanted, "last_event_id" in wanted)


def _given(way: Way, scope: Scope) -> dict[str, Any] | None:
    """What the function wants of a request; None if it is not all there, or not as it should be."""
    headers = Headers(scope=scope)
    given: dict[str, Any] = {}
    if way.key:
        given["key"] = headers.get("idempotency-key", "")
        if not KEY.fullmatch(given["key"]):
            return None
    if way.last and (last := headers.get("last-event-id")) is not None:
        given["last_event_id"] = last
        if not LAST.fullmatch(last):
            return None
    if way.body:
        try:
            given["body"] = way.body.model_validate_json(scope["state"]["body"])
        except ValidationError:
            return None
    elif scope["state"].get("body"):
        return None  # it has a body, and should not
    return given
