"""Everything that happens in a round, as frozen events. The log of a round describes it completely.

Tags and fields are stored and streamed, and class names are stored in the ledger: all of them stay as they are.
"""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """Something that happened in a round."""


class StepBegan(Event, frozen=True, tag="step"):
    """A step of the round's procedure began."""

    step: str


class BetPlaced(Event, frozen=True, tag="bet"):
    """A player placed a wager. `hand` is the hand that it rides on."""

    bet: int
    spot: int
    hand: int
    wager: str
    amount: int


class BetTakenBack(Event, frozen=True, tag="take-back"):
    """A player took a wager back before the deal."""

    bet: int
    spot: int
    wager: str
    amount: int


class BetRaised(Event, frozen=True, tag="raise"):
    """A wager was raised by a double down."""

    bet: int
    amount: int


class CardDealt(Event, frozen=True, tag="card"):
    """A card was dealt. `to` is `spot`, `dealer`, `player` or `banker`; spot and hand are 0 unless it is `spot`."""

    to: str
    card: int
    spot: int = 0
    hand: int = 0
    face_up: bool = True


class SurrenderAnswered(Event, frozen=True, tag="early-surrender"):
    """A player took or declined early surrender, before the dealer checked for a natural."""

    spot: int
    taken: bool


class InsuranceAnswered(Event, frozen=True, tag="insurance"):
    """A player took insurance or even money, or declined both."""

    spot: int
    amount: int = 0
    even_money: bool = False


class Peeked(Event, frozen=True, tag="peek"):
    """The dealer checked the hole card for a natural."""

    natural: bool


class Acted(Event, frozen=True, tag="action"):
    """A player acted on a hand."""

    spot: int
    hand: int
    action: str


class HandSplit(Event, frozen=True, tag="split"):
    """The second card of a hand became the first card of a new hand, to its right."""

    spot: int
    hand: int
    new_hand: int


class HandEnded(Event, frozen=True, tag="hand-over"):
    """A hand ended: it `stood`, was a `natural`, was `stopped` by a dealer's natural, is `bust`, `doubled` or
    `surrendered`.
    """

    spot: int
    hand: int
    how: str
    total: int
    doubled: bool = False


class HoleShown(Event, frozen=True, tag="hole"):
    """The dealer turned the hole card over."""

    card: int


class DealerEnded(Event, frozen=True, tag="dealer-over"):
    """The dealer's hand is final. It is `finished` if it was played out."""

    total: int
    finished: bool


class CoupEnded(Event, frozen=True, tag="coup-over"):
    """A baccarat coup is decided."""

    player: int
    banker: int
    result: str


class BetSettled(Event, frozen=True, tag="settled"):
    """A wager was settled: `back` went to the player; the rest of the stake went to the house, or the win came from it.

    `taken` means that the dealer took it early, because it could no longer win.
    """

    bet: int
    spot: int
    hand: int
    wager: str
    lines: tuple[str, ...]
    pays: str
    stake: int
    back: int
    taken: bool = False


class RoundVoided(Event, frozen=True, tag="void"):
    """The round was voided; open wagers are returned."""

    reason: str


class RoundEnded(Event, frozen=True, tag="over"):
    """The round ended, with the total that each spot won or lost."""

    nets: dict[int, int]


AnyEvent = (
    StepBegan
    | BetPlaced
    | BetTakenBack
    | BetRaised
    | CardDealt
    | SurrenderAnswered
    | InsuranceAnswered
    | Peeked
    | Acted
    | HandSplit
    | HandEnded
    | HoleShown
    | DealerEnded
    | CoupEnded
    | BetSettled
    | RoundVoided
    | RoundEnded
)
