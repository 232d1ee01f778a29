"""A sheet with every choice made (decks, option, paytables, rules, offered wagers): the input of every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from feltlab.errors import FeltlabError, SetupError, listed, nearest
from feltlab.games.blackjack import House, house, never_done
from feltlab.games.rules import choose
from feltlab.money import parse_pay, pay_text
from feltlab.sheets.sheet import GAME_RULES, Sheet
from feltlab.tables.choice import TableChoice, with_choice_arguments
from feltlab.wagers.cells import Line
from feltlab.wagers.definition import PaytableDefinition, WagerDefinition
from feltlab.wagers.wager import Wager, compile_wager, paytable_pays


class Difference(NamedTuple):
    """A difference between a table and its sheet. `left_to_house`: the sheet leaves this choice to the house."""

    what: str
    sheet: str
    table: str
    left_to_house: bool

    def sentence(self) -> str:
        """The difference in words."""
        whose = "a house rule, the sheet's default is" if self.left_to_house else "the sheet says"
        return f"{self.what} is {self.table} ({whose} {self.sheet})"


@dataclass(frozen=True)
class Setup:
    """One playable form of a sheet. Made by `set_up`."""

    sheet: Sheet
    decks: int
    option: str | None
    rules: Mapping[str, str]
    wagers: Mapping[str, Wager]
    changed_pays: Mapping[tuple[str, str], Fraction]

    @property
    def paytables(self) -> dict[str, str]:
        """The paytable of each side wager that is offered."""
        return {id: wager.paytable for id, wager in self.wagers.items() if id not in self.sheet.base_ids}

    @cached_property
    def house(self) -> House:
        """Blackjack's house rules, as the integers that the game's functions take."""
        return house(self.rules)

    @cached_property
    def payable(self) -> Mapping[str, tuple[Line, ...]]:
        """The lines of each wager that can be paid at this table, which is what the table posts."""
        never = never_done(self.rules) if self.sheet.game == "blackjack" else ()
        return {id: wager.payable(never) for id, wager in self.wagers.items()}

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """How it differs from the sheet; a setup with any difference is called modified."""
        differences = [
            Difference(f"rule {rule.key}", rule.default, self.rules[rule.key], rule in GAME_RULES[self.sheet.game])
            for rule in self.sheet.rules
            if self.rules[rule.key] != rule.default
        ]
        for (id, line), pay in self.changed_pays.items():
            wager = self.sheet.wager(id)
            table = paytable_for(self.sheet, wager, self.wagers[id].paytable, self.decks)
            printed = paytable_pays(wager, table, self.rules)[line]
            if pay != printed:
                differences.append(Difference(f"the pay of {id}/{line}", pay_text(printed), pay_text(pay), False))
        return tuple(differences)

    @property
    def choice(self) -> TableChoice:
        """The complete choice that makes this setup again, with nothing left to the sheet's defaults.

        >>> from feltlab.sheets import load
        >>> setup = set_up(load("bad-beat-blackjack"), paytables=["P5"], pays={"bad-beat/20-beaten": "25:1"})
        >>> setup.choice.paytables, setup.choice.pays
        (['bad-beat=P5'], {'bad-beat/20-beaten': '25:1'})
        """
        printed = {id: table for id, table in self.paytables.items() if len(self.sheet.wager(id).paytable_ids()) > 1}
        return TableChoice(
            decks=self.decks,
            option=self.option,
            paytables=[f"{id}={table}" for id, table in printed.items()],
            rules=dict(self.rules),
            offered=list(self.paytables),
            pays={f"{id}/{line}": pay_text(pay) for (id, line), pay in self.changed_pays.items()},
        )

    def headline(self) -> str:
        """The table in one line: decks, option and paytables."""
        parts = [f"{self.decks} deck" + ("s" if self.decks > 1 else "")]
        if self.option is not None:
            parts.append(f"option {self.option}")
        if posted := self.choice.paytables:
            parts.append("paytable " + ", ".join(paytable.replace("=", " ") for paytable in posted))
        return ", ".join(parts)


def setup_of(sheet: Sheet, choice: TableChoice) -> Setup:
    """Set up a table; what the choice leaves out is the sheet's usual table.

    >>> from feltlab.sheets import load
    >>> set_up(load("bad-beat-blackjack"), decks=2, paytables=["L3"]).headline()
    '2 decks, option 2, paytable bad-beat L3'
    """
    decks = sheet.check_decks(choice.decks if choice.decks is not None else sheet.usual_decks)
    option = sheet.check_option(choice.option)
    rules = choose(sheet.rules, choice.rules)
    posted = _posted(sheet, choice.paytables)
    settings = sheet.settings(rules, option)
    changed = _changed_pays(sheet, choice.pays)
    wagers = {}
    for definition in _offered(sheet, decks, choice.offered, posted):
        table = paytable_for(sheet, definition, posted.get(definition.id), decks)
        own = {line: pay for (id, line), pay in changed.items() if id == definition.id}
        for line in own:
            if line not in table.pays:
                where = f"paytable {table.id} of {definition.id}"
                raise SetupError(f"{where} has no line '{line}'; {nearest(line, table.pays)}")
        wagers[definition.id] = compile_wager(definition, table, settings, own)
    for id, line in changed:
        if id not in wagers:
            raise SetupError(f"the pay of {id}/{line} cannot be changed: the table does not offer {id}")
    return Setup(sheet, decks, option, rules, wagers, changed)


set_up = with_choice_arguments(setup_of)
"""Set up a table, with the fields of the choice as arguments."""


def paytable_for(sheet: Sheet, wager: WagerDefinition, id: str | None, decks: int) -> PaytableDefinition:
    """The paytable of a wager for a deck count: the named one, else the usual one, else the first that is printed."""
    printed = sheet.printed(wager, decks)
    usual = sheet.file.table.paytables.get(wager.id) if sheet.file.table else None
    for wanted in (id,) if id is not None else (usual, None):
        for table in printed:
            if wanted is None or table.id == wanted:
                return table
    if id is not None and id not in wager.paytable_ids():
        raise SetupError(f"{wager.id} has no paytable '{id}'; {nearest(id, wager.paytable_ids())}")
    if id is not None:
        valid = sorted({n for table in wager.paytables() if table.id == id for n in sheet.decks_of(table)})
        raise SetupError(f"paytable {id} of {wager.id} is printed for {listed(valid)} decks, not {decks}")
    valid = sorted({n for table in wager.paytables() for n in sheet.decks_of(table)})
    raise SetupError(f"{wager.id} is printed for {listed(valid)} decks, not {decks}")


def _posted(sheet: Sheet, paytables: Iterable[str]) -> dict[str, str]:
    """The named paytables, by the wager that each belongs to."""
    posted: dict[str, str] = {}
    for given in [paytables] if isinstance(paytables, str) else paytables:  # a single one may be given as a string
        wager_id, _, id = given.rpartition("=")
        if wager_id:
            known = sheet.wager(wager_id).paytable_ids()
            owners = [wager_id] if id in known else []
        else:
            owners = [wager.id for wager in sheet.file.wager if wager.paytable and id in wager.paytable_ids()]
            known = [name for wager in sheet.file.wager if wager.paytable for name in wager.paytable_ids()]
        if not owners:
            raise SetupError(f"{sheet.id} has no paytable '{given}'; {nearest(id, known)}")
        for owner in owners:
            if posted.get(owner, id) != id:
                raise SetupError(f"a table posts one paytable of {owner}, not both {posted[owner]} and {id}")
            posted[owner] = id
    return posted


def _offered(
    sheet: Sheet, decks: int, offered: Iterable[str] | None, posted: Mapping[str, str]
) -> list[WagerDefinition]:
    """The base wagers and the chosen side wagers; by default all that are printed for the decks."""
    if offered is None:
        chosen: list[WagerDefinition] = []
        for wager in sheet.side_wagers:
            if (sheet.printed(wager, decks) or wager.id in posted) and not any(
                _clash(wager, other) for other in chosen
            ):
                chosen.append(wager)
    else:
        wanted = {id: sheet.wager(id) for id in offered}
        for wager in wanted.values():
            if wager.audit_only:
                raise SetupError(f"{wager.id} is another reading of the sheet: it is only computed, never offered")
        chosen = [wager for wager in sheet.side_wagers if wager.id in wanted]
    for place, wager in enumerate(chosen):
        for other in chosen[:place]:
            if _clash(wager, other):
                raise SetupError(
                    f"a table offers {other.id} or {wager.id}, not both: the sheet says they exclude each other"
                )
    return [sheet.wagers[id] for id in sheet.base_ids] + chosen


def _clash(one: WagerDefinition, other: WagerDefinition) -> bool:
    return other.id in one.excludes or one.id in other.excludes


def _changed_pays(sheet: Sheet, pays: Mapping[str, str]) -> dict[tuple[str, str], Fraction]:
    changed: dict[tuple[str, str], Fraction] = {}
    for place, text in pays.items():
        wager_id, _, line = place.partition("/")
        wager = sheet.wager(wager_id)
        known = [item.key for item in wager.line]
        if line not in known:
            raise SetupError(f"{wager_id} has no line '{line}'; {nearest(line, known)}")
        try:
            changed[wager_id, line] = parse_pay(text)
        except FeltlabError as error:
            raise SetupError(f"the pay of {place}: {error}") from None
    return changed
