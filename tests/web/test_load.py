"""A small part of the load that `make soak` drives: every action is answered as it should be, on both databases."""

from __future__ import annotations

import asyncio
import sys

import pytest

from support.paths import ROOT
from support.postgres import PATIENT, running
from support.service.servers import Server

sys.path.insert(0, str(ROOT / "bench"))
import load


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request, tmp_path):
    if request.param == "sqlite":
        with Server(f"sqlite:///{tmp_path / 'felt.db'}", tmp_path, sheets=()) as found:
            yield found
    else:
        with running() as url, Server(url, tmp_path, sheets=()) as found:
            yield found


def test_load_without_an_error(server):
    async def part():
        async with load.seated(server, tables=5) as drivers:
            times = await load.drive(drivers, rate=40, seconds=5)
            async with asyncio.timeout(PATIENT):  # five follow each table; the last frames may be on their way
                while sum(bot.frames for driver in drivers for bot in driver.bots) < 5 * len(times.seconds) * 0.9:
                    await asyncio.sleep(0.05)
            return times

    times = asyncio.run(part())
    assert times.errors == []
    assert len(times.seconds) >= 150
