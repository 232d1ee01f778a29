"""The analysis of a table, for programs and notebooks.

>>> table = analyse("bad-beat-baccarat", decks=8)
>>> print(table.figures("super-shot-8-7"))
Super Shot Bad Beat: 8 over 7
event     pays           combinations  probability     return
8 over 7  25:1    156,966,594,535,424     0.031403   0.785084
Lose      lose  4,841,431,680,967,936     0.968597  -0.968597
house edge 18.3512%, hit frequency 3.1403%, standard deviation 4.5345, of 4,998,398,275,503,360 ordered six-card sequences
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from feltlab.cards import cards, name, names, rank
from feltlab.errors import FeltlabError
from feltlab.exact.counting.dealer import final_hands
from feltlab.exact.methods import counted, is_counted
from feltlab.exact.shoe import ShoeComposition
from feltlab.figures import Figures
from feltlab.games.blackjack import card_points, total
from feltlab.memory import BoundedCache
from feltlab.sheets import Sheet, load
from feltlab.strategy import DEFAULT, Bonus, Chart, Joint, Strategy, as_strategy
from feltlab.tables import Setup, TableChoice, setup_of, with_choice_arguments
from feltlab.tables.setup import paytable_for
from feltlab.wagers.definition import WagerDefinition
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager, compile_wager

if TYPE_CHECKING:  # loaded only where play is analysed: numpy and numba take their time
    from feltlab.exact.blackjack.game import Blackjack, Played

MOST_GAMES_BYTES = 512 << 20  # of cached games; one of six decks takes about 130 MB
MOST_NAMED = 40  # removed cards that a headline names individually


class Figured(NamedTuple):
    """The figures of a wager. A wager on hit cards has two: `known` is `up-card` or `in-play`."""

    figures: Figures
    known: str | None = None


@dataclass(frozen=True)
class Analysis:
    """The exact analysis of one table, from its full shoe or with some cards removed."""

    setup: Setup
    removed: tuple[int, ...] = ()
    strategy: Strategy = DEFAULT

    @classmethod
    def of(cls, sheet: Sheet, choice: TableChoice) -> Analysis:
        """The analysis of a chosen table of a sheet."""
        return cls(setup_of(sheet, choice), choice.removed, choice.played_by)

    def headline(self) -> str:
        """The table in one line, with the removed cards.

        >>> analyse("bad-beat-baccarat", remove="As Kd").headline()
        '8 decks, option commission, without As Kd'
        """
        shown = names(self.removed[:MOST_NAMED])
        if len(self.removed) > MOST_NAMED:
            shown += f" and {len(self.removed) - MOST_NAMED} more cards"
        return self.setup.headline() + (f", without {shown}" if shown else "")

    def wager(self, id: str, paytable: str | None = None) -> Wager:
        """A wager of the table, or one that the sheet has only for the audit."""
        setup = self.setup
        definition = setup.sheet.wager(id)
        if id in setup.wagers and paytable in (None, setup.wagers[id].paytable):
            return setup.wagers[id]
        printed = paytable_for(setup.sheet, definition, paytable, setup.decks)
        return compile_wager(definition, printed, setup.sheet.settings(setup.rules, setup.option))

    def law(
        self,
        wager: str,
        strategy: str | Strategy | None = None,
        paytable: str | None = None,
        *,
        whole_rounds: bool = True,
    ) -> Law:
        """The law of a wager: the probability of each outcome.

        If it depends on play, it is for a strategy, by default the table's own. A wager on hit cards is counted by the up
        card alone unless a strategy is given. Without `whole_rounds`, the main wager has its edge but no variance.
        """
        if paytable is not None and wager in self.setup.wagers and paytable != self.setup.wagers[wager].paytable:
            return self._posting(wager, paytable).law(wager, strategy, whole_rounds=whole_rounds)
        made = self.wager(wager, paytable)
        if not (strategy and made.on_hit_cards):
            law = self.counted(made)
            if law is not None:
                return law
        return self.play(strategy).law(made, whole_rounds=whole_rounds)

    def _posting(self, wager: str, paytable: str) -> Analysis:
        """The same table with another paytable of a wager, which its strategies must take into account."""
        choice = self.setup.choice
        kept = [posted for posted in choice.paytables if not posted.startswith(f"{wager}=")]
        other = replace(choice, paytables=[*kept, f"{wager}={paytable}"], pays={})  # changed pays are for the old one
        return Analysis(setup_of(self.setup.sheet, other), self.removed, self.strategy)

    def figures(self, wager: str, strategy: str | Strategy | None = None, paytable: str | None = None) -> Figures:
        """House edge, frequencies, variance and the return of every line; see `law` for the strategy."""
        return Figures(self.law(wager, strategy, paytable))

    def all_figures(self, wager: str, strategies: Iterable[str | Strategy] = (DEFAULT,)) -> Iterator[Figured]:
        """The figures of a wager: counted, or for each strategy; both for a wager on hit cards."""
        yield from self.counted_figures(wager)
        yield from self.played_figures(wager, strategies)

    def counted_figures(self, wager: str) -> Iterator[Figured]:
        """The figures of a wager that do not depend on play, if any."""
        made = self.wager(wager)
        law = self.counted(made)
        if law is not None:
            yield Figured(Figures(law), "up-card" if made.on_hit_cards else None)

    def played_figures(
        self, wager: str, strategies: Iterable[str | Strategy] = (DEFAULT,), *, whole_rounds: bool = True
    ) -> Iterator[Figured]:
        """The figures of a wager that depend on play, if any, for each strategy."""
        made, in_play = self.wager(wager), self.wager(wager).on_hit_cards
        if in_play or not is_counted(self.setup.sheet.game, made):
            for strategy in strategies:
                law = self.play(strategy).law(made, whole_rounds=whole_rounds)
                yield Figured(Figures(law), "in-play" if in_play else None)

    def counted(self, wager: Wager) -> Law | None:
        """The law of a wager by counting; None if it depends on play."""
        blackjack = self.setup.sheet.game == "blackjack"
        return counted(self.setup.sheet.game, wager, self.shoe, self.setup.house if blackjack else None)

    @cached_property
    def shoe(self) -> ShoeComposition:
        """The composition of the shoe without the removed cards."""
        return ShoeComposition.of(self.setup.decks, self.removed)

    @property
    def game(self) -> Blackjack:
        """The analysed decisions of the table's blackjack game, cached for tables with the same shoe and rules."""
        from feltlab.exact.blackjack.game import Blackjack

        if self.setup.sheet.game != "blackjack":
            return Blackjack.of(self.setup)  # refuses
        main = self.setup.wagers["main"]
        key = self.shoe, self.setup.house, main.shape, main.cells.pays
        return _games.find(key, lambda: Blackjack.of(self.setup, self.removed))

    def play(self, strategy: str | Strategy | None = None) -> Played:
        """Play a strategy at the table: `basic`, `composition`, `bonus[:WAGER]`, `joint[:WAGER]:RATIO`, `standard`, or a chart.

        To play your own chart, load it first: `table.play(fl.load_chart("mine.txt"))`.
        """
        from feltlab.exact.blackjack.strategies import play

        return play(self.game, self.setup, as_strategy(strategy or self.strategy))

    def dealer(self, up: str, *, peeked: bool = True) -> dict[tuple[str, int], Fraction]:
        """The probability of each final total and number of cards of the dealer, given an up card: `dealer("6d")`."""
        if self.setup.sheet.game != "blackjack":
            raise FeltlabError(f"{self.setup.sheet.id} is {self.setup.sheet.game}, which has no dealer's hand")
        shown = _card_in_shoe(up, self.shoe)
        return final_hands(self.shoe, card_points(shown), self.setup.house, peeked=peeked)

    def action_values(self, hand: str, up: str) -> dict[str, float]:
        """The value of each action on a hand to the main wager, given an up card: `action_values("8s 8h", "Tc")`."""
        game, held, shown = self.game, cards(hand), _card_in_shoe(up, self.shoe)
        counts, aces = [card_points(card) for card in held], sum(rank(card) == 1 for card in held)
        if len(held) < 2 or total(sum(counts), aces) > 21:
            raise FeltlabError(f"'{hand}' is not a hand to decide on; give two cards or more that are not bust")
        for card in {*held, shown}:
            if [*held, shown].count(card) > self.shoe.counts[card]:
                raise FeltlabError(f"the shoe does not have {name(card)} {[*held, shown].count(card)} times")
        return game.worth(counts, card_points(shown))


