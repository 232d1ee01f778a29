"""The OpenAPI document: FastAPI's, with the shapes of answers and problems added."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from feltlab.floor import about, books, records
from feltlab.web import answers

STRUCTS = [
    kind
    for module in (about, books, records, answers)
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


def answers_with(kind: type, status: int = 200, media: str = "application/json") -> dict[int | str, dict[str, Any]]:
    """What a route says of its answers: its own shape, and problems."""
    schema = {"$ref": REF.format(name=kind.__name__)} if issubclass(kind, msgspec.Struct) else {"type": "string"}
    summary = (kind.__doc__ or "").strip().split("\n")[0] if issubclass(kind, msgspec.Struct) else "Server-sent events."
    return {status: {"description": summary, "content": {media: {"schema": schema}}}}


def document(app: FastAPI) -> dict[str, Any]:
    """The document, made once."""
    if app.openapi_schema:
        return app.openapi_schema
    made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    _, shapes = msgspec.json.schema_components(STRUCTS, ref_template=REF)
    schemas.update(shapes)
    schemas["Problem"] = PROBLEM
    problem = {"content": {"application/problem+json": {"schema": {"$ref": REF.format(name="Problem")}}}}
    made["components"]["securitySchemes"] = {"session": {"type": "apiKey", "in": "cookie", "name": "feltlab_session"}}
    for operations in made["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["4XX"] = {"description": "Refused, with the reason.", **problem}
            operation["responses"]["503"] = {"description": "The database or the disk is gone.", **problem}
    app.openapi_schema = made
    return made
