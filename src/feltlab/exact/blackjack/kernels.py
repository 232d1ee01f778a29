"""The three walks over the graph of hands: choose by what is best, follow what is chosen, and weigh where it leads.

Each is a loop over nodes in the order of the graph, compiled at its first use. Layers: a hand is played with the side
wager still on it (1), or with none (0); a side wager that ends on the way leaves its hand in layer 0.
"""

from __future__ import annotations

from typing import Any

from feltlab.compile import kernel
from feltlab.games.blackjack import HIT, STAND

EQUAL, EQUAL_SIDE = 1e-13, 1e-10  # what rounding may make of equal values; a side wager may pay a thousand to 1


@kernel
def stand_values(ends: Any, done: Any, row: Any, kind: Any, pays: Any, values: Any) -> None:
    """What standing is worth at each node whose row is done: the dealer's ends, each with what it pays.

    `pays` is (kinds, ends, cards).
    """
    for node in range(row.shape[0]):
        here = row[node]
        if not done[here]:
            continue
        value = 0.0
        for end in range(ends.shape[1]):
            for cards in range(ends.shape[2]):
                value += ends[here, end, cards] * pays[kind[node], end, cards]
        values[node] = value


@kernel
def drawn_values(
    hand: Any, row: Any, child: Any, wanted: Any, draw: Any, spoil: Any, into: Any, bust_kind: Any, bust: Any, values: Any
) -> None:  # fmt: skip
    """What one card and no more is worth to the wanted hands: `into` where it leads, `bust` where it is too many.

    `bust` is by kind, and whether the dealer has a natural.
    """
    for node in range(hand.shape[0]):
        if not wanted[hand[node]]:
            continue
        here = row[node]
        value = 0.0
        for card in range(10):
            chance = draw[here, card]
            after = child[node, card]
            if after >= 0:
                value += chance * into[after]
            else:
                loss = bust[bust_kind[hand[node], card]]
                value += chance * (loss[0] + spoil[here, card] * (loss[1] - loss[0]))
        values[node] = value


@kernel
def reach(start: Any, hand: Any, row: Any, child: Any, second: Any, draws: Any, marked: Any, rows: Any) -> None:
    """Mark the rows in which hands of splits can end: the actions are by pair and second card, then by draws."""
    for pair in range(start.shape[0]):
        for others in range(1, start.shape[1]):
            for card in range(10):
                node = child[start[pair, others], card]
                if second[pair, card] == STAND:
                    rows[row[node]] = True
                elif second[pair, card] == HIT:
                    marked[node] = True
                else:
                    for last in range(10):
                        if child[node, last] >= 0:
                            rows[row[child[node, last]]] = True
    for node in range(hand.shape[0]):
        if marked[node]:
            for card in range(10):
                after = child[node, card]
                if after >= 0:
                    if draws[hand[after]] == STAND:
                        rows[row[after]] = True
                    else:
                        marked[after] = True


@kernel
def choose(
    child: Any, draw: Any, spoil: Any, may_hit: Any, ratio: float, bonus_first: bool,
    stand: Any, bust_kind: Any, bust: Any, over: Any, after: Any, value: Any, hit: Any, action: Any,
) -> None:  # fmt: skip
    """The best of standing and hitting for each hand by itself, highest totals first.

    The arrays have two parts: the main wager and the side wager. The better is the one with more of main + ratio x side,
    or with more of the side and then of the main. `over` says that the side wager ends when the hand becomes so; both
    wagers are then worth `after`.
    """
    for node in range(child.shape[0] - 1, -1, -1):
        for part in range(2):
            value[part, node] = stand[part, node]
        action[node] = STAND
        if not may_hit[node]:
            continue
        for part in range(2):
            total = 0.0
            for card in range(10):
                chance = draw[node, card]
                next_ = child[node, card]
                if next_ < 0:
                    loss = bust[part, bust_kind[node, card]]
                    total += chance * (loss[0] + spoil[node, card] * (loss[1] - loss[0]))
                elif over[next_]:
                    total += chance * after[part, next_]
                else:
                    total += chance * value[part, next_]
            hit[part, node] = total
        more_main, more_side = hit[0, node] - stand[0, node], hit[1, node] - stand[1, node]
        if bonus_first:
            better = more_side > EQUAL_SIDE or (more_side > -EQUAL_SIDE and more_main > EQUAL)
        else:
            better = more_main + ratio * more_side > EQUAL
        if better:
            action[node] = HIT
            for part in range(2):
                value[part, node] = hit[part, node]


@kernel
def follow(
    first: int, last: int, hand: Any, row: Any, child: Any, wanted: Any, draw: Any, spoil: Any, action: Any,
    stand: Any, bust_kind: Any, bust: Any, over: Any, after: Any, value: Any, hit: Any,
) -> None:  # fmt: skip
    """What one wager is worth at the nodes from `first` to `last`, where hands are played by `action`.

    `hit` is filled for the hands that are hit, and for the wanted ones.
    """
    for node in range(last - 1, first - 1, -1):
        number = hand[node]
        if action[number] == STAND and not wanted[number]:
            value[node] = stand[node]
            continue
        here = row[node]
        total = 0.0
        for card in range(10):
            chance = draw[here, card]
            next_ = child[node, card]
            if next_ < 0:
                loss = bust[bust_kind[number, card]]
                total += chance * (loss[0] + spoil[here, card] * (loss[1] - loss[0]))
            elif over[hand[next_]]:
                total += chance * after[next_]
            else:
                total += chance * value[next_]
        hit[node] = total
        value[node] = stand[node] if action[number] == STAND else total


@kernel
def weigh(
    first: int, last: int, hand: Any, row: Any, child: Any, draw: Any, spoil: Any, action: Any, over: Any,
    bust_kind: Any, drawing: Any, ending: Any, busts: Any, left_off: Any, drawn: Any,
) -> None:  # fmt: skip
    """Where hands that are hit or doubled lead. All arrays are first by which of the two, and then by layer.

    `drawing` (2, 2, nodes) holds the weights of hands that take a card; later nodes are added to it on the way. What
    ends is added to `ending` (2, 2, nodes) and `busts` (2, 2, kinds, 2), where the side wager ends to `left_off` (nodes),
    and the cards to `drawn` (2, 10).
    """
    for node in range(first, last):
        here = row[node]
        for twice in range(2):
            for layer in range(2):
                weight = drawing[twice, layer, node]
                if weight == 0.0:
                    continue
                for card in range(10):
                    part = weight * draw[here, card]
                    drawn[twice, card] += part
                    next_ = child[node, card]
                    if next_ < 0:
                        spoiled = part * spoil[here, card]
                        kind = bust_kind[hand[node], card]
                        busts[twice, layer, kind, 0] += part - spoiled
                        busts[twice, layer, kind, 1] += spoiled
                    elif twice:
                        ending[1, layer, next_] += part
                    else:
                        to = layer
                        if layer == 1 and over[hand[next_]]:
                            left_off[next_] += part
                            to = 0
                        if action[to, hand[next_]] == STAND:
                            ending[0, to, next_] += part
                        else:
                            drawing[0, to, next_] += part


@kernel
def joint(ends: Any, row: Any, kind: Any, weight: Any, found: Any) -> None:
    """Weigh every kind of hand against every end of the dealer: adds to `found` (kinds, ends, cards)."""
    for node in range(row.shape[0]):
        if weight[node] == 0.0:
            continue
        for end in range(ends.shape[1]):
            for cards in range(ends.shape[2]):
                found[kind[node], end, cards] += weight[node] * ends[row[node], end, cards]
