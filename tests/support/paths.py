"""Paths of the repository, of the tests with their data, and of the documentation's example sheets."""

import os
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))


def with_support() -> dict[str, str]:
    """The environment for a program that imports the tests' support."""
    return {**os.environ, "PYTHONPATH": str(TESTS)}
