"""A rule sheet, the starting point of the interface."""

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
    """A rule sheet, with its tables and its audit. Made by `load_sheet`."""

    @with_choice_arguments
    def table(self, choice: TableChoice) -> GameTable:
        """A table of the sheet, by default its usual table. The arguments are those of `TableChoice`.

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
    """Load a rule sheet: a built-in one by name, a TOML file by path, or the text of such a file.

    >>> load_sheet("big-slick-blackjack")
    <Big Slick Blackjack with Action Match: blackjack, 1, 2, 4, 6 or 8 decks; Big Slick, Action Match>
    """
    text = str(source)
    sheet = load_text(text, TEXT) if "\n" in text else load(text)
    return RuleSheet(sheet.file, sheet.base, sheet.sha256)
