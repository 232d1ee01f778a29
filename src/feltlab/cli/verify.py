"""`feltlab verify`: verifies a finished shoe and every round dealt from it, or a whole database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import Json, console, print_json, progress
from feltlab.cli.ledger import visit
from feltlab.cli.serve import Database
from feltlab.errors import FeltlabError

if TYPE_CHECKING:
    from feltlab.floor.records.heads import KeptHeads
    from feltlab.floor.records.proof import Proof


def verify(
    shoe: Annotated[
        str | None, typer.Argument(metavar="SHOE", help="A table and the number of a shoe at it, such as 12-3.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Verify chains, ledger, shoes and rounds; code 1 if anything differs.")
    ] = False,
    heads: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --all: kept heads, which the chains must agree with."),
    ] = None,
    public_key: Annotated[
        str | None, typer.Option(metavar="KEY", help="With --heads: the key that must have signed them.")
    ] = None,
    db: Database = None,
    json: Json = False,
) -> None:
    """Verify a finished shoe: its commitment, its order from secret and seeds, and every round dealt from it.

    Or, with --all, everything in a database. Nothing is changed, and a server may be running.
    """
    if everything == (shoe is not None):
        raise FeltlabError("name one shoe, such as 12-3, or use --all")
    if (heads and not everything) or (public_key and not heads):
        raise FeltlabError("--heads FILE goes with --all, and --public-key KEY with --heads")
    if shoe is None:
        _verify_all(heads, public_key, db, json)
    else:
        _verify_shoe(shoe, db, json)


def _verify_shoe(shoe: str, db: str | None, json: bool) -> None:
    import msgspec
    from rich.markup import escape

    with visit(db) as connection:
        from feltlab.floor.records.records import parse_id
        from feltlab.floor.records.replaying import verify_shoe

        found = verify_shoe(connection, *parse_id(shoe, "shoe"))
    if json:
        print_json(msgspec.to_builtins(found))
        return
    screen = console()
    screen.print(f"[bold]Shoe {found.shoe}[/]  {len(found.order)} cards")
    screen.print(f"  commitment  {found.commitment}: its secret has this SHA-256")
    for who, seed in found.seeds:
        screen.print(f"  seed        {escape(seed)}, by {escape(who)}")
    screen.print(f"  order       {' '.join(found.order[:8])} ... follows from the secret and the seeds")
    dealt = "all of them and its discards once more" if found.ran_out else f"{found.dealt} of its cards"
    screen.print(f"  rounds      {_span(found.rounds)}: played again with {dealt}, each as it is stored")


def _span(rounds: list[str]) -> str:
    if len(rounds) < 3:
        return " and ".join(rounds) or "none"
    return f"{rounds[0]} to {rounds[-1]}"


def _verify_all(heads: Path | None, public_key: str | None, db: str | None, json: bool) -> None:
    import msgspec
    from rich.markup import escape

    progress("opening the database")
    with visit(db) as connection:
        from feltlab.floor.records.heads import Forged
        from feltlab.floor.records.proof import Proof, prove

        try:
            found = prove(connection, _kept(heads, public_key), progress)
        except Forged as error:
            found = Proof(faults=[str(error)])
    progress("")
    if json:
        print_json(msgspec.to_builtins(found))
    else:
        screen = console()
        for fault in found.faults:
            screen.print(escape(f"differs: {fault}"))
        screen.print(_differs(found) if found.faults else f"Proven: {_proven(found)}. {_not_proven(found)}")
    if found.faults:
        raise typer.Exit(1)


def _kept(file: Path | None, public_key: str | None) -> KeptHeads:
    from feltlab.floor.records.heads import LARGEST, KeptHeads

    if file is None:
        return KeptHeads()
    try:
        with file.open("rb") as given:
            text = given.read(LARGEST + 1).decode()
    except OSError as error:
        raise FeltlabError(f"--heads {file}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FeltlabError(f"--heads {file}: this is not a text file, so it has no heads") from None
    return KeptHeads(text, public_key)


def _differs(found: Proof) -> str:
    count = len(found.faults)
    return f"Not proven: {count} part{'s' if count > 1 else ''} of the database differ{'' if count > 1 else 's'}, as said above."


def _proven(found: Proof) -> str:
    heads = f", from {_count(found.heads, 'kept head')}" if found.heads else ""
    return (
        f"{_count(found.acts, 'act')}, {_count(found.steps, 'step')} at {_count(found.tables, 'table')} and"
        f" {_count(found.transfers, 'transfer')} in unbroken chains{heads}; {_count(found.people, 'person', 'people')};"
        f" {_count(found.shoes, 'shoe')} and {_count(found.rounds, 'round')} played again"
    )


def _not_proven(found: Proof) -> str:
    left = [
        _count(number, what, many)
        for number, what, many in (
            (found.unrevealed, "shoe in use", "shoes in use"),
            (found.in_play, "round in play", "rounds in play"),
            (found.unseen, "round with a card that nobody saw", "rounds with cards that nobody saw"),
            (found.other_version, "table of another version's wagers", "tables of another version's wagers"),
            (found.older, "step from before there were links", "steps from before there were links"),
        )
        if number
    ]
    left += [] if found.heads else ["rows that were cut off or rebuilt as a whole (no heads were given)"]
    return f"Not proven: {', '.join(left)}." if left else "Nothing is left to prove."


def _count(number: int, what: str, many: str = "") -> str:
    return f"{number:,} {what if number == 1 else many or what + 's'}"