def _card_in_shoe(text: str, shoe: ShoeComposition) -> int:
    """Parse a single card, which must be in the shoe."""
    parsed = cards(text)
    if len(parsed) != 1:
        raise FeltlabError(f"'{text}' is not a single card; write one like '6d'")
    if not shoe.counts[parsed[0]]:
        raise FeltlabError(f"the shoe has no {name(parsed[0])}")
    return parsed[0]


_games: BoundedCache[object, Blackjack] = BoundedCache(MOST_GAMES_BYTES, growing=True)


def offered_for(sheet: Sheet, item: WagerDefinition, decks: int | None, strategies: Iterable[Strategy]) -> list[str]:
    """The side wagers of the table for a wager's figures: the wager itself, and those that the strategies play for."""
    count = decks if decks is not None else sheet.usual_decks
    offered = [] if item.id in sheet.base_ids else [item.id]
    for strategy in strategies:
        if isinstance(strategy, Bonus | Joint | Chart):  # a chart may say what to do while a bonus can still win
            named = None if isinstance(strategy, Chart) else strategy.wager
            before = [side.id for side in sheet.side_wagers if side.placed == "before-deal"]
            offered += [id for id in ([named] if named in sheet.wagers else before[:1]) if id not in offered]
    return [id for id in offered if id in sheet.wagers and sheet.printed(sheet.wagers[id], count)]


@with_choice_arguments
def analyse(sheet: str | Sheet, choice: TableChoice) -> Analysis:
    """Analyse a table of a sheet, given by built-in name, by path or as a loaded sheet.

    What is left out is the sheet's usual table. `remove` names cards removed from the shoe, for example "As Kd".

    >>> f"{float(analyse('bad-beat-baccarat', decks=8).figures('bad-beat').house_edge):.4%}"
    '6.8813%'
    """
    return Analysis.of(load(sheet) if isinstance(sheet, str) else sheet, choice)
