"""An NVIDIA GPU as an engine: the same rules, compiled for it by numba-cuda.

Which cards come depends on the numbers of rounds and shoes alone, so the counts are those of any other engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from feltlab.compile import NOTES, linked
from feltlab.errors import FeltlabError
from feltlab.simulate.engines import gpu_kernels
from feltlab.simulate.engines.gpu_kernels import BEYOND
from feltlab.simulate.kernels import coups
from feltlab.simulate.work import Part, Work, pieces

THREADS = 256
REGISTERS = 64  # of a thread: with more, too few threads run at once
MOST_SHOES = 32  # in a block, a thread each
MOST_SHARED = 48 * 1024  # bytes that the threads of a block share
MOST_CELLS = 8_000  # that they count in, which leaves room for a few shoes
MOST_NUMBERS = 1 << 25  # that come back from one launch
BATCHES = 4096  # of one launch, at the most
ADVICE = "use --engine cpu"
OWN = {"tick": gpu_kernels.tick_among_threads}


class Gpu:
    """Deals on the first GPU. Where there is none, making this engine says so."""

    name = "gpu"

    def __init__(self) -> None:
        self.cuda = _cuda()

    def __str__(self) -> str:
        name = getattr(self.cuda.get_current_device(), "name", "simulated")
        return f"gpu, {name.decode() if isinstance(name, bytes) else name}"

    def ready(self, work: Work) -> None:
        """Compile the kernel, by dealing one batch in vain."""
        next(self.deal(work, [(0, 1)]))

    def deal(self, work: Work, todo: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Deal ranges of batches; the next launch runs while the counts of the last one are added up."""
        if work.cells > MOST_CELLS:
            raise FeltlabError(
                f"the wagers of this table need {work.cells} cells, and a GPU counts in {MOST_CELLS}; {ADVICE}"
            )
        launch = _launcher(self.cuda, work)
        before: tuple[int, int, Any] | None = None
        for first, after in pieces(todo, max(1, min(BATCHES, MOST_NUMBERS // work.cells))):
            begun = first, after - first, launch(first, after - first)
            if before is not None:
                yield _part(work, *before)
            before = begun
        if before is not None:
            yield _part(work, *before)


def _part(work: Work, first: int, batches: int, rows: Any) -> Part:
    return work.part(first, batches, rows.copy_to_host().astype(np.int64))


def _cuda() -> Any:
    """numba-cuda, ready to be used; or one line that says what is missing."""
    if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped it, and numba-cuda looks for it when it is imported
        np.row_stack = np.vstack
    os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # small runs are small
    try:
        import numba
        import numba_cuda  # noqa: F401 # numba alone has a GPU's compiler too, which is no longer kept up
        from numba import cuda
    except ImportError:
        raise FeltlabError(f"--engine gpu needs numba-cuda: install feltlab[gpu], or {ADVICE}") from None
    gpu_kernels.numba, gpu_kernels.cuda = numba, cuda
    gpu_kernels.SMALL = numba.int64 if simulated() else numba.int16
    if not gpu_kernels.cuda.is_available():
        raise FeltlabError(
            "--engine gpu: there is no NVIDIA GPU that feltlab[gpu] can use (no driver or no device was found);"
            f" {ADVICE}"
        )
    return gpu_kernels.cuda


def simulated() -> bool:
    """Whether numba only simulates a GPU, in Python. Its numbers are NumPy's then, and small ones would overflow."""
    from numba.core import config

    settings: Any = config
    return bool(settings.ENABLE_CUDASIM)


def for_gpu(function: Callable[..., Any]) -> Any:
    """The compiler of rules for the GPU, which does a few things in its own way."""
    if simulated():
        return gpu_kernels.cuda.jit(device=True)(OWN.get(function.__name__, function))
    # A call costs little, but one that passes a whole game on would put it into slow memory.
    apart = getattr(function, "seldom", False) and "game" not in function.__code__.co_varnames
    own = gpu_kernels.times_of_words if function.__name__ == "times" else OWN.get(function.__name__, function)
    return gpu_kernels.cuda.jit(device=True, forceinline=not apart)(own)


def _launcher(cuda: Any, work: Work) -> Callable[[int, int], Any]:
    """Deals some batches from a number on: gives the rows of their counts, still on the GPU."""
    tables = (work.tab, work.spec, coups.played())
    tab, spec, table = (cuda.to_device(part.astype(np.int64) if simulated() else part) for part in tables)
    name = f"{'coups' if work.game is None else 'rounds'}_{'fresh' if work.fresh else 'shoes'}"
    kernel = _kernel(name, work.game is None and work.asks, work.quick is not None)
    threads, shared = _shape(work)
    game, quick = work.game or work.shoe, work.quick or work.shoe  # where there is none, it is not looked at

    def launch(first: int, batches: int) -> Any:
        rows = cuda.device_array((batches, work.cells), dtype=np.int32)
        kernel[batches, threads, 0, shared](
            first, work.batch, work.units, game, quick, work.shoe, tab, spec, table, work.cut, work.burn, rows
        )
        return rows

    return launch


def _shape(work: Work) -> tuple[int, int]:
    """How many threads make a block, and how much memory they share, in bytes."""
    if simulated():
        return 4, 8 * (2 * work.cells + 4 * (work.shoe.size + BEYOND))
    if work.fresh:
        return THREADS, 4 * work.cells
    threads = MOST_SHOES
    while threads > 1 and 4 * work.cells + 2 * threads * (work.shoe.size + BEYOND) > MOST_SHARED:
        threads //= 2
    return threads, 4 * work.cells + 2 * threads * (work.shoe.size + BEYOND)


@cache
def _kernel(name: str, asks: bool, quick: bool) -> Any:
    """A kernel for the GPU, compiled at its first launch."""
    for tell in NOTES:
        tell("compiling for the GPU")
    cuda = gpu_kernels.cuda
    deal = linked(getattr(gpu_kernels, name), for_gpu, ASKS=asks, QUICK=quick)
    kernel = linked(gpu_kernels.on_batches, for_gpu, deal=cuda.jit(device=True)(deal))
    return cuda.jit(kernel) if simulated() else cuda.jit(kernel, max_registers=REGISTERS)
