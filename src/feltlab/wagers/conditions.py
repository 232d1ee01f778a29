"""The meaning of a condition: names resolved, types checked, constants filled in, and a function to evaluate it.

A `Scope` is what a condition may name at one place in a sheet: the game's vocabulary, the constants of the table (its
option, paytable and rules), the sheet's own definitions, and the facts that are known at that point.

>>> from feltlab.wagers.blackjack_facts import VOCABULARY
>>> condition("pair(first, second) and rank(first) == ace", Scope(VOCABULARY)).atoms
(pair(first, second), rank(first))
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from feltlab.errors import FeltlabError, listed, nearest
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.facts import Detail, Vocabulary
from feltlab.wagers.language import (
    WORDS,
    Call,
    Compare,
    ConditionError,
    Join,
    Name,
    Node,
    Not,
    Number,
    Sum,
    Within,
)
from feltlab.wagers.types import BOOL, COLOR, INT, RANK, SUIT, Type, comparable

MOST_PARTS = 500
DEEPEST = 60

Values = Sequence[int]
Evaluate = Callable[[Values], int]

_SIGNS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Atom:
    """Something that a condition looks at: a fact or a question about cards, with values from `low` to `high`."""

    text: str
    low: int
    high: int
    function: Callable[..., int] | None = field(compare=False)
    fields: tuple[int, ...] = field(compare=False)
    given: tuple[int, ...] = field(default=(), compare=False)  # the function's arguments before the cards
    detail: Detail | None = field(default=None, compare=False)  # how closely it looks at its cards; None for a fact

    def read(self, view: tuple[int, ...]) -> int:
        """Its value in a view."""
        if self.function is None:
            return view[self.fields[0]]
        return self.function(*self.given, *(view[place] for place in self.fields))

    def __repr__(self) -> str:
        return self.text


class Constant(NamedTuple):
    """A name whose value is fixed for a table: the option, the paytable, a house rule."""

    type: Type
    value: int


@dataclass(frozen=True)
class Scope:
    """What a condition may name at one place in a sheet. If `known` is None, every fact is known."""

    vocabulary: Vocabulary
    constants: Mapping[str, Constant] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] | None = None
    too_early: str = "it is not known at this point"
    work: WorkBudget = field(default_factory=WorkBudget, compare=False)


@dataclass(frozen=True)
class Condition:
    """A checked condition: the atoms it looks at, the constants it uses, and how to evaluate it."""

    text: str
    atoms: tuple[Atom, ...]
    constants: frozenset[str]
    size: int  # the most parts that are evaluated, with definitions expanded
    evaluate: Evaluate = field(compare=False, repr=False)

    def holds(self, view: tuple[int, ...]) -> bool:
        """Whether it holds in this view."""
        return self.holds_by(lambda atom: atom.read(view))

    def holds_by(self, read: Callable[[Atom], int]) -> bool:
        """Whether it holds given the atoms' values."""
        return bool(self.evaluate([read(atom) for atom in self.atoms]))


def condition(text: str, scope: Scope) -> Condition:
    """Check a condition and compile it. Raises `ConditionError` with the position of a mistake."""
    checker = _Checker(scope)
    evaluate = checker.boolean(scope.work.tree(text), text)
    return Condition(text, tuple(checker.atoms), frozenset(checker.constants), checker.size, evaluate)


class _Typed(NamedTuple):
    type: Type
    evaluate: Evaluate
    literal: int | None = None  # its value, where it is a literal in the condition


