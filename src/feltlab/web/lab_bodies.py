"""What may be asked of the lab."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from feltlab.lab.dealing_shapes import MOST_ROUNDS
from feltlab.web.bodies import Body, Word, Words

SHEET = r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"
TABLE: dict[str, Any] = {
    "sheet": "bad-beat-blackjack",
    "decks": 6,
    "paytables": ["bad-beat=P1"],
    "pays": {"bad-beat/20-beaten": "25:1"},
}
COUP: dict[str, Any] = {"sheet": "bad-beat-baccarat"}


class LabTable(Body):
    """A table: a built-in sheet's id or the hash of a text that was put in, and choices. The rest is the usual table."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [TABLE]})
    sheet: Annotated[str, Field(strict=True, pattern=SHEET)]
    decks: Annotated[int, Field(strict=True, ge=1, le=99)] | None = None  # the sheet says which, and which it has
    option: Words | None = None
    paytables: Annotated[list[Word], Field(max_length=40)] = Field(default_factory=list)
    rules: Annotated[dict[Word, Words], Field(max_length=60)] = Field(default_factory=dict)
    pays: Annotated[dict[Annotated[str, Field(max_length=130)], Words], Field(max_length=200)] = Field(
        default_factory=dict
    )
    offered: Annotated[list[Word], Field(max_length=40)] | None = None
    strategy: Word = "basic"
    remove: Annotated[str, Field(strict=True, max_length=1500)] = ""


class NewSheet(Body):
    """The text of a sheet's file."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": 'id = "mine"\nname = "Mine"\ngame = "baccarat"\n'}]}
    )
    text: Annotated[str, Field(strict=True, min_length=1, max_length=60_000)]


class AskFigures(Body):
    """Which figures of a table: those that are counted, those that depend on play, or all of these wagers."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table": COUP, "part": "counted"}]})
    table: LabTable
    part: Literal["counted", "played", "all"] = "all"
    wagers: Annotated[list[Word], Field(max_length=40)] | None = None


class AskSeries(Body):
    """What a wager's edge is to be followed over; `line` is the one whose pay changes."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table": COUP, "wager": "bad-beat", "over": "decks"}]})
    table: LabTable
    wager: Word
    over: Literal["decks", "pay", "removed", "depth"]
    line: Word | None = None


class AskStrategy(Body):
    """A table whose strategy is drawn; with `ratio`, the side stake to the main one, the best play for both."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table": {"sheet": "bad-beat-blackjack"}, "ratio": 1}]})
    table: LabTable
    ratio: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] | None = None


class AskCopy(Body):
    """A table whose pays are written into a copy of its sheet."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table": TABLE}]})
    table: LabTable


class NewSimulation(Body):
    """How many rounds of a table to deal: each from a full shoe (`fresh`), or shoe by shoe, on so many spots."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table": COUP, "rounds": 1_000_000, "seed": 7}]})
    table: LabTable
    rounds: Annotated[int, Field(strict=True, ge=1, le=MOST_ROUNDS)]
    seed: Annotated[int, Field(strict=True, ge=0, le=2**53)] = 0
    mode: Literal["fresh", "shoe"] = "fresh"
    spots: Annotated[int, Field(strict=True, ge=1, le=7)] = 1
