"""The database of the first schema, as it was dumped."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing

from support.paths import TESTS
from support.postgres import programs

FIXTURES = TESTS / "fixtures"


def load_fixture(url: str) -> None:
    """The first schema's database, as it was dumped."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
            db.executescript((FIXTURES / "first-schema.sqlite.sql").read_text())
        return
    psql = [programs() / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", FIXTURES / "first-schema.postgresql.sql", url]
    subprocess.run(psql, check=True, capture_output=True)
