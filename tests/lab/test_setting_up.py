"""Users' sheets in a server: checked by a worker alone, set up beside the desk, and not checked again after a restart."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from sqlalchemy import insert, select, update

from feltlab.client import ServiceError
from feltlab.errors import SetupError
from feltlab.floor.house import config as configs
from feltlab.floor.house.config import Config, Wish, configure, read_config
from feltlab.floor.house.opening import MOST_UNUSED_SHEETS, UNUSED_SHEET, forget_sheets, keep_sheet, kept_sheet
from feltlab.floor.storage import schema, store
from feltlab.floor.storage.database import reading, writing
from feltlab.sheets import load_text, loader
from feltlab.tables import set_up
from feltlab.web.http.limits import Buckets
from support.floor.inside import Inside

OWN = Path("docs/examples/perfect-pairs.toml").read_text()


class Seen:
    """Where sheets were checked and set up in this process, which is the server's too."""

    def __init__(self, monkeypatch) -> None:
        self.checks: list[str] = []
        self.set_ups: list[str] = []
        check, made = loader.lint, configs.setup_of

        def lint(sheet):
            self.checks.append(threading.current_thread().name)
            return check(sheet)

        def up(sheet, choice):
            if sheet.id == "perfect-pairs":
                self.set_ups.append(threading.current_thread().name)
            return made(sheet, choice)

        monkeypatch.setattr(loader, "lint", lint)
        monkeypatch.setattr(configs, "setup_of", up)


@pytest.fixture
def seen(monkeypatch) -> Seen:
    for name in loader.builtin_names():
        loader.load(name)
    configs._made.clear()
    return Seen(monkeypatch)


@pytest.fixture
def server(tmp_path) -> Iterator[Inside]:
    with Inside(tmp_path) as found:
        yield found


def opened(server: Inside, **wish) -> int:
    with server.house() as house:
        table: int = house.change("POST", "/tables", wish)["about"]["id"]
    return table


def refused(server: Inside, **wish) -> ServiceError:
    with pytest.raises(ServiceError) as found:
        opened(server, **wish)
    return found.value


def of_beside(threads: list[str]) -> bool:
    return bool(threads) and not {"desk", "server", "MainThread"} & set(threads)


def test_a_users_sheet_is_checked_by_a_worker_and_set_up_beside_the_desk(server, seen):
    table = opened(server, text=OWN)
    assert seen.checks == [] and of_beside(seen.set_ups)
    assert server.services.laboratory.workers["counted"].pid is not None
    assert httpx.get(f"{server.url}/api/v1/tables/{table}").json()["about"]["sheet"] == "perfect-pairs"
    assert len(seen.set_ups) == 1, "like tables are one"
    opened(server, text=OWN)
    assert len(seen.set_ups) == 1


def test_what_is_wrong_with_it_is_told_as_before(server, seen):
    wrong = refused(server, text=OWN.replace("pair(first, second)", "pear(first, second)"))
    assert (wrong.status, wrong.kind) == (422, "sheet") and "pear" in str(wrong)
    wrong = refused(server, text=OWN, option="none")
    assert (wrong.status, wrong.kind) == (422, "not-allowed-by-the-sheet")
    wrong = refused(server, text=OWN, limits={"main": [100, 99]})
    assert (wrong.status, wrong.kind) == (422, "not-allowed-by-the-sheet")
    assert seen.checks == [] and seen.set_ups == []


def test_after_a_restart_open_tables_are_set_up_beside_the_desk_and_not_checked(tmp_path, seen):
    with Inside(tmp_path) as server:
        table = opened(server, text=OWN)
    configs._made.clear()
    seen.set_ups.clear()
    with Inside(tmp_path) as server:
        with httpx.Client(base_url=server.url, timeout=60) as nobody:
            assert nobody.get(f"/api/v1/tables/{table}").status_code == 200
            assert [line["id"] for line in nobody.get("/api/v1/tables").json()] == [table]
        assert seen.checks == [] and of_beside(seen.set_ups) and len(seen.set_ups) == 1
        assert server.services.laboratory.workers["counted"].pid is None, "no worker was asked"


def of_another_version(engine, table: int, text: str = OWN) -> None:
    """Make a table one that another version opened, perhaps of another sheet."""
    t, sheets = schema.tables, schema.sheets
    with writing(engine) as db:
        before: Config = read_config(db.execute(select(t.c.config).where(t.c.id == table)).scalar_one())
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        if sha256 != before.sheet_sha256:
            db.execute(insert(sheets).values(sha256=sha256, text=text, kept_at=0))
        after = msgspec.structs.replace(before, feltlab="0.0.1", sheet_sha256=sha256)
        row = {"config": after.text(), "config_sha256": after.sha256(), "sheet": sha256}
        db.execute(update(t).where(t.c.id == table).values(row))


