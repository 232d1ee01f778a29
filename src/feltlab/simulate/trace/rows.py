"""Rows of a log, one a hand or a coup, as the columns of an Arrow table.

`round` (in whole shoes `shoe` and the `round` in it), `spot` and `hand` are numbers from 1 on, hands from the left. Cards
are text, for example "Ks 6h 9d", and so are decisions ("hit stand"); a hand that has to stand stands, and a hand without any
(a natural, or a dealer's) has none. `stake` is how many first stakes lie on the hand. Of each wager there are the lines
that paid ("lost" where none did) and what it won of a stake of 1; null where it does not lie on the hand. A wager on hit
cards has the number of bets instead of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD, name
from feltlab.errors import FeltlabError
from feltlab.hands.actions import NAMES
from feltlab.simulate.kernels.rounds import OVER
from feltlab.simulate.stats.cells import Meaning, Measured
from feltlab.simulate.trace.dealing import Chunk
from feltlab.simulate.trace.decode import NO_CELL, WHAT, Ints, Ragged, decode_coups, decode_hands
from feltlab.wagers.baccarat_facts import CLASSES, VIEWS

LOST = "lost"  # a wager that no line paid
SPACED = np.frombuffer("".join(f" {name(card)}" for card in range(52)).encode(), dtype=np.uint8).reshape(52, 3)
PLAYER, BANKER = slice(0, 3), slice(3, 6)
PLAYER_TOTAL = np.array([view.player_total for view in VIEWS])
BANKER_TOTAL = np.array([view.banker_total for view in VIEWS])

Columns = dict[str, Any]
"""Arrow arrays by the name of their column."""


def hand_columns(arrow: Any, meaning: Meaning, chunks: Sequence[Chunk]) -> Columns:
    """Blackjack: a row a hand."""
    traced = decode_hands(np.concatenate([chunk.words for chunk in chunks]))
    numbers = _numbers(arrow, chunks, lambda words: int((words >> WHAT >= OVER).sum()))
    first = traced.hand == 0
    hand_count = np.diff(np.append(np.flatnonzero(first), len(first)))
    main = meaning.measured[0]
    stake = np.array([way.stake for way in main.ways])[main.cells[traced.cell]]
    columns = {name: array.take(arrow.array(traced.round)) for name, array in numbers.items()} | {
        "spot": arrow.array(traced.spot + 1, arrow.int8()),
        "hand": arrow.array(traced.hand + 1, arrow.int8()),
        "hands": arrow.array(np.repeat(hand_count, hand_count), arrow.int8()),
        "cards": _cards(arrow, traced.cards),
        "dealer": _cards(arrow, traced.dealer).take(arrow.array(traced.round)),
        "decisions": _decisions(arrow, traced.actions),
        "stake": arrow.array(stake, arrow.int8()),
    }
    for measured in meaning.measured:
        if measured.wager.on_hit_cards:
            _add(columns, measured, _several(arrow, measured, traced.hits))
        else:
            on_cards = np.where(traced.on_cards == NO_CELL, -1, measured.cells[traced.on_cards])
            _add(columns, measured, _one(arrow, measured, np.maximum(measured.cells[traced.cell], on_cards)))
    return columns


def coup_columns(arrow: Any, meaning: Meaning, chunks: Sequence[Chunk]) -> Columns:
    """Baccarat: a row a coup."""
    traced = decode_coups(np.concatenate([chunk.words for chunk in chunks]))
    columns = _numbers(arrow, chunks, len)
    of_class = traced.cell % CLASSES
    for hand, cards, totals in (("player", PLAYER, PLAYER_TOTAL), ("banker", BANKER, BANKER_TOTAL)):
        dealt = traced.cards[:, cards] != NO_CARD
        lies = Ragged(traced.cards[:, cards][dealt], np.concatenate([[0], dealt.sum(axis=1).cumsum()]))
        columns[f"{hand}_cards"] = _cards(arrow, lies)
        columns[f"{hand}_total"] = arrow.array(totals[of_class], arrow.int8())
    for measured in meaning.measured:
        _add(columns, measured, _one(arrow, measured, measured.cells[traced.cell]))
    return columns


def _add(columns: Columns, measured: Measured, own: Columns) -> None:
    """Add the columns of a wager."""
    for column in own:
        if column in columns:
            raise FeltlabError(
                f"--log: the wager {measured.wager.id} would take the column '{column}', which there is; rename it"
            )
    columns.update(own)


def _numbers(arrow: Any, chunks: Sequence[Chunk], count: Callable[[Ints], int]) -> Columns:
    """The numbers of rounds, from 1 on; in whole shoes those of the shoes too."""
    counts = [count(chunk.words) for chunk in chunks]
    rounds = [chunk.before + np.arange(1, many + 1) for chunk, many in zip(chunks, counts, strict=True)]
    found = {"round": arrow.array(np.concatenate(rounds), arrow.int64())}
    shoes = np.repeat([chunk.shoe for chunk in chunks], counts)
    return {"shoe": arrow.array(shoes, arrow.int64())} | found if chunks[0].shoe else found


def _cards(arrow: Any, cards: Ragged) -> Any:
    """Rows of cards as text: their letters with a space before every card but a row's first."""
    letters, kept = SPACED[cards.values], np.ones((len(cards.values), 3), dtype=np.bool_)
    some = cards.lengths > 0
    kept[cards.begins[:-1][some], 0] = False
    begins = 3 * cards.begins - np.concatenate([[0], some.cumsum()])
    return arrow.StringArray.from_buffers(
        len(some), arrow.py_buffer(begins.astype(np.int32)), arrow.py_buffer(letters[kept])
    )


