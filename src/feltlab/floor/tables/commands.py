"""The commands of a live table, from players, from the house and from the server itself.

Tags and fields are stored and hashed, and stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType, field


class BaseTableCommand(Struct, frozen=True, tag_field="command", forbid_unknown_fields=True):
    """A command to a table."""


class Sit(BaseTableCommand, frozen=True, tag="sit"):
    """Take spots, and bring chips."""

    spots: tuple[int, ...]
    chips: int


class Leave(BaseTableCommand, frozen=True, tag="leave"):
    """Leave with all chips; with wagers in play, when the round is over."""


class Bring(BaseTableCommand, frozen=True, tag="chips"):
    """Bring more chips."""

    amount: int


class SetBets(BaseTableCommand, frozen=True, tag="bets"):
    """Set the wagers of a spot in cents, replacing those there now; refused if the next round is not `round`."""

    spot: int
    bets: Mapping[str, int] = field(default_factory=dict)
    round: int | UnsetType = UNSET  # not encoded when unset, which keeps the digests of older requests stable


class Ready(BaseTableCommand, frozen=True, tag="deal"):
    """Ask for the deal, which comes when all are ready."""


class Decide(BaseTableCommand, frozen=True, tag="move"):
    """Answer the question that the table waits for, which `turn` identifies."""

    turn: str
    spot: int
    action: str
    side: Mapping[str, int] = field(default_factory=dict)
    amount: int = 0


class AddSeed(BaseTableCommand, frozen=True, tag="seed"):
    """Add a seed to the order of the shoe, before its first card."""

    seed: str


class TakeName(BaseTableCommand, frozen=True, tag="name"):
    """Put the seat of a guest who has registered under their new name."""


class DeadlineExpired(BaseTableCommand, frozen=True, tag="clock"):
    """A deadline has passed."""


class SeemsGone(BaseTableCommand, frozen=True, tag="gone"):
    """A person no longer follows the table."""

    person: int


class IsBack(BaseTableCommand, frozen=True, tag="back"):
    """A person who seemed gone follows the table again."""

    person: int


class OpenTable(BaseTableCommand, frozen=True, tag="open"):
    """The house opens the table."""


class CloseTable(BaseTableCommand, frozen=True, tag="close"):
    """The house closes the table once the round is over."""


class VoidRound(BaseTableCommand, frozen=True, tag="void"):
    """The house voids the round in play, with a reason."""

    reason: str


TableCommand = (
    Sit
    | Leave
    | Bring
    | SetBets
    | Ready
    | Decide
    | AddSeed
    | TakeName
    | DeadlineExpired
    | SeemsGone
    | IsBack
    | OpenTable
    | CloseTable
    | VoidRound
)
