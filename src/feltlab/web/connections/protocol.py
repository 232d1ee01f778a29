"""Connections that must ask in time, briefly, and take what they asked for: uvicorn by itself would wait for ever."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Literal

from uvicorn import Config
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from feltlab.web.connections.held import HeldConnections
from feltlab.web.connections.troubles import Troubles
from feltlab.web.http.headers import HEADERS
from feltlab.web.http.problems import MEDIA, Problem, body_of
from feltlab.web.settings import Patience

LARGEST_HEAD = 32 * 1024  # bytes of a request beside its body
LARGEST_READ = 1024 * 1024  # bytes of a body that are read and thrown away before the connection is cut
LEAST_TAKEN = 16 * 1024  # bytes that a slow reader takes while the server is patient with it


class ClientConnection(HttpToolsProtocol):
    """A client's connection. What is no request is answered with a problem, as everything else that goes wrong.

    At every moment it waits for something, for so long: the head of a request, the rest of one that was answered already,
    the next request, or for the client to take what was sent. Bytes that bring none of these nearer buy no time.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        patience: Patience,
        room: HeldConnections,
        troubles: Troubles,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._patience, self._room, self._troubles = patience, room, troubles
        self._part: Literal["none", "head", "body"] = "none"  # of a request, that is being read
        self._beside = self._body = 0
        self._timer: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._answering: RequestResponseCycle | None = None  # `cycle` is the last that came, which may wait behind it

    # ---- what comes

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The client may now ask."""
        super().connection_made(transport)
        self._room.waits(self)
        self._expect(self._patience.head, self._head_too_slow)
        self._part = "head"

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._room.leave(self)
        self._expect_nothing()
        if self._taking is not None:
            self._taking.cancel()
        self._say_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request, or of several."""
        self._beside += len(data)
        super().data_received(data)
        if self._beside > LARGEST_HEAD:
            self._refuse(Problem(431, "headers", f"a request's headers are at most {LARGEST_HEAD // 1024} kB"))

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        if self._part != "head":  # for the first one the time runs already
            self._part = "head"
            self._expect(self._patience.head, self._head_too_slow)

    def on_headers_complete(self) -> None:
        """All is said of a request but its body."""
        self._part, self._body = "body", 0
        self._expect_nothing()
        if not self.url.startswith(b"/"):  # another form could name another host than the header does
            raise ValueError("an address begins with /")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some bytes of a body; the service itself sees to it that there are not too many, where it reads them."""
        self._beside -= len(body)
        self._body += len(body)
        super().on_body(body)
        if self._body > LARGEST_READ:
            self._rest_too_much()

    def on_message_complete(self) -> None:
        """A request is complete; what comes after it belongs to the next."""
        self._beside, self._part = 0, "none"
        super().on_message_complete()
        if self.cycle.response_complete:
            self._expect_request()
        else:
            self._room.works(self)

    # ---- what goes

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """A request is answered."""
        more = bool(self.pipeline)
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch()
        elif not more and self._part == "body":
            self._expect(self._patience.rest, self._rest_too_much)
        elif not more:
            self._expect_request()

    def pause_writing(self) -> None:
        """The client is slower than we are."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """The client has taken what waited."""
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None
        if self.transport.is_closing():
            self._watch()

    def timeout_keep_alive_handler(self) -> None:
        """Uvicorn's own patience, which any byte would renew, is not asked."""

    def shutdown(self) -> None:
        """The server ends."""
        super().shutdown()
        if self.transport.is_closing():
            self._watch()

    def let_go(self) -> None:
        """Another needs the place."""
        self._troubles.note("no-room", self._address)
        self._abort()

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP."""
        self._troubles.note("not-http", self._address)
        self._refuse(Problem(400, "not-http", msg))

    # ---- how long

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _expect(self, seconds: float, otherwise: Callable[[], None]) -> None:
        self._expect_nothing()
        self._timer = self.loop.call_later(seconds, otherwise)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expect_request(self) -> None:
        """Another request, if it has not begun."""
        self._room.waits(self)
        if self._part == "none":
            self._expect(self._patience.idle, self._hang_up)

    def _head_too_slow(self) -> None:
        self._troubles.note("head", self._address)
        seconds = f"{self._patience.head:g} seconds"
        self._refuse(Problem(408, "too-slow", f"a request's headers arrive within {seconds}"))

    def _rest_too_much(self) -> None:
        """The answer has been sent, or nobody waits for it: nothing is left to say."""
        self._troubles.note("rest", self._address)
        self._hang_up()

    def _hang_up(self) -> None:
        self._expect_nothing()
        self.transport.close()
        self._watch()

    def _abort(self) -> None:
        """Hang up at once, whatever is still to be sent."""
        self._say_no_more()
        self.transport.abort()

    def _say_no_more(self) -> None:
        """Nobody hears us: what is being answered ends there, which is no error, and what waits behind it does not begin."""
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def _watch(self) -> None:
        """See to it that the client takes what is sent to it."""
        left = self.transport.get_write_buffer_size()
        if self._taking is None and left:
            self._taking = self.loop.call_later(self._patience.stall, self._look, left)

    def _look(self, before: int) -> None:
        self._taking = None
        left = self.transport.get_write_buffer_size()
        if left and before - left < LEAST_TAKEN:
            self._troubles.note("stalled", self._address)
            self._abort()
        else:
            self._watch()

    def _refuse(self, problem: Problem) -> None:
        """Say why, and hang up; say nothing into the middle of an answer."""
        self._expect_nothing()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(refusal(problem))
        self._hang_up()


def refusal(problem: Problem) -> bytes:
    """A problem as a whole answer, for somebody whose request never came to the service."""
    request_id = secrets.token_hex(8)
    body = body_of(problem, "", request_id)
    said = {
        **HEADERS,
        "content-type": MEDIA,
        "content-length": str(len(body)),
        "connection": "close",
        "x-request-id": request_id,
    }
    lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in said.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
