"""The law of the dealer's hand, and of wagers that look at nothing else.

How players draw does not matter to it: the cards that the dealer draws come after a point which depends only on cards
seen before, and an unseen card is as likely to be any that is left wherever the drawing stops. So the dealer's law is
that of a dealer who plays alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import perm

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError
from feltlab.exact.counting.named_cards import VIEW, Spend
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import House, card_points, dealer_draws, insurance_offered, total
from feltlab.wagers.blackjack_facts import MOST_DEALER_CARDS, HandView, hand_view
from feltlab.wagers.facts import Detail
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

FACTS = frozenset({"dealer.total", "dealer.cards", "dealer.bust", "dealer.natural"})
CARDS = frozenset({"up", "hole"})

Hand = tuple[int, int, int]
"""A dealer's finished hand: the hard total, the number of aces, the number of cards."""


def can_be_counted(wager: Wager) -> bool:
    """Whether the wager looks at nothing but the dealer, and rides to the end whatever the player does."""
    if wager.take or any(clause.when.atoms for clause in (*wager.needs, *wager.settled, *wager.placed)):
        return False
    # Settled before the end, it sees no more of the dealer than that there is no natural.
    early = {clause.at for clause in wager.settled} - {"end"}
    if early - {"naturals"} or (early and any(atom.text != "dealer.natural" for atom in wager.cells.partition.atoms)):
        return False
    for atom in wager.cells.partition.atoms:
        cards = {HandView._fields[place] for place in atom.fields} if atom.detail is not None else set()
        if not (cards <= CARDS if cards else atom.text in FACTS):
            return False
    return True


def law(wager: Wager, shoe: ShoeComposition, house: House) -> Law:
    """The law of a wager on the dealer's hand; of insurance, given that the dealer shows an ace."""
    if not can_be_counted(wager):
        raise FeltlabError(f"{wager.id} looks at more than the dealer's hand")
    ways = [0] * len(wager.cells.outcomes)
    for outcome, weight in endings(wager, shoe, house):
        ways[outcome] += weight
    if not sum(ways):
        raise FeltlabError(f"{wager.id} is never offered: no ace is left in the shoe")
    return Law(wager, tuple(ways), sum(ways), counted="")


def endings(
    wager: Wager, shoe: ShoeComposition, house: House, spend: Spend = lambda pieces: None
) -> Iterator[tuple[int, int]]:
    """The outcomes of a wager on the dealer's hand, each with ways of it, case by case."""
    if shoe.size < MOST_DEALER_CARDS:
        raise FeltlabError(
            f"{shoe.size} cards may not be enough for the dealer; at least {MOST_DEALER_CARDS} must be left"
        )
    atoms = wager.cells.partition.atoms
    detail = Detail(max((atom.detail or Detail.POINTS for atom in atoms), default=Detail.POINTS))
    kinds = shoe.classes(detail, card_points)
    only_aces = any(item.at == "insurance" for item in wager.placed)
    for up, ups in kinds:
        if only_aces and not insurance_offered(card_points(up)):
            continue
        for hole, holes in kinds:
            first = ups * (holes - (hole == up))
            if first <= 0:
                continue
            for (hard, aces, cards), rest in hands(shoe, (card_points(up), card_points(hole)), house):
                spend(VIEW + len(atoms))
                view = hand_view(NO_CARD, NO_CARD, up, hole, NO_CARD, 4, 0, 2, 1, 1, 0, 0, 0, 0, hard, aces, cards)
                yield wager.cells.outcome(view), first * rest


@lru_cache(maxsize=512)
def hands(shoe: ShoeComposition, pair: tuple[int, int], house: House) -> tuple[tuple[Hand, int], ...]:
    """How the dealer can end from an up card and a hole card of these points, with the ways of all later cards."""
    counts = shoe.by_points(card_points, 11)
    for points in pair:
        counts[points] -= 1
    found: dict[Hand, int] = {}

    def draw(hard: int, aces: int, cards: int, weight: int) -> None:
        if not dealer_draws(house, hard, aces):
            end = (hard, aces, cards)
            left = shoe.size - cards
            found[end] = found.get(end, 0) + weight * perm(left, MOST_DEALER_CARDS - cards)
            return
        for points in range(1, 11):
            if counts[points]:
                ways = weight * counts[points]
                counts[points] -= 1
                draw(hard + points, aces + (points == 1), cards + 1, ways)
                counts[points] += 1

    draw(sum(pair), pair.count(1), 2, 1)
    return tuple(found.items())


def final_hands(shoe: ShoeComposition, up: int, house: House, *, peeked: bool) -> dict[tuple[str, int], Fraction]:
    """How likely the dealer ends on each total (`bust`, `natural`) with each number of cards, from an up card's points.

    >>> from feltlab.games import blackjack
    >>> from feltlab.games.rules import choose
    >>> hits = blackjack.house(choose(blackjack.RULES, {}))
    >>> final_hands(ShoeComposition.of(1), 1, hits, peeked=False)["natural", 2]
    Fraction(16, 51)
    """
    found: dict[tuple[str, int], int] = {}
    counts = shoe.by_points(card_points, 11)
    for hole in range(1, 11):
        holes = counts[hole] - (hole == up)
        if sorted((hole, up)) == [1, 10]:
            if not peeked:
                found["natural", 2] = holes * perm(shoe.size - 2, MOST_DEALER_CARDS - 2)
            continue
        if holes > 0:
            for (hard, aces, cards), rest in hands(shoe, (up, hole), house):
                name = "bust" if hard > 21 else str(total(hard, aces)), cards
                found[name] = found.get(name, 0) + holes * rest
    everything = sum(found.values())
    return {name: Fraction(ways, everything) for name, ways in sorted(found.items())}
