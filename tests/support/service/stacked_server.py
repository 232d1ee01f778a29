"""`feltlab serve` whose first table's first shoe deals known cards, from FELTLAB_STACK: for tests that kill a server."""

import os
import sys

from feltlab.cli import main
from support.stacking import stacked

if __name__ == "__main__":
    sys.argv.insert(1, "serve")
    with stacked({"1-1": os.environ["FELTLAB_STACK"]}):
        main()
