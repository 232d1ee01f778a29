"""The server's door: takes connections while there is room for them, and stays open when the system lends nothing more.

uvloop accepts all that wait at once, and closes its socket for good when it runs out of descriptors; so it is not asked.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import suppress

from feltlab.web.connections.addresses import Proxies, limited_as
from feltlab.web.connections.held import HeldConnections
from feltlab.web.connections.protocol import ClientConnection, refusal
from feltlab.web.connections.troubles import Troubles
from feltlab.web.http.problems import Problem

AT_ONCE = 16  # connections taken before anything else is done; so many may be there beyond the most
BACKLOG = 1024
TRY_AGAIN_SECONDS = 0.5
NOTHING_LENT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
REFUSALS = {
    "full": Problem(503, "full", "this server holds as many connections as it can; try again in a moment"),
    "address-full": Problem(429, "too-many", "this address holds as many connections as it may; close some first"),
}


class Door:
    """A listening socket."""

    def __init__(
        self,
        listening: socket.socket,
        room: HeldConnections,
        proxies: Proxies,
        troubles: Troubles,
        connection: Callable[[], ClientConnection],
    ) -> None:
        self._socket, self._room, self._proxies, self._troubles = listening, room, proxies, troubles
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._made: set[asyncio.Task[None]] = set()
        listening.setblocking(False)
        listening.listen(BACKLOG)
        self._open()

    def close(self) -> None:
        """Take no more connections."""
        if self._again is not None:
            self._again.cancel()
        self._loop.remove_reader(self._socket)
        self._socket.close()

    async def wait_closed(self) -> None:
        """It is closed at once."""

    def _open(self) -> None:
        self._again = None
        self._loop.add_reader(self._socket, self._take)

    def _take(self) -> None:
        for _ in range(AT_ONCE):
            try:
                client, peer = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in NOTHING_LENT:
                    raise
                self._troubles.note("descriptors", "")
                self._loop.remove_reader(self._socket)  # it would call again and again
                self._again = self._loop.call_later(TRY_AGAIN_SECONDS, self._open)
                return
            self._let_in(client, peer[0])

    def _let_in(self, client: socket.socket, peer: str) -> None:
        address = "" if self._proxies.trusts(peer) else limited_as(peer)
        why = self._room.wanted_for(address)
        if why is not None:
            self._troubles.note(why, peer)
            _turn_away(client, REFUSALS[why])
            return
        connection = self._connection()
        self._room.enter(connection, address)
        task = self._loop.create_task(self._connect(connection, client))
        self._made.add(task)
        task.add_done_callback(self._made.discard)

    async def _connect(self, connection: ClientConnection, client: socket.socket) -> None:
        try:
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await self._loop.connect_accepted_socket(lambda: connection, client)
        except OSError:  # it is gone again
            self._room.leave(connection)
            client.close()


def _turn_away(client: socket.socket, problem: Problem) -> None:
    """Say why, as far as that goes without waiting for anything."""
    with client, suppress(OSError):
        client.setblocking(False)
        client.send(refusal(problem))
        client.shutdown(socket.SHUT_WR)
        client.recv(65536)  # what was sent and not read would make the system cut the answer off
