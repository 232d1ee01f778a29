"""Somebody who holds the database and knows the code: changes any row, and makes all links anew so that they fit."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select, text, update

from feltlab.floor.ledger.transfers import BANKED
from feltlab.floor.records import links
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import RoundOpened, ShoeOpened, write
from feltlab.rounds.events import BetPlaced, BetSettled
from support.floor.floors import drop_guards


def unguarded(db: Connection) -> None:
    """No trigger and no foreign key is in the way."""
    drop_guards(db)
    if db.dialect.name == "postgresql":
        db.execute(text("SET LOCAL session_replication_role = replica"))


def rows(db: Connection, table: Any, *where: Any) -> list[Any]:
    return list(db.execute(select(table).where(*where).order_by(*table.primary_key.columns)).mappings())


def relink(db: Connection) -> None:
    """Make every hash anew, so that the chains fit what is stored now."""
    openings, ends = {}, {}
    for table in rows(db, schema.tables):
        of = {one.name: rows(db, one, one.c.table_id == table["id"])
              for one in (schema.steps, schema.transfers, schema.shoes, schema.rounds)}  # fmt: skip
        last = {"seq": table["seq"], "state": links.of_state(table["state"])}
        steps = [step if step["seq"] != last["seq"] else {**step, **last} for step in of["steps"]]
        moved = sorted(of["transfers"], key=lambda row: (row["seq"] or 0, row["id"]))
        openings[table["id"]] = links.of_table(table)
        found = links.linked(
            openings[table["id"]], steps, transfers=moved, shoes=of["shoes"], began=of["rounds"], ended=of["rounds"]
        )
        with suppress(links.Leftover):
            for step, link in found:
                which = (schema.steps.c.table_id == table["id"]) & (schema.steps.c.seq == step["seq"])
                db.execute(update(schema.steps).where(which).values(link=link, state=step["state"]))
                ends[table["id"]] = {"steps": step["seq"], "link": link}
    people = {row["id"]: {"kind": row["kind"], "row": links.of_person(row)} for row in rows(db, schema.people)}
    banked = iter(rows(db, schema.transfers, schema.transfers.c.table_id.is_(None)))
    last = links.START
    for act in rows(db, schema.acts):
        number, detail = int(act["subject"].partition(" ")[2] or 0), msgspec.json.decode(act["detail"])
        if act["act"] == "open":
            detail["link"] = openings.get(number, "")
        elif act["act"] == "closed":
            detail = ends.get(number, detail)
        elif act["act"] in BANKED:
            moved = next(banked, None)
            detail = {column: moved[column] for column in links.TRANSFER} if moved else detail
        elif "row" in detail:
            detail = people.get(number, detail)
        told = msgspec.json.encode(detail, order="sorted").decode()
        last = links.link(last, links.values({**act, "detail": told}, links.ACT))
        db.execute(update(schema.acts).where(schema.acts.c.id == act["id"]).values(detail=told, link=last))


def run(db: Connection, *statements: str, **values: Any) -> None:
    for statement in statements:
        db.execute(text(statement), values)


# ---- forgeries, each of a played floor: two players, a closed table, one with a shoe that is over, one in play


def forged_buy_in(db: Connection) -> None:
    """Chips that nobody bought, with balances that fit."""
    held = {row["name"]: row["balance"] for row in rows(db, schema.accounts)}
    run(
        db,
        "INSERT INTO transfers (id, at, source, target, amount, source_after, target_after, why)"
        " VALUES (:id, 1700000001000, 'bank', 'chips:2', 500, :bank, :chips, 'buy-in')",
        "UPDATE accounts SET balance = :bank WHERE name = 'bank'",
        "UPDATE accounts SET balance = :chips WHERE name = 'chips:2'",
        id=db.execute(select(func.max(schema.transfers.c.id))).scalar_one() + 1,
        bank=held["bank"] - 500,
        chips=held["chips:2"] + 500,
    )


def larger_buy_in(db: Connection) -> None:
    """The first buy-in was larger, and so were all balances of its accounts after it."""
    first = next(row for row in rows(db, schema.transfers) if row["target"] == "chips:2")
    for account in ("bank", "chips:2"):
        sign = "-" if account == "bank" else "+"
        for side in ("source", "target"):
            change = f"{side}_after = {side}_after {sign} 500"
            run(db, f"UPDATE transfers SET {change} WHERE {side} = :a AND id >= :id", a=account, id=first["id"])
        run(db, f"UPDATE accounts SET balance = balance {sign} 500 WHERE name = :a", a=account)
    run(db, "UPDATE transfers SET amount = amount + 500 WHERE id = :id", id=first["id"])


def last_step_removed(db: Connection) -> None:
    """The last step of the table in play, its transfers, balances, round and wagers: as if the deal had not been."""
    last = rows(db, schema.steps, schema.steps.c.table_id == 3)[-1]
    assert not rows(db, schema.transfers, schema.transfers.c.table_id == 3, schema.transfers.c.seq == last["seq"])
    run(
        db,
        "DELETE FROM steps WHERE table_id = 3 AND seq = :seq",
        "UPDATE tables SET seq = seq - 1, state = replace(state, :cut, :uncut) WHERE id = 3",
        seq=last["seq"],
        cut='"cut":true',
        uncut='"cut":false',
    )


def other_time(db: Connection) -> None:
    """A step that was done at another time."""
    run(db, "UPDATE steps SET at = at + 1 WHERE table_id = 2 AND seq = 4")


def other_person(db: Connection) -> None:
    """Wagers that somebody else asked for."""
    run(db, "UPDATE steps SET person = 5 - person WHERE table_id = 2 AND command LIKE '%\"bets\"%'")


def other_command(db: Connection) -> None:
    """A request that was another one."""
    run(db, 'UPDATE steps SET command = \'{"command":"clock"}\' WHERE table_id = 2 AND seq = 5')


def player_made_house(db: Connection) -> None:
    """A player who may open tables and see the books."""
    run(db, "UPDATE people SET kind = 'house' WHERE id = 2")


def other_password(db: Connection) -> None:
    """The house's password is one that the forger knows."""
    run(db, "UPDATE people SET password = 'mine' WHERE id = 1")


