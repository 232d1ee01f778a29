"""Live tables with known shoes: secrets are chosen by the cards they deal. Everything else is the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random

from msgspec.structs import replace

from feltlab.cards import card, cards
from feltlab.client import Client
from feltlab.floor.shoes.fair import Secret, new_secret
from feltlab.floor.tables import live


def secret_for(made: Secret, stack: str) -> Secret:
    """The secret of the same shoe that deals these cards first, after the burn cards: docs/fairness.md backwards."""
    pack = [card(rank + suit) for rank in "A23456789TJQK" for suit in "cdhs" for _ in range(made.decks)]
    wanted, rest = cards(stack), list(pack)
    for one in wanted:
        rest.remove(one)
    Random(7).shuffle(rest)  # the same cards each time
    target = [*rest[: made.burn], *wanted, *rest[made.burn :]]
    number, base = 0, 1
    for last in range(len(pack) - 1, 0, -1):
        place = pack.index(target[last], 0, last + 1)
        pack[last], pack[place] = pack[place], pack[last]
        number, base = number + base * place, base * (last + 1)
    return replace(made, order=f"{number:0{len(made.order)}x}")


class Stacks(dict[str, str]):
    """Shoes by name (`1-1`: table and shoe), and what they deal first; for a test that opens tables of its own."""

    def open(self, house: Client, cards: str, **wish: object) -> int:
        """Open a table whose first shoe is known."""
        table = len(house.tables()) + 1
        self[f"{table}-1"] = cards
        assert house.change("POST", "/tables", wish)["about"]["id"] == table
        return table


@contextmanager
def stacked(stacks: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, shoes of these names (`1-1`: table and shoe) deal these cards first."""

    def secret(shoe: str, decks: int, burn: int, behind_cut: int) -> Secret:
        made = new_secret(shoe, decks, burn, behind_cut)
        return secret_for(made, stacks[shoe]) if shoe in stacks else made

    live.new_secret, before = secret, live.new_secret
    try:
        yield
    finally:
        live.new_secret = before
