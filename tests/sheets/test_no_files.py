"""Nothing that stands in a sheet, or comes over HTTP, makes a file be opened: only a command's own options do."""

import ast
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

import msgspec
import pytest
from msgspec.structs import replace

import feltlab
from feltlab import jurisdictions
from feltlab.analysis import analyse
from feltlab.audit import alternatives, audit
from feltlab.client import Client
from feltlab.errors import FeltlabError, SheetError
from feltlab.exact.reachable import check_reachable
from feltlab.floor.house.config import Wish, configure
from feltlab.lab.dealing import deal
from feltlab.lab.dealing_shapes import NewSimulation, SheetTable, SimulationJob
from feltlab.lab.questions import LabQuestion, answer_to
from feltlab.rounds.conformance import check_sheet
from feltlab.sheets import builtin, load_text
from feltlab.sheets.loader import builtin_text
from feltlab.strategy import load_chart, parse_chart, parse_strategy
from feltlab.strategy.chart_text import HERE as CHARTS
from feltlab.tables import TableChoice
from support.floor.inside import Inside

pytestmark = pytest.mark.slow

SECRET = "f00dfeedbeef0123456789"
PACKAGE = Path(feltlab.__file__).parent
CLAIM = """
id = "x"
name = "X"
game = "blackjack"

[[claim]]
wager = "{wager}"
figure = "house-edge"
source = "s"
strategy = '''{strategy}'''
values = {{ standard = "1%" }}

[[wager]]
id = "w"
name = "W"
settled = "deal"

[[wager.line]]
name = "P"
when = "pair(first, second)"
pays = "11:1"
"""
PLAYED = CLAIM.replace('settled = "deal"\n', "").replace("pair(first, second)", "total == 20 and cards > 2")


@pytest.fixture
def secret(tmp_path, monkeypatch):
    """A file that nobody but its owner should learn of, in the folder that a server runs in."""
    file = tmp_path / "server.key"
    file.write_text(SECRET)
    monkeypatch.chdir(tmp_path)
    return file


def ways_to_say(file):
    """Paths of a file: absolute, relative, and in the form of a strategy with something after it."""
    return [
        str(file),
        file.name,
        f"./{file.name}",
        f"../{file.parent.name}/{file.name}",
        "/etc/hostname",
        "/proc/self/cmdline",
    ]


_watched: dict[int, list[str]] = {}


def _hook(event, arguments):
    if event == "open" and get_ident() in _watched and isinstance(arguments[0], str | bytes):
        path = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode(errors="replace")
        _watched[get_ident()].append(path)


sys.addaudithook(_hook)


@contextmanager
def only_own_files():
    """Fail where this thread opens a file beyond the package, the interpreter and what is compiled."""
    _watched[get_ident()] = opened = []
    try:
        yield
    finally:
        del _watched[get_ident()]
    own = [str(PACKAGE), sys.prefix, sys.base_prefix, "/proc/self/status", "/usr/lib", str(Path.home() / ".cache")]
    foreign = [path for path in opened if not any(str(Path(path).absolute()).startswith(start) for start in own)]
    assert foreign == []


def test_the_watch_sees(secret):
    with pytest.raises(AssertionError), only_own_files():
        secret.read_text()


def test_a_claim_over_http_reads_no_file(secret):
    """The attack: an audit that quoted the first word of the server's key."""
    (secret.parent / "data").mkdir()
    with Inside(secret.parent / "data", practice=True) as server, Client(server.url).guest() as guest:
        for path in ways_to_say(secret):
            for wager in ("main", "w"):
                answer = guest._http.post(
                    "/api/v1/lab/sheets",
                    content=msgspec.json.encode({"text": CLAIM.format(wager=wager, strategy=path)}),
                    headers={"X-CSRF-Token": guest._csrf, "Content-Type": "application/json"},
                )
                assert answer.status_code == 422 and SECRET not in answer.text
                assert answer.json()["errors"][0]["what"].startswith(
                    f"claim on '{wager}', strategy: there is no strategy"
                )
        for path in ways_to_say(secret):
            for what, more in (("figures", {}), ("strategy", {}), ("series", {"wager": "main", "over": "decks"})):
                with pytest.raises(FeltlabError) as error:
                    guest.request(
                        "POST",
                        f"/lab/{what}",
                        {"table": {"sheet": "bad-beat-blackjack", "strategy": path[:60]}, **more},
                    )
                assert "there is no strategy" in str(error.value) and SECRET not in str(error.value)


@pytest.mark.parametrize(
    "name", ["server.key", "joint", "joint:x", "joint:1:2:3", "basic:1", "bonus:a:b", "", "bonus:nope"]
)
def test_a_claim_is_for_a_computed_strategy(name):
    with pytest.raises(SheetError, match="claim on 'w', strategy:|'strategy' is empty"):
        load_text(CLAIM.format(wager="w", strategy=name), "x.toml")
    if name != "bonus:nope":
        with pytest.raises(FeltlabError):
            parse_strategy(name)


def test_a_claim_for_a_computed_strategy_is_fine():
    for name in ("basic", "composition", "bonus", "bonus:w", "joint:0.5", "joint:w:0.5"):
        assert load_text(CLAIM.format(wager="w", strategy=name), "x.toml").file.claim[0].strategy == name


