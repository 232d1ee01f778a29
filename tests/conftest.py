"""Settings that all tests share."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", deadline=None, max_examples=2000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


HERE = Path(__file__).parent


def pytest_configure(config):
    """`make quick` has no compiler: a test that wants one says at once that it is slow."""
    if os.environ.get("FELTLAB_QUICK"):
        sys.modules["numba"] = None


SLOW_ROOMS = {"api", "cli", "docs", "exact", "lab", "page", "simulate", "web"}
"""Folders of which every test is taken to compile or to start programs; so are the examples in docstrings."""


def pytest_collection_modifyitems(items):
    """What a test needs that not every machine has follows from its fixtures."""
    for item in items:
        if not item.path.is_relative_to(HERE) or item.path.relative_to(HERE).parts[0] in SLOW_ROOMS:
            item.add_marker("slow")
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        fixtures = getattr(item, "fixturenames", ())
        if "postgres_server" in fixtures or "postgresql" in map(str, values):
            item.add_marker("postgres")
        if "browser" in fixtures:
            item.add_marker("browser")


@pytest.fixture(scope="session", autouse=True)
def patient():
    """A busy machine takes its time: nobody here gives up as soon as users would."""
    from httpx._config import DEFAULT_TIMEOUT_CONFIG

    from feltlab.client import client
    from feltlab.floor.storage import database
    from support.postgres import PATIENT

    with pytest.MonkeyPatch.context() as patch:
        for what in ("connect", "read", "write", "pool"):
            patch.setattr(DEFAULT_TIMEOUT_CONFIG, what, PATIENT)
        patch.setattr(client, "ANSWER_SECONDS", PATIENT)
        patch.setattr(database, "BUSY_SECONDS", PATIENT)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_proxies():
    """Servers of the tests are on this machine, and no proxy that its environment names knows of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server for all tests that want one. It forgets everything, so it need not write anything down."""
    from support.postgres import running

    with running("-cfsync=off", "-csynchronous_commit=off", "-cfull_page_writes=off") as url:
        yield url


@pytest.fixture
def new_postgres(postgres_server):
    """Makes empty PostgreSQL databases."""
    from uuid import uuid4

    from support.postgres import new_database

    return lambda: new_database(postgres_server, f"felt_{uuid4().hex}")


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory):
    """A file with the schema and nothing in it, to be copied."""
    from feltlab.floor.storage.database import open_database

    file = tmp_path_factory.mktemp("empty") / "felt.db"
    open_database(f"sqlite:///{file}").dispose()
    return file


@pytest.fixture
def sqlite(empty_sqlite, tmp_path):
    """The URL of an SQLite database with nothing in it."""
    return f"sqlite:///{shutil.copy(empty_sqlite, tmp_path)}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """The URL of a database with nothing in it, of each kind. PostgreSQL's is swept, which is quicker than a new one."""
    if request.param == "sqlite":
        return request.getfixturevalue("sqlite")
    from support.postgres import sweep

    url = request.getfixturevalue("postgres_server")
    sweep(url)
    return url


@pytest.fixture
def floor(database):
    """A floor without a server, of each kind of database; its ledger must check in the end."""
    from support.floor.floors import checked

    with checked(database) as found:
        yield found


@pytest.fixture
def here(floor):
    """Two players at a table, not dealt to yet, and one who stands beside it."""
    from support.floor.floors import TWENTIES

    ada, bob, eve = floor.players("ada", "bob", "eve")
    table = floor.table(cards=TWENTIES)
    floor.seated(table, ada, bob)
    return floor, table, ada, bob, eve


@pytest.fixture(scope="module")
def house(server):
    """The house as a client of the module's server."""
    with server.house() as found:
        yield found


@pytest.fixture(scope="module")
def stacks():
    """The cards that the module's tables are dealt."""
    from support.stacking import Stacks

    return Stacks()


@pytest.fixture(scope="session")
def nursery():
    """Servers that start in a moment (see forked.py)."""
    from support.floor.forked import Nursery

    found = Nursery()
    yield found
    found.close()


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, for the tests of a module."""
    from support.page.browsing import chromium

    with chromium() as found:
        yield found


@pytest.fixture
def visit(browser, server):
    """Lets people come to the page of the module's server (or of another); what it complained of fails the test."""
    from support.page.browsing import WIDE, Visitor

    visitors = []

    def come(size=WIDE, theme="light", at=server, *, motion=False):
        visitors.append(Visitor(browser, at.url, size, theme, motion=motion))
        return visitors[-1]

    yield come
    for visitor in visitors:
        visitor.close()
