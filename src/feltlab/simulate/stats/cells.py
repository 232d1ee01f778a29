"""What the cells of a simulation mean: each wager's ways to end, what whole rounds win, and the rounds themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feltlab.simulate.compile.blackjack import BlackjackTables, StakedOutcome
from feltlab.simulate.compile.card_questions import Questions
from feltlab.wagers.baccarat_facts import CLASSES, VIEWS
from feltlab.wagers.wager import Wager

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """A wager in a simulation. Its columns are the ways it can end; `cells` says which way each cell is (-1: none).

    Where a round can have several bets, `several` marks the cells of such rounds, `pairs` are cells that count pairs of
    their bets, and `results` cells that count such rounds by what they win. `each_round` says that there is a bet on
    every spot in every round.
    """

    wager: Wager
    ways: tuple[StakedOutcome, ...]
    cells: Ints
    each_round: bool = True
    pairs: Ints | None = None  # rows of a cell and two ways
    several: Ints | None = None
    results: tuple[tuple[int, Fraction], ...] = ()


@dataclass(frozen=True)
class Meaning:
    """The wagers of a simulation, and which cells make a round (blackjack: one; baccarat: every cell)."""

    measured: tuple[Measured, ...]
    rounds: Ints
    spots: int
    lost: int | None = None  # the cell of rounds that could not be dealt to the end

    @property
    def weights(self) -> Ints:
        """The columns of all wagers' ways, one after another, and of the rounds last."""
        columns = [(wager.cells == way).astype(np.int64) for wager in self.measured for way in range(len(wager.ways))]
        return np.stack([*columns, self.rounds], axis=1)

    def begins(self) -> list[int]:
        """Where each wager's columns begin."""
        return [int(begin) for begin in np.cumsum([0, *(len(wager.ways) for wager in self.measured)])]


def of_coups(wagers: Sequence[Wager], questions: Questions) -> Meaning:
    """Baccarat: cells are classes of coups, for each code of the answers about single cards."""
    cells = CLASSES * questions.size
    measured = []
    for wager in wagers:
        ends = np.zeros(cells, dtype=np.int64)
        for code in range(questions.size):
            answers = questions.answers(code)
            for number, view in enumerate(VIEWS):
                ends[code * CLASSES + number] = wager.cells.outcome_by(
                    lambda atom, view=view, answers=answers: (  # type: ignore[misc] # bound at once
                        view[atom.fields[0]] if atom.detail is None else answers[atom]
                    )
                )
        measured.append(Measured(wager, _outcomes(wager), ends))
    return Meaning(tuple(measured), np.ones(cells, dtype=np.int64), 1)


def of_rounds(tables: BlackjackTables) -> Meaning:
    """Blackjack: cells are hands by ending and column, wagers on cards, hit cards, and pairs of bets."""
    game = tables.game
    rounds = np.zeros(tables.cells, dtype=np.int64)
    rounds[game.at_rounds] = 1
    measured = [_on_hands(tables, place) for place in range(len(tables.wagers.play))]
    measured += [_on_cards(tables, place) for place in range(len(tables.wagers.cards))]
    measured += [_on_hits(tables, place) for place in range(len(tables.wagers.hits))]
    return Meaning(tuple(measured), rounds, game.spots, game.at_lost)


def _on_hands(tables: BlackjackTables, place: int) -> Measured:
    wager, game = tables.wagers.play[place], tables.game
    cells = np.full(tables.cells, -1, dtype=np.int64)
    if place:
        outcomes = tables.endings[:, :, place].reshape(-1)
        cells[: outcomes.size] = np.maximum(outcomes, -1)
        return Measured(wager, _outcomes(wager), cells, each_round=wager.before_deal)
    outcomes, columns = tables.endings[:, :, 0], tables.endings.shape[1]
    kinds = {kind: number for number, kind in enumerate(tables.main_kinds)}
    stakes = np.repeat(tables.stakes, columns)
    for cell, (outcome, stake) in enumerate(zip(outcomes.reshape(-1).tolist(), stakes.tolist(), strict=True)):
        cells[cell] = kinds[StakedOutcome(outcome, stake)]
    several = np.zeros(tables.cells, dtype=np.int64)
    several[: outcomes.size] = np.repeat(tables.split, columns)
    count = len(kinds)
    one, other = np.indices((count, count)).reshape(2, -1)
    pairs = np.stack([game.at_cross + np.arange(count**2), one, other], axis=1)
    nets = range(-game.nets_middle, game.nets_middle + 1)
    results = tuple((game.at_nets + game.nets_middle + net, Fraction(net, tables.unit)) for net in nets)
    return Measured(wager, tables.main_kinds, cells, pairs=pairs, several=several, results=results)


def _on_cards(tables: BlackjackTables, place: int) -> Measured:
    wager = tables.wagers.cards[place]
    return Measured(wager, _outcomes(wager), _kinds(tables, tables.game.at_cards, tables.card_kinds, place))


def _on_hits(tables: BlackjackTables, place: int) -> Measured:
    wager, game, count = tables.wagers.hits[place], tables.game, len(tables.hit_kinds)
    cells = _kinds(tables, game.at_hits, tables.hit_kinds, place)
    way = cells[game.at_hits : game.at_hits + count]
    one, other = np.indices((count, count)).reshape(2, -1)
    pairs = np.stack([game.at_hit_cross + np.arange(count**2), way[one], way[other]], axis=1)
    pairs = pairs[(pairs[:, 1] >= 0) & (pairs[:, 2] >= 0)]
    return Measured(wager, _outcomes(wager), cells, each_round=False, pairs=pairs)


def _outcomes(wager: Wager) -> tuple[StakedOutcome, ...]:
    return tuple(StakedOutcome(outcome) for outcome in range(len(wager.cells.outcomes)))


def _kinds(tables: BlackjackTables, at: int, kinds: Iterable[Sequence[int]], place: int) -> Ints:
    cells = np.full(tables.cells, -1, dtype=np.int64)
    for number, outcomes in enumerate(kinds):
        cells[at + number] = max(outcomes[place], -1)
    return cells
