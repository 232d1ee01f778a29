"""The commands of a round, and the decisions that a round waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct, field

from feltlab.errors import Refused, with_place


class Command(Struct, frozen=True, tag_field="command", forbid_unknown_fields=True):
    """A command to a round."""


class PlaceBet(Command, frozen=True, tag="bet"):
    """Place an amount in cents on a wager of a spot, before the deal."""

    spot: int
    wager: str
    amount: int


class TakeBack(Command, frozen=True, tag="take-back"):
    """Take back a wager of a spot, before the deal."""

    spot: int
    wager: str


class Deal(Command, frozen=True, tag="deal"):
    """Close the betting and deal."""


class Insure(Command, frozen=True, tag="insure"):
    """Take insurance for an amount; 0 declines it."""

    spot: int
    amount: int = 0


class EvenMoney(Command, frozen=True, tag="even-money"):
    """Take even money for a natural: 1 to 1 at once."""

    spot: int


class Act(Command, frozen=True, tag="act"):
    """Stand, hit, double, split or surrender the hand in turn; `continue` declines an early surrender.

    `side` are wagers on the card that a hit (or a double) takes, in cents.
    """

    spot: int
    action: str
    side: Mapping[str, int] = field(default_factory=dict)


class Void(Command, frozen=True, tag="void"):
    """The house voids the round: open wagers are returned. No player can ask for it."""

    reason: str


AnyCommand = PlaceBet | TakeBack | Deal | Insure | EvenMoney | Act
AnyMove = AnyCommand | Void
"""Any command to a round, from a player or from the house."""


def validated(command: object) -> AnyCommand:
    """The command, with all fields checked for their types: spots and amounts are whole numbers.

    >>> validated(PlaceBet(1, "main", 10.5))
    Traceback (most recent call last):
    feltlab.errors.Refused: this is not a command: amount: expected a whole number, not a number
    """
    try:
        valid: AnyCommand = msgspec.convert(msgspec.to_builtins(command), AnyCommand)
    except (msgspec.MsgspecError, TypeError) as error:
        raise Refused(f"this is not a command: {with_place(str(error))}") from None
    return valid


class Decision(Struct, frozen=True):
    """A decision that the round waits for: whose turn it is, and exactly what is legal."""

    kind: Literal["bets", "surrender", "insurance", "action"]
    spot: int = 0
    hand: int = 0
    actions: tuple[str, ...] = ()
    side: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the wagers that may be placed with each action
    most: int = 0  # the largest insurance, in cents
    even_money: bool = False


def timeout_default(waits: Decision) -> AnyCommand:
    """The answer for a player whose time is up: no surrender, no insurance, and the hand stands.

    >>> timeout_default(Decision("action", 3, actions=("stand", "hit")))
    Act(spot=3, action='stand', side={})
    """
    if waits.kind == "insurance":
        return Insure(waits.spot)
    return Act(waits.spot, "continue" if waits.kind == "surrender" else "stand")
