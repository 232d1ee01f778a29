"""Caches bounded in bytes, and how much memory a process uses and may use."""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import RLock
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_SHARED = (type, FunctionType, BuiltinFunctionType, ModuleType)  # never counted: they belong to the whole process


def size_of(value: object, seen: set[int] | None = None) -> int:
    """The size of a value in bytes, with everything that it refers to. Objects in `seen` count nothing.

    >>> size_of([b"x" * 1000, b"y" * 1000]) > 2000
    True
    """
    seen = set() if seen is None else seen
    pending, total = [value], 0
    while pending:
        item = pending.pop()
        if id(item) in seen or isinstance(item, _SHARED):
            continue
        seen.add(id(item))
        total += sys.getsizeof(item)
        pending.extend(_parts(item))
    return total


def _parts(value: Any) -> Iterable[object]:
    """The objects that a value refers to directly."""
    if isinstance(value, str | bytes | int | float | bool | None):
        return ()
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    base = getattr(value, "base", None)
    if base is not None and hasattr(value, "nbytes"):  # an array that is a view of another array's data
        return (base,)
    fields = [getattr(value, name, None) for name in getattr(value, "__struct_fields__", ())]
    return [*fields, *getattr(value, "__dict__", {}).values()]


class BoundedCache(Generic[K, V]):
    """A cache of at most `most_bytes`, which drops the least recently used values first.

    A value is measured when it is stored. Values that are `growing` while they are used are measured again when another key
    is looked up; they may be large, so the memory of what is dropped is returned to the system at once.

    >>> cache = BoundedCache(1000, size=len)
    >>> [len(cache.find(number, lambda: b"x" * 400)) for number in (1, 2, 3)], list(cache), cache.bytes
    ([400, 400, 400], [2, 3], 800)
    """

    def __init__(self, most_bytes: int, size: Callable[[V], int] = size_of, *, growing: bool = False) -> None:
        self.most_bytes, self._size, self._growing = most_bytes, size, growing
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = RLock()
        self.bytes = 0

    def find(self, key: K, make: Callable[[], V]) -> V:
        """The cached value of a key, or a new one. A value that is too large by itself is not kept."""
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def get(self, key: K) -> V | None:
        """The cached value of a key, or None."""
        with self._lock:
            self._remeasure_last_used(key)
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: K, value: V) -> None:
        """Store a value, and drop others until all fit."""
        size = self._size(value)
        with self._lock:
            self.drop(key)
            self._entries[key] = value, size
            self.bytes += size
            self._shrink()

    def _shrink(self) -> None:
        dropped = False
        while self.bytes > self.most_bytes:
            self.drop(next(iter(self._entries)))
            dropped = True
        if dropped and self._growing:
            release_freed_memory()

    def _remeasure_last_used(self, key: K) -> None:
        """Measure the value that was used last again, if values grow and another key is looked up now."""
        if self._growing and self._entries and (last := next(reversed(self._entries))) != key:
            value, before = self._entries[last]
            now = self._size(value)
            self._entries[last] = value, now
            self.bytes += now - before
            self._shrink()

    def drop(self, key: K) -> None:
        """Drop a key, if it is cached."""
        with self._lock:
            _, size = self._entries.pop(key, (None, 0))
            self.bytes -= size

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Any:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


def release_freed_memory() -> None:
    """Return freed memory to the system; the C library would otherwise hold on to large parts of it, some per thread.

    This bounds nothing by itself. It does nothing where the C library has no such call.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


def resident_bytes(pid: int | None = None) -> int:
    """The resident memory of a process (by default this one) in bytes; 0 where the system does not report it."""
    try:
        status = Path(f"/proc/{pid or 'self'}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    kilobytes = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
    return int(kilobytes) << 10


def limit_data_bytes(most_bytes: int) -> None:
    """Limit this process's data segment; an allocation beyond the limit fails with `MemoryError`.

    The address space is not limited: threads and compiled code reserve far more of it than they use.
    """
    try:
        import resource  # noqa: PLC0415 # not everywhere
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = most_bytes if most == resource.RLIM_INFINITY else min(most, most_bytes)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, wanted))
