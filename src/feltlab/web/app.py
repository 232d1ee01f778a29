"""The service put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse

import feltlab
from feltlab.floor.storage.database import Unavailable
from feltlab.web.guard import Guard, with_token
from feltlab.web.limits import Buckets, per_minute
from feltlab.web.lockout import Lockout
from feltlab.web.openapi import answer, document
from feltlab.web.page import add_page, nowhere, read
from feltlab.web.problems import Problem, problem_of, response_of
from feltlab.web.routes import coach, house, lab, people, records, security, tables
from feltlab.web.services import Services
from feltlab.web.services import house as only_house
from feltlab.web.shortcut import Shortcut
from feltlab.web.turns import Turns
from feltlab.web.wording import detail_of, mistakes, status_words

API = "/api/v1"
MOST_HASHING = 100  # passwords that wait to be hashed
CONNECTIONS = Gauge("feltlab_connections", "Connections that are held")
WAITING = Gauge("feltlab_errands_waiting", "Errands that wait for the desk")
FOLLOWERS = Gauge("feltlab_followers", "Streams that are followed")
METRICS: dict[int | str, dict[str, Any]] = {
    200: answer("Metrics in Prometheus' text format.", {"type": "string"}, "text/plain")
}


def create_app(services: Services) -> FastAPI:
    """The application that serves a floor."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await services.start()
        CONNECTIONS.set_function(lambda: len(services.room))
        WAITING.set_function(lambda: services.worker.waiting)
        FOLLOWERS.set_function(lambda: services.streams.followers)
        yield
        await services.stop()

    app = FastAPI(
        title="Feltlab",
        version=feltlab.__version__,
        lifespan=life,
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        middleware=[
            Middleware(Guard, services=services),
            Middleware(Shortcut, router=tables.router),
        ],
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would be asked for at every request
    )
    app.state.services = services
    app.state.often = {
        "log-ins": per_minute(services.settings.logins_per_minute),
        "passwords": per_minute(services.settings.logins_per_minute),
        "arrivals": per_minute(services.settings.arrivals_per_minute),
        "purchases": per_minute(services.settings.purchases_per_minute),
        "tables": Buckets(services.settings.tables_per_hour / 3600, services.settings.tables_per_hour),
    }
    app.state.lockout = Lockout()
    app.state.hashing = Turns(MOST_HASHING)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    for routes in (people, security, tables, records, coach, lab, house):
        app.include_router(routes.router, prefix=API)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _other)
    app.state.pages = read()
    add_page(app, app.state.pages)
    _add_health(app, services)
    return app


def _answer(request: Request, problem: Problem) -> Response:
    return response_of(problem, request.url.path, request.state.request_id)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404 and (page := nowhere(request)):
        return page
    response = _answer(request, Problem(error.status_code, "http", status_words(error.status_code, request.method)))
    response.headers.update(error.headers or {})
    return response


async def _invalid(request: Request, error: Exception) -> Response:
    """What is wrong with a request, place by place."""
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    found = mistakes(errors)
    return _answer(request, Problem(422, "invalid", detail_of(found, len(errors)), errors=found))


async def _other(request: Request, error: Exception) -> Response:
    return _answer(request, problem_of(error))


def _says(word: str) -> dict[int | str, dict[str, Any]]:
    """An answer of one word, which is true."""
    one = {"type": "object", "required": [word], "properties": {word: {"const": True}}, "examples": [{word: True}]}
    return {200: answer(f"It is {word}.", one)}


def _add_health(app: FastAPI, services: Services) -> None:
    @app.get("/healthz", tags=["health"], responses=_says("alive"))
    async def alive() -> Response:
        """The process runs."""
        return Response(b'{"alive":true}', media_type="application/json")

    @app.get("/readyz", tags=["health"], responses=_says("ready"))
    async def ready() -> Response:
        """The service can do its work: the database answers, and something can be written to it."""
        if not services.ready:
            raise Unavailable("the server is stopping")
        await services.readiness.check()
        return Response(b'{"ready":true}', media_type="application/json")

    @app.get("/metrics", tags=["health"], responses=METRICS, response_class=PlainTextResponse)
    async def metrics(request: Request) -> Response:
        """Counts and times for Prometheus: at a port of their own, with a token, or for the house."""
        if not request.state.for_metrics and not with_token(request, services.settings.metrics_token):
            only_house(request)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    @app.get("/", include_in_schema=False)
    async def front() -> Response:
        """Where to look, where the page has not been built."""
        found: dict[str, Any] = {
            "feltlab": feltlab.__version__,
            "tables": f"{API}/tables",
            "document": f"{API}/openapi.json",
        }
        return Response(msgspec.json.encode(found), media_type="application/json")
