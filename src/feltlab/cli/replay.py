"""`feltlab replay`: replays a stored round."""

from __future__ import annotations

from typing import Annotated

import typer

from feltlab.cli.common import Json, console, print_heading, print_json, table_json
from feltlab.cli.deal import print_log, round_json, words_json
from feltlab.cli.ledger import visit
from feltlab.cli.serve import Database


def replay(
    round_: Annotated[
        str, typer.Argument(metavar="ROUND", help="A table and the number of a round at it, such as 12-345.")
    ],
    db: Database = None,
    json: Json = False,
) -> None:
    """Replay a stored round with the same moves and cards, and print it in words. It must come out as it is stored.

    The cards are those of the shoe once it is revealed, and those that everybody saw until then.
    """
    with visit(db) as connection:
        from feltlab.floor.records.records import parse_id
        from feltlab.floor.records.replaying import replay_round

        found = replay_round(connection, *parse_id(round_, "round"))
    table, log = found.table.table, found.round.log
    if json:
        head = {"round": found.name, "shoe": found.shoe, "from_shoe": found.from_shoe, "steps": found.steps}
        print_json({**head, **table_json(table), **round_json(found.round), "words": words_json(table, log)})
        return
    screen = console()
    print_heading(screen, table)
    screen.print(f"\n[bold]Round {found.name}[/]")
    print_log(table, log)
    cards = f"the cards of shoe {found.shoe}" if found.from_shoe else "the cards that were seen"
    screen.print(f"\nPlayed again with {cards}, it came out as it is stored, in all {found.steps} steps.")
