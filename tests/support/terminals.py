"""The commands at a terminal of their own, as somebody types them."""

from __future__ import annotations

import signal
import sys

import pexpect

from support.paths import ROOT

FELTLAB = [sys.executable, "-c", "from feltlab.cli import main; main()"]
WIDE = 160


def at_a_terminal(*arguments: str, columns: int = WIDE, seconds: float = 120, env: dict[str, str] | None = None):
    """`feltlab` with these arguments. Control-C ends it as a shell's would, also where the tests run in the background
    and were told to ignore it, which programs inherit.
    """
    return pexpect.spawn(
        FELTLAB[0],
        [*FELTLAB[1:], *arguments],
        cwd=str(ROOT),
        env=env,
        timeout=seconds,
        encoding="utf-8",
        dimensions=(60, columns),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
