"""`feltlab serve` with few descriptors and little patience: for tests of connections that take their time.

NARROW_DESCRIPTORS and NARROW_SECONDS say how few and how little.
"""

import argparse
import os
import resource
import sys
from pathlib import Path

from feltlab.web import logs
from feltlab.web.server import serve
from feltlab.web.settings import Patience, Settings


def say(words):
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--db")
    options.add_argument("--port", type=int)
    options.add_argument("--key", type=Path)
    options.add_argument("--connections", type=int, default=200)
    given, _ = options.parse_known_args()
    many, seconds = int(os.environ["NARROW_DESCRIPTORS"]), float(os.environ["NARROW_SECONDS"])
    resource.setrlimit(resource.RLIMIT_NOFILE, (many, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    logs.set_up("warning")
    patience = Patience(head=seconds, body=seconds, rest=seconds, idle=seconds, stall=seconds)
    plenty = {"writes_per_second": 1e6, "writes_at_once": 10**6, "reads_per_second": 1e6, "reads_at_once": 10**6}
    limits = {**plenty, "connections_by_address": given.connections}
    serve(Settings(given.db, port=given.port, key_file=given.key, patience=patience, **limits), say)
