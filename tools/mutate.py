"""Changes each pay, condition, comparison and constant in turn, and runs the tests: what do they not notice?

    python tools/mutate.py                      everything, report in docs/mutation.md
    python tools/mutate.py --only blackjack.py  the mutants of some files
    python tools/mutate.py --list               what would be changed

A survivor is a hole in the tests, or a change that changes nothing; tools/survivors.toml says of each why it may live.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from code_mutants import code_mutants
from mutants import Mutant, told_apart
from mutation_report import KILLED, SURVIVED, TIMED_OUT, Result, read_reasons, report, spoken, verdict
from overlay import FAILED, NOT_COLLECTED, PASSED, TOO_LONG, Ended, Overlay, load_heavy
from sheet_mutants import sheet_mutants

ROOT = Path(__file__).resolve().parent.parent
REASONS = ROOT / "tools" / "survivors.toml"
REPORT = ROOT / "docs" / "mutation.md"

# The tests that each area's mutants are shown to, the fastest first; those that do not exist are left out.
TESTS = {
    "sheets": (
        "tests/wagers/test_sheet_lines.py",
        "tests/exact/test_exact.py",
        "tests/wagers/test_timing.py",
        "tests/rounds/test_playthroughs.py",
        "tests/sheets/test_sheets.py",
        "tests/rounds/test_conformance.py",
    ),
    "games": (
        "tests/games/test_blackjack_rules.py",
        "tests/games/test_baccarat_rules.py",
        "tests/rounds/test_playthroughs.py",
        "tests/rounds/test_conformance.py",
    ),
}
FILES = {"sheets": ("sheets/base/*.toml", "sheets/builtin/*.toml"), "games": ("games/*.py",)}
OPTIONS = ("-x", "-q", "--no-header", "--tb=short", "-p", "no:cacheprovider")
SECONDS = 60.0
EVERY = 20  # mutants between two lines of progress


class Trouble(Exception):
    """The run itself went wrong, so that it says nothing about the tests."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 0 if every survivor has its reason and every reason its survivor."""
    options = _options(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            return _mutate(options, Path(folder).resolve())
    except Trouble as trouble:
        print(f"mutate: {trouble}", file=sys.stderr)
        return 2


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="only files whose path has this in it")
    parser.add_argument("--limit", metavar="N", type=int, help="only the first N mutants")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--report", metavar="FILE", type=Path, help="docs/mutation.md, if all mutants are run")
    return parser.parse_args(arguments)


def _mutate(options: argparse.Namespace, folder: Path) -> int:
    # The working tree may change during a run: the first copy is what is read and tested, the others are copies of it.
    first = Overlay(ROOT, folder / "0")
    every = list(find(first.package))
    chosen = [mutant for mutant in every if options.only in mutant.file][: options.limit]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.line}:{mutant.column}: {mutant.id}")
        counts = Counter(mutant.area for mutant in chosen)
        print(", ".join(f"{area} {counts[area]}" for area in FILES))
        return 0
    overlays = [first, *(Overlay(first.project, folder / str(number)) for number in range(1, max(1, options.jobs)))]
    results = _run(chosen, overlays)
    complete = len(chosen) == len(every)
    reasons = read_reasons(REASONS)
    target = options.report or (REPORT if complete else None)
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(report(results, reasons, complete=complete), encoding="utf-8")
    problems = verdict(results, reasons, complete=complete)
    for line in (*problems, *spoken(results), f"report: {target or 'none; not all mutants were run'}"):
        print(line)
    return 1 if problems else 0


def find(package: Path) -> Iterator[Mutant]:
    """Every mutant of the package, area by area, file by file."""
    for patterns in FILES.values():
        for path in sorted(path for pattern in patterns for path in package.glob(pattern)):
            make = code_mutants if path.suffix == ".py" else sheet_mutants
            yield from told_apart(make(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8")))


def _run(mutants: list[Mutant], overlays: list[Overlay]) -> list[Result]:
    """Run the tests against each mutant. They must pass without one, before and after, or nothing is said."""
    load_heavy()
    selections = {area: _selection(area, overlays[0].project) for area in {mutant.area for mutant in mutants}}
    likely: dict[str, Counter[str]] = {mutant.file: Counter() for mutant in mutants}
    try:
        _must_pass(overlays, selections, Counter())
        results = _run_mutants(mutants, overlays, selections, likely)
        _must_pass(overlays, selections, sum(likely.values(), Counter()))
    finally:
        for overlay in overlays:
            overlay.stop()
    return results


def _selection(area: str, project: Path) -> list[str]:
    """What pytest is called with. Hypothesis must find the same examples for every mutant."""
    files = [name for name in TESTS[area] if (project / name).exists()]
    if not files:
        raise Trouble(f"none of the tests for {area} exists: {', '.join(TESTS[area])}")
    random = any("hypothesis" in (project / name).read_text(encoding="utf-8") for name in files)
    seed = ["-p", "_hypothesis_pytestplugin", "--hypothesis-seed=0"] if random else []
    return [*OPTIONS, *seed, *files]


def _must_pass(overlays: list[Overlay], selections: dict[str, list[str]], likely: Counter[str]) -> None:
    for selection in selections.values():
        for overlay in overlays:
            overlay.start(selection, likely, 10 * SECONDS)
        for overlay in overlays:
            while (ended := overlay.poll()) is None:
                time.sleep(0.01)
            if ended.code != PASSED:
                raise Trouble(f"the tests fail without any mutant (code {ended.code}):\n{ended.output}")
            overlay.restore()


def _run_mutants(
    mutants: list[Mutant], overlays: list[Overlay], selections: dict[str, list[str]], likely: dict[str, Counter[str]]
) -> list[Result]:
    """Keep every copy busy until no mutant is left; each test that notices one is tried earlier on the next."""
    begun = time.monotonic()
    waiting = iter(mutants)
    running: dict[int, Mutant] = {}
    results: dict[Mutant, Result] = {}
    while len(results) < len(mutants):
        time.sleep(0.01)
        for number, overlay in enumerate(overlays):
            if number in running and (ended := overlay.poll()):
                mutant = running.pop(number)
                overlay.restore()
                results[mutant] = _result(mutant, ended)
                likely[mutant.file].update([ended.failed] if ended.failed else [])
                if len(results) % EVERY == 0 or len(results) == len(mutants):
                    _progress(list(results.values()), len(mutants), time.monotonic() - begun)
            if number not in running and (following := next(waiting, None)):
                running[number] = following
                overlay.change(following)
                overlay.start(selections[following.area], likely[following.file], SECONDS)
    return [results[mutant] for mutant in mutants]


def _result(mutant: Mutant, ended: Ended) -> Result:
    outcomes = {PASSED: SURVIVED, FAILED: KILLED, NOT_COLLECTED: KILLED, TOO_LONG: TIMED_OUT}
    if ended.code not in outcomes:
        raise Trouble(f"code {ended.code} from the tests of {mutant.id}\n{ended.output}")
    return Result(mutant, outcomes[ended.code])


def _progress(results: list[Result], total: int, seconds: float) -> None:
    counts = Counter(result.outcome for result in results)
    left = seconds / len(results) * (total - len(results))
    print(
        f"{len(results)}/{total}: {counts[KILLED]} killed, {counts[TIMED_OUT]} timed out, {counts[SURVIVED]} survived; "
        f"{seconds / len(results):.2f} s a mutant, {left / 60:.1f} min left",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
