"""The shapes of requests: made of the types that are declared, they read what was sent and describe it for OpenAPI.

A body is a frozen msgspec struct whose fields have bounds (`feltlab.bounds`). Its shape makes it of plain JSON values, and
says of each mistake where it is and what would be right. The value itself is never repeated: it may be a password.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct

from feltlab.bounds import Between, Length, Pattern
from feltlab.errors import listed

REF = "#/components/schemas/{name}"
LONGEST_NAME = 60  # of those that a client made up and that are repeated to it
WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
Place: TypeAlias = tuple[str | int, ...]
Schema: TypeAlias = dict[str, Any]


class Mistake(NamedTuple):
    """Something wrong with a request: where, for example `("body", "bets", "main")`, and what would be right."""

    at: Place
    what: str


class Mistakes(list[Mistake]):
    """All that is wrong with a request."""

    def note(self, at: Place, what: str) -> None:
        """Add one. What is read in its place is not used."""
        self.append(Mistake(at, what))


class Shape(ABC):
    """How values of a type are read and described."""

    parts: tuple[Shape, ...] = ()

    @abstractmethod
    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """What plain JSON values mean as this type."""

    @abstractmethod
    def schema(self) -> Schema:
        """The shape in the OpenAPI document."""

    def read_text(self, text: str, at: Place, mistakes: Mistakes) -> Any:
        """What a part of an address or a header means as this type."""
        return self.read(text, at, mistakes)


class NumberShape(Shape):
    """A number, whole or not."""

    def __init__(self, kind: type[int | float], bounds: Between) -> None:
        self._kind, self._whole, self._bounds = kind, kind is int, bounds

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """A number; a whole one is written without a point."""
        if type(value) is not int and (self._whole or type(value) is not float):
            mistakes.note(at, "expected a whole number" if self._whole else "expected a number")
        elif value < self._bounds.least:
            mistakes.note(at, f"expected a number of at least {self._bounds.least:,}")
        elif value > self._bounds.most:
            mistakes.note(at, f"expected a number of at most {self._bounds.most:,}")
        else:
            return self._kind(value)
        return None

    def read_text(self, text: str, at: Place, mistakes: Mistakes) -> Any:
        """The digits of a whole number."""
        return self.read(int(text) if WHOLE.fullmatch(text) else text, at, mistakes)

    def schema(self) -> Schema:
        """With its bounds."""
        least, most = self._bounds
        return {"type": "integer" if self._whole else "number", "minimum": least, "maximum": most}


class TextShape(Shape):
    """A text."""

    def __init__(self, length: Length | None, pattern: Pattern | None) -> None:
        self._length, self._pattern = length, pattern
        self._matches = re.compile(pattern.expression, re.ASCII).fullmatch if pattern else None

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """A text, whose every letter can be written."""
        if type(value) is not str:
            mistakes.note(at, "expected a text")
        elif not value.isascii() and value.encode(errors="replace").decode() != value:
            mistakes.note(at, "expected a text whose letters can be written")
        elif self._length and len(value) < self._length.least:
            mistakes.note(at, f"expected a text of {_count(self._length.least, 'letter', 'letters')} or more")
        elif self._length and len(value) > self._length.most:
            mistakes.note(at, f"expected a text of at most {_count(self._length.most, 'letter', 'letters')}")
        elif self._matches and not self._matches(value):
            mistakes.note(at, "there is nothing of this name")
        return value

    def schema(self) -> Schema:
        """With its length and pattern."""
        pattern = {"pattern": f"^{self._pattern.expression}$"} if self._pattern else {}
        return {"type": "string", **_length_schema(self._length, "Length"), **pattern}


class WordShape(Shape):
    """One of a few words."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """Exactly one of them."""
        if value not in self._words:
            mistakes.note(at, f"expected {listed(self._words)}")
        return value

    def schema(self) -> Schema:
        """The words."""
        return {"type": "string", "enum": list(self._words)}


class ListShape(Shape):
    """A list of values of one shape."""

    def __init__(self, item: Shape, length: Length | None, make: Callable[[Iterable[Any]], Any] = list) -> None:
        self.parts, self._item, self._length, self._make = (item,), item, length, make

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """Item by item."""
        if type(value) is not list:
            return mistakes.note(at, "expected a list")
        if not _fits(value, self._length, at, mistakes):
            return None
        return self._make(self._item.read(part, (*at, place), mistakes) for place, part in enumerate(value))

    def schema(self) -> Schema:
        """With its length."""
        return {"type": "array", "items": self._item.schema(), **_length_schema(self._length, "Items")}


class MappingShape(Shape):
    """Names with values of one shape."""

    def __init__(self, name: Shape, value: Shape, length: Length | None) -> None:
        self.parts, self._name, self._value, self._length = (name, value), name, value, length

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """Entry by entry."""
        if type(value) is not dict:
            return mistakes.note(at, "expected names with values")
        if not _fits(value, self._length, at, mistakes):
            return None
        for name in value:
            self._name.read(name, (*at, shown(name), "[key]"), mistakes)
        return {name: self._value.read(part, (*at, shown(name)), mistakes) for name, part in value.items()}

    def schema(self) -> Schema:
        """With the shape of the names."""
        names = {key: part for key, part in self._name.schema().items() if key != "type"}
        return {
            "type": "object",
            **({"propertyNames": names} if names else {}),
            "additionalProperties": self._value.schema(),
            **_length_schema(self._length, "Properties"),
        }


class OptionalShape(Shape):
    """A value, or nothing."""

    def __init__(self, value: Shape) -> None:
        self.parts, self._value = (value,), value

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """`null` is nothing."""
        return None if value is None else self._value.read(value, at, mistakes)

    def schema(self) -> Schema:
        """Either of both."""
        return {"anyOf": [self._value.schema(), {"type": "null"}]}


class StructShape(Shape):
    """A struct, all of whose fields are known."""

    def __init__(self, kind: type[Struct]) -> None:
        self.kind, hints = kind, get_type_hints(kind, include_extras=True)
        self._fields = {field.name: field for field in msgspec.structs.fields(kind)}
        self._shapes = {name: shape_of(hints[name]) for name in self._fields}
        self.parts = tuple(self._shapes.values())
        self._required = [name for name, field in self._fields.items() if field.required]

    def read(self, value: Any, at: Place, mistakes: Mistakes) -> Any:
        """Field by field."""
        if type(value) is not dict:
            return mistakes.note(at, "expected names with values")
        before, given = len(mistakes), {}
        for name, shape in self._shapes.items():
            if name in value:
                given[name] = shape.read(value[name], (*at, name), mistakes)
            elif name in self._required:
                mistakes.note((*at, name), "this is missing")
        for name in value:
            if name not in self._shapes:
                mistakes.note((*at, shown(name)), "nothing of this name is known here")
        return self.kind(**given) if len(mistakes) == before else None

    def schema(self) -> Schema:
        """Where the document describes it."""
        return {"$ref": REF.format(name=self.kind.__name__)}

    def component(self) -> Schema:
        """What the document says there."""
        return {
            "title": self.kind.__name__,
            "description": inspect.getdoc(self.kind),
            "type": "object",
            "properties": {
                name: {**shape.schema(), **_default(self._fields[name])} for name, shape in self._shapes.items()
            },
            **({"required": self._required} if self._required else {}),
            "additionalProperties": False,
        }


@cache
def shape_of(kind: Any) -> Shape:
    """The shape of a type.

    >>> mistakes = Mistakes()
    >>> shape_of(Annotated[int, Between(1, 7)]).read(3, ("body", "spot"), mistakes), mistakes
    (3, [])
    >>> _ = shape_of(Annotated[dict[str, str], Length(1, 60)]).read({"soft17": 17}, ("body", "rules"), mistakes)
    >>> mistakes
    [Mistake(at=('body', 'rules', 'soft17'), what='expected a text')]
    """
    kind, *bounds = get_args(kind) if get_origin(kind) is Annotated else [kind]
    length = next((bound for bound in bounds if isinstance(bound, Length)), None)
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (int, float):
        between = next((bound for bound in bounds if isinstance(bound, Between)), None)
        if between is None:
            raise TypeError("a number that is sent has bounds")
        return NumberShape(kind, between)
    if kind is str:
        return TextShape(length, next((bound for bound in bounds if isinstance(bound, Pattern)), None))
    if origin is Literal:
        return WordShape(arguments)
    if origin in (list, Sequence):
        return ListShape(shape_of(arguments[0]), length)
    if origin is tuple and len(set(arguments)) == 1:
        return ListShape(shape_of(arguments[0]), Length(len(arguments), len(arguments)), tuple)
    if origin in (dict, Mapping):
        return MappingShape(shape_of(arguments[0]), shape_of(arguments[1]), length)
    if origin in (Union, UnionType) and len(arguments) == 2 and NoneType in arguments:
        return OptionalShape(shape_of(arguments[arguments[0] is NoneType]))
    if isinstance(kind, type) and issubclass(kind, Struct):
        return StructShape(kind)
    raise TypeError(f"a request cannot say {kind}")


def components(shapes: Iterable[Shape]) -> dict[str, Schema]:
    """The structs among shapes and their parts, as the document describes them."""
    described: dict[str, Schema] = {}
    for shape in shapes:
        if isinstance(shape, StructShape):
            described[shape.kind.__name__] = shape.component()
        described |= components(shape.parts)
    return described


def shown(name: str) -> str:
    r"""A name that a client made up, as it can be repeated to it.

    >>> shown("\ud800" + 70 * "x") == "?" + 59 * "x"
    True
    """
    if len(name) <= LONGEST_NAME and name.isascii():
        return name
    return name[:LONGEST_NAME].encode(errors="replace").decode()


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _fits(entries: list[Any] | dict[str, Any], length: Length | None, at: Place, mistakes: Mistakes) -> bool:
    """Whether there are as many entries as there may be; each is looked at only then."""
    if length and len(entries) < length.least:
        mistakes.note(at, f"expected {_count(length.least, 'entry', 'entries')} or more")
    elif length and len(entries) > length.most:
        mistakes.note(at, f"expected at most {_count(length.most, 'entry', 'entries')}")
    else:
        return True
    return False


def _length_schema(length: Length | None, what: str) -> Schema:
    if not length:
        return {}
    return {**({f"min{what}": length.least} if length.least else {}), f"max{what}": length.most}


def _default(field: msgspec.structs.FieldInfo) -> Schema:
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    return {} if default is NODEFAULT else {"default": msgspec.to_builtins(default)}
