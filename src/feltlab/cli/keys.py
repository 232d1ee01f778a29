"""`feltlab key`: what to do if the key of a database is lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from feltlab.cli.ledger import visit
from feltlab.cli.serve import Database, default_db
from feltlab.errors import FeltlabError

app = typer.Typer(help="The key that seals the shoes of a server's database.", rich_markup_mode=None)
REASON = "the key that sealed its shoe is lost"


@app.callback()
def _key() -> None:
    """The key that seals the shoes of a server's database."""


@app.command("lost")
def lost(
    db: Database = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the key would be; FELTLAB_KEY goes before it.")
    ] = None,
    reason: Annotated[str, typer.Option(help="What the record says.")] = REASON,
) -> None:
    """If the key is lost, return all open wagers and chips to their owners, and close all tables.

    It needs no key. If the right key is there, nothing is done: the house can close the tables then.
    """
    with visit(db):
        pass  # refuses a database that does not exist
    url = db or default_db()
    from feltlab.floor.desk import clock
    from feltlab.floor.house.voiding import void_all
    from feltlab.floor.shoes.keys import fits
    from feltlab.floor.storage.database import open_database, read_key, writing
    from feltlab.money import amount_text

    if not 1 <= len(reason) <= 200 or not reason.isprintable():
        raise FeltlabError("--reason is 1 to 200 printable characters")
    engine = open_database(url)
    try:
        seal = read_key(url, key, make=False)
    except FeltlabError:
        seal = None
    try:
        with writing(engine) as connection:
            if seal and fits(connection, seal):
                raise FeltlabError(
                    "the key is there, and it fits: let the house close the tables (DELETE /api/v1/tables/T)"
                )
            done = void_all(connection, reason, clock())
    finally:
        engine.dispose()
    for one in done:
        given = f"{amount_text(one.wagers)} of wagers and {amount_text(one.chips)} of chips in all went back"
        sys.stdout.write(f"table {one.table} is closed: {given}\n")
    if not done:
        sys.stdout.write("no table is open: nothing was to be given back\n")
