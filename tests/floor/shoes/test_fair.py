"""Fair shoes: every order equally likely whatever players add, bound by the commitment, sealed until it is revealed."""

import re
import secrets
import stat
from collections import Counter
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feltlab.cards import name
from feltlab.errors import FeltlabError
from feltlab.floor.shoes import fair
from feltlab.floor.shoes.fair import Digits, Seal, Secret, fair_shoe, mixed, new_secret
from feltlab.floor.storage.database import read_key
from feltlab.rounds import shoe as shoes
from support.paths import ROOT

SECRET = Secret("12-3", 1, 1, 26, "ab" * 28, "cd" * 28)
SEEDS = [[], ["lucky"], ["lucky", "seven"], ["ünïcode ♠"]]
PAGE = ROOT / "docs" / "fairness.md"


# ---- every order


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_every_order_of_a_small_deck_comes_from_exactly_one_number(count, seeds):
    orders = factorial(count)
    found = []
    for number in range(orders):
        cards = list(range(count))
        shoes.shuffle(cards, Digits((number + mixed(seeds, orders)) % orders))
        found.append(tuple(cards))
    assert sorted(found) == sorted(permutations(range(count)))


def small_deck(monkeypatch, count):
    """Shoes of so few cards that every secret can be tried."""
    monkeypatch.setattr(shoes, "decks", lambda _: list(range(count)))
    monkeypatch.setattr(fair, "factorial", lambda _: factorial(count))


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_fair_shoes_have_every_order_equally_often(monkeypatch, seeds):
    small_deck(monkeypatch, 4)
    found = [tuple(fair_shoe(replace(SECRET, order=f"{number:x}"), seeds).order) for number in range(24)]
    assert sorted(found) == sorted(permutations(range(4)))


@pytest.mark.parametrize("began", [1, 2, 3, 4])
def test_discards_are_shuffled_by_the_reserve_into_every_order_equally_often(monkeypatch, began):
    small_deck(monkeypatch, 4)
    found = Counter()
    for number in range(24):
        shoe = fair_shoe(replace(SECRET, order="7", reserve=f"{number:x}"), [])
        order = list(shoe.order)
        shoe.dealt = shoe.round_began = began
        drawn = [shoe.draw() for _ in range(4)]
        assert drawn[: 4 - began] == order[began:], "first the cards that are left"
        assert set(drawn[4 - began :]) == set(order[:began]), "then the discards"
        found[tuple(drawn[4 - began :])] += 1
        with pytest.raises(shoes.OutOfCards):
            shoe.draw()
    assert set(found.values()) == {24 // factorial(began)}


def test_the_reserve_changes_nothing_before_the_shoe_runs_out():
    one, other = (fair_shoe(replace(SECRET, reserve=reserve), ["a"]) for reserve in ("0", "cd" * 28))
    for shoe in (one, other):
        shoe.dealt = shoe.round_began = 30
    drawn = [[shoe.draw() for _ in range(52)] for shoe in (one, other)]
    assert drawn[0][:22] == drawn[1][:22]
    assert drawn[0][22:] != drawn[1][22:]
    assert all(sorted(cards) == list(range(52)) for cards in drawn)


# ---- seeds


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1), min_size=1, max_size=3))
def test_seeds_add_a_number_below_all_orders(seeds):
    assert 0 <= mixed(seeds, 24) < 24
    assert 0 <= mixed(seeds, factorial(52)) < factorial(52)


def test_each_seed_and_their_order_count():
    several = [["ab"], ["a", "b"], ["b", "a"], ["a"], ["a", "b", "c"], ["ab", ""], []]
    assert len({mixed(seeds, factorial(416)) for seeds in several}) == len(several)


def test_seeds_reach_the_largest_numbers_too():
    """Their hash is longer than the number of orders: were it shorter, sums in the upper part would be rarer."""
    orders = factorial(52)
    found = [mixed([str(number)], orders) * 8 // orders for number in range(800)]
    assert all(60 < count < 140 for count in Counter(found).values())
    assert len(Counter(found)) == 8


# ---- the secret and its commitment


def test_a_secret_is_any_of_all_numbers(monkeypatch):
    asked = []
    monkeypatch.setattr(secrets, "randbelow", lambda bound: asked.append(bound) or bound - 1)
    largest = new_secret("1-1", 8, 1, 26)
    assert asked == [factorial(416)] * 2
    assert int(largest.order, 16) == int(largest.reserve, 16) == factorial(416) - 1
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0)
    assert int(new_secret("1-1", 8, 1, 26).order, 16) == 0


