"""`feltlab verify`: was a shoe what it was said to be, and every round dealt from it?"""

from __future__ import annotations

from typing import Annotated

import typer

from feltlab.cli.common import Json, console, print_json
from feltlab.cli.ledger import visit
from feltlab.cli.serve import Database


def verify(
    shoe: Annotated[str, typer.Argument(metavar="SHOE", help="A table and the number of a shoe at it, as 12-3.")],
    db: Database = None,
    json: Json = False,
) -> None:
    """Verify a shoe that is over: its commitment, the order that its secret and seeds give, and every round from it."""
    import msgspec
    from rich.markup import escape

    with visit(db) as connection:
        from feltlab.floor.records import parse_id
        from feltlab.floor.replaying import verify_shoe

        found = verify_shoe(connection, *parse_id(shoe, "shoe"))
    if json:
        print_json(msgspec.to_builtins(found))
        return
    screen = console()
    screen.print(f"[bold]Shoe {found.shoe}[/]  {len(found.order)} cards")
    screen.print(f"  commitment  {found.commitment}: its secret has this SHA-256")
    for who, seed in found.seeds:
        screen.print(f"  seed        {escape(seed)}, by {escape(who)}")
    screen.print(f"  order       {' '.join(found.order[:8])} ... follows from the secret and the seeds")
    dealt = "all of them and its discards once more" if found.ran_out else f"{found.dealt} of its cards"
    screen.print(f"  rounds      {_span(found.rounds)}: played again with {dealt}, each as it is stored")


def _span(rounds: list[str]) -> str:
    if len(rounds) < 3:
        return " and ".join(rounds) or "none"
    return f"{rounds[0]} to {rounds[-1]}"
