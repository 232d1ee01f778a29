"""A jurisdiction's limits as its data file states them, each with the rule it comes from."""

from __future__ import annotations

from pathlib import Path

from feltlab.errors import FeltlabError, SheetError, nearest
from feltlab.files import Entry, Structs, decode, exists, parse_toml, read_text
from feltlab.money import parse_amount

HERE = Path(__file__).parent


class WagerLimit(Entry, frozen=True, forbid_unknown_fields=True):
    """The largest single wager."""

    amount: str
    rule: str
    since: str | None = None
    note: str | None = None

    @property
    def cents(self) -> int:
        """The amount in cents."""
        return parse_amount(self.amount)


class GamesLimit(Entry, frozen=True, forbid_unknown_fields=True):
    """How many separate games may ride on one hand, and how many of these may take more than an amount."""

    most: int
    rule: str
    most_above: int | None = None
    above: str | None = None
    since: str | None = None
    note: str | None = None


class PrizeRule(Entry, frozen=True, forbid_unknown_fields=True):
    """An obligation that comes with large odds: reported to the house, not enforced at the table."""

    rule: str
    sentence: str
    from_odds: int | None = None
    from_prize: str | None = None


class Jurisdiction(Entry, frozen=True, forbid_unknown_fields=True):
    """A dated profile. An absent field sets no limit."""

    id: str
    name: str
    as_of: str
    source: list[str]
    note: str | None = None
    max_wager: WagerLimit | None = None
    games: GamesLimit | None = None
    aggregate: PrizeRule | None = None
    reserve: PrizeRule | None = None


_STRUCTS: Structs = {
    "$": Jurisdiction,
    "$.max_wager": WagerLimit,
    "$.games": GamesLimit,
    "$.aggregate": PrizeRule,
    "$.reserve": PrizeRule,
}


def builtin_names() -> list[str]:
    """The profiles that come with Feltlab.

    >>> builtin_names()
    ['washington']
    """
    return sorted(path.stem for path in HERE.glob("*.toml"))


def load(jurisdiction: str) -> Jurisdiction:
    """Load a profile by its built-in name or the path of a TOML file, for commands and programs."""
    if jurisdiction in builtin_names():
        return builtin(jurisdiction)
    path = Path(jurisdiction)
    if path.suffix == "" and not exists(path):
        hint = nearest(jurisdiction, builtin_names())
        raise SheetError(f"there is no jurisdiction '{jurisdiction[:60]}'; {hint} (or give the path of a TOML file)")
    return _read(path)


def builtin(name: str) -> Jurisdiction:
    """A built-in profile by its name. Names that come from requests are looked up here, since this never opens a path.

    >>> builtin("washington").as_of == load("washington").as_of
    True
    """
    if name not in builtin_names():
        raise SheetError(f"there is no jurisdiction '{name[:60]}'; {nearest(name, builtin_names())}")
    return _read(HERE / f"{name}.toml")


def _read(path: Path) -> Jurisdiction:
    profile = decode(parse_toml(read_text(path), path.name), Jurisdiction, path.name, _STRUCTS)
    try:
        _check(profile)
    except FeltlabError as error:
        raise SheetError(f"{path.name}: {error}") from None
    return profile


def _check(profile: Jurisdiction) -> None:
    """Check that amounts can be parsed, and that limits come in pairs."""
    if profile.max_wager:
        parse_amount(profile.max_wager.amount)
    if profile.games and profile.games.above is not None:
        parse_amount(profile.games.above)
    if profile.reserve and profile.reserve.from_prize is not None:
        parse_amount(profile.reserve.from_prize)
    if profile.games and (profile.games.most_above is None) != (profile.games.above is None):
        raise SheetError("games: most_above and above go together")
