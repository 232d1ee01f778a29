"""The law of a wager on hit cards, in play: every card that a strategy takes, each as likely as it then is.

How a hand is played depends on what cards count. Given what the up card and the hit card count, their ranks and suits
are those of two cards drawn from the shoe, whatever else was dealt: so it is enough to know how often a hit card
counts 1, 2, ... 10 against each up card.
"""

from __future__ import annotations

import numpy as np

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError, NotCountedError
from feltlab.exact.blackjack.first_deal import cards_of
from feltlab.exact.blackjack.played import PlayedRounds
from feltlab.games.blackjack import card_points
from feltlab.wagers.blackjack_facts import hand_view
from feltlab.wagers.facts import Detail
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager, happens

LOOKS_AT = frozenset({"up", "hit"})


def law(played: PlayedRounds, wager: Wager) -> Law:
    """The law of the wager for a player who makes it on every card that it may be made on."""
    atoms = wager.cells.partition.atoms
    if any(clause.when.atoms for clause in wager.placed) or any(
        not cards_of(atom) <= LOOKS_AT or not cards_of(atom) for atom in atoms
    ):
        raise NotCountedError(
            f"{wager.id} looks at more than the hit card and the up card; in play that is not counted: simulate it"
        )
    if any(played.splits_only_like_tens(up) for up in played.plans):
        raise NotCountedError(f"{wager.id} cannot be counted where tens are split, but only like ones: simulate it")
    ways = np.zeros(len(wager.cells.outcomes))
    for up, parts in played.rounds.items():
        drawn = np.zeros(10)
        for ended in parts:
            for at, cards in zip(("before-hit", "before-double"), ended.drawn, strict=True):
                if happens(wager.placed, at, ()):
                    drawn += cards
        for points in np.flatnonzero(drawn).tolist():
            for outcome, share in _outcomes(played, wager, up, points + 1).items():
                ways[outcome] += played.game.tables[up].chance * drawn[points] * share
    if not ways.any():
        raise FeltlabError(f"{wager.id} is never made: the strategy '{played.strategy}' takes no card to make it on")
    return Law(wager, tuple((ways / ways.sum()).tolist()), 1.0, "", strategy=str(played.strategy))


def _outcomes(played: PlayedRounds, wager: Wager, up: int, hit: int) -> dict[int, float]:
    """The outcomes of a hit card with these points against an up card with those, with how likely each is."""
    detail = Detail(max((atom.detail or Detail.POINTS for atom in wager.cells.partition.atoms), default=Detail.POINTS))
    kinds = played.game.shoe.classes(detail, card_points)
    found: dict[int, float] = {}
    total = 0
    for up_card, ups in (kind for kind in kinds if card_points(kind[0]) == up):
        for hit_card, hits in (kind for kind in kinds if card_points(kind[0]) == hit):
            ways = ups * (hits - (up_card == hit_card))
            if ways > 0:
                view = hand_view(NO_CARD, NO_CARD, up_card, NO_CARD, hit_card, *([0] * 12))
                outcome = wager.cells.outcome(view)
                found[outcome] = found.get(outcome, 0.0) + ways
                total += ways
    return {outcome: ways / total for outcome, ways in found.items()}
