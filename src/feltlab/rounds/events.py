"""Everything that happens at a table, as frozen events. The log of a round is all there is to know of it."""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """Something that happened."""


class StepBegan(Event, frozen=True, tag="step"):
    """The round went on to a step of its procedure."""

    step: str


class BetPlaced(Event, frozen=True, tag="bet"):
    """Chips moved from a player to the felt. `hand` is the hand that the wager rides on."""

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
    """The same wager grew: a double down."""

    bet: int
    amount: int


class CardDealt(Event, frozen=True, tag="card"):
    """A card went to a hand. `to` is `spot`, `dealer`, `player` or `banker`; spot and hand are 0 but for spots."""

    to: str
    card: int
    spot: int = 0
    hand: int = 0
    face_up: bool = True


class SurrenderAnswered(Event, frozen=True, tag="early-surrender"):
    """A player said, before the dealer looked for a natural, whether the hand is given up."""

    spot: int
    taken: bool


class InsuranceAnswered(Event, frozen=True, tag="insurance"):
    """A player took insurance, even money, or neither."""

    spot: int
    amount: int = 0
    even_money: bool = False


class Peeked(Event, frozen=True, tag="peek"):
    """The dealer looked at the hole card."""

    natural: bool


class Acted(Event, frozen=True, tag="action"):
    """A player decided."""

    spot: int
    hand: int
    action: str


class HandSplit(Event, frozen=True, tag="split"):
    """The second card of a hand became the first of a new one, to the hand's right."""

    spot: int
    hand: int
    new_hand: int


class HandEnded(Event, frozen=True, tag="hand-over"):
    """Nothing more happens to a hand: it `stood`, was a `natural`, was `stopped` by a dealer's natural, is `bust`,
    `doubled` or `surrendered`.
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
    """The dealer's hand is as it stays. It is `finished` if it was played out."""

    total: int
    finished: bool


class CoupEnded(Event, frozen=True, tag="coup-over"):
    """A baccarat coup is decided."""

    player: int
    banker: int
    result: str


class BetSettled(Event, frozen=True, tag="settled"):
    """A wager came off the felt: `back` went to the player, the rest of the stake (or the missing win) to the house.

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
    """The round cannot go on; the wagers that are still open go back."""

    reason: str


class RoundEnded(Event, frozen=True, tag="over"):
    """The round is over; what each spot won or lost in all."""

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
