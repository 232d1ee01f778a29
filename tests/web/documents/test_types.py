"""The page's types are what the service's OpenAPI document says."""

import importlib.util
import re

from feltlab.web.app import openapi
from support.paths import ROOT

_spec = importlib.util.spec_from_file_location("typescript", ROOT / "tools" / "typescript.py")
typescript = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(typescript)


def test_the_pages_types_are_up_to_date():
    assert typescript.FILE.read_text() == typescript.typescript(openapi()), "run make types"


def test_schemas_become_types():
    for schema, type_ in [
        ({"type": "integer"}, "number"),
        ({"$ref": "#/components/schemas/Now"}, "Now"),
        ({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "(number | null)[]"),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}, "[string, string]"),
        ({"type": "object", "additionalProperties": {"enum": ["a", "b"]}}, 'Record<string, "a" | "b">'),
        ({"type": "object"}, "Record<string, unknown>"),
        ({}, "unknown"),
    ]:
        assert typescript.type_of(schema) == type_


def test_events_are_a_union_told_apart_by_their_name():
    text = typescript.FILE.read_text()
    names = re.search(r"export type TableEvent = (.*);", text)[1].split(" | ")
    tags = [re.search(rf'export interface {name} {{\n  event: "([a-z-]+)";', text)[1] for name in names]
    assert len(names) > 30 and len(set(tags)) == len(tags)


def test_every_shape_is_known():
    text = typescript.FILE.read_text()
    declared = set(re.findall(r"export (?:interface|type) (\w+)", text))
    used = set(re.findall(r"\b[A-Z]\w+\b", re.sub(r"/\*\*.*?\*/|\"[^\"]*\"", "", text, flags=re.DOTALL))) - {"Record"}
    assert used == declared
