"""The commands. Nothing heavy is imported here, so that `feltlab --help` is fast.

In the files of this package, imports under `TYPE_CHECKING` and inside functions serve only that; they hide no cycles.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, TextIO

import typer

from feltlab import __version__
from feltlab.cli import (
    account,
    audit,
    check,
    deal,
    edge,
    keys,
    ledger,
    play,
    replay,
    serve,
    sheets,
    show,
    simulate,
    strategy,
    table,
    verify,
)
from feltlab.cli.common import progress
from feltlab.compile import NOTES
from feltlab.errors import FeltlabError

PIECE = 8192

app = typer.Typer(
    name="feltlab",
    help="Casino table games from one rule sheet: shown, checked, dealt, played, counted and simulated.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("sheets")(sheets.sheets)
app.command("show")(show.show)
app.command("check")(check.check)
app.command("deal")(deal.deal)
app.command("play")(play.play)
app.command("edge")(edge.edge)
app.command("simulate")(simulate.simulate)
app.command("strategy")(strategy.strategy)
app.command("audit")(audit.audit)
app.command("serve")(serve.serve)
app.add_typer(account.app, name="account")
app.command("replay")(replay.replay)
app.command("verify")(verify.verify)
app.add_typer(ledger.app, name="ledger")
app.add_typer(table.app, name="table")
app.add_typer(keys.app, name="key")


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"feltlab {__version__}\n")
        raise typer.Exit


@app.callback()
def _feltlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Casino table games from one rule sheet: shown, checked, dealt, played, counted and simulated."""


class OutputLost(FeltlabError):
    """The output cannot be written: a closed pipe, a full disk."""


class _Output:
    """Standard output, with a closed pipe raised as an `OutputLost`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        # In pieces: an unbuffered stream silently writes only a part of a long text if the pipe is closed meanwhile.
        for start in range(0, max(len(text), 1), PIECE):
            self._guard(self._stream.write, text[start : start + PIECE])
        return len(text)

    def flush(self) -> None:
        self._guard(self._stream.flush)

    def _guard(self, act: Callable[..., object], *arguments: str) -> None:
        try:
            act(*arguments)
        except BrokenPipeError:
            raise OutputLost("the reader of the output closed it early; nothing more was written") from None
        except OSError as error:
            raise OutputLost(f"the output cannot be written: {error.strerror}") from None

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def main() -> None:
    """Run a command. Errors end with one line on standard error and code 2, control-C with code 130."""
    code = 2
    if sys.stdout is None:
        _print_error("there is no standard output to print to")
    else:
        code = _run(sys.stdout)
    sys.exit(code)


def _run(stdout: TextIO) -> int:
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="backslashreplace")  # for terminals that cannot show every character
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    sys.stdout = _Output(stdout)
    if sys.stderr is not None and sys.stderr.isatty():
        NOTES.append(progress)
    code: int | None = 2
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except (FeltlabError, typer.TyperException) as error:
        code = 2
        progress("")
        _print_error(error.format_message() if isinstance(error, typer.TyperException) else str(error))
    except KeyboardInterrupt:
        code = 130
    finally:
        sys.stdout = stdout
    if code == 130:
        if stdout.isatty():
            stdout.write("\n")  # after the terminal's own ^C
        _print_error("stopped by control-C")
    _flush_or_discard(stdout)
    return code or 0


def _print_error(words: str) -> None:
    """Print one line on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"feltlab: {' '.join(words.split())}\n")
            sys.stderr.flush()


def _flush_or_discard(stdout: TextIO) -> None:
    """Flush the output, or discard it if it is lost, so that Python does not complain again at exit."""
    try:
        stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
