"""The Ray engine: the same counts on two nodes, also when one of them is killed, and one line when there is no cluster."""

import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from feltlab.errors import FeltlabError
from feltlab.simulate.engines import cluster
from feltlab.simulate.engines.cluster import Cluster
from feltlab.simulate.engines.names import engine
from feltlab.simulate.stats.tally import Tally
from support.dealing import dealt, prepared

ray = pytest.importorskip("ray")
WITHIN = 100.0  # seconds that even a busy machine does not need; Ray itself tries for minutes
NODE = {"node_ip_address": "127.0.0.1", "num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
# Ray asks its nodes every three seconds and gives one up at the fifth time that nobody is there; here, sooner.
SOONER = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}


@pytest.fixture(scope="module", autouse=True)
def apart():
    """What Ray writes goes to a place of this run's own; no token to somebody's home, and nothing to its makers."""
    place = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # short: the paths of sockets must be
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", place)
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setattr(cluster, "ANSWERS_WITHIN", WITHIN)
        yield
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def head(apart):
    """A cluster of one node."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={**NODE, "_system_config": SOONER})
    yield nodes
    nodes.shutdown()


@pytest.fixture(scope="module")
def at_head(head):
    """The engine that is tested, on that cluster."""
    return Cluster(head.address)


@pytest.fixture
def second(head, request):
    """A second node, with what a test asks for; whatever is left of it is gone after the test."""
    node = head.add_node(**{**NODE, **getattr(request, "param", {})})
    yield node
    head.remove_node(node)


def processes(pid):
    """What a process has started, and what these have started, with their names; Ray's say what they do."""
    found = {}
    with suppress(OSError):  # they come and go
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found |= {child: Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "), **processes(child)}
    return found


def raylet(node):
    return node.all_processes["raylet"][0].process.pid


def same(one, other):
    return np.array_equal(one.counts, other.counts) and np.array_equal(one.cross, other.cross)


def at_work(node):
    """The processes of a node, if one of them deals just now."""
    found = processes(raylet(node))
    return [raylet(node), *found] if any(name.startswith("ray::deal_on") for name in found.values()) else []


@pytest.mark.parametrize(
    ("sheet", "units", "second"),
    [("bad-beat-baccarat", 1 << 27, {}), ("bad-beat-blackjack", 1 << 24, {"num_gpus": 1})],
    indirect=["second"],
)
def test_a_node_killed_half_way_changes_nothing(sheet, units, at_head, second, monkeypatch, capfd):
    """In the second case the node has what Ray takes for a GPU, and with it go the pieces that are meant for one."""
    monkeypatch.setattr(cluster, "ROUNDS_A_PIECE", 1)  # a piece is one batch, then
    work = prepared(sheet, units=units, batch=units >> 7).work
    alone = dealt(work)  # first, so that the nodes find everything compiled
    for _ in range(20):  # on a busy machine the first node may be through before the second has begun
        tally, killed_at = Tally.of(work), 0
        for part in at_head.deal(work, tally.todo(work.batches)):
            tally.add(part)
            half_way = work.batches // 8 < tally.batches < work.batches * 3 // 4
            if not killed_at and half_way and (found := at_work(second)):
                killed_at = tally.batches
                for pid in found:  # all at once, as when a machine loses its power
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        if killed_at:
            break
    assert killed_at
    assert tally.done == [(0, work.batches)] and same(tally, alone)
    assert not ray.is_initialized() and capfd.readouterr() == ("", "")


@pytest.mark.parametrize("second", [{"num_gpus": 1, "env_vars": {"NUMBA_ENABLE_CUDASIM": "1"}}], indirect=True)
def test_a_gpu_gets_larger_pieces(at_head, second):
    """The GPU is one that numba plays in Python; what counts is who is given what."""
    work = prepared("bad-beat-baccarat", units=272, batch=2).work
    tally, sizes = Tally.of(work), set()
    for part in at_head.deal(work, tally.todo(work.batches)):
        tally.add(part)
        sizes.add(part.batches)
    assert min(sizes) * cluster.GPU_DEALS <= max(sizes) and same(tally, dealt(work))


def test_who_wants_no_more_parts_leaves_the_cluster(at_head):
    work = prepared("bad-beat-baccarat").work
    parts = at_head.deal(work, [(0, work.batches)])
    assert next(parts).batches and ray.is_initialized()
    parts.close()
    assert not ray.is_initialized()


def listening(pids):
    """The addresses at which processes wait for others, as the kernel writes them."""
    sockets = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                sockets[f"socket:[{fields[9]}]"] = fields[1].split(":")[0]
    opened = []
    for pid in pids:
        with suppress(OSError):
            opened += [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()]
    return [sockets[name] for name in opened if name in sockets]


def test_a_ray_of_its_own_stays_on_this_machine_and_ends(apart):
    before = processes(os.getpid())
    work = prepared("bad-beat-baccarat").work
    tally, heard = Tally.of(work), []
    for part in engine("ray").deal(work, tally.todo(work.batches)):
        tally.add(part)
        heard += listening([os.getpid(), *processes(os.getpid()).keys() - before.keys()])
    assert same(tally, dealt(work))
    assert heard and set(heard) <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1
    assert not ray.is_initialized()
    until = time.monotonic() + WITHIN
    while left := processes(os.getpid()).keys() - before.keys():
        assert time.monotonic() < until, f"processes are left: {left}"
        time.sleep(0.05)


def test_a_cluster_without_processors_is_not_waited_for_for_ever(apart, monkeypatch):
    """It is this process's own, too: a connection that was there before is used, and stays."""
    monkeypatch.setattr(cluster, "WAITS", 1.0)
    ray.init("local", num_cpus=0, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
    begun, words = time.monotonic(), "--engine ray: the cluster has had no processor for 1 s; use --engine cpu"
    try:
        with pytest.raises(FeltlabError, match=f"^{words}$"):
            list(Cluster().deal(prepared("bad-beat-baccarat").work, [(0, 30)]))
        assert ray.is_initialized() and time.monotonic() - begun < WITHIN
    finally:
        ray.shutdown()


@pytest.mark.parametrize(
    ("listens", "words"),
    [
        (False, "nothing answers at {} (Connection refused); start one with 'ray start --head', or use --engine cpu"),
        (
            True,
            "something listens at {}, but it does not answer as Ray does; start one with 'ray start --head', or use",
        ),
    ],
)
def test_an_address_without_ray_is_said_in_one_line_and_soon(listens, words, apart, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWERS_WITHIN", 20.0)  # a busy machine takes its time to start Python alone
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        if listens:
            taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(FeltlabError) as caught:
            engine(f"ray:{address}")
        assert time.monotonic() - begun < WITHIN
    assert str(caught.value).startswith(f"--engine ray:{address}: {words.format(address)}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["nonsense", "host:", "host:0", "host:65536", ":6379", "ray://host:10001", "a b:1"])
def test_an_address_that_is_none_is_told_how_to_write_one(text):
    with pytest.raises(FeltlabError, match=r"write HOST:PORT, as ray:10\.0\.0\.1:6379, or ray:auto$"):
        Cluster(text)


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        FeltlabError, match=r"^--engine ray needs Ray: install feltlab\[cluster\], or use --engine cpu$"
    ):
        engine("ray")


def test_other_versions_do_not_deal():
    with pytest.raises(FeltlabError, match="it has feltlab .*, and not 0.0.1"):
        cluster.deal_on_cpu(prepared("bad-beat-baccarat").work, 0, 1, 1, "0.0.1")
