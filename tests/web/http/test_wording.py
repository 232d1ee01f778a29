"""What people are told of wrong data: a plain sentence for every kind of mistake, and never a library's own words."""

import json
import re

import httpx
import msgspec
import pytest

from feltlab.client import Client, ServiceError
from feltlab.errors import FeltlabError, Refused, SheetError, plain_words, with_place
from feltlab.lab.dealing_shapes import SheetTable
from feltlab.rounds.commands import Act, validated
from feltlab.rounds.round import decode
from feltlab.sheets import load_text
from feltlab.web.app import API_ROUTES
from feltlab.web.http.shapes import Mistake, Mistakes
from feltlab.web.http.wording import MOST_MISTAKES, detail_of, said, status_words
from support.floor.inside import Inside

BODIES = {route.body for route in API_ROUTES if route.body}
LONG = "x" * 70_000
WRONG = [None, True, -5, 0, 1.5, 10**30, "", "abc", "no such thing!", "\ud800", LONG, [], [1], ["x"] * 500, [LONG], [[]], {}, {"": 1}, {"\ud800": 1}, {"x": LONG}, {"x": -1}, {"x": [1, 2, 3]}, {"y" * 200: "z"}, {str(n): 1 for n in range(500)}]  # fmt: skip
SPEAKS_ENGLISH = re.compile(r"[a-z][a-z0-9 ,;.'-]+", re.IGNORECASE)


def is_raw(text):
    """Has it the words in which the libraries speak?"""
    return re.search(
        r"input|valid|should|field|pydantic|pattern|instance|required|permitted|characters|`|\$", text, re.IGNORECASE
    )


def provoked():
    """Each mistake that a body's fields can have."""
    found = Mistakes()
    for shape in BODIES:
        fields = shape.kind.__struct_fields__
        tries = [{name: value} for name in fields for value in WRONG]
        tries += [{"table": {name: value}} for name in SheetTable.__struct_fields__ for value in WRONG if "table" in fields]  # fmt: skip
        for body in [{}, {"unknown": 1}, [], "text", 3, *tries]:
            before = len(found)
            read = shape.read(json.loads(json.dumps(body)), ("body",), found)
            assert (read is None) == (len(found) > before), body
    return found


SENTENCES = [
    "this is missing", "nothing of this name is known here", "expected a whole number", "expected a number", "expected a text",
    r"expected a text of at most [\d,]+ letters", r"expected a text of [\d,]+ letters? or more", "there is nothing of this name",
    "expected a list", "expected names with values", r"expected at most [\d,]+ entries", r"expected [\d,]+ entr(y|ies) or more",
    "expected fresh or shoe", r"expected a number of at least [\d,]+", r"expected a number of at most [\d,]+",
    "expected a text whose letters can be written",
]  # fmt: skip


def test_every_mistake_in_a_body_has_a_plain_sentence():
    whats = {mistake.what for mistake in provoked()}
    for sentence in SENTENCES:
        assert any(re.fullmatch(sentence, what) for what in whats), sentence
    for what in whats:
        assert SPEAKS_ENGLISH.fullmatch(what) and not is_raw(what), what


def test_what_is_wrong_is_not_said_again():
    """It may be a password, or as long as can be."""
    for mistake in provoked():
        assert "such thing" not in mistake.what and len(mistake.what) < 200
        assert all(len(str(part)) <= 60 for part in mistake.at) and json.dumps(said([mistake])).encode()


def test_mistakes_are_counted_all():
    wrong = [Mistake(("body", f"x{n}"), "this is missing") for n in range(12)]
    assert len(said(wrong)) == MOST_MISTAKES
    assert said(wrong)[0] == {"at": "body.x0", "what": "this is missing"}
    assert detail_of(wrong) == "x0: this is missing (the first of 12 mistakes)"
    assert detail_of(wrong[:1]) == "x0: this is missing"
    assert status_words(404, "GET") == "there is nothing at this address"
    assert status_words(405, "POST") == "this address does not take POST"


# ---- over HTTP


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("wording"), "bad-beat-blackjack", practice=True) as found:
        yield found


def test_what_a_client_is_told(server):
    simulation = {"table": {"sheet": "bad-beat-baccarat"}, "rounds": -5, "seed": 1}
    with Client(server.url).guest() as guest:

        def told(path, body):
            with pytest.raises(ServiceError) as error:
                guest.change("POST", path, body)
            return str(error.value)

        assert "rounds: expected a number of at least 1" in told("/lab/simulations", simulation)
        assert "rounds: expected a whole number" in told("/lab/simulations", {**simulation, "rounds": "abc"})
        assert "amount: expected a number of at most 100,000,000,000" in told("/me/chips", {"amount": 10**30})
        assert "spots: expected 1 entry or more" in told("/tables/1/seat", {"spots": [], "chips": 100})
        assert "mode: expected fresh or shoe" in told("/lab/simulations", {**simulation, "rounds": 5, "mode": "fast"})
        assert "(the first of 2 mistakes)" in told("/lab/simulations", {"table": simulation["table"], "mode": 1})


@pytest.mark.parametrize("path", ["/api/v1/tables/abc", "/api/v1/tables/0", "/api/v1/me/rounds?most=abc", "/api/v1/nothing", "/api/v1/lab/sheets/a%20b", "/api/v1/lab/simulations/x"])  # fmt: skip
def test_what_an_address_is_told(server, path):
    with Client(server.url).guest() as guest:
        answer = guest._http.get(f"{server.url}{path}")
    told = answer.json()
    assert answer.status_code in (404, 422)
    assert not is_raw(told["detail"].partition(": ")[2] or told["detail"]), told
    assert all(not is_raw(one["what"]) for one in told.get("errors", ()))
    assert httpx.delete(f"{server.url}/api/v1/tables").json()["detail"] == "this address does not take DELETE"


# ---- what msgspec says: of sheets, of commands


class Example(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    text: str = ""
    many: list[str] | str = ""
    pair: tuple[int, int] = (1, 2)
    named: dict[str, int] = {}


OF_MSGSPEC = ["{", "[", "3", '"a"', "{}", '{"number": 1.5}', '{"number": null}', '{"number": true}', '{"number": 1, "x": 1}', '{"number": 1, "pair": [1]}', '{"number": 1, "many": 3}', '{"number": 1, "named": {"a": "b"}}', '{"number": 1} x', "\x00"]  # fmt: skip


@pytest.mark.parametrize("text", OF_MSGSPEC)
def test_msgspecs_words_are_plain(text):
    with pytest.raises(msgspec.MsgspecError) as error:
        msgspec.json.decode(text, type=Example)
    for words in (plain_words(str(error.value)), with_place(str(error.value))):
        assert not re.search(
            r"`|\$|Expected|Object|malformed|Invalid|truncated|\b(str|int|float|bool|array)\b", words
        ), words


def test_commands_and_sheets_say_it_plainly():
    with pytest.raises(Refused, match=r"^this is not a command: action: expected a text, not a whole number$"):
        validated(Act(1, 3))
    with pytest.raises(FeltlabError, match=r"^this is not the log of a round: it ends too early$"):
        decode(b"[")
    with pytest.raises(SheetError, match="name: expected a text, not a whole number"):
        load_text('id = "mine"\nname = 3\ngame = "blackjack"\n', "mine")
