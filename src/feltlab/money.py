"""Money in integer cents, pays as exact ratios, and the one rounding rule between them.

A pay is what a stake of 1 wins, net: 20 to 1 is 20, a push is 0, a lost wager is -1, surrender is -1/2.

>>> parse_pay("19 to 20"), parse_pay("push"), parse_pay("lose"), parse_pay("lose 1:2")
(Fraction(19, 20), Fraction(0, 1), Fraction(-1, 1), Fraction(-1, 2))
>>> back(501, parse_pay("3:2"), Rounding()) - 501    # 7.515 is paid as 7.51
751
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple

from feltlab.bounds import Between
from feltlab.errors import FeltlabError

PUSH = Fraction(0)
LOSE = Fraction(-1)
LARGEST_RATIO = 10_000_000
LARGEST_AMOUNT = 100_000_000_000  # a billion units: beyond any table, far inside 64 bits
LARGEST_BALANCE = 2**53  # no account holds or owes more: integers up to this are exact in JSON

Cents = Annotated[int, Between(0, LARGEST_AMOUNT)]

_RATIO = re.compile(r"(lose )?(\d{1,9}) ?(?::|to) ?(\d{1,9})", re.ASCII)
_AMOUNT = re.compile(r"(\d{1,30})(?:\.(\d{1,30}))?", re.ASCII)


def parse_pay(text: str) -> Fraction:
    """Parse a pay: `20:1`, `19 to 20`, `push`, `lose`, or a partial loss, `lose 1:2`."""
    word = " ".join(text.lower().split())
    if word == "push":
        return PUSH
    if word == "lose":
        return LOSE
    match = _RATIO.fullmatch(word)
    if not match:
        raise FeltlabError(f"'{text}' is not a pay; write a ratio as 20:1 or 19 to 20, or push, or lose")
    lost, pays, to = bool(match[1]), int(match[2]), int(match[3])
    if to == 0 or pays == 0:
        raise FeltlabError(f"'{text}' is not a pay: neither side of a ratio may be 0 (a stake given back is a push)")
    if max(pays, to) > LARGEST_RATIO:
        raise FeltlabError(f"'{text}' is larger than any pay; the most is {LARGEST_RATIO}:1")
    if lost and pays >= to:
        raise FeltlabError(f"'{text}' loses more than the stake; a whole stake lost is written lose")
    return -Fraction(pays, to) if lost else Fraction(pays, to)


def pay_text(pay: Fraction) -> str:
    """A pay as a sheet prints it.

    >>> pay_text(Fraction(19, 20)), pay_text(Fraction(0)), pay_text(Fraction(-1, 2))
    ('19:20', 'push', 'lose 1:2')
    """
    if pay == PUSH:
        return "push"
    if pay == LOSE:
        return "lose"
    lost = "lose " if pay < 0 else ""
    return f"{lost}{abs(pay.numerator)}:{pay.denominator}"


def parse_amount(text: str) -> int:
    """Parse an amount of money into cents.

    >>> parse_amount("5"), parse_amount("5.01"), parse_amount("0.1")
    (500, 501, 10)
    """
    word = text.strip()
    match = _AMOUNT.fullmatch(word)
    if not match:
        raise FeltlabError(f"'{_short(word)}' is not an amount; write a positive one, such as 5 or 5.50")
    if len(match[2] or "") > 2:
        raise FeltlabError(f"'{_short(word)}' has a fraction of a cent; write at most two decimals, such as 5.01")
    cents = int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))
    if cents == 0:
        raise FeltlabError(f"'{_short(word)}' is zero; an amount is at least 0.01")
    if cents > LARGEST_AMOUNT:
        raise FeltlabError(f"'{_short(word)}' is more than any table takes ({amount_text(LARGEST_AMOUNT)} at most)")
    return cents


def amount_text(cents: int) -> str:
    """Cents as an amount of money.

    >>> amount_text(123456), amount_text(-5)
    ('1,234.56', '-0.05')
    """
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"


class Rounding(NamedTuple):
    """How a table rounds a payment that falls between two coins. By default the house keeps the breakage."""

    to: Literal["down", "nearest", "up"] = "down"
    coin: int = 1  # the smallest coin of the table, in cents

    def sentence(self) -> str:
        """The rule as a table would post it."""
        how = {"down": "down", "nearest": "to the nearest one, a half up", "up": "up"}[self.to]
        return f"payments go to {amount_text(self.coin)}, rounded {how}"


def back(stake: int, pay: Fraction, rounding: Rounding) -> int:
    """What the player gets back when a stake is settled by a pay: the stake and the win, less any loss.

    A whole stake is never rounded: a push returns every cent, and a lost wager none.

    >>> back(10, Fraction(19, 20), Rounding()), back(10, Fraction(19, 20), Rounding("up"))
    (19, 20)
    >>> back(501, Fraction(-1, 2), Rounding()), back(501, PUSH, Rounding("down", 100)), back(501, LOSE, Rounding())
    (250, 501, 0)
    """
    if pay == LOSE:
        return 0
    kept, moving = (stake, stake * pay) if pay >= 0 else (0, stake * (1 + pay))
    coins = moving / rounding.coin
    if rounding.to == "down":
        whole = coins.numerator // coins.denominator
    elif rounding.to == "up":
        whole = -(-coins.numerator // coins.denominator)
    else:
        whole = (2 * coins.numerator + coins.denominator) // (2 * coins.denominator)
    # Rounding up to a large coin must not return more than the stake of a wager that lost in part.
    return kept + (whole * rounding.coin if pay >= 0 else min(whole * rounding.coin, stake))


def _short(word: str) -> str:
    return word if len(word) <= 24 else word[:21] + "..."
