"""`feltlab serve`: a server at which people and programs play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from feltlab.errors import FeltlabError

Database = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME; SQLite in your data folder."
    ),
]
LEVELS = ("debug", "info", "warning", "error")


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    db: Database = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The key that seals shoes; FELTLAB_KEY goes before it.")
    ] = None,
    open_: Annotated[
        list[str] | None, typer.Option("--open", metavar="SHEET", help="Open a table of a built-in sheet; repeatable.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name under which the server is reached; repeatable.")
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Players may open a few tables too, to try sheets of their own.")
    ] = False,
    writes: Annotated[float, typer.Option(min=0.1, help="Changes a second that one person may ask for.")] = 20,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "warning",
) -> None:
    """Serve tables over HTTP. The database is made, or brought up to date, when the server starts."""
    url = db or default_db()
    from feltlab.web import logs
    from feltlab.web.server import serve as run
    from feltlab.web.settings import Settings

    if log_level not in LEVELS:
        raise FeltlabError(f"--log-level '{log_level}': it is {', '.join(LEVELS)}")
    logs.set_up(log_level)
    settings = Settings(
        db=url,
        host=host,
        port=port,
        key_file=key,
        hosts=tuple(allow_host or ()),
        practice=practice,
        writes_per_second=writes,
        writes_at_once=max(60, int(3 * writes)),
        logins_per_minute=max(10.0, writes / 2),
        open_tables=tuple(open_ or ()),
    )
    run(settings, _say)


def default_db() -> str:
    """The database of somebody who names none; a clear line where the packages that it needs are missing."""
    try:
        from feltlab.floor.database import default_url
    except ImportError as error:
        raise missing(error) from None
    return default_url()


def missing(error: ImportError) -> FeltlabError:
    """What to say where the packages of the extra `serve` are not installed."""
    return FeltlabError(f"the service needs more packages ({error.name}): pip install 'feltlab[serve]'")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
