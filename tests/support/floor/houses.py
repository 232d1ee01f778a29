"""The house of a test, which opens tables and closes them, and a company that plays at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from feltlab.client import ServiceError
from support.floor.proving import Stored, Totals, prove, prove_the_end
from support.players import Onlooker, Player, Remembering, Witness
from support.service.servers import SHEETS, Server

SHORT = {"decision_seconds": 2, "betting_seconds": 2}


def wished(sheet: str, cards: int, **wish: Any) -> dict[str, Any]:
    """A request for a table with as few decks as the sheet allows, and the cut card after this many cards."""
    decks = 6 if "baccarat" in sheet else 1
    return {"sheet": sheet, "decks": decks, "behind_cut": 52 * decks - cards, **SHORT, **wish}


class House:
    """Logged in as the house."""

    def __init__(self, server: Server, witness: Witness) -> None:
        self.client = Remembering(server.url, witness)
        password = server.output.read_text().rpartition("password ")[2].partition(" ")[0]
        self.client.log_in("house", password)

    def open(self, sheet: str, cards: int = 30, **wish: Any) -> int:
        """Open a table where the cut card comes out after this many cards."""
        return int(self.client.change("POST", "/tables", wished(sheet, cards, **wish))["about"]["id"])

    def close(self, table: int) -> None:
        """Close a table, now or when its round is over."""
        try:
            self.client.change("DELETE", f"/tables/{table}")
        except ServiceError as error:
            if "is closed" not in str(error):
                raise


class Company:
    """Two players and an onlooker at a table of each sheet. At several servers, each has a player at every table."""

    def __init__(self, *servers: Server, witness: Witness, sheets: Sequence[str] = SHEETS) -> None:
        self.db, self.witness = servers[0].db, witness
        self.house = House(servers[0], witness)
        self.tables = [self.house.open(sheet) for sheet in sheets]
        self.onlookers = [Onlooker(at.url, table, witness).begin() for table in self.tables for at in servers]
        self.players = [
            Player(Remembering(servers[spot % len(servers)].url, witness), table, (spot,), 10 * table + spot)
            for table in self.tables
            for spot in (1, 2)
        ]
        self.clients = [player.client for player in self.players]
        for player in self.players:
            player.join_table()
            player.start()

    def prove(self) -> Stored:
        """While they play."""
        for player in self.players:
            if player.error:
                raise player.error
        return prove(self.db, self.witness, self.clients)

    def end(self) -> Totals:
        """Close the tables; everybody goes home, and everything is proven."""
        for table in self.tables:
            self.house.close(table)
        for thread in (*self.players, *self.onlookers):
            thread.finish()
        return prove_the_end(self.db, self.witness, self.clients)
