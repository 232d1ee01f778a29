"""A Ray cluster as an engine: pieces of the work are dealt on its nodes, and dealt again when a node is lost.

Every node needs the same version of feltlab installed, and feltlab[gpu] where its GPUs shall deal too. A cluster is joined
through a node of its own on this machine, which `ray start --address=HOST:PORT` makes; with `--num-cpus=0` no piece is
dealt on it.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from time import monotonic, sleep
from typing import Any

from feltlab import __version__
from feltlab.errors import FeltlabError
from feltlab.simulate.work import Part, Work

ROUNDS_A_PIECE = 1 << 25  # a second or so of a processor: a piece costs Ray some milliseconds
SHOES_A_PIECE = 1 << 18
GPU_DEALS = 32  # times as much in a piece
IN_FLIGHT = 2  # pieces for each processor: one that is dealt, and one that is there when it is done
TRIES = 20  # for a piece whose node or process is lost; one that is lost so often breaks what it runs on
LOOKS_EVERY = 1.0  # seconds: which nodes are there?
WAITS = 30.0  # seconds, for a processor or for the head when it is gone; after 60 Ray would end the process
ANSWERS_WITHIN = 8.0  # seconds, for a cluster that is to be joined
OBJECTS = 100 << 20  # bytes; the work and its parts are far smaller, and Ray would take a third of the memory
ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Ray's own patience, for an address that may be wrong: a minute for a node on this machine, twenty tries to connect.
IMPATIENT = {"RAY_gcs_server_request_timeout_seconds": "4", "RAY_NUM_REDIS_GET_RETRIES": "1"}
MEANS = {
    "No node info found": "this machine is no node of that cluster; make it one with 'ray start --address={}'",
    "InvalidAuthToken": "it asks for a token; set RAY_AUTH_MODE=token, and its token as RAY_AUTH_TOKEN",
}
"""What Ray says, and what it means to a user at a terminal."""


class Cluster:
    """Deals on a Ray of its own on this machine, or on the cluster at an address (HOST:PORT, or auto).

    Making this engine says what is wrong with the address. A connection to Ray that the process already has is used, and
    left as it is.
    """

    name = "ray"

    def __init__(self, address: str | None = None) -> None:
        self.address = address
        _ray()
        if address is not None:
            _knock(address)

    def __str__(self) -> str:
        return f"ray at {self.address}" if self.address else "ray on this machine"

    def ready(self, work: Work) -> None:
        """Nothing: its workers compile when they get their first piece."""

    def deal(self, work: Work, todo: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Deal ranges of batches; parts come in the order in which they are done."""
        with _joined(self.address) as ray:
            yield from _Pieces(ray, work, todo).parts()


