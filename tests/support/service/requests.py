"""Honest and hostile requests to a server, and what a proper refusal is."""

import socket
import time
from contextlib import closing

from feltlab.web.http.limits import Buckets
from support.postgres import PATIENT

API = "/api/v1"
JSON = {"Content-Type": "application/json"}
HUNG_UP = b"(the server hung up)"


def as_(client, **more):
    """The headers of somebody's honest change."""
    return {"X-CSRF-Token": client._csrf, **JSON, "Idempotency-Key": f"key-{time.monotonic_ns()}", **more}


def problem(answer, status=None):
    """An answer that is a problem, with words for people."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    found = answer.json()
    assert found["status"] == answer.status_code and found["title"] and found["detail"]
    assert found["type"].startswith("urn:feltlab:problem:")
    assert found["request_id"] == answer.headers["x-request-id"]
    assert status is None or answer.status_code in (status if isinstance(status, tuple) else (status,)), answer.text
    return found


def spoken(server, data, *, wait=PATIENT, slowly=0.0):
    """Send bytes to a server, optionally with a pause after each, and return everything it answers before it hangs up."""
    port = int(server.url.rpartition(":")[2])
    heard = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=wait)) as line:
        try:
            for part in data if isinstance(data, list) else [data]:
                line.sendall(part)
                time.sleep(slowly)
            while more := line.recv(65536):
                heard += more
        except TimeoutError:
            return heard
        except ConnectionError:
            return heard + HUNG_UP
    return heard


def standing(server, what, many):
    """A limit whose clock stands still, so that no test depends on its speed."""
    server._server.config.app.state.often[what] = Buckets(0.1, many, clock=lambda: 0.0)
