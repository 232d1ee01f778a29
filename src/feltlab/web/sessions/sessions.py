"""Who asks: the session cookie, and the token without which a page of somebody else could act in its name."""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from sqlalchemy import Engine
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from feltlab.floor.desk import clock
from feltlab.floor.people import people
from feltlab.floor.storage.database import Unavailable, reading, writing
from feltlab.floor.tables.live import Person
from feltlab.web.http.problems import Problem
from feltlab.web.sessions.lockout import DEVICE
from feltlab.web.settings import LOOPBACK, Settings

COOKIE = "feltlab_session"
CSRF_HEADER = "x-csrf-token"
REMEMBERED_SECONDS = 30.0  # how long another server's log-out may go unnoticed
MOST_REMEMBERED = 10_000
LOOKING = 4  # sessions that are looked up at a time
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(:[0-9]{1,5})?")


class Sessions:
    """Sessions that were looked up a moment ago are remembered, those of the last ones who came."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._known: OrderedDict[str, tuple[float, Person | None]] = OrderedDict()
        # Of their own: whatever else is asked, who asks is known soon.
        self._threads = ThreadPoolExecutor(LOOKING, "sessions")

    async def look_up(self, token: str) -> Person | None:
        """Whose session it is, from the database."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.find, token)

    def remembered(self, token: str) -> Person | None:
        """Whose session this is, if it was looked up a moment ago."""
        until, person = self._known.get(token, (0.0, None))
        return person if until > time.monotonic() else None

    def find(self, token: str) -> Person | None:
        """Whose session it is, from the database. Only real ones are remembered."""
        now = clock()
        with reading(self._engine) as db:
            person, used = people.who(db, token, now)
        self._known.pop(token, None)
        if person is not None:
            if used < now - people.USED:
                with suppress(Unavailable), writing(self._engine) as db:
                    people.used(db, token, now)
            self._known[token] = (time.monotonic() + REMEMBERED_SECONDS, person)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        return person

    def forget(self, token: str) -> None:
        """The session has ended, or begun."""
        self._known.pop(token, None)

    def forget_person(self, person: int) -> None:
        """Sessions of somebody have ended."""
        for token, (_, known) in list(self._known.items()):
            if known and known.id == person:
                self.forget(token)

    def set_device(self, response: Response, token: str, seconds: int, asked: HTTPConnection) -> None:
        """Let a browser show later that it was logged in to an account."""
        secure = self._encrypted(asked)
        response.set_cookie(DEVICE, token, seconds, path="/api/v1", secure=secure, httponly=True, samesite="strict")

    def set_cookie(self, response: Response, token: str, person: Person, asked: HTTPConnection) -> None:
        """Give a token to the client, out of reach of its scripts and of other sites."""
        age, secure = people.SESSION[person.kind] // 1000, self._encrypted(asked)
        response.set_cookie(COOKIE, token, age, path="/", secure=secure, httponly=True, samesite="strict")

    def drop_cookie(self, response: Response, asked: HTTPConnection) -> None:
        """Take the token away again."""
        secure = self._encrypted(asked)
        response.delete_cookie(COOKIE, path="/", secure=secure, httponly=True, samesite="strict")

    def _encrypted(self, asked: HTTPConnection) -> bool:
        """Must the cookie travel encrypted? Where a proxy says that it did, and everywhere but on loopback.

        A server behind a proxy goes by another name.
        """
        here = self._settings.loopback and host_name(asked.headers) in LOOPBACK
        return bool(asked.state.encrypted) or not here


def token_of(cookies: str) -> str:
    """The token in a `Cookie` header; nothing if it is none that was ever given.

    >>> token_of(f"theme=dark; {COOKIE}={'x' * 43}") == "x" * 43, token_of(f"{COOKIE}=short")
    (True, '')
    """
    found = [part.strip(" \t").partition("=") for part in cookies.split(";")]
    tokens = [value for name, _, value in found if name == COOKIE]
    if len(tokens) > 1:
        raise Problem(400, "said-twice", f"the cookie {COOKIE} came twice; delete this site's cookies and come again")
    return tokens[0] if tokens and people.TOKEN.fullmatch(tokens[0]) else ""


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
