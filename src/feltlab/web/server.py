"""A server from its settings: the database opened, the first account and tables made, and a clean stop."""

from __future__ import annotations

import gc
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from sqlalchemy import Connection, select

from feltlab.errors import FeltlabError
from feltlab.floor import people, schema
from feltlab.floor.config import Wish
from feltlab.floor.database import alone, open_database, read_key, writing
from feltlab.floor.desk import clock
from feltlab.floor.fair import Seal
from feltlab.floor.opening import open_table
from feltlab.web.app import create_app
from feltlab.web.connections import ClientConnection
from feltlab.web.services import Services
from feltlab.web.settings import Settings

GRACE_SECONDS = 10
GARBAGE = (20_000, 20, 50)  # rarer than usual: a collection stops every table
KEEP_SECONDS = 75  # an idle connection: a player may think as long as a table lets them
SWITCH_SECONDS = 0.001  # the desk's thread and the event loop take turns at Python; five milliseconds would be felt


def prepare(settings: Settings, say: Callable[[str], None]) -> Services:
    """The database as it must be, with an account for the house and, if asked for, tables."""
    engine = open_database(settings.db)
    seal = read_key(settings.db, settings.key_file)
    with writing(engine) as db:
        alone(db)
        people.open_books(db)
        _first_house(db, say)
        for sheet in settings.open_tables:
            _first_table(db, sheet, seal)
    return Services(settings, engine, seal)


def _first_house(db: Connection, say: Callable[[str], None]) -> None:
    p = schema.people
    if db.execute(select(p.c.id).where(p.c.kind == "house").limit(1)).first():
        return
    password = secrets.token_urlsafe(12)
    people.add(db, "house", "house", people.hash_password(password), clock())
    say(f"made the house account: name house, password {password} (shown this once; see feltlab account)")


def _first_table(db: Connection, sheet: str, seal: Seal) -> None:
    t = schema.tables
    for config in db.execute(select(t.c.config).where(t.c.status == "open")).scalars():
        if f'"sheet":"{sheet}"' in config:
            return
    open_table(db, Wish(sheet), None, seal, clock())


class Server(uvicorn.Server):
    """Ends the streams first when it stops: they would keep it waiting."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self.services = services

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """No new requests; finish those that came; end."""
        self.services.streams.stop()
        self.services.simulations.end_streams()
        await super().shutdown(sockets)


def listen(settings: Settings) -> socket.socket:
    """The server's socket, or a clear line about why there is none."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        found = socket.socket(family)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FeltlabError(f"cannot listen on {settings.host} port {settings.port}: {reason}") from None
    return found


def configured(services: Services) -> uvicorn.Config:
    """How uvicorn runs the service."""
    return uvicorn.Config(
        create_app(services),
        http=ClientConnection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEEP_SECONDS,
        ws="none",
    )


def _stopped(_signal: int, _frame: FrameType | None) -> None:
    """Told to stop: that is no mistake. Uvicorn finishes what was asked first, and then passes the signal on."""
    sys.exit(0)


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until the process is told to stop."""
    signal.signal(signal.SIGTERM, _stopped)
    found = listen(settings)
    services = prepare(settings, say)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded now stays: looking through it again and again took a tenth of a second at a time
    gc.set_threshold(*GARBAGE)
    config = configured(services)
    host, port = found.getsockname()[:2]
    say(f"Feltlab is at http://{f'[{host}]' if ':' in host else host}:{port}/ (stop it with control-C)")
    Server(config, services).run(sockets=[found])
