"""What can be read in one way only: JSON in UTF-8 with no field twice and not too deep, and headers that are said once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from feltlab.web.limits import too_deep
from feltlab.web.problems import Problem

ONCE = frozenset(
    b"host content-length content-type transfer-encoding cookie authorization idempotency-key x-csrf-token origin "
    b"sec-fetch-site last-event-id x-request-id expect".split()
)  # where a second one could mean something else to somebody on the way


def check_once(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse a request that says twice what can be said only once.

    >>> check_once([(b"host", b"felt.example"), (b"host", b"evil.example")])
    Traceback (most recent call last):
    feltlab.web.problems.Problem: a request says host only once
    """
    seen = set()
    for name, _ in headers:
        if name in ONCE:
            if name in seen:
                raise Problem(400, "said-twice", f"a request says {name.decode()} only once")
            seen.add(name)


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
