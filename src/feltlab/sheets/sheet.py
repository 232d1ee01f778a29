"""A loaded sheet: the file combined with the base wagers, options and procedure of its game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from feltlab.errors import SetupError, listed, nearest
from feltlab.games import baccarat, blackjack
from feltlab.games.rules import HouseRule
from feltlab.sheets.model import Option, SheetFile, Step
from feltlab.wagers import baccarat_facts, blackjack_facts
from feltlab.wagers.definition import PaytableDefinition, WagerDefinition
from feltlab.wagers.facts import Vocabulary
from feltlab.wagers.wager import WagerSettings

VOCABULARIES: Mapping[str, Vocabulary] = {
    "blackjack": blackjack_facts.VOCABULARY,
    "baccarat": baccarat_facts.VOCABULARY,
}
GAME_RULES: Mapping[str, tuple[HouseRule, ...]] = {"blackjack": blackjack.RULES, "baccarat": baccarat.RULES}
MAIN, INSURANCE = "main", "insurance"  # the base wagers of blackjack that rounds know by name


@dataclass(frozen=True)
class Sheet:
    """A rule sheet. `sha256` is the hash of its file, so that a result can name the sheet it belongs to."""

    file: SheetFile
    base: SheetFile
    sha256: str

    @property
    def id(self) -> str:
        """Its id in commands."""
        return self.file.id

    @property
    def game(self) -> str:
        """`blackjack` or `baccarat`."""
        return self.file.game

    @property
    def decks(self) -> list[int]:
        """The deck counts it is printed for."""
        return self.file.decks

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that its conditions may use."""
        return VOCABULARIES[self.game]

    @cached_property
    def options(self) -> dict[str, Option]:
        """The options of the sheet, or else those of the base game."""
        return {option.id: option for option in (self.file.option or self.base.option)}

    @cached_property
    def rules(self) -> tuple[HouseRule, ...]:
        """The house rules of the game, followed by the sheet's own rules."""
        own = (HouseRule(rule.key, tuple(rule.values), rule.default, rule.sentence) for rule in self.file.rule)
        return (*GAME_RULES[self.game], *own)

    @cached_property
    def wagers(self) -> dict[str, WagerDefinition]:
        """Every wager by id: the base wagers first, then the sheet's in its order."""
        return {wager.id: wager for wager in (*self.base.wager, *self.file.wager)}

    @cached_property
    def base_ids(self) -> tuple[str, ...]:
        """The ids of the game's own wagers."""
        return tuple(wager.id for wager in self.base.wager)

    @property
    def procedure(self) -> list[Step]:
        """The steps of a round as the sheet describes them, or else as the base game does."""
        return self.file.procedure or self.base.procedure

    @cached_property
    def side_wagers(self) -> list[WagerDefinition]:
        """The side wagers that a table may offer."""
        return [wager for wager in self.file.wager if not wager.audit_only]

    @property
    def usual_decks(self) -> int:
        """The deck count of its usual table, or else the last printed one."""
        return self.file.table.decks if self.file.table else self.decks[-1]

    def decks_of(self, paytable: PaytableDefinition) -> list[int]:
        """The deck counts a paytable is printed for: its own, or else all of the sheet's."""
        return paytable.decks or self.decks

    def printed(self, wager: WagerDefinition, decks: int) -> list[PaytableDefinition]:
        """The paytables of a wager that are printed for a deck count."""
        return [table for table in wager.paytables() if decks in self.decks_of(table)]

    def wager(self, id: str) -> WagerDefinition:
        """A wager by its id; the error for an unknown one names the nearest."""
        if id not in self.wagers:
            raise SetupError(f"{self.id} has no wager '{id}'; {nearest(id, self.wagers)}")
        return self.wagers[id]

    def check_decks(self, decks: int) -> int:
        """The deck count, refused if the sheet is not printed for it."""
        if isinstance(decks, bool) or decks not in self.decks:
            raise SetupError(f"{self.id} is printed for {listed(self.decks)} decks, not {decks}")
        return decks

    def check_option(self, option: str | None) -> str | None:
        """The option, refused if the sheet does not have it; the usual one for None."""
        usual = self.file.table.option if self.file.table else None
        if option is None:
            return usual or next(iter(self.options), None)
        if option not in self.options:
            known = listed(self.options) if self.options else "it has none"
            raise SetupError(f"{self.id} has no option '{option}'; {known}")
        return option

    def settings(self, rules: Mapping[str, str], option: str | None) -> WagerSettings:
        """The choices that conditions and pays may depend on."""
        return WagerSettings(self.vocabulary, self.rules, rules, tuple(self.options), option, self.definitions)

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The named conditions of the base game and of the sheet."""
        return {**self.base.define, **self.file.define}
