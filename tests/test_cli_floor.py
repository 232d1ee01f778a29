"""`feltlab ledger check`, `replay` and `verify` as a user runs them, on a database that is only looked at."""

import json
import random
import shlex
import subprocess
import sys

import pytest
from sqlalchemy import text

from feltlab.cli import app
from feltlab.errors import FeltlabError
from feltlab.floor.commands import AddSeed, CloseTable, Sit
from feltlab.floor.config import Wish
from feltlab.floor.database import open_database, reading, writing
from feltlab.floor.desk import Job
from feltlab.floor.replaying import verify_shoe
from floors import Floor, drop_guards, known_shoes

FELTLAB = [sys.executable, "-c", "from feltlab.cli import main; main()"]


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A blackjack table that was closed after a few rounds, and one that goes on."""
    url = f"sqlite:///{tmp_path_factory.mktemp('cli')}/felt.db"
    open_database(url).dispose()
    found = Floor(url)
    people = found.players("ada", "bob")
    with known_shoes(4):
        for _ in range(2):
            table = found.table(Wish("bad-beat-blackjack", decks=6, name="[bold]loud[/]"))
            for spot, person in enumerate(people, 1):
                found.desk.do(Job(table, Sit((spot,), 200_00), person))
            found.desk.do(Job(table, AddSeed("[red]lucky[/] ♠"), people[0]))
            found.play(table, people, 3, random.Random(table))
    found.desk.do(Job(1, CloseTable()))
    yield found
    found.close()


@pytest.fixture
def run(floor, capsys):
    """Run a command on the database; gives what it printed."""

    def run(words):
        capsys.readouterr()
        app([*shlex.split(words), "--db", str(floor.engine.url)], standalone_mode=False)
        return capsys.readouterr().out

    return run


def test_ledger_check(floor, run):
    found = floor.check()
    lines = run("ledger check").splitlines()
    assert lines[0].startswith(f"The ledger holds: {found.rows} transfers between {found.accounts} accounts")
    assert [line.split()[-1] for line in lines[1:]] == [
        f"{cents / 100:,.2f}" for cents in (found.players, found.floats, found.house, found.bought_in)
    ]
    assert json.loads(run("ledger check --json"))["bought_in"] == 2000_00


def test_a_ledger_that_does_not_hold_ends_with_one_line(floor):
    row = floor.rows()["transfers"][7]
    with writing(floor.engine) as db:
        drop_guards(db)
        db.execute(text(f"UPDATE transfers SET amount = amount + 1 WHERE id = {row.id}"))
    done = subprocess.run(
        [*FELTLAB, "ledger", "check", "--db", str(floor.engine.url)], capture_output=True, text=True, check=False
    )
    with writing(floor.engine) as db:
        db.execute(text(f"UPDATE transfers SET amount = amount - 1 WHERE id = {row.id}"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"feltlab: transfer {row.id}: ")
    assert done.stderr.count("\n") == 1
    floor.check()


def test_replay_tells_the_round_and_that_it_came_out_the_same(run):
    told = run("replay 1-2")
    assert "Round 1-2\n 1  Wagers\n    spot 1 wagers 10.00 on main\n" in told
    assert "\n 8  Settlement\n" in told
    assert told.endswith("steps.\n")
    assert "Played again with the cards of shoe 1-1, it came out as it is stored" in told
    assert "with the cards that were seen" in run("replay 2-2")
    found = json.loads(run("replay 1-2 --json"))
    assert (found["round"], found["shoe"], found["from_shoe"], found["sheet"]) == (
        "1-2",
        "1-1",
        True,
        "bad-beat-blackjack",
    )
    assert [bet["bet"] for bet in found["bets"]][:2] == [1, 2]
    assert found["log"][0] == {"event": "step", "step": "wagers"}
    assert found["words"][0] == {"step": "wagers", "text": "Wagers"}


def test_verify_says_what_was_verified(floor, run):
    with reading(floor.engine) as db:
        shoe = verify_shoe(db, 1, 1)
    told = run("verify 1-1")
    assert "Shoe 1-1  312 cards" in told
    assert shoe.commitment in told
    assert "[red]lucky[/] ♠, by ada" in told
    assert " ".join(shoe.order[:8]) in told
    assert "1-1 to 1-3: played again" in told
    found = json.loads(run("verify 1-1 --json"))
    assert (found["commitment"], found["order"], found["rounds"]) == (
        shoe.commitment,
        shoe.order,
        ["1-1", "1-2", "1-3"],
    )


@pytest.mark.parametrize(("words", "reason"), [
    ("replay 1-99", "there is no round 1-99"),
    ("replay 9-1", "there is no table 9"),
    ("replay one", "'one' is no round; it is written as TABLE-NUMBER, as 12-345"),
    ("replay 1", "is no round"),
    ("replay 1-2-3", "is no round"),
    ("replay -- -1-2", "is no round"),
    ("verify 1-x", "is no shoe"),
    ("verify 1-9", "there is no shoe 1-9"),
    ("verify 2-1", "shoe 2-1 is not over"),
])  # fmt: skip
def test_what_is_refused(floor, words, reason):
    name, *more = shlex.split(words)
    with pytest.raises(FeltlabError, match=reason):
        app([name, "--db", str(floor.engine.url), *more], standalone_mode=False)


# ---- a database that is not there, or not ours


@pytest.mark.parametrize("words", ["ledger check", "replay 1-1", "verify 1-1"])
def test_no_database_is_made(tmp_path, words):
    with pytest.raises(FeltlabError, match="there is no such file; `feltlab serve` makes a database"):
        app([*words.split(), "--db", f"sqlite:///{tmp_path}/no.db"], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_somebody_else_is_not_touched(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mine (a)")
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("these are words " * 1000)
    for name, reason in (
        ("other", "no database of Feltlab's"),
        ("empty", "no database of"),
        ("text", "not a database"),
    ):
        before = (tmp_path / f"{name}.db").read_bytes()
        with pytest.raises(FeltlabError, match=reason):
            app(["ledger", "check", "--db", f"sqlite:///{tmp_path}/{name}.db"], standalone_mode=False)
        assert (tmp_path / f"{name}.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "other.db", "text.db"]


def test_a_schema_of_another_version_is_named(sqlite):
    with writing(open_database(sqlite)) as db:
        db.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(FeltlabError, match="its schema is 0000, not .*; `feltlab serve` brings it up to date"):
        app(["ledger", "check", "--db", sqlite], standalone_mode=False)


@pytest.mark.parametrize(("url", "reason"), [
    ("nonsense", "is no database; write sqlite:///FILE"),
    ("mysql://a/b", "mysql is not supported"),
    ("sqlite://", "SQLite needs a file"),
    ("postgresql://felt:secret@127.0.0.1:1/x", "connection"),
])  # fmt: skip
def test_urls_that_lead_nowhere(url, reason):
    with pytest.raises(FeltlabError, match=reason) as caught:
        app(["ledger", "check", "--db", url], standalone_mode=False)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_postgres_database_is_no_database_of_ours(new_postgres):
    url = new_postgres()
    with pytest.raises(FeltlabError, match="no database of Feltlab's"):
        app(["ledger", "check", "--db", url], standalone_mode=False)
    open_database(url).dispose()
    app(["ledger", "check", "--db", url], standalone_mode=False)


@pytest.mark.parametrize("more", [[], ["--db", "sqlite:///x.db"]])
def test_packages_that_are_missing_are_named_in_one_line(more):
    code = "import sys; sys.modules['sqlalchemy'] = None; from feltlab.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "ledger", "check", *more], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'feltlab[serve]'" in done.stderr
