"""A compiled wager: a definition made ready for one table's paytable, option and rules."""

from __future__ import annotations

import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from feltlab.errors import FeltlabError, SheetError, listed, nearest
from feltlab.games.rules import ANY_RATIO, YES_NO, HouseRule
from feltlab.money import parse_pay
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.cells import Cells, Line, Outcome, Partition, evaluation_steps, partition
from feltlab.wagers.conditions import Atom, Condition, Constant, Scope, condition
from feltlab.wagers.definition import Clause, PaytableDefinition, WagerDefinition, clauses
from feltlab.wagers.facts import Vocabulary
from feltlab.wagers.moments import MOMENTS, ON_CARD, known_to_lines, moments_fit
from feltlab.wagers.types import BOOL, INT, Type

RULE_PAY = "rule "
MOST_CLAUSES = 20  # of each kind: placed, settled and so on
MOST_PARTITIONS = 500
MOST_CACHED_CELLS = 5_000_000  # in all cached partitions: 20 MB


class Timed(NamedTuple):
    """A clause with its condition compiled."""

    at: str
    when: Condition


class WagerSettings(NamedTuple):
    """The choices of a table that a wager's conditions and pays can depend on."""

    vocabulary: Vocabulary
    known_rules: tuple[HouseRule, ...]
    rules: Mapping[str, str]
    options: tuple[str, ...]
    option: str | None
    definitions: Mapping[str, str]


@dataclass(frozen=True)
class Wager:
    """A wager that every engine can place, settle, weigh or count."""

    definition: WagerDefinition
    paytable: str
    lines: tuple[Line, ...]
    cells: Cells
    placed: tuple[Timed, ...]
    settled: tuple[Timed, ...]
    take: tuple[Timed, ...]
    needs: tuple[Timed, ...]
    at_most: Fraction | None
    shape: Hashable  # wagers of the same shape are taken and settled alike, whatever they pay

    @property
    def id(self) -> str:
        """Its id in commands and logs."""
        return self.definition.id

    @property
    def name(self) -> str:
        """Its name on the layout."""
        return self.definition.name

    def outcome(self, view: tuple[int, ...]) -> Outcome:
        """The outcome for a hand, coup or hit card."""
        return self.cells.settle(view)

    def line_ids(self, outcome: Outcome) -> tuple[str, ...]:
        """The ids of the lines that an outcome pays."""
        return tuple(self.lines[place].id for place in outcome.lines)

    def outcome_name(self, outcome: Outcome) -> str:
        """The name of an outcome in tables: its lines, or Lose where it has none."""
        return " and ".join(self.lines[place].name for place in outcome.lines) or "Lose"

    @cached_property
    def before_deal(self) -> bool:
        """Whether it can be placed before the deal at this table."""
        return happens(self.placed, "before-deal", ())

    @property
    def on_hit_cards(self) -> bool:
        """Whether it is placed on the card that a hit or a double takes."""
        return any(clause.at in ON_CARD for clause in self.placed)

    @cached_property
    def moments(self) -> frozenset[str]:
        """The moments of a round at which it may be taken or settled."""
        return frozenset(clause.at for clause in (*self.take, *self.settled))

    def top_pay(self) -> Fraction:
        """Its highest pay, to 1."""
        return self.cells.top_pay

    def payable(self, never: Collection[str] = ()) -> tuple[Line, ...]:
        """The lines that can be paid at its table. `never` are facts that are always 0 there because of a house rule.

        A line for another option, or for something that the house does not offer, cannot be paid.
        """
        made = self.cells.partition
        cells = made.group_of
        for atom, stride in zip(
            made.atoms, made.strides, strict=True
        ):  # widest stride first, which keeps the others valid
            if atom.text in never and atom.low == 0:
                cells = _at_lowest(cells, stride, atom.high - atom.low + 1)
        paid = {place for group in set(cells) for place in made.groups[group]}
        return tuple(line for place, line in enumerate(self.lines) if place in paid)

    def constants(self) -> frozenset[str]:
        """The table's choices that its clauses and lines depend on."""
        timed = (*self.placed, *self.settled, *self.take, *self.needs)
        conditions = [*(item.when for item in timed), *(line.when for line in self.lines)]
        return frozenset().union(*(item.constants for item in conditions))


def _at_lowest(cells: array[int], stride: int, size: int) -> array[int]:
    """The cells in which an atom has its lowest value."""
    if stride == 1:
        return cells[::size]
    lowest = array(cells.typecode)
    for begin in range(0, len(cells), stride * size):
        lowest.extend(cells[begin : begin + stride])
    return lowest


