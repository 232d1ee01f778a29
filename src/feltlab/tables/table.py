"""A table: a setup with limits, a rounding rule and, optionally, a jurisdiction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from feltlab.errors import Refused, SetupError, nearest
from feltlab.games import baccarat, blackjack
from feltlab.jurisdictions import Jurisdiction
from feltlab.money import LARGEST_AMOUNT, Rounding, amount_text, parse_amount
from feltlab.tables import Setup
from feltlab.wagers.wager import Wager

MOST_SPOTS = {"blackjack": blackjack.MAX_SPOTS, "baccarat": baccarat.MAX_SPOTS}


class Limit(NamedTuple):
    """The smallest and the largest amount of a wager, in cents."""

    least: int
    most: int


DEFAULT_LIMIT = Limit(1, 1_000_000)


@dataclass(frozen=True)
class Table:
    """A table where rounds are dealt. Made by `open_table`."""

    setup: Setup
    limits: Mapping[str, Limit]
    rounding: Rounding
    jurisdiction: Jurisdiction | None
    notes: tuple[str, ...]  # what the jurisdiction requires of the house beside limits

    @property
    def most_spots(self) -> int:
        """The number of spots."""
        return MOST_SPOTS[self.setup.sheet.game]

    def wager(self, id: str) -> Wager:
        """A wager by its id; refused if it is not offered."""
        if id not in self.setup.wagers:
            raise Refused(f"this table does not offer '{id}'; {nearest(id, self.setup.wagers)}")
        return self.setup.wagers[id]

    def most(self, wager: str) -> int:
        """The largest amount of a wager that the table's limit and the jurisdiction allow."""
        law = self.jurisdiction.max_wager if self.jurisdiction else None
        return min(self.limits[wager].most, law.cents) if law else self.limits[wager].most

    def check_amount(self, wager: str, amount: int) -> None:
        """Refuse an amount that the jurisdiction or the table does not allow, and name the rule."""
        if amount <= 0:
            raise Refused(f"{wager}: a wager must be more than zero")
        law = self.jurisdiction.max_wager if self.jurisdiction else None
        if law and amount > law.cents:
            raise Refused(f"{wager}: {amount_text(amount)} is over the limit of {law.rule}")
        if amount % self.rounding.coin:
            raise Refused(
                f"{wager}: {amount_text(amount)} is not a multiple of the smallest coin, {amount_text(self.rounding.coin)}"
            )
        limit = self.limits[wager]
        if not limit.least <= amount <= limit.most:
            bounds = f"{amount_text(limit.least)} to {amount_text(limit.most)}"
            raise Refused(f"{wager}: {amount_text(amount)} is outside the table's limits, {bounds}")


def open_table(
    setup: Setup,
    *,
    limits: Mapping[str, Limit] | None = None,
    rounding: Rounding | None = None,
    jurisdiction: Jurisdiction | None = None,
) -> Table:
    """Open a table for a setup, checked against the jurisdiction if there is one.

    Limits that are left out are wide. Under a jurisdiction they are the widest that it allows for the game itself, and for
    each side wager the amount that any number of games may take.
    """
    given = dict(limits or {})
    for id, limit in given.items():
        if id not in setup.wagers:
            raise SetupError(f"limits: this table does not offer '{id}'; {nearest(id, setup.wagers)}")
        whole = all(isinstance(amount, int) for amount in limit)
        if not whole or not 0 < limit.least <= limit.most <= LARGEST_AMOUNT:
            raise SetupError(f"limits of {id}: whole cents, the least above 0 and not above the most")
    rounding = rounding or Rounding()
    if not isinstance(rounding.coin, int) or rounding.coin < 1:
        raise SetupError("the smallest coin must be a whole number of cents, at least one")
    if rounding.to not in ("down", "nearest", "up"):
        raise SetupError(f"rounding is down, nearest or up, not '{rounding.to}'")
    posted = {id: given.get(id, _default_limit(id, setup, jurisdiction)) for id in setup.wagers}
    if jurisdiction:
        _check_games(setup, posted, jurisdiction)
    notes = _notes(setup, posted, jurisdiction) if jurisdiction else ()
    return Table(setup, posted, rounding, jurisdiction, notes)


def _default_limit(id: str, setup: Setup, law: Jurisdiction | None) -> Limit:
    most = DEFAULT_LIMIT.most
    if law and law.max_wager:
        most = min(most, law.max_wager.cents)
    if law and law.games and law.games.above and id not in setup.sheet.base_ids:
        most = min(most, parse_amount(law.games.above))
    return Limit(DEFAULT_LIMIT.least, most)


def games(setup: Setup) -> dict[str, list[str]]:
    """The separate games of a table and the wagers of each: the base game, each family, and each other wager."""
    wagers: dict[str, list[str]] = {}
    for id, wager in setup.wagers.items():
        game = setup.sheet.game if id in setup.sheet.base_ids else wager.definition.family or id
        wagers.setdefault(game, []).append(id)
    return wagers


def _check_games(setup: Setup, limits: Mapping[str, Limit], law: Jurisdiction) -> None:
    if law.max_wager:
        for id, limit in limits.items():
            if limit.most > law.max_wager.cents:
                raise SetupError(f"limits of {id}: {amount_text(limit.most)} is over the limit of {law.max_wager.rule}")
    if not law.games:
        return
    separate = games(setup)
    if len(separate) > law.games.most:
        raise SetupError(f"this table has {len(separate)} games on one hand, too many for {law.games.rule}")
    if law.games.above is not None and law.games.most_above is not None:
        small = parse_amount(law.games.above)
        large = [game for game, ids in separate.items() if any(limits[id].most > small for id in ids)]
        if len(large) > law.games.most_above:
            raise SetupError(f"{', '.join(large)} allow more than {law.games.above}, too many for {law.games.rule}")


def _notes(setup: Setup, limits: Mapping[str, Limit], law: Jurisdiction) -> tuple[str, ...]:
    """What large odds require of the house."""
    notes = []
    odds = {id: wager.top_pay() for id, wager in setup.wagers.items()}
    if law.aggregate and law.aggregate.from_odds is not None and max(odds.values()) >= law.aggregate.from_odds:
        notes.append(f"{law.aggregate.rule}: {law.aggregate.sentence}")
    if law.reserve and law.reserve.from_prize is not None:
        pays = ((id, outcome.pays) for id, wager in setup.wagers.items() for outcome in wager.cells.outcomes)
        prizes = sorted((int(limits[id].most * pay) for id, pay in pays), reverse=True)
        if len(prizes) > 1 and prizes[1] > parse_amount(law.reserve.from_prize):
            notes.append(f"{law.reserve.rule}: {law.reserve.sentence} ({amount_text(prizes[1])})")
    return tuple(notes)
