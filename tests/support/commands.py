"""Runs commands, each in a separate process or in this one."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from feltlab.cli import main
from support.paths import ROOT
from support.soak import soak
from support.terminals import FELTLAB


def run(*arguments, stdin="", cwd=ROOT):
    return subprocess.run(
        [*FELTLAB, *arguments], input=stdin, capture_output=True, text=True, cwd=cwd, check=False, timeout=120
    )


def output(*arguments, **options):
    done = run(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def data(*arguments):
    return json.loads(output(*arguments, "--json"))


def run_here(*arguments, stdin="", cwd=ROOT):
    """Run a command in this process, because most of a command's time goes into starting, and there are many to try."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["feltlab", *arguments])
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(arguments, ended.value.code, out.getvalue(), err.getvalue())


def mistaken(*arguments, cwd=ROOT):
    """Check that a command is refused; only a soak runs it in a separate process."""
    return refused(*arguments, cwd=cwd, by=soak(run, run_here))


def refused(*arguments, stdin="", cwd=ROOT, by=run):
    """Exit code 2, one line on standard error, no traceback."""
    done = by(*arguments, stdin=stdin, cwd=cwd)
    assert done.returncode == 2, done
    assert done.stderr.startswith("feltlab: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    return done.stderr
