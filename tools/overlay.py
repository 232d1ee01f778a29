"""Private copies of the project, and the tests run against one in a process of its own.

A process that has pytest loaded, but nothing of Feltlab, is forked for each run: starting Python and importing pytest
would take longer than most runs do. The fork sees the copy's package before any installed one, and says so if not.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from mutants import Mutant

TOOLS = Path(__file__).resolve().parent
PACKAGE = "feltlab"
HEAVY = ("msgspec", "hypothesis", "hypothesis.strategies")  # what the tests import beside the package; before the fork
NOT_COPIED = (".*", "__pycache__", "build", "dist")
PASSED, FAILED, NOT_COLLECTED = 0, 1, 2  # pytest's own codes
WRONG_PACKAGE, CRASHED, TOO_LONG = 97, 98, 99  # ours


class Ended(NamedTuple):
    """How a run ended: its code, and the test that failed first."""

    code: int
    failed: str
    output: str


class Overlay:
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = folder / "project"
        self.output = folder / "output.txt"
        self.failed = folder / "failed.txt"
        self.scratch = folder / "scratch"  # for the tests' own files; pytest empties it at the start of a run
        shutil.copytree(project, self.project, ignore=shutil.ignore_patterns(*NOT_COPIED))
        self.pid = 0
        self.deadline = 0.0
        self.changed: tuple[Path, str] | None = None

    @property
    def package(self) -> Path:
        """The copy's own package."""
        return self.project / "src" / PACKAGE

    def change(self, mutant: Mutant) -> None:
        """Put the mutant into the copy."""
        path = self.package / mutant.file
        text = path.read_text(encoding="utf-8")
        # Bytecode is matched by size and second, so a change within a second could be run as what stood there before.
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)
        self.changed = path, text
        path.write_text(mutant.apply(text), encoding="utf-8")

    def restore(self) -> None:
        """Undo the change, and forget what a run may have left behind for the next one."""
        if self.changed:
            path, text = self.changed
            path.write_text(text, encoding="utf-8")
            self.changed = None
        shutil.rmtree(self.project / ".hypothesis", ignore_errors=True)

    def start(self, arguments: list[str], likely: Counter[str], seconds: float) -> None:
        """Begin to run the tests, those first that are likely to fail."""
        for path in (self.output, self.failed):
            path.write_text("", encoding="utf-8")
        sys.stdout.flush()
        sys.stderr.flush()
        self.deadline = time.monotonic() + seconds
        self.pid = os.fork()
        if self.pid == 0:
            _run_and_exit(self, arguments, likely)

    def poll(self) -> Ended | None:
        """How the run ended, or None while it goes on. One that takes too long is stopped."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0 and time.monotonic() < self.deadline:
            return None
        if pid == 0:
            self.stop()
        code = os.waitstatus_to_exitcode(status) if pid else TOO_LONG
        self.pid = 0
        return Ended(code, self.failed.read_text(encoding="utf-8"), self.output.read_text(encoding="utf-8"))

    def stop(self) -> None:
        """End the run with every process that its tests started."""
        if self.pid:
            with suppress(ProcessLookupError):  # it may not have come as far as a group of its own
                os.killpg(self.pid, signal.SIGKILL)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0


class _Order:
    """A pytest plugin: the tests that noticed most mutants of this file so far come first; the one that fails is told."""

    def __init__(self, likely: Counter[str], failed: Path) -> None:
        self.likely = likely
        self.failed = failed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: -self.likely[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.write_text(report.nodeid, encoding="utf-8")


def load_heavy() -> None:
    """Import once what every run would import, except the package itself."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a plugin loaded before the fork could not be rewritten
    for name in HEAVY:
        if importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)


def _run_and_exit(overlay: Overlay, arguments: list[str], likely: Counter[str]) -> NoReturn:
    """The forked process: run pytest in the copy and leave with its code, by no way that the parent's code is on."""
    code = CRASHED
    try:
        os.setsid()
        target = os.open(overlay.output, os.O_WRONLY)
        os.dup2(target, 1)
        os.dup2(target, 2)
        os.chdir(overlay.project)
        source = str(overlay.project / "src")
        sys.path[:] = [source, *(path for path in sys.path if path != str(TOOLS))]
        os.environ["PYTHONPATH"] = source  # for processes that tests start
        if overlay.changed:
            sys.dont_write_bytecode = True
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        code = WRONG_PACKAGE
        if _package_is_of(overlay):
            arguments = [*arguments, f"--basetemp={overlay.scratch}"]
            code = int(pytest.main(arguments, plugins=[_Order(likely, overlay.failed)]))
            code = code if _package_is_of(overlay) else WRONG_PACKAGE
        if code == WRONG_PACKAGE:
            print(f"{PACKAGE} was not imported from the copy in which the tests ran")
    except BaseException:  # whatever it is, it must not go on as a second parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _package_is_of(overlay: Overlay) -> bool:
    """Is the package that would be imported, and every module of it that was, in this copy?"""
    spec = sys.modules[PACKAGE].__spec__ if PACKAGE in sys.modules else importlib.util.find_spec(PACKAGE)
    files = [spec.origin if spec else None]
    files += [module.__file__ for name, module in sys.modules.items() if name.startswith(f"{PACKAGE}.")]
    return all(file is not None and Path(file).is_relative_to(overlay.package) for file in files)
