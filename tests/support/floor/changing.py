"""A database in which something is changed, and what of it nothing follows from."""

import random
from base64 import b64decode, b64encode

from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.house.opening import open_table
from feltlab.floor.people import people
from feltlab.floor.people.own_limits import PlayLimits, set_limits
from feltlab.floor.storage.database import open_database
from feltlab.floor.tables.commands import AddSeed, CloseTable, Ready, SetBets, Sit
from support.floor.floors import BLACKJACK, SEAL, Floor, known_shoes


def played(url):
    """A table that was closed, one with a shoe that is over, one with a round in play."""
    open_database(url).dispose()
    found = Floor(url)
    house = found.desk.plain(lambda db, now: people.add(db, "house", "house", "x", now, by_operator=True))
    ada, bob = both = found.players("ada", "bob", chips=5000_00)
    with known_shoes(3):
        closed = found.desk.plain(
            lambda db, now: open_table(db, Wish("bad-beat-baccarat", behind_cut=390), house, SEAL, now)
        )
        shoes = found.table(Wish("bad-beat-blackjack", decks=1, behind_cut=30))
        for table in (closed, shoes):
            for spot, person in enumerate(both, 1):
                found.desk.do(Job(table, Sit((spot,), 1000_00), person))
            found.desk.do(Job(table, AddSeed("lucky"), ada))
            found.time += 1000
            found.play(table, both, 3, random.Random(table))
        found.desk.do(Job(closed, CloseTable(), house))
    found.desk.plain(lambda db, now: set_limits(db, ada.id, PlayLimits(5000_00, 60), now))
    found.desk.plain(lambda db, now: set_limits(db, ada.id, PlayLimits(6000_00, None), now))
    playing = found.table(BLACKJACK, "Th 6c Tc Td 5c")
    found.desk.do(Job(playing, Sit((1,), 500_00), bob))
    found.desk.do(
        Job(playing, SetBets(1, {"main": 10_00}), bob),
    )
    found.desk.do(Job(playing, Ready(), bob, "the-key-of-this"))
    return found


SEES_NOTHING = {
    ("sessions", None): "who is logged in; nothing that was played follows from it, and it ends by itself",
    ("requests", None): "what a request that is sent again is answered; forgotten after a week",
    ("transfers", "id"): "only the order of transfers counts: numbers may have gaps",
    ("factors", None): "who may log in; what they do then is an act or a step of theirs, as with sessions",
    ("seals", None): "whether a key is the right one; with another one no server starts, and no shoe opens",
    ("own_limits", "began"): "how much of a player's own limits is used up; what was set is an act",
    ("own_limits", "lost"): "how much of a player's own limits is used up; what was set is an act",
    ("people", "looks"): "follows from the name, and only keeps others from taking one that looks the same",
    ("sheets", "kept_at"): "when a sheet was last kept that no table may use: it is forgotten some day",
}


def from_base64(value):
    """The bytes that are this text in base64, and would look like it in JSON."""
    try:
        found = b64decode(value, validate=True)
    except (ValueError, TypeError):
        return b""
    return found if b64encode(found).decode() == value else b""
