"""Card sources: a shuffled shoe, a seeded one, a stacked deck. Rounds get all randomness through this interface."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable
from typing import Protocol

from feltlab.cards import decks
from feltlab.errors import FeltlabError, SetupError
from feltlab.hands.cut_card import default_cut

Bits = Callable[[int], int]
"""Returns this many random bits as an integer."""
Pick = Callable[[int], int]
"""Returns a number from 0 to a bound less one."""


class OutOfCards(FeltlabError):
    """Every card of the shoe is on the felt, and another is needed."""


class CardSource(Protocol):
    """Where a round gets its cards."""

    def draw(self) -> int:
        """The next card."""
        ...


def below(bound: int, bits: Bits) -> int:
    """A uniform number from 0 to bound - 1, by rejection: numbers that are too large are discarded, not wrapped.

    >>> below(1, lambda count: 0)
    0
    """
    width = (bound - 1).bit_length()
    while True:
        number = bits(width) if width else 0
        if number < bound:
            return number


def unbiased(bits: Bits) -> Pick:
    """Make an unbiased picker from a source of random bits.

    >>> unbiased(lambda width: 5)(6)
    5
    """
    return lambda bound: below(bound, bits)


def shuffle(cards: list[int], pick: Pick) -> None:
    """Shuffle in place (Fisher-Yates)."""
    for last in range(len(cards) - 1, 0, -1):
        place = pick(last + 1)
        cards[last], cards[place] = cards[place], cards[last]


def cut_card(deck_count: int, behind_cut: int | None = None, burn: int = 1) -> int:
    """The number of cards behind the cut card: `default_cut` of the shoe, unless a table says otherwise.

    >>> cut_card(6), cut_card(1)
    (78, 26)
    """
    size = 52 * deck_count
    behind = default_cut(size) if behind_cut is None else behind_cut
    if not 0 <= behind < size - burn:
        raise SetupError(f"the cut card cannot lie {behind} cards from the end of {size} cards")
    return behind


class Shoe:
    """Shuffled decks with burn cards and a cut card. The round in which the cut card comes out is the last."""

    def __init__(self, deck_count: int, pick: Pick, *, behind_cut: int | None = None, burn: int = 1) -> None:
        self.deck_count = deck_count
        self.pick = pick
        self.behind_cut = cut_card(deck_count, behind_cut, burn)
        self.burn = burn
        self.ran_out = False
        self.order: list[int] = []
        self.dealt = 0
        self.round_began = 0
        self.shuffle()

    def shuffle(self) -> None:
        """Shuffle all cards, and burn the first ones."""
        self.order = decks(self.deck_count)
        shuffle(self.order, self.pick)
        self.dealt = self.round_began = self.burn

    def begin_round(self) -> bool:
        """Shuffle before a round if the cut card has come out. Returns whether it was shuffled."""
        shuffled_now = self.cut_is_out
        if shuffled_now:
            self.shuffle()
        self.round_began = self.dealt
        return shuffled_now

    @property
    def cut_is_out(self) -> bool:
        """Whether the cut card has come out; the shoe is then shuffled before the next round."""
        return self.dealt >= len(self.order) - self.behind_cut

    def draw(self) -> int:
        """The next card. If the shoe runs out in the middle of a round, the discards are shuffled and dealt."""
        if self.dealt >= len(self.order):
            on_the_felt, discards = self.order[self.round_began :], self.order[: self.round_began]
            if not discards:
                # The reason of a void round is stored, and replays compare it: these words must not change.
                raise OutOfCards("every card lies on the felt; play fewer spots, or use more decks")
            shuffle(discards, self.pick)
            self.ran_out = True
            self.order, self.round_began, self.dealt = on_the_felt + discards, 0, len(on_the_felt)
        self.dealt += 1
        return self.order[self.dealt - 1]


def shuffled(deck_count: int, *, behind_cut: int | None = None, burn: int = 1) -> Shoe:
    """A shoe shuffled with the operating system's randomness."""
    return Shoe(deck_count, unbiased(secrets.randbits), behind_cut=behind_cut, burn=burn)


def seeded(deck_count: int, seed: int, *, behind_cut: int | None = None, burn: int = 1) -> Shoe:
    """A shoe that depends only on its seed: for examples and tests, never for money.

    >>> seeded(1, 7).draw() == seeded(1, 7).draw()
    True
    """
    chance = random.Random(seed)  # noqa: S311 # no money
    return Shoe(deck_count, unbiased(chance.getrandbits), behind_cut=behind_cut, burn=burn)


class Stacked:
    """Cards in a known order: for playthroughs, replays and tests."""

    def __init__(self, cards: Iterable[int]) -> None:
        self.order = tuple(cards)
        self.dealt = 0
        if not all(0 <= number < 52 for number in self.order):
            raise FeltlabError("a stacked deck consists of cards, numbers from 0 to 51")

    def draw(self) -> int:
        """The next card; an error if there is none."""
        if self.dealt >= len(self.order):
            raise FeltlabError(f"the stacked deck has only {len(self.order)} cards, and the round needs another")
        self.dealt += 1
        return self.order[self.dealt - 1]
