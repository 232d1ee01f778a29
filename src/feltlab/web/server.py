"""A server from its settings: the database opened, the first account and tables made, and a clean stop."""

from __future__ import annotations

import gc
import logging
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from msgspec import structs
from sqlalchemy import Connection, select
from uvicorn.config import STARTUP_FAILURE
from uvicorn.server import HANDLED_SIGNALS

from feltlab.errors import FeltlabError
from feltlab.floor.desk import clock
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import people
from feltlab.floor.shoes.fair import Seal
from feltlab.floor.shoes.keys import key_of
from feltlab.floor.storage import schema
from feltlab.floor.storage.database import exclusive_lock, open_database, read_by_others, writing
from feltlab.web.app import App
from feltlab.web.connections.listening import Door
from feltlab.web.connections.protocol import ClientConnection
from feltlab.web.services import Services
from feltlab.web.settings import METRICS_HOST, Settings

log = logging.getLogger("feltlab.service")
GRACE_SECONDS = 10
GARBAGE = (20_000, 20, 50)  # rarer than usual: a collection stops every table
SEND_BUFFER = 256 * 1024  # bytes that the system keeps for a client that does not take them
SWITCH_SECONDS = 0.001  # the desk's thread and the event loop take turns at Python; five milliseconds would be felt


def prepare(settings: Settings, say: Callable[[str], None]) -> Services:
    """The database as it must be, with an account for the house and, if asked for, tables."""
    engine = open_database(settings.db)
    if files := read_by_others(engine):
        names = " ".join(map(str, files))
        log.warning("others may read the database, with what passwords are checked against: run chmod 600 %s", names)
    seal = key_of(engine, settings.db, settings.key_file)
    with writing(engine) as db:
        exclusive_lock(db)
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
    people.add(db, "house", "house", people.hash_password(password), clock(), by_operator=True)
    say(f"made the house account: name house, password {password} (shown this once; see feltlab account)")


def _first_table(db: Connection, sheet: str, seal: Seal) -> None:
    t = schema.tables
    of_sheet = t.c.config.contains(f'"sheet":"{sheet}"', autoescape=True)
    if db.execute(select(t.c.id).where(t.c.status == "open", of_sheet).limit(1)).first():
        return
    open_table(db, Wish(sheet), None, seal, clock())


class Server(uvicorn.Server):
    """Has doors of its own, and ends the streams first when it stops: they would keep it waiting."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self.services = services

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to work, then open the doors."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        here = self.services

        def connection() -> ClientConnection:
            return ClientConnection(
                self.config,
                self.server_state,
                self.lifespan.state,
                here.settings.patience,
                here.room,
                here.troubles,
            )

        doors = [Door(one, here.room, here.proxies, here.troubles, connection) for one in sockets or ()]
        self.servers = doors  # type: ignore[assignment] # uvicorn closes them
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """No new requests; finish those that came; end."""
        self.services.streams.stop()
        self.services.simulations.end_streams()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket of the server, or a clear line about why there is none."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)  # those that are accepted have it too
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FeltlabError(f"cannot listen on {host} port {port}: {reason}") from None
    return found


def configured(services: Services) -> uvicorn.Config:
    """How uvicorn runs the service."""
    return uvicorn.Config(
        App(services),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="none",
    )


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until the process is told to stop. Before it serves there is nothing to finish, and it just ends."""
    sockets = [listen(settings.host, settings.port)]
    if settings.metrics_port is not None:
        sockets.append(listen(METRICS_HOST, settings.metrics_port))
        settings = structs.replace(settings, metrics_port=sockets[-1].getsockname()[1])
    services = prepare(settings, say)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded now stays: looking through it again and again took a tenth of a second at a time
    gc.set_threshold(*GARBAGE)
    server = Server(configured(services), services)
    stops: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        """Never raises: what is raised between two steps of the event loop is lost, and the server would go on."""
        stops.append(number)
        server.handle_exit(number, frame)

    for number in HANDLED_SIGNALS:
        signal.signal(number, stop)
    host, port = sockets[0].getsockname()[:2]
    say(f"Feltlab is at http://{f'[{host}]' if ':' in host else host}:{port}/ (stop it with control-C)")
    if settings.metrics_port is not None:
        say(f"metrics are at http://{METRICS_HOST}:{settings.metrics_port}/metrics")
    server.run(sockets=sockets)
    if signal.SIGINT in stops:
        raise KeyboardInterrupt
