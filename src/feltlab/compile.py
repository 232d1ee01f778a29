"""Compiles the marked rules for an engine that wants speed. The only module that knows numba.

The functions are compiled as they are written: each gets a copy of its module's names in which the other marked
functions are the compiled ones. Nothing is imported from numba until somebody asks.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any, TypeVar, cast

from feltlab.marks import MARKED

F = TypeVar("F", bound=Callable[..., Any])
Compiler = Callable[[Callable[..., Any]], Callable[..., Any]]


def for_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's compiler for the processor; other engines bring their own."""
    import numba

    njit: Any = numba.njit  # whose own types do not know that arrays need not be counted
    compiled: Callable[..., Any] = njit(forceinline=not getattr(function, "seldom", False), _nrt=False)(function)
    return compiled


def compiled(compiler: Compiler = for_cpu) -> dict[str, Callable[..., Any]]:
    """Every marked function, compiled, by qualified name (`feltlab.games.blackjack.total`)."""
    return _compiled(compiler, len(MARKED))


@cache
def _compiled(compiler: Compiler, marked: int) -> dict[str, Callable[..., Any]]:
    """The same, made anew when a module has been imported that marks more."""
    done: dict[str, Callable[..., Any]] = {}
    spaces: dict[str, dict[str, Any]] = {}
    for name, function in MARKED.items():
        module = function.__module__
        space = spaces.setdefault(module, dict(vars(sys.modules[module])))
        # The copy shares `space`, so that names defined later in the module are found compiled too.
        done[name] = space[function.__name__] = compiler(_copy(function, space))
    for space in spaces.values():  # names that one module imports from another
        _link(space, done)
    return done


def linked(function: F, compiler: Compiler = for_cpu, **names: Any) -> F:
    """A copy of an engine's loop in which the marked functions that it names are compiled ones; so are other names."""
    space = dict(vars(sys.modules[function.__module__]))
    _link(space, compiled(compiler))
    space.update(names)
    return cast("F", _copy(function, space))


def _copy(function: Callable[..., Any], space: dict[str, Any]) -> FunctionType:
    assert isinstance(function, FunctionType)
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    copy.__dict__.update(function.__dict__)
    return copy


def _link(space: dict[str, Any], done: dict[str, Callable[..., Any]]) -> None:
    for local, value in list(space.items()):
        qualified = _qualified(value)
        if value is not None and MARKED.get(qualified) is value:
            space[local] = done[qualified]


def _qualified(value: object) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"


def kernel(function: F) -> F:
    """A loop over arrays that is compiled at its first call and kept on disk; it also runs as plain Python.

    It may call marked functions. It lets other threads run meanwhile, so that an engine can work on several parts at
    once.
    """
    return _at_first_call(function, makes_arrays=True)


def bare_kernel(function: F) -> F:
    """A kernel that makes no arrays: nothing in it counts who holds which array, which would cost more than its work."""
    return _at_first_call(function, makes_arrays=False)


def _at_first_call(function: F, *, makes_arrays: bool) -> F:
    @wraps(function)
    def run(*arguments: Any) -> Any:
        return _kernel(function, makes_arrays)(*arguments)

    return cast("F", run)


NOTES: list[Callable[[str], object]] = []
"""Who wants to be told when a kernel is compiled for the first time on a machine; the commands tell their user."""


_settings = Lock()  # numba's settings are everybody's


@cache
def _kernel(function: Callable[..., Any], makes_arrays: bool) -> Callable[..., Any]:
    import numba
    from numba.core import config as settings

    config: Any = settings
    njit: Any = numba.njit
    with _settings:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(_kept(function, before))
        try:
            compiled: Any = njit(cache=True, nogil=True, _nrt=makes_arrays)(linked(function))
        finally:
            config.CACHE_DIR = before
    kept = Path(compiled.stats.cache_path)
    if not any(kept.glob(f"*.{function.__name__}-*.nbi")):
        for tell in NOTES:
            tell(f"compiling {function.__name__}, once on this machine")
    return cast("Callable[..., Any]", compiled)


def _kept(function: Callable[..., Any], wished: str) -> Path:
    """Where a compiled kernel is kept: a place of its own for each wording of it, the rules that it calls and their numbers.

    Numba looks at the kernel's file alone, and would take a kernel for new that calls a rule which has changed.
    """
    words, files = hashlib.sha256(), set()
    for part in _called(function, set()):
        files.add(part.__code__.co_filename)
        names = vars(sys.modules[part.__module__])
        numbers = {name: names[name] for name in part.__code__.co_names if isinstance(names.get(name), int)}
        words.update(repr((part.__qualname__, sorted(numbers.items()))).encode())
    for file in sorted(files):
        words.update(Path(file).read_bytes())
    beside = Path(function.__code__.co_filename).parent
    if wished:
        base = Path(wished)
    elif os.access(beside, os.W_OK):
        base = beside / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "feltlab"
    return base / f"kernels-{words.hexdigest()[:12]}"


def _called(function: Callable[..., Any], seen: set[str]) -> Iterator[Callable[..., Any]]:
    """A function and the marked functions that it calls, and those that these call, each once."""
    yield function
    names = vars(sys.modules[function.__module__])
    for name in function.__code__.co_names:
        value: Any = names.get(name)
        qualified = _qualified(value)
        if qualified in MARKED and MARKED[qualified] is value and qualified not in seen:
            seen.add(qualified)
            yield from _called(value, seen)
