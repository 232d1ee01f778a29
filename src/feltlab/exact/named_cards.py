"""Counts a wager that looks at nothing but a few named cards.

Cards are dealt one after another in the order that the lines look at them, and no further than they matter: as soon as
what is known decides the outcome, whatever the rest, the rest is multiplied and not dealt. Where the wager cannot tell
suits (or ranks) apart and the shoe has all of them alike, cards that differ only so are dealt once and multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import perm

from feltlab.errors import FeltlabError
from feltlab.exact.shoe import Composition
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

MOST_CASES = 1_500_000
Dealt = dict[str, int]

# Questions that stay the same when suits, or ranks, change places among themselves.
SUIT_FREE = ("suited(", "flush(", "identical(", "suited_matches(")
RANK_FREE = ("pair(", "trips(", "same_rank(", "matches(", *SUIT_FREE)


class Count:
    """One count. `cards_of` says which cards decide an atom, `view` shows the wager the cards that lie."""

    def __init__(
        self,
        wager: Wager,
        shoe: Composition,
        points: Callable[[int], int],
        cards_of: Callable[[Atom], list[str]],
        view: Callable[[Dealt], tuple[int, ...]],
    ) -> None:
        self.wager, self.shoe, self.view = wager, shoe, view
        atoms = wager.cells.partition.atoms
        self.cards = list(dict.fromkeys(name for atom in atoms for name in cards_of(atom)))
        self.detail = Detail(max((atom.detail or Detail.POINTS for atom in atoms), default=Detail.POINTS))
        self.kinds = shoe.classes(self.detail, points)
        texts = [atom.text for atom in atoms]
        by_rank = [text for text in texts if not text.startswith(SUIT_FREE)]
        no_suits = all(atom.detail != Detail.CARD for atom in atoms if atom.text in by_rank)
        self.suits_alike = self.detail == Detail.CARD and no_suits and shoe.suits_alike()
        self.ranks_alike = self.suits_alike and all(text.startswith(RANK_FREE) for text in texts) and shoe.ranks_alike()
        # The atoms that are known once so many cards lie.
        self.known = [
            [place for place, atom in enumerate(atoms) if set(cards_of(atom)) <= set(self.cards[:dealt])]
            for dealt in range(len(self.cards) + 1)
        ]
        self.decided: dict[tuple[int, tuple[int, ...]], int | None] = {}
        self.ways = [0] * len(wager.cells.outcomes)
        self.cases = 0

    def run(self) -> tuple[list[int], int]:
        """The ways of each outcome, and how many cards one way has."""
        self.deal({}, 1)
        return self.ways, len(self.cards)

    def deal(self, dealt: Dealt, weight: int) -> None:
        """Deal the next card in every way, unless the outcome is decided."""
        outcome = self.outcome(dealt)
        if outcome is not None:
            self.ways[outcome] += weight * perm(self.shoe.size - len(dealt), len(self.cards) - len(dealt))
            return
        name = self.cards[len(dealt)]
        for card, ways in self.next_cards(list(dealt.values())):
            self.deal({**dealt, name: card}, weight * ways)

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

    def outcome(self, dealt: Dealt) -> int | None:
        """The outcome, if the cards that lie decide it."""
        self.cases += 1
        if self.cases > MOST_CASES:
            raise FeltlabError(
                f"{self.wager.id} looks at too many cards too closely to be counted; simulate it instead"
            )
        view, known = self.view(dealt), self.known[len(dealt)]
        atoms = self.wager.cells.partition.atoms
        values = tuple(atoms[place].read(view) for place in known)
        key = (len(dealt), values)
        if key not in self.decided:
            self.decided[key] = self.only_outcome(dict(zip(known, values, strict=True)))
        return self.decided[key]

    def only_outcome(self, fixed: dict[int, int]) -> int | None:
        """The outcome of every cell with these values, if they all have the same."""
        made = self.wager.cells.partition
        cells = [0]
        for place, (atom, stride) in enumerate(zip(made.atoms, made.strides, strict=True)):
            values = [fixed[place]] if place in fixed else range(atom.low, atom.high + 1)
            cells = [cell + stride * (value - atom.low) for cell in cells for value in values]
        found = {made.group_of[cell] for cell in cells}
        return found.pop() if len(found) == 1 else None


def _labels(seen: list[int], size: int) -> list[tuple[int, int]]:
    """Each label that lies already, and one that stands for all the others, with how many it stands for."""
    lie = sorted(set(seen))
    new = next((label for label in range(size) if label not in lie), None)
    return [(label, 1) for label in lie] + ([(new, size - len(lie))] if new is not None else [])