@pytest.mark.parametrize("text", [CLAIM, PLAYED], ids=["counted", "played"])
def test_no_entry_to_the_lab_opens_a_file_by_a_name(secret, text):
    """Every place that takes a name is given a path of a file that is there."""
    analyse("bad-beat-blackjack", decks=1).figures("bad-beat")  # what is compiled and imported once
    whole = builtin_text("bad-beat-blackjack")
    for path in ways_to_say(secret):
        claimed = text.format(wager="main", strategy=path)
        fields = {"option": path, "paytables": [path], "rules": {path: path}, "pays": {path: path}, "offered": [path]}

        def simulation(**choices) -> NewSimulation:
            return NewSimulation(SheetTable(sheet="bad-beat-blackjack", **choices), rounds=10, seed=1)

        choices = [TableChoice(strategy=path), TableChoice(remove=path)]
        choices += [TableChoice(strategy=f"{word}:{path}") for word in ("bonus", "joint")]
        choices += [replace(TableChoice(), **{name: value}) for name, value in fields.items()]
        questions = [LabQuestion(ask, claimed) for ask in ("about", "check", "audit")]
        questions += [
            LabQuestion(ask, whole, table=choice, wager="main", wagers=[path], line=path)
            for choice in choices
            for ask in ("figures", "series", "strategy", "copy", "coach")
        ]
        questions += [LabQuestion(ask, path) for ask in ("about", "check", "audit")]
        wishes = [Wish(sheet=path), Wish(text=path), Wish(text=claimed), Wish("bad-beat-blackjack", jurisdiction=path)]
        wishes += [replace(Wish("bad-beat-blackjack"), **{name: value}) for name, value in fields.items()]
        wishes.append(Wish("bad-beat-blackjack", limits={path: (1, 2)}))
        questions += [LabQuestion("open", wish.text, wish=wish) for wish in wishes]
        with only_own_files():
            for question in questions:
                assert SECRET.encode() not in msgspec.json.encode(answer_to(question))
            for wish in wishes:
                with suppress(FeltlabError):
                    configure(wish)
            for act in (
                builtin, builtin_text, jurisdictions.builtin, lambda path: load_text(path, path),
                lambda path: deal(SimulationJob(whole, simulation(strategy=path)), lambda report: None),
                lambda path: analyse("bad-beat-blackjack", decks=1).figures("main", path),
                lambda path: analyse("bad-beat-blackjack", decks=1).play(path),
            ):  # fmt: skip
                with pytest.raises(FeltlabError) as error:
                    act(path)
                assert SECRET not in str(error.value)


def test_what_a_sheet_is_put_through_opens_no_file(secret):
    """From its text to its audit, with a path for every name that it may choose itself."""
    text = CLAIM.format(wager="w", strategy="basic").replace('"s"', f'"{secret}"').replace('"X"', f'"{secret}"')
    text = text.replace('name = "P"', f'name = "{secret}"').replace('"1%"', '"1%"\nnote = "server.key"')
    text = text.replace('values = { standard = "1%"\nnote = "server.key" }', 'values = { standard = "1%" }')
    with only_own_files():
        sheet = load_text(text, str(secret))
        check_reachable(sheet)
        check_sheet(sheet, rounds=1)
        assert list(audit(sheet)) and not list(alternatives(sheet))
        assert answer_to(LabQuestion("about", text))


def test_only_commands_read_by_path():
    """No module of the service, and nothing that it stands on, has a function at hand that takes a path or a name."""
    readers = {"feltlab.sheets", "feltlab.sheets.loader", "feltlab.jurisdictions", "feltlab.jurisdictions.profile"}
    readers |= {"feltlab.strategy", "feltlab.strategy.chart_text"}
    for folder in ("web", "floor", "lab", "exact", "rounds", "tables", "hands", "simulate", "client"):
        assert (PACKAGE / folder).is_dir()
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            tree = ast.parse(file.read_text())
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module in readers:
                    assert not {"load", "load_chart"} & {name.name for name in node.names}, file
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr in ("load", "load_chart")
                    and isinstance(node.value, ast.Name)
                ):
                    assert node.value.id not in ("jurisdictions", "sheets", "strategy", "loader", "chart_text"), file


def test_a_chart_of_ones_own_is_read_first(tmp_path):
    """A program reads the file itself, and hands over the chart."""
    file = tmp_path / "mine.txt"
    file.write_text((CHARTS / "decks-1-s17.txt").read_text())
    table = analyse("bad-beat-blackjack", decks=1)
    mine = table.play(load_chart(str(file)))
    assert str(mine.strategy) == str(file) and table.figures("main", load_chart(str(file))).law.strategy == str(file)


def test_of_what_is_no_chart_nothing_is_quoted(secret):
    for text in (
        SECRET,
        f"{SECRET}\n" * 20,
        f"token {SECRET}",
        f"hand {SECRET}",
        "root:x:0:0:root:/root:/bin/bash\n",
        "A 2 3\n" + SECRET,
    ):
        secret.write_text(text)
        with pytest.raises(SheetError) as error:
            load_chart(str(secret))
        assert (
            str(error.value)
            == f"{secret} is not a chart: it has no row that begins with hard, soft or pair, such as 'hard 16'"
        )
    with pytest.raises(SheetError, match="line 2: 'Q9' is not a card"):
        parse_chart("2 3\nQ9\nhard 16 S S", "own")
