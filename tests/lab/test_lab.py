"""The lab over HTTP: its figures are the analysis's own, its mistakes have lines, its simulations go on alone."""

import asyncio
import json
import os
import signal
import socket
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from feltlab.analysis import analyse
from feltlab.audit import alternatives, audit
from feltlab.cli import app
from feltlab.client import Client, ServiceError
from feltlab.client.bot import join
from feltlab.lab.error_lines import line_of
from feltlab.sheets import load, load_text
from feltlab.web.queues.turns import Asker
from feltlab.web.sessions.sessions import COOKIE
from support.floor.inside import Inside
from support.postgres import PATIENT

EXAMPLE = Path("docs/examples/perfect-pairs.toml")
PLAY = {"sheet": "bad-beat-blackjack", "decks": 2}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("lab"), practice=True) as found:
        yield found
        found.check()


@pytest.fixture(scope="module")
def ada(server):
    with Client(server.url, patience=PATIENT) as found:
        yield found.guest()


@pytest.fixture
def bea(server):
    with Client(server.url).guest() as found:
        yield found


def ask(client, what, table, **more):
    given = {"sheet": table} if isinstance(table, str) else table
    return client.request("POST", f"/lab/{what}", {"table": given, **more})


def figured(client, table, wager, part="counted"):
    (found,) = ask(client, "figures", table, part=part, wagers=[wager])["wagers"]
    return found


def refused(act, *arguments, **more):
    with pytest.raises(ServiceError) as found:
        act(*arguments, **more)
    return found.value


def mistakes(client, text):
    """What is said of a wrong sheet: the answer's errors."""
    answer = client._http.post(
        "/api/v1/lab/sheets", content=msgspec.json.encode({"text": text}),
        headers={"X-CSRF-Token": client._csrf, "Content-Type": "application/json"},
    )  # fmt: skip
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"]


# ---- sheets and figures


def test_the_built_in_sheets_are_there_for_anybody(server):
    lines = httpx.get(f"{server.url}/api/v1/lab/sheets").json()
    assert [line["id"] for line in lines] == ["bad-beat-baccarat", "bad-beat-blackjack", "big-slick-blackjack"]
    for line in lines:
        about = httpx.get(f"{server.url}/api/v1/lab/sheets/{line['id']}").json()
        assert about["builtin"] and load_text(about["text"], "it").sha256 == line["sha256"] == about["sha256"]
        sheet = load(line["id"])
        assert [wager["id"] for wager in about["wagers"]] == [*sheet.base_ids, *(one.id for one in sheet.side_wagers)]
    assert about["strategies"] == ["basic", "composition"]
    assert httpx.get(f"{server.url}/api/v1/lab/sheets/nothing").status_code == 404


def test_counted_figures_are_those_of_the_analysis(ada):
    answer = ask(ada, "figures", "bad-beat-baccarat", part="counted")
    table = analyse("bad-beat-baccarat")
    assert answer["headline"] == table.setup.headline() and answer["modified"] == []
    assert [one["id"] for one in answer["wagers"]] == list(table.setup.wagers)
    for one in answer["wagers"]:
        figures = table.figures(one["id"])
        for name in ("house_edge", "hit_frequency", "push_frequency", "variance", "standard_deviation", "skewness"):
            assert one[name] == float(getattr(figures, name)), (one["id"], name)
        assert one["total"] == str(figures.law.total) and one["why_not"] is None
        told = [(line["pays"], line["combinations"], line["probability"]) for line in one["lines"]]
        rows = [(text[1], str(row.combinations), float(row.probability)) for text, row in zip(figures.as_text(), figures.rows, strict=True)]  # fmt: skip
        assert told == rows
    assert f"{figured(ada, 'bad-beat-baccarat', 'bad-beat')['house_edge']:.4%}" == "6.8813%"


def test_a_changed_pay_changes_the_figures(ada):
    table = {"sheet": "bad-beat-baccarat", "pays": {"tie/tie": "9:1"}}
    found = figured(ada, table, "tie")
    assert found["house_edge"] == float(analyse("bad-beat-baccarat", pays=table["pays"]).figures("tie").house_edge)
    answer = ask(ada, "figures", table, part="counted", wagers=["tie"])
    assert answer["pays"]["tie"] == {"tie": "9:1"} and len(answer["modified"]) == 1