def renamed(db: Connection) -> None:
    """Somebody goes by another name."""
    run(db, "UPDATE people SET name = 'Adah' WHERE id = 2")


def person_added(db: Connection) -> None:
    """An account of the house that nobody made."""
    run(db, "INSERT INTO people (id, kind, name, made_at) VALUES (99, 'house', 'helper', 1700000000000)")
    run(db, "INSERT INTO accounts (name, balance) VALUES ('chips:99', 0)")


def rows_swapped(db: Connection) -> None:
    """Two transfers of one step of a table change places."""
    moved = [row for row in rows(db, schema.transfers) if row["why"] == "BetPlaced" and row["table_id"] == 2]
    one, two = next((a, b) for a, b in pairwise(moved) if a["seq"] == b["seq"])
    for old, new in ((one["id"], 0), (two["id"], one["id"]), (0, two["id"])):
        run(db, "UPDATE transfers SET id = :new WHERE id = :old", old=old, new=new)


def steps_swapped(db: Connection) -> None:
    """Who sat down first is who sat down second."""
    for old, new in ((2, 0), (3, 2), (0, 3)):
        run(db, "UPDATE steps SET seq = :new WHERE table_id = 2 AND seq = :old", old=old, new=new)


def act_removed(db: Connection) -> None:
    """Nobody opened the second table; the acts after it are numbered anew."""
    gone = next(row for row in rows(db, schema.acts) if (row["act"], row["subject"]) == ("open", "table 2"))
    run(db, "DELETE FROM acts WHERE id = :id", id=gone["id"])
    for row in rows(db, schema.acts, schema.acts.c.id > gone["id"]):
        run(db, "UPDATE acts SET id = id - 1 WHERE id = :id", id=row["id"])


def act_of_another(db: Connection) -> None:
    """Somebody else closed the table."""
    run(db, "UPDATE acts SET \"by\" = 2 WHERE act = 'close'")


def other_config(db: Connection) -> None:
    """A table that always had other limits, with the hash of its configuration."""
    import hashlib

    table = rows(db, schema.tables)[1]
    config = table["config"].replace('"decision_seconds":', '"decision_seconds":1')
    assert config != table["config"]
    run(
        db,
        "UPDATE tables SET config = :config, config_sha256 = :hash WHERE id = 2",
        config=config,
        hash=hashlib.sha256(config.encode()).hexdigest(),
    )


def other_opener(db: Connection) -> None:
    """A player's table that was opened by the house."""
    run(db, "UPDATE tables SET opened_by = 1 WHERE id = 2")


def other_seat(db: Connection) -> None:
    """The seat in the state of the table in play is somebody else's."""
    run(db, "UPDATE tables SET state = replace(state, :old, :new) WHERE id = 3", old='"person":3', new='"person":2')


