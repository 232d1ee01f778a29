"""What a condition means: names resolved, types checked, constants filled in, and a function to evaluate it.

A `Scope` is what a condition may name in one place of a sheet: the game's vocabulary, the constants of the table (its
option, paytable and rules), the sheet's own definitions, and the facts that are known at that point.

>>> from feltlab.wagers.blackjack_facts import VOCABULARY
>>> condition("pair(first, second) and rank(first) == ace", Scope(VOCABULARY)).atoms
(pair(first, second), rank(first))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from feltlab.errors import FeltlabError, listed, nearest
from feltlab.wagers.facts import Detail, Vocabulary
from feltlab.wagers.language import (
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
    parse,
)
from feltlab.wagers.types import BOOL, INT, RANK, Type, comparable

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
    """One thing that a condition looks at: a fact, or a question about cards. Its values are `low` to `high`."""

    text: str
    low: int
    high: int
    function: Callable[..., int] | None = field(compare=False)
    fields: tuple[int, ...] = field(compare=False)
    given: tuple[int, ...] = field(default=(), compare=False)  # what the function is told before the cards
    detail: Detail | None = field(default=None, compare=False)  # how closely it looks at its cards; None for a fact

    def read(self, view: tuple[int, ...]) -> int:
        """Its value in a view."""
        if self.function is None:
            return view[self.fields[0]]
        return self.function(*self.given, *(view[place] for place in self.fields))

    def __repr__(self) -> str:
        return self.text


class Constant(NamedTuple):
    """A name whose value is fixed at a table: the option, the paytable, a house rule."""

    type: Type
    value: int


@dataclass(frozen=True)
class Scope:
    """What a condition may name in one place of a sheet. `known` of None means that every fact is known."""

    vocabulary: Vocabulary
    constants: Mapping[str, Constant] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] | None = None
    too_early: str = "it is not known at this point"


@dataclass(frozen=True)
class Condition:
    """A checked condition: the atoms it looks at, the constants it used, and how to evaluate it."""

    text: str
    atoms: tuple[Atom, ...]
    constants: frozenset[str]
    size: int  # how many parts it has, definitions written out
    evaluate: Evaluate = field(compare=False, repr=False)

    def holds(self, view: tuple[int, ...]) -> bool:
        """Is it so in this view?"""
        return self.holds_by(lambda atom: atom.read(view))

    def holds_by(self, read: Callable[[Atom], int]) -> bool:
        """Is it so, if the atoms have these values?"""
        return bool(self.evaluate([read(atom) for atom in self.atoms]))


def condition(text: str, scope: Scope) -> Condition:
    """Check a condition and make it ready to be evaluated. Raises `ConditionError` with the place of a mistake."""
    checker = _Checker(scope)
    evaluate = checker.boolean(parse(text), text)
    return Condition(text, tuple(checker.atoms), frozenset(checker.constants), checker.size, evaluate)


class _Typed(NamedTuple):
    type: Type
    evaluate: Evaluate


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
        self.size += 1
        self.depth += 1
        if self.size > MOST_PARTS or self.depth > DEEPEST:
            raise ConditionError(text, node.at, "with its definitions written out, the condition is too long")
        found = self.meaning(node, text)
        self.depth -= 1
        return found

    def meaning(self, node: Node, text: str) -> _Typed:
        match node:
            case Number(_, value):
                return _Typed(INT, lambda _: value)
            case Name():
                found = self.named(node, text)
                if found is None:
                    raise ConditionError(text, node.at, f"unknown fact '{node.name}'; {self.hint(node.name)}")
                return found
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
        ends: list[tuple[Evaluate, Evaluate]] = []
        item: _Typed | None = None
        for low, high in node.choices:
            item, first = self.pair(node.item, low, text)
            _, last = self.pair(node.item, high, text)
            if low is not high and not item.type.ordered:
                raise ConditionError(text, low.at, f"a range needs numbers, but this is {item.type.describe()}")
            ends.append((first.evaluate, last.evaluate))
        assert item is not None  # the grammar has at least one choice
        value = item.evaluate
        return _Typed(BOOL, lambda values: any(low(values) <= value(values) <= high(values) for low, high in ends))

    def pair(self, left: Node, right: Node, text: str) -> tuple[_Typed, _Typed]:
        """Two sides of a comparison. A named value (ace, push) gets its meaning from the side that is a fact."""
        first = self.maybe(left, text)
        second = self.maybe(right, text)
        if first is None and second is None:
            raise ConditionError(text, left.at, f"unknown fact '{_name(left)}'; {self.hint(_name(left))}")
        if first is None:
            assert second is not None
            first = self.value_of(left, second.type, text)
        if second is None:
            second = self.value_of(right, first.type, text)
        if not comparable(first.type, second.type):
            raise ConditionError(
                text, right.at, f"{first.type.describe()} cannot be compared with {second.type.describe()}"
            )
        return first, second

    def maybe(self, node: Node, text: str) -> _Typed | None:
        return self.named(node, text) if isinstance(node, Name) else self.typed(node, text)

    def value_of(self, node: Node, kind: Type, text: str) -> _Typed:
        name = _name(node)
        if name not in kind.names:
            if kind.names:
                raise ConditionError(text, node.at, f"'{name}' is not {kind.describe()}; {nearest(name, kind.names)}")
            raise ConditionError(text, node.at, f"unknown fact '{name}'; {self.hint(name)}")
        value = kind.names[name]
        return _Typed(kind, lambda _: value)

    def named(self, node: Name, text: str) -> _Typed | None:
        """A fact, a constant, a definition, always or never; None where the name is none of these."""
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
            raise ConditionError(text, node.at, f"'{name}' is a card; ask something of it, as rank({name}) == ace")
        return None

    def defined(self, node: Name, text: str) -> _Typed:
        if node.name in self.open_definitions:
            raise ConditionError(text, node.at, f"the definition of '{node.name}' uses itself")
        self.open_definitions.append(node.name)
        try:
            inner = self.scope.definitions[node.name]
            return _Typed(BOOL, self.boolean(parse(inner), inner))
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
        raise ConditionError(text, argument.at, f"{node.name}(...) takes a rank first, as {node.name}(ace, first)")

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


RESERVED = ("always", "never", "and", "or", "not", "in")


def check_definitions(scope: Scope) -> None:
    """Every definition of a sheet must be a condition by itself, used or not."""
    for name in scope.definitions:
        taken = (*scope.vocabulary.facts, *scope.vocabulary.cards, *scope.constants, *RESERVED)
        if name in taken:
            raise FeltlabError(
                f"the definition '{name}' has the name of a fact or a word of the language; choose another"
            )
        condition(name, scope)
