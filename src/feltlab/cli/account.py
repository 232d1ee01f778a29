"""`feltlab account`: accounts of the house and of players, for the operator of the database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from feltlab.cli.serve import Database, default_db
from feltlab.errors import FeltlabError

app = typer.Typer(
    help="Accounts: add one, give one a new password, remove one.", add_completion=False, rich_markup_mode=None
)
Name = Annotated[str, typer.Argument(help="The account's name.")]


@app.command("add")
def add(
    name: Name,
    house: Annotated[bool, typer.Option("--house", help="An account that opens tables and sees the books.")] = False,
    db: Database = None,
) -> None:
    """Make an account. The password is asked for, or read from standard input."""
    url = db or default_db()
    from feltlab.floor.desk import clock
    from feltlab.floor.people import people
    from feltlab.floor.people.lookalikes import check_name
    from feltlab.floor.storage.database import open_database, writing

    tidy, hashed = check_name(name, house=house), people.hash_password(_password())
    engine = open_database(url)
    with writing(engine) as connection:
        people.open_books(connection)
        people.add(connection, "house" if house else "player", tidy, hashed, clock(), by_operator=True)
    sys.stdout.write(f"made the {'house' if house else 'player'} account {tidy}\n")


@app.command("password")
def password(name: Name, db: Database = None) -> None:
    """Give an account a new password; its sessions end."""
    url = db or default_db()
    from feltlab.floor.desk import clock
    from feltlab.floor.people import people
    from feltlab.floor.storage.database import open_database, writing

    engine = open_database(url)
    with writing(engine) as connection:
        found = people.find(connection, name)
        if found is None or found[0].kind == "guest":
            raise FeltlabError(f"there is no account '{name[:60]}'")
        people.set_password(connection, found[0].id, people.hash_password(_password()), clock(), by=None)
    sys.stdout.write(f"{found[0].name} has a new password\n")


@app.command("factor-off")
def factor_off(name: Name, db: Database = None) -> None:
    """Remove the second factor of an account whose owner has lost it and the recovery codes."""
    url = db or default_db()
    from feltlab.floor.desk import clock
    from feltlab.floor.people import factors, people
    from feltlab.floor.storage.database import open_database, writing

    engine = open_database(url)
    with writing(engine) as connection:
        found = people.find(connection, name)
        if found is None or not factors.remove(connection, found[0].id, clock(), by=None):
            raise FeltlabError(f"there is no account '{name[:60]}' with a second factor")
    sys.stdout.write(f"{found[0].name} has no second factor any more\n")


@app.command("remove")
def remove(
    name: Name,
    db: Database = None,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The key that seals shoes, where the account has seats to leave."),
    ] = None,
) -> None:
    """Delete the personal data of an account: name, password and sessions. What it played stays, without a name."""
    url = db or default_db()
    from feltlab.floor.desk import Desk
    from feltlab.floor.people import people, removing
    from feltlab.floor.storage.database import open_database, read_key, reading

    engine = open_database(url)
    with reading(engine) as connection:
        found = people.find(connection, name)
    if found is None:
        raise FeltlabError(f"there is no account '{name[:60]}'")
    removing.remove(Desk(engine, read_key(url, key)), found[0], by=None)
    sys.stdout.write(f"removed {found[0].name}, who is number {found[0].id} from now on\n")


def _password() -> str:
    """Prompt for the password twice at a terminal; otherwise read the first line of standard input."""
    if sys.stdin is not None and sys.stdin.isatty():
        return str(typer.prompt("password", hide_input=True, confirmation_prompt=True, err=True))
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.rstrip("\n")
