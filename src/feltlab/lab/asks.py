"""What can be asked of the lab, and its answers: one question and one answer at a time, as JSON."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from feltlab.errors import FeltlabError, SetupError, SheetError
from feltlab.exact.blackjack.advice.situation import Situation
from feltlab.floor.house.config import Config, Wish, check_work, configure
from feltlab.lab.about import about, sheet_lines
from feltlab.lab.auditing import audited
from feltlab.lab.choice import WHERE, analysis_of, sheet_of
from feltlab.lab.copying import Copy, copied
from feltlab.lab.figures import Part, figures
from feltlab.lab.series import Over, series
from feltlab.lab.where import line_of
from feltlab.tables import TableChoice


class LabQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about the sheet of a text; what is left out does not matter to it."""

    ask: Literal["sheets", "about", "check", "figures", "series", "audit", "strategy", "copy", "coach", "open", "again"]
    text: str = ""
    table: TableChoice | None = None
    part: Part = "all"
    wagers: list[str] | None = None
    wager: str = ""
    over: Over = "decks"
    line: str | None = None
    ratio: float | None = None
    situations: list[Situation] = []
    wish: Wish | None = None
    config: Config | None = None


class SheetMistake(Struct, frozen=True):
    """Something wrong with a sheet, and the line of its text where it stands, if that can be said."""

    line: int | None
    what: str


class Answered(Struct, frozen=True):
    """An answer, as JSON; `last` where the process that gave it should be replaced."""

    answer: msgspec.Raw
    last: bool = False


class Trouble(Struct, frozen=True):
    """What is wrong with a question."""

    problem: str
    kind: Literal["sheet", "table", "lab", "large"] = "lab"
    errors: list[SheetMistake] = []
    last: bool = False


Told = Answered | Trouble


def read_told(line: bytes) -> Told:
    """What was told, from its line of JSON."""
    try:
        return msgspec.json.decode(line, type=Answered)
    except msgspec.ValidationError:
        return msgspec.json.decode(line, type=Trouble)


def told(question: LabQuestion) -> Told:
    """The answer to a question; whatever a person can mend is said in words."""
    try:
        return Answered(msgspec.Raw(msgspec.json.encode(_answer(question))))
    except SheetError as error:
        what = str(error).removeprefix(f"{WHERE}: ")
        return Trouble(what, "sheet", [SheetMistake(line_of(question.text, what), what)])
    except SetupError as error:
        return Trouble(str(error), "table")
    except FeltlabError as error:
        return Trouble(str(error))


def _answer(question: LabQuestion) -> Any:
    if question.ask == "sheets":
        return sheet_lines()
    if question.ask == "open":
        assert question.wish is not None
        return configure(replace(question.wish, text=question.text))[0]
    sheet = sheet_of(question.text)
    if question.ask in ("about", "check"):
        return about(sheet, question.text)
    if question.ask == "again":  # a table that another version opened
        assert question.config is not None
        check_work(question.config.table(question.text).setup)
        return None
    if question.ask == "audit":
        return audited(sheet)
    table = question.table
    assert table is not None
    if question.ask == "figures":
        return figures(table, sheet, question.part, question.wagers)
    if question.ask == "series":
        return series(table, sheet, question.wager, question.over, question.line)
    if question.ask == "copy":
        return Copy(copied(table, sheet, question.text))
    if question.ask == "coach":
        from feltlab.exact.blackjack.advice.actions import worths  # noqa: PLC0415 # needs numba

        analysis = analysis_of(table, sheet)
        return [worths(analysis.game, analysis.setup, one) for one in question.situations]
    from feltlab.lab.chart import chart  # noqa: PLC0415 # needs numba

    return chart(table, sheet, question.ratio)
