"""Feltlab: casino table games proven, simulated and played from one rule sheet.

`import feltlab as fl` is all that a program needs; `feltlab.api` lists the names. Nothing is loaded before it is used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from feltlab.api import *  # noqa: F403 # the names of the package are those of its interface

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # `from feltlab import html` comes here first: it wants the module, not the whole interface.
    if name.startswith("_") or find_spec(f"{__name__}.{name}"):
        raise AttributeError(f"feltlab has no {name!r}")
    return getattr(import_module("feltlab.api"), name)


def __dir__() -> list[str]:
    return ["__version__", *import_module("feltlab.api").__all__]
