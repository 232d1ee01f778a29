"""The page asks for far less than somebody may read: its limit is for programs that mean no good."""

from collections import Counter

import pytest

from feltlab.web.settings import Settings
from support.floor.inside import Inside

AS_SERVED = {name: getattr(Settings(""), name) for name in ("reads_per_second", "reads_at_once", "streams_by_person")}
ROOMS = ("/", "/tables/1", "/history", "/account", "/lab", "/lab/bad-beat-blackjack")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("reads"), "bad-beat-blackjack", practice=True, **AS_SERVED) as found:
        yield found


def test_who_runs_through_all_rooms_is_far_from_the_limit(server, visit):
    """Every room is loaded anew, with all its files: even so a room is a small part of what may be read at once."""
    ada = visit()
    asked, refused = Counter(), []
    room = ""
    ada.page.on("request", lambda sent: asked.update([room]))
    ada.page.on("response", lambda answer: answer.status == 429 and refused.append(answer.url))
    for room in ROOMS * 2:
        ada.page.goto(server.url + room, wait_until="load")
        ada.page.wait_for_timeout(0)
    assert refused == [] and set(asked) == set(ROOMS)
    for room in ROOMS:
        assert asked[room] / 2 * 10 < AS_SERVED["reads_at_once"], (room, asked[room])
