"""Prepares tables for simulation, and simulates them."""

from dataclasses import replace
from functools import cache

from feltlab.analysis import analyse
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.prepare import DealSettings, PlayerPlans, prepare
from feltlab.simulate.stats.tally import Tally


def prepared(sheet, mode="fresh", units=3000, batch=100, **more):
    """A prepared table, which is the same for any amount of work."""
    ready = of_table(sheet, mode, **more)
    return ready._replace(work=replace(ready.work, units=units, batch=batch))


@cache
def of_table(sheet, mode, seed=7, spots=1, strategy="basic", decks=6):
    at = analyse(sheet, decks=decks)
    playing = None
    if at.setup.sheet.game == "blackjack":
        played = at.play(strategy)
        playing = PlayerPlans(played.plans, played.side.id if played.side else None)
    cut = 78 if mode == "shoe" else 0
    return prepare(at.setup, DealSettings(mode, at.shoe.counts, seed, cut, spots), playing, 3000, 100)


def dealt(work, engine=None):
    tally = Tally.of(work)
    for part in (engine or Cpu(1)).deal(work, tally.todo(work.batches)):
        tally.add(part)
    return tally
