"""What can be asked of a live table, by players, by the house and by the clock."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType, field


class BaseTableCommand(Struct, frozen=True, tag_field="command", forbid_unknown_fields=True):
    """Something asked of a table."""


class Sit(BaseTableCommand, frozen=True, tag="sit"):
    """Take spots, and bring chips."""

    spots: tuple[int, ...]
    chips: int


class Leave(BaseTableCommand, frozen=True, tag="leave"):
    """Go, with all chips; with wagers in play, when the round is over."""


class Bring(BaseTableCommand, frozen=True, tag="chips"):
    """Bring more chips."""

    amount: int


class SetBets(BaseTableCommand, frozen=True, tag="bets"):
    """The wagers of a spot, in cents, instead of what lies there now; refused where another round than `round` is next."""

    spot: int
    bets: Mapping[str, int] = field(default_factory=dict)
    round: int | UnsetType = UNSET  # what is not said is not written: requests of older versions stay what they were


class Ready(BaseTableCommand, frozen=True, tag="deal"):
    """No more bets from me: deal when all are ready."""


class Decide(BaseTableCommand, frozen=True, tag="move"):
    """An answer to the question that the table waits for, which `turn` names."""

    turn: str
    spot: int
    action: str
    side: Mapping[str, int] = field(default_factory=dict)
    amount: int = 0


class AddSeed(BaseTableCommand, frozen=True, tag="seed"):
    """Mix a text into the order of the shoe, before its first card."""

    seed: str


class TakeName(BaseTableCommand, frozen=True, tag="name"):
    """A guest has registered: the seat is under their own name from now on."""


class DeadlineExpired(BaseTableCommand, frozen=True, tag="clock"):
    """Somebody's time is up."""


class SeemsGone(BaseTableCommand, frozen=True, tag="gone"):
    """Nobody follows the table any more for a person who did."""

    person: int


class IsBack(BaseTableCommand, frozen=True, tag="back"):
    """Somebody follows the table again for a person who seemed gone."""

    person: int


class OpenTable(BaseTableCommand, frozen=True, tag="open"):
    """The house opens the table."""


class CloseTable(BaseTableCommand, frozen=True, tag="close"):
    """The house closes the table, when the round is over."""


class VoidRound(BaseTableCommand, frozen=True, tag="void"):
    """The house gives up the round in play, and says why."""

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
