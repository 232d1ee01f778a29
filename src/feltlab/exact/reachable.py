"""Lines that no cards and no play can make."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from feltlab.errors import FeltlabError, NotCountedError, SheetError
from feltlab.exact.deals import groups
from feltlab.exact.engines import counted
from feltlab.exact.named_cards import MOST_CASES
from feltlab.exact.settling import OPEN, How, Settling
from feltlab.exact.shoe import Composition
from feltlab.games.blackjack import House, card_points, house
from feltlab.games.rules import choose
from feltlab.sheets import Sheet
from feltlab.sheets.lint import variants
from feltlab.strategy.hands import hands
from feltlab.wagers.definition import LineDefinition, WagerDefinition
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

MOST_ASKED = 30_000_000  # times that the wagers of a sheet are asked what they make: a minute at most
DEAL_ASKS = 4  # a deal that is counted takes as long as so many questions
FIRST_CARDS = 3  # two of the player's and the dealer's


def check_reachable(sheet: Sheet) -> list[str]:
    """Refuse a sheet with a line that no cards and no play can make, whatever the table; gives the wagers not judged.

    A line is only refused where that is sure with the most decks of the sheet, which make the most possible. A wager is
    looked at until each of its lines was made once, and not judged where all wagers before it were asked too often.
    """
    shoe = Composition.of(max(sheet.decks))
    rules = house(choose(sheet.rules, {})) if sheet.game == "blackjack" else None
    not_judged, budget = [], _Budget()
    for definition in sheet.file.wager:
        try:
            never = _never_made(sheet, definition, shoe, rules, budget)
        except FeltlabError:
            not_judged.append(definition.id)
            continue
        if never is not None:
            raise SheetError(
                f"wager '{definition.id}', line '{never.name}': no cards can make it; its probability is 0"
            )
    return not_judged


class _Budget:
    """How often wagers may still be asked what they make."""

    def __init__(self) -> None:
        self.left = MOST_ASKED

    def spend(self, asked: int) -> None:
        """Count questions that are about to be asked; refused where they are more than are left."""
        if asked > self.left:
            raise NotCountedError("the sheet's wagers make too much to be judged")
        self.left -= asked


def _never_made(
    sheet: Sheet, definition: WagerDefinition, shoe: Composition, rules: House | None, budget: _Budget
) -> LineDefinition | None:
    """The first line of a wager that is never made at any table; tables that it is the same at are looked at once."""
    missing = {line.key: line for line in definition.line}
    seen: set[Hashable] = set()
    for wager in variants(sheet, definition):
        same = wager.shape, tuple(line.id for line in wager.lines), _waits(wager)
        if same in seen:
            continue
        seen.add(same)
        for outcome in _possible(sheet.game, wager, shoe, rules, budget):
            for line in wager.line_ids(wager.cells.outcomes[outcome]):
                missing.pop(line, None)
            if not missing:
                return None
    return next(iter(missing.values()))


def _waits(wager: Wager) -> bool:
    """Does it depend on the round whether the dealer plays for the wager?"""
    return any(clause.when.atoms for clause in wager.needs)


def _deals(wager: Wager, shoe: Composition) -> int:
    """How many deals are tried for a wager at most: its first cards and all it names, as closely as it looks."""
    timed = (*wager.take, *wager.settled)
    atoms = {*wager.cells.partition.atoms, *(atom for item in timed for atom in item.when.atoms)}
    asked = [atom for atom in atoms if atom.detail is not None]
    named = {place for atom in asked for place in atom.fields}
    detail = Detail(max((atom.detail or Detail.POINTS for atom in asked), default=Detail.POINTS))
    kinds = len(shoe.classes(detail, card_points))
    return min(MOST_CASES, int(kinds ** max(FIRST_CARDS, len(named))))


def _possible(game: str, wager: Wager, shoe: Composition, rules: House | None, budget: _Budget) -> Iterator[int]:
    """The outcomes of a wager that can come to be; of one that depends on play, by any play in any house."""
    budget.spend(_deals(wager, shoe) * DEAL_ASKS)
    law = counted(game, wager, shoe, rules)
    if law is not None:
        yield from (outcome for outcome, ways in enumerate(law.ways) if ways)
        return
    for up in range(1, 11):
        for group in groups(wager, shoe, up, sure=False):
            yield from (outcome for outcome in group.weights if outcome != OPEN)
            yield from _by_any_play(Settling(wager, group.cards, sure=False), budget)


def _by_any_play(settling: Settling, budget: _Budget) -> Iterator[int]:
    """The outcomes of one group of deals, each way to end a hand after the other."""
    sizes = np.array([cards for _, _, cards in hands().kinds])
    bust = np.array([total > 21 for total, _, _ in hands().kinds])

    def found(table: Callable[[How], NDArray[np.int64]], how: How, fits: NDArray[np.bool_]) -> list[int]:
        budget.spend(settling.most_asked)
        return [int(outcome) for outcome in np.unique(table(how)[fits]) if outcome != OPEN]

    for split in (0, 1):
        acting = How(split=split)
        for how, fits in ((acting._replace(stood=1), sizes > 1), (acting._replace(doubled=1), sizes == 3)):
            yield from found(settling.ends, how, fits & ~bust)
        for how, fits in ((acting, sizes > 2), (acting._replace(doubled=1), sizes == 3)):
            yield from found(settling.busts, how, fits & bust)
        yield from found(settling.arrivals, acting, sizes > 1)
    yield from found(settling.ends, How(surrendered=1), (sizes == 2) & ~bust)