def other_secret(db: Connection) -> None:
    """The sealed secret of the shoe in use is another one."""
    found = rows(db, schema.shoes, schema.shoes.c.table_id == 3)[0]
    new = bytes(byte ^ 1 for byte in found["sealed"])
    db.execute(update(schema.shoes).where(schema.shoes.c.table_id == 3).values(sealed=new))


def table_removed(db: Connection) -> None:
    """The closed table never was; its money stays with the house."""
    for name in ("bets", "rounds", "shoes", "steps"):
        run(db, f"DELETE FROM {name} WHERE table_id = 1")
    run(db, "DELETE FROM tables WHERE id = 1")


def step_added(
    db: Connection, table: int, events: list[Any] | str, moved: list[tuple[str, str, int]], **more: Any
) -> int:
    """One more step of a table, with transfers and balances that fit; gives its number."""
    steps, moves_ = rows(db, schema.steps, schema.steps.c.table_id == table), rows(db, schema.transfers)
    last, held = steps[-1], {row["name"]: row["balance"] for row in rows(db, schema.accounts)}
    text_ = events if isinstance(events, str) else write(events)
    step = {**last, "seq": last["seq"] + 1, "round": None, "moves": "[]", "events": text_, "person": None, **more}
    db.execute(insert(schema.steps).values(step))
    db.execute(update(schema.tables).where(schema.tables.c.id == table).values(seq=step["seq"]))
    for id, (source, target, amount) in enumerate(moved, moves_[-1]["id"] + 1):
        held[source] -= amount
        held[target] += amount
        why = "BetSettled" if target.startswith("seat") else "BetPlaced"
        row = {"id": id, "at": step["at"], "source": source, "target": target, "amount": amount, "why": why}
        row |= {"source_after": held[source], "target_after": held[target]}
        db.execute(insert(schema.transfers).values(**row, table_id=table, seq=step["seq"], bet=1))
        for name in (source, target):
            db.execute(update(schema.accounts).where(schema.accounts.c.name == name).values(balance=held[name]))
    return int(step["seq"])


def won(round_: int) -> list[Any]:
    """A round that somebody wins without a card."""
    bet = BetPlaced(1, 1, 0, "main", 100_00), BetSettled(1, 1, 0, "main", (), "1:1", 100_00, 200_00)
    return [RoundOpened(round_), *bet]


WON = [("seat:2:2", "felt:2", 100_00), ("felt:2", "seat:2:2", 100_00), ("float:2", "seat:2:2", 100_00)]


def win_without_round(db: Connection) -> None:
    """Somebody wins a round that is not kept as one, so that nobody plays it again."""
    last = rows(db, schema.rounds, schema.rounds.c.table_id == 2)[-1]
    step_added(db, 2, won(last["number"] + 1), WON)


def win_between_rounds(db: Connection) -> None:
    """Somebody wins a wager while no round is in play."""
    step_added(db, 2, won(0)[1:], WON)


def shoe_dropped(db: Connection) -> None:
    """The house opens another shoe, and never shows the one that was in use."""
    state = msgspec.json.decode(rows(db, schema.tables, schema.tables.c.id == 2)[0]["state"])
    shoe = rows(db, schema.shoes, schema.shoes.c.table_id == 2)[-1]
    number = shoe["number"] + 1
    state |= {"shoe": number, "cut": False, "seeds": [], "commitment": "c" * 64}
    seq = step_added(db, 2, [ShoeOpened(number, "c" * 64, 1, 1, 30)], [])
    at = rows(db, schema.steps, schema.steps.c.table_id == 2, schema.steps.c.seq == seq)[0]["at"]
    db.execute(insert(schema.shoes).values({**shoe, "number": number, "commitment": "c" * 64, "opened_at": at}))
    which = schema.tables.c.id == 2
    db.execute(update(schema.tables).where(which).values(state=msgspec.json.encode(state).decode()))


def shoe_hidden(db: Connection) -> None:
    """Another shoe is opened by an event that is written in a way of its own, so that no search finds it."""
    number = rows(db, schema.shoes, schema.shoes.c.table_id == 2)[-1]["number"] + 1
    step_added(db, 2, write([ShoeOpened(number, "c" * 64, 1, 1, 30)]).replace('{"event":', '{ "event":'), [])


FORGERIES = [
    forged_buy_in, larger_buy_in, last_step_removed, other_time, other_person, other_command, player_made_house,
    other_password, renamed, person_added, rows_swapped, steps_swapped, act_removed, act_of_another, other_config,
    other_opener, other_seat, other_secret, table_removed, win_without_round, win_between_rounds, shoe_dropped,
    shoe_hidden,
]  # fmt: skip
