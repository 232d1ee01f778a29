"""A simulation from its first card to its last: pilot, work, progress, a checkpoint, and an end that is soon enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from feltlab.errors import FeltlabError, nearest
from feltlab.simulate import checkpoint
from feltlab.simulate.engines.names import Engine
from feltlab.simulate.prepare import LARGEST_BATCH, MOST_ROUNDS, Prepared, batch_size
from feltlab.simulate.stats.cells import Meaning
from feltlab.simulate.stats.sampled import CONFIDENCE, Sampled, sampled
from feltlab.simulate.stats.tally import Tally

PILOT = {"fresh": 1 << 17, "shoe": 1 << 11}
SECONDS_BETWEEN = 5.0  # checkpoints
MORE = 1.02  # a little more than is needed, so that the second look is the last
MOST_AT_ONCE = 8  # times as many rounds as there are, when more are needed: the first look may have been lucky


class Progress(NamedTuple):
    """How far a run is."""

    rounds: int
    of: int
    seconds: float
    sampled: list[Sampled]

    @property
    def rate(self) -> float:
        """Rounds a second."""
        return self.rounds / self.seconds if self.seconds > 0 else 0.0


Tell = Callable[[Callable[[], Progress]], object]
"""A listener for progress, which it may ask for or not, for asking takes time."""


class Until(NamedTuple):
    """Stop when the 95 % interval of a wager's edge is no wider than this on either side."""

    wager: str
    half_width: float


@dataclass
class Run:
    """A simulation under way. `rounds` is how many are wanted; with `until`, the most."""

    prepared: Callable[[int, int], Prepared]  # by units and batch
    mode: str
    rounds: int
    engine: Engine
    until: Until | None = None
    path: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    tell: Tell = lambda progress: None
    say: Callable[[str], object] = lambda words: None
    seconds: float = 0.0
    fresh_rounds: int = 0  # dealt by this run, and not before its checkpoint
    stopped: bool = False

    def __post_init__(self) -> None:
        pilot = self._pilot()
        units = self._units(pilot, self.rounds)
        if self.until is not None:
            self._batch = LARGEST_BATCH[self.mode] // 8
            needed = self._needed(pilot, self.until)
            remark = "" if needed <= units else f", more than the {self.rounds:,} allowed"
            about = ceil(needed * self._rounds_a_unit(pilot))
            self.say(f"{self.until.wager} within {self.until.half_width:g} takes about {about:,} rounds{remark}")
            units = self._whole(min(units, needed))
        else:
            self._batch = batch_size(self.mode, units)
        self.most = self._units(pilot, self.rounds)
        self.work, self.meaning = self.prepared(units, self._batch)
        self.tally = Tally.of(self.work)

    def _pilot(self) -> tuple[Meaning, Tally, int] | None:
        """A few rounds, to see how many a shoe has and how widely they are spread; not needed for a plain run."""
        if self.mode == "fresh" and self.until is None:
            return None
        units = PILOT[self.mode]
        work, meaning = self.prepared(units, batch_size(self.mode, units))
        tally = Tally.of(work)
        tally.add(work.part(0, work.batches))
        return meaning, tally, units

    def _rounds_a_unit(self, pilot: tuple[Meaning, Tally, int] | None) -> float:
        if self.mode == "fresh" or pilot is None:
            return 1.0
        meaning, tally, units = pilot
        return int(meaning.rounds @ tally.counts) / units

    def _units(self, pilot: tuple[Meaning, Tally, int] | None, rounds: int) -> int:
        units = ceil(rounds / self._rounds_a_unit(pilot))
        if not 1 <= units <= MOST_ROUNDS:
            raise FeltlabError(f"{rounds} rounds cannot be dealt")
        return units

    def _needed(self, pilot: tuple[Meaning, Tally, int] | None, until: Until) -> int:
        assert pilot is not None
        meaning, tally, units = pilot
        wagers = sampled(meaning, tally, independent=self.independent(meaning))
        error = self._watched(wagers, until).house_edge.error
        if error == 0:
            return units
        return max(1, ceil(units * (CONFIDENCE * error / until.half_width) ** 2))

    def _whole(self, units: int) -> int:
        """As many as fill whole batches, so that more can follow."""
        return max(1, -(-units // self._batch)) * self._batch

    def _watched(self, wagers: list[Sampled], until: Until) -> Sampled:
        by_id = {sampled.wager.id: sampled for sampled in wagers}
        if until.wager not in by_id:
            raise FeltlabError(f"--until: this table does not offer '{until.wager}'; {nearest(until.wager, by_id)}")
        return by_id[until.wager]

    def independent(self, meaning: Meaning) -> bool:
        """Whether the rounds are independent of each other."""
        return self.mode == "fresh" and meaning.spots == 1

    def sampled(self) -> list[Sampled]:
        """Every wager, as far as it was dealt."""
        return sampled(self.meaning, self.tally, independent=self.independent(self.meaning))

    @property
    def dealt(self) -> int:
        """How many rounds have been dealt."""
        return int(self.meaning.rounds @ self.tally.counts)

    @property
    def shoes(self) -> int:
        """How many shoes have been dealt."""
        return sum(
            min(after * self.work.batch, self.work.units) - first * self.work.batch for first, after in self.tally.done
        )

    def go(self) -> None:
        """Deal until everything is dealt, the interval is small enough, or control-C is pressed."""
        settings = {**self.settings, "batch": str(self.work.batch), "work": self.work.digest[:16]}
        if self.until is None:
            settings["rounds or shoes"] = str(self.work.units)
        if self.path is not None and self.path.exists():
            self.tally = checkpoint.load(self.path, settings, self.tally)
            self.say(f"goes on from {self.path}: {self.dealt:,} rounds are dealt")
        if self.path is not None:
            checkpoint.save(self.path, settings, self.tally)  # if that cannot be done, now is the time to say so
        self.engine.ready(self.work)
        begun, before = monotonic(), self.dealt
        saved = begun
        try:
            while True:
                for part in self.engine.deal(self.work, self.tally.todo(self.work.batches)):
                    self.tally.add(part)
                    now = monotonic()
                    self.seconds = now - begun
                    self.tell(lambda: Progress(self.dealt - before, self._expected(), self.seconds, self.sampled()))
                    if self.path is not None and now - saved > SECONDS_BETWEEN:
                        checkpoint.save(self.path, settings, self.tally)
                        saved = now
                if not self._go_on():
                    break
        except KeyboardInterrupt:
            self.stopped = True
        self.seconds = monotonic() - begun
        self.fresh_rounds = self.dealt - before
        if self.path is not None:
            checkpoint.save(self.path, settings, self.tally)

    def _expected(self) -> int:
        """About how many rounds there will be."""
        done = self.tally.batches
        return round(self.dealt * self.work.batches / done) if done else 0

    def _go_on(self) -> bool:
        """With `until`: more work, if the interval is still too wide and more is allowed."""
        if self.until is None:
            return False
        error = self._watched(self.sampled(), self.until).house_edge.error
        wide = CONFIDENCE * error / self.until.half_width
        if wide <= 1 or self.work.units >= self.most:
            return False
        units = min(ceil(self.work.units * wide**2 * MORE), self.work.units * MOST_AT_ONCE, self._whole(self.most))
        self.work = replace(self.work, units=self._whole(units))
        return True
