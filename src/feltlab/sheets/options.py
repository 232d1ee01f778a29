"""Finds the lines of a wager that apply only under some of a sheet's options."""

from __future__ import annotations

from feltlab.games.rules import choose
from feltlab.sheets.sheet import Sheet
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.definition import WagerDefinition
from feltlab.wagers.wager import compile_wager


def options_of_lines(sheet: Sheet, wager: WagerDefinition, work: WorkBudget | None = None) -> dict[str, list[str]]:
    """The options under which each line can be paid, by the line's id; lines that apply under all options are left out.

    Paytables with the same lines, which differ only in their pays, are compiled once; `work` is charged.

    >>> from feltlab.sheets import load
    >>> baccarat = load("bad-beat-baccarat")
    >>> options_of_lines(baccarat, baccarat.wager("banker"))["banker-wins-commission"]
    ['commission']
    """
    work = work or WorkBudget()
    rules = choose(sheet.rules, {})
    paid: dict[str, set[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for paytable in wager.paytables():
        alike = tuple(paytable.pays)
        if alike in seen:
            continue
        for option in sheet.options:
            made = compile_wager(wager, paytable, sheet.settings(rules, option), work=work)
            if "paytable" not in made.constants():
                seen.add(alike)
            by_option = "option" in made.constants()
            for line in made.payable():
                paid.setdefault(line.id, set()).update([option] if by_option else sheet.options)
            if not by_option:
                break
    return {
        line: [option for option in sheet.options if option in options]
        for line, options in paid.items()
        if len(options) < len(sheet.options)
    }
