"""The table of limits on the page for operators says what the program does."""

import inspect
import re
from pathlib import Path

from typer.models import OptionInfo

from feltlab.cli.serve import serve
from feltlab.web import readiness, server
from feltlab.web.connections import held, listening, protocol, troubles
from feltlab.web.http import guard, limits
from feltlab.web.sessions import sessions
from feltlab.web.settings import Settings
from support.paths import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()
SAID = Settings("")
PATIENCE = SAID.patience
ROWS = {
    "log-ins of an address": f"{SAID.logins_per_minute:g} a minute",
    "guests and accounts that an address makes": f"{SAID.arrivals_per_minute:g} a minute, apart from log-ins",
    "passwords and second factors that a person changes, or an address": f"{SAID.logins_per_minute:g} a minute",
    "chips that a person buys": f"{SAID.purchases_per_minute:g} times a minute",
    "tables that players open from an address": f"{SAID.tables_per_hour:g} an hour",
    "changes of a person, or of an address without a session": f"{SAID.writes_per_second:g} a second, {SAID.writes_at_once} at once",
    "what a person reads, or an address without a session": f"{SAID.reads_per_second:g} a second, {SAID.reads_at_once} at once",
    "people and addresses that a limit remembers": f"{limits.MOST_KNOWN:,}",
    "sessions that are remembered": f"{sessions.MOST_REMEMBERED:,}, each for {sessions.REMEMBERED_SECONDS:g} seconds",
    "connections in all": f"{SAID.most_connections:,}, and {held.KEPT_FREE} fewer than the process may have descriptors",
    "connections of an address": f"{SAID.connections_by_address}, and never more than half of all",
    "streams of an address": f"{SAID.connections_by_address}",
    "streams of a person": f"{SAID.streams_by_person}",
    "a request's headers": f"{PATIENCE.head:g} seconds, {protocol.LARGEST_HEAD // 1024} kB",
    "the body of a change": f"{PATIENCE.body:g} seconds, {guard.LARGEST_BODY // 1024} kB",
    "what is left of a request after its answer": f"{PATIENCE.rest:g} seconds, {protocol.LARGEST_READ // 1024**2} MB",
    "a connection without a request": f"{PATIENCE.idle:g} seconds",
    "a client that takes nothing of what is sent": f"{PATIENCE.stall:g} seconds",
    "what the system keeps for a client that takes nothing": f"{server.SEND_BUFFER // 1024} kB",
    "an address (URL)": f"{guard.LONGEST_URL:,} characters",
    "headers that may be said once, said twice": "",
}


def test_the_table_says_what_the_limits_are():
    table = PAGE.partition("## Limits")[2].partition("\n## ")[0]
    said = {name.strip(): much.strip() for name, much, _ in re.findall(r"^\|([^|]*)\|([^|]*)\|([^|]*)\|$", table, re.M)}
    assert {name: much for name, much in said.items() if name not in ("limit", "---")} == ROWS
    assert f"at most one line of a kind in\n{troubles.BETWEEN_LINES:g} seconds" in table
    assert listening.TRY_AGAIN_SECONDS == 0.5 and "every half second" in table
    assert readiness.WRITE_SECONDS == 1 and "at most once a second" in PAGE
    assert f"must\nhave {readiness.LEAST_FREE // 1024**2} MB left" in PAGE


def test_the_command_sets_no_other_limits_by_itself(monkeypatch):
    """What `feltlab serve` hands on, when it is told nothing, are the limits of the table."""
    handed = []
    monkeypatch.setattr(server, "serve", lambda settings, say: handed.append(settings))
    monkeypatch.setattr("feltlab.web.logs.set_up", lambda level: None)
    given = {}
    for name, parameter in inspect.signature(serve).parameters.items():
        assert not isinstance(parameter.default, OptionInfo)
        given[name] = parameter.default
    serve(**{**given, "db": ""} | {"db": "sqlite:///felt.db"})
    assert handed == [Settings("sqlite:///felt.db")]


def test_every_trouble_has_words_and_every_metric_is_on_the_page():
    for name in ("feltlab_troubles_total", "feltlab_connections", "feltlab_requests_total", "feltlab_followers"):
        assert f"| `{name}` |" in PAGE
    sources = "".join(Path(module.__file__).read_text() for module in (protocol, guard, listening, held))
    noted = set(re.findall(r'note\(\n?\s*"([a-z-]+)"', sources)) | set(re.findall(r'_make\("([a-z-]+)"', sources))
    assert noted | {"streams"} == set(troubles.WORDS)
