"""`feltlab check`: checks whether a file is a sheet that can be played."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from feltlab.cli.common import Json, console, print_json, progress
from feltlab.errors import FeltlabError


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The path of a TOML file, or a built-in name.")],
    json: Json = False,
) -> None:
    """Check a sheet: its keys, conditions and pays, lines that no cards can make, and some dealt rounds."""
    from feltlab.exact.reachable import check_reachable
    from feltlab.rounds.conformance import check_sheet
    from feltlab.sheets import load

    sheet = load(file)
    try:
        progress(f"{sheet.id}: lines that no cards can make")
        not_counted = check_reachable(sheet)
        progress(f"{sheet.id}: rounds dealt")
        report = check_sheet(sheet)
    except FeltlabError as error:
        raise FeltlabError(f"{file}: {error}") from None
    finally:
        progress("")
    if json:
        print_json(
            {"sheet": sheet.id, "ok": True, "sha256": sheet.sha256, "not_counted": not_counted, **report._asdict()}
        )
        return
    side = sheet.side_wagers
    lines = sum(len(wager.line) for wager in side)
    say = partial(console().print, markup=False)
    say(
        f"{file}: a good sheet. {sheet.file.name}, {sheet.game}: {_count(len(side), 'side wager')} with"
        f" {_count(lines, 'line')}; {report.rounds} rounds dealt at {report.tables} tables,"
        " the money and the cards add up, and each log replays."
    )
    if report.unreached:
        say(f"Not reached in these rounds: {', '.join(report.unreached)}", style="dim")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
