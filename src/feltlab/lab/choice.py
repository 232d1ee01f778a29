"""Tables in the lab: the analysis of a chosen table, and how it is described."""

from __future__ import annotations

from functools import lru_cache

from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError, SetupError
from feltlab.sheets import Sheet, load_text
from feltlab.strategy import DEFAULT, Strategy
from feltlab.tables import TableChoice

WHERE = "the sheet"
MOST_REMOVED = 400


def headline_of(choice: TableChoice, analysis: Analysis) -> str:
    """A table in one line: decks, option, paytables, removed cards, and a strategy other than the default."""
    played = analysis.setup.sheet.game == "blackjack" and choice.played_by != DEFAULT
    return analysis.headline() + (f", strategy {choice.strategy}" if played else "")


def modified(analysis: Analysis) -> list[str]:
    """How a table differs from its sheet, in sentences."""
    return [difference.sentence() for difference in analysis.setup.differences]


@lru_cache(64)
def sheet_of(text: str) -> Sheet:
    """The sheet of a text, fully checked."""
    return load_text(text, WHERE)


def analysis_of(choice: TableChoice, sheet: Sheet) -> Analysis:
    """The analysis of a chosen table."""
    try:
        _ = choice.played_by
    except FeltlabError as error:
        raise SetupError(str(error)) from None
    if len(choice.removed) > MOST_REMOVED:
        raise SetupError(f"at most {MOST_REMOVED} cards can be removed, not {len(choice.removed)}")
    analysis = Analysis.of(sheet, choice)
    _ = analysis.shoe  # refuses too few cards before anything is counted
    return analysis


def strategy_of(choice: TableChoice, sheet: Sheet) -> Strategy | None:
    """The strategy of a choice, if the game has decisions."""
    return choice.played_by if sheet.game == "blackjack" else None