def test_two_secrets_of_a_shoe_are_not_the_same():
    one, other = new_secret("1-1", 1, 1, 26), new_secret("1-1", 1, 1, 26)
    assert len({one.order, one.reserve, other.order, other.reserve}) == 4


@pytest.mark.parametrize("change", [
    {"shoe": "12-4"}, {"decks": 2}, {"burn": 0}, {"behind_cut": 27}, {"order": "ab" * 27 + "ac"}, {"reserve": "cd" * 27},
])  # fmt: skip
def test_the_commitment_binds_every_field(change):
    assert set(change) <= set(Secret.__struct_fields__)
    assert replace(SECRET, **change).commitment() != SECRET.commitment()


def test_fields_do_not_run_into_one_another():
    one, other = replace(SECRET, decks=1, burn=11), replace(SECRET, decks=11, burn=1)
    assert one.commitment() != other.commitment()


# ---- the seal


SEAL = Seal(bytes(range(32)))


def test_a_sealed_secret_opens_with_its_key_for_its_shoe():
    assert SEAL.open(SEAL.close(SECRET), "12-3") == SECRET
    assert SEAL.close(SECRET) != SEAL.close(SECRET), "the same secret never looks the same"


def test_another_key_or_another_shoe_does_not_open_it():
    sealed = SEAL.close(SECRET)
    with pytest.raises(FeltlabError, match="not the key"):
        Seal(bytes(32)).open(sealed, "12-3")
    with pytest.raises(FeltlabError, match="shoe 12-4 does not open"):
        SEAL.open(sealed, "12-4")


def test_a_changed_byte_does_not_open():
    sealed = SEAL.close(SECRET)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(FeltlabError):
            SEAL.open(bytes(changed), "12-3")


def test_what_is_sealed_shows_nothing_of_the_secret(monkeypatch):
    """Not even how long its numbers are, which would tell small ones from large ones."""
    sealed = []
    for number in (0, 1, 2**64, factorial(104) - 1):
        monkeypatch.setattr(secrets, "randbelow", lambda bound, number=number: number)
        secret = new_secret("1-1", 2, 1, 26)
        sealed.append(SEAL.close(secret))
        assert secret.order.encode() not in sealed[-1]
    assert len({len(one) for one in sealed}) == 1


# ---- the key


def test_the_key_comes_from_the_environment_or_from_a_file_of_its_owner(tmp_path, monkeypatch):
    url, sealed = f"sqlite:///{tmp_path}/felt.db", SEAL.close(SECRET)
    monkeypatch.setenv("FELTLAB_KEY", bytes(range(32)).hex())
    assert read_key(url).open(sealed, "12-3") == SECRET
    assert not list(tmp_path.iterdir()), "no file where none is needed"
    monkeypatch.delenv("FELTLAB_KEY")
    made = read_key(url).close(SECRET)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_key(url).open(made, "12-3") == SECRET, "the same key again"
    assert read_key("postgresql://x/y", file).open(made, "12-3") == SECRET
    file.chmod(0o640)
    with pytest.raises(FeltlabError, match="chmod 600"):
        read_key(url)
    file.chmod(0o600)
    file.write_text("no key")
    with pytest.raises(FeltlabError, match="64 hexadecimal digits"):
        read_key(url)


def test_a_key_of_another_length_is_no_key(monkeypatch):
    monkeypatch.setenv("FELTLAB_KEY", "ab" * 16)
    with pytest.raises(FeltlabError, match="32 bytes"):
        read_key("sqlite:///felt.db")


# ---- the documented recipe


def recipe():
    """What the page gives to somebody who has Python and nothing of ours."""
    (text,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert "feltlab" not in text
    found = {}
    exec(text, found)
    return found


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_the_recipe_of_the_page_gives_the_same_commitment_and_order(decks, seeds):
    plain, secret = recipe(), new_secret("12-3", decks, 2, 30)
    assert plain["commitment"](*(getattr(secret, field) for field in secret.__struct_fields__)) == secret.commitment()
    shoe, ours = fair_shoe(secret, seeds), plain["whole_shoe"](decks, secret.order, seeds)
    assert ours == [name(card) for card in shoe.order]
    shoe.dealt = shoe.round_began = 40
    drawn = [name(shoe.draw()) for _ in range(52 * decks)]
    assert drawn == ours[40:] + plain["discards_again"](ours, 40, secret.reserve)
