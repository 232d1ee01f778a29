"""`feltlab table`: what an operator can do with a table that cannot go on, whether or not a server is running."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from feltlab.cli.ledger import visit
from feltlab.cli.serve import Database, Key, default_db

app = typer.Typer(help="The tables of a server's database.", rich_markup_mode=None)


@app.callback()
def _table() -> None:
    """The tables of a server's database."""


@app.command("void")
def void(
    table: Annotated[int, typer.Argument(metavar="T", min=1, help="The number of a table.")],
    reason: Annotated[str, typer.Option(help="Why; the round's record keeps it.")],
    close: Annotated[bool, typer.Option("--close", help="Close the table too: everybody gets their chips.")] = False,
    db: Database = None,
    key: Key = None,
) -> None:
    """Void the round in play at a table: open wagers are returned. Servers may be running."""
    with visit(db):
        pass  # refuses a database that does not exist or has another version's schema
    url = db or default_db()
    from feltlab.floor.desk import Desk
    from feltlab.floor.house.operating import void_round
    from feltlab.floor.storage.database import connect, read_key

    engine = connect(url)
    try:
        done = void_round(Desk(engine, read_key(url, key, make=False)), table, reason, close=close)
    finally:
        engine.dispose()
    sys.stdout.write(f"{done}\n")
