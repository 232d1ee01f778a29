"""The processor as an engine: every core deals parts of the work in a thread of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from feltlab.simulate.work import Part, Work, pieces

ROUNDS_A_PART = 1 << 22
SHOES_A_PART = 1 << 16


class Cpu:
    """Deals on this many threads; on every core by default."""

    name = "cpu"

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))

    def __str__(self) -> str:
        return f"cpu, {self.threads} thread" + ("s" if self.threads > 1 else "")

    def ready(self, work: Work) -> None:
        """Compile the kernel, or load it if it has been."""
        work.compile()

    def deal(self, work: Work, todo: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Deal ranges of batches; parts come in the order in which they are done."""
        parts = cut(work, todo, ROUNDS_A_PART if work.fresh else SHOES_A_PART, self.threads)
        with ThreadPoolExecutor(self.threads) as pool:
            running: set[Future[Part]] = set()
            try:
                for first, after in parts:
                    running.add(pool.submit(work.part, first, after - first))
                    if len(running) > self.threads:
                        done, running = wait(running, return_when=FIRST_COMPLETED)
                        yield from (future.result() for future in done)
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            finally:  # control-C, or no more is wanted: what has not begun is not dealt
                pool.shutdown(wait=True, cancel_futures=True)


def cut(work: Work, todo: Sequence[tuple[int, int]], units: int, workers: int) -> Iterator[tuple[int, int]]:
    """Ranges of batches cut into pieces of about this many rounds or shoes, and at least a few for each worker."""
    everything = sum(after - first for first, after in todo)
    most = max(1, min(units // work.batch, -(-everything // (4 * workers))))
    return pieces(todo, most)
