"""`feltlab simulate`: simulates rounds by the million or billion, with the exact figures beside the sampled ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import (
    Json,
    Offered,
    OneDecks,
    OneOption,
    OnePaytables,
    OneStrategy,
    Pays,
    Rules,
    SheetName,
    console,
    may_double_split,
    print_json,
    progress,
    setups,
    strategy_named,
)
from feltlab.errors import FeltlabError

if TYPE_CHECKING:
    from feltlab.analysis import Analysis
    from feltlab.simulate.run import Until
    from feltlab.simulation import Simulation

MANY = "1e6"


def simulate(
    sheet: SheetName,
    rounds: Annotated[str, typer.Option(metavar="N", help="How many rounds, such as 1000000 or 1e9.")] = MANY,
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same rounds on every engine.")] = None,
    mode: Annotated[
        str, typer.Option(metavar="fresh|shoe", help="A full shoe for every round, or whole shoes.")
    ] = "fresh",
    cut: Annotated[int | None, typer.Option(metavar="N", help="Cards behind the cut card, with --mode shoe.")] = None,
    spots: Annotated[int, typer.Option(metavar="N", help="Spots that are played, in blackjack.")] = 1,
    decks: OneDecks = None,
    option: OneOption = None,
    paytable: OnePaytables = None,
    rule: Rules = None,
    offer: Offered = None,
    pay: Pays = None,
    remove: Annotated[
        str | None, typer.Option(metavar="CARDS", help="Cards removed from the shoe, such as 'As Kd'.")
    ] = None,
    strategy: OneStrategy = None,
    engine: Annotated[str, typer.Option(metavar="E", help="cpu, cpu:THREADS, gpu, ray or ray:ADDRESS.")] = "cpu",
    until: Annotated[
        str | None,
        typer.Option(metavar="WAGER:H", help="Stop when the 95 % interval of its edge is +-H; --rounds is the most."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep what is dealt; go on from there.")
    ] = None,
    log: Annotated[Path | None, typer.Option(metavar="FILE.parquet", help="Write one row for each hand.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Print every line of every wager, not only its edge.")] = False,
    json: Json = False,
) -> None:
    """Simulate rounds by the million or billion, with the exact figures beside the sampled ones.

    Control-C ends with the result so far. All side wagers of the table are placed at once; blackjack hands are played by
    basic strategy unless another is named.
    """
    from feltlab.analysis import Analysis
    from feltlab.sheets import load
    from feltlab.tables import TableChoice

    (setup,) = setups(load(sheet), decks, option, paytable, rule, offer, pay)
    table = Analysis(setup, TableChoice(remove=remove or "").removed)
    made = _made(table, rounds, seed, mode, cut, spots, strategy, engine, until, checkpoint, log)
    from feltlab.cli.simulate_text import Bar, as_json, print_result

    with Bar(made) as bar:
        made.run.tell = bar.tell
        made.run.go()
    progress("exact figures")
    compared = made.compared()
    progress("")
    if json:
        print_json(as_json(made, compared))
    else:
        print_result(console(), made, compared, lines=lines)
    if made.run.stopped:
        raise typer.Exit(130)


def _made(
    table: Analysis,
    rounds: str,
    seed: int | None,
    mode: str,
    cut: int | None,
    spots: int,
    strategy: str | None,
    engine: str,
    until: str | None,
    checkpoint: Path | None,
    log: Path | None,
) -> Simulation:
    """The simulation for a command's options; anything wrong with them is refused before a card is dealt."""
    from secrets import randbits

    from feltlab.simulate.engines.names import engine as engine_of
    from feltlab.simulation import simulation

    wanted, wished = count_of(rounds, most_allowed=until is not None and rounds == MANY), until_of(until)
    if log is not None and (engine.partition(":")[0] != "cpu" or checkpoint is not None):
        raise FeltlabError(
            "--log is written by one processor from the first round on: leave --engine and --checkpoint out"
        )
    progress(f"preparing {table.setup.sheet.id}")
    made = simulation(
        table,
        rounds=wanted,
        seed=randbits(32) if seed is None else seed,
        mode=mode,
        cut=cut,
        spots=spots,
        strategy=None if strategy is None else strategy_named(strategy, das=may_double_split(table.setup)),
        engine=engine_of(engine),
        until=wished,
        checkpoint=checkpoint,
        say=say,
    )
    if log is not None:
        from feltlab.simulate.trace.log import Logged

        made.run.engine = Logged(log, made.run.meaning, table.setup)
    return made


def say(words: str) -> None:
    """Print a message about the run on standard error."""
    progress("")
    if sys.stderr is not None:
        sys.stderr.write(words + "\n")


def count_of(text: str, *, most_allowed: bool = False) -> int:
    """Parse a number of rounds; with `most_allowed`, the most there can be.

    >>> count_of("1e9"), count_of("2_500_000")
    (1000000000, 2500000)
    """
    from feltlab.simulate.prepare import MOST_ROUNDS

    if most_allowed:
        return MOST_ROUNDS
    try:
        number = float(text) if "e" in text.lower() or "." in text else int(text)
    except ValueError:
        raise FeltlabError(f"--rounds '{text}': write a whole number, such as 1000000 or 1e9") from None
    if not 1 <= number <= MOST_ROUNDS:
        raise FeltlabError(f"--rounds {text}: at least 1 round, and at most {MOST_ROUNDS:.0e}")
    if number != int(number):
        raise FeltlabError(f"--rounds {text}: rounds are whole; write a whole number, such as 1000000 or 1e9")
    return int(number)


def until_of(text: str | None) -> Until | None:
    """Parse `--until`.

    >>> until_of("bad-beat:0.0001")
    Until(wager='bad-beat', half_width=0.0001)
    """
    from feltlab.simulate.run import Until

    if text is None:
        return None
    wager, _, width = text.rpartition(":")
    try:
        half = float(width)
    except ValueError:
        half = 0.0
    if not wager or not 0 < half < 1:
        raise FeltlabError(f"--until '{text}': write a wager and the precision of its edge, such as bad-beat:0.0001")
    return Until(wager, half)
