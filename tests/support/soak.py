"""How much of a long random test runs: all of it in `make soak`, a part in `make test`."""

import os

SOAK = os.environ.get("FELTLAB_SOAK", "0") not in ("", "0")


def soak(full, part):
    """The full amount if FELTLAB_SOAK is 1, otherwise the part."""
    return full if SOAK else part
