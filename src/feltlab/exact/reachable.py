"""Lines that no cards and no play can make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

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
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

MOST_DEALS = 60_000_000  # that are tried for all wagers of a sheet: some minutes
FIRST_CARDS = 3  # two of the player's and the dealer's


def check_reachable(sheet: Sheet) -> list[str]:
    """Refuse a sheet with a line that no cards and no play can make, whatever the table; gives the wagers not judged.

    A line is only refused where that is sure with the most decks of the sheet, which make the most possible. A wager is
    looked at until each of its lines was made once, and not judged where all wagers before it took too many deals.
    """
    shoe = Composition.of(max(sheet.decks))
    rules = house(choose(sheet.rules, {})) if sheet.game == "blackjack" else None
    not_judged, left = [], MOST_DEALS
    for definition in sheet.file.wager:
        made: set[str] = set()
        try:
            for wager in variants(sheet, definition):
                left -= _deals(wager, shoe)
                if left < 0:
                    raise NotCountedError(f"{definition.id} takes too many deals to be judged")
                for outcome in _possible(sheet.game, wager, shoe, rules):
                    made.update(wager.line_ids(wager.cells.outcomes[outcome]))
                if len(made) == len(definition.line):
                    break
        except FeltlabError:
            not_judged.append(definition.id)
            continue
        for line in definition.line:
            if line.key not in made:
                raise SheetError(
                    f"wager '{definition.id}', line '{line.name}': no cards can make it; its probability is 0"
                )
    return not_judged


def _deals(wager: Wager, shoe: Composition) -> int:
    """How many deals are tried for a wager at most: its first cards and all it names, as closely as it looks."""
    timed = (*wager.take, *wager.settled)
    atoms = {*wager.cells.partition.atoms, *(atom for item in timed for atom in item.when.atoms)}
    asked = [atom for atom in atoms if atom.detail is not None]
    named = {place for atom in asked for place in atom.fields}
    detail = Detail(max((atom.detail or Detail.POINTS for atom in asked), default=Detail.POINTS))
    kinds = len(shoe.classes(detail, card_points))
    return min(MOST_CASES, int(kinds ** max(FIRST_CARDS, len(named))))


def _possible(game: str, wager: Wager, shoe: Composition, rules: House | None) -> Iterator[int]:
    """The outcomes of a wager that can come to be; of one that depends on play, by any play in any house."""
    law = counted(game, wager, shoe, rules)
    if law is not None:
        yield from (outcome for outcome, ways in enumerate(law.ways) if ways)
        return
    for up in range(1, 11):
        for group in groups(wager, shoe, up, sure=False):
            yield from (outcome for outcome in group.weights if outcome != OPEN)
            yield from _by_any_play(Settling(wager, group.cards, sure=False))


def _by_any_play(settling: Settling) -> Iterator[int]:
    sizes = np.array([cards for _, _, cards in hands().kinds])
    bust = np.array([total > 21 for total, _, _ in hands().kinds])
    for split in (0, 1):
        acting = How(split=split)
        for how, fits in ((acting._replace(stood=1), sizes > 1), (acting._replace(doubled=1), sizes == 3)):
            yield from np.unique(settling.ends(how)[fits & ~bust]).tolist()
        for how, fits in ((acting, sizes > 2), (acting._replace(doubled=1), sizes == 3)):
            yield from np.unique(settling.busts(how)[fits & bust]).tolist()
        yield from (found for found in np.unique(settling.arrivals(acting)).tolist() if found != OPEN)
    yield from np.unique(settling.ends(How(surrendered=1))[(sizes == 2) & ~bust]).tolist()
