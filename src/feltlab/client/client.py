"""The HTTP client: a session, idempotency keys for changes, and retries while the server is away."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from types import TracebackType
from typing import Any

import httpx
import msgspec

from feltlab.client.seat import Seat
from feltlab.errors import FeltlabError
from feltlab.floor.tables.shapes import Now

API = "/api/v1"
AGAIN = (429, 503)
ANSWER_SECONDS = 10.0  # the timeout after which a request is sent again
WAIT_SECONDS = 0.05


class ServiceError(FeltlabError):
    """The server refused a request. The text is the server's; `kind` is the problem type, such as `stale-turn`."""

    def __init__(self, status: int, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.kind = status, kind


class Client:
    """A person's session at a server. `patience` is how many seconds to wait for a server that is away or busy.

    A proxy in the environment (`http_proxy` and the like) is used, but never for a server on this machine, so that
    passwords sent to it do not leave the machine.
    """

    def __init__(self, url: str, *, patience: float = 30.0, transport: httpx.BaseTransport | None = None) -> None:
        host = httpx.URL(url).host
        direct = {f"all://{f'[{host}]' if ':' in host else host}": None} if _is_here(host) else None
        self._http = httpx.Client(base_url=url, timeout=ANSWER_SECONDS, transport=transport, mounts=direct)
        self._patience = patience
        self._csrf = ""
        self.name = ""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the session goes on."""
        self._http.close()

    # ---- who I am

    def guest(self) -> Client:
        """Begin a session without an account."""
        return self._begin("/guests", None)

    def register(self, name: str, password: str) -> Client:
        """Create an account, and begin a session."""
        return self._begin("/accounts", {"name": name, "password": password})

    def log_in(self, name: str, password: str) -> Client:
        """Begin a session with an account."""
        return self._begin("/sessions", {"name": name, "password": password})

    def _begin(self, path: str, body: dict[str, str] | None) -> Client:
        me = self.request("POST", path, body)
        self._csrf, self.name = me["csrf"], me["name"]
        return self

    def me(self) -> dict[str, Any]:
        """My name, my chips away from tables, and where I sit."""
        found: dict[str, Any] = self.request("GET", "/me")
        return found

    def buy_chips(self, amount: int) -> int:
        """Buy chips with play money; returns my new balance."""
        return int(self.change("POST", "/me/chips", {"amount": amount})["chips"])

    def rounds(self, most: int = 10) -> list[dict[str, Any]]:
        """My last rounds, the latest first."""
        found: list[dict[str, Any]] = self.request("GET", f"/me/rounds?most={most}")
        return found

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        """The open tables."""
        found: list[dict[str, Any]] = self.request("GET", "/tables")
        return found

    def table(self, table: int) -> dict[str, Any]:
        """A table's description and its present state."""
        found: dict[str, Any] = self.request("GET", f"/tables/{table}")
        return found

    def now(self, table: int) -> Now:
        """The present state of a table."""
        return msgspec.convert(self.table(table)["now"], Now)

    def sit(self, table: int, spots: Sequence[int], chips: int) -> Seat:
        """Sit down with chips."""
        answer = self.change("POST", f"/tables/{table}/seat", {"spots": list(spots), "chips": chips})
        return Seat(self, table, answer)

    def seat(self, table: int) -> Seat:
        """The seat that I have at a table already."""
        return Seat(self, table, self.table(table))

    def events(self, table: int, after: int | None = None) -> Iterator[dict[str, Any]]:
        """Stream the steps of a table with their events, the last with the table as it is `now`.

        A lost connection is resumed where it broke, for as long as patience lasts.
        """
        last, until = after, time.monotonic() + self._patience
        while True:
            headers = {} if last is None else {"Last-Event-ID": str(last)}
            try:
                with self._http.stream(
                    "GET",
                    f"{API}/tables/{table}/events",
                    headers=headers,
                    timeout=httpx.Timeout(ANSWER_SECONDS, read=max(30.0, ANSWER_SECONDS)),
                ) as answer:
                    if answer.status_code == 200:
                        until = time.monotonic() + self._patience
                        for said in _messages(answer.iter_lines()):
                            if last is None or said["seq"] > last:
                                last = said["seq"]
                                yield said
                    elif answer.status_code not in AGAIN or time.monotonic() > until:
                        answer.read()
                        raise _error(answer)
            except httpx.TransportError:
                if time.monotonic() > until:
                    raise FeltlabError(f"the server does not answer: {self._http.base_url}") from None
            time.sleep(WAIT_SECONDS)

    # ---- requests

    def change(self, method: str, path: str, body: object = None, key: str | None = None) -> Any:
        """Send a request that changes something, with an idempotency key, so that it is done once even if sent again."""
        return self.request(method, path, body, {"Idempotency-Key": key or secrets.token_hex(12)})

    def request(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        """Send a request, again while the server is away or asks to wait; raises `ServiceError` if it is refused."""
        until = time.monotonic() + self._patience
        given = {**(headers or {}), **({"X-CSRF-Token": self._csrf} if self._csrf else {})}
        content = None
        if body is not None:
            content, given["Content-Type"] = msgspec.json.encode(body), "application/json"
        while True:
            try:
                answer = self._http.request(method, API + path, content=content, headers=given)
            except httpx.TransportError:
                if time.monotonic() > until:
                    raise FeltlabError(f"the server does not answer: {self._http.base_url}") from None
                time.sleep(WAIT_SECONDS)
                continue
            if answer.status_code in AGAIN and time.monotonic() < until:
                time.sleep(min(float(answer.headers.get("Retry-After", 1)), until - time.monotonic(), 1.0))
                continue
            if answer.status_code >= 400:
                raise _error(answer)
            return msgspec.json.decode(answer.content) if answer.content else None


def _is_here(host: str) -> bool:
    """Whether a host is this machine.

    >>> [_is_here(host) for host in ("localhost", "127.0.0.2", "::1", "felt.example", "192.168.0.1")]
    [True, True, True, False, False]
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _error(answer: httpx.Response) -> ServiceError:
    try:
        problem = msgspec.json.decode(answer.content)
        return ServiceError(answer.status_code, problem["type"].rpartition(":")[2], problem["detail"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return ServiceError(answer.status_code, "http", f"the server answered {answer.status_code}")


def _messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Parse server-sent events, where each `data:` line is one JSON object."""
    for line in lines:
        if line.startswith("data: "):
            said = msgspec.json.decode(line[6:].encode())
            yield said if "events" in said else {"seq": said["seq"], "events": [], "now": said}