def test_a_table_of_another_version_is_checked_again_by_a_worker(tmp_path, seen):
    with Inside(tmp_path) as server:
        good, wrong = opened(server, text=OWN), opened(server, text=OWN, decks=6)
        of_another_version(server.services.engine, good)
        of_another_version(server.services.engine, wrong, OWN.replace("pair(first, second)", "pear(first, second)"))
    configs._made.clear()
    seen.set_ups.clear()
    with Inside(tmp_path) as server, httpx.Client(base_url=server.url, timeout=60) as nobody:
        assert nobody.get(f"/api/v1/tables/{good}").status_code == 200
        for _ in range(2):
            answer = nobody.get(f"/api/v1/tables/{wrong}")
            assert answer.status_code == 503 and "pear" in answer.json()["detail"]
        assert [line["id"] for line in nobody.get("/api/v1/tables").json()] == [good]
        assert seen.checks == [] and of_beside(seen.set_ups)
        assert server.services.laboratory.workers["counted"].pid is not None


def test_a_sheet_that_was_altered_is_not_set_up(tmp_path, seen):
    with Inside(tmp_path) as server:
        table = opened(server, text=OWN)
        with writing(server.services.engine) as db:
            db.execute(update(schema.sheets).values(text=OWN + "# altered"))
    configs._made.clear()
    seen.set_ups.clear()
    with Inside(tmp_path) as server:
        answer = httpx.get(f"{server.url}/api/v1/tables/{table}")
        assert answer.status_code >= 400 and "altered" in answer.json()["detail"]
        assert seen.set_ups == []


def test_a_table_that_takes_long_to_set_up_is_not_opened(monkeypatch):
    wish = Wish(text=OWN)
    assert configure(wish)[0].offered == ["perfect-pairs"]
    setup = set_up(load_text(OWN, "it"))
    work = sum(
        (1 + sum(line.when.size for line in one.lines)) * len(one.cells.partition.group_of)
        for one in setup.wagers.values()
    )
    monkeypatch.setattr(configs, "MOST_WORK", work)
    assert configure(wish)
    monkeypatch.setattr(configs, "MOST_WORK", work - 1)
    with pytest.raises(SetupError, match="take too long to set up; offer fewer"):
        configure(wish)
    few, text = configure(msgspec.structs.replace(wish, offered=[]))
    assert few.table(text)


# ---- sheets that are kept


def sheets_of(engine) -> set[str]:
    with reading(engine) as db:
        return set(db.execute(select(schema.sheets.c.sha256)).scalars())


def test_sheets_that_no_table_uses_are_forgotten_and_others_never(server):
    table = opened(server, text=OWN)
    engine, day = server.services.engine, 24 * 3_600_000
    used = sheets_of(engine)
    with writing(engine) as db:
        db.execute(update(schema.sheets).values(kept_at=0))
        keep_sheet(db, "a" * 64, "old", 1)
        keep_sheet(db, "b" * 64, "asked for again", 1)
        keep_sheet(db, "b" * 64, "asked for again", UNUSED_SHEET)
        forget_sheets(db, UNUSED_SHEET + day)
        assert kept_sheet(db, "a" * 64) is None and kept_sheet(db, "b" * 64) == "asked for again"
    assert sheets_of(engine) == {*used, "b" * 64}
    assert httpx.get(f"{server.url}/api/v1/tables/{table}").status_code == 200


def test_so_many_unused_sheets_are_kept(server):
    engine = server.services.engine
    rows = [
        {"sha256": f"{number:064}", "text": "unused", "kept_at": number} for number in range(MOST_UNUSED_SHEETS + 700)
    ]
    with writing(engine) as db:
        db.execute(insert(schema.sheets), rows)
        forget_sheets(db, 1)
    assert sheets_of(engine) == {row["sha256"] for row in rows[700:]}


def test_looking_at_what_must_be_worked_out_has_a_limit(server, monkeypatch):
    monkeypatch.setattr(server.services.laboratory, "looks", Buckets(per_second=1e-6, at_once=5))
    with httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as nobody:
        answers = [nobody.get("/lab/sheets/bad-beat-baccarat") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        assert nobody.get("/lab/audit/bad-beat-baccarat").status_code == 429


def test_a_server_keeps_so_many_tables_in_memory(server, monkeypatch):
    monkeypatch.setattr(store, "MOST_LIVES", 2)
    tables = [opened(server, sheet="bad-beat-baccarat") for _ in range(4)]
    for table in (*tables, tables[0]):
        assert httpx.get(f"{server.url}/api/v1/tables/{table}").json()["now"]["seq"] == 1
        assert server.at_desk(lambda desk: len(desk.tables._lives)) <= 2
