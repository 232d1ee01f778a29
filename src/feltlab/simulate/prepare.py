"""Prepare a table for dealing: its work, and what the counts of it mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from feltlab.errors import SetupError
from feltlab.games import baccarat, blackjack
from feltlab.simulate.compile.blackjack import compile_tables
from feltlab.simulate.compile.card_questions import questions
from feltlab.simulate.compile.card_tables import pack_questions
from feltlab.simulate.kernels.coups import MOST_CARDS as MOST_COUP_CARDS
from feltlab.simulate.kernels.cursor import FRESH, MOST_CARDS, SHOE, deck_of, shoe_spec
from feltlab.simulate.kernels.rounds import MOST_SPOTS
from feltlab.simulate.stats.cells import Meaning, of_coups, of_rounds
from feltlab.simulate.work import Work
from feltlab.strategy.plan import Plan
from feltlab.tables import Setup
from feltlab.wagers.wager import Wager

MODES = {"fresh": FRESH, "shoe": SHOE}
BURN = 1
BATCHES = 1024  # what a run is cut into, if it is long enough
LARGEST_BATCH = {"fresh": 1 << 22, "shoe": 1 << 12}
LEAST_BATCH = {"fresh": 64, "shoe": 1}
MOST_ROUNDS = 10**15  # counts and their products stay exact far beyond


class DealSettings(NamedTuple):
    """How cards are dealt: from a full shoe each round, or from whole shoes; with the cards that are in the shoe."""

    mode: str
    counts: Sequence[int]
    seed: int
    cut: int = 0
    spots: int = 1


class PlayerPlans(NamedTuple):
    """How hands are played: plans against each up card, and the side wager that they have in view."""

    plans: Mapping[int, Plan]
    in_view: str | None = None


class Prepared(NamedTuple):
    """Work, and what its counts mean."""

    work: Work
    meaning: Meaning


def batch_size(mode: str, units: int) -> int:
    """How many rounds or shoes make a batch of a run of `units`. Even, for two coups share a counter.

    >>> batch_size("fresh", 10**9), batch_size("fresh", 10**6), batch_size("shoe", 10**6)
    (976564, 978, 977)
    """
    size = -(-units // BATCHES)
    size += size % 2 if mode == "fresh" else 0
    return max(LEAST_BATCH[mode], min(size, LARGEST_BATCH[mode]))


def check(game: str, dealing: DealSettings) -> None:
    """Refuse what cannot be dealt."""
    size, most = sum(dealing.counts), MOST_SPOTS if game == "blackjack" else 1
    if not 1 <= dealing.spots <= most:
        every = "a coup is the same for all who bet on it" if game == "baccarat" else f"a table has 1 to {most}"
        raise SetupError(f"--spots {dealing.spots}: {every}")
    if size > MOST_CARDS:
        raise SetupError(f"a shoe of {size} cards is too large to be simulated; at most {MOST_CARDS}")
    least = MOST_COUP_CARDS if game == "baccarat" else 0
    if dealing.mode == "shoe" and not least <= dealing.cut < size - BURN:
        needs = f", and a coup begun before it may need {least}" if least else ""
        raise SetupError(
            f"--cut {dealing.cut}: the cut card lies {least} to {size - BURN - 1} cards from the end{needs}"
        )
    if not 0 <= dealing.seed < 1 << 64:
        raise SetupError(f"--seed {dealing.seed}: a seed is a whole number from 0 to 2**64 - 1")


def prepare(
    setup: Setup,
    dealing: DealSettings,
    playing: PlayerPlans | None,
    units: int,
    batch: int,
    wagers: Sequence[Wager] | None = None,
) -> Prepared:
    """The work of dealing `units` rounds (or shoes) at a table, and what its counts mean."""
    game = setup.sheet.game
    check(game, dealing)
    if not 1 <= units <= MOST_ROUNDS:
        raise SetupError(f"{units} rounds cannot be dealt; at least 1, at most {MOST_ROUNDS}")
    size = sum(dealing.counts)
    shoe = shoe_spec(MODES[dealing.mode], size, dealing.seed)
    offered = list(setup.wagers.values()) if wagers is None else list(wagers)
    points = baccarat.card_points if game == "baccarat" else blackjack.card_points
    deck = deck_of(dealing.counts, points)
    if game == "baccarat":
        about_cards = questions(atom for wager in offered for atom in wager.cells.partition.atoms)
        packed = pack_questions(about_cards)
        meaning = of_coups(offered, about_cards)
        tab, spec, layout, quick = np.concatenate([deck, packed.table]), packed.spec, None, None
    else:
        assert playing is not None
        built = compile_tables(setup.house, playing.plans, offered, playing.in_view, dealing.spots, deck)
        meaning = of_rounds(built)
        tab, spec, layout, quick = built.tab, built.spec, built.game, built.quick if built.quick.on else None
    cells = len(meaning.rounds)
    work = Work(shoe, tab, spec, layout, quick, cells, dealing.cut, BURN, batch, units, meaning.weights)
    return Prepared(work, meaning)
