"""`feltlab ledger`: checks the ledger of a database, and prints its acts and heads."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import Json, console, print_grid, print_json
from feltlab.cli.serve import Database, default_db, missing
from feltlab.errors import FeltlabError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from feltlab.floor.people.acts import RecordedAct

app = typer.Typer(help="The ledger of a server's database.", rich_markup_mode=None)


@app.callback()
def _ledger() -> None:
    """The ledger of a server's database."""


@app.command("check")
def check(db: Database = None, json: Json = False) -> None:
    """Prove the ledger: every transfer follows from the transfers before it and the steps of its table.

    Nothing is changed, and a server may be running. If something is wrong, the first row that shows it is named.
    """
    import msgspec
    from rich.table import Table

    from feltlab.money import amount_text

    with visit(db) as connection:
        from feltlab.floor.ledger.checking import check as prove

        found = prove(connection)
    if json:
        print_json(msgspec.to_builtins(found))
        return
    screen = console()
    screen.print(
        f"The ledger holds: {found.rows:,} transfers between {found.accounts:,} accounts,"
        f" {found.steps:,} steps at {found.tables:,} tables, {found.bets:,} settled wagers."
    )
    grid = Table("", box=None, pad_edge=False, show_header=False)
    grid.add_column("", justify="right")
    for what, amount in (
        ("players' chips", found.players),
        ("floats of tables", found.floats),
        ("house", found.house),
        ("together, as bought in", found.bought_in),
    ):
        grid.add_row(what, amount_text(amount))
    print_grid(screen, grid)


@app.command("acts")
def acts(
    after: Annotated[int, typer.Option(min=0, help="Begin after the act with this number.")] = 0,
    most: Annotated[int, typer.Option(min=1, max=10_000, help="How many acts, at most.")] = 100,
    db: Database = None,
    json: Json = False,
) -> None:
    """Print what was done beside play, by whom and when: accounts, chips bought, tables opened and closed."""
    import msgspec

    with visit(db) as connection:
        from feltlab.floor.people.acts import acts_of
        from feltlab.floor.people.names import names_of
        from feltlab.floor.records.damage import readable

        with readable("an act", FeltlabError):
            found = acts_of(connection, after, most)
            names = names_of(connection, (act.by for act in found if act.by))
            lines = [_line(act, names) for act in found]
    if json:
        print_json(msgspec.to_builtins(found))
        return
    for line in lines:
        sys.stdout.write(line)


def _line(act: RecordedAct, names: Mapping[int, str]) -> str:
    when = datetime.fromtimestamp(act.at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    by = f"person {act.by}, {names[act.by]}" if act.by else "the operator or the server"
    return f"{act.id}  {when}  {act.act} of {act.subject}, by {by}\n"


@app.command("heads")
def heads(
    db: Database = None,
    sign: Annotated[bool, typer.Option("--sign", help="Sign them with a key that follows from the server's.")] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The server's key; FELTLAB_KEY goes before it.")
    ] = None,
) -> None:
    """Print the heads of all hash chains, to be kept elsewhere and checked with `feltlab verify --all --heads FILE`."""
    with visit(db) as connection:
        from feltlab.floor.records.heads import heads_of, write
        from feltlab.floor.storage.database import read_key

        signer = read_key(db or default_db(), key).signer if sign else None
        sys.stdout.write(write(heads_of(connection), signer))


def visit(db: str | None) -> AbstractContextManager[Connection]:
    """Open an existing database read-only."""
    url = db or default_db()
    try:
        from feltlab.floor.storage.read_only import open_read_only
    except ImportError as error:
        raise missing(error) from None
    return open_read_only(url)
