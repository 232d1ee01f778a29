"""The questions that the lab answers, and the encoding of questions and answers as JSON."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

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
from feltlab.lab.error_lines import line_of
from feltlab.lab.figures import Part, figures
from feltlab.lab.series import Over, series
from feltlab.tables import TableChoice

T = TypeVar("T")


class LabQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about a sheet, which is given by its text. Each kind of question uses some of the other fields."""

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
    """A mistake in a sheet, with its line in the text if that is known."""

    line: int | None
    what: str


class Answered(Struct, frozen=True):
    """An answer as JSON. `last`: the process should be replaced after it."""

    answer: msgspec.Raw
    last: bool = False


class Trouble(Struct, frozen=True):
    """The error of a question."""

    problem: str
    kind: Literal["sheet", "table", "lab", "large"] = "lab"
    errors: list[SheetMistake] = []
    last: bool = False


Told = Answered | Trouble


def read_told(line: bytes) -> Told:
    """Decode an answer or an error from its line of JSON."""
    try:
        return msgspec.json.decode(line, type=Answered)
    except msgspec.ValidationError:
        return msgspec.json.decode(line, type=Trouble)


def answer_to(question: LabQuestion) -> Told:
    """Answer a question; mistakes that a person can fix become a `Trouble`."""
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
        return configure(replace(_given(question.wish, "wish"), text=question.text))[0]
    sheet = sheet_of(question.text)
    if question.ask in ("about", "check"):
        return about(sheet, question.text)
    if question.ask == "again":  # a table that another version opened
        check_work(_given(question.config, "config").table(question.text).setup)
        return None
    if question.ask == "audit":
        return audited(sheet)
    table = _given(question.table, "table")
    if question.ask == "figures":
        return figures(table, sheet, question.part, question.wagers)
    if question.ask == "series":
        return series(table, sheet, question.wager, question.over, question.line)
    if question.ask == "copy":
        return Copy(copied(table, sheet, question.text))
    if question.ask == "coach":
        from feltlab.exact.blackjack.advice.actions import worths  # noqa: PLC0415 # needs numba

        analysis = analysis_of(table, sheet)
        return [worths(analysis.game, analysis.setup, situation) for situation in question.situations]
    from feltlab.lab.chart import chart  # noqa: PLC0415 # needs numba

    return chart(table, sheet, question.ratio)


def _given(field: T | None, name: str) -> T:
    """A field that the question needs."""
    if field is None:
        raise FeltlabError(f"this question needs a {name}")
    return field
