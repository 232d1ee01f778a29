"""The first deal as a wager sees it: which two-card hands, how likely, and what the deal itself does to the wager.

Play goes by what cards count, a wager may look closer: at ranks, or at suits. Given what the first cards and the up
card count, their ranks and suits have no bearing on the rest of the round. So the deals are put together by all that
the wager can tell of them, and each group is played out once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from feltlab.errors import NotCountedError
from feltlab.exact.blackjack.dealer_ends import Floats
from feltlab.exact.blackjack.settling import Settling
from feltlab.exact.counting.named_cards import Spend
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.blackjack import card_points
from feltlab.hands.graph import hands
from feltlab.hands.states import ACTING, NO_CARDS, SingleCards
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail
from feltlab.wagers.wager import Wager

SEEN = frozenset({"first", "second", "up"})
DEALER_FACTS = frozenset({"dealer.total", "dealer.cards", "dealer.bust"})
MOST_DEALS = 200_000
DEAL = 100  # the work of looking at one deal, in values read


@dataclass(frozen=True)
class DealGroup:
    """Deals that a wager cannot tell apart: cards that stand for them (none if it looks at none), and how likely they
    make each two-card hand.

    `weights[outcome]` are by hand, for the outcome that the deal itself brings; OPEN (-1) for the wager riding on.
    The chances are given the up card's points.
    """

    cards: SingleCards
    weights: dict[int, Floats]


def cards_of(atom: Atom) -> frozenset[str]:
    """The cards that an atom looks at one by one."""
    return frozenset(HandView._fields[place] for place in atom.fields) if atom.detail is not None else frozenset()


def groups(
    wager: Wager, shoe: ShoeComposition, up: int, *, sure: bool, spend: Spend = lambda pieces: None
) -> list[DealGroup]:
    """The deals with an up card of these points, as the wager sees them."""
    at_deal = [timed.when for timed in (*wager.take, *wager.settled) if timed.at == "deal"]
    later = [timed.when for timed in (*wager.take, *wager.settled) if timed.at != "deal"]
    kept = {atom for condition in later for atom in condition.atoms} | set(wager.cells.partition.atoms)
    later_atoms = sorted((atom for atom in kept if cards_of(atom)), key=str)
    card_atoms = {atom for condition in at_deal for atom in condition.atoms if cards_of(atom)} | set(later_atoms)
    if any(clause.when.atoms for clause in wager.needs) and DEALER_FACTS & {atom.text for atom in kept}:
        raise NotCountedError(
            f"{wager.id} looks at the dealer's hand, but does not always need it finished; that is not counted here:"
            " simulate it instead"
        )
    if unseen := {name for atom in later_atoms for name in cards_of(atom)} - SEEN:
        raise NotCountedError(
            f"{wager.id} looks at single cards beyond the first ({', '.join(sorted(unseen))}) and at the play of a"
            " hand; that is not counted here: simulate it instead"
        )
    detail = Detail(max((atom.detail or Detail.POINTS for atom in card_atoms), default=Detail.POINTS))
    by_answers: dict[tuple[int, ...], DealGroup] = {}
    graph = hands()
    for cards, chance in _deals(shoe, up, detail):
        spend(DEAL + len(card_atoms))
        settling = Settling(wager, cards, sure=sure)
        hand = graph.of(card_points(cards.first), card_points(cards.second))
        view = settling.dealt(int(graph.kind[hand]))
        key = tuple(atom.read(view) for atom in later_atoms)
        group = by_answers.setdefault(key, DealGroup(cards if later_atoms else NO_CARDS, {}))
        outcome = settling.status_after("deal", int(graph.kind[hand]), ACTING)
        group.weights.setdefault(outcome, np.zeros(len(graph.size)))[hand] += chance
    return list(by_answers.values())


def _deals(shoe: ShoeComposition, up: int, detail: Detail) -> Iterator[tuple[SingleCards, float]]:
    """First, second and up card in this detail, with how likely they are given the up card's points."""
    kinds = shoe.classes(detail, card_points)
    ups = [(card, count) for card, count in kinds if card_points(card) == up]
    all_ups, size = sum(count for _, count in ups), shoe.size - 1
    if len(kinds) ** 2 * len(ups) > MOST_DEALS:
        raise NotCountedError("the wager looks at too many cards too closely to be counted; simulate it instead")
    for up_card, up_count in ups:
        for first, count in kinds:
            firsts = count - (first == up_card)
            for second, other in kinds:
                seconds = other - (second == up_card) - (second == first)
                if firsts > 0 and seconds > 0:
                    chance = up_count / all_ups * firsts * seconds / (size * (size - 1))
                    yield SingleCards(first, second, up_card), chance


def plain(shoe: ShoeComposition, up: int) -> Floats:
    """How likely each two-card hand is, given the up card's points."""
    weights = np.zeros(len(hands().size))
    for cards, chance in _deals(shoe, up, Detail.POINTS):
        weights[hands().of(card_points(cards.first), card_points(cards.second))] += chance
    return weights


def like_tens(shoe: ShoeComposition, up: int) -> tuple[tuple[float, float], ...]:
    """Where only like tens pair: how likely a pair of tens is of one rank, and how many of the rank are in the shoe."""
    ranks = [sum(shoe.counts[4 * rank : 4 * rank + 4]) for rank in range(9, 13)]
    tens = sum(ranks)
    found: dict[float, float] = {}
    for gone in range(4) if up == 10 else [-1]:
        seen = ranks[gone] / tens if gone >= 0 else 1.0
        left = [count - (place == gone) for place, count in enumerate(ranks)]
        all_left = sum(left)
        for count in left:
            if all_left > 1 and seen:
                chance = seen * count * (count - 1) / (all_left * (all_left - 1))
                found[count] = found.get(count, 0.0) + max(chance, 0.0)
    return tuple((chance, count) for count, chance in found.items())
