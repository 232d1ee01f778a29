"""Checks of a whole sheet, beyond the shape of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple, NoReturn

from feltlab.errors import FeltlabError, SheetError, listed, nearest
from feltlab.games.rules import HouseRule, choose
from feltlab.sheets.references import check_references
from feltlab.sheets.sheet import GAME_RULES, Sheet
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.cells import evaluation_steps, truth_table
from feltlab.wagers.conditions import Scope, check_definitions
from feltlab.wagers.definition import LineDefinition, WagerDefinition, clauses
from feltlab.wagers.wager import Wager, WagerSettings, compile_wager, constants, identifier, paytable_pays, rule_name

MOST_VARIANTS = 512
MOST_WAGERS = 40
MOST_LINES = 40
MOST_LINE_PARTS = 50_000  # in the conditions of all lines, with definitions expanded
MOST_TIMED_PARTS = 5000  # in the conditions of all moments, which a table evaluates each time a moment comes


def lint(sheet: Sheet) -> None:
    """Check everything; raise a `SheetError` that names the wager, the line and what to do."""
    if not sheet.decks:
        raise SheetError("decks: a sheet is for at least one deck count, for example decks = [6, 8]")
    _unique("decks", sheet.decks)
    _unique("option", [option.id for option in sheet.file.option])
    _check_distinct("option: two of them are", [option.id for option in sheet.file.option])
    _unique("source", [source.id for source in sheet.file.source])
    _unique("reading", [reading.id for reading in sheet.file.reading])
    _unique("wager", [wager.id for wager in sheet.file.wager], sheet.base_ids)
    if len(sheet.file.wager) > MOST_WAGERS:
        raise SheetError(f"a sheet has at most {MOST_WAGERS} wagers, not {len(sheet.file.wager)}")
    _check_rules(sheet)
    work = WorkBudget()
    _check_definitions(sheet, work)
    lines = timed = 0
    for wager in (*sheet.base.wager, *sheet.file.wager):
        try:
            parts = _check_wager(sheet, wager, work)
        except FeltlabError as error:
            raise SheetError(f"wager '{wager.id}', {error}") from None
        lines, timed = lines + parts.lines, timed + parts.timed
        for number, most, where in ((lines, MOST_LINE_PARTS, "lines"), (timed, MOST_TIMED_PARTS, "moments")):
            if number > most:
                raise SheetError(
                    f"wager '{wager.id}': with the wagers before it, the conditions of its {where} have {number:,} parts,"
                    f" with definitions expanded, and {most:,} are allowed; shorten them"
                )
    check_references(sheet)


def _check_rules(sheet: Sheet) -> None:
    _unique("rule", [rule.key for rule in sheet.file.rule], [rule.key for rule in GAME_RULES[sheet.game]])
    for rule in sheet.file.rule:
        if rule.default not in rule.values or len(rule.values) < 2:
            raise SheetError(f"rule '{rule.key}': it needs two or more values, and its default must be one of them")
        _check_distinct(f"rule '{rule.key}': two of its values are", rule.values)
        if len({value.lower().replace("-", "_") for value in rule.values}) < len(rule.values):
            raise SheetError(f"rule '{rule.key}': two of its values differ only in - and _, or in capitals")


def _check_definitions(sheet: Sheet, work: WorkBudget) -> None:
    some = next(iter(sheet.wagers.values()))
    settings = sheet.settings(choose(sheet.rules, {}), sheet.check_option(None))
    names = constants(settings, some, some.paytable_ids()[0])
    for name in sheet.file.define:
        if not name.isidentifier() or not name.isascii():
            raise SheetError(f"define: '{name}' is not a name; use letters, digits and _")
        if name in sheet.base.define:
            raise SheetError(f"define: '{name}' is a definition of the base game; choose another name")
    try:
        check_definitions(Scope(sheet.vocabulary, names, sheet.definitions, work=work))
    except FeltlabError as error:
        raise SheetError(f"define: {error}") from None


class _Parts(NamedTuple):
    """The most parts that the conditions of a wager have at any table."""

    lines: int
    timed: int


def _check_wager(sheet: Sheet, wager: WagerDefinition, work: WorkBudget) -> _Parts:
    """Check one wager."""
    if not wager.line:
        raise SheetError("it has no lines; a wager needs at least one [[wager.line]]")
    if len(wager.line) > MOST_LINES:
        raise SheetError(f"it has {len(wager.line)} lines; a wager has at most {MOST_LINES}")
    keys = [line.key for line in wager.line]
    _unique("line", keys)
    _unique("excludes", wager.excludes)
    _check_paytables(sheet, wager, keys)
    _check_distinct("paytable: two of them are", wager.paytable_ids())
    if wager.rides == "each-hand" and wager.id not in sheet.base_ids:
        raise SheetError("only the main wager rides on each hand; remove the key 'rides'")
    moments = [*clauses(wager.placed), *clauses(wager.settled)]
    if wager.id not in sheet.base_ids and any(clause.at == "insurance" for clause in moments):
        raise SheetError("the moment 'insurance' is only for insurance and the main wager")
    lines = timed = 0
    paid: set[tuple[str, str]] = set()
    printed: dict[tuple[str, str], None] = {}
    for made in variants(sheet, wager, work):
        clauses_ = (*made.placed, *made.settled, *made.take, *made.needs)
        timed = max(timed, sum(clause.when.size for clause in clauses_))
        lines = max(lines, sum(line.when.size for line in made.lines))
        printed.update(dict.fromkeys((line.id, made.paytable) for line in made.lines))
        places = {place for group in made.cells.partition.groups for place in group}
        paid.update((made.lines[place].id, made.paytable) for place in places)
    for line in wager.line:
        for paytable in [paytable for key, paytable in printed if key == line.key]:
            if (line.key, paytable) not in paid:
                _explain(sheet, wager, line, paytable, work)
    return _Parts(lines, timed)


def _check_paytables(sheet: Sheet, wager: WagerDefinition, keys: list[str]) -> None:
    if wager.paytable:
        for line in wager.line:
            if line.pays is not None:
                raise SheetError(f"line '{line.name}': its pay is in the paytables; remove it from the line")
            if not any(line.key in table.pays for table in wager.paytable):
                raise SheetError(f"line '{line.name}': no paytable names it; add '{line.key}' to one")
    else:
        for line in wager.line:
            if line.pays is None:
                raise SheetError(f'line \'{line.name}\': it has no pay; write pays = "5:1", "push" or "lose"')
    seen: dict[tuple[str, int], None] = {}
    for table in wager.paytable:
        if not table.pays:
            raise SheetError(f"paytable '{table.id}': it pays nothing; name its lines in pays")
        for key in table.pays:
            if key not in keys:
                raise SheetError(f"paytable '{table.id}': there is no line '{key}'; {nearest(key, keys)}")
        for decks in sheet.decks_of(table):
            if decks not in sheet.decks:
                raise SheetError(f"paytable '{table.id}': the sheet is for {listed(sheet.decks)} decks, not {decks}")
            if (table.id, decks) in seen:
                raise SheetError(f"paytable '{table.id}': it is given twice for {decks} decks")
            seen[table.id, decks] = None


def variants(sheet: Sheet, wager: WagerDefinition, work: WorkBudget | None = None) -> Iterator[Wager]:
    """The wager compiled for every value of every choice that its conditions depend on; `work` is charged.

    Paytables with the same lines in the same cells, which differ only in their pays, are compiled once.
    """
    work = work or WorkBudget()
    defaults = choose(sheet.rules, {})
    seen: set[tuple[object, ...]] = set()
    for paytable in wager.paytables():
        try:
            pays = paytable_pays(wager, paytable, defaults)
            alike = (*pays,) if wager.settle == "first" else (paytable.id, str(paytable.decks))
            if alike not in seen:
                usual = sheet.settings(defaults, sheet.check_option(None))
                first = compile_wager(wager, paytable, usual, work=work)
                if "paytable" not in first.constants():
                    seen.add(alike)
                for settings in _choices(sheet, first.constants(), work):
                    yield compile_wager(wager, paytable, settings, work=work)
        except FeltlabError as error:
            named = f"paytable '{paytable.id}', " if len(wager.paytables()) > 1 else ""
            raise SheetError(f"{named}{error}") from None


def _choices(sheet: Sheet, used: frozenset[str], work: WorkBudget) -> Iterator[WagerSettings]:
    """Settings for every combination of the rules and options that are used."""
    rules: list[HouseRule] = [rule for rule in sheet.rules if rule_name(rule) in used]
    options: list[str | None] = list(sheet.options) if "option" in used else [sheet.check_option(None)]
    count = len(options) * prod(len(rule.values) for rule in rules)
    if count > MOST_VARIANTS:
        raise SheetError(
            f"its conditions depend on {count} combinations of rules and options; {MOST_VARIANTS} are allowed"
        )
    work.read(count * (len(sheet.rules) + len(sheet.options)))
    keys = [rule.key for rule in rules]
    for option in options:
        for values in product(*(rule.values for rule in rules)):
            yield sheet.settings(choose(sheet.rules, dict(zip(keys, values, strict=True))), option)


def _explain(sheet: Sheet, wager: WagerDefinition, line: LineDefinition, paytable: str, work: WorkBudget) -> NoReturn:
    """Report why a line can never be paid: it contradicts itself, or earlier lines take all its cases."""
    holds = False
    shadows: dict[str, None] = {}
    for variant in variants(sheet, wager, work):
        place = next((number for number, other in enumerate(variant.lines) if other.id == line.key), None)
        if variant.paytable != paytable or place is None:
            continue
        shadowing = _first_lines_where(variant, place, work)
        holds = holds or bool(shadowing)
        shadows.update(dict.fromkeys(variant.lines[number].name for number in sorted(shadowing)))
    if holds:
        before = listed([f"'{shadow}'" for shadow in shadows], "and")
        raise SheetError(f"line '{line.name}': it can never be paid, because {before} before it takes every case")
    raise SheetError(f"line '{line.name}': it can never hold, because its condition contradicts itself")


def _first_lines_where(wager: Wager, place: int, work: WorkBudget) -> set[int]:
    """The lines that are paid in the cells where the line at `place` holds."""
    made = wager.cells.partition
    work.spend(evaluation_steps([line.when for line in wager.lines]))
    cells = enumerate(truth_table(wager.lines[place].when, made.atoms))
    return {line for number, holds in cells if holds for line in made.groups[made.group_of[number]]}


def _check_distinct(which: str, names: Sequence[str]) -> None:
    written = Counter(identifier(name) for name in dict.fromkeys(names))
    for name in names:
        if written[identifier(name)] > 1:
            raise SheetError(f"{which} written alike in a condition, {identifier(name)}; rename one")


def _unique(what: str, ids: Sequence[object], of_the_game: Sequence[object] = ()) -> None:
    for id, count in Counter(ids).items():
        if id in of_the_game:
            raise SheetError(f"{what} '{id}' is given twice: the game has one of that name; choose another name")
        if count > 1:
            remedy = "name it once" if what in ("decks", "excludes") else "give each its own id"
            raise SheetError(f"{what} '{id}' is given twice; {remedy}")
