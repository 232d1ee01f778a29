"""What requests may say: each body once, with the bounds of its fields, by which it is read and documented.

Unknown fields, and numbers that are no whole numbers, are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from feltlab.bounds import Between, Length, Word
from feltlab.floor.house.config import Wish
from feltlab.floor.people.own_limits import MOST_MINUTES
from feltlab.lab.dealing_shapes import SheetTable
from feltlab.lab.figures import Part
from feltlab.lab.series import Over
from feltlab.money import Cents

Spot = Annotated[int, Between(1, 14)]
Amounts = Annotated[dict[Word, Cents], Length(0, 40)]
GivenPassword = Annotated[str, Length(0, 200)]
GivenCode = Annotated[str, Length(0, 20)]
SheetText = Annotated[str, Length(1, 60_000)]


class LogIn(Struct, frozen=True):
    """A name and a password; and where the account has a second factor, a code of it, or a recovery code."""

    name: Annotated[str, Length(0, 200)]
    password: GivenPassword
    code: GivenCode = ""


class Password(Struct, frozen=True):
    """The present password."""

    present: GivenPassword


class Code(Struct, frozen=True):
    """A code of the authenticator."""

    code: GivenCode


class Off(Struct, frozen=True):
    """The present password, and a code of the authenticator or a recovery code."""

    present: GivenPassword
    code: GivenCode


class NewPassword(Struct, frozen=True):
    """The present password, and a new one."""

    present: GivenPassword
    new: GivenPassword


class BuyIn(Struct, frozen=True):
    """Chips, in cents."""

    amount: Cents


class SetLimits(Struct, frozen=True):
    """What I allow myself in a day of play: to lose, in cents, and to play, in minutes. `null` is no limit."""

    loss: Cents | None
    minutes: Annotated[int, Between(0, MOST_MINUTES)] | None


class SitDown(Struct, frozen=True):
    """Spots of the table, and the chips to bring, in cents."""

    spots: Annotated[list[Spot], Length(1, 14)]
    chips: Cents


class Bets(Struct, frozen=True):
    """All wagers of a spot, in cents: they replace what lies there. None takes everything back.

    With `round`, they are refused where another round has been dealt in the meantime.
    """

    spot: Spot
    bets: Amounts
    round: Annotated[int, Between(1, 2**53)] | None = None


class Move(Struct, frozen=True):
    """An answer to what the table asks: `turn`, `spot` and the legal actions are in its `waits`.

    `side` are wagers on the next card, where an action offers them; `amount` is for `insure`.
    """

    turn: Annotated[str, Length(0, 40)]
    spot: Spot
    action: Literal["stand", "hit", "double", "split", "surrender", "continue", "insure", "decline", "even-money"]
    side: Amounts = {}
    amount: Cents = 0


class Seed(Struct, frozen=True):
    """A text of one's own for the order of the next shoe."""

    seed: Annotated[str, Length(1, 64)]


class Reason(Struct, frozen=True):
    """Why something is done, for the record that everybody can read."""

    reason: Annotated[str, Length(1, 200)]


class NewTable(Wish, frozen=True):
    """A table to open: a built-in sheet by name, or the text of a sheet's file, and the choices that it leaves.

    Live tables are dealt from full shoes, to people who play as they like: `remove` and `strategy` are for the lab.
    """


class NewSheet(Struct, frozen=True):
    """The text of a sheet's file."""

    text: SheetText


class AskFigures(Struct, frozen=True):
    """Which figures of a table: those that are counted, those that depend on play, or all of these wagers."""

    table: SheetTable
    part: Part = "all"
    wagers: Annotated[list[Word], Length(0, 40)] | None = None


class AskSeries(Struct, frozen=True):
    """What a wager's edge is to be followed over; `line` is the one whose pay changes."""

    table: SheetTable
    wager: Word
    over: Over
    line: Word | None = None


class AskStrategy(Struct, frozen=True):
    """A table whose strategy is drawn; with `ratio`, the side stake to the main one, the best play for both."""

    table: SheetTable
    ratio: Annotated[float, Between(0, 1000)] | None = None


class AskCopy(Struct, frozen=True):
    """A table whose pays are written into a copy of its sheet."""

    table: SheetTable
