"""Connections that must ask in time, and briefly: uvicorn by itself would wait for ever for the end of a header."""

from __future__ import annotations

import asyncio
import secrets
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from feltlab.web.headers import HEADERS
from feltlab.web.problems import MEDIA, Problem, body_of

LARGEST_HEAD = 32 * 1024  # bytes of a request beside its body
HEAD_SECONDS = 10.0


class ClientConnection(HttpToolsProtocol):
    """A client's connection. What is no request is answered with a problem, as everything else that goes wrong."""

    _beside = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The client may now ask."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._stop_timer()
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
        if self._timer is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """All is said of a request but its body."""
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some bytes of a body; the service itself sees to it that there are not too many."""
        self._beside -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is complete; what comes after it belongs to the next."""
        self._beside = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP."""
        self._refuse(Problem(400, "not-http", msg))

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._refuse(Problem(408, "too-slow", f"a request's headers arrive within {HEAD_SECONDS:.0f} seconds"))

    def _refuse(self, problem: Problem) -> None:
        """Say why, and hang up; say nothing into the middle of an answer."""
        self._stop_timer()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
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
            self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()
