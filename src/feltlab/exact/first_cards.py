"""The law of a blackjack wager that only looks at named cards: first cards, up card, hole card, hit card."""

from __future__ import annotations

from math import perm

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError
from feltlab.exact.named_cards import Count, Dealt
from feltlab.exact.shoe import Composition
from feltlab.games.blackjack import card_points
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

CARDS = ("first", "second", "up", "hole", "hit")
OF_FIRST_TWO = frozenset({"total", "soft", "natural", "cards", "bust", "split", "hand", "doubled", "surrendered"})
COUNTED = "ordered deals of the cards it names"


def can_be_counted(wager: Wager) -> bool:
    """Does the wager look at nothing but cards, and at its first two cards as they were dealt?"""
    if any(clause.when.atoms for clause in wager.placed):
        return False
    at_deal = all(item.at == "deal" for item in wager.settled)
    return all(
        atom.detail is not None or (at_deal and atom.text in OF_FIRST_TWO) for atom in wager.cells.partition.atoms
    )


def law(wager: Wager, shoe: Composition) -> Law:
    """The law of the wager when only the cards that it names are known."""
    if not can_be_counted(wager):
        raise FeltlabError(f"{wager.id} depends on how the hand is played; it cannot be counted from first cards")
    ways, cards = Count(wager, shoe, card_points, cards_of, view).run()
    return Law(wager, tuple(ways), perm(shoe.size, cards), COUNTED)


def cards_of(atom: Atom) -> list[str]:
    """The cards that decide an atom; the facts of a hand as dealt are decided by its first two."""
    if atom.detail is None:
        return ["first", "second"]
    return [HandView._fields[place] for place in atom.fields]


def view(dealt: Dealt) -> HandView:
    """What the wager sees of the cards that lie."""
    first, second, up, hole, hit = (dealt.get(name, NO_CARD) for name in CARDS)
    hard = card_points(first) + card_points(second)
    aces = (card_points(first) == 1) + (card_points(second) == 1)
    return hand_view(first, second, up, hole, hit, hard, aces, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0)
