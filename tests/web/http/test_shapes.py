"""How bodies are read: once, strictly, and with every mistake at its place."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Struct

from feltlab.bounds import Between, Length, Pattern, Word
from feltlab.web.http.problems import Problem
from feltlab.web.http.routing import In, Routes
from feltlab.web.http.shapes import Mistakes, components, shape_of
from feltlab.web.http.strict import read_body, too_deep
from feltlab.web.routes.bodies import Move, NewTable

STORED = (
    '{"sheet":"bad-beat-blackjack","text":"","name":"é","limits":{"main":[500,50000]},"jurisdiction":null,"rounding":"down",'
    '"coin":1,"behind_cut":null,"burn":1,"seats":null,"decision_seconds":30,"betting_seconds":20,"decks":6,"option":"2",'
    '"paytables":[],"rules":{},"offered":["x"],"pays":{"a/b":"1:1"},"remove":"","strategy":"basic"}'
)


def read(kind, value):
    mistakes = Mistakes()
    found = shape_of(kind).read(value, (), mistakes)
    return found, {".".join(map(str, at)): what for at, what in mistakes}


def test_what_was_asked_with_a_key_is_encoded_as_it_always_was():
    """Its digest is stored: a request sent again after an update is still the same request."""
    body = b'{"name":"\xc3\xa9","sheet":"bad-beat-blackjack","decks":6,"option":"2","limits":{"main":[500,50000]},"pays":{"a/b":"1:1"},"offered":["x"]}'
    table, wrong = read(NewTable, read_body(body, "application/json"))
    assert not wrong and msgspec.json.encode(table).decode() == STORED


def test_every_mistake_is_said_in_the_order_of_the_fields():
    found, wrong = read(Move, {"unknown": 1, "side": {"big-slick": -1, "x" * 61: 5}, "spot": 1.0})
    assert found is None
    assert list(wrong.items()) == [
        ("turn", "this is missing"),
        ("spot", "expected a whole number"),
        ("action", "this is missing"),
        (f"side.{'x' * 60}.[key]", "expected a text of at most 60 letters"),
        ("side.big-slick", "expected a number of at least 0"),
        ("unknown", "nothing of this name is known here"),
    ]


@pytest.mark.parametrize("value", [True, 1.0, "1", None, [1], {"a": 1}, 10**30, -1])
def test_a_whole_number_is_one_and_within_its_bounds(value):
    assert read(Annotated[int, Between(0, 9)], value)[1]


def test_a_number_may_be_written_either_way():
    found, wrong = read(Annotated[float, Between(0, 9)], 3)
    assert not wrong and found == 3.0 and type(found) is float
    assert read(Annotated[float, Between(0, 9)], "3")[1] == {"": "expected a number"}


def test_a_pair_is_a_list_of_two():
    pair = tuple[Annotated[int, Between(0, 9)], Annotated[int, Between(0, 9)]]
    assert read(pair, [1, 2]) == ((1, 2), {})
    assert read(pair, [1])[1] == {"": "expected 2 entries or more"}
    assert read(pair, [1, 2, 3])[1] == {"": "expected at most 2 entries"}


def test_a_pattern_fits_the_whole_text():
    plain = Annotated[str, Pattern("[a-z]+")]
    assert read(plain, "abc") == ("abc", {})
    for text in ("abc\n", "ABC", "", "é", "ab c"):
        assert read(plain, text)[1] == {"": "there is nothing of this name"}


def test_structs_within_structs_are_described():
    class Inner(Struct):
        """Inside."""

        word: Word

    class Outer(Struct):
        """Outside."""

        many: Annotated[list[Inner], Length(1, 3)]
        perhaps: Inner | None = None

    described = components([shape_of(Outer)])
    assert set(described) == {"Inner", "Outer"}
    assert described["Outer"]["properties"]["many"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/Inner"},
        "minItems": 1,
        "maxItems": 3,
    }
    assert described["Outer"]["required"] == ["many"] and described["Outer"]["additionalProperties"] is False
    assert read(Outer, {"many": [{"word": "a"}, {"word": ""}]})[1] == {
        "many.1.word": "expected a text of 1 letter or more"
    }


def test_a_number_without_bounds_or_a_part_without_a_place_is_no_declaration():
    with pytest.raises(TypeError, match="bounds"):
        shape_of(list[int])
    with pytest.raises(TypeError, match="cannot say"):
        shape_of(bytes)
    with pytest.raises(TypeError, match="where it stands"):

        @Routes("").get("/x", Move)
        async def wrong(request, number: Annotated[int, Between(0, 1)]): ...

    @Routes("").get("/x/{number}", Move)
    async def right(request, number: Annotated[int, Between(0, 1), In("path", "A number.")]): ...


def test_json_is_read_in_one_way_only():
    for body in (b'{"a":1,"a":1}', b'{"a":{"b":1,"b":2}}'):
        with pytest.raises(Problem, match="twice"):
            read_body(body, "application/json")
    many = "{" + ",".join(f'"{n}":{n}' for n in range(9000)) + ',"17":0}'
    with pytest.raises(Problem, match="'17' twice"):
        read_body(many.encode(), "application/json")
    assert read_body(b"", "") is None and too_deep(b"[" * 17) and not too_deep(b"[" * 16)
