"""Which lines of a wager are for some of a sheet's options only."""

from __future__ import annotations

from feltlab.games.rules import choose
from feltlab.sheets.sheet import Sheet
from feltlab.wagers.definition import WagerDefinition
from feltlab.wagers.wager import compile_wager


def options_of_lines(sheet: Sheet, wager: WagerDefinition) -> dict[str, list[str]]:
    """The options under which a line can be paid, by the line's id; a line that no option leaves out is not named.

    >>> from feltlab.sheets import load
    >>> baccarat = load("bad-beat-baccarat")
    >>> options_of_lines(baccarat, baccarat.wager("banker"))["banker-wins-commission"]
    ['commission']
    """
    rules = choose(sheet.rules, {})
    paid: dict[str, set[str]] = {}
    for option in sheet.options:
        for paytable in wager.paytables():
            made = compile_wager(wager, paytable, sheet.settings(rules, option))
            if "option" not in made.constants():
                return {}
            for line in made.payable():
                paid.setdefault(line.id, set()).add(option)
    return {
        line: [option for option in sheet.options if option in found]
        for line, found in paid.items()
        if len(found) < len(sheet.options)
    }