class _Checker:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.atoms: dict[Atom, int] = {}
        self.constants: set[str] = set()
        self.open_definitions: list[str] = []
        self.size = 0
        self.depth = 0

    def boolean(self, node: Node, text: str) -> Evaluate:
        typed = self.typed(node, text)
        if typed.type != BOOL:
            raise ConditionError(text, node.at, f"a condition is needed here, but this is {typed.type.describe()}")
        return typed.evaluate

    def typed(self, node: Node, text: str) -> _Typed:
        self.count(node, text)
        self.depth += 1
        if self.depth > DEEPEST:
            raise ConditionError(
                text, node.at, f"with its definitions expanded, the condition is too long: more than {DEEPEST} deep"
            )
        typed = self.resolved(node, text)
        self.depth -= 1
        return typed

    def count(self, node: Node, text: str) -> None:
        """Count a part: each name, number, question, operator and member of a set is one."""
        self.size += 1
        self.scope.work.read(1)
        if self.size > MOST_PARTS:
            raise ConditionError(
                text,
                node.at,
                f"with its definitions expanded, the condition is too long: more than {MOST_PARTS} parts; shorten it",
            )

    def resolved(self, node: Node, text: str) -> _Typed:
        match node:
            case Number(_, value):
                return _Typed(INT, lambda _: value, value)
            case Name():
                typed = self.named(node, text)
                if typed is None:
                    raise ConditionError(text, node.at, f"unknown fact '{node.name}'; {self.hint(node.name)}")
                return typed
            case Call():
                return self.called(node, text)
            case Not(_, item):
                inner = self.boolean(item, text)
                return _Typed(BOOL, lambda values: not inner(values))
            case Join(_, word, items):
                parts = [self.boolean(item, text) for item in items]
                join = all if word == "and" else any
                return _Typed(BOOL, lambda values: join(part(values) for part in parts))
            case Compare(at, sign, left, right):
                return self.compared(at, sign, left, right, text)
            case Within():
                return self.within(node, text)
            case Sum(_, left, sign, right):
                first, second = self.number(left, text), self.number(right, text)
                return _Typed(INT, lambda values: first(values) + sign * second(values))

    def number(self, node: Node, text: str) -> Evaluate:
        typed = self.typed(node, text)
        if not typed.type.ordered:
            raise ConditionError(text, node.at, f"only numbers can be added, but this is {typed.type.describe()}")
        return typed.evaluate

    def compared(self, at: int, sign: str, left: Node, right: Node, text: str) -> _Typed:
        first, second = self.pair(left, right, text)
        if sign not in ("==", "!=") and not (first.type.ordered and second.type.ordered):
            raise ConditionError(text, at, f"'{sign}' compares numbers, but this is {first.type.describe()}")
        one, other, compare = first.evaluate, second.evaluate, _SIGNS[sign]
        return _Typed(BOOL, lambda values: compare(one(values), other(values)))

    def within(self, node: Within, text: str) -> _Typed:
        """`item in {...}`: the item is evaluated once, and literal members are found by binary search."""
        written: list[tuple[int, int, int]] = []
        others: list[tuple[Evaluate, Evaluate]] = []
        item: _Typed | None = None
        for low, high in node.choices:
            if item is None:
                item, first = self.pair(node.item, low, text)
            else:
                first = self.member(item, low, text)
            if low is not high and not item.type.ordered:
                raise ConditionError(text, low.at, f"a range needs numbers, but this is {item.type.describe()}")
            last = first if low is high else self.member(item, high, text)
            if first.literal is None or last.literal is None:
                others.append((first.evaluate, last.evaluate))
            elif first.literal <= last.literal:
                written.append((first.literal, last.literal, low.at))
        assert item is not None  # the grammar has at least one choice
        written.sort()
        for before, after in pairwise(written):
            if after[0] <= before[1]:
                at = max(before[2], after[2])
                raise ConditionError(text, at, "this value is in the set already; write each value once")
        value = item.evaluate
        lows, highs = [low for low, _, _ in written], [high for _, high, _ in written]

        def holds(values: Values) -> bool:
            wanted = value(values)
            place = bisect_right(lows, wanted)
            if place and wanted <= highs[place - 1]:
                return True
            return any(low(values) <= wanted <= high(values) for low, high in others)

        return _Typed(BOOL, holds)

    def pair(self, left: Node, right: Node, text: str) -> tuple[_Typed, _Typed]:
        """Both sides of a comparison. A named value (ace, push) takes its type from the side that is a fact."""
        if isinstance(right, Name) and right.name in self.named_values(left):
            first = self.typed(left, text)
            return first, self.value_of(right, first.type, text)
        if isinstance(left, Name) and left.name in self.named_values(right):
            second = self.typed(right, text)
            return self.value_of(left, second.type, text), second
        one, other = self.maybe(left, text), self.maybe(right, text)
        if one is None and other is None:
            raise ConditionError(text, left.at, f"unknown fact '{_name(left)}'; {self.hint(_name(left))}")
        if one is None:
            assert other is not None
            one = self.value_of(left, other.type, text)
        if other is None:
            other = self.value_of(right, one.type, text)
        self.must_compare(one, other, right, text)
        return one, other

    def member(self, item: _Typed, node: Node, text: str) -> _Typed:
        """Another member of the set that an item is compared with."""
        named = isinstance(node, Name) and node.name in item.type.names
        typed = None if named else self.maybe(node, text)
        if typed is None:
            typed = self.value_of(node, item.type, text)
        self.must_compare(item, typed, node, text)
        return typed

    def must_compare(self, one: _Typed, other: _Typed, node: Node, text: str) -> None:
        if not comparable(one.type, other.type):
            raise ConditionError(
                text, node.at, f"{one.type.describe()} cannot be compared with {other.type.describe()}"
            )

    def named_values(self, node: Node) -> Mapping[str, int]:
        """The named values of a fact, a choice of the table or a question; none for anything else."""
        vocabulary, constants = self.scope.vocabulary, self.scope.constants
        if isinstance(node, Name) and node.name in vocabulary.facts:
            return vocabulary.facts[node.name].type.names
        if isinstance(node, Name) and node.name in constants:
            return constants[node.name].type.names
        if isinstance(node, Call) and node.name in vocabulary.functions:
            return vocabulary.functions[node.name].type.names
        return {}

    def maybe(self, node: Node, text: str) -> _Typed | None:
        if not isinstance(node, Name):
            return self.typed(node, text)
        typed = self.named(node, text)
        if typed is not None:
            self.count(node, text)
        return typed

    def value_of(self, node: Node, kind: Type, text: str) -> _Typed:
        name = _name(node)
        self.count(node, text)
        if name not in kind.names:
            if kind.names:
                raise ConditionError(text, node.at, f"'{name}' is not {kind.describe()}; {nearest(name, kind.names)}")
            raise ConditionError(text, node.at, f"unknown fact '{name}'; {self.hint(name)}")
        value = kind.names[name]
        return _Typed(kind, lambda _: value, value)

    def named(self, node: Name, text: str) -> _Typed | None:
        """A fact, a constant, a definition, always or never; None for any other name."""
        name = node.name
        if name in ("always", "never"):
            return _Typed(BOOL, lambda _: int(name == "always"))
        if name in self.scope.vocabulary.facts:
            fact = self.scope.vocabulary.facts[name]
            self.must_be_known(node, name, fact.known, text)
            return _Typed(fact.type, self.atom(Atom(name, fact.low, fact.high, None, (self.place(fact.field),))))
        if name in self.scope.constants:
            constant = self.scope.constants[name]
            self.constants.add(name)
            return _Typed(constant.type, lambda _: constant.value)
        if name in self.scope.definitions:
            return self.defined(node, text)
        if name in self.scope.vocabulary.cards:
            raise ConditionError(
                text, node.at, f"'{name}' is a card; ask a question about it, for example rank({name}) == ace"
            )
        return None

    def defined(self, node: Name, text: str) -> _Typed:
        if node.name in self.open_definitions:
            raise ConditionError(text, node.at, f"the definition of '{node.name}' uses itself")
        self.open_definitions.append(node.name)
        try:
            inner = self.scope.definitions[node.name]
            return _Typed(BOOL, self.boolean(self.scope.work.tree(inner), inner))
        except ConditionError as error:
            raise ConditionError(text, node.at, f"in the definition of '{node.name}': {error}") from None
        finally:
            self.open_definitions.pop()

    def called(self, node: Call, text: str) -> _Typed:
        functions = self.scope.vocabulary.functions
        if node.name not in functions:
            raise ConditionError(text, node.at, f"unknown question '{node.name}(...)'; {nearest(node.name, functions)}")
        function = functions[node.name]
        arguments = list(node.arguments)
        given = (self.rank(arguments.pop(0), node, text),) if function.by_rank else ()
        count = len(arguments)
        if not function.fewest <= count <= function.most:
            wants = listed(sorted({function.fewest, function.most}), "to")
            raise ConditionError(text, node.at, f"{node.name}(...) takes {wants} cards, not {count}")
        names = [self.card(argument, node, text) for argument in arguments]
        if len(set(names)) < count:
            raise ConditionError(text, node.at, f"{node.name}(...) names the same card twice")
        high = function.high
        if high is None:
            high = count if function.by_rank else count - 1
        places = tuple(self.place(name.replace(".", "_")) for name in names)
        spoken = ", ".join([*(str(rank) for rank in given), *names])
        return _Typed(
            function.type,
            self.atom(Atom(f"{node.name}({spoken})", 0, high, function.function, places, given, function.detail)),
        )

    def rank(self, argument: Name | Number, node: Call, text: str) -> int:
        if isinstance(argument, Number) and 2 <= argument.value <= 10:
            return argument.value
        if isinstance(argument, Name) and argument.name in RANK.names:
            return RANK.names[argument.name]
        raise ConditionError(
            text, argument.at, f"{node.name}(...) takes a rank first, for example {node.name}(ace, first)"
        )

    def card(self, argument: Name | Number, node: Call, text: str) -> str:
        if not isinstance(argument, Name):
            raise ConditionError(text, argument.at, f"{node.name}(...) takes names of cards, not {argument.value}")
        known = self.scope.vocabulary.cards
        if argument.name not in known:
            raise ConditionError(text, argument.at, f"'{argument.name}' is not a card; {nearest(argument.name, known)}")
        self.must_be_known(argument, argument.name, known[argument.name], text)
        return argument.name

    def must_be_known(self, node: Name, name: str, known: str, text: str) -> None:
        if self.scope.known is not None and known not in self.scope.known:
            raise ConditionError(text, node.at, f"'{name}' cannot be used here: {self.scope.too_early}")

    def place(self, name: str) -> int:
        fields: tuple[str, ...] = self.scope.vocabulary.view._fields  # type: ignore[attr-defined] # a named tuple
        return fields.index(name)

    def atom(self, atom: Atom) -> Evaluate:
        place = self.atoms.setdefault(atom, len(self.atoms))
        return lambda values: values[place]

    def hint(self, name: str) -> str:
        scope = self.scope
        return nearest(name, [*scope.vocabulary.facts, *scope.constants, *scope.definitions])


def _name(node: Node) -> str:
    assert isinstance(node, Name)  # only a bare name can be without a type
    return node.name


CHOICES = ("option", "paytable", "rule")


def check_definitions(scope: Scope) -> None:
    """Check that every definition of a sheet has a name of its own and is a valid condition, used or not."""
    for name in scope.definitions:
        if what := _taken(name, scope):
            raise FeltlabError(f"the definition '{name}' has the name of {what}; choose another name")
    for name in scope.definitions:
        condition(name, scope)


def _taken(name: str, scope: Scope) -> str | None:
    """What a name already means in every condition; a definition of that name would change conditions."""
    vocabulary = scope.vocabulary
    if name in WORDS or name in ("always", "never"):
        return "a word of the language"
    if name in vocabulary.facts:
        return "a fact"
    if name in vocabulary.cards:
        return "a card"
    if name in vocabulary.functions:
        return "a question about cards"
    if name in scope.constants or name in CHOICES:
        return "a choice of the table"
    types = [RANK, SUIT, COLOR, *(fact.type for fact in vocabulary.facts.values())]
    if of := next((kind.name for kind in types if name in kind.names), None):
        return f"a value (a {of})"
    return None