def test_played_figures_are_those_of_the_analysis(ada):
    bonus = {**PLAY, "strategy": "bonus"}
    found = figured(ada, bonus, "bad-beat", "played")
    assert found["house_edge"] == float(analyse("bad-beat-blackjack", decks=2).figures("bad-beat", "bonus").house_edge)
    assert f"{found['house_edge']:.4%}" == "9.7192%"
    assert found["strategy"] == "bonus" and found["lines"][-1]["id"] == ""
    main = figured(ada, PLAY, "main", "played")
    assert main["house_edge"] == pytest.approx(0.0039159154, abs=1e-9)
    assert main["variance"] is None, "what whole rounds win is in part all"


def test_a_wager_on_hit_cards_has_a_figure_in_each_part(ada):
    table = {"sheet": "big-slick-blackjack", "decks": 2}
    parts = [figured(ada, table, "action-match", part) for part in ("counted", "played")]
    assert [one["known"] for one in parts] == ["up-card", "in-play"]
    assert parts[0]["house_edge"] == float(analyse("big-slick-blackjack", decks=2).figures("action-match").house_edge)


def test_what_cannot_be_figured_says_why(ada):
    found = ask(ada, "figures", {"sheet": "big-slick-blackjack", "strategy": "bonus"}, part="played")["wagers"]
    assert found and all((one["house_edge"] is None) == bool(one["why_not"]) for one in found)
    for table, words in (
        ({"sheet": "bad-beat-baccarat", "decks": 3}, "6 or 8 decks"),
        ({**PLAY, "strategy": "/etc/passwd"}, "no strategy"),
        ({**PLAY, "paytables": ["bad-beat=Q"]}, "no paytable"),
    ):
        error = refused(ask, ada, "figures", table, part="counted")
        assert error.status == 422 and words in str(error)
    assert refused(ask, ada, "figures", "f" * 64).status == 404


# ---- series


def test_series_over_decks_are_single_figures(ada):
    points = ask(ada, "series", "bad-beat-baccarat", wager="bad-beat", over="decks")["points"]
    assert [point["x"] for point in points] == [6, 8]
    for point in points:
        table = {"sheet": "bad-beat-baccarat", "decks": point["x"]}
        assert point["house_edge"] == figured(ada, table, "bad-beat")["house_edge"]


def test_series_over_a_pay_are_linear(ada):
    found = ask(ada, "series", "bad-beat-baccarat", wager="tie", over="pay", line="tie")["points"]
    assert found[0]["x"] == 0 and found[-1]["x"] == 16
    slope = (found[-1]["house_edge"] - found[0]["house_edge"]) / 16
    assert slope == pytest.approx(-figured(ada, "bad-beat-baccarat", "tie")["hit_frequency"])
    for point in found:
        assert point["house_edge"] == pytest.approx(found[0]["house_edge"] + slope * point["x"])
    assert refused(ask, ada, "series", "bad-beat-baccarat", wager="tie", over="pay", line="no").status == 422


def test_series_over_removed_cards_are_the_analysis_without_them(ada):
    points = ask(ada, "series", "bad-beat-baccarat", wager="banker", over="removed")["points"]
    assert [point["label"] for point in points] == list("A23456789TJQK")
    for point in points[::4]:
        table = analyse("bad-beat-baccarat", remove=f"{point['label']}s")
        assert point["house_edge"] == float(table.figures("banker").house_edge)


@pytest.mark.parametrize(
    ("sheet", "wager", "near"), [("bad-beat-baccarat", "tie", 0.01), ("big-slick-blackjack", "big-slick", 0.01)]
)
def test_the_mean_edge_at_a_depth_is_that_of_the_full_shoe(ada, sheet, wager, near):
    points = ask(ada, "series", sheet, wager=wager, over="depth")["points"]
    full = figured(ada, sheet, wager)["house_edge"]
    assert [point["x"] for point in points] == pytest.approx([share / 10 for share in range(1, 10)])
    for point in points[:7]:
        assert point["house_edge"] == pytest.approx(full, abs=near)
        assert point["low"] <= point["house_edge"] <= point["high"] and 0 <= point["share"] <= 1
    assert points[8]["high"] - points[8]["low"] > points[0]["high"] - points[0]["low"]
    assert refused(ask, ada, "series", PLAY, wager="main", over="depth").status == 422


