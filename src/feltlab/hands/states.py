"""What can become of a hand, and what its wagers see of it.

Both engines describe a hand by its `HandKind`, its `HandState` and the `DealerHand` against it, and show it to wagers
through `hand_as_seen`, which is the view that a table uses.
"""

from __future__ import annotations

from typing import NamedTuple

from feltlab.cards import NO_CARD
from feltlab.games.blackjack import card_points
from feltlab.wagers.blackjack_facts import HandView, hand_view

OPEN, ABSENT = -1, -2
"""The status of a wager that still rides, and of one that was not placed. A settled wager has its outcome, from 0 up."""

DEALT, FIRST, OTHER = 0, 1, 2
"""The role of a hand: as dealt, the first hand of a split, any other hand of it."""


class HandKind(NamedTuple):
    """What a wager can see of a hand's cards as a whole."""

    total: int
    soft: int
    cards: int


NATURAL_KIND = HandKind(21, 1, 2)


class HandState(NamedTuple):
    """The role of a hand, and what the player has done with it: nothing yet while it is played, or when it is bust.

    >>> ACTING.after_split(OTHER)._replace(doubled=1).stake
    2
    """

    role: int = DEALT
    doubled: int = 0
    stood: int = 0
    surrendered: int = 0

    @property
    def split(self) -> int:
        """Whether the hand comes from a split."""
        return int(self.role != DEALT)

    @property
    def stake(self) -> int:
        """How many first stakes lie on the hand."""
        return 1 + self.doubled

    def after_split(self, role: int) -> HandState:
        """The same for a hand of another role."""
        return self._replace(role=role)


ACTING, STOOD, DOUBLED, SURRENDERED = HandState(), HandState(stood=1), HandState(doubled=1), HandState(surrendered=1)


class DealerHand(NamedTuple):
    """What is known of the dealer's hand: total and number of cards once it is finished, and a natural once it is seen."""

    total: int = 0
    cards: int = 0
    natural: int = 0
    seen: int = 0


UNSEEN, SEEN, SEEN_NATURAL, NATURAL = DealerHand(), DealerHand(seen=1), DealerHand(0, 0, 1, 1), DealerHand(21, 2, 1, 1)
"""Nothing seen; a second card that makes no natural; one that does; a natural as a finished hand."""

ACE, TEN = 0, 36  # cards that stand for the two of a dealer's natural


class SingleCards(NamedTuple):
    """The cards that a wager looks at one by one; NO_CARD for one that it does not look at."""

    first: int = NO_CARD
    second: int = NO_CARD
    up: int = NO_CARD


NO_CARDS = SingleCards()


def hand_as_seen(
    kind: HandKind, state: HandState, dealer: DealerHand = UNSEEN, cards: SingleCards = NO_CARDS
) -> HandView:
    """A hand as its wagers see it.

    >>> view = hand_as_seen(HandKind(18, 1, 3), DOUBLED, NATURAL)
    >>> view.total, view.soft, view.doubled, view.dealer_natural
    (18, 1, 1, 1)
    """
    hard, aces = (kind.total - 10, 1) if kind.soft else (kind.total, 0)
    up, hole = cards.up, NO_CARD
    dealer_hard, dealer_aces = dealer.total, 0
    if dealer.natural:
        up = ACE if up == NO_CARD else up
        hole = TEN if card_points(up) == 1 else ACE
        dealer_hard, dealer_aces = 11, 1
    return hand_view(
        *(cards.first, cards.second, up, hole, NO_CARD, hard, aces, kind.cards),
        *(2 if state.role == OTHER else 1, 1 + state.split, state.doubled, state.stood, state.surrendered, 0),
        *(dealer_hard, dealer_aces, dealer.cards),
    )
