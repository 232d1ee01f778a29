"""A table in the lab: a sheet, and the choices that somebody made."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from feltlab.analysis import BASIC, Analysis
from feltlab.cards import cards
from feltlab.errors import FeltlabError, SetupError
from feltlab.sheets import Sheet, load_text
from feltlab.strategy.names import read_name
from feltlab.tables import set_up

WHERE = "the sheet"
MOST_REMOVED = 400


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """A table: what is left out is the sheet's usual one. `sheet` is a built-in sheet's id or the hash of a text."""

    sheet: str
    decks: int | None = None
    option: str | None = None
    paytables: list[str] = []
    rules: dict[str, str] = {}
    pays: dict[str, str] = {}
    offered: list[str] | None = None
    strategy: str = BASIC
    remove: str = ""


def headline_of(choice: Choice, analysis: Analysis) -> str:
    """A table in one line: decks, option, paytables, cards that are gone, a strategy other than the usual one."""
    played = analysis.setup.sheet.game == "blackjack" and choice.strategy != BASIC
    return analysis.headline() + (f", strategy {choice.strategy}" if played else "")


def modified(analysis: Analysis) -> list[str]:
    """How a table differs from its sheet, in sentences."""
    return [difference.sentence() for difference in analysis.setup.differences]


@lru_cache(64)
def sheet_of(text: str) -> Sheet:
    """The sheet of a text, checked in full."""
    return load_text(text, WHERE)


def analysis_of(choice: Choice, sheet: Sheet) -> Analysis:
    """The table of a choice, ready to be analysed."""
    try:
        read_name(choice.strategy)
    except FeltlabError as error:
        raise SetupError(str(error)) from None
    gone = tuple(cards(choice.remove)) if choice.remove.strip() else ()
    if len(gone) > MOST_REMOVED:
        raise SetupError(f"at most {MOST_REMOVED} cards can be gone, not {len(gone)}")
    setup = set_up(
        sheet,
        decks=choice.decks,
        option=choice.option,
        paytables=choice.paytables,
        rules=choice.rules,
        offered=choice.offered,
        pays=choice.pays,
    )
    found = Analysis(setup, gone)
    _ = found.shoe  # too few cards are refused before anything is counted
    return found


def strategy_of(choice: Choice, sheet: Sheet) -> str | None:
    """The strategy of a choice, where hands are played."""
    return choice.strategy if sheet.game == "blackjack" else None