# ---- audit, strategy, copies


def test_the_audit_is_the_audit(server):
    found = httpx.get(f"{server.url}/api/v1/lab/audit/big-slick-blackjack").json()
    sheet = load("big-slick-blackjack")
    findings, others = list(audit(sheet)), list(alternatives(sheet))
    assert [one["verdict"] for one in found["findings"]] == [one.verdict for one in findings]
    assert [tuple(one["computed"]) for one in found["findings"]] == [one.computed for one in findings]
    assert [one["computed"] for one in found["alternatives"]] == [one.computed for one in others]


def test_the_chart_is_that_of_the_command(ada):
    said = CliRunner().invoke(
        app, ["strategy", "bad-beat-blackjack", "--decks", "2", "--strategy", "joint:1", "--json"]
    )
    command = json.loads(said.stdout)
    found = ask(ada, "strategy", PLAY, ratio=1)
    assert found["strategy"] == "joint:1" and found["house_edge"] == command["house_edge"]
    chart = {}
    for row in found["rows"]:
        chart.setdefault(row["kind"], {})[row["label"]] = dict(zip(found["up_cards"], row["codes"], strict=True))
        assert len(row["bonus"]) == 10
    assert chart == command["chart"] and found["hands"] == command["hands"] and found["changes"] == command["bonus"]
    assert (found["cost"], found["deviations"]) == (command["cost"], command["deviations"])
    assert any(code for row in found["rows"] for code in row["bonus"]) and found["meanings"]["H"] == "hit"
    assert ask(ada, "strategy", PLAY)["cost"] is None, "where nothing is played for, nothing is paid for it"
    assert refused(ask, ada, "strategy", "bad-beat-baccarat").status == 422


