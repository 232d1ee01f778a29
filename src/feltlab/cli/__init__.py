"""The commands. Nothing heavy is imported here, so that `feltlab --help` answers at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

import typer

from feltlab.cli import check, deal, play, sheets, show
from feltlab.errors import FeltlabError

PIECE = 8192

app = typer.Typer(
    name="feltlab",
    help="Casino table games from one rule sheet: shown, checked, dealt and played.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("sheets")(sheets.sheets)
app.command("show")(show.show)
app.command("check")(check.check)
app.command("deal")(deal.deal)
app.command("play")(play.play)


@app.callback()
def _feltlab() -> None:
    """Casino table games from one rule sheet: shown, checked, dealt and played."""


class ClosedPipe(FeltlabError):
    """Whoever read the output has stopped reading."""


class _Output:
    """Standard output, but a closed pipe is an ordinary error of ours."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        # In pieces: an unbuffered stream takes a long text in part when the pipe is closed under it, and says nothing.
        for start in range(0, max(len(text), 1), PIECE):
            self._guard(self._stream.write, text[start : start + PIECE])
        return len(text)

    def flush(self) -> None:
        self._guard(self._stream.flush)

    def _guard(self, act: Callable[..., object], *arguments: str) -> None:
        try:
            act(*arguments)
        except BrokenPipeError:
            raise ClosedPipe("the reader of the output closed it early; nothing more was written") from None

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def main() -> None:
    """Run a command. Mistakes end with one line on standard error and code 2, control-C with 130."""
    stdout = sys.stdout
    sys.stdout = _Output(stdout)
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except (FeltlabError, typer.TyperException) as error:
        code = _complain(error)
    except typer.Abort:
        code = _complain(FeltlabError("the input ended before the answer; nothing was done"))
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        sys.stderr.write("\nfeltlab: stopped by control-C\n")
    try:
        sys.stdout = stdout
        stdout.flush()
    except BrokenPipeError:
        # Python would complain once more at exit; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
    sys.exit(code or 0)


def _complain(error: Exception) -> int:
    """One line on standard error: what, where, and what to do."""
    words = error.format_message() if isinstance(error, typer.TyperException) else str(error)
    if words:
        sys.stderr.write(f"feltlab: {' '.join(words.split())}\n")
    return 2
