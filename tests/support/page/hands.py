"""Rounds with many split hands: the cards and the decisions with which each spot ends with four hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from feltlab.cards import card, name
from feltlab.rounds.commands import Act, Deal, PlaceBet
from feltlab.rounds.open import open_round
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import open_table

HANDS = 4


class Dealt:
    """A source that gives each spot the cards that its hands are to have, and remembers them."""

    def __init__(self, spots: Mapping[int, tuple[str, str]]) -> None:
        self.spots, self.order, self.seen = spots, [], Counter()
        first = [pair for pair, _ in spots.values()]
        self.first = [*first, "7", *first, "T"]
        self.round = None
        self.asked = 0

    def draw(self) -> int:
        pair, more = self.spots.get(self.asked, ("T", "T"))
        if len(self.order) < len(self.first):
            rank = self.first[len(self.order)]
        else:
            rank = pair if len(self.round.hands.spots[self.asked].hands) < HANDS else more
        suit = "cdhs"[self.seen[rank] % 4]
        self.seen[rank] += 1
        self.order.append(f"{rank}{suit}")
        return card(self.order[-1])


def split_hands(sheet: str, spots: Mapping[int, tuple[str, str]], cards: Mapping[int, int]) -> tuple[str, list[str]]:
    """The cards and the decisions of a round: `spots` says each one's pair and what its hands draw, `cards` how many.

    The last decision, which would end the round, is left out.
    """
    source = Dealt(spots)
    source.round = round_ = open_round(open_table(set_up(load(sheet), decks=8)), source)
    for spot in spots:
        round_.do(PlaceBet(spot, "main", 1000))
    round_.do(Deal())
    decisions: list[str] = []
    while asked := round_.waits_for:
        source.asked = asked.spot
        hand = next(one for one in round_.hands.spots[asked.spot].hands if one.id == asked.hand)
        hits = "hit" in asked.actions and len(hand.cards) < cards[asked.spot]
        action = "split" if "split" in asked.actions else "hit" if hits else "stand"
        round_.do(Act(asked.spot, action))
        decisions.append(action)
    assert all(len(found.hands) == HANDS for found in round_.hands.spots.values())
    assert max(Counter(source.order).values()) <= 8
    assert decisions.pop() == "stand"
    after = sum(event.to == "dealer" for event in round_.log if hasattr(event, "to")) - 2
    assert name(card(source.order[0])) == source.order[0] and after == 0, "17 is what the dealer has"
    return " ".join(source.order), decisions