class _Pieces:
    """Work on a cluster: ranges of batches that are to be dealt, and pieces of them that are being dealt.

    Ray deals a piece again when its node or its process is lost. The work itself belongs to this process and lies in the
    memory of this machine's node, so no other node takes it along. If the last processor goes, or the head of the cluster,
    this waits a while (a cluster may grow again) and then says so. If this machine's own node goes, that is the end, and
    Ray may end the process before this can say so; a checkpoint has what was dealt until then.
    """

    def __init__(self, ray: Any, work: Work, todo: Sequence[tuple[int, int]]) -> None:
        self.ray = ray
        self.head = ray.get_runtime_context().gcs_address
        self.work = ray.put(work)
        self.left = [*reversed(todo)]
        self.running: dict[Any, tuple[str, int, int]] = {}
        # Without `max_calls`, Ray would start a process, and compile everything, for each piece of a GPU.
        self.dealers = {
            "GPU": ray.remote(num_cpus=0, num_gpus=1, max_calls=0, max_retries=TRIES)(deal_on_gpu),
            "CPU": ray.remote(num_cpus=1, max_retries=TRIES)(deal_on_cpu),
        }
        self.places = dict.fromkeys(self.dealers, 0)
        self.looked, self.seen = float("-inf"), monotonic()
        self.look()
        shares = 4 * max(1, self.places["CPU"] + GPU_DEALS * self.places["GPU"])
        fair = -(-sum(after - first for first, after in todo) // shares)
        self.most = max(1, min((ROUNDS_A_PIECE if work.fresh else SHOES_A_PIECE) // work.batch, fair))

    def parts(self) -> Iterator[Part]:
        """Every part once: a piece leaves `running` when its parts come or when it is taken back, never twice."""
        while self.left or self.running:
            self.look()
            self.take_back()
            self.hand_out()
            if not self.running:
                sleep(LOOKS_EVERY)
                continue
            for ref in self.ray.wait([*self.running], timeout=LOOKS_EVERY)[0]:
                _, first, after = self.running.pop(ref)
                parts = self.result(ref)
                first += sum(part.batches for part in parts)
                if first < after:
                    self.left.append((first, after))
                yield from parts

    def look(self) -> None:
        """How many GPUs and processors has the cluster now?

        Its head is knocked at first: if that is gone, Ray says nothing for a minute and then ends this process.
        """
        while monotonic() - self.looked > LOOKS_EVERY:
            missing = "processor"
            try:
                _reach(self.head, LOOKS_EVERY)
                found = self.ray.cluster_resources()
                self.places = {kind: int(found.get(kind, 0)) for kind in self.dealers}
                self.looked = monotonic()
                if any(self.places.values()):
                    self.seen = self.looked
            except OSError:
                missing = "head that answers"
                sleep(LOOKS_EVERY)
            if monotonic() - self.seen > WAITS:
                raise FeltlabError(f"--engine ray: the cluster has had no {missing} for {WAITS:g} s; use --engine cpu")

    def take_back(self) -> None:
        """Pieces for GPUs (or processors) when the last of them is gone: Ray would wait for another for ever."""
        for ref, (kind, first, after) in [*self.running.items()]:
            if not self.places[kind]:
                del self.running[ref]
                self.ray.cancel(ref)
                self.left.append((first, after))

    def hand_out(self) -> None:
        """Keep everybody busy, with no more pieces than that: later nodes shall find some too."""
        for kind, dealer in self.dealers.items():
            most = self.most * (GPU_DEALS if kind == "GPU" else 1)
            has = sum(other == kind for other, _, _ in self.running.values())
            for _ in range(has, IN_FLIGHT * self.places[kind]):
                if not self.left:
                    return
                first, end = self.left.pop()
                after = min(first + most, end)
                if after < end:
                    self.left.append((after, end))
                self.running[dealer.remote(self.work, first, after, self.most, __version__)] = kind, first, after

    def result(self, ref: Any) -> list[Part]:
        """What a piece came to."""
        errors = self.ray.exceptions
        try:
            parts: list[Part] = self.ray.get(ref)
        except errors.RayTaskError as error:
            why = f"a node cannot deal: {_line(error.cause)}"
            raise FeltlabError(f"--engine ray: {why}; every node needs this feltlab, {__version__}") from error
        except errors.RayError as error:
            raise FeltlabError(f"--engine ray: a piece is lost for good: {_line(error)}; use --engine cpu") from error
        return parts


def deal_on_cpu(work: Work, first: int, after: int, most: int, version: str) -> list[Part]:
    """What a processor of a node does: some batches."""
    if version != __version__:
        raise FeltlabError(f"it has feltlab {__version__}, and not {version}")
    # Ray lends arrays that cannot be written to, and code for such arrays would have to be compiled once more.
    own = replace(work, tab=work.tab.copy(), spec=work.spec.copy())
    return [own.part(first, min(most, after - first))]


def deal_on_gpu(work: Work, first: int, after: int, most: int, version: str) -> list[Part]:
    """What a GPU of a node does: all batches; or a processor's share of them, where feltlab[gpu] finds no use for it."""
    if version == __version__:
        try:
            return list(import_module("feltlab.simulate.engines.gpu").Gpu().deal(work, [(first, after)]))
        except FeltlabError:
            pass
    return deal_on_cpu(work, first, after, most, version)


def _ray() -> Any:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no usage is reported
    try:
        return import_module("ray")
    except ImportError:
        raise FeltlabError("--engine ray needs Ray: install feltlab[cluster], or use --engine cpu") from None


@contextmanager
def _joined(address: str | None) -> Iterator[Any]:
    """Ray, connected; what was begun for this is ended."""
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    # Whatever its logging is set to, Ray prints what becomes of nodes and tasks, among our results.
    with _set("ray._private.worker", _worker_logs_enabled=False):
        try:
            _join(ray, address)
            yield ray
        finally:
            ray.shutdown()


def _join(ray: Any, address: str | None) -> None:
    """Start a Ray here, or join one."""
    own = {"num_cpus": len(os.sched_getaffinity(0)), "object_store_memory": OBJECTS, "include_dashboard": False}
    here = address is None or address.rpartition(":")[0] in LOOPBACK
    # Ray avoids the loopback address, and listens to the whole network, unless it is set to form no clusters.
    with _set("ray._private.ray_constants", **({"ENABLE_RAY_CLUSTER": False} if here else {})):
        try:
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                **({} if address else own),
            )
        except Exception as error:  # Ray raises errors of many kinds, and plain ones
            raise FeltlabError(f"no connection to Ray: {_line(error)}") from error


@contextmanager
def _set(module: str, **values: object) -> Iterator[None]:
    """Names of a module set to other values, for a while."""
    names = vars(import_module(module))
    before = {name: names[name] for name in values if name in names}
    names.update(values)
    try:
        yield
    finally:
        names.update(before)


def _knock(address: str) -> None:
    """Join the cluster and leave it, in a process of its own: Ray tries for minutes, and cannot be stopped in this one."""
    match = ADDRESS.fullmatch(address)
    if address != "auto" and not (match and 0 < int(match[2]) < 1 << 16):
        raise FeltlabError(f"--engine 'ray:{address}': write HOST:PORT, as ray:10.0.0.1:6379, or ray:auto")
    code = "import sys; from feltlab.simulate.engines.cluster import knock; knock(sys.argv[1])"
    try:
        child = subprocess.run(  # noqa: S603 # words of our own; the address is no more than an argument
            [sys.executable, "-P", "-c", code, address],
            env={**os.environ, **IMPATIENT},
            capture_output=True,
            timeout=ANSWERS_WITHIN,
            check=False,
        )
        if child.returncode == 0:
            return
        said, noise = child.stdout, child.stderr
    except subprocess.TimeoutExpired as late:
        said, noise = late.stdout or b"", late.stderr or b""
    words = said.decode().splitlines() or [f"nothing answers at {address} (timed out)"]
    known = [means.format(address) for mark, means in MEANS.items() if mark.encode() in said + noise]
    why = known[0] if known else f"{words[-1]}; start one with 'ray start --head'"
    raise FeltlabError(f"--engine ray:{address}: {why}, or use --engine cpu")


def knock(address: str) -> None:
    """What that process does. The last line that it writes is why there is no answer, if there is none."""
    try:
        if address != "auto":
            _reach(address, 3)
            sys.stdout.write(f"something listens at {address}, but it does not answer as Ray does\n")
            sys.stdout.flush()
        _join(_ray(), address)
    except (OSError, FeltlabError) as error:
        why = f"nothing answers at {address} ({error.strerror or error})" if isinstance(error, OSError) else error
        sys.stdout.write(f"{why}\n")
        sys.exit(1)


def _reach(address: str, seconds: float) -> None:
    """Whether a server listens there."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), timeout=seconds).close()


def _line(error: BaseException) -> str:
    """An error that came through Ray, in one line with what is behind it: Ray's own fill a screen."""
    texts = [str(one).strip() for one in (error, error.__cause__) if one is not None]
    texts = [text.splitlines()[-1] if "Traceback" in text else text for text in texts]
    return ": ".join(" ".join(text.split())[:200].rstrip(".") for text in texts)
