"""What requests may say. Unknown fields, and numbers that are no whole numbers, are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from feltlab.floor.people.own_limits import MOST_MINUTES
from feltlab.money import LARGEST_AMOUNT

Cents = Annotated[int, Field(strict=True, ge=0, le=LARGEST_AMOUNT)]
Spot = Annotated[int, Field(strict=True, ge=1, le=14)]
Word = Annotated[str, Field(strict=True, min_length=1, max_length=60)]
Words = Annotated[str, Field(strict=True, max_length=60)]
Count = Annotated[int, Field(strict=True, ge=0, le=1000)]
Amounts = Annotated[dict[Word, Cents], Field(max_length=40)]


class Body(BaseModel):
    """A request's body."""

    model_config = ConfigDict(extra="forbid")


class LogIn(Body):
    """A name and a password; and where the account has a second factor, a code of it, or a recovery code."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Ada", "password": "a long password"}]})
    name: Annotated[str, Field(strict=True, max_length=200)]
    password: Annotated[str, Field(strict=True, max_length=200)]
    code: Annotated[str, Field(strict=True, max_length=20)] = ""


class Password(Body):
    """The present password."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"present": "a long password"}]})
    present: Annotated[str, Field(strict=True, max_length=200)]


class Code(Body):
    """A code of the authenticator."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"code": "287082"}]})
    code: Annotated[str, Field(strict=True, max_length=20)]


class Off(Body):
    """The present password, and a code of the authenticator or a recovery code."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"present": "a long password", "code": "287082"}]})
    present: Annotated[str, Field(strict=True, max_length=200)]
    code: Annotated[str, Field(strict=True, max_length=20)]


class NewPassword(Body):
    """The present password, and a new one."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"present": "a long password", "new": "a longer password"}]}
    )
    present: Annotated[str, Field(strict=True, max_length=200)]
    new: Annotated[str, Field(strict=True, max_length=200)]


class BuyIn(Body):
    """Chips, in cents."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"amount": 100_000}]})
    amount: Cents


class SetLimits(Body):
    """What I allow myself in a day of play: to lose, in cents, and to play, in minutes. `null` is no limit."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"loss": 20_000, "minutes": 120}]})
    loss: Cents | None
    minutes: Annotated[int, Field(strict=True, ge=0, le=MOST_MINUTES)] | None


class SitDown(Body):
    """Spots of the table, and the chips to bring, in cents."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"spots": [3], "chips": 50_000}]})
    spots: Annotated[list[Spot], Field(min_length=1, max_length=14)]
    chips: Cents


class Bets(Body):
    """All wagers of a spot, in cents: they replace what lies there. None takes everything back.

    With `round`, they are refused where another round has been dealt in the meantime.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"spot": 3, "bets": {"main": 1000, "bad-beat": 500}}]})
    spot: Spot
    bets: Amounts
    round: Annotated[int, Field(strict=True, ge=1, le=2**53)] | None = None


class Move(Body):
    """An answer to what the table asks: `turn`, `spot` and the legal actions are in its `waits`.

    `side` are wagers on the next card, where an action offers them; `amount` is for `insure`.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"turn": "12.9", "spot": 3, "action": "hit"}]})
    turn: Annotated[str, Field(strict=True, max_length=40)]
    spot: Spot
    action: Literal["stand", "hit", "double", "split", "surrender", "continue", "insure", "decline", "even-money"]
    side: Amounts = Field(default_factory=dict)
    amount: Cents = 0


class Seed(Body):
    """A text of one's own for the order of the next shoe."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"seed": "three crows on a wire"}]})
    seed: Annotated[str, Field(strict=True, min_length=1, max_length=64)]


class Reason(Body):
    """Why something is done, for the record that everybody can read."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "a card was seen that nobody should have"}]})
    reason: Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class NewTable(Body):
    """A table to open: a built-in sheet by name, or the text of a sheet's file, and the choices that it leaves."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"sheet": "bad-beat-blackjack", "decks": 6, "option": "2", "limits": {"main": [500, 50_000]}},
                {"sheet": "bad-beat-baccarat", "option": "no-commission", "seats": 14},
            ]
        }
    )
    sheet: Words = ""
    text: Annotated[str, Field(strict=True, max_length=60_000)] = ""
    name: Words = ""
    decks: Annotated[int, Field(strict=True, ge=1, le=8)] | None = None
    option: Words | None = None
    paytables: Annotated[list[Word], Field(max_length=40)] = Field(default_factory=list)
    rules: Annotated[dict[Word, Words], Field(max_length=60)] = Field(default_factory=dict)
    offered: Annotated[list[Word], Field(max_length=40)] | None = None
    pays: Annotated[dict[Annotated[str, Field(max_length=130)], Words], Field(max_length=200)] = Field(
        default_factory=dict
    )
    limits: Annotated[dict[Word, tuple[Cents, Cents]], Field(max_length=40)] = Field(default_factory=dict)
    jurisdiction: Words | None = None
    rounding: Literal["down", "nearest", "up"] = "down"
    coin: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] = 1
    behind_cut: Count | None = None
    burn: Count = 1
    seats: Count | None = None
    decision_seconds: Count = 30
    betting_seconds: Count = 20
