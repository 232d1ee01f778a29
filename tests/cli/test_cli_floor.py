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
from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.records.replaying import verify_shoe
from feltlab.floor.storage.database import open_database, reading, writing
from feltlab.floor.tables.commands import AddSeed, CloseTable, Sit
from feltlab.money import LARGEST_AMOUNT
from support.floor.floors import SEAL, Floor, drop_guards, known_shoes
from support.terminals import FELTLAB
from support.unpayable import unpayable


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


# ---- everything at once


@pytest.fixture
def key(tmp_path):
    """The file of the key that the tables of these tests were opened with."""
    file = tmp_path / "felt.key"
    file.write_text(bytes(range(32)).hex())
    file.chmod(0o600)
    return file


def feltlab(floor, *words):
    return subprocess.run(
        [*FELTLAB, *words, "--db", str(floor.engine.url)], capture_output=True, text=True, check=False
    )


def test_verify_all_ends_with_one_line_of_what_was_proven_and_what_not(floor, tmp_path):
    rows = floor.rows()
    done = feltlab(floor, "verify", "--all")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"Proven: {len(rows['acts'])} acts, {len(rows['steps'])} steps at 2 tables and {len(rows['transfers'])} transfers"
        " in unbroken chains; 2 people; 1 shoe and 6 rounds played again."
        " Not proven: 1 shoe in use, rows that were cut off or rebuilt as a whole (no heads were given).\n"
    )
    heads = tmp_path / "heads"
    heads.write_text(feltlab(floor, "ledger", "heads").stdout)
    done = feltlab(floor, "verify", "--all", "--heads", str(heads))
    assert "in unbroken chains, from 2 kept heads;" in done.stdout
    assert done.stdout.endswith("Not proven: 1 shoe in use.\n")
    found = json.loads(feltlab(floor, "verify", "--all", "--json").stdout)
    assert (found["faults"], found["steps"], found["unrevealed"]) == ([], len(rows["steps"]), 1)


def test_verify_all_says_every_part_that_differs_and_ends_with_1(floor):
    with writing(floor.engine) as db:
        drop_guards(db)
        db.execute(text("UPDATE people SET kind = 'house' WHERE name = 'ada'"))
        db.execute(text("UPDATE steps SET at = at + 1 WHERE table_id = 2 AND seq = 3"))
    done = feltlab(floor, "verify", "--all")
    found = json.loads(feltlab(floor, "verify", "--all", "--json").stdout)
    with writing(floor.engine) as db:
        db.execute(text("UPDATE people SET kind = 'player' WHERE name = 'ada'"))
        db.execute(text("UPDATE steps SET at = at - 1 WHERE table_id = 2 AND seq = 3"))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "differs: person 1 is kept as a house, named ada, but acts say that they are a player",
        "differs: step 2-3 is not what its link says: it, or what was stored with it, was altered since",
        "Not proven: 2 parts of the database differ, as said above.",
    ]
    assert len(found["faults"]) == 2
    assert feltlab(floor, "verify", "--all").returncode == 0


def test_heads_are_printed_and_signed_with_the_servers_key(floor, run, key, tmp_path):
    rows = floor.rows()
    acts, steps = rows["acts"][-1], [step for step in rows["steps"] if step.table_id == 2]
    plain = f"feltlab heads 1\nacts {acts.id} {acts.link}\ntable-2 {len(steps)} {steps[-1].link}\n"
    assert run("ledger heads") == plain == run("ledger heads")
    signed = run(f"ledger heads --sign --key {key}")
    public = SEAL.signer.public_key().public_bytes_raw().hex()
    assert signed.startswith(f"{plain}signed {public} ")
    file = tmp_path / "heads"
    file.write_text(plain + signed)
    assert "from 4 kept heads" in run(f"verify --all --heads {file}")
    file.write_text(signed)
    assert "from 2 kept heads" in run(f"verify --all --heads {file} --public-key {public}")
    for words, other in ((["--public-key", "ab" * 32], signed), ([], signed.replace("acts", "acts 1", 1))):
        file.write_text(other)
        done = feltlab(floor, "verify", "--all", "--heads", str(file), *words)
        assert (done.returncode, done.stdout.startswith("differs: heads ")) == (1, True)