def test_a_copy_has_the_pays_in_force_and_nothing_else_is_changed(ada):
    table = {"sheet": "bad-beat-blackjack", "paytables": ["bad-beat=P5"], "pays": {"bad-beat/20-beaten": "26:1"}}
    text = ask(ada, "copy", table)["text"]
    before = ada.request("GET", "/lab/sheets/bad-beat-blackjack")["text"]
    changed = [(old, new) for old, new in zip(before.splitlines(), text.splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and changed[0][1] == changed[0][0].replace('20-beaten = "25:1"', '20-beaten = "26:1"')
    about = ada.request("POST", "/lab/sheets", {"text": text})
    assert not about["builtin"]
    mine = {"sheet": about["sha256"], "paytables": ["bad-beat=P5"]}
    one, other = (figured(ada, given, "bad-beat", "played")["house_edge"] for given in (mine, table))
    assert one == other


# ---- one's own sheet


@pytest.mark.parametrize(
    ("wrong", "right", "line", "words"),
    [
        ('settled = "deal"', 'settled = "deal', 10, "TOML"),
        ('settled = "deal"', 'setled = "deal"', 10, "unknown key 'setled'"),
        ('"pair(first, second)"', '"pear(first, second)"', 22, "pear"),
        ('mixed-pair = "6:1"', 'mixed-pear = "6:1"', 26, "mixed"),
        ("decks = [2, 4, 6, 8]", "decks = [2, 4, 6, 9]", 5, "decks"),
        ('mixed-pair = "5:1"', 'mixed-pair = "5-1"', 30, "5-1"),
    ],
)
def test_a_wrong_sheet_is_refused_with_its_line(ada, wrong, right, line, words):
    text = EXAMPLE.read_text()
    assert text.count(wrong) == 1
    (found,) = mistakes(ada, text.replace(wrong, right))
    assert words in found["what"] and found["line"] == line, found


def test_no_line_is_named_where_nobody_knows_it():
    assert line_of(EXAMPLE.read_text(), "something is wrong somewhere") is None


def test_ones_own_sheet_is_figured_dealt_and_played(server, ada):
    text = EXAMPLE.read_text()
    about = ada.request("POST", "/lab/sheets", {"text": text})
    assert ada.request("GET", f"/lab/sheets/{about['sha256']}") == about
    table = {"sheet": about["sha256"], "decks": 8}
    found = figured(ada, table, "perfect-pairs")
    assert found["house_edge"] == float(analyse(str(EXAMPLE), decks=8).figures("perfect-pairs").house_edge)
    run = over(ada, begin(ada, table, 2_000_000, seed=8)["id"])
    assert run["status"] == "done" and run["dealt"] == 2_000_000
    assert all(abs(one["z"]) < 4 for one in run["wagers"] if one["z"] is not None)
    opened = ada.change("POST", "/tables", {"text": text, "decks": 8, "name": "Mine"})["about"]["id"]
    bot = join(server.url, opened, (1,))
    assert bot.play(rounds=1) == 1
    bot.seat.leave()
    bot.seat._client.close()
    assert ada.change("DELETE", f"/tables/{opened}")["now"]["status"] == "closed"


def test_players_open_a_few_tables_and_close_their_own(server, ada, bea):
    mine = [ada.change("POST", "/tables", {"sheet": "bad-beat-baccarat"})["about"]["id"] for _ in range(3)]
    assert "3 tables open" in str(refused(ada.change, "POST", "/tables", {"sheet": "bad-beat-baccarat"}))
    assert refused(bea.change, "DELETE", f"/tables/{mine[0]}").status == 403
    for table in mine:
        ada.change("DELETE", f"/tables/{table}")


# ---- simulations


def begin(client, table, rounds, **more):
    return ask(client, "simulations", table, rounds=rounds, seed=more.pop("seed", 7), **more)


def over(client, id):
    until = time.monotonic() + PATIENT
    while time.monotonic() < until:
        found = client.request("GET", f"/lab/simulations/{id}")
        if found["status"] in ("done", "stopped", "failed"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"the simulation is still {found['status']}")


def test_a_simulation_agrees_with_the_exact_figures_and_is_told_as_it_goes(server, ada):
    run = begin(ada, "bad-beat-baccarat", 3_000_000)
    assert run["status"] in ("waiting", "running") and run["headline"].startswith("8 decks")
    told = []
    with httpx.stream("GET", f"{server.url}/api/v1/lab/simulations/{run['id']}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    assert told[-1]["status"] == "done" and told[-1]["dealt"] == 3_000_000 and told[-1]["history"]
    for one in told[-1]["wagers"]:
        assert one["exact"] == figured(ada, "bad-beat-baccarat", one["id"])["house_edge"]
        assert abs(one["house_edge"] - one["exact"]) < 4 * one["error"] and one["bets"] == 3_000_000
    assert ada.request("GET", "/lab/simulations")[0]["id"] == run["id"]


def test_a_simulation_is_found_by_others_and_stopped_by_its_owner_alone(ada, bea):
    run, waiting = (begin(ada, "bad-beat-baccarat", 1_000_000_000, mode="shoe") for _ in range(2))
    assert bea.request("GET", f"/lab/simulations/{run['id']}")["rounds"] == 1_000_000_000
    assert run["id"] not in [one["id"] for one in bea.request("GET", "/lab/simulations")]
    assert refused(bea.request, "DELETE", f"/lab/simulations/{run['id']}").status == 403
    assert ada.request("GET", f"/lab/simulations/{waiting['id']}")["status"] == "waiting"
    for id in (waiting["id"], run["id"]):
        assert ada.request("DELETE", f"/lab/simulations/{id}")["status"] == "stopped"
    assert refused(bea.request, "GET", "/lab/simulations/0000000000000000").status == 404


@contextmanager
def nothing_dealt(server):
    """Meanwhile somebody else's turn does not end: every simulation waits, however fast the machine is."""
    loop, begun, ended = server.services.worker._loop, Event(), asyncio.Event()

    async def take_a_turn():
        async with server.services.simulations._turns.turn(Asker("nobody", 0)):
            begun.set()
            await ended.wait()

    turn = asyncio.run_coroutine_threadsafe(take_a_turn(), loop)
    assert begun.wait(PATIENT)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(ended.set)
        turn.result(PATIENT)


def test_somebody_has_a_few_simulations_at_a_time(server, bea):
    with nothing_dealt(server):
        runs = [begin(bea, "bad-beat-baccarat", 1000) for _ in range(5)]
        assert "5 simulations of yours" in str(refused(begin, bea, "bad-beat-baccarat", 10))
        for run in runs:
            bea.request("DELETE", f"/lab/simulations/{run['id']}")
    assert refused(begin, bea, {"sheet": "bad-beat-baccarat", "decks": 5}, 10).status == 422


def test_a_guest_has_so_many_rounds_at_a_time(server, bea):
    with nothing_dealt(server):
        runs = [begin(bea, "bad-beat-baccarat", 1_000_000_000, mode="shoe") for _ in range(2)]
        error = refused(begin, bea, "bad-beat-baccarat", 1)
        assert error.status == 409 and "rounds at a time" in str(error)
        for run in runs:
            bea.request("DELETE", f"/lab/simulations/{run['id']}")


# ---- workers


def running(server, lane):
    """A worker of the lab, whose process runs."""
    worker = server.services.laboratory.workers[lane]
    asyncio.run_coroutine_threadsafe(worker.warm(), server.services.worker._loop).result(PATIENT)
    return worker


@contextmanager
def halted(worker):
    """Meanwhile its process does nothing: whoever asks it waits, however fast the machine is."""
    pid = worker.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def asking(*arguments, **more):
    """Somebody asks the lab, and waits for the answer meanwhile."""
    slow = Thread(target=ask, args=arguments, kwargs=more)
    slow.start()
    yield slow
    slow.join(2 * PATIENT)
    assert not slow.is_alive()


def test_a_worker_that_is_killed_is_replaced(server, ada):
    worker = running(server, "counted")
    before = worker.pid
    os.kill(before, signal.SIGKILL)
    found = figured(ada, {"sheet": "bad-beat-baccarat", "remove": "As"}, "tie")
    assert found["house_edge"] == float(analyse("bad-beat-baccarat", remove="As").figures("tie").house_edge)
    assert worker.pid not in (None, before)


def test_a_question_that_takes_too_long_is_given_up(server, ada, monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.laboratory.SECONDS", 0.2)
    error = refused(ask, ada, "series", {"sheet": "bad-beat-blackjack", "decks": 7}, wager="main", over="removed")
    assert error.status == 422 and error.kind == "too-long"
    monkeypatch.undo()
    assert ask(ada, "series", "bad-beat-baccarat", wager="player", over="decks")["points"]


def test_a_question_that_nobody_waits_for_any_more_is_dropped(server, ada, bea, monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.laboratory.SECONDS", PATIENT)
    worker = running(server, "long")
    first, second = ({"sheet": "bad-beat-baccarat", "pays": {"tie/tie": pays}} for pays in ("10:1", "11:1"))
    with asking(ada, "series", first, wager="tie", over="decks") as slow, halted(worker):
        until(lambda: worker.now is not None)
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=PATIENT) as line:
            line.sendall(as_bytes(bea, "series", {"table": second, "wager": "tie", "over": "decks"}))
            until(lambda: worker.waiting == 2)
        until(lambda: worker.waiting == 1)
        assert slow.is_alive(), "the first is still being answered"
    until(lambda: worker.waiting == 0)


def as_bytes(client, what, question):
    """A question as it is sent."""
    body = msgspec.json.encode(question)
    head = (
        f"POST /api/v1/lab/{what} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Cookie: {COOKIE}={client._http.cookies[COOKIE]}\r\nX-CSRF-Token: {client._csrf}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def until(so):
    end = time.monotonic() + PATIENT
    while not so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_counted_figures_do_not_wait_for_play(server, ada, bea, monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.laboratory.SECONDS", PATIENT)
    worker = running(server, "played")
    table = {"sheet": "bad-beat-blackjack", "decks": 5}
    with asking(ada, "figures", table, part="all") as slow, halted(worker):
        until(lambda: worker.now is not None)
        for pays in range(10, 15):
            figured(bea, {"sheet": "bad-beat-baccarat", "pays": {"tie/tie": f"{pays}:1"}}, "tie")
        assert slow.is_alive(), "the counted ones were answered first"


def test_who_is_nobody_asks_nothing(server):
    for path, body in (
        ("figures", {"table": {"sheet": "bad-beat-baccarat"}}),
        ("sheets", {"text": "x"}),
        ("simulations", {"table": {"sheet": "bad-beat-baccarat"}, "rounds": 5}),
    ):
        assert httpx.post(f"{server.url}/api/v1/lab/{path}", json=body).status_code == 401
    assert httpx.delete(f"{server.url}/api/v1/lab/simulations/0000000000000000").status_code == 401
