"""What came of the mutants: the report, and whether every survivor has its reason."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mutants import Mutant

KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"
NO_REASON = "NO REASON YET"

HEAD = """\
# Mutation tests

`make mutate` changes the built-in sheets and the games one small step at a time (a pay, an operator, a number, a named
value, a clause left out) and runs the fast tests against each change. A change that they notice is *killed*; one that
runs for more than a minute counts as noticed too. One that *survives* is a hole in the tests, or changes nothing that
can be seen at a table: `tools/survivors.toml` says which, and the command fails when it does not.

    make mutate                                             # everything; writes this page
    .venv/bin/python tools/mutate.py --only baccarat.toml   # some files; writes nothing
    .venv/bin/python tools/mutate.py --list                 # what is changed
"""


class Result(NamedTuple):
    """A mutant and what the tests made of it."""

    mutant: Mutant
    outcome: str


def read_reasons(path: Path) -> dict[str, str]:
    """Why each known survivor may live, by its id."""
    return {id: str(reason) for id, reason in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def verdict(results: Sequence[Result], reasons: Mapping[str, str], *, complete: bool) -> list[str]:
    """What is wrong: survivors without a reason (as lines for survivors.toml), reasons without a survivor."""
    alive = [result.mutant.id for result in results if result.outcome == SURVIVED]
    problems = [f'no reason yet: {json.dumps(id, ensure_ascii=False)} = ""' for id in alive if not reasons.get(id)]
    if complete:
        problems += [f"survives no longer: {id}" for id in reasons if id not in alive]
    return problems


def spoken(results: Sequence[Result]) -> list[str]:
    """The counts, a line an area."""
    return [
        f"{area}: {counts.total()} mutants, {counts[KILLED]} killed, {counts[TIMED_OUT]} timed out, "
        f"{counts[SURVIVED]} survived, score {_score(counts)}"
        for area, counts in _areas(results).items()
    ]


def report(results: Sequence[Result], reasons: Mapping[str, str], *, complete: bool) -> str:
    """The whole page."""
    parts = [HEAD]
    if not complete:
        parts.append("This page is of a part of the mutants only.\n")
    parts.append(_table(results))
    for outcome, title in ((SURVIVED, "Survivors"), (TIMED_OUT, "Timed out")):
        found = [result.mutant for result in results if result.outcome == outcome]
        if found or outcome == SURVIVED:
            parts.append(f"## {title}\n")
            parts.append("\n".join(_entry(mutant, reasons, outcome) for mutant in found) or "None.\n")
    return "\n".join(parts)


def _table(results: Sequence[Result]) -> str:
    rows = [
        f"| {area} | {counts.total()} | {counts[KILLED]} | {counts[TIMED_OUT]} | {counts[SURVIVED]} | {_score(counts)} |\n"
        for area, counts in _areas(results).items()
    ]
    head = "| area | mutants | killed | timed out | survived | score |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    return head + "".join(rows)


def _areas(results: Sequence[Result]) -> dict[str, Counter[str]]:
    areas: dict[str, Counter[str]] = {}
    for result in results:
        areas.setdefault(result.mutant.area, Counter())[result.outcome] += 1
    return areas


def _score(counts: Counter[str]) -> str:
    return f"{100 * (1 - counts[SURVIVED] / counts.total()):.1f} %"


def _entry(mutant: Mutant, reasons: Mapping[str, str], outcome: str) -> str:
    """A survivor as an item of a list: where, what, and why it may live."""
    surroundings = mutant.id.removeprefix(f"{mutant.file}: ")
    why = f"\n  {reasons.get(mutant.id) or NO_REASON}" if outcome == SURVIVED else ""
    return f"- {mutant.file}, line {mutant.line}, {_code(mutant.change)}: {_code(surroundings)}{why}\n"


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"
