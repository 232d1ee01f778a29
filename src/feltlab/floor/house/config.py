"""The configuration of a table: what the house asks for, and the complete result, which is stored with the table."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

import feltlab
from feltlab import jurisdictions
from feltlab.bounds import Between, Length, Word, Words
from feltlab.errors import FeltlabError, SetupError, nearest
from feltlab.files import decode, parse_toml
from feltlab.jurisdictions import Jurisdiction
from feltlab.memory import BoundedCache
from feltlab.money import Cents, Rounding
from feltlab.rounds.shoe import cut_card
from feltlab.sheets import Sheet, builtin, load_text
from feltlab.sheets.loader import base, base_sha256, builtin_names, builtin_text
from feltlab.sheets.model import SheetFile
from feltlab.strategy import DEFAULT
from feltlab.tables import Setup, TableChoice, setup_of
from feltlab.tables.payments import check_payments
from feltlab.tables.table import MOST_SPOTS, Limit, Table, open_table

Count = Annotated[int, Between(0, 1000)]
SECONDS = (1, 600)
MOST_WORK = 3_000_000  # parts of conditions evaluated in cells to set up a table: half a second
MOST_BYTES = 128 << 20  # of cached tables


class Altered(FeltlabError):
    """The stored rules of a table are not the ones it was opened with."""


class Wish(TableChoice, frozen=True, forbid_unknown_fields=True):
    """A request for a table: its choice, and how it is run."""

    sheet: Words = ""  # a built-in sheet's id
    text: Annotated[str, Length(0, 60_000)] = ""  # or the whole of a sheet's file
    name: Words = ""
    limits: Annotated[dict[Word, tuple[Cents, Cents]], Length(0, 40)] = {}
    jurisdiction: Words | None = None
    rounding: Literal["down", "nearest", "up"] = "down"
    coin: Annotated[int, Between(1, 1_000_000)] = 1
    behind_cut: Count | None = None
    burn: Count = 1
    seats: Count | None = None
    decision_seconds: Count = 30
    betting_seconds: Count = 20


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """Every choice of a table, with nothing left to defaults that might change, so that rounds can be replayed from it."""

    feltlab: str
    sheet: str
    sheet_version: str
    sheet_sha256: str
    base_sha256: str
    decks: int
    option: str | None
    paytables: list[str]
    rules: dict[str, str]
    offered: list[str]
    pays: dict[str, str]
    limits: dict[str, Limit]
    jurisdiction: Jurisdiction | None
    rounding: Rounding
    behind_cut: int
    burn: int
    seats: int
    decision_seconds: int
    betting_seconds: int

    @property
    def choice(self) -> TableChoice:
        """The choice of the table."""
        return TableChoice(**{name: getattr(self, name) for name in CHOSEN})

    def text(self) -> str:
        """The configuration as it is stored and hashed."""
        return msgspec.json.encode(self).decode()

    def sha256(self) -> str:
        """The hash of the configuration, which the records of rounds name."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def table(self, sheet_text: str) -> Table:
        """The table that it describes, cached by configuration.

        The sheet was checked when the table was opened, so it is only set up and not checked again.
        """
        if hashlib.sha256(sheet_text.encode()).hexdigest() != self.sheet_sha256:
            raise Altered("its sheet was altered since it was opened")
        return _made.find(self.sha256(), lambda: self._set_up(sheet_text))

    def ready_table(self, sheet_text: str) -> Table:
        """The same for a server's desk, which must not block: raises `NotSetUp` if a user's sheet would have to be set up."""
        built_in = self.sheet in builtin_names() and builtin(self.sheet).sha256 == self.sheet_sha256
        if self.sha256() not in _made and not built_in:
            raise NotSetUp(self, sheet_text)
        return self.table(sheet_text)

    def _set_up(self, sheet_text: str) -> Table:
        file = decode(parse_toml(sheet_text, self.sheet), SheetFile, self.sheet, {})
        setup = setup_of(Sheet(file, base(file.game), self.sheet_sha256), self.choice)
        _ = setup.payable  # computed now, not when somebody first looks at the table
        return open_table(setup, limits=self.limits, rounding=self.rounding, jurisdiction=self.jurisdiction)


CHOSEN = [name for name in TableChoice.__struct_fields__ if name in Config.__struct_fields__]
_made: BoundedCache[str, Table] = BoundedCache(MOST_BYTES)


