"""The service put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

import feltlab
from feltlab.floor.storage.database import Unavailable
from feltlab.web.documents.openapi import document
from feltlab.web.http.guard import Guard, with_token
from feltlab.web.http.limits import Buckets, per_minute
from feltlab.web.http.routing import API, JSON, Addresses, Route, Routes, Said
from feltlab.web.page import nowhere, page_routes, read
from feltlab.web.queues.turns import Turns
from feltlab.web.routes import coach, house, lab, people, records, security, tables
from feltlab.web.services import Services, services
from feltlab.web.services import house as only_house
from feltlab.web.sessions.lockout import Lockout

MOST_HASHING = 100  # passwords that wait to be hashed
CONNECTIONS = Gauge("feltlab_connections", "Connections that are held")
WAITING = Gauge("feltlab_errands_waiting", "Errands that wait for the desk")
FOLLOWERS = Gauge("feltlab_followers", "Streams that are followed")
METRICS = Said("Metrics in Prometheus' text format.", "text/plain", {"type": "string"})

health = Routes("", "health")
API_ROUTES: tuple[Route, ...] = tuple(
    route for part in (people, security, tables, records, coach, lab, house) for route in part.routes
)


class App:
    """The application that serves a floor."""

    def __init__(self, here: Services) -> None:
        @asynccontextmanager
        async def life(_: object) -> AsyncIterator[None]:
            await here.start()
            CONNECTIONS.set_function(lambda: len(here.room))
            WAITING.set_function(lambda: here.worker.waiting)
            FOLLOWERS.set_function(lambda: here.streams.followers)
            yield
            await here.stop()

        files, of = read(), here.settings
        self.state = State({"services": here, "pages": files, "lockout": Lockout(), "hashing": Turns(MOST_HASHING)})
        self.state.often = {
            "log-ins": per_minute(of.logins_per_minute),
            "passwords": per_minute(of.logins_per_minute),
            "arrivals": per_minute(of.arrivals_per_minute),
            "purchases": per_minute(of.purchases_per_minute),
            "tables": Buckets(of.tables_per_hour / 3600, of.tables_per_hour),
        }
        self.guard = Guard(Addresses([*front, *API_ROUTES, *health, *page_routes(files)], nowhere), here)
        self.life = Router(lifespan=life)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        scope["app"] = self
        await (self.guard if scope["type"] == "http" else self.life)(scope, receive, send)


def _says(word: str) -> Said:
    """An answer of one word, which is true."""
    one = {"type": "object", "required": [word], "properties": {word: {"const": True}}, "examples": [{word: True}]}
    return Said(f"It is {word}.", JSON, one)


@health.get("/healthz", _says("alive"))
async def alive(request: Request) -> Response:
    """The process runs."""
    return Response(b'{"alive":true}', media_type=JSON)


@health.get("/readyz", _says("ready"))
async def ready(request: Request) -> Response:
    """The service can do its work: the database answers, and something can be written to it."""
    here = services(request)
    if not here.ready:
        raise Unavailable("the server is stopping")
    await here.readiness.check()
    return Response(b'{"ready":true}', media_type=JSON)


@health.get("/metrics", METRICS)
async def metrics(request: Request) -> Response:
    """Counts and times for Prometheus: at a port of their own, with a token, or for the house."""
    if not request.state.for_metrics and not with_token(request, services(request).settings.metrics_token):
        only_house(request)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


front = Routes("")


@front.get("/", Said("Where to look, where the page has not been built."))
async def where_to_look(request: Request) -> Response:
    """Where to look, where the page has not been built."""
    found: dict[str, Any] = {
        "feltlab": feltlab.__version__,
        "tables": f"{API}/tables",
        "document": f"{API}/openapi.json",
    }
    return Response(msgspec.json.encode(found), media_type=JSON)


@front.get(f"{API}/openapi.json", Said("This document."))
async def see_document(request: Request) -> Response:
    """The OpenAPI document."""
    return Response(_document(), media_type=JSON)


@cache
def _document() -> bytes:
    return msgspec.json.encode(openapi())


def openapi() -> dict[str, Any]:
    """The OpenAPI document of the service."""
    return document([*API_ROUTES, *health])
