"""Measures work without a clock, by the instructions that Feltlab's own code executes."""

import gc
import sys
from pathlib import Path

import feltlab

OURS = str(Path(feltlab.__file__).parent)


def instructions(act):
    """The number of instructions of our code in `act`, including comprehensions and generators but not C code."""
    found = 0

    def trace(frame, what, _):
        nonlocal found
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        found += what == "opcode"
        return trace

    gc.disable()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(None)
        gc.enable()
    return found
