"""What every request goes through: an id, limits, who asks, headers, a line in the log, a count in the metrics."""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import time
from typing import Any

from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feltlab.floor.records.damage import Damaged
from feltlab.web.connections.addresses import limited_as
from feltlab.web.connections.protocol import LARGEST_HEAD
from feltlab.web.http.headers import HEADERS
from feltlab.web.http.limits import Buckets
from feltlab.web.http.problems import Problem, problem_of, response_of
from feltlab.web.http.strict import check_once
from feltlab.web.services import Services
from feltlab.web.sessions.sessions import check_csrf, check_origin, host_name, token_of
from feltlab.web.settings import LOOPBACK, METRICS_HOST

LARGEST_BODY = 64 * 1024
LONGEST_URL = 2000
SAFE = ("GET", "HEAD", "OPTIONS")
METHODS = (*SAFE, "POST", "PUT", "DELETE")
HEALTH = ("/healthz", "/readyz")  # they say how the server is, whoever asks
METRICS = "/metrics"
STRICT = (b"strict-transport-security", b"max-age=31536000")
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")

log = logging.getLogger("feltlab.requests")
REQUESTS = Counter("feltlab_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram(
    "feltlab_request_seconds",
    "Time to an answer",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
)


class Guard:
    """The outermost layer of the service."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        settings = services.settings
        self.app, self.services, self.settings, self.sessions = app, services, settings, services.sessions
        self.writes = Buckets(settings.writes_per_second, settings.writes_at_once)
        self.reads = Buckets(settings.reads_per_second, settings.reads_at_once)
        self.headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        self.hosts = {*LOOPBACK, *settings.hosts} if settings.loopback else set(settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; whatever goes wrong on the way becomes a problem, never a bare 500."""
        began, headers = time.perf_counter(), Headers(scope=scope)
        given = headers.get("x-request-id", "").encode()
        request_id = given.decode() if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {}).update(request_id=request_id, person=None, token="")
        self._locate(scope, headers)
        strict = [STRICT] if scope["state"]["encrypted"] or not self.settings.loopback else []
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message.get("headers", []),
                    *self.headers,
                    *strict,
                    (b"x-request-id", request_id.encode()),
                ]
                if scope["path"].startswith("/api/"):
                    MutableHeaders(raw=message["headers"]).setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self._admit(scope, headers, receive)
            await self.app(scope, receive, answer)
        except Exception as error:  # everything ends as an answer
            problem = problem_of(error)
            expected = isinstance(error, Problem | Damaged)  # that much is asked; of a damaged table the log tells once
            if problem.status >= 500 and not expected:
                log.error("failed", exc_info=(problem.status == 500 and error) or None, extra=_said(scope, request_id))
            if not status:
                await response_of(problem, scope["path"], request_id)(scope, receive, answer)
        finally:
            self._note(scope, request_id, status, time.perf_counter() - began)

    def _locate(self, scope: Scope, headers: Headers) -> None:
        """Where the request comes from, and which of the server's doors it came to."""
        peer = (scope.get("client") or ("",))[0]
        proxies, state = self.services.proxies, scope["state"]
        state["address"] = limited_as(proxies.client(peer, headers.getlist("x-forwarded-for")))
        state["encrypted"] = proxies.encrypted(peer, headers.getlist("x-forwarded-proto"))
        port = self.settings.metrics_port
        state["for_metrics"] = port is not None and scope.get("server") == (METRICS_HOST, port)

    async def _admit(self, scope: Scope, headers: Headers, receive: Receive) -> None:
        """Find out who asks, and turn away what is too large, too often or not theirs to ask."""
        state: dict[str, Any] = scope["state"]
        check_once(scope["headers"])
        if "host" not in headers and scope["http_version"] == "1.1":
            raise Problem(400, "host", "a request names the host that it is for")
        hosts = LOOPBACK if state["for_metrics"] else self.hosts
        if hosts and host_name(headers) not in hosts:
            raise Problem(421, "host", "this server is not known by that name (see feltlab serve --allow-host)")
        if state["for_metrics"] and scope["path"] != METRICS:
            raise Problem(404, "not-found", f"there is only {METRICS} at this port")
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_URL:
            raise Problem(414, "url", f"an address here has at most {LONGEST_URL} characters")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEAD:
            raise Problem(431, "headers", f"a request's headers are at most {LARGEST_HEAD // 1024} kB")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > LARGEST_BODY:
            raise _too_large()
        if scope["path"] in HEALTH or state["for_metrics"]:
            return
        connection = HTTPConnection(scope)
        await self._recognise(state, headers)
        if scope["method"] in SAFE:
            self._take(self.reads, state)
            return
        check_origin(connection)
        self._take(self.writes, state)
        if state["person"]:
            check_csrf(connection, state["token"])
        try:
            async with asyncio.timeout(self.settings.patience.body):
                body = await _body(receive)
        except TimeoutError:
            self.services.troubles.note("body", state["address"])
            seconds = f"{self.settings.patience.body:g} seconds"
            raise Problem(408, "too-slow", f"a request's body arrives within {seconds}") from None
        if state["token"]:  # it may have ended while the body came, or its guest registered
            await self._recognise(state, headers)
        state["body"] = body

    async def _recognise(self, state: dict[str, Any], headers: Headers) -> None:
        """Whose session it is. To look for one that was not seen lately counts as something that its address asks for."""
        token = token_of(headers.get("cookie", ""))
        if not token:
            return
        person = self.sessions.remembered(token)
        if person is None:
            self._take(self.reads, state)
            person = await self.sessions.look_up(token)
        state["person"], state["token"] = (person, token) if person else (None, "")

    @staticmethod
    def _take(buckets: Buckets, state: dict[str, Any]) -> None:
        """Take a token of whoever asks."""
        if wait := buckets.take(state["person"].id if state["person"] else state["address"]):
            raise Problem(429, "too-often", "too many requests; wait a moment", retry_after=wait)

    def _note(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "label", "other")
        REQUESTS.labels(scope["method"] if scope["method"] in METHODS else "other", route, status).inc()
        SECONDS.labels(route).observe(seconds)
        if log.isEnabledFor(logging.INFO):
            log.info("answered", extra={**_said(scope, request_id), "status": status, "ms": round(seconds * 1000, 2)})


def _said(scope: Scope, request_id: str) -> dict[str, Any]:
    """What the log says of a request: no cookie, no body, no query."""
    person = scope["state"].get("person")
    return {
        "request_id": request_id,
        "method": scope["method"],
        "path": scope["path"][:200],
        "person": person.id if person else None,
    }


def with_token(connection: HTTPConnection, token: str) -> bool:
    """Does a request carry the token that lets programs read metrics?"""
    scheme, _, given = connection.headers.get("authorization", "").partition(" ")
    return bool(token) and scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


async def _body(receive: Receive) -> bytes:
    """The whole body, if it is small."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "cut-off", "the request ended before its body did")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > LARGEST_BODY:
            raise _too_large()
    return b"".join(parts)


def _too_large() -> Problem:
    return Problem(413, "too-large", f"a request's body is at most {LARGEST_BODY // 1024} kB")
