"""`feltlab serve`: a server where people and programs play."""

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
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The key that seals shoes; FELTLAB_KEY goes before it.")]
SHORTEST_TOKEN = 16
LEVELS = ("debug", "info", "warning", "error")


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    db: Database = None,
    key: Key = None,
    open_: Annotated[
        list[str] | None, typer.Option("--open", metavar="SHEET", help="Open a table of a built-in sheet; repeatable.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name under which the server is reached; repeatable.")
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS|NETWORK",
            help="A proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; repeatable.",
        ),
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Metrics at a port of their own, on loopback; 0 takes a free one."),
    ] = None,
    metrics_token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A token with which metrics may be read at the server's port.")
    ] = None,
    connections: Annotated[
        int, typer.Option(min=1, help="Connections, and streams, that one address may hold; at most half of all.")
    ] = 200,
    practice: Annotated[
        bool, typer.Option("--practice", help="Players may open a few tables too, to try sheets of their own.")
    ] = False,
    writes: Annotated[float, typer.Option(min=0.1, help="Changes a second that one person may ask for.")] = 20,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "warning",
) -> None:
    """Serve tables over HTTP. The database is created or brought up to date when the server starts."""
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
        trusted_proxies=tuple(trusted_proxy or ()),
        metrics_port=metrics_port,
        metrics_token=_token(metrics_token_file) if metrics_token_file else "",
        connections_by_address=connections,
        practice=practice,
        writes_per_second=writes,
        writes_at_once=max(60, int(3 * writes)),
        reads_per_second=max(50.0, 2.5 * writes),
        reads_at_once=max(500, int(25 * writes)),
        logins_per_minute=max(10.0, writes / 2),
        arrivals_per_minute=max(10.0, writes / 2),
        purchases_per_minute=max(20.0, writes),
        tables_per_hour=max(20.0, writes),
        open_tables=tuple(open_ or ()),
    )
    run(settings, _say)


def _token(file: Path) -> str:
    """Read the token in a file; refused if it is too short to be safe."""
    try:
        token = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise FeltlabError(f"--metrics-token-file {file}: it cannot be read: {reason}") from None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise FeltlabError(
            f"--metrics-token-file {file}: a token is at least {SHORTEST_TOKEN} letters and digits on one line"
        )
    return token


def default_db() -> str:
    """The default database; refused with a hint if the packages that it needs are missing."""
    try:
        from feltlab.floor.storage.database import default_url
    except ImportError as error:
        raise missing(error) from None
    return default_url()


def missing(error: ImportError) -> FeltlabError:
    """The error if the packages of the extra `serve` are not installed."""
    return FeltlabError(f"the service needs more packages ({error.name}): pip install 'feltlab[serve]'")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
