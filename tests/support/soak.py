"""How much of a long random test is run: all of it by `make soak`, and a part by `make test`."""

import os

SOAK = os.environ.get("FELTLAB_SOAK", "0") not in ("", "0")


def soak(full, part):
    """What a test takes of something: the full amount if FELTLAB_SOAK is 1, and otherwise a part of it."""
    return full if SOAK else part
