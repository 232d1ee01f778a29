"""Mutants of the games' Python: comparisons, whole numbers, `and`, `or`, `not`, and the words that house rules go by."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager

from mutants import COMPARISONS, JOINS, Mutant, Source

SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
RULE_PARTS = ("key", "values", "default")  # of a HouseRule; its sentence is prose
READS_RULES = "house"  # the function that turns words into numbers
NO_CODE = ("annotation", "returns", "decorator_list")


def code_mutants(file: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a Python file, in its order."""
    return iter(sorted(_Finder(file, text).found, key=lambda mutant: mutant.start))


class _Finder(ast.NodeVisitor):
    """Walks the tree and keeps where it is: a mutant's id names the function or the constant that it is in."""

    def __init__(self, file: str, text: str) -> None:
        self.source = Source(file, text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.places: list[str] = []
        self.words = False  # are strings rules here, or prose?
        self.found: list[Mutant] = []
        self.visit(ast.parse(text))

    # ---- where it is

    def generic_visit(self, node: ast.AST) -> None:
        for field, value in ast.iter_fields(node):
            if field not in NO_CODE:
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, ast.AST):
                        self.visit(item)

    @contextmanager
    def inside(self, place: str, *, words: bool) -> Iterator[None]:
        before = self.words
        self.places.append(place)
        self.words = words
        yield
        self.words = before
        self.places.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        with self.inside(node.name, words=node.name == READS_RULES):
            self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        with self.inside(node.name, words=False):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A constant of the module that is a row of words, as YES_NO, is the values of house rules."""
        row = isinstance(node.value, ast.Tuple) and all(_is_word(item) for item in node.value.elts)
        with self.inside("", words=self.words or (row and not self.places)):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if not (isinstance(node.func, ast.Name) and node.func.id == "HouseRule"):
            self.generic_visit(node)
            return
        key = ast.literal_eval(node.args[0])
        for part, item in zip(RULE_PARTS, node.args, strict=False):
            with self.inside(f"rule {key}, {part}", words=True):
                self.visit(item)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not _is_word(node.value):  # a docstring
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A message, not a rule."""

    # ---- what it changes

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            sign = SIGNS[type(operator)]
            self.between(left, right, sign, COMPARISONS[sign])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = "and" if isinstance(node.op, ast.And) else "or"
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, word, JOINS[word])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            start = self.start(node)
            spelt = re.compile(r"not\s*").match(self.source.text, start)
            assert spelt is not None
            self.change(start, spelt[0], "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        start, end = self.start(node), self.end(node)
        old = self.source.text[start:end]
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            self.change(start, old, str(node.value + 1))
        elif self.words and isinstance(node.value, str):
            self.change(start, old, f"{old[:-1]}X{old[-1]}")

    def between(self, left: ast.expr, right: ast.expr, sign: str, new: str) -> None:
        """Replace the operator between two operands; the tree does not say where it stands, brackets may be about."""
        pattern = re.compile(r"\s+".join(map(re.escape, sign.split())))
        found = pattern.search(self.source.text, self.end(left), self.start(right))
        assert found is not None
        self.change(found.start(), found[0], new)

    def change(self, start: int, old: str, new: str) -> None:
        place = ", ".join(filter(None, self.places))
        self.found.append(self.source.mutant(start, old, new, place, self.span(start, len(old))))

    def span(self, start: int, length: int) -> tuple[int, int] | None:
        """The line around a change, as its id tells it, but without prose: no comment, nothing of a house rule."""
        if self.places[-1:] and self.places[-1].startswith("rule "):
            return None
        text = self.source.text
        first = text.rfind("\n", 0, start) + 1
        rest = text[start + length :].partition("\n")[0].partition("  #")[0]
        return first, start + length + len(rest)

    def start(self, node: ast.expr) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def offset(self, line: int, column: int) -> int:
        """Characters from the beginning; the tree counts a line's columns in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
