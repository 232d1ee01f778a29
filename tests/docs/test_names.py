"""A name means one thing: no public class of the package shares its name with another."""

import ast
from collections import defaultdict
from pathlib import Path

import feltlab

PACKAGE = Path(feltlab.__file__).parent


def public_classes():
    """The modules of each public class, by its name."""
    modules = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(str(path.relative_to(PACKAGE)))
    return modules


def test_no_class_name_is_used_twice():
    assert {name: modules for name, modules in public_classes().items() if len(modules) > 1} == {}
