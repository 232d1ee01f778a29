"""The OpenAPI document, made of the routes: what they take, what they answer, and examples of both."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

import feltlab
from feltlab.web.documents.body_examples import BODY_EXAMPLES
from feltlab.web.documents.examples import EXAMPLES
from feltlab.web.documents.lab_examples import LAB_EXAMPLES
from feltlab.web.http.problems import MEDIA
from feltlab.web.http.routing import JSON, Parameter, Route, Said
from feltlab.web.http.shapes import REF, Schema, components
from feltlab.web.sessions.sessions import COOKIE, CSRF_HEADER

NOTHING = inspect.Parameter.empty
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


WAIT = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}}


def document(routes: Sequence[Route]) -> Schema:
    """The document of some routes."""
    paths: dict[str, dict[str, Schema]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Feltlab", "description": DESCRIPTION.strip(), "version": feltlab.__version__},
        "servers": [{"url": "/", "description": "This server."}],
        "tags": TAGS,
        "paths": paths,
        "components": {
            "schemas": _shapes(routes),
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "A session's cookie."},
                "csrf": {
                    "type": "apiKey",
                    "in": "header",
                    "name": CSRF_HEADER,
                    "description": "Goes with every change of a session.",
                },
            },
        },
    }


def _shapes(routes: Sequence[Route]) -> dict[str, Schema]:
    """The shapes of answers and bodies, with examples."""
    answers = [kind for route in routes if (kind := _struct(route.answer)) is not None]
    _, shapes = msgspec.json.schema_components(answers, ref_template=REF)
    for (
        shape
    ) in shapes.values():  # every field is always answered; in events, which are kept, not those that came later
        fields = shape.get("properties", {})
        if "event" not in fields:
            shape["required"] = list(fields)
        elif "card" in fields:
            fields["card"] = {"type": "string", "description": "A card's name; `--` lies face down."}
    shapes |= components(route.body for route in routes if route.body is not None)
    _name_events(shapes)
    for name, example in {**EXAMPLES, **LAB_EXAMPLES}.items():
        shapes[name]["examples"] = [example]
    for name, examples in BODY_EXAMPLES.items():
        shapes[name]["examples"] = examples
    _plain_pairs(shapes)
    return {**shapes, "Problem": PROBLEM}


def _name_events(shapes: dict[str, Schema]) -> None:
    """One name for the union of all events."""
    told = [shapes[name]["properties"]["events"] for name in ("StepAnswer", "StepLine")]
    shapes["TableEvent"] = {"description": "Something that happened at a table: `event` says what.", **told[0]["items"]}
    for events in told:
        events["items"] = {"$ref": REF.format(name="TableEvent")}


def _plain_pairs(node: Any) -> None:
    """Write pairs as lists of two: not every reader of the document knows `prefixItems`."""
    if isinstance(node, dict) and (parts := node.pop("prefixItems", None)):
        node["items"] = parts[0] if all(part == parts[0] for part in parts) else {"anyOf": parts}
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _plain_pairs(part)


def _operation(route: Route) -> Schema:
    """What a route takes and answers, who may ask, and what can go wrong."""
    problem = _content(MEDIA, {"$ref": REF.format(name="Problem")})
    often = {} if route.name in UNLIMITED else {"429": {"description": "Too often.", "headers": WAIT, **problem}}
    return {
        "tags": list(route.tags),
        "summary": route.words.partition("\n")[0].partition(". ")[0].rstrip("."),
        "description": route.words,
        "operationId": route.name,
        **({"parameters": [_parameter(one) for one in route.parameters]} if route.parameters else {}),
        **({"requestBody": {"required": True, **_content(JSON, route.body.schema())}} if route.body else {}),
        "responses": {
            str(route.status): _answer(route.answer),
            **often,
            "4XX": {"description": "Refused, with the reason.", **problem},
            "503": {"description": "The database or the disk is gone.", "headers": WAIT, **problem},
        },
        **({} if route.name in ANYBODY else {"security": [_needed(route)]}),
    }


def _needed(route: Route) -> dict[str, list[str]]:
    return {"session": []} if route.method == "GET" else {"session": [], "csrf": []}


def _parameter(parameter: Parameter) -> Schema:
    examples = {} if parameter.given.example is None else {"examples": [parameter.given.example]}
    default = {} if parameter.default in (NOTHING, None) else {"default": parameter.default}
    place, name = parameter.at
    return {
        "name": name,
        "in": place,
        "description": parameter.given.words,
        "required": parameter.required,
        "schema": {**parameter.shape.schema(), **default, **examples},
    }


def _struct(answer: Any) -> type[Struct] | None:
    """The struct of an answer, alone or in a list."""
    kind = get_args(answer)[0] if get_origin(answer) is list else answer
    return None if isinstance(kind, Said) else kind


def _answer(answer: Any) -> Schema:
    if isinstance(answer, Said):
        return {"description": answer.words, **(_content(answer.media, answer.schema) if answer.media else {})}
    kind = _struct(answer)
    assert kind is not None
    one = {"$ref": REF.format(name=kind.__name__)}
    schema = {"type": "array", "items": one} if get_origin(answer) is list else one
    return {"description": (kind.__doc__ or "").strip().split("\n")[0], **_content(JSON, schema)}


def _content(media: str, schema: Schema) -> Schema:
    return {"content": {media: {"schema": schema}}}
