"""Lines that no cards and no play can make, and wagers that the deal takes or settles otherwise than the end would."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from feltlab.errors import FeltlabError, NotCountedError, SheetError
from feltlab.exact.blackjack.first_deal import groups
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.counting import first_cards
from feltlab.exact.counting.named_cards import LOST, RIDES, SETTLED, TAKEN, VIEW, Dealt
from feltlab.exact.methods import endings, is_counted
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import House, card_points, house
from feltlab.games.rules import choose
from feltlab.hands.graph import hands
from feltlab.hands.riding import atoms
from feltlab.hands.states import ACTING, DEALT, DOUBLED, FIRST, OPEN, STOOD, SURRENDERED, HandState
from feltlab.sheets import Sheet
from feltlab.sheets.lint import variants
from feltlab.wagers.definition import WagerDefinition
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

MOST_READ = 60_000_000  # values that wagers read, and cells that are looked at, for a sheet: a few seconds
FIRST_CARDS = 3  # two of the player's and the dealer's


def check_reachable(sheet: Sheet) -> list[str]:
    """Refuse a sheet with a line that no cards and no play can make, whatever the table; gives the wagers not judged.

    A line is only refused where that is sure with the most decks of the sheet, which make the most possible. A wager is
    looked at until each of its lines was made once, and not judged where that, with wagers that look at less, takes too long.
    One on cards alone that the deal takes or settles is refused where the end could have been another.
    """
    shoe = ShoeComposition.of(max(sheet.decks))
    rules = house(choose(sheet.rules, {})) if sheet.game == "blackjack" else None
    not_judged, budget = set(), Budget()
    for definition in sorted(sheet.file.wager, key=lambda definition: _deals(sheet, definition, shoe)):
        try:
            wrong = _wrong(sheet, definition, shoe, rules, budget)
        except FeltlabError:
            not_judged.add(definition.id)
            continue
        if wrong is not None:
            raise SheetError(f"wager '{definition.id}'{wrong}")
    return [definition.id for definition in sheet.file.wager if definition.id in not_judged]


def _deals(sheet: Sheet, definition: WagerDefinition, shoe: ShoeComposition) -> int:
    """How many deals a wager tells apart, about: those with fewer are looked at first."""
    wager = next(variants(sheet, definition))
    card_atoms = [atom for atom in atoms(wager) if atom.detail is not None]
    named = {place for atom in card_atoms for place in atom.fields}
    kinds = len(shoe.classes(Detail(max((atom.detail or 0 for atom in card_atoms), default=0)), card_points))
    counted = is_counted(sheet.game, wager)
    return int(kinds ** (len(named) if counted else max(FIRST_CARDS, len(named))))


class Budget:
    """What may still be read for a sheet."""

    def __init__(self) -> None:
        self.left = MOST_READ

    def spend(self, pieces: int) -> None:
        """Count what is about to be read; refused where it is more than is left."""
        if pieces > self.left:
            raise NotCountedError("the sheet's wagers make too much to be judged")
        self.left -= pieces


def _wrong(
    sheet: Sheet, definition: WagerDefinition, shoe: ShoeComposition, rules: House | None, budget: Budget
) -> str | None:
    """What is wrong with a wager: it ends early otherwise than late, or has a line that is never made at any table.

    Tables that it is the same at are looked at once.
    """
    missing = {line.key: line for line in definition.line}
    seen: set[Hashable] = set()
    for wager in variants(sheet, definition):
        same = wager.shape, tuple(line.id for line in wager.lines), _waits(wager)
        if same in seen:
            continue
        seen.add(same)
        if (said := _ends_otherwise(sheet.game, wager, shoe, budget)) is not None:
            return said
        if missing:
            for outcome in _possible(sheet.game, wager, shoe, rules, budget):
                for line in wager.line_ids(wager.cells.outcomes[outcome]):
                    missing.pop(line, None)
                if not missing:
                    break
    never = next(iter(missing.values()), None)
    return None if never is None else f", line '{never.name}': no cards can make it; its probability is 0"


def _waits(wager: Wager) -> bool:
    """Whether it depends on the round if the dealer plays for the wager."""
    return any(clause.when.atoms for clause in wager.needs)


def _ends_otherwise(game: str, wager: Wager, shoe: ShoeComposition, budget: Budget) -> str | None:
    """How the end would differ from what the deal brought, for some cards; None if it never does.

    Where the last moment is the deal, what lies then is all that counts.
    """
    if game != "blackjack" or not first_cards.can_be_counted(wager):
        return None
    count = first_cards.count(wager, shoe, budget.spend)
    if not count.take and (not count.settle or wager.settled[-1].at == "deal"):
        return None
    late = SETTLED if wager.settled[-1].at == "deal" else RIDES

    def ends(dealt: Dealt) -> Iterator[int]:
        """How it would end if the deal had done nothing."""
        outcome = count.outcome(dealt, late)
        if outcome is not None:
            yield outcome
            return
        for card, _ in count.next_cards(list(dealt.values())):
            yield from ends({**dealt, count.cards[len(dealt)]: card})

    for dealt, outcome, _ in count.walk({}, 1):
        what = count.at_deal(dealt)
        if what not in (RIDES, late):
            for end in ends(dealt):
                pays = wager.cells.outcomes[end]
                if what == TAKEN and pays.pays != wager.cells.outcomes[LOST].pays:
                    return f": the deal takes it where it would have been paid ({wager.outcome_name(pays)})"
                if what == SETTLED and end != outcome:
                    early = wager.outcome_name(wager.cells.outcomes[outcome])
                    return f": the deal settles it as '{early}' where it could end as '{wager.outcome_name(pays)}'"
    return None


def _possible(game: str, wager: Wager, shoe: ShoeComposition, rules: House | None, budget: Budget) -> Iterator[int]:
    """The outcomes of a wager that can come to be; of one that depends on play, by any play in any house."""
    counted = endings(game, wager, shoe, rules, budget.spend)
    if counted is not None:
        yield from counted
        return
    for up in range(1, 11):
        for group in groups(wager, shoe, up, sure=False, spend=budget.spend):
            yield from (outcome for outcome in group.weights if outcome != OPEN)
            yield from _by_any_play(Settling(wager, group.cards, sure=False), budget)


def _by_any_play(settling: Settling, budget: Budget) -> Iterator[int]:
    """The outcomes of one group of deals, each way to end a hand after the other."""
    sizes = np.array([cards for _, _, cards in hands().kinds])
    bust = np.array([total > 21 for total, _, _ in hands().kinds])
    each = VIEW + len(atoms(settling.wager))

    def outcomes(
        table: Callable[[HandState], NDArray[np.int64]], state: HandState, fits: NDArray[np.bool_]
    ) -> list[int]:
        budget.spend(settling.most_views * each)
        return [int(outcome) for outcome in np.unique(table(state)[fits]) if outcome != OPEN]

    for role in (DEALT, FIRST):
        for state, fits in ((STOOD, sizes > 1), (DOUBLED, sizes == 3)):
            yield from outcomes(settling.ends, state.after_split(role), fits & ~bust)
        for state, fits in ((ACTING, sizes > 2), (DOUBLED, sizes == 3)):
            yield from outcomes(settling.busts, state.after_split(role), fits & bust)
        yield from outcomes(settling.arrivals, ACTING.after_split(role), sizes > 1)
    yield from outcomes(settling.ends, SURRENDERED, (sizes == 2) & ~bust)
