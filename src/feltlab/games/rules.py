"""House rules: what real tables differ in, by name, with allowed values and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from feltlab.errors import FeltlabError, SetupError, listed, nearest
from feltlab.money import parse_pay, pay_text

YES_NO = ("yes", "no")
ANY_RATIO = ("RATIO",)  # the one open-ended rule: any pay, such as 3:2


class HouseRule(NamedTuple):
    """One choice of the house: its name, its allowed values and its default."""

    key: str
    values: tuple[str, ...]
    default: str
    sentence: str

    def accept(self, value: str) -> str:
        """The value in its canonical spelling; refused if the rule does not allow it.

        >>> HouseRule("das", YES_NO, "yes", "...").accept("YES")
        'yes'
        """
        if self.values == ANY_RATIO:
            try:
                pay = parse_pay(value)
            except FeltlabError as error:
                raise SetupError(f"rule {self.key}: {error}") from None
            if pay <= 0:
                raise SetupError(f"rule {self.key}: '{value}' does not pay; write a ratio as 3:2")
            return pay_text(pay)
        for known in self.values:
            if known.lower() == value.strip().lower():
                return known
        raise SetupError(f"rule {self.key} cannot be '{value}'; it is {listed(self.values)}")


def choose(known: Iterable[HouseRule], given: Mapping[str, str]) -> dict[str, str]:
    """Every known rule with its value: the given ones checked, the others at their defaults.

    >>> choose([HouseRule("das", YES_NO, "yes", "...")], {"das": "no"})
    {'das': 'no'}
    """
    by_key = {rule.key: rule for rule in known}
    for key in given:
        if key not in by_key:
            raise SetupError(f"there is no rule '{key}' here; {nearest(key, by_key)}")
    return {key: rule.accept(given[key]) if key in given else rule.default for key, rule in by_key.items()}
