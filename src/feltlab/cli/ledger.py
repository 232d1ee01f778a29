"""`feltlab ledger`: is every cent of a database where it should be?"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import typer

from feltlab.cli.common import Json, console, print_grid, print_json
from feltlab.cli.serve import Database, default_db, missing

if TYPE_CHECKING:
    from sqlalchemy import Connection

app = typer.Typer(help="The ledger of a server's database.", rich_markup_mode=None)


@app.callback()
def _ledger() -> None:
    """The ledger of a server's database."""


@app.command("check")
def check(db: Database = None, json: Json = False) -> None:
    """Prove the ledger: every transfer follows from the one before it and from the steps of its table.

    Nothing is changed, and a server may go on meanwhile. If something is wrong, the first row that shows it is named.
    """
    import msgspec
    from rich.table import Table

    from feltlab.money import amount_text

    with visit(db) as connection:
        from feltlab.floor.checking import check as prove

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


def visit(db: str | None) -> AbstractContextManager[Connection]:
    """A database to look at, which has to be there already."""
    url = db or default_db()
    try:
        from feltlab.floor.visiting import visiting
    except ImportError as error:
        raise missing(error) from None
    return visiting(url)
