"""The types of the service for the page, from its OpenAPI document: `make types` writes them, `make check` compares them.

python tools/typescript.py            write frontend/src/api/schema.ts
python tools/typescript.py --check    say whether it is what would be written
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from feltlab.web.app import openapi

FILE = Path(__file__).parents[1] / "frontend" / "src" / "api" / "schema.ts"
HEAD = "/** The service's shapes. Written by tools/typescript.py from the OpenAPI document (`make types`): change those instead. */\n"
WIDTH = 120
Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    """A schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(part) for part in schema["anyOf"]))
    match schema.get("type"):
        case "array":
            return _list(schema)
        case "object":
            values = schema.get("additionalProperties")
            return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as kind:
            return str(kind)
    return "unknown"


def _list(schema: Schema) -> str:
    inner = type_of(schema.get("items", {}))
    if schema.get("minItems") == schema.get("maxItems") == 2:
        return f"[{inner}, {inner}]"
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def declaration(name: str, schema: Schema) -> str:
    """A component as an interface, or a name for what it can be."""
    if "properties" not in schema:
        return f"{_comment(schema.get('description', ''))}export type {name} = {type_of(schema)};\n"
    required = schema.get("required", [])
    fields = [
        f"  {field}{'' if field in required else '?'}: {type_of(part)};\n"
        for field, part in schema["properties"].items()
    ]
    return f"{_comment(schema.get('description', ''))}export interface {name} {{\n{''.join(fields)}}}\n"


def _comment(text: str) -> str:
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, WIDTH - 3) or [""]]
    if len(lines) < 2 and len(text) < WIDTH - 8:
        return f"/** {text} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def typescript(document: Schema) -> str:
    """All shapes of a document."""
    shapes = document["components"]["schemas"]
    return "\n".join([HEAD, *(declaration(name, shapes[name]) for name in sorted(shapes))])


def main() -> None:
    """The command."""
    text = typescript(openapi())
    if "--check" not in sys.argv:
        FILE.write_text(text)
    elif not FILE.exists() or FILE.read_text() != text:
        sys.exit("frontend/src/api/schema.ts is not what the service says: run make types, and commit what it writes")


if __name__ == "__main__":
    main()
