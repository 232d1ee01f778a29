"""Backups by the very commands of docs/operations.md, taken while people play, and brought back to life."""

import os
import re
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from feltlab.floor.storage.database import connect, reading
from support.floor.forked import Forked
from support.floor.houses import Company
from support.floor.proving import stored, verify_shoes
from support.paths import ROOT
from support.players import Player, Witness
from support.postgres import PATIENT, programs
from support.waiting import comes

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "operations.md"
ADDRESS = "postgresql://felt@localhost"


def commands(*words: str) -> list[str]:
    """The commands of the page, in their order, that have one of these words."""
    found = re.findall(r"^\$ (.*)$", PAGE.read_text(), re.M)
    return [command for command in found if any(word in command for word in words)]


def run(command: str, folder: Path, server: str = ADDRESS) -> str:
    """Run a command of the page in a folder; PostgreSQL is where the tests have it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), str(programs()), os.environ["PATH"]])
    done = subprocess.run(
        command.replace(ADDRESS, server), shell=True, cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def played(nursery, url: str, folder: Path, backup) -> tuple[Company, set]:
    """People play, a backup is taken in the midst of it, and they play on."""
    with Forked(nursery, url, folder, sheets=()) as server, Witness() as witness:
        company = Company(server, witness=witness)
        comes(
            lambda: len(witness.steps) > 20 and any(now["shoe"]["number"] > 1 for now in list(witness.views.values()))
        )
        seen = set(witness.steps)
        backup()
        comes(lambda: len(witness.steps) > len(seen))
        company.end()
    return company, seen


def goes_on(nursery, url: str, folder: Path, company: Company, seen: set) -> None:
    """A server on the restored database: everything until the backup is there, and the same people play on."""
    before = look(url, stored)
    assert seen <= set(before.steps), "what had been answered before the backup is not in it"
    for place, events in company.witness.steps.items():
        assert place not in before.steps or before.steps[place].events == events
    with Forked(nursery, url, folder, sheets=()) as server, Witness() as witness:
        players = []
        for player in company.players:
            client = player.client.elsewhere(server.url, witness)
            place = player.table, client.now(player.table).seq
            if place in before.steps:  # else somebody's time was up, and the table has gone on
                assert company.witness.views.get(place) in (None, witness.views[place]), "the table is not as it was"
            players.append(Player(client, player.table, player.spots, secrets.randbits(30)).take_up())
        for player in players:
            player.start()
        comes(lambda: all(player.client.steps for player in players) and len(witness.steps) > 6)
        house = company.house
        house.client = house.client.elsewhere(server.url, witness)
        for table in company.tables:
            house.close(table)
        for player in players:
            player.finish()
        chips = sum(player.client.me()["chips"] for player in players)
    after = look(url, stored)
    assert len(after.steps) > len(before.steps) + 6
    assert after.checked.players == chips == after.checked.bought_in - after.checked.house
    assert len(look(url, verify_shoes)) > 3


def look(url: str, find):
    engine = connect(url)
    try:
        with reading(engine) as db:
            return find(db)
    finally:
        engine.dispose()


WITHOUT = pytest.mark.skipif(not shutil.which("sqlite3"), reason="there is no sqlite3; Python does the same")


@pytest.mark.parametrize("way", [pytest.param("sqlite3", marks=WITHOUT), "python"])
def test_sqlite_is_copied_while_people_play(nursery, tmp_path, way):
    (backup,) = (command for command in commands("VACUUM INTO") if command.startswith(way))
    file = tmp_path / "feltlab.db"
    company, seen = played(nursery, f"sqlite:///{file}", tmp_path, lambda: run(backup, tmp_path))
    for command in commands("old", "cp ", "ledger check --db sqlite"):
        run(command, tmp_path)
    assert sorted(path.name for path in (tmp_path / "old").iterdir())[0] == "feltlab.db"
    goes_on(nursery, f"sqlite:///{file}", tmp_path, company, seen)


def test_postgresql_is_dumped_while_people_play(nursery, tmp_path, postgres_server):
    server = postgres_server.rpartition("/")[0]
    with psycopg.connect(postgres_server, autocommit=True) as db:
        for name in ("feltlab", "restored"):
            db.execute(f"DROP DATABASE IF EXISTS {name}")
        db.execute("CREATE DATABASE feltlab")
    (dump,) = commands("pg_dump")
    company, seen = played(nursery, f"{server}/feltlab", tmp_path, lambda: run(dump, tmp_path, server))
    for command in commands("createdb", "pg_restore", "ledger check --db postgresql"):
        run(command, tmp_path, server)
    goes_on(nursery, f"{server}/restored", tmp_path, company, seen)


def test_a_backup_without_its_key_starts_no_server(nursery, tmp_path):
    """A new key would shut all tables with the players' chips in them."""
    url = f"sqlite:///{tmp_path / 'feltlab.db'}"
    with Forked(nursery, url, tmp_path):
        (tmp_path / "feltlab.key").unlink()
    server = Forked(nursery, url, tmp_path)
    server.launch()
    assert server.process.wait(PATIENT) != 0
    assert "the key that seals shoes is missing; put the right one back" in server.errors.read_text()
    assert not (tmp_path / "feltlab.key").exists()