@pytest.mark.parametrize(("words", "reason"), [
    ("verify", "name one shoe, such as 12-3, or use --all"),
    ("verify 1-1 --all", "name one shoe, such as 12-3, or use --all"),
    ("verify 1-1 --heads x", "--heads FILE goes with --all"),
    ("verify --all --public-key aa", "and --public-key KEY with --heads"),
    ("verify --all --heads /no/such/file", "--heads /no/such/file: it cannot be read: No such file"),
    ("verify --all --heads pyproject.toml", "these are not heads"),
    ("verify --all --heads /dev/null", "there is no head in this text"),
    ("verify --all --heads /dev/null --public-key aa", "there is no head in this text"),
])  # fmt: skip
def test_what_verify_all_does_not_understand_ends_with_2(floor, words, reason):
    done = feltlab(floor, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr and done.stderr.count("\n") == 1


def test_acts_are_told_by_whom_and_when(floor, run):
    lines = run("ledger acts").splitlines()
    assert len(lines) == len(floor.rows()["acts"])
    assert lines[0] == "1  2023-11-14 22:13:20  account of person 1, by person 1, ada"
    assert lines[-1].endswith("closed of table 1, by the operator or the server")
    assert run("ledger acts --after 2 --most 2").splitlines() == lines[2:4]
    (third,) = json.loads(run("ledger acts --after 2 --most 1 --json"))
    assert (third["id"], third["act"], third["subject"]) == (3, "account", "person 2")


def test_an_account_is_removed(sqlite, key, capsys):
    floor = Floor(sqlite)
    (ada,) = floor.players("ada")
    floor.do(floor.table(), Sit((1,), 100_00), ada)
    app(["account", "remove", "ada", "--db", sqlite, "--key", str(key)], standalone_mode=False)
    assert capsys.readouterr().out == f"removed ada, who is number {ada.id} from now on\n"
    with pytest.raises(FeltlabError, match="there is no account 'ada'"):
        app(["account", "remove", "ada", "--db", sqlite, "--key", str(key)], standalone_mode=False)
    assert floor.check().bought_in == 0
    app(["verify", "--all", "--db", sqlite], standalone_mode=False)
    assert "Proven: " in capsys.readouterr().out
    floor.close()


@pytest.mark.parametrize(("words", "reason"), [
    ("replay 1-99", "there is no round 1-99"),
    ("replay 9-1", "there is no table 9"),
    ("replay one", "'one' is not a round; write TABLE-NUMBER, for example 12-345"),
    ("replay 1", "is not a round"),
    ("replay 1-2-3", "is not a round"),
    ("replay -- -1-2", "is not a round"),
    ("verify 1-x", "is not a shoe"),
    ("verify 1-9", "there is no shoe 1-9"),
    ("verify 2-1", "shoe 2-1 is not over"),
])  # fmt: skip
def test_what_is_refused(floor, words, reason):
    name, *more = shlex.split(words)
    with pytest.raises(FeltlabError, match=reason):
        app([name, "--db", str(floor.engine.url), *more], standalone_mode=False)


@pytest.mark.parametrize("change", [
    "UPDATE tables SET state = CAST(state AS BLOB)", "UPDATE transfers SET why = CAST(x'7bff' AS TEXT)",
    "UPDATE sheets SET text = CAST(text AS BLOB)", "UPDATE steps SET events = CAST(events AS BLOB)",
    "UPDATE shoes SET seeds = CAST(seeds AS BLOB)", "UPDATE shoes SET seeds = '[[5,6]]'",
])  # fmt: skip
def test_damaged_rows_end_with_one_line(sqlite, change):
    floor = Floor(sqlite)
    (ada,) = floor.players("ada")
    table = floor.table(Wish("bad-beat-blackjack", decks=1))
    floor.desk.do(Job(table, Sit((1,), 200_00), ada))
    floor.play(table, [ada], 1, random.Random(1))
    floor.desk.do(Job(table, CloseTable()))
    with writing(floor.engine) as db:
        drop_guards(db)
        db.execute(text(change))
    floor.close()
    codes = []
    for words in ("ledger check", "verify 1-1", "replay 1-1", "verify --all", "ledger acts"):
        done = feltlab(floor, *words.split())
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == (done.returncode == 2), done.stderr
        codes.append(done.returncode)
    assert codes[3] == 1, "verify --all"


# ---- a database that is not there, or not ours


@pytest.mark.parametrize("words", ["ledger check", "ledger heads", "replay 1-1", "verify 1-1", "verify --all"])
def test_no_database_is_made(tmp_path, words):
    with pytest.raises(FeltlabError, match="there is no such file; `feltlab serve` creates a database"):
        app([*words.split(), "--db", f"sqlite:///{tmp_path}/no.db"], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_somebody_else_is_not_touched(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mine (a)")
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("these are words " * 1000)
    for name, reason in (
        ("other", "not a database of Feltlab"),
        ("empty", "not a database of"),
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
    ("nonsense", "is not a database; write sqlite:///FILE"),
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
    with pytest.raises(FeltlabError, match="not a database of Feltlab"):
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


# ---- an operator at a table that cannot go on


@pytest.fixture
def stuck(sqlite, monkeypatch):
    """A round of the first version that cannot be settled, at a table of a database of its own."""
    monkeypatch.setenv("FELTLAB_KEY", bytes(range(32)).hex())
    found = Floor(sqlite)
    yield found, *unpayable(found)
    found.check()
    found.close()


def operate(words, floor, capsys):
    capsys.readouterr()
    app([*shlex.split(words), "--db", str(floor.engine.url)], standalone_mode=False)
    return capsys.readouterr().out


def test_a_stuck_round_is_void_and_the_table_closed_by_an_operator(stuck, capsys):
    floor, table, ada = stuck
    said = operate(f"table void {table} --reason 'it cannot be paid' --close", floor, capsys)
    assert said == (
        f"round {table}-1 is void: 2 open wagers, 500,000,010.00 in all, went back;"
        f" table {table} is closed: everybody has their chips\n"
    )
    assert floor.chips(ada) == LARGEST_AMOUNT
    assert "it cannot be paid" in operate(f"replay {table}-1", floor, capsys)
    operate(f"verify {table}-1", floor, capsys)
    operate("ledger check", floor, capsys)


def test_a_table_whose_round_is_void_goes_on(stuck, capsys):
    floor, table, _ = stuck
    said = operate(f"table void {table} --reason 'it cannot be paid'", floor, capsys)
    assert said.endswith("went back\n")
    assert floor.now(table).waits.kind == "bets", "a server that goes on meanwhile sees it"
    with pytest.raises(FeltlabError, match="there is no round to void"):
        operate(f"table void {table} --reason 'it cannot be paid'", floor, capsys)
    assert "is closed" in operate(f"table void {table} --reason 'and closed' --close", floor, capsys)
    with pytest.raises(FeltlabError, match="this table is closed"):
        operate(f"table void {table} --reason 'and closed' --close", floor, capsys)


def test_a_table_that_closes_is_closed_when_its_round_is_void(stuck, capsys):
    floor, table, ada = stuck
    floor.do(table, CloseTable())
    said = operate(f"table void {table} --reason 'it cannot be paid'", floor, capsys)
    assert said.endswith("everybody has their chips\n")
    assert floor.chips(ada) == LARGEST_AMOUNT


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("table void 77 --reason x", "there is no table 77"),
        ("table void 1 --reason ''", "give a reason of 1 to 200 printable characters"),
    ],
)
def test_what_an_operator_is_refused(stuck, capsys, words, reason):
    with pytest.raises(FeltlabError, match=reason):
        operate(words, stuck[0], capsys)


def test_without_the_key_no_round_is_void_and_no_key_is_made(stuck, capsys, monkeypatch, tmp_path):
    floor, table, _ = stuck
    monkeypatch.delenv("FELTLAB_KEY")
    with pytest.raises(FeltlabError, match="the key that seals shoes is missing"):
        operate(f"table void {table} --reason 'it cannot be paid'", floor, capsys)
    assert not list(tmp_path.glob("*.key"))
    monkeypatch.setenv("FELTLAB_KEY", bytes(32).hex())
    with pytest.raises(FeltlabError, match=f"table {table} is out of order: .*not the key it was sealed with"):
        operate(f"table void {table} --reason 'it cannot be paid'", floor, capsys)
