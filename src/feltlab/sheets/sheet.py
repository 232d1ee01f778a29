"""A sheet in use: the file, joined with the base wagers, options and procedure of its game."""

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
MAIN, INSURANCE = "main", "insurance"  # the base wagers of blackjack that a round knows by name


@dataclass(frozen=True)
class Sheet:
    """A rule sheet: what every engine is given. `sha256` is of the file, so that a result can name what it is of."""

    file: SheetFile
    base: SheetFile
    sha256: str

    @property
    def id(self) -> str:
        """Its name in commands."""
        return self.file.id

    @property
    def game(self) -> str:
        """`blackjack` or `baccarat`."""
        return self.file.game

    @property
    def decks(self) -> list[int]:
        """The deck counts that it is printed for."""
        return self.file.decks

    @property
    def vocabulary(self) -> Vocabulary:
        """What its conditions may name."""
        return VOCABULARIES[self.game]

    @cached_property
    def options(self) -> dict[str, Option]:
        """The forms of the game it allows: its own, or those of the base game."""
        return {option.id: option for option in (self.file.option or self.base.option)}

    @cached_property
    def rules(self) -> tuple[HouseRule, ...]:
        """The house rules of the game, and the sheet's own choices after them."""
        own = (HouseRule(rule.key, tuple(rule.values), rule.default, rule.sentence) for rule in self.file.rule)
        return (*GAME_RULES[self.game], *own)

    @cached_property
    def wagers(self) -> dict[str, WagerDefinition]:
        """Every wager by id: the base wagers first, then the sheet's in its order."""
        return {wager.id: wager for wager in (*self.base.wager, *self.file.wager)}

    @cached_property
    def base_ids(self) -> tuple[str, ...]:
        """The wagers of the game itself."""
        return tuple(wager.id for wager in self.base.wager)

    @property
    def procedure(self) -> list[Step]:
        """The steps of a round: the sheet's own, or those of the base game."""
        return self.file.procedure or self.base.procedure

    @cached_property
    def side_wagers(self) -> list[WagerDefinition]:
        """The wagers that a table may offer beside the game's own."""
        return [wager for wager in self.file.wager if not wager.audit_only]

    @property
    def usual_decks(self) -> int:
        """The deck count of its usual table; the last printed one where it names none."""
        return self.file.table.decks if self.file.table else self.decks[-1]

    def decks_of(self, paytable: PaytableDefinition) -> list[int]:
        """The deck counts that a paytable is printed for: its own, or all of the sheet's."""
        return paytable.decks or self.decks

    def printed(self, wager: WagerDefinition, decks: int) -> list[PaytableDefinition]:
        """The paytables of a wager that are printed for a deck count."""
        return [table for table in wager.paytables() if decks in self.decks_of(table)]

    def wager(self, id: str) -> WagerDefinition:
        """A wager by its id; a refusal that names the nearest one if there is none."""
        if id not in self.wagers:
            raise SetupError(f"{self.id} has no wager '{id}'; {nearest(id, self.wagers)}")
        return self.wagers[id]

    def check_decks(self, decks: int) -> int:
        """The deck count, if the sheet is printed for it."""
        if isinstance(decks, bool) or decks not in self.decks:
            raise SetupError(f"{self.id} is printed for {listed(self.decks)} decks, not {decks}")
        return decks

    def check_option(self, option: str | None) -> str | None:
        """The option, if the sheet has it; the usual one if none is named."""
        usual = self.file.table.option if self.file.table else None
        if option is None:
            return usual or next(iter(self.options), None)
        if option not in self.options:
            known = listed(self.options) if self.options else "it has none"
            raise SetupError(f"{self.id} has no option '{option}'; {known}")
        return option

    def settings(self, rules: Mapping[str, str], option: str | None) -> WagerSettings:
        """What conditions and pays may depend on, for a table with these choices."""
        return WagerSettings(self.vocabulary, self.rules, rules, tuple(self.options), option, self.definitions)

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The named conditions of the base game and of the sheet."""
        return {**self.base.define, **self.file.define}
