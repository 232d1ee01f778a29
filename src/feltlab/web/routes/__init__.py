"""The routes of the API, and what they share."""

from __future__ import annotations

from typing import Annotated

from feltlab.bounds import Between, Length, Pattern
from feltlab.web.http.routing import In

TableId = Annotated[int, Between(1, 2**53), In("path", "A table's number.", 1)]
Key = Annotated[
    str,
    Length(8, 64),
    Pattern(r"[A-Za-z0-9._-]+"),
    In(
        "header",
        "A name of your own for this request: sent again, it is answered again and not done again.",
        "7d3f0c1ab2e94d55",
        name="Idempotency-Key",
    ),
]
