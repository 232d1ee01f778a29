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

MOST_GAMES_BYTES = 512 << 20  # of the tables that are kept; one of six decks takes about 130 MB
MOST_NAMED = 40  # removed cards that a headline names one by one


class Figured(NamedTuple):
    """Figures of a wager, and for one on hit cards which of the two: `up-card` or `in-play`."""

    figures: Figures
    known: str | None = None


@dataclass(frozen=True)
class Analysis:
    """One table's wagers, analysed from its full shoe or from what is left when some cards are gone."""

    setup: Setup
    removed: tuple[int, ...] = ()
    strategy: Strategy = DEFAULT

    @classmethod
    def of(cls, sheet: Sheet, choice: TableChoice) -> Analysis:
        """The analysis of a table as it is chosen."""
        return cls(setup_of(sheet, choice), choice.removed, choice.played_by)

    def headline(self) -> str:
        """The table in one line, with the cards that are gone.

        >>> analyse("bad-beat-baccarat", remove="As Kd").headline()
        '8 decks, option commission, without As Kd'
        """
        shown = names(self.removed[:MOST_NAMED])
        if len(self.removed) > MOST_NAMED:
            shown += f" and {len(self.removed) - MOST_NAMED} more cards"
        return self.setup.headline() + (f", without {shown}" if shown else "")

    def wager(self, id: str, paytable: str | None = None) -> Wager:
        """A wager of the table; also one that the sheet only has for the audit."""
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
        """The law of a wager: how likely each of its outcomes is.

        Where play matters it is for a strategy: the table's own, unless one is named. A wager on hit cards is counted by
        the up card alone unless a strategy is named. Without `whole_rounds` the main wager has its edge and no variance.
        """
        if paytable is not None and wager in self.setup.wagers and paytable != self.setup.wagers[wager].paytable:
            return self._posting(wager, paytable).law(wager, strategy, whole_rounds=whole_rounds)
        made = self.wager(wager, paytable)
        if not (strategy and made.on_hit_cards):
            found = self.counted(made)
            if found is not None:
                return found
        return self.play(strategy).law(made, whole_rounds=whole_rounds)

    def _posting(self, wager: str, paytable: str) -> Analysis:
        """The same table with another paytable of a wager, which a strategy for it must know."""
        choice = self.setup.choice
        kept = [posted for posted in choice.paytables if not posted.startswith(f"{wager}=")]
        other = replace(
            choice, paytables=[*kept, f"{wager}={paytable}"], pays={}
        )  # printed ones: it is another paytable
        return Analysis(setup_of(self.setup.sheet, other), self.removed, self.strategy)

    def figures(self, wager: str, strategy: str | Strategy | None = None, paytable: str | None = None) -> Figures:
        """House edge, frequencies, variance and the return of every line; see `law` for what the strategy means."""
        return Figures(self.law(wager, strategy, paytable))

    def all_figures(self, wager: str, strategies: Iterable[str | Strategy] = (DEFAULT,)) -> Iterator[Figured]:
        """The figures of a wager: counted, or for each strategy; of one on hit cards both."""
        yield from self.counted_figures(wager)
        yield from self.played_figures(wager, strategies)

    def counted_figures(self, wager: str) -> Iterator[Figured]:
        """The figures of a wager that do not depend on play, if it has any."""
        made = self.wager(wager)
        law = self.counted(made)
        if law is not None:
            yield Figured(Figures(law), "up-card" if made.on_hit_cards else None)

    def played_figures(
        self, wager: str, strategies: Iterable[str | Strategy] = (DEFAULT,), *, whole_rounds: bool = True
    ) -> Iterator[Figured]:
        """The figures of a wager that depend on play, if it has any, for each strategy."""
        made, in_play = self.wager(wager), self.wager(wager).on_hit_cards
        if in_play or not is_counted(self.setup.sheet.game, made):
            for strategy in strategies:
                law = self.play(strategy).law(made, whole_rounds=whole_rounds)
                yield Figured(Figures(law), "in-play" if in_play else None)

    def counted(self, wager: Wager) -> Law | None:
        """The law of a wager by counting; None where it depends on how a hand is played."""
        blackjack = self.setup.sheet.game == "blackjack"
        return counted(self.setup.sheet.game, wager, self.shoe, self.setup.house if blackjack else None)

    @cached_property
    def shoe(self) -> ShoeComposition:
        """What is left in the shoe."""
        return ShoeComposition.of(self.setup.decks, self.removed)

    @property
    def game(self) -> Blackjack:
        """The table's blackjack, every decision of it; kept, so that tables with one shoe and rules share it."""
        from feltlab.exact.blackjack.game import Blackjack

        if self.setup.sheet.game != "blackjack":
            return Blackjack.of(self.setup)  # which refuses
        main = self.setup.wagers["main"]
        key = self.shoe, self.setup.house, main.shape, main.cells.pays
        return _games.find(key, lambda: Blackjack.of(self.setup, self.removed))

    def play(self, strategy: str | Strategy | None = None) -> Played:
        """A strategy played at the table: `basic`, `composition`, `bonus[:WAGER]`, `joint[:WAGER]:RATIO`, `standard`, or a chart.

        A chart of one's own is read first: `play(feltlab.strategy.load_chart("mine.txt"))`.
        """
        from feltlab.exact.blackjack.strategies import play

        return play(self.game, self.setup, as_strategy(strategy or self.strategy))

    def dealer(self, up: str, *, peeked: bool = True) -> dict[tuple[str, int], Fraction]:
        """How likely the dealer ends on each total with each number of cards, with an up card, as `dealer("6d")`."""
        if self.setup.sheet.game != "blackjack":
            raise FeltlabError(f"{self.setup.sheet.id} has no dealer who draws: it is {self.setup.sheet.game}")
        shown = _one(up, self.shoe)
        return final_hands(self.shoe, card_points(shown), self.setup.house, peeked=peeked)

    def action_values(self, hand: str, up: str) -> dict[str, float]:
        """What each action on a hand against an up card is worth to the main wager, as `action_values("8s 8h", "Tc")`."""
        game, held, shown = self.game, cards(hand), _one(up, self.shoe)
        counts, aces = [card_points(card) for card in held], sum(rank(card) == 1 for card in held)
        if len(held) < 2 or total(sum(counts), aces) > 21:
            raise FeltlabError(f"'{hand}' is no hand to decide on: it has two cards or more and is not bust")
        for card in {*held, shown}:
            if [*held, shown].count(card) > self.shoe.counts[card]:
                raise FeltlabError(f"the shoe has no {[*held, shown].count(card)} of {name(card)}")
        return game.worth(counts, card_points(shown))


def _one(text: str, shoe: ShoeComposition) -> int:
    """The one card that a text names, which must be in the shoe."""
    found = cards(text)
    if len(found) != 1:
        raise FeltlabError(f"'{text}' is not one card; write it as '6d'")
    if not shoe.counts[found[0]]:
        raise FeltlabError(f"the shoe has no {name(found[0])}")
    return found[0]


_games: BoundedCache[object, Blackjack] = BoundedCache(MOST_GAMES_BYTES, growing=True)


def offered_for(sheet: Sheet, item: WagerDefinition, decks: int | None, strategies: Iterable[Strategy]) -> list[str]:
    """The side wagers of a table at which an item is figured: itself, and those that the strategies have in view."""
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
    """Analyse a table of a sheet: a built-in one by name, a file by path, or a sheet that is loaded.

    What is left out is the sheet's usual table. `remove` are cards gone from the shoe, as "As Kd".

    >>> f"{float(analyse('bad-beat-baccarat', decks=8).figures('bad-beat').house_edge):.4%}"
    '6.8813%'
    """
    return Analysis.of(load(sheet) if isinstance(sheet, str) else sheet, choice)
