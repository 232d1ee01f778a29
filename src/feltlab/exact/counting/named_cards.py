"""Counts a wager that looks at nothing but a few named cards.

Cards are dealt one after another in the order that the lines look at them, and no further than they matter: as soon as
what is known decides the outcome, whatever the rest, the rest is multiplied and not dealt. Where the wager cannot tell
suits (or ranks) apart and the shoe has all of them alike, cards that differ only so are dealt once and multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import perm, prod

from feltlab.errors import FeltlabError
from feltlab.exact.shoe import ShoeComposition
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Timed, Wager

MOST_CASES = 1_500_000
Dealt = dict[str, int]
Spend = Callable[[int], object]
"""Called with the number of values or cells before they are read; stops the count by raising."""

LOST = 0  # the outcome of a wager that no line pays
VIEW = 20  # the work of one view of the cards, in values read
HOLE = "hole"  # unseen when the first cards are out
RIDES, TAKEN, SETTLED = "rides", "taken", "settled"
"""What the deal itself makes of the wager."""

# Questions that stay the same when suits, or ranks, change places among themselves.
SUIT_FREE = ("suited(", "flush(", "identical(", "suited_matches(")
RANK_FREE = ("pair(", "trips(", "same_rank(", "matches(", *SUIT_FREE)


class Count:
    """One count. `cards_of` says which cards decide an atom, `view` shows the wager the cards that lie.

    A wager that is taken or settled at the deal where conditions hold is so here, as at a table: on what lies then.
    """

    def __init__(
        self,
        wager: Wager,
        shoe: ShoeComposition,
        points: Callable[[int], int],
        cards_of: Callable[[Atom], list[str]],
        view: Callable[[Dealt], tuple[int, ...]],
        spend: Spend = lambda pieces: None,
    ) -> None:
        self.wager, self.shoe, self.view, self.spend = wager, shoe, view, spend
        self.take, self.settle = at_deal(wager, wager.take), at_deal(wager, wager.settled)
        deal_atoms = [atom for timed in (*self.take, *self.settle) for atom in timed.when.atoms]
        first = dict.fromkeys(name for atom in deal_atoms for name in cards_of(atom))
        self.cards = [*first, *(name for atom in wager.cells.partition.atoms for name in cards_of(atom))]
        self.cards = (
            sorted(dict.fromkeys(self.cards), key=HOLE.__eq__) if self.settle else list(dict.fromkeys(self.cards))
        )
        self.until_known = len(first)
        atoms = (*dict.fromkeys((*wager.cells.partition.atoms, *deal_atoms)),)
        self.detail = Detail(max((atom.detail or Detail.POINTS for atom in atoms), default=Detail.POINTS))
        self.kinds = shoe.classes(self.detail, points)
        texts = [atom.text for atom in atoms]
        by_rank = [text for text in texts if not text.startswith(SUIT_FREE)]
        no_suits = all(atom.detail != Detail.CARD for atom in atoms if atom.text in by_rank)
        self.suits_alike = self.detail == Detail.CARD and no_suits and shoe.suits_alike()
        self.ranks_alike = self.suits_alike and all(text.startswith(RANK_FREE) for text in texts) and shoe.ranks_alike()
        # By number of cards dealt, the atoms that are known; for a wager settled at the deal the hole card is unseen.
        unseen = {RIDES: frozenset[str](), SETTLED: frozenset({HOLE})}
        self.known = {
            what: [
                [
                    place
                    for place, atom in enumerate(wager.cells.partition.atoms)
                    if set(cards_of(atom)) - hidden <= set(self.cards[:dealt])
                ]
                for dealt in range(len(self.cards) + 1)
            ]
            for what, hidden in unseen.items()
        }
        self.decided: dict[tuple[str, int, tuple[int, ...]], int | None] = {}
        self.cases = 0

    def run(self) -> tuple[list[int], int]:
        """The ways of each outcome, and how many cards one way has."""
        ways = [0] * len(self.wager.cells.outcomes)
        for _, outcome, weight in self.walk({}, 1):
            ways[outcome] += weight
        return ways, len(self.cards)

    def walk(self, dealt: Dealt, weight: int) -> Iterator[tuple[Dealt, int, int]]:
        """Every case: the cards that decide it, its outcome and its ways. The next card is dealt unless it is decided."""
        what = self.at_deal(dealt)
        outcome = None if what is None else self.outcome(dealt, what)
        if outcome is not None:
            yield dealt, outcome, weight * perm(self.shoe.size - len(dealt), len(self.cards) - len(dealt))
            return
        name = self.cards[len(dealt)]
        for card, ways in self.next_cards(list(dealt.values())):
            yield from self.walk({**dealt, name: card}, weight * ways)

    def at_deal(self, dealt: Dealt) -> str | None:
        """What the deal makes of the wager, as `Round` does it; None while too few cards lie to say."""
        if not (self.take or self.settle):
            return RIDES
        if len(dealt) < self.until_known:
            return None
        view = self.view({name: card for name, card in dealt.items() if name != HOLE})
        self.spend(sum(len(timed.when.atoms) for timed in (*self.take, *self.settle)))
        for what, clauses in ((TAKEN, self.take), (SETTLED, self.settle)):
            if any(timed.when.holds_by(lambda atom: atom.read(view)) for timed in clauses):
                return what
        return RIDES

    def next_cards(self, before: list[int]) -> Iterator[tuple[int, int]]:
        """The cards that can come, each with the ways of all that are like it."""
        if not self.suits_alike:
            for card, count in self.kinds:
                if count > before.count(card):
                    yield card, count - before.count(card)
            return
        ranks = _labels([card // 4 for card in before], 13) if self.ranks_alike else [(rank, 1) for rank in range(13)]
        for rank, alike_ranks in ranks:
            for suit, alike_suits in _labels([card % 4 for card in before], 4):
                card = 4 * rank + suit
                left = self.shoe.counts[card] - before.count(card)
                if left > 0:
                    yield card, left * alike_ranks * alike_suits

    def outcome(self, dealt: Dealt, what: str) -> int | None:
        """The outcome, if the cards that lie decide it for a wager that rides on, is taken, or is settled on them."""
        if what == TAKEN:
            return LOST
        self.cases += 1
        if self.cases > MOST_CASES:
            raise FeltlabError(
                f"{self.wager.id} looks at too many cards too closely to be counted; simulate it instead"
            )
        view, known = self.view(dealt), self.known[what][len(dealt)]
        atoms = self.wager.cells.partition.atoms
        self.spend(VIEW + len(known))
        values = tuple(atoms[place].read(view) for place in known)
        key = (what, len(dealt), values)
        if key not in self.decided:
            self.decided[key] = self.only_outcome(dict(zip(known, values, strict=True)))
        return self.decided[key]

    def only_outcome(self, fixed: dict[int, int]) -> int | None:
        """The outcome of every cell with these values, if they all have the same."""
        made = self.wager.cells.partition
        self.spend(prod(atom.high - atom.low + 1 for place, atom in enumerate(made.atoms) if place not in fixed))
        cells = [0]
        for place, (atom, stride) in enumerate(zip(made.atoms, made.strides, strict=True)):
            values = [fixed[place]] if place in fixed else range(atom.low, atom.high + 1)
            cells = [cell + stride * (value - atom.low) for cell in cells for value in values]
        outcomes = {made.group_of[cell] for cell in cells}
        return outcomes.pop() if len(outcomes) == 1 else None


def at_deal(wager: Wager, timed: tuple[Timed, ...]) -> list[Timed]:
    """The clauses that matter when the first cards are out. A wager on hit cards is not there yet."""
    return [] if wager.on_hit_cards else [clause for clause in timed if clause.at == "deal"]


def _labels(seen: list[int], size: int) -> list[tuple[int, int]]:
    """Each label that lies already, and one that stands for all the others, with how many it stands for."""
    lie = sorted(set(seen))
    new = next((label for label in range(size) if label not in lie), None)
    return [(label, 1) for label in lie] + ([(new, size - len(lie))] if new is not None else [])
