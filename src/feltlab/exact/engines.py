"""Which count fits a wager; and lines that no cards can make."""

from __future__ import annotations

from feltlab.errors import FeltlabError, SheetError
from feltlab.exact import baccarat, dealer, first_cards
from feltlab.exact.shoe import Composition
from feltlab.games.blackjack import House, house
from feltlab.games.rules import choose
from feltlab.sheets import Sheet
from feltlab.sheets.lint import variants
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager


def law(game: str, wager: Wager, shoe: Composition, rules: House | None) -> Law | None:
    """The law of a wager by counting; None where it depends on how a hand is played."""
    if game == "baccarat":
        return baccarat.law(wager, shoe)
    if first_cards.can_be_counted(wager):
        return first_cards.law(wager, shoe)
    assert rules is not None
    return dealer.law(wager, shoe, rules) if dealer.can_be_counted(wager) else None


def check_reachable(sheet: Sheet) -> list[str]:
    """Refuse a sheet with a line that no cards can make, whatever the table chooses; gives the wagers not counted.

    A line is only refused where it can be counted with the most decks of the sheet, which make the most possible.
    """
    shoe = Composition.of(max(sheet.decks))
    rules = house(choose(sheet.rules, {})) if sheet.game == "blackjack" else None
    not_counted = []
    for definition in sheet.file.wager:
        made: set[str] = set()
        try:
            for wager in variants(sheet, definition):
                found = law(sheet.game, wager, shoe, rules)
                if found is None:
                    raise FeltlabError("it depends on how a hand is played")
                for ways, outcome in zip(found.ways, wager.cells.outcomes, strict=True):
                    if ways:
                        made.update(wager.line_ids(outcome))
        except FeltlabError:
            not_counted.append(definition.id)
            continue
        for line in definition.line:
            if line.key not in made:
                raise SheetError(
                    f"wager '{definition.id}', line '{line.name}': no cards can make it; its probability is 0"
                )
    return not_counted
