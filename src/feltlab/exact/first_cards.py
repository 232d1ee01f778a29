"""The law of a blackjack wager that only looks at named cards: first cards, up card, hole card, hit card.

Cards are dealt one after another in the order that the lines look at them, and no further than they matter: as soon as
what is known decides the outcome, whatever the rest, the rest is multiplied and not dealt.
"""

from __future__ import annotations

from math import perm

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError
from feltlab.exact.shoe import Composition
from feltlab.games.blackjack import card_points
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

CARDS = ("first", "second", "up", "hole", "hit")
OF_FIRST_TWO = frozenset({"total", "soft", "natural", "cards", "bust", "split", "hand", "doubled", "surrendered"})
COUNTED = "ordered deals of the cards it names"
MOST_CASES = 1_500_000


def can_be_counted(wager: Wager) -> bool:
    """Does the wager look at nothing but cards, and at its first two cards as they were dealt?"""
    at_deal = all(item.at in ("deal", "hit") for item in wager.settled)
    return all(
        atom.detail is not None or (at_deal and atom.text in OF_FIRST_TWO) for atom in wager.cells.partition.atoms
    )


def law(wager: Wager, shoe: Composition) -> Law:
    """The law of the wager when only the cards that it names are known."""
    if not can_be_counted(wager):
        raise FeltlabError(f"{wager.id} depends on how the hand is played; it cannot be counted from first cards")
    return _Count(wager, shoe).law()


class _Count:
    """One count: the cards still to be dealt, and what is known after each."""

    def __init__(self, wager: Wager, shoe: Composition) -> None:
        self.wager = wager
        self.shoe = shoe
        atoms = wager.cells.partition.atoms
        self.cards = list(dict.fromkeys(name for atom in atoms for name in _cards_of(atom)))
        detail = max((atom.detail or Detail.POINTS for atom in atoms), default=Detail.POINTS)
        self.kinds = shoe.classes(Detail(detail), card_points)
        # Where suits are all alike to the wager and in the shoe, the first card may as well be a club.
        named_suits = any(atom.text.startswith(("suit(", "color(")) for atom in atoms)
        self.by_clubs = detail == Detail.CARD and not named_suits and shoe.suits_alike()
        # How many atoms are known once so many cards lie.
        self.known = [
            [place for place, atom in enumerate(atoms) if set(_cards_of(atom)) <= set(self.cards[:dealt])]
            for dealt in range(len(self.cards) + 1)
        ]
        self.decided: dict[tuple[int, tuple[int, ...]], int | None] = {}
        self.ways = [0] * len(wager.cells.outcomes)
        self.cases = 0

    def law(self) -> Law:
        self.deal({}, 1)
        return Law(self.wager, tuple(self.ways), perm(self.shoe.size, len(self.cards)), COUNTED)

    def deal(self, dealt: dict[str, int], weight: int) -> None:
        outcome = self.outcome(dealt)
        if outcome is not None:
            left = len(self.cards) - len(dealt)
            self.ways[outcome] += weight * perm(self.shoe.size - len(dealt), left)
            return
        name = self.cards[len(dealt)]
        before = list(dealt.values())
        clubs = self.by_clubs and not dealt
        for card, count in self.kinds[::4] if clubs else self.kinds:
            ways = 4 * count if clubs else count - before.count(card)
            if ways > 0:
                self.deal({**dealt, name: card}, weight * ways)

    def outcome(self, dealt: dict[str, int]) -> int | None:
        """The outcome, if the cards on the felt decide it."""
        self.cases += 1
        if self.cases > MOST_CASES:
            raise FeltlabError(
                f"{self.wager.id} looks at too many cards too closely to be counted; simulate it instead"
            )
        view, known = _view(dealt), self.known[len(dealt)]
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


def _cards_of(atom: Atom) -> list[str]:
    """The cards that decide an atom; the facts of a hand as dealt are decided by its first two."""
    if atom.detail is None:
        return ["first", "second"]
    return [HandView._fields[place] for place in atom.fields]


def _view(dealt: dict[str, int]) -> HandView:
    first, second, up, hole, hit = (dealt.get(name, NO_CARD) for name in CARDS)
    hard = card_points(first) + card_points(second)
    aces = (card_points(first) == 1) + (card_points(second) == 1)
    return hand_view(first, second, up, hole, hit, hard, aces, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0)