def happens(timed: tuple[Timed, ...], at: str, view: tuple[int, ...]) -> bool:
    """Whether one of the clauses holds at this moment."""
    return happens_by(timed, at, lambda atom: atom.read(view))


def happens_by(timed: tuple[Timed, ...], at: str, read: Callable[[Atom], int]) -> bool:
    """Whether one of the clauses holds at this moment, given the atoms' values."""
    return any(item.at == at and item.when.holds_by(read) for item in timed)


def compile_wager(
    definition: WagerDefinition,
    paytable: PaytableDefinition,
    settings: WagerSettings,
    pays: Mapping[str, Fraction] | None = None,
    work: WorkBudget | None = None,
) -> Wager:
    """Compile a wager for one paytable and one table. `pays` replaces printed pays by line; `work` is charged."""
    work = work or WorkBudget()
    choices = sum(len(rule.values) for rule in settings.known_rules) + len(settings.options)
    work.read(choices + len(definition.paytable) + len(paytable.pays) + len(definition.line))
    fixed = constants(settings, definition, paytable.id)
    scope = Scope(settings.vocabulary, fixed, settings.definitions, work=work)
    settled = _timed("settled", definition.settled, scope)
    needs = _timed("needs", definition.needs, scope)
    placed, take = _timed("placed", definition.placed, scope), _timed("take", definition.take, scope)
    if not settled or not placed:
        raise SheetError('placed and settled: at least one moment is needed, for example settled = "end"')
    if clauses(definition.settled)[-1].when != "always":
        raise SheetError("settled: the last moment must have no condition, so that the wager is always settled")
    moments = [item.at for item in settled]
    if wrong := moments_fit([item.at for item in placed], moments):
        raise SheetError(wrong)
    known, too_early = known_to_lines(settings.vocabulary.game, moments, [item.at for item in needs])
    printed = paytable_pays(definition, paytable, settings.rules) | dict(pays or {})
    lines = []
    for line in definition.line:
        when = _condition(f"line '{line.name}'", line.when, replace(scope, known=known, too_early=too_early))
        if line.key in printed:
            lines.append(Line(line.key, line.name, when, printed[line.key]))
    try:
        key = _shape(definition, lines, scope, [*take, *settled])
        cells = Cells(_partition(definition, lines, scope, work), tuple(line.pays for line in lines))
        at_most = parse_pay(definition.at_most) if definition.at_most else None
    except FeltlabError as error:
        raise SheetError(str(error)) from None
    if at_most is not None and at_most <= 0:
        raise SheetError(f"at_most: '{definition.at_most}' is not a share of the main wager; write a ratio such as 1:2")
    return Wager(definition, paytable.id, tuple(lines), cells, placed, settled, take, needs, at_most, key)


class _PartitionCache:
    """The partitions used last, up to a total number of cells."""

    def __init__(self) -> None:
        self._partitions: OrderedDict[Hashable, Partition] = OrderedDict()
        self._cells = 0
        self._lock = Lock()

    def get(self, key: Hashable) -> Partition | None:
        with self._lock:
            partition = self._partitions.get(key)
            if partition is not None:
                self._partitions.move_to_end(key)
            return partition

    def put(self, key: Hashable, partition: Partition) -> None:
        with self._lock:
            if key in self._partitions:
                return
            self._partitions[key] = partition
            self._cells += len(partition.group_of)
            while self._cells > MOST_CACHED_CELLS or len(self._partitions) > MOST_PARTITIONS:
                _, dropped = self._partitions.popitem(last=False)
                self._cells -= len(dropped.group_of)


_partitions = _PartitionCache()


def _partition(definition: WagerDefinition, lines: list[Line], scope: Scope, work: WorkBudget) -> Partition:
    """The partition of some lines, evaluated once for all paytables and tables with identical conditions."""
    key = _shape(definition, lines, scope, [])
    conditions = [line.when for line in lines]
    made = _partitions.get(key)
    if made is not None:
        work.spend(
            evaluation_steps(conditions)
        )  # charged all the same: the cost of a sheet does not depend on the cache
        return made
    made = partition(conditions, definition.settle, work)
    _partitions.put(key, made)
    return made


