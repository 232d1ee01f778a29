"""Compiles the marked rules for the engines. The only module that knows numba.

The functions are compiled as they are written: each gets a copy of its module's namespace in which the other marked
functions are replaced by compiled ones. numba is imported only when something is compiled.
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

    njit: Any = numba.njit  # its own type annotations do not know `_nrt`
    compiled: Callable[..., Any] = njit(forceinline=not getattr(function, "seldom", False), _nrt=False)(function)
    return compiled


def compiled(compiler: Compiler = for_cpu) -> dict[str, Callable[..., Any]]:
    """Every marked function, compiled, by qualified name (`feltlab.games.blackjack.total`)."""
    return _compiled(compiler, len(MARKED))


@cache
def _compiled(compiler: Compiler, marked: int) -> dict[str, Callable[..., Any]]:
    """Cached by the number of marked functions: a module imported later may have marked more."""
    done: dict[str, Callable[..., Any]] = {}
    spaces: dict[str, dict[str, Any]] = {}
    for name, function in MARKED.items():
        module = function.__module__
        space = spaces.setdefault(module, dict(vars(sys.modules[module])))
        # The copy shares `space`, so that functions compiled later are visible to it as well.
        done[name] = space[function.__name__] = compiler(_copy(function, space))
    for space in spaces.values():  # functions that one module imports from another
        _link(space, done)
    return done


def linked(function: F, compiler: Compiler = for_cpu, **names: Any) -> F:
    """A copy of an engine's loop that calls the compiled marked functions; `names` replace others of its globals."""
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
    """A loop over arrays, compiled at its first call and cached on disk; it also runs as plain Python.

    It may call marked functions. It releases the interpreter lock, so that an engine can run several at once.
    """
    return _at_first_call(function, makes_arrays=True)


def bare_kernel(function: F) -> F:
    """A kernel that allocates no arrays, and so needs no reference counting, which would cost more than its work."""
    return _at_first_call(function, makes_arrays=False)


def _at_first_call(function: F, *, makes_arrays: bool) -> F:
    @wraps(function)
    def run(*arguments: Any) -> Any:
        return _kernel(function, makes_arrays)(*arguments)

    return cast("F", run)


NOTES: list[Callable[[str], object]] = []
"""Functions called with a sentence when a kernel is compiled for the first time on this machine."""


_settings = Lock()  # numba's settings are global


@cache
def _kernel(function: Callable[..., Any], makes_arrays: bool) -> Callable[..., Any]:
    import numba
    from numba.core import config as settings

    config: Any = settings
    njit: Any = numba.njit
    with _settings:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(_cache_folder(function, before))
        try:
            compiled: Any = njit(cache=True, nogil=True, _nrt=makes_arrays)(linked(function))
        finally:
            config.CACHE_DIR = before
    folder = Path(compiled.stats.cache_path)
    if not any(folder.glob(f"*.{function.__name__}-*.nbi")):
        for note in NOTES:
            note(f"compiling {function.__name__}, once on this machine")
    return cast("Callable[..., Any]", compiled)


def _cache_folder(function: Callable[..., Any], configured: str) -> Path:
    """The cache folder of a compiled kernel, named by a hash of its source, of the rules it calls and of their constants.

    Numba checks the kernel's own file alone, and would miss a change in a rule that the kernel calls.
    """
    digest, files = hashlib.sha256(), set()
    for part in _called(function, set()):
        files.add(part.__code__.co_filename)
        names = vars(sys.modules[part.__module__])
        numbers = {name: names[name] for name in part.__code__.co_names if isinstance(names.get(name), int)}
        digest.update(repr((part.__qualname__, sorted(numbers.items()))).encode())
    for file in sorted(files):
        digest.update(Path(file).read_bytes())
    beside = Path(function.__code__.co_filename).parent
    if configured:
        base = Path(configured)
    elif os.access(beside, os.W_OK):
        base = beside / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "feltlab"
    return base / f"kernels-{digest.hexdigest()[:12]}"


def _called(function: Callable[..., Any], seen: set[str]) -> Iterator[Callable[..., Any]]:
    """A function and all marked functions that it calls, directly or not, each once."""
    yield function
    names = vars(sys.modules[function.__module__])
    for name in function.__code__.co_names:
        value: Any = names.get(name)
        qualified = _qualified(value)
        if qualified in MARKED and MARKED[qualified] is value and qualified not in seen:
            seen.add(qualified)
            yield from _called(value, seen)
