"""Names that cannot be taken for the house's, or for somebody else's."""

# ruff: noqa: RUF001 (names that look like others are what is tested)

import sqlite3

import pytest
from sqlalchemy import select

from feltlab.errors import Refused
from feltlab.floor.people import people
from feltlab.floor.people.lookalikes import RESERVED, check_name, looks
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import open_database, reading, writing
from support.floor.first_schema import load_fixture
from support.floor.floors import Floor

HOUSES = [
    *(
        "house",
        "House",
        "HOUSE",
        "The House",
        "thehouse",
        "h.o.u.s.e",
        "House 1",
        "house2",
        "H0USE",
        "hou5e",
        "Höuse",
        "hòusé",
    ),
    *(
        "Ｈｏｕｓｅ",
        "𝐡𝐨𝐮𝐬𝐞",
        "Dealer 7",
        "The Bank",
        "Mr Operator",
        "DeaIer",
        "Croupler",
        "Admin.",
        "feItlab",
        "Casino-Staff",
    ),
]
OTHER_SCRIPTS = [
    "h\u043euse",  # a Cyrillic o
    "\u041d\u041eUSE",
    "\u0410\u0434\u0430",  # Ada in Cyrillic
    "\u039f\u03a5\u03a4\u0399\u03a3",  # Greek capitals that are Latin ones to the eye
    "\ua4e7\ua4f3\ua4f4\ua4e2\ua4f0",  # Lisu
    "\u13bb\u13be\u13cc\u13da\u13ac",  # Cherokee
    "\u029c\u1d0f\u1d1c\ua731\u1d07",  # small capitals
    "Ad\u0251",  # a Latin alpha
    "\u0406van",
    "Ada\u0301\u0335x",  # a letter that is struck through
    "\u0661\u0662\u0663",
]
INVISIBLE = [
    "Ada\u202eQuill",
    "Ada\u200bQuill",
    "Ada\u2060Quill",
    "Ada\ufe0fQuill",
    "Ad\u00ada Quill",
    "Ada\u3164Quill",
]


@pytest.mark.parametrize("name", [*HOUSES, *OTHER_SCRIPTS, *INVISIBLE])
def test_a_name_like_the_house_s_or_of_other_signs_is_not_for_players(name):
    with pytest.raises(Refused):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    ["Ada Quill", "Zoë", "Žižek", "O'Neill", "J.R. Hale", "Łukasz", "Þóra", "Player 3", "Housekeeper Jo", "Banks"],
)
def test_ordinary_names_are_names(name):
    assert check_name(name) == name


def test_the_operator_may_call_the_house_what_it_is():
    for word in RESERVED:
        assert check_name(word, house=True) == word


ALIKE = [
    (
        "Ada Quill",
        ["ADA QUILL", "ada quill", "AdaQuill", "Ada-Quill", "Ada Qui11", "Àda Quill", "Ada Quiıl", "Ａda Quill"],
    ),
    ("Bernard", ["Bemard", "BERNARD", "Bérnard"]),
    ("William", ["WiIIiam", "VViIIiam", "W1ll1am"]),
    ("Oslo 10", ["0slo 1o", "OSLO-10"]),
]


@pytest.mark.parametrize(("first", "others"), ALIKE)
def test_two_names_that_look_the_same_are_one(database, first, others):
    floor = Floor(database)
    floor.player(first, 0)
    for other in others:
        assert looks(other) == looks(first)
        with pytest.raises(Refused, match="looks like one that is"):
            floor.player(other, 0)
    floor.player(first[::-1], 0)
    floor.close()


def test_guests_are_never_refused_for_their_looks(sqlite):
    floor = Floor(sqlite)
    names = {floor.desk.plain(people.add_guest).name for _ in range(200)}
    assert len({looks(name) for name in names}) == 200
    floor.close()


def test_names_of_an_older_database_stay_and_nobody_new_looks_like_them(tmp_path):
    """There may be two that look the same, the house's among them."""
    url = f"sqlite:///{tmp_path / 'old.db'}"
    load_fixture(url)
    old = ["Twin", "TWIN", "H\u043euse", "\u0410\u0434\u0430"]
    with sqlite3.connect(tmp_path / "old.db") as db:
        db.executemany("INSERT INTO people (kind, name, made_at) VALUES ('player', ?, 0)", [(name,) for name in old])
    engine = open_database(url)
    with reading(engine) as db:
        for name in [*old, "First Player"]:
            assert people.find(db, name)[0].name == name
        kept = dict(db.execute(select(schema.people.c.name, schema.people.c.looks)).all())
    assert (kept["Twin"], kept["TWIN"], kept["First Player"]) == ("twln", None, looks("First Player"))
    with pytest.raises(Refused), writing(engine) as db:
        people.add(db, "player", "twin", None, 0)
    engine.dispose()
