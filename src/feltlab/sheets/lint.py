"""What must be true of a sheet as a whole, beyond the shape of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod

from feltlab.errors import FeltlabError, SheetError, listed, nearest
from feltlab.games.rules import HouseRule, choose
from feltlab.sheets.references import check_references
from feltlab.sheets.sheet import Sheet
from feltlab.wagers.conditions import Scope, check_definitions
from feltlab.wagers.definition import WagerDefinition, clauses
from feltlab.wagers.wager import Settings, Wager, compile_wager, constants, paytable_pays, rule_name

MOST_VARIANTS = 512
MOST_WAGERS = 40
MOST_LINES = 40
MOST_WORK = 30_000_000  # parts of conditions evaluated in cells, over a whole sheet: some seconds


def lint(sheet: Sheet) -> None:
    """Check everything; raise a `SheetError` that names the wager, the line and the remedy."""
    if not sheet.decks:
        raise SheetError("decks: a sheet is for at least one deck count, as decks = [6, 8]")
    _unique("option", [option.id for option in sheet.file.option])
    _unique("source", [source.id for source in sheet.file.source])
    _unique("reading", [reading.id for reading in sheet.file.reading])
    _unique("wager", [*sheet.base_ids, *(wager.id for wager in sheet.file.wager)])
    if len(sheet.file.wager) > MOST_WAGERS:
        raise SheetError(f"a sheet has at most {MOST_WAGERS} wagers, not {len(sheet.file.wager)}")
    _check_rules(sheet)
    _check_definitions(sheet)
    work = 0
    for wager in (*sheet.base.wager, *sheet.file.wager):
        try:
            work += _check_wager(sheet, wager, MOST_WORK - work)
        except FeltlabError as error:
            raise SheetError(f"wager '{wager.id}', {error}") from None
    check_references(sheet)


def _check_rules(sheet: Sheet) -> None:
    _unique("rule", [rule.key for rule in sheet.rules])
    for rule in sheet.file.rule:
        if rule.default not in rule.values or len(rule.values) < 2:
            raise SheetError(f"rule '{rule.key}': its values are two or more, and its default is one of them")
        if len({value.lower().replace("-", "_") for value in rule.values}) < len(rule.values):
            raise SheetError(f"rule '{rule.key}': two of its values differ only in - and _, or in capitals")


def _check_definitions(sheet: Sheet) -> None:
    some = next(iter(sheet.wagers.values()))
    settings = sheet.settings(choose(sheet.rules, {}), sheet.check_option(None))
    names = constants(settings, some, some.paytable_ids()[0])
    for name in sheet.file.define:
        if not name.isidentifier() or not name.isascii():
            raise SheetError(f"define: '{name}' is not a name; use letters, digits and _")
        if name in sheet.base.define:
            raise SheetError(f"define: '{name}' is a definition of the base game; choose another name")
    try:
        check_definitions(Scope(sheet.vocabulary, names, sheet.definitions))
    except FeltlabError as error:
        raise SheetError(f"define: {error}") from None


def _check_wager(sheet: Sheet, wager: WagerDefinition, allowance: int) -> int:
    """Check one wager; gives the work that it took, of what it is allowed."""
    if not wager.line:
        raise SheetError("it has no lines; a wager needs at least one [[wager.line]]")
    if len(wager.line) > MOST_LINES:
        raise SheetError(f"it has {len(wager.line)} lines; a wager has at most {MOST_LINES}")
    keys = [line.key for line in wager.line]
    _unique("line", keys)
    _check_paytables(sheet, wager, keys)
    if wager.rides == "each-hand" and wager.id not in sheet.base_ids:
        raise SheetError("only the main wager rides on each hand; leave rides out")
    moments = [*clauses(wager.placed), *clauses(wager.settled)]
    if wager.id not in sheet.base_ids and any(clause.at == "insurance" for clause in moments):
        raise SheetError("the moment 'insurance' is for insurance and the main wager alone")
    compiled, work = [], 0
    for made in variants(sheet, wager):
        work += sum(line.when.size for line in made.lines) * len(made.cells.partition.group_of)
        if work > allowance:
            raise SheetError(
                "the sheet takes too long to check; name fewer facts, or let fewer rules matter to its lines"
            )
        compiled.append(made)
    for line in wager.line:
        tables = [made for made in compiled if any(one.id == line.key for one in made.lines)]
        for paytable in dict.fromkeys(made.paytable for made in tables):
            _check_line(line.key, line.name, [made for made in tables if made.paytable == paytable])
    return work


def _check_paytables(sheet: Sheet, wager: WagerDefinition, keys: list[str]) -> None:
    if wager.paytable:
        for line in wager.line:
            if line.pays is not None:
                raise SheetError(f"line '{line.name}': its pay stands in the paytables; leave it out of the line")
            if not any(line.key in table.pays for table in wager.paytable):
                raise SheetError(f"line '{line.name}': no paytable names it; add '{line.key}' to one")
    else:
        for line in wager.line:
            if line.pays is None:
                raise SheetError(f'line \'{line.name}\': it has no pays; write pays = "5:1", "push" or "lose"')
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
                raise SheetError(f"paytable '{table.id}': it is there twice for {decks} decks")
            seen[table.id, decks] = None


def variants(sheet: Sheet, wager: WagerDefinition) -> Iterator[Wager]:
    """The wager for every value of every choice that its conditions look at.

    Paytables that put the same lines into the same cells, and so differ in nothing but pays, are compiled once.
    """
    defaults = choose(sheet.rules, {})
    seen: set[tuple[object, ...]] = set()
    for paytable in wager.paytables():
        try:
            pays = paytable_pays(wager, paytable, defaults)
            alike = (*pays,) if wager.settle == "first" else (paytable.id, str(paytable.decks))
            if alike not in seen:
                first = compile_wager(wager, paytable, sheet.settings(defaults, sheet.check_option(None)))
                if "paytable" not in first.constants():
                    seen.add(alike)
                for settings in _choices(sheet, first.constants()):
                    yield compile_wager(wager, paytable, settings)
        except FeltlabError as error:
            named = f"paytable '{paytable.id}', " if len(wager.paytables()) > 1 else ""
            raise SheetError(f"{named}{error}") from None


def _choices(sheet: Sheet, used: frozenset[str]) -> list[Settings]:
    """Settings with every combination of the rules and options that are used."""
    rules: list[HouseRule] = [rule for rule in sheet.rules if rule_name(rule) in used]
    options: list[str | None] = list(sheet.options) if "option" in used else [sheet.check_option(None)]
    count = len(options) * prod(len(rule.values) for rule in rules)
    if count > MOST_VARIANTS:
        raise SheetError(f"its conditions depend on {count} combinations of rules and options; {MOST_VARIANTS} at most")
    keys = [rule.key for rule in rules]
    return [
        sheet.settings(choose(sheet.rules, dict(zip(keys, values, strict=True))), option)
        for option in options
        for values in product(*(rule.values for rule in rules))
    ]


def _check_line(key: str, name: str, made: list[Wager]) -> None:
    """A line must be able to be paid: not contradict itself, not be shadowed by the lines before it."""
    holds = False
    shadows: dict[str, None] = {}
    for variant in made:
        lines, groups = variant.lines, variant.cells.partition.groups
        place = next(number for number, line in enumerate(lines) if line.id == key)
        if any(place in group for group in groups):
            return
        shadowing = _first_lines_where(variant, place)
        holds = holds or bool(shadowing)
        shadows.update(dict.fromkeys(lines[number].name for number in sorted(shadowing)))
    if holds:
        before = listed([f"'{shadow}'" for shadow in shadows], "and")
        raise SheetError(f"line '{name}': it can never be paid, because {before} before it takes every case")
    raise SheetError(f"line '{name}': it can never be so, because its condition contradicts itself")


def _first_lines_where(wager: Wager, place: int) -> set[int]:
    """The lines that are paid in the cells where the line at `place` holds too."""
    made = wager.cells.partition
    atoms = made.atoms
    when = wager.lines[place].when
    picks = [atoms.index(atom) for atom in when.atoms]
    found: set[int] = set()
    for number, values in enumerate(product(*(range(atom.low, atom.high + 1) for atom in atoms))):
        if when.evaluate([values[pick] for pick in picks]):
            found.update(made.groups[made.group_of[number]])
    return found


def _unique(what: str, ids: list[str]) -> None:
    for id, count in Counter(ids).items():
        if count > 1:
            raise SheetError(f"{what} '{id}' is there twice; give each its own id")
