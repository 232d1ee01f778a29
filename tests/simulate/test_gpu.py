"""The GPU engine on numba's CUDA simulator: the same counts as the processor, and clear words where there is no GPU."""

import subprocess
import sys

import pytest

from feltlab.errors import FeltlabError
from feltlab.simulate.engines.gpu import Gpu
from support.paths import with_support

# numba decides when it is imported whether a GPU is simulated: so in a process of its own.
SIMULATED = """
from support.dealing import dealt, prepared
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.engines.gpu import Gpu

engine = Gpu()
for sheet, mode, units, batch, spots, strategy in (
    ("bad-beat-baccarat", "fresh", 301, 50, 1, "basic"),
    ("bad-beat-baccarat", "shoe", 5, 2, 1, "basic"),
    ("bad-beat-blackjack", "fresh", 301, 50, 1, "basic"),
    ("bad-beat-blackjack", "shoe", 5, 2, 1, "bonus"),
    ("big-slick-blackjack", "fresh", 301, 50, 1, "basic"),
    ("big-slick-blackjack", "fresh", 60, 50, 3, "basic"),
    ("big-slick-blackjack", "shoe", 3, 2, 2, "basic"),
):
    work = prepared(sheet, mode, units, batch, spots=spots, strategy=strategy).work
    mine, other = dealt(work, engine), dealt(work, Cpu(1))
    assert other.counts.sum() > 0
    assert (mine.counts == other.counts).all() and (mine.cross == other.cross).all(), (sheet, mode, spots)
    print(sheet, mode, spots, "same counts")
"""


def test_the_simulated_gpu_gives_the_same_counts():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SIMULATED],
        env={**with_support(), "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("same counts") == 7


def test_a_gpu_that_is_not_there_is_told_with_what_to_do():
    """Continuous integration has none."""
    with pytest.raises(FeltlabError) as caught:
        Gpu()
    assert (
        "no NVIDIA GPU" in str(caught.value)
        and "feltlab[gpu]" in str(caught.value)
        and "--engine cpu" in str(caught.value)
    )


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba_cuda", None)
    with pytest.raises(FeltlabError, match=r"install feltlab\[gpu\], or use --engine cpu"):
        Gpu()
