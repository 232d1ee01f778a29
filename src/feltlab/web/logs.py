"""Structured logs: one JSON object a line, with the request's id."""

from __future__ import annotations

import logging
import sys
import time

import msgspec

KNOWN = ("request_id", "method", "path", "person", "status", "ms")


class Lines(logging.Formatter):
    """A record as JSON. Only fields that we name get there, so nothing secret can slip in with the others."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        said: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        said |= {name: getattr(record, name) for name in KNOWN if hasattr(record, name)}
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(said).decode()


def set_up(level: str) -> None:
    """Log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("alembic").setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).setLevel(
            max(logging.ERROR, root.level)
        )  # it warns of every odd request: see troubles.py
