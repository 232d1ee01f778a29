"""A rule sheet, from which everything else is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from feltlab import html
from feltlab.api.table import GameTable
from feltlab.audit import Finding, audit
from feltlab.errors import listed
from feltlab.sheets import Sheet, load, load_text
from feltlab.tables import TableChoice, setup_of, with_choice_arguments

TEXT = "the sheet"


@dataclass(frozen=True, repr=False)
class RuleSheet(Sheet):
    """A rule sheet: its tables, and whether what it prints is so. Made by `load_sheet`."""

    @with_choice_arguments
    def table(self, choice: TableChoice) -> GameTable:
        """A table of the sheet; what is not chosen is the sheet's usual table. `TableChoice` says what can be chosen.

        >>> load_sheet("bad-beat-blackjack").table(decks=2, paytables="L3", rules={"soft17": "stand"})
        <Bad Beat Blackjack: 2 decks, option 2, paytable bad-beat L3, soft17=stand>
        """
        return GameTable(setup_of(self, choice), choice.removed, choice.played_by)

    def audit(self) -> list[Finding]:
        """Every figure that the sheet prints, beside the computed one.

        >>> {finding.verdict for finding in load_sheet("big-slick-blackjack").audit()}
        {'does not follow from the sheet'}
        """
        return list(audit(self))

    def __repr__(self) -> str:
        return f"<{self.file.name}: {self.game}, {listed(self.decks)} decks; {', '.join(map(str, self._side_names()))}>"

    def _repr_html_(self) -> str:
        rows = [[wager.name, ", ".join(wager.paytable_ids())] for wager in self.side_wagers]
        notes = [f"{self.game}, {listed(self.decks)} decks", *(f"option {id}" for id in self.options)]
        return html.table(self.file.name, ["side bet", "paytables"], rows, notes)

    def _side_names(self) -> list[str]:
        return [wager.name for wager in self.side_wagers]


def load_sheet(source: str | Path) -> RuleSheet:
    """A rule sheet: a built-in one by its name, a TOML file by its path, or the text of such a file.

    >>> load_sheet("big-slick-blackjack")
    <Big Slick Blackjack with Action Match: blackjack, 1, 2, 4, 6 or 8 decks; Big Slick, Action Match>
    """
    text = str(source)
    found = load_text(text, TEXT) if "\n" in text else load(text)
    return RuleSheet(found.file, found.base, found.sha256)
