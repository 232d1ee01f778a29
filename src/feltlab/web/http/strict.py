"""What can be read in one way only: JSON in UTF-8 with no field twice and not too deep, and headers that are said once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from feltlab.web.http.problems import Problem
from feltlab.web.http.shapes import shown

ONCE = frozenset(
    b"host content-length content-type transfer-encoding cookie authorization idempotency-key x-csrf-token origin "
    b"sec-fetch-site last-event-id x-request-id expect".split()
)  # where a second one could mean something else to somebody on the way

DEEPEST = 16  # that lists and mappings are nested


def check_once(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse a request that says twice what can be said only once.

    >>> check_once([(b"host", b"felt.example"), (b"host", b"evil.example")])
    Traceback (most recent call last):
    feltlab.web.http.problems.Problem: a request says host only once
    """
    seen = set()
    for name, _ in headers:
        if name in ONCE:
            if name in seen:
                raise Problem(400, "said-twice", f"a request says {name.decode()} only once")
            seen.add(name)


def read_body(body: bytes, content_type: str) -> Any:
    """The plain values of a body; None where there is none.

    >>> read_body(b'{"amount": 5}', "application/json")
    {'amount': 5}
    >>> read_body(b'{"amount": 5, "amount": 500}', "application/json")
    Traceback (most recent call last):
    feltlab.web.http.problems.Problem: that JSON says 'amount' twice
    """
    if not body:
        return None
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "not-json", "send JSON, with Content-Type: application/json")
    if too_deep(body):
        raise Problem(400, "too-deep", "that JSON is nested deeper than anything that is asked for here")
    try:
        return json.loads(body.decode(), object_pairs_hook=_each_once, parse_constant=_no_number)
    except ValueError:
        raise Problem(400, "not-json", "that is no JSON that can be read here; it is written in UTF-8") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise Problem(400, "said-twice", f"that JSON says '{shown(twice)}' twice")
    return values


def _no_number(name: str) -> None:
    raise Problem(400, "not-json", f"{name} is no number of JSON's")


def too_deep(body: bytes, deepest: int = DEEPEST) -> bool:
    """Is JSON nested deeper than anything that is asked for here? Brackets inside texts are not counted.

    >>> too_deep(b"[" * 20), too_deep(b'{"a": "[[[[[[[[[[[[[[[[[[[["}')
    (True, False)
    """
    if body.count(b"[") + body.count(b"{") <= deepest:
        return False
    depth, inside, escaped = 0, False, False
    for byte in body:
        if inside:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                inside = False
        elif byte == 0x22:
            inside = True
        elif byte in b"[{":
            depth += 1
            if depth > deepest:
                return True
        elif byte in b"]}":
            depth -= 1
    return False
