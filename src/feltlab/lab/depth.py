"""The house edge by depth of the shoe: random shoes, each counted exactly at several depths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan
from random import Random

import numpy as np

from feltlab.analysis import Analysis
from feltlab.errors import FeltlabError, NotCountedError
from feltlab.exact.baccarat.all_wagers import CoupCounter
from feltlab.exact.baccarat.sequences import looks_at_cards
from feltlab.exact.counting import first_cards
from feltlab.exact.counting.recount import Recount
from feltlab.exact.methods import is_counted
from feltlab.exact.shoe import ShoeComposition
from feltlab.figures import Figures
from feltlab.lab.series import Point
from feltlab.wagers.wager import Wager

SHARES = tuple(range(1, 10))  # tenths of the shoe
SHOES, FEW_SHOES = 400, 12
SEED = 20
Edge = Callable[[ShoeComposition], float]


def depths(analysis: Analysis, wager: str) -> Iterator[Point]:
    """For each share of the shoe dealt: the mean edge, the range of nine in ten shoes, and how often the player has it."""
    made = analysis.setup.wagers[wager]
    if not is_counted(analysis.setup.sheet.game, made):
        raise NotCountedError(f"{wager} depends on play, and is not computed for the rest of a shoe; simulate it")
    edge, shoes = _edge(analysis, made)
    found = np.array([_one(analysis.shoe, number, edge) for number in range(shoes)])
    for place, share in enumerate(SHARES):
        edges = found[~np.isnan(found[:, place]), place]
        if not len(edges):
            continue
        low, high = np.percentile(edges, [5, 95])
        mean, often = float(edges.mean()), float((edges < 0).mean())
        yield Point(share / 10, f"{share * 10} %", mean, float(low), float(high), often)


def _one(shoe: ShoeComposition, number: int, edge: Edge) -> list[float]:
    """The edges of one shuffled shoe at every depth."""
    cards = [card for card, count in enumerate(shoe.counts) for _ in range(count)]
    Random(f"{SEED} {number}").shuffle(cards)  # noqa: S311 # for a picture, not for play
    found = []
    for share in SHARES:
        left = np.bincount(cards[len(cards) * share // 10 :], minlength=52)
        found.append(edge(ShoeComposition(tuple(left.tolist()))))
    return found


def _edge(analysis: Analysis, wager: Wager) -> tuple[Edge, int]:
    """The function that counts the edge of a composition, and how many shoes to use with it."""
    pays = np.array([float(outcome.pays) for outcome in wager.cells.outcomes])
    if analysis.setup.sheet.game == "baccarat" and not looks_at_cards(wager):
        coups = CoupCounter([wager])
        return lambda shoe: float(Figures(coups.laws(shoe)[0]).house_edge), SHOES
    if analysis.setup.sheet.game == "blackjack" and first_cards.can_be_counted(wager):
        recount = Recount(wager)
        return lambda shoe: -float(recount.chances(shoe) @ pays), SHOES
    return lambda shoe: _slowly(analysis, wager, shoe), FEW_SHOES


def _slowly(analysis: Analysis, wager: Wager, shoe: ShoeComposition) -> float:
    gone = [card for card, count in enumerate(shoe.counts) for _ in range(analysis.setup.decks - count)]
    try:
        law = Analysis(analysis.setup, tuple(gone)).counted(wager)
    except FeltlabError:  # too few cards are left
        return nan
    assert law is not None
    return float(Figures(law).house_edge)
