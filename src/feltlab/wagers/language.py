"""The small language of a sheet's conditions: a parser from text to tree, which reports the position of a mistake.

    condition   stood and cards == 2 and total in {19, 20} and not split
    grammar     or > and > not > comparison (== != < <= > >= in) > sum (+ -) > value
    value       a number, a fact, a named value (ace, hearts, push), a question about cards (pair(first, second)),
                a condition in brackets, always, never

No text is ever evaluated as Python: a tree is data, and `conditions` gives it its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from feltlab.errors import FeltlabError

LONGEST = 2000
DEEPEST = 40
MOST_TERMS = 20


class ConditionError(FeltlabError):
    """A mistake in a condition, with its position, counted from 1."""

    def __init__(self, text: str, position: int, what: str) -> None:
        self.position = position + 1
        short = text if len(text) <= 60 else text[:57] + "..."
        super().__init__(f"{what} (at character {self.position} of '{short}')")


class Number(NamedTuple):
    """A number as written."""

    at: int
    value: int


class Name(NamedTuple):
    """A bare name: a fact, a constant, a definition, or a named value."""

    at: int
    name: str


class Call(NamedTuple):
    """A question about named cards."""

    at: int
    name: str
    arguments: tuple[Name | Number, ...]


class Not(NamedTuple):
    """The negation of a condition."""

    at: int
    item: Node


class Join(NamedTuple):
    """Items joined by `and` or `or`."""

    at: int
    word: str
    items: tuple[Node, ...]


class Compare(NamedTuple):
    """Two values and a comparison between them."""

    at: int
    sign: str
    left: Node
    right: Node


class Within(NamedTuple):
    """`item in 19..21` or `item in {8, 9, ace}`: each choice is a pair of ends, both included."""

    at: int
    item: Node
    choices: tuple[tuple[Node, Node], ...]


class Sum(NamedTuple):
    """Two numbers added or subtracted."""

    at: int
    left: Node
    sign: int
    right: Node


Node = Number | Name | Call | Not | Join | Compare | Within | Sum

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)|(?P<sign>==|!=|<=|>=|\.\.|[<>(){},+-])|(?P<wrong>\S))",
    re.ASCII,
)
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
WORDS = frozenset(("and", "or", "not", "in"))
"""Reserved words: no fact or definition may have such a name."""
_HINTS = {"=": "write == to compare", "&": "write and", "|": "write or", "!": "write not, or !=", "'": "names need no quotes", '"': "names need no quotes"}  # fmt: skip


class _Token(NamedTuple):
    at: int
    kind: str
    text: str


def parse(text: str) -> Node:
    """Parse a condition into a tree.

    >>> parse("total == 20 and not soft")
    Join(at=12, word='and', items=(Compare(at=6, sign='==', left=Name(at=0, name='total'), right=Number(at=9, value=20)), Not(at=16, item=Name(at=20, name='soft'))))
    """
    if len(text) > LONGEST:
        raise ConditionError(text, LONGEST, f"a condition is at most {LONGEST} characters long")
    return _Parser(text).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end = len(text.rstrip())
    place = 0
    while place < end:
        match = _TOKEN.match(text, place)
        assert match is not None and match.lastgroup is not None  # the last alternative takes any character
        token = _Token(match.start(match.lastgroup), match.lastgroup, match[match.lastgroup])
        if token.kind == "wrong":
            hint = _HINTS.get(token.text)
            raise ConditionError(text, token.at, f"'{token.text}' means nothing here" + (f"; {hint}" if hint else ""))
        if token.kind == "number" and len(token.text) > 6:
            raise ConditionError(text, token.at, "this number is larger than any fact of a card game")
        found.append(token)
        place = match.end()
    found.append(_Token(end, "end", "the end"))
    return found


class _Parser:
    """A recursive descent parser with one method per level of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.place = 0
        self.depth = 0

    def whole(self) -> Node:
        if self.next.kind == "end":
            raise ConditionError(self.text, 0, "the condition is empty; a line for everything else says 'always'")
        node = self.either()
        if self.next.kind != "end":
            raise self.wrong(f"'{self.next.text}' was not expected here")
        return node

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self) -> _Token:
        token = self.next
        self.place += 1
        return token

    def has(self, *texts: str) -> bool:
        return self.next.kind != "number" and self.next.text in texts

    def expect(self, text: str, why: str) -> _Token:
        if not self.has(text):
            raise self.wrong(f"'{text}' is missing before {self.next.text!r}: {why}")
        return self.take()

    def wrong(self, what: str) -> ConditionError:
        return ConditionError(self.text, self.next.at, what)

    def either(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"this is nested more than {DEEPEST} deep")
        node = self.joined("or", lambda: self.joined("and", self.negated))
        self.depth -= 1
        return node

    def joined(self, word: str, item: Callable[[], Node]) -> Node:
        items = [item()]
        at = self.next.at
        while self.has(word):
            self.take()
            items.append(item())
        return items[0] if len(items) == 1 else Join(at, word, tuple(items))

    def negated(self) -> Node:
        if not self.has("not"):
            return self.compared()
        at = self.take().at
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"this is nested more than {DEEPEST} deep")
        node = Not(at, self.negated())
        self.depth -= 1
        return node

    def compared(self) -> Node:
        left = self.summed()
        if self.has("in"):
            at = self.take().at
            return Within(at, left, self.choices())
        if self.next.text not in _COMPARISONS:
            return left
        sign = self.take()
        right = self.summed()
        if self.next.text in _COMPARISONS:
            raise self.wrong("comparisons cannot be chained; join two with 'and', or write 'in 19..21'")
        return Compare(sign.at, sign.text, left, right)

    def choices(self) -> tuple[tuple[Node, Node], ...]:
        if not self.has("{"):
            return (self.range(),)
        self.take()
        found = [self.range()]
        while self.has(","):
            self.take()
            found.append(self.range())
        self.expect("}", "it ends a set such as {8, 9, ace}")
        return tuple(found)

    def range(self) -> tuple[Node, Node]:
        low = self.summed()
        if not self.has(".."):
            return low, low
        self.take()
        return low, self.summed()

    def summed(self) -> Node:
        node = self.value()
        terms = 1
        while self.has("+", "-"):
            sign = self.take()
            terms += 1
            if terms > MOST_TERMS:
                raise self.wrong(f"a sum has at most {MOST_TERMS} terms")
            node = Sum(sign.at, node, 1 if sign.text == "+" else -1, self.value())
        return node

    def value(self) -> Node:
        token = self.take()
        if token.kind == "number":
            return Number(token.at, int(token.text))
        if token.text == "(":
            node = self.either()
            self.expect(")", "a bracket is still open")
            return node
        if token.kind == "name" and token.text not in WORDS:
            return self.call(token) if self.has("(") else Name(token.at, token.text)
        self.place -= 1
        raise self.wrong(f"a fact, a number or a bracket is missing before {token.text!r}")

    def call(self, function: _Token) -> Call:
        self.take()
        arguments = [self.argument(function)]
        while self.has(","):
            self.take()
            arguments.append(self.argument(function))
        self.expect(")", f"it ends {function.text}(...)")
        return Call(function.at, function.text, tuple(arguments))

    def argument(self, function: _Token) -> Name | Number:
        token = self.next
        if token.kind == "number":
            return Number(self.take().at, int(token.text))
        if token.kind != "name" or token.text in WORDS:
            raise self.wrong(f"{function.text}(...) takes names of cards, not {token.text!r}")
        return Name(self.take().at, token.text)
