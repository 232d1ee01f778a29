"""JSON that can be read in one way only: UTF-8, no field twice, no number that JSON does not have, not too deep."""

from __future__ import annotations

import json
from typing import Any

from feltlab.web.limits import too_deep
from feltlab.web.problems import Problem


def check_body(body: bytes, content_type: str) -> None:
    """Refuse a body that is no such JSON. No body at all is for the route to judge.

    >>> check_body(b'{"amount": 5, "amount": 500}', "application/json")
    Traceback (most recent call last):
    feltlab.web.problems.Problem: that JSON says 'amount' twice
    """
    if not body:
        return
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "not-json", "send JSON, with Content-Type: application/json")
    if too_deep(body):
        raise Problem(400, "too-deep", "that JSON is nested deeper than anything that is asked for here")
    try:
        json.loads(body.decode(), object_pairs_hook=_each_once, parse_constant=_no_number)
    except ValueError:
        raise Problem(400, "not-json", "that is no JSON that can be read here; it is written in UTF-8") from None


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    names = set()
    for name, _ in pairs:
        if name in names:
            shown = name[:40].encode(errors="replace").decode()
            raise Problem(400, "said-twice", f"that JSON says '{shown}' twice")
        names.add(name)


def _no_number(name: str) -> None:
    raise Problem(400, "not-json", f"{name} is no number of JSON's")
