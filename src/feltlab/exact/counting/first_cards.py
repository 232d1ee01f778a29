"""The law of a blackjack wager that only looks at named cards: first cards, up card, hole card, hit card.

A natural is a matter of two such cards, the dealer's as well: the cards that the dealer draws after it do not change it,
and where there is no hole card the dealer's second card is as likely to be any that nobody has seen.
"""

from __future__ import annotations

from math import perm

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError
from feltlab.exact.counting.named_cards import Count, Dealt, Spend
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import card_points
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

CARDS = ("first", "second", "up", "hole", "hit")
NATURALS = {"natural": ("first", "second"), "dealer.natural": ("up", "hole")}
AS_DEALT = frozenset({"total", "soft", "cards", "bust", "split", "hand", "doubled", "surrendered"})
COUNTED = "ordered deals of the cards it names"


def can_be_counted(wager: Wager) -> bool:
    """Whether the wager looks at nothing but named cards, naturals, and its first two cards as they were dealt.

    What the deal takes or settles is counted so. What happens to it later must make no difference, or play decides it.
    """
    if any(clause.at == "insurance" or clause.when.atoms for clause in wager.placed):  # cards are known by then
        return False
    atoms = wager.cells.partition.atoms
    if wager.on_hit_cards:  # a natural takes no card, so it is never seen there
        return all(atom.detail is not None for atom in atoms)
    if any(clause.at != "deal" for clause in wager.take):
        return False
    early = [clause for clause in (*wager.take, *wager.settled) if clause.at == "deal"]
    if any(not _as_dealt(atom) for clause in early for atom in clause.when.atoms):
        return False
    if all(clause.at == "deal" for clause in wager.settled):
        return all(_as_dealt(atom) or atom.text in NATURALS for atom in atoms)
    # A dealer's second card is not known before the end: settled earlier, the wager would not see it.
    sees_hole = any("hole" in cards_of(atom) for atom in atoms)
    if sees_hole and any(clause.at not in ("deal", "end") for clause in wager.settled):
        return False
    return all(atom.detail is not None or atom.text in NATURALS for atom in atoms)


def _as_dealt(atom: Atom) -> bool:
    """Whether it is known, and stays the same, once the first cards are out."""
    return atom.detail is not None or atom.text in AS_DEALT or atom.text == "natural"


def law(wager: Wager, shoe: ShoeComposition) -> Law:
    """The law of the wager when only the cards that it names are known."""
    if not can_be_counted(wager):
        raise FeltlabError(f"{wager.id} depends on how the hand is played; it cannot be counted from first cards")
    ways, cards = count(wager, shoe).run()
    return Law(wager, tuple(ways), perm(shoe.size, cards), COUNTED)


def count(wager: Wager, shoe: ShoeComposition, spend: Spend = lambda pieces: None) -> Count:
    """A count of a wager, ready to be run or walked through."""
    return Count(wager, shoe, card_points, cards_of, view, spend)


def cards_of(atom: Atom) -> list[str]:
    """The cards that decide an atom; the facts of a hand as dealt are decided by its first two."""
    if atom.detail is None:
        return list(NATURALS.get(atom.text, NATURALS["natural"]))
    return [HandView._fields[place] for place in atom.fields]


def view(dealt: Dealt) -> HandView:
    """What the wager sees of the cards that lie."""
    first, second, up, hole, hit = (dealt.get(name, NO_CARD) for name in CARDS)
    hard = card_points(first) + card_points(second)
    aces = (card_points(first) == 1) + (card_points(second) == 1)
    return hand_view(first, second, up, hole, hit, hard, aces, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0)