def _shape(definition: WagerDefinition, lines: list[Line], scope: Scope, timed: list[Timed]) -> Hashable:
    """Everything that decides which lines are paid when: the conditions, and the table's choices that they name."""
    conditions = [*(line.when for line in lines), *(item.when for item in timed)]
    used = frozenset().union(*(condition.constants for condition in conditions))
    fixed = tuple((name, scope.constants[name].value, *scope.constants[name].type.names) for name in sorted(used))
    texts = tuple(condition.text for condition in conditions), tuple(item.at for item in timed), len(lines)
    return (scope.vocabulary.game, definition.settle, texts, fixed, *_named(texts[0], scope.definitions))


def _named(texts: tuple[str, ...], definitions: Mapping[str, str]) -> list[tuple[str, str]]:
    """The sheet's definitions that some conditions name, directly or through other definitions."""
    named: dict[str, str] = {}
    pending = list(texts)
    while pending:
        for word in re.findall(r"\w+", pending.pop()):
            if word in definitions and word not in named:
                named[word] = definitions[word]
                pending.append(definitions[word])
    return sorted(named.items())


def paytable_pays(
    definition: WagerDefinition, paytable: PaytableDefinition, rules: Mapping[str, str]
) -> dict[str, Fraction]:
    """The pay of each line of a paytable, by the line's id."""
    names = {line.key: line.name for line in definition.line}
    return {key: _pay(f"line '{names.get(key, key)}'", text, rules) for key, text in paytable.pays.items()}


def _timed(kind: str, given: str | list[Clause], scope: Scope) -> tuple[Timed, ...]:
    """The clauses of one kind, each condition compiled with the facts known at its moment."""
    game = scope.vocabulary.game
    moments: Mapping[str, frozenset[str]] = getattr(MOMENTS[game], kind)
    if len(clauses(given)) > MOST_CLAUSES:
        raise SheetError(
            f"{kind}: it has {len(clauses(given))} moments, and {MOST_CLAUSES} are allowed; join some with 'or'"
        )
    done = []
    for clause in clauses(given):
        if clause.at not in moments:
            known = f"it is {listed(moments)}" if moments else f"{game} has none; leave it out"
            raise SheetError(f"{kind}: '{clause.at}' is not a moment for this; {known}")
        when = _condition(f"{kind}, at '{clause.at}'", clause.when, replace(scope, known=moments[clause.at]))
        done.append(Timed(clause.at, when))
    return tuple(done)


def _condition(where: str, text: str, scope: Scope) -> Condition:
    try:
        return condition(text, scope)
    except FeltlabError as error:
        raise SheetError(f"{where}: {error}") from None


def _pay(where: str, text: str, rules: Mapping[str, str]) -> Fraction:
    """A printed pay, or the one that a house rule sets (`rule natural`)."""
    word = text.strip()
    if word.startswith(RULE_PAY):
        key = word.removeprefix(RULE_PAY).strip()
        if key not in rules:
            raise SheetError(f"{where}: there is no rule '{key}' to pay by; {nearest(key, rules)}")
        word = rules[key] if ":" in rules[key] else f"{rules[key]}:1"
    try:
        return parse_pay(word)
    except FeltlabError as error:
        raise SheetError(f"{where}: {error}") from None


def constants(settings: WagerSettings, definition: WagerDefinition, paytable: str) -> dict[str, Constant]:
    """The names for a table's choices in conditions: option, paytable, rule.soft17 and so on."""
    by_name = {"paytable": _choice("paytable", tuple(definition.paytable_ids()), paytable)}
    if settings.option is not None:
        by_name["option"] = _choice("option", settings.options, settings.option)
    for rule in settings.known_rules:
        if rule.values != ANY_RATIO:
            name = rule_name(rule)
            by_name[name] = _choice(name, rule.values, settings.rules[rule.key])
    return by_name


def rule_name(rule: HouseRule) -> str:
    """The name of a rule in conditions, for example rule.hole_card."""
    return "rule." + identifier(rule.key)


def _choice(name: str, values: tuple[str, ...], value: str) -> Constant:
    if values == YES_NO:
        return Constant(BOOL, int(value == "yes"))
    if all(item.isdecimal() for item in values):
        return Constant(INT, int(value))
    names = {identifier(item): place for place, item in enumerate(values)}
    return Constant(Type(name, names), values.index(value))


def identifier(word: str) -> str:
    """The name of a value in conditions: no_commission for `no-commission`, v9_11 for `9-11`."""
    name = word.replace("-", "_")
    return name if name[0].isalpha() else f"v{name}"
