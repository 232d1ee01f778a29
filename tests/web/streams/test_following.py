"""Streams: how many somebody may follow, and that they end with the session that they were begun in."""

from contextlib import ExitStack

import httpx
import pytest

from feltlab.client import Client
from feltlab.floor.people import people
from feltlab.floor.storage.database import writing
from feltlab.floor.tables.live import Person
from feltlab.lab.dealing_shapes import NewSimulation, SheetTable, SimulationJob
from feltlab.web.lab.simulations import HostedSimulation
from feltlab.web.sessions import sessions
from feltlab.web.sessions.sessions import COOKIE
from feltlab.web.streams import following
from support.floor.inside import Inside
from support.service.requests import API, problem
from support.waiting import comes

PATIENT = httpx.Timeout(120)


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "LOOK_SECONDS", 3600)  # what ends a stream here is not that somebody looked
    with Inside(tmp_path, "bad-beat-blackjack", streams_by_person=3, connections_by_address=8) as found:
        yield found


def simulation(server):
    """A simulation that is never begun."""
    made = HostedSimulation(
        SimulationJob("", NewSimulation(SheetTable(sheet=""), 10, 1)), Person(0, "guest", "somebody")
    )
    server.services.simulations._known[made.id] = made
    return f"{API}/lab/simulations/{made.id}/events"


def both(server):
    return [f"{API}/tables/1/events", simulation(server)]


def followed(stack, url, path, cookies=None):
    """A stream that has begun."""
    web = stack.enter_context(httpx.Client(base_url=url, cookies=cookies, timeout=PATIENT))
    answer = stack.enter_context(web.stream("GET", path))
    assert answer.status_code == 200, answer.read()
    lines = answer.iter_lines()
    stack.callback(lines.close)  # it ends with its last reader
    assert next(lines).startswith("retry")
    return lines


def test_a_stream_ends_when_its_session_logs_out(server):
    with Client(server.url).guest() as ada, Client(server.url).guest() as bea, ExitStack() as stack:
        streams = [followed(stack, server.url, path, ada._http.cookies) for path in both(server)]
        others = followed(stack, server.url, both(server)[0], bea._http.cookies)
        ada.request("DELETE", "/sessions")
        for lines in streams:
            list(lines)  # comes to its end, and is not cut off
        bea.buy_chips(1000)
        bea.sit(1, [1], 1000)
        assert any("sat-down" in line or "spots" in line for line in others if line.startswith("data"))
        comes(lambda: len(server.services.followers._of) == 1, "those who are gone are forgotten")


@pytest.mark.parametrize("how", ["elsewhere", "by itself"])
def test_a_stream_ends_with_a_session_that_ended_out_of_sight(tmp_path, monkeypatch, how):
    """At another server, or because its time was up."""
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.05)
    with (
        Inside(tmp_path, "bad-beat-blackjack") as server,
        Client(server.url).guest() as ada,
        ExitStack() as stack,
    ):
        token = ada._http.cookies[COOKIE]
        streams = [followed(stack, server.url, path, ada._http.cookies) for path in both(server)]
        if how == "elsewhere":
            with writing(server.services.engine) as db:
                people.end_session(db, token)
        else:
            monkeypatch.setattr(following, "clock", lambda: people.DAY * 365 * 1000)
        for lines in streams:
            list(lines)


def test_a_session_is_looked_for_as_often_as_the_page_says():
    assert 2 * following.LOOK_SECONDS <= sessions.REMEMBERED_SECONDS == 30


def test_somebody_follows_only_so_many(server):
    with Client(server.url).guest() as ada, Client(server.url).guest() as bea, ExitStack() as stack:
        first = ExitStack()
        for path in both(server):
            followed(first, server.url, path, ada._http.cookies)
        followed(stack, server.url, both(server)[0], ada._http.cookies)
        for path in both(server):
            answer = ada._http.get(path)
            assert "you follow 3 streams" in problem(answer, 429)["detail"]
        followed(stack, server.url, both(server)[0], bea._http.cookies)
        first.close()
        comes(lambda: sum(map(len, server.services.followers._of.values())) == 2, "the places are free again")
        followed(stack, server.url, both(server)[0], ada._http.cookies)


def test_an_address_follows_only_so_many(tmp_path):
    """However many guests it makes; through a proxy the address is the client's."""
    given = {"trusted_proxies": ("127.0.0.1",), "connections_by_address": 4, "streams_by_person": 3}
    with Inside(tmp_path, "bad-beat-blackjack", **given) as server, ExitStack() as stack:

        def follow(client, address):
            headers = {"X-Forwarded-For": address}
            return stack.enter_context(client._http.stream("GET", f"{API}/tables/1/events", headers=headers))

        guests = [stack.enter_context(Client(server.url).guest()) for _ in range(5)]
        assert [follow(guest, "203.0.113.5").status_code for guest in guests] == [200] * 4 + [429]
        assert follow(guests[4], "203.0.113.6").status_code == 200


def test_an_unstarted_stream_counts_no_more(server):
    """Who is gone before the first event holds no place."""
    with Client(server.url).guest() as ada:
        for _ in range(10):
            with httpx.Client(base_url=server.url, cookies=ada._http.cookies, timeout=PATIENT) as web:
                web.stream("GET", f"{API}/tables/1/events").__enter__()
            comes(lambda: not server.services.followers._of, "it holds a place")
        assert not server.services.followers._many
