"""Engines by name: cpu, gpu, ray or ray:ADDRESS. All of them deal the same counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

from feltlab.errors import FeltlabError, nearest
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.work import Part, Work

HELP = "cpu (every core), cpu:N (so many threads), gpu, ray or ray:ADDRESS"


class Engine(Protocol):
    """Something that deals parts of work."""

    name: str

    def ready(self, work: Work) -> None:
        """Compile what has to be compiled, so that it is not taken for dealing."""
        ...

    def deal(self, work: Work, todo: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Deal ranges of batches; parts come in the order in which they are done."""
        ...


def engine(text: str) -> Engine:
    """The engine of a name.

    >>> str(engine("cpu:1"))
    'cpu, 1 thread'
    """
    name, colon, rest = text.partition(":")
    if name == "cpu":
        if colon and not (rest.isdecimal() and 0 < int(rest) <= 1024):
            raise FeltlabError(f"--engine '{text}': write a number of threads, as cpu:2")
        return Cpu(int(rest) if rest else None)
    if text == "gpu":
        return cast("Engine", import_module("feltlab.simulate.engines.gpu").Gpu())
    if name == "ray" and not (colon and not rest):
        return cast("Engine", import_module("feltlab.simulate.engines.cluster").Cluster(rest or None))
    raise FeltlabError(f"there is no engine '{text}'; it is {HELP} ({nearest(name, ('cpu', 'gpu', 'ray'))})")
