"""Money: what amounts and pays may be, and what rounding does, cent by cent."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltlab.errors import FeltlabError
from feltlab.money import LOSE, PUSH, Rounding, amount_text, back, parse_amount, parse_pay, pay_text


@pytest.mark.parametrize(
    ("text", "pay"),
    [("20:1", 20), ("19 to 20", Fraction(19, 20)), ("5 TO 2", Fraction(5, 2)), ("push", 0), ("lose", -1), ("Lose 1:2", Fraction(-1, 2)), ("1000:1", 1000)],
)  # fmt: skip
def test_pays(text, pay):
    assert parse_pay(text) == pay
    assert parse_pay(pay_text(parse_pay(text))) == pay


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "not a pay"), ("20", "not a pay"), ("-1:1", "not a pay"), ("1:0", "may be 0"), ("0:1", "may be 0"), ("1.5:1", "not a pay"), ("99999999:1", "larger than any"), ("9" * 40 + ":1", "not a pay"), ("lose 2:1", "more than the stake"), ("lose 1:1", "more than the stake"), ("²:1", "not a pay")],
)  # fmt: skip
def test_what_is_no_pay(text, why):
    with pytest.raises(FeltlabError, match=why):
        parse_pay(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [("-5", "not an amount"), ("1e30", "not an amount"), ("1" + "0" * 29, "more than any table"), ("1" + "0" * 60, "not an amount"), ("1.005", "fraction of a cent"), ("0", "is zero"), ("0.00", "is zero"), ("ten", "not an amount"), ("", "not an amount"), ("5.", "not an amount"), ("\u0665", "not an amount"), ("nan", "not an amount"), ("1,000", "not an amount")],
)  # fmt: skip
def test_what_is_no_amount(text, why):
    with pytest.raises(FeltlabError, match=why) as error:
        parse_amount(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 120


@given(st.integers(1, 10**11))
def test_amounts_round_trip(cents):
    assert parse_amount(amount_text(cents).replace(",", "")) == cents


def test_stated_rounding():
    """3:2 on 5.01 and a 5 % commission on 0.10, under each rule."""
    assert [back(501, Fraction(3, 2), Rounding(to)) - 501 for to in ("down", "nearest", "up")] == [751, 752, 752]
    assert [back(10, Fraction(19, 20), Rounding(to)) - 10 for to in ("down", "nearest", "up")] == [9, 10, 10]
    assert back(1500, Fraction(3, 2), Rounding("down", 100)) - 1500 == 2200
    assert Rounding("nearest", 25).sentence() == "payments go to 0.25, rounded to the nearest one, a half up"


@given(
    st.integers(1, 10**9),
    st.fractions(-1, 1000, max_denominator=100),
    st.sampled_from(["down", "nearest", "up"]),
    st.sampled_from([1, 5, 25, 50, 100]),
)
def test_rounding_stays_within_a_coin(stake, pay, to, coin):
    given_back = back(stake, pay, Rounding(to, coin))
    exact = stake * (1 + pay)
    assert given_back >= 0
    if pay in (PUSH, LOSE):
        assert given_back == exact
    else:
        assert abs(given_back - exact) < coin
        assert given_back <= exact if to == "down" else True
        assert given_back >= min(exact, stake) if to == "up" else True
    if pay < 0:
        assert given_back <= stake
