"""Where things lie: the repository, the tests with their data, and the example sheets of the documentation."""

import os
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))


def with_support() -> dict[str, str]:
    """The environment of a program that imports what the tests share."""
    return {**os.environ, "PYTHONPATH": str(TESTS)}
