"""What is kept in memory so that it need not be made again, bounded in bytes; and a process's own size."""

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

_EVERYBODYS = (type, FunctionType, BuiltinFunctionType, ModuleType)


def size_of(value: object, seen: set[int] | None = None) -> int:
    """How many bytes a value takes, with all that it holds; arrays by their data, whatever is in `seen` not at all.

    >>> size_of([b"x" * 1000, b"y" * 1000]) > 2000
    True
    """
    seen = set() if seen is None else seen
    waiting, total = [value], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _EVERYBODYS):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        waiting.extend(_parts(one))
    return total


def _parts(one: Any) -> Iterable[object]:
    if isinstance(one, str | bytes | int | float | bool | None):
        return ()
    if isinstance(one, Mapping):
        return [*one.keys(), *one.values()]
    if isinstance(one, list | tuple | set | frozenset):
        return one
    base = getattr(one, "base", None)
    if base is not None and hasattr(one, "nbytes"):  # an array that looks at another one's data
        return (base,)
    fields = [getattr(one, name, None) for name in getattr(one, "__struct_fields__", ())]
    return [*fields, *getattr(one, "__dict__", {}).values()]


class BoundedCache(Generic[K, V]):
    """What was made, by what it was made from. What was not asked for longest goes when it is more than so many bytes.

    The size of a value is taken when it is put in. One that is `growing`, as it is used, is weighed again when another is
    asked for; it may be large, so what is let go is given back to the system at once.

    >>> kept = BoundedCache(1000, size=len)
    >>> [len(kept.find(number, lambda: b"x" * 400)) for number in (1, 2, 3)], list(kept), kept.bytes
    ([400, 400, 400], [2, 3], 800)
    """

    def __init__(self, most_bytes: int, size: Callable[[V], int] = size_of, *, growing: bool = False) -> None:
        self.most_bytes, self._size, self._growing = most_bytes, size, growing
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = RLock()
        self.bytes = 0

    def find(self, key: K, make: Callable[[], V]) -> V:
        """What was made from a key, or is made now. What alone is too large is not kept."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def get(self, key: K) -> V | None:
        """What is kept, if it is."""
        with self._lock:
            self._weigh_the_last(key)
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key: K, value: V) -> None:
        """Keep something; what does not fit any more is let go."""
        size = self._size(value)
        with self._lock:
            self.drop(key)
            self._found[key] = value, size
            self.bytes += size
            self._shrink()

    def _shrink(self) -> None:
        dropped = False
        while self.bytes > self.most_bytes:
            self.drop(next(iter(self._found)))
            dropped = True
        if dropped and self._growing:
            give_back()

    def _weigh_the_last(self, key: K) -> None:
        """Where values grow as they are used, the one used last is weighed again when another is asked for."""
        if self._growing and self._found and (last := next(reversed(self._found))) != key:
            value, before = self._found[last]
            now = self._size(value)
            self._found[last] = value, now
            self.bytes += now - before
            self._shrink()

    def drop(self, key: K) -> None:
        """Let something go, if it is there."""
        with self._lock:
            _, size = self._found.pop(key, (None, 0))
            self.bytes -= size

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            self._found.clear()
            self.bytes = 0

    def __contains__(self, key: object) -> bool:
        return key in self._found

    def __iter__(self) -> Any:
        return iter(list(self._found))

    def __len__(self) -> int:
        return len(self._found)


def give_back() -> None:
    """Give what was freed back to the system. The C library keeps large parts of it otherwise, some for each thread.

    That bounds nothing by itself: it is for what a bound has just let go. Where the library has no such call, nothing.
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


def resident(pid: int | None = None) -> int:
    """How many bytes of memory a process takes up now, unless said this one; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{pid or 'self'}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
    return int(found) << 10


def limit(most_bytes: int) -> None:
    """Let this process have no more than so many bytes of its own data: what asks for more fails.

    The address space is not limited: threads and compiled code reserve far more of it than they use.
    """
    try:
        import resource  # noqa: PLC0415 # not everywhere
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = most_bytes if most == resource.RLIM_INFINITY else min(most, most_bytes)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, wanted))
