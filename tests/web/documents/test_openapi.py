"""The OpenAPI document: valid, with examples, and true: what it says of requests and answers is what the service does."""

import copy
import json
import re

import httpx
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as openapi

from feltlab.client import Client
from feltlab.client.bot import join
from feltlab.web.app import API_ROUTES
from feltlab.web.lab.figuring import Figuring
from feltlab.web.sessions.sessions import COOKIE
from support.floor.inside import Inside
from support.service.servers import SHEETS
from support.soak import soak

API = "/api/v1"
EXAMPLES = soak(150, 3)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, Inside(tmp_path_factory.mktemp("openapi"), *SHEETS) as found:
        patch.setattr(Figuring, "_count", no_figures)
        bot = join(found.url, 1, (2,))  # something to look at
        bot.play(2)
        bot.seat._client.close()
        yield found
        found.check()


async def no_figures(*_):
    """They take too long for a test that is about shapes."""
    return {}


@pytest.fixture(scope="module")
def document(server):
    return httpx.get(f"{server.url}{API}/openapi.json").json()


def operations(document):
    return [(path, method, one) for path, several in document["paths"].items() for method, one in several.items()]


def all_refs(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from all_refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from all_refs(value)


def validator(document, name):
    """A validator for one shape, which finds the others in the document."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return jsonschema.Draft202012Validator(schema)


# ---- the document itself


def test_the_document_is_valid(document):
    assert document["openapi"].startswith("3.1")
    assert document["info"]["title"] == "Feltlab" and "Idempotency-Key" in document["info"]["description"]
    schemathesis.openapi.from_dict(document).validate()
    for name, shape in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(shape)
        assert shape.get("description"), name
    schemas = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(all_refs(document)) <= schemas
    assert "prefixItems" not in json.dumps(document), "not every reader knows it"


def test_every_route_is_documented_with_words(document):
    found = {(method.upper(), path) for path, method, _ in operations(document)}
    assert len(API_ROUTES) > 40
    assert found >= {(route.method, route.path) for route in API_ROUTES}
    assert {path for _, path in found} >= {"/healthz", "/readyz", "/metrics"}
    ids = [one["operationId"] for _, _, one in operations(document)]
    assert len(set(ids)) == len(ids)
    tags = {tag["name"] for tag in document["tags"]}
    for path, _, one in operations(document):
        assert one["summary"] and one["description"], path
        assert set(one["tags"]) <= tags
        for parameter in one.get("parameters", []):
            assert parameter["description"], (path, parameter["name"])


def test_every_operation_says_who_may_ask_and_what_can_go_wrong(document):
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    schemes = document["components"]["securitySchemes"]
    assert schemes["session"]["name"] == COOKIE
    for path, method, one in operations(document):
        for status in ("4XX", "503"):
            assert one["responses"][status]["content"] == problem, path
        assert "500" not in one["responses"]
        (needs,) = one.get("security", [{}])
        if method != "get" and path not in {f"{API}/{begin}" for begin in ("guests", "accounts", "sessions")}:
            assert set(needs) == {"session", "csrf"}, (method, path)
        assert set(needs) <= set(schemes)


def test_every_body_and_every_answer_has_an_example_that_fits(document):
    shapes = document["components"]["schemas"]

    def named(schema):
        return (schema.get("items", schema)).get("$ref", "").rpartition("/")[2]

    for path, _, one in operations(document):
        bodies = [one["requestBody"]] if "requestBody" in one else []
        for said in [*bodies, *one["responses"].values()]:
            for media, content in said.get("content", {}).items():
                name = named(content["schema"])
                examples = shapes[name]["examples"] if name else content["schema"].get("examples")
                if media != "text/plain":
                    assert examples, (path, media)
                for example in examples or []:
                    if name:
                        validator(document, name).validate(example)


def test_lists_are_lists_and_streams_are_streams(document):
    def answer(path, status="200"):
        return document["paths"][API + path]["get"]["responses"][status]["content"]

    assert answer("/tables")["application/json"]["schema"]["type"] == "array"
    assert answer("/me/rounds")["application/json"]["schema"]["type"] == "array"
    assert list(answer("/tables/{table}/events")) == ["text/event-stream"]
    assert "content" not in document["paths"][f"{API}/sessions"]["delete"]["responses"]["204"]


def test_examples_of_tables_can_be_opened(server, document):
    with server.house() as house:
        for example in document["components"]["schemas"]["NewTable"]["examples"]:
            assert house.change("POST", "/tables", example)["about"]["sheet"] == example["sheet"]


def test_the_document_names_no_place_but_this_server(document):
    text = json.dumps(document)
    assert not re.search(r"https?://", text)
    assert [one["url"] for one in document["servers"]] == ["/"]


# ---- and the service


def as_nobody(server):
    return {}


def as_guest(server):
    with Client(server.url).guest() as guest:
        return _session(guest)


def as_player(server):
    """Somebody with chips, at every table that has a place."""
    with Client(server.url).guest() as guest:
        guest.buy_chips(10_000_000)
        for table in (1, 2, 3):
            free = next(line for line in guest.tables() if line["id"] == table)["free"]
            if free:
                guest.sit(table, free[:1], 1_000_000)
        return _session(guest)


def as_house(server):
    with server.house() as house:
        return _session(house)


def _session(client):
    return {"headers": {"X-CSRF-Token": client._csrf}, "cookies": {COOKIE: client._http.cookies[COOKIE]}}


# A sheet, a table or a turn can be refused although its shape is right; the reason is in the answer.
CHECKS = [
    not_a_server_error,
    openapi.status_code_conformance,
    openapi.content_type_conformance,
    openapi.response_headers_conformance,
    openapi.response_schema_conformance,
    openapi.negative_data_rejection,
    openapi.missing_required_header,
    openapi.unsupported_method,
    openapi.allow_header_conformance,
]


EVERY = [(role, mode) for role in (as_nobody, as_player, as_house) for mode in GenerationMode]
PART = [(as_nobody, GenerationMode.POSITIVE), (as_player, GenerationMode.POSITIVE), (as_house, GenerationMode.NEGATIVE)]


@pytest.mark.parametrize(("role", "mode"), soak(EVERY, PART))
def test_requests_of_every_shape_are_answered_as_the_document_says(server, document, role, mode):
    session, seen = role(server), set()
    if session:  # then it is right, whatever else is wrong with a request
        document = copy.deepcopy(document)
        for _, _, one in operations(document):
            one.pop("security", None)
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=server.url)
    schema.config.checks.negative_data_rejection.expected_statuses = ["4xx"]

    def attempt(operation):
        @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(case=operation.as_strategy(generation_mode=mode))
        def run(case):
            given_ = as_guest(server) if operation.definition.raw["operationId"] == "log_out" and session else session
            answer = case.call_and_validate(checks=CHECKS, timeout=120, **given_)
            assert answer.status_code < 500, "the database is there"
            seen.add(answer.status_code)

        run()

    for result in schema.exclude(path_regex="/events$").get_all_operations():
        operation = result.ok()
        try:
            attempt(operation)
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE  # nothing about it can be wrong
    assert seen >= ({200} if mode is GenerationMode.POSITIVE else {400, 422})
