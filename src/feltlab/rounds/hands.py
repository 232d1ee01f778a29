"""The cards on a blackjack felt: spots, hands and the dealer, as the round's events leave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from feltlab.cards import NO_CARD, rank
from feltlab.games.blackjack import card_points, is_natural, total
from feltlab.rounds.events import (
    AnyEvent,
    CardDealt,
    DealerEnded,
    HandEnded,
    HandSplit,
    HoleShown,
    InsuranceAnswered,
    SurrenderAnswered,
)
from feltlab.wagers.blackjack_facts import HandView, hand_view

STANDING = ("stood", "natural", "stopped")
_POINTS = tuple(card_points(card) for card in range(52))  # looked up, because totals are what a table computes most
_ACE = tuple(int(rank(card) == 1) for card in range(52))


@dataclass
class Hand:
    """A hand, and how it ended. `id` is 0 for the first hand of a spot and does not change in splits."""

    id: int = 0
    cards: list[int] = field(default_factory=list)
    how: str = ""
    doubled: bool = False

    @property
    def hard(self) -> int:
        """The total with every ace counted as 1."""
        return sum([_POINTS[card] for card in self.cards])

    @property
    def aces(self) -> int:
        """The number of aces."""
        return sum([_ACE[card] for card in self.cards])

    @property
    def total(self) -> int:
        """The best total."""
        return total(self.hard, self.aces)

    @property
    def bust(self) -> bool:
        """Whether the total is over 21."""
        return self.total > 21

    @property
    def surrendered(self) -> bool:
        """Whether it was surrendered."""
        return self.how == "surrendered"

    def natural(self, hands: int) -> bool:
        """Whether it is an ace and a ten as dealt, on a spot with this many hands."""
        return bool(is_natural(self.hard, self.aces, len(self.cards), hands))

    def first_ranks(self) -> tuple[int, int]:
        """The ranks of the first two cards; 0 for a missing one."""
        first, second = (*self.cards, NO_CARD, NO_CARD)[:2]
        return rank(first), rank(second)


@dataclass
class Spot:
    """A spot: the two cards as dealt, and its hands from left to right."""

    first: list[int] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=lambda: [Hand()])
    surrender_answered: bool = False
    insurance_answered: bool = False
    even_money: bool = False

    def place(self, id: int) -> int:
        """The position of a hand, from the left."""
        return next(place for place, hand in enumerate(self.hands) if hand.id == id)


@dataclass
class BlackjackFelt:
    """All cards on the felt, face up or face down."""

    spots: dict[int, Spot] = field(default_factory=dict)
    dealer: Hand = field(default_factory=Hand)
    second_seen: bool = False
    finished: bool = False

    def hand(self, spot: int, id: int) -> Hand:
        """A hand of a spot by its id."""
        return self.spots[spot].hands[self.spots[spot].place(id)]

    @property
    def up_rank(self) -> int:
        """The rank of the dealer's up card."""
        return rank(self.dealer.cards[0])

    def dealer_has_natural(self) -> bool:
        """Whether the dealer has a natural, as the dealer sees when peeking."""
        return self.dealer.natural(1)

    def unfinished(self) -> Iterator[tuple[int, Hand]]:
        """The hands that have not ended, in the order of play."""
        for spot in sorted(self.spots):
            for hand in self.spots[spot].hands:
                if not hand.how:
                    yield spot, hand

    def turn(self) -> tuple[int, Hand] | None:
        """The spot and the hand whose turn it is."""
        return next(self.unfinished(), None)

    def first_spot(self, asked: Callable[[Spot], bool]) -> int:
        """The first spot for which this holds; 0 if there is none."""
        return next((number for number in sorted(self.spots) if asked(self.spots[number])), 0)

    def apply(self, event: AnyEvent) -> None:
        """Apply an event; most events change nothing here."""
        match event:
            case CardDealt(to="spot"):
                spot = self.spots.setdefault(event.spot, Spot())
                if len(spot.first) < 2:
                    spot.first.append(event.card)
                self.hand(event.spot, event.hand).cards.append(event.card)
            case CardDealt():
                self.dealer.cards.append(event.card)
                self.second_seen = len(self.dealer.cards) > 1 and event.face_up
            case HandSplit(number, old_hand, new_hand):
                hands, place = self.spots[number].hands, self.spots[number].place(old_hand)
                hands.insert(place + 1, Hand(new_hand, [hands[place].cards.pop()]))
            case HandEnded():
                hand = self.hand(event.spot, event.hand)
                hand.how, hand.doubled = event.how, event.doubled
            case SurrenderAnswered(number):
                self.spots[number].surrender_answered = True
            case InsuranceAnswered(number):
                self.spots[number].insurance_answered = True
                self.spots[number].even_money = event.even_money
            case HoleShown():
                self.second_seen = True
            case DealerEnded(_, finished):
                self.finished = finished
            case _:
                pass

    def view(self, spot: int, id: int, *, hit: int = NO_CARD) -> HandView:
        """The view of a hand's wagers. A hole card that is face down is not in it."""
        place, hand, dealer = self.spots[spot].place(id), self.hand(spot, id), self.dealer
        return hand_view(
            first=self.spots[spot].first[0],
            second=self.spots[spot].first[1],
            up=dealer.cards[0],
            hole=dealer.cards[1] if self.second_seen else NO_CARD,
            hit=hit,
            hard=hand.hard,
            aces=hand.aces,
            cards=len(hand.cards),
            hand=place + 1,
            hands=len(self.spots[spot].hands),
            doubled=int(hand.doubled),
            stood=int(hand.how in STANDING),
            surrendered=int(hand.surrendered),
            even_money=int(self.spots[spot].even_money),
            dealer_hard=dealer.hard,
            dealer_aces=dealer.aces,
            dealer_cards=len(dealer.cards) if self.finished else 0,
        )
