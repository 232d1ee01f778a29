"""The OpenAPI document: FastAPI's, with the shapes of answers and problems added."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from feltlab.floor import coaching
from feltlab.floor.house import about
from feltlab.floor.ledger import books
from feltlab.floor.people import factors, own_limits, people
from feltlab.floor.records import records, roads
from feltlab.lab import about as lab_about
from feltlab.lab import auditing, chart_shapes, copying, figures, series
from feltlab.web import answers, simulations
from feltlab.web.examples import EXAMPLES
from feltlab.web.lab_examples import LAB_EXAMPLES
from feltlab.web.problems import MEDIA
from feltlab.web.sessions import COOKIE, CSRF_HEADER

LAB = (lab_about, auditing, chart_shapes, copying, figures, series, simulations)
STRUCTS = [
    kind
    for module in (about, books, coaching, factors, own_limits, people, records, roads, answers, *LAB)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
]
REF = "#/components/schemas/{name}"
PROBLEM = {
    "type": "object",
    "description": "What went wrong (RFC 9457): `detail` says it in words.",
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
        "retry_after": {"type": "number"},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
    "examples": [
        {
            "type": "urn:feltlab:problem:refused",
            "title": "Conflict",
            "status": 409,
            "detail": "it is the turn of spot 2, not of spot 3",
            "instance": "/api/v1/tables/1/moves",
            "request_id": "4be1d0c2a90ff412",
        }
    ],
}


DESCRIPTION = """
Tables at which people and programs play, with play money that is accounted for.

**Money** is in whole cents everywhere. **Times** are milliseconds since 1970.

**Sessions.** `POST /api/v1/guests` begins one at once; accounts have names and passwords. The session is a cookie. Every
change must also carry the `X-CSRF-Token` that the beginning of the session, or `GET /api/v1/me`, gave.

**Keys.** A change of chips or tables carries an `Idempotency-Key` of your own choice. Sent again with the same key, a
request is answered again and not done again; so one that got no answer can always be repeated.

**Turns.** A table says in `now.waits` what it waits for and exactly what is legal. An answer names the `turn` it
answers; one that comes too late is refused as `stale-turn`.

**Limits.** A body is JSON of at most 64 kB. Log-ins, changes and what is read are limited for each address and
person: 429 says in `Retry-After` how long to wait. Whatever is refused says why, as a problem (RFC 9457).
"""
TAGS = [
    {"name": "people", "description": "Who is here: guests, accounts, sessions, chips."},
    {"name": "tables", "description": "Look, sit, wager, act, follow."},
    {"name": "records", "description": "Rounds and shoes that were played."},
    {"name": "coach", "description": "What actions are worth, and what decisions have cost."},
    {"name": "house", "description": "For house accounts: open and close tables, see the books."},
    {"name": "lab", "description": "Sheets looked at, changed, figured, drawn and simulated."},
    {"name": "health", "description": "For those who run the server."},
]
ANYBODY = (
    "new_guest",
    "new_account",
    "log_in",
    "who_is_here",
    "list_tables",
    "see_table",
    "see_scoreboard",
    "see_heads",
    "list_sheets",
    "see_sheet",
    "see_audit",
    "see_simulation",
    "follow_simulation",
    "alive",
    "ready",
    "metrics",
)

UNLIMITED = ("alive", "ready")


def answers_with(kind: type, status: int = 200, *, many: bool = False) -> dict[int | str, dict[str, Any]]:
    """What a route says of its answer: one of a kind, or a list of them."""
    one = {"$ref": REF.format(name=kind.__name__)}
    schema = {"type": "array", "items": one} if many else one
    return {status: answer((kind.__doc__ or "").strip().split("\n")[0], schema)}


def answer(words: str, schema: dict[str, Any], media: str = "application/json") -> dict[str, Any]:
    """An answer in the document."""
    return {"description": words, "content": {media: {"schema": schema}}}


def document(app: FastAPI) -> dict[str, Any]:
    """The document, made once."""
    if app.openapi_schema:
        return app.openapi_schema
    made = get_openapi(
        title=app.title, version=app.version, description=DESCRIPTION.strip(), routes=app.routes, tags=TAGS
    )
    made["servers"] = [{"url": "/", "description": "This server."}]
    made["components"] = {
        "schemas": {**made.get("components", {}).get("schemas", {}), **_shapes(), "Problem": PROBLEM},
        "securitySchemes": {
            "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "A session's cookie."},
            "csrf": {
                "type": "apiKey",
                "in": "header",
                "name": CSRF_HEADER,
                "description": "Goes with every change of a session.",
            },
        },
    }
    for unused in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(unused, None)
    _plain_pairs(made["components"]["schemas"])
    for operations in made["paths"].values():
        for method, operation in operations.items():
            _complete(method, operation)
    app.openapi_schema = made
    return made


def _shapes() -> dict[str, Any]:
    """The shapes of answers, with examples."""
    _, shapes = msgspec.json.schema_components(STRUCTS, ref_template=REF)
    for name, example in {**EXAMPLES, **LAB_EXAMPLES}.items():
        shapes[name]["examples"] = [example]
    return shapes


def _plain_pairs(node: Any) -> None:
    """Write pairs of one type as lists of two: not every reader of the document knows `prefixItems`."""
    if isinstance(node, dict):
        parts = node.get("prefixItems")
        if parts and all(part == parts[0] for part in parts):
            del node["prefixItems"]
            node["items"] = parts[0]
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _plain_pairs(part)


def _complete(method: str, operation: dict[str, Any]) -> None:
    """What all operations have in common: a summary in words, who may ask, and problems."""
    operation["summary"] = operation["description"].partition("\n")[0].partition(". ")[0].rstrip(".")
    if operation["operationId"] not in ANYBODY:
        operation["security"] = [{"session": []} if method == "get" else {"session": [], "csrf": []}]
    problem = {"$ref": REF.format(name="Problem")}
    wait = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
    responses = operation["responses"]
    responses.pop("422", None)
    if operation["operationId"] not in UNLIMITED:
        responses["429"] = {**answer("Too often.", problem, MEDIA), "headers": {"Retry-After": wait}}
    responses["4XX"] = answer("Refused, with the reason.", problem, MEDIA)
    responses["503"] = {
        **answer("The database or the disk is gone.", problem, MEDIA),
        "headers": {"Retry-After": wait},
    }
