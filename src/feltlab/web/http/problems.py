"""Errors as problem details (RFC 9457): what went wrong, in words, and what to do about it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from feltlab.errors import FeltlabError, Refused, SetupError, SheetError
from feltlab.floor.desk import KeyUsed, NotFound
from feltlab.floor.house.config import NotSetUp
from feltlab.floor.people.people import Unknown
from feltlab.floor.records.damage import Damaged
from feltlab.floor.storage.database import Unavailable
from feltlab.floor.tables.procedure import Stale

MEDIA = "application/problem+json"
RETRY_SECONDS = 2


class Problem(FeltlabError):
    """An error that knows its status and its name."""

    def __init__(self, status: int, kind: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.kind, self.more = status, kind, more


_KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (Damaged, 503, "out-of-order"),
    (Unavailable, 503, "unavailable"),
    (NotSetUp, 503, "unavailable"),
    (NotFound, 404, "not-found"),
    (KeyUsed, 422, "key-used"),
    (Unknown, 401, "unknown-name-or-password"),
    (Stale, 409, "stale-turn"),
    (Refused, 409, "refused"),
    (SetupError, 422, "not-allowed-by-the-sheet"),
    (SheetError, 422, "sheet"),
    (FeltlabError, 409, "refused"),
)


def problem_of(error: Exception) -> Problem:
    """The problem that an error is. One that nobody foresaw says nothing of itself but that it happened."""
    if isinstance(error, Problem):
        return error
    for kind, status, name in _KINDS:
        if isinstance(error, kind):
            more = {"retry_after": RETRY_SECONDS} if status == 503 else {}
            return Problem(status, name, str(error), **more)
    return Problem(500, "unexpected", "something went wrong here; the log knows more under this request id")


def body_of(problem: Problem, path: str, request_id: str) -> bytes:
    """A problem as its JSON."""
    return msgspec.json.encode(
        {
            "type": f"urn:feltlab:problem:{problem.kind}",
            "title": HTTPStatus(problem.status).phrase,
            "status": problem.status,
            "detail": str(problem),
            "instance": path[:200],
            "request_id": request_id,
            **problem.more,
        }
    )


def response_of(problem: Problem, path: str, request_id: str) -> Response:
    """A problem as an answer."""
    headers = {}
    if "retry_after" in problem.more:
        headers["Retry-After"] = str(max(1, round(problem.more["retry_after"])))
    if problem.status == HTTPStatus.REQUEST_TIMEOUT:
        headers["Connection"] = "close"  # the rest of the request is not waited for either
    return Response(body_of(problem, path, request_id), problem.status, headers, MEDIA)
