"""What people at a table can ask for, and what a round waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct, field

from feltlab.errors import Refused, with_place


class Command(Struct, frozen=True, tag_field="command", forbid_unknown_fields=True):
    """Something asked of a round."""


class PlaceBet(Command, frozen=True, tag="bet"):
    """Put an amount (in cents) on a wager of a spot, before the deal."""

    spot: int
    wager: str
    amount: int


class TakeBack(Command, frozen=True, tag="take-back"):
    """Take a wager of a spot back, before the deal."""

    spot: int
    wager: str


class Deal(Command, frozen=True, tag="deal"):
    """No more bets: deal."""


class Insure(Command, frozen=True, tag="insure"):
    """Answer the offer of insurance; an amount of 0 declines it."""

    spot: int
    amount: int = 0


class EvenMoney(Command, frozen=True, tag="even-money"):
    """Take 1 to 1 for a natural at once."""

    spot: int


class Act(Command, frozen=True, tag="act"):
    """Stand, hit, double, split or surrender the hand in turn; `continue` declines an early surrender.

    `side` are wagers on the card that a hit (or a double) takes, in cents.
    """

    spot: int
    action: str
    side: Mapping[str, int] = field(default_factory=dict)


class Void(Command, frozen=True, tag="void"):
    """The house gives the round up: what is still open goes back. No player can ask for it."""

    reason: str


AnyCommand = PlaceBet | TakeBack | Deal | Insure | EvenMoney | Act
AnyMove = AnyCommand | Void
"""Whatever a round can be asked for: by players, or by the house."""


def checked(command: object) -> AnyCommand:
    """A command whose spots and amounts are whole numbers; anything else is refused.

    >>> checked(PlaceBet(1, "main", 10.5))
    Traceback (most recent call last):
    feltlab.errors.Refused: this is no command: amount: expected a whole number, not a number
    """
    try:
        found: AnyCommand = msgspec.convert(msgspec.to_builtins(command), AnyCommand)
    except (msgspec.MsgspecError, TypeError) as error:
        raise Refused(f"this is no command: {with_place(str(error))}") from None
    return found


class Decision(Struct, frozen=True):
    """What the round waits for: whose turn it is, and exactly what is legal."""

    kind: Literal["bets", "surrender", "insurance", "action"]
    spot: int = 0
    hand: int = 0
    actions: tuple[str, ...] = ()
    side: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # action: wagers that may be placed with it
    most: int = 0  # the most insurance, in cents
    even_money: bool = False


def for_the_absent(waits: Decision) -> AnyCommand:
    """What is answered for a player whose time is up: no surrender, no insurance, and the hand stands.

    >>> for_the_absent(Decision("action", 3, actions=("stand", "hit")))
    Act(spot=3, action='stand', side={})
    """
    if waits.kind == "insurance":
        return Insure(waits.spot)
    return Act(waits.spot, "continue" if waits.kind == "surrender" else "stand")
