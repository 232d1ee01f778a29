"""How the dealer ends, from every shoe that a player's hand can leave.

The dealer's finished hands are multisets too. How many orders of the cards make one does not depend on the shoe, and
what each order weighs depends on the cards alone: so the hands against an up card are listed once, as a tree of cards
in falling order, and for a shoe the tree is walked multiplying the cards that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feltlab.compile import kernel
from feltlab.games.blackjack import House, dealer_draws, total
from feltlab.wagers.blackjack_facts import MOST_DEALER_CARDS, MOST_DEALER_TOTAL

Floats = NDArray[np.float64]

LOWEST, HIGHEST = 17, MOST_DEALER_TOTAL
NATURAL_END = HIGHEST - LOWEST + 1
ENDS = NATURAL_END + 1
"""An end is numbered by its total, from 17 to 26; the last is a natural."""

SIZES = MOST_DEALER_CARDS + 1
BLOCK = 64  # shoes that are walked together: few enough to stay in the nearest cache


def end_class(dealer_total: int, cards: int) -> int:
    """The number of a dealer's end."""
    return NATURAL_END if cards == 2 and dealer_total == 21 else dealer_total - LOWEST


@cache
def tree(hits_soft_17: int, up: int) -> NDArray[np.int64]:
    """The dealer's hands against an up card, as a tree: depth, card, how many of that card before, orders, end, cards."""
    house = House(hits_soft_17, *([0] * 8))
    finished: dict[tuple[int, ...], list[int]] = {}

    def draw(hard: int, aces: int, drawn: tuple[int, ...]) -> None:
        if drawn and not dealer_draws(house, hard, aces):
            cards = len(drawn) + 1
            found = finished.setdefault(
                tuple(sorted(drawn, reverse=True)), [0, end_class(total(hard, aces), cards), cards]
            )
            found[0] += 1
            return
        for points in range(1, 11):
            draw(hard + points, aces + (points == 1), (*drawn, points))

    draw(up, int(up == 1), ())
    branches: dict[int, Any] = {}
    for cards, end in finished.items():
        branch = branches
        for points in cards:
            branch = branch.setdefault(points, {})
        branch[0] = end

    def walk(branch: dict[int, Any], depth: int, above: int, before: int) -> Iterator[tuple[int, ...]]:
        for points in sorted(set(branch) - {0}):
            same = before + 1 if points == above else 0
            yield (depth, points - 1, same, *branch[points].get(0, (0, 0, 0)))
            yield from walk(branch[points], depth + 1, points, same)

    return np.array(list(walk(branches, 1, 0, 0)), dtype=np.int64)


@kernel
def weigh_ends(branches: Any, left: Any, ends: Any) -> None:
    """Add up, for each shoe (a row of `left`), the chances of every end, apart by number of cards if there is room.

    `ends` is (shoes, ENDS, 1), or with room (shoes, ENDS, SIZES), and comes in as zeros.
    """
    apart = ends.shape[2] > 1
    shoes = left.shape[0]
    product, cards, size = np.ones((16, BLOCK)), np.zeros((10, BLOCK)), np.zeros(BLOCK)
    for begin in range(0, shoes, BLOCK):
        count = min(BLOCK, shoes - begin)
        size[:] = 0
        for place in range(count):
            for card in range(10):
                cards[card, place] = left[begin + place, card]
                size[place] += left[begin + place, card]
        ways = np.zeros((ENDS * SIZES, BLOCK))
        for number in range(branches.shape[0]):
            depth, card, same = branches[number, 0], branches[number, 1], float(branches[number, 2])
            orders = float(branches[number, 3])
            above, here, kind = product[depth - 1], product[depth], cards[card]
            if orders:
                summed = ways[branches[number, 4] * SIZES + branches[number, 5]]
                for place in range(BLOCK):
                    here[place] = above[place] * (kind[place] - same)
                    summed[place] += orders * here[place]
            else:
                for place in range(BLOCK):
                    here[place] = above[place] * (kind[place] - same)
        for place in range(count):
            each = 1.0
            for drawn in range(1, SIZES - 1):
                if size[place] < drawn:
                    break
                each /= size[place] - drawn + 1
                for end in range(ENDS):
                    ends[begin + place, end, drawn + 1 if apart else 0] += ways[end * SIZES + drawn + 1, place] * each


def ends(left: Floats, up: int, house: House, *, by_cards: bool = False) -> Floats:
    """The chance of each end for each shoe (a row of what is `left`): an array (shoes, ENDS, 1).

    With `by_cards` the ends are kept apart by the number of the dealer's cards: (shoes, ENDS, SIZES).
    """
    found = np.zeros((len(left), ENDS, SIZES if by_cards else 1))
    weigh_ends(tree(house.hits_soft_17, up), left, found)
    return found
