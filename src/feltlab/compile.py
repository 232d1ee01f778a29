"""Compiles the marked rules for an engine that wants speed. The only module that knows numba.

The functions are compiled as they are written: each gets a copy of its module's names in which the other marked
functions are the compiled ones. Nothing is imported from numba until somebody asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from feltlab.errors import FeltlabError
from feltlab.marks import MARKED

Compiler = Callable[[Callable[..., Any]], Callable[..., Any]]


def for_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's compiler for the processor; other engines bring their own."""
    try:
        import numba
    except ImportError:
        raise FeltlabError("compiled rules need numba: install feltlab[kernels]") from None
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
