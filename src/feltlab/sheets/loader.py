"""Loads a sheet, built in or a user's own file, with errors of one line."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from feltlab.errors import FeltlabError, SheetError, nearest, one_sentence
from feltlab.files import decode, exists, parse_toml, read_text
from feltlab.sheets import model
from feltlab.sheets.lint import lint
from feltlab.sheets.sheet import Sheet
from feltlab.wagers import definition

HERE = Path(__file__).parent
MOST_CACHED, LONGEST_CACHED = 32, 65_536  # checked sheets, valid or not; longer texts are not cached

_STRUCTS: dict[str, type[msgspec.Struct]] = {
    "$": model.SheetFile,
    "$.source[]": model.Source,
    "$.option[]": model.Option,
    "$.rule[]": model.RuleDefinition,
    "$.procedure[]": model.Step,
    "$.claim[]": model.Claim,
    "$.reading[]": model.Reading,
    "$.table": model.UsualTable,
    "$.wager[]": definition.WagerDefinition,
    "$.wager[].line[]": definition.LineDefinition,
    "$.wager[].paytable[]": definition.PaytableDefinition,
}


def builtin_names() -> list[str]:
    """The sheets that come with Feltlab.

    >>> builtin_names()
    ['bad-beat-baccarat', 'bad-beat-blackjack', 'big-slick-blackjack']
    """
    return sorted(path.stem for path in (HERE / "builtin").glob("*.toml"))


def builtin(name: str) -> Sheet:
    """A built-in sheet by its name. Names from requests and records are looked up here, since this never opens a path.

    >>> builtin("bad-beat-baccarat").decks
    [6, 8]
    """
    return _load_builtin(_known(name))


def load(sheet: str) -> Sheet:
    """Load a sheet by its built-in name or the path of a TOML file, fully checked: for commands and programs.

    >>> load("bad-beat-baccarat").decks
    [6, 8]
    """
    if sheet in builtin_names():
        return builtin(sheet)
    path = Path(sheet)
    looks_like_path = path.suffix != "" or "/" in sheet or "\\" in sheet
    if not looks_like_path and not exists(path):
        hint = nearest(sheet, builtin_names())
        raise SheetError(f"there is no sheet '{sheet[:60]}'; {hint} (or give the path of a TOML file)")
    return load_text(read_text(path), str(path))


def load_text(text: str, where: str) -> Sheet:
    """A sheet from the text of its file, fully checked. `where` is named in errors."""
    checked = _cached(text, where) if len(text) <= LONGEST_CACHED else _checked(text, where)
    if isinstance(checked, str):
        raise SheetError(checked)
    return checked


def _checked(text: str, where: str) -> Sheet | str:
    """The sheet, or what is wrong with it."""
    try:
        file = decode(parse_toml(text, where), model.SheetFile, where, _STRUCTS)
        sheet = Sheet(file, base(file.game), hashlib.sha256(text.encode()).hexdigest())
    except FeltlabError as error:
        return one_sentence(str(error))
    try:
        lint(sheet)
    except FeltlabError as error:
        return one_sentence(f"{where}: {error}")
    return sheet


_cached = lru_cache(MOST_CACHED)(_checked)


def builtin_text(sheet: str) -> str:
    """The text of a built-in sheet's file."""
    return read_text(HERE / "builtin" / f"{_known(sheet)}.toml")


def _known(name: str) -> str:
    if name not in builtin_names():
        raise SheetError(f"there is no sheet '{name[:60]}'; {nearest(name, builtin_names())}")
    return name


@cache
def _load_builtin(sheet: str) -> Sheet:
    return load_text(builtin_text(sheet), f"{sheet}.toml")


@cache
def base(game: str) -> model.SheetFile:
    """The base wagers, options and procedure of a game, which are written as a sheet too."""
    name = f"{game}.toml"
    return decode(parse_toml(_base_text(game), name), model.SheetFile, name, _STRUCTS)


def base_sha256(game: str) -> str:
    """The hash of a game's base sheet, for records that must name all their rules."""
    return hashlib.sha256(_base_text(game).encode()).hexdigest()


def _base_text(game: str) -> str:
    return read_text(HERE / "base" / f"{game}.toml")