def _decisions(arrow: Any, actions: Ragged) -> Any:
    """Rows of actions as text. There are few that differ, so each of these is written once."""
    base = len(NAMES) + 1
    numbers = np.zeros(len(actions.lengths), dtype=np.int64)  # actions as its digits, the first one counting least
    place = np.arange(len(actions.values)) - np.repeat(actions.begins[:-1], actions.lengths)
    np.add.at(numbers, actions.rows, (actions.values + 1) * base**place)
    found, which = np.unique(numbers, return_inverse=True)
    texts = [" ".join(NAMES[action] for action in _digits(number, base)) for number in found.tolist()]
    return arrow.array(texts, arrow.string()).take(arrow.array(which))


def _digits(number: int, base: int) -> list[int]:
    """The digits of a number, each less one."""
    digits = []
    while number:
        number, digit = divmod(number, base)
        digits.append(digit - 1)
    return digits


def _one(arrow: Any, measured: Measured, ways: Ints) -> Columns:
    """A wager of which a row has one at the most: the lines that paid, and what it won."""
    wager, laid = measured.wager, ways >= 0
    outcomes = [wager.cells.outcomes[way.outcome] for way in measured.ways]
    lines = arrow.array([" ".join(wager.line_ids(outcome)) or LOST for outcome in outcomes], arrow.string())
    return {
        wager.id: lines.take(arrow.array(ways, mask=~laid)),
        f"{wager.id}_net": arrow.array(_nets(measured)[ways], arrow.float64(), mask=~laid),
    }


def _several(arrow: Any, measured: Measured, cells: Ragged) -> Columns:
    """A wager on hit cards: how many there were on a hand, and what they won together."""
    ways = measured.cells[cells.values]
    laid = ways >= 0
    rows, count = cells.rows[laid], len(cells.lengths)
    bets = np.bincount(rows, minlength=count)
    nets = np.bincount(rows, _nets(measured)[ways[laid]], minlength=count)
    return {
        f"{measured.wager.id}_bets": arrow.array(bets, arrow.int8()),
        f"{measured.wager.id}_net": arrow.array(nets, arrow.float64(), mask=bets == 0),
    }


def _nets(measured: Measured) -> NDArray[np.float64]:
    """What a wager wins of a first stake of 1, by the way in which it ends."""
    outcomes = measured.wager.cells.outcomes
    return np.array([float(outcomes[way.outcome].pays * way.stake) for way in measured.ways])
