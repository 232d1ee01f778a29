"""Ranks, suits, cards as small integers, and the questions that a wager may ask about a few named cards.

A card is `4 * (rank - 1) + suit`: 0 to 51, ace of clubs to king of spades. `NO_CARD` stands for a card that was
never dealt (a third card, a hit card); the answer to every question about it is no.

>>> card("Kh"), name(50), rank(50), suit(50)
(50, 'Kh', 13, 2)
"""

from __future__ import annotations

from feltlab.errors import FeltlabError
from feltlab.marks import rule

RANKS = "A23456789TJQK"
SUITS = "cdhs"
NO_CARD = -1
NO_SUIT = 4  # what `suit` and `color` say of no card
NO_COLOR = 2


@rule
def rank(card: int) -> int:
    """1 (ace) to 13 (king); 0 for no card."""
    return card // 4 + 1 if card >= 0 else 0


@rule
def suit(card: int) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades; 4 for no card."""
    return card % 4 if card >= 0 else 4


@rule
def color(card: int) -> int:
    """0 black, 1 red; 2 for no card."""
    if card < 0:
        return 2
    return 1 if suit(card) == 1 or suit(card) == 2 else 0


@rule
def same_rank(*cards: int) -> int:
    """Whether all cards are dealt and of one rank."""
    for c in cards:
        if c < 0 or rank(c) != rank(cards[0]):
            return 0
    return 1


@rule
def same_suit(*cards: int) -> int:
    """Whether all cards are dealt and of one suit."""
    for c in cards:
        if c < 0 or suit(c) != suit(cards[0]):
            return 0
    return 1


@rule
def same_color(*cards: int) -> int:
    """Whether all cards are dealt and of one colour."""
    for c in cards:
        if c < 0 or color(c) != color(cards[0]):
            return 0
    return 1


@rule
def identical(*cards: int) -> int:
    """Whether all cards are dealt and identical in rank and suit."""
    for c in cards:
        if c < 0 or c != cards[0]:
            return 0
    return 1


@rule
def run(ace: int, *cards: int) -> int:
    """Whether the cards have neighbouring ranks when an ace counts as `ace` (1 or 14)."""
    low, high = 99, 0
    for c in cards:
        if c < 0:
            return 0
        r = rank(c) if rank(c) > 1 else ace
        low, high = min(low, r), max(high, r)
        twins = 0
        for d in cards:
            if rank(d) == rank(c):
                twins += 1
        if twins > 1:
            return 0
    return 1 if high - low == len(cards) - 1 else 0


@rule
def straight(*cards: int) -> int:
    """Whether the cards have neighbouring ranks, the ace high or low (but not both at once)."""
    return 1 if run(1, *cards) == 1 or run(14, *cards) == 1 else 0


@rule
def straight_ace_high(*cards: int) -> int:
    """Whether the cards have neighbouring ranks, the ace high only."""
    return run(14, *cards)


@rule
def count(wanted: int, *cards: int) -> int:
    """How many of the cards have this rank."""
    number = 0
    for c in cards:
        if rank(c) == wanted:
            number += 1
    return number


@rule
def matches(card: int, *others: int) -> int:
    """How many of the other cards have the first card's rank."""
    return count(rank(card), *others) if card >= 0 else 0


@rule
def suited_matches(card: int, *others: int) -> int:
    """How many of the other cards are identical to the first in rank and suit."""
    number = 0
    for c in others:
        if c >= 0 and c == card:
            number += 1
    return number


def card(text: str) -> int:
    """Parse a card: `As`, `10h`, `Th`, `kd`.

    >>> card("10h") == card("Th")
    True
    """
    word = text.strip()
    letter, symbol = word[:-1].upper().replace("10", "T"), word[-1:].lower()
    if len(letter) != 1 or letter not in RANKS or not symbol or symbol not in SUITS:
        raise FeltlabError(f"'{text}' is not a card; write its rank and suit, for example As, Td, 9h or Kc")
    return 4 * RANKS.index(letter) + SUITS.index(symbol)


def cards(text: str) -> tuple[int, ...]:
    """Parse cards separated by spaces or commas.

    >>> cards("As, Kd 9h")
    (3, 49, 34)
    """
    return tuple(card(word) for word in text.replace(",", " ").split())


def name(number: int) -> str:
    """A card as text; `--` for no card.

    >>> name(3), name(NO_CARD)
    ('As', '--')
    """
    return RANKS[number // 4] + SUITS[number % 4] if number >= 0 else "--"


def names(numbers: tuple[int, ...] | list[int]) -> str:
    """Several cards as text.

    >>> names([3, 49])
    'As Kd'
    """
    return " ".join(name(number) for number in numbers)


def decks(count: int) -> list[int]:
    """The cards of this many decks, in order.

    >>> len(decks(2)), decks(1)[:4]
    (104, [0, 1, 2, 3])
    """
    return [number for number in range(52) for _ in range(count)]
