"""A table of a sheet: exact figures, simulation, and single rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from feltlab import html
from feltlab.analysis import Analysis
from feltlab.api.hand import DealtRound, dealt_round
from feltlab.simulation import Simulation, simulate
from feltlab.strategy import Strategy


@dataclass(frozen=True, repr=False)
class GameTable(Analysis):
    """A table of a sheet. Made by `RuleSheet.table`.

    >>> import feltlab as fl
    >>> table = fl.load_sheet("bad-beat-blackjack").table(decks=6)
    >>> round(table.action_values("8s 8h", up="Td")["split"], 4)
    -0.4749
    """

    def simulate(
        self,
        rounds: int,
        *,
        seed: int = 0,
        strategy: str | Strategy | None = None,
        mode: str = "fresh",
        cut: int | None = None,
        spots: int = 1,
        engine: str = "cpu",
    ) -> Simulation:
        """Simulate this many rounds, each from a full shoe, or with `mode="shoe"` shoe by shoe to the cut card.

        The same seed gives the same counts on every engine: `cpu`, `gpu` and `ray`.

        >>> import feltlab as fl
        >>> run = fl.load_sheet("bad-beat-baccarat").table(decks=8).simulate(100_000, seed=7)
        >>> print(f"{run['bad-beat'].house_edge.value:.1%}, {run['bad-beat'].z:+.1f} standard errors from the exact edge")
        6.9%, +0.0 standard errors from the exact edge
        """
        return simulate(
            self, rounds=rounds, seed=seed, mode=mode, cut=cut, spots=spots, strategy=strategy, engine_name=engine
        )

    def deal(
        self, cards: str = "", *, bets: Mapping[str, int] | None = None, spots: int = 1, seed: int | None = None
    ) -> DealtRound:
        """Deal a round with bets in cents on each spot, by default one on every wager.

        `cards` are dealt in the given order; without them the shoe is shuffled, by a seed if one is given.

        >>> import feltlab as fl
        >>> table = fl.load_sheet("bad-beat-blackjack").table(decks=6, option="2", paytables="P1")
        >>> hand = table.deal("Ks 6h Qd 9c 6s", bets={"main": 10_00, "bad-beat": 5_00})
        >>> hand.actions
        ('stand', 'hit', 'double', 'split')
        >>> hand.act("stand").net  # a 20, beaten by the dealer's 21
        9000
        """
        return dealt_round(self.setup, cards, bets, spots, seed)

    def __repr__(self) -> str:
        return f"<{self.setup.sheet.file.name}: {', '.join([self.headline(), *self._changes()])}>"

    def _repr_html_(self) -> str:
        rows = [[wager.name, wager.paytable or ""] for wager in self.setup.wagers.values()]
        notes = [self.headline(), *self._changes()]
        return html.table(self.setup.sheet.file.name, ["wager", "paytable"], rows, notes)

    def _changes(self) -> list[str]:
        """The rules and pays that differ from the sheet's own."""
        rules = {rule.key: rule.default for rule in self.setup.sheet.rules}
        changed = [f"{key}={value}" for key, value in self.setup.rules.items() if value != rules[key]]
        return [*changed, *(f"{place} pays {pay}" for place, pay in self.setup.choice.pays.items())]
