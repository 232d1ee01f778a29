"""Copies a sheet's text with changed pays written into it."""

from __future__ import annotations

import re
import tomllib

from msgspec import Struct

from feltlab.errors import SetupError
from feltlab.lab.choice import analysis_of
from feltlab.lab.error_lines import Section, sections
from feltlab.money import pay_text
from feltlab.sheets import Sheet
from feltlab.tables import Setup, TableChoice
from feltlab.tables.setup import paytable_for


class Copy(Struct, frozen=True):
    """The text of a sheet."""

    text: str


def copied(choice: TableChoice, sheet: Sheet, text: str) -> str:
    """The text with every changed pay in its place; everything else stays as it is, comments included."""
    setup = analysis_of(choice, sheet).setup
    for (wager, line), pay in setup.changed_pays.items():
        text = _with_pay(text, setup, wager, line, pay_text(pay))
    return text


def _with_pay(text: str, setup: Setup, wager: str, line: str, pay: str) -> str:
    sheet, refused = setup.sheet, f"the pay of {wager}/{line} cannot be written into the sheet"
    if wager in sheet.base_ids:
        raise SetupError(f"{refused}: {wager} is the game's own wager, and a house rule sets its pay")
    definition = sheet.wager(wager)
    data, lines = tomllib.loads(text), text.split("\n")
    place = [one["id"] for one in data["wager"]].index(wager)
    if definition.paytable:
        table = definition.paytable.index(paytable_for(sheet, definition, setup.wagers[wager].paytable, setup.decks))
        data["wager"][place]["paytable"][table]["pays"][line] = pay
        parts, key = _parts(lines, place, "wager.paytable", table), line
    else:
        number = [one.key for one in definition.line].index(line)
        data["wager"][place]["line"][number]["pays"] = pay
        parts, key = _parts(lines, place, "wager.line", number), "pays"
    pattern = re.compile(rf"""((?:^|[\s{{,])(["']?){re.escape(key)}\2\s*=\s*)("[^"]*"|'[^']*')""")
    for number in (number for part in parts for number in range(part.start, part.end)):
        changed = pattern.sub(lambda found: f'{found[1]}"{pay}"', lines[number], count=1)
        if changed != lines[number]:
            made = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            if _reads_as(made, data):
                return made
    if _reads_as(text, data):
        return text
    raise SetupError(f"{refused}: its notation there is not supported; change it by hand")


def _parts(lines: list[str], wager: int, path: str, number: int) -> list[Section]:
    """The sections of an entry of a wager: the entry's own, and a table of pays below it."""
    owner, entry, found = -1, -1, []
    for part in sections(lines):
        if part.path == "wager":
            owner, entry = owner + 1, -1
        elif part.path == path:
            entry += 1
        if owner == wager and (entry == number and part.path.startswith(path)):
            found.append(part)
    return found


def _reads_as(text: str, data: dict[str, object]) -> bool:
    try:
        return tomllib.loads(text) == data
    except ValueError:
        return False