class NotSetUp(FeltlabError):
    """A table of a user's sheet is not set up in this process yet."""

    def __init__(self, config: Config, text: str) -> None:
        super().__init__("its sheet is still being set up; try again in a moment")
        self.config, self.text = config, text


@lru_cache(256)
def read_config(text: str) -> Config:
    """Read a stored configuration."""
    return msgspec.json.decode(text, type=Config)


def read_table(config: str, config_sha256: str, sheet: str, *, ready: bool = False) -> tuple[Config, Table]:
    """Read a stored configuration and its table; refused if either was altered since the table was opened.

    With `ready`, raises `NotSetUp` if a user's sheet would have to be set up.
    """
    if hashlib.sha256(config.encode()).hexdigest() != config_sha256:
        raise Altered("its configuration was altered since it was opened")
    stored = read_config(config)
    return stored, stored.ready_table(sheet) if ready else stored.table(sheet)


def sheet_text(wish: Wish) -> str:
    """The text of the sheet: a built-in one's, or the one in the request. Never a path on the server."""
    if bool(wish.sheet) == bool(wish.text):
        raise SetupError("name a built-in sheet, or give the text of a sheet's file, but not both")
    if wish.sheet and wish.sheet not in builtin_names():
        raise SetupError(f"there is no sheet '{wish.sheet[:60]}'; {nearest(wish.sheet, builtin_names())}")
    return wish.text or builtin_text(wish.sheet)


def configure(wish: Wish) -> tuple[Config, str]:
    """Make the configuration for a request, and the text of its sheet. Refused with the rule that it breaks.

    >>> config, text = configure(Wish("bad-beat-blackjack", decks=2, paytables=["L3"]))
    >>> config.table(text).setup.headline(), config.behind_cut
    ('2 decks, option 2, paytable bad-beat L3', 26)
    """
    text = sheet_text(wish)
    sheet = builtin(wish.sheet) if wish.sheet else load_text(text, "the sheet")
    law = _law(wish.jurisdiction)
    if wish.remove or wish.played_by != DEFAULT:
        raise SetupError(
            "a live table has full shoes and people who play as they like: leave out 'remove' and 'strategy'"
        )
    setup = setup_of(sheet, wish)
    check_work(setup)
    limits = {id: Limit(*pair) for id, pair in wish.limits.items()}
    table = open_table(setup, limits=limits, rounding=Rounding(wish.rounding, wish.coin), jurisdiction=law)
    if wish.burn not in range(11):
        raise SetupError(f"the dealer burns 0 to 10 cards, not {wish.burn}")
    seats = _seats(sheet.game, wish.seats)
    check_payments(table, seats)
    return (
        Config(
            feltlab=feltlab.__version__,
            sheet=sheet.id,
            sheet_version=sheet.file.version,
            sheet_sha256=sheet.sha256,
            base_sha256=base_sha256(sheet.game),
            **{name: getattr(setup.choice, name) for name in CHOSEN},
            limits=dict(table.limits),
            jurisdiction=law,
            rounding=table.rounding,
            behind_cut=cut_card(setup.decks, wish.behind_cut, wish.burn),
            burn=wish.burn,
            seats=seats,
            decision_seconds=_seconds("decision_seconds", wish.decision_seconds),
            betting_seconds=_seconds("betting_seconds", wish.betting_seconds),
        ),
        text,
    )


def check_work(setup: Setup) -> None:
    """Refuse a table that takes long to set up: a server sets up all open tables again after each start."""
    wagers = setup.wagers.values()
    work = sum((1 + sum(line.when.size for line in it.lines)) * len(it.cells.partition.group_of) for it in wagers)
    if work > MOST_WORK:
        raise SetupError("the table's wagers take too long to set up; offer fewer, or use fewer facts in their lines")


def _law(id: str | None) -> Jurisdiction | None:
    if id is None:
        return None
    if id not in jurisdictions.builtin_names():
        raise SetupError(f"there is no jurisdiction '{id[:60]}'; {nearest(id, jurisdictions.builtin_names())}")
    return jurisdictions.builtin(id)


def _seats(game: str, seats: int | None) -> int:
    most = MOST_SPOTS[game]
    if seats is None:
        return most
    if not 1 <= seats <= most:
        raise SetupError(f"a {game} table has 1 to {most} seats, not {seats}")
    return seats


def _seconds(what: str, seconds: int) -> int:
    least, most = SECONDS
    if not least <= seconds <= most:
        raise SetupError(f"{what} is {least} to {most}, not {seconds}")
    return seconds
