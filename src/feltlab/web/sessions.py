"""Who asks: the session cookie, and the token without which a page of somebody else could act in its name."""

from __future__ import annotations

import hmac
import re
import time
from collections import OrderedDict

from sqlalchemy import Engine
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from feltlab.floor import people
from feltlab.floor.database import reading
from feltlab.floor.desk import clock
from feltlab.floor.live import Person
from feltlab.web.problems import Problem
from feltlab.web.settings import LOOPBACK, Settings

COOKIE = "feltlab_session"
CSRF_HEADER = "x-csrf-token"
REMEMBERED_SECONDS = 30.0  # how long another server's log-out may go unnoticed
MOST_REMEMBERED = 10_000
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(:[0-9]{1,5})?")


class Sessions:
    """Sessions that were looked up a moment ago are remembered."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._known: OrderedDict[str, tuple[float, Person | None]] = OrderedDict()

    def known(self, token: str) -> tuple[bool, Person | None]:
        """Is it remembered whose session this is, and whose?"""
        until, person = self._known.get(token, (0.0, None))
        return (True, person) if until > time.monotonic() else (False, None)

    def find(self, token: str) -> Person | None:
        """Whose session it is, from the database."""
        with reading(self._engine) as db:
            person = people.who(db, token, clock())
        self._known[token] = (time.monotonic() + REMEMBERED_SECONDS, person)
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return person

    def forget(self, token: str) -> None:
        """The session has ended, or begun."""
        self._known.pop(token, None)

    def set_cookie(self, response: Response, token: str, person: Person, asked: HTTPConnection) -> None:
        """Give a token to the client, out of reach of its scripts and of other sites."""
        age, secure = people.SESSION[person.kind] // 1000, self._encrypted(asked)
        response.set_cookie(COOKIE, token, age, path="/", secure=secure, httponly=True, samesite="strict")

    def drop_cookie(self, response: Response, asked: HTTPConnection) -> None:
        """Take the token away again."""
        secure = self._encrypted(asked)
        response.delete_cookie(COOKIE, path="/", secure=secure, httponly=True, samesite="strict")

    def _encrypted(self, asked: HTTPConnection) -> bool:
        """Must the cookie travel encrypted? Everywhere but on loopback; a server behind a proxy goes by another name."""
        return not (self._settings.loopback and host_name(asked.headers) in LOOPBACK)


def host_name(headers: Headers) -> str:
    """The name under which the server was asked, without a port; nothing if it is no name.

    >>> [host_name(Headers({"host": host})) for host in ("localhost:8000", "[::1]:8000", "127.0.0.1", "a:b:c")]
    ['localhost', '[::1]', '127.0.0.1', '']
    """
    found = _HOST.fullmatch(headers.get("host", ""))
    return found[1].lower() if found else ""


def check_csrf(connection: HTTPConnection, token: str) -> None:
    """A change must carry what only our own page, or a program with the session, can know."""
    given = connection.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(given.encode(), people.csrf(token).encode()):
        raise Problem(403, "csrf", "send the X-CSRF-Token that GET /api/v1/me gives with this session")


def check_origin(connection: HTTPConnection) -> None:
    """A browser says where a request comes from; another site has no business with changes here."""
    origin = connection.headers.get("origin")
    if origin and origin.partition("://")[2] != connection.headers.get("host"):
        raise Problem(403, "cross-site", "changes are made from this server's own pages only")
    if connection.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem(403, "cross-site", "changes are made from this server's own pages only")
