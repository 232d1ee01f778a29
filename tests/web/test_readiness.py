"""`/readyz`: it tries to write, but not for everybody who asks."""

import asyncio

import httpx
from sqlalchemy import event

from feltlab.web import readiness
from support.floor.inside import Inside
from support.service.requests import problem


def counted(engine, statements):
    """Every statement that begins with UPDATE."""

    @event.listens_for(engine, "before_cursor_execute")
    def _(_connection, _cursor, statement, *_):
        if statement.startswith("UPDATE alembic"):
            statements.append(statement)


def test_it_writes_once_for_many_who_ask(tmp_path, monkeypatch):
    """Whoever asks a hundred times a second makes nobody wait for the disk."""

    async def asked(url, many):
        async with httpx.AsyncClient(base_url=url, timeout=60) as web:
            return [answer.status_code for answer in await asyncio.gather(*(web.get("/readyz") for _ in range(many)))]

    with Inside(tmp_path) as server:
        written = []
        counted(server.services.engine, written)
        monkeypatch.setattr(readiness, "WRITE_SECONDS", 3600)
        server.services.readiness._written = -3600.0
        for _ in range(3):
            assert asyncio.run(asked(server.url, 20)) == [200] * 20
        assert len(written) == 1
        assert readiness.WRITE_SECONDS > 0


def test_a_disk_that_is_nearly_full_is_no_disk_to_play_on(tmp_path, monkeypatch):
    with Inside(tmp_path) as server:
        monkeypatch.setattr(readiness, "LEAST_FREE", 2**62)
        assert "the disk of the database has less than" in problem(httpx.get(f"{server.url}/readyz"), 503)["detail"]
        monkeypatch.undo()
        assert httpx.get(f"{server.url}/readyz").status_code == 200


def test_trying_changes_nothing(tmp_path):
    with Inside(tmp_path) as server:
        before = (tmp_path / "felt.db-wal").stat().st_size
        server.services.readiness._written = -10.0
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        assert (tmp_path / "felt.db-wal").stat().st_size > before, "nothing was written"
        server.check()
