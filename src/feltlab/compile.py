"""Compiles the marked rules for an engine that wants speed. The only module that knows numba.

The functions are compiled as they are written: each gets a copy of its module's names in which the other marked
functions are the compiled ones. Nothing is imported from numba until somebody asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from feltlab.marks import MARKED

F = TypeVar("F", bound=Callable[..., Any])
Compiler = Callable[[Callable[..., Any]], Callable[..., Any]]


def for_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's compiler for the processor; other engines bring their own."""
    import numba

    compiled: Callable[..., Any] = numba.njit()(function)
    return compiled


@cache
def compiled(compiler: Compiler = for_cpu) -> dict[str, Callable[..., Any]]:
    """Every marked function, compiled, by qualified name (`feltlab.games.blackjack.total`)."""
    done: dict[str, Callable[..., Any]] = {}
    spaces: dict[str, dict[str, Any]] = {}
    for name, function in MARKED.items():
        module = function.__module__
        space = spaces.setdefault(module, dict(vars(sys.modules[module])))
        assert isinstance(function, FunctionType)
        # The copy shares `space`, so that names defined later in the module are found compiled too.
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
        done[name] = space[function.__name__] = compiler(copy)
    for space in spaces.values():  # names that one module imports from another
        for local, value in list(space.items()):
            qualified = f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"
            if MARKED.get(qualified) is value:
                space[local] = done[qualified]
    return done


def kernel(function: F) -> F:
    """A loop over arrays that is compiled at its first call and kept on disk; it also runs as plain Python.

    It lets other threads run meanwhile, so that an engine can work on several parts at once.
    """

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return _kernel(function)(*arguments)

    return cast("F", run)


NOTES: list[Callable[[str], object]] = []
"""Who wants to be told when a kernel is compiled for the first time on a machine; the commands tell their user."""


@cache
def _kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    import numba

    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    kept = Path(compiled.stats.cache_path)
    if not any(kept.glob(f"*.{function.__name__}-*.nbi")):
        for tell in NOTES:
            tell(f"compiling {function.__name__}, once on this machine")
    return cast("Callable[..., Any]", compiled)
