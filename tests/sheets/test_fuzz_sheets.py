"""Sheets changed at random are loaded or refused with one line, and never crash the loader."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltlab.errors import SheetError
from feltlab.rounds.conformance import check_sheet
from feltlab.sheets import load, load_text
from feltlab.sheets.loader import HERE
from support.paths import ROOT
from support.soak import soak

pytestmark = pytest.mark.slow

TEXTS = [
    path.read_text()
    for path in sorted([*(HERE / "builtin").glob("*.toml"), *(ROOT / "docs" / "examples").glob("*.toml")])
]
SMALL = [text for text in TEXTS if len(text) < 3000]
PIECES = sorted(
    {piece for text in TEXTS for piece in text.replace('"', ' " ').split()}
    | {"[[", "]]", "=", "\n", "-1", "1e999", "nan", "''", "{", "}", "\\", "\x7f", "é"}
)


def tried(text: str) -> None:
    try:
        sheet = load_text(text, "fuzz.toml")
    except SheetError as error:
        assert str(error).startswith("fuzz.toml")
        assert "\n" not in str(error)
        assert len(str(error)) < 2500
        return
    try:
        check_sheet(sheet, rounds=1)
    except SheetError as error:
        assert "a round with this sheet went wrong" in str(error)


@given(st.sampled_from(SMALL), st.randoms(use_true_random=False), st.integers(1, 4))
@settings(max_examples=soak(400, 40))
def test_words_swapped(text, chance, changes):
    for _ in range(changes):
        lines = text.split("\n")
        place = chance.randrange(len(lines))
        words = lines[place].split(" ")
        what = chance.randrange(5)
        if what == 0:
            words[chance.randrange(len(words))] = chance.choice(PIECES)
        elif what == 1:
            words.insert(chance.randrange(len(words) + 1), chance.choice(PIECES))
        elif what == 2:
            words.pop(chance.randrange(len(words)))
        elif what == 3:
            words = chance.choice(lines).split(" ")
        else:
            words = []
        lines[place] = " ".join(words)
        text = "\n".join(lines)
    tried(text)


@given(st.sampled_from(SMALL), st.integers(0, 2999), st.characters())
@settings(max_examples=soak(300, 30))
def test_characters_swapped(text, place, character):
    place %= len(text)
    tried(text[:place] + character + text[place + 1 :])


@given(
    st.recursive(
        st.one_of(st.text(max_size=5), st.integers(), st.booleans()),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "name", "game", "wager", "line", "when", "pays", "decks", "settled"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
@settings(max_examples=soak(300, 30))
def test_values_of_any_shape(value):
    """The structure itself at random, as inline TOML."""
    for key in ("wager", "decks", "table", "define", "option"):
        tried(f'id = "x"\nname = "x"\ngame = "blackjack"\n{key} = {toml(value)}\n')


def toml(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" if not 0xD800 <= ord(c) < 0xE000 else "x" for c in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"


@pytest.mark.parametrize("seed", range(soak(12, 2)))
def test_big_sheets_with_a_line_gone(seed):
    chance = random.Random(seed)
    for text in TEXTS:
        lines = text.split("\n")
        lines.pop(chance.randrange(len(lines)))
        tried("\n".join(lines))


def test_the_untouched_ones_are_good():
    for path in (ROOT / "docs" / "examples").glob("*.toml"):
        assert load(str(path))
