"""Routes: an address and a method, what the request says there, what is answered, and the function that answers.

A route's function declares what it takes, and gets it read and checked:

    @routes.put("/tables/{table}/bets", StepAnswer)
    async def bet(request: Request, table: TableId, body: Bets, key: Key) -> Response: ...

`body` is the JSON of the request as a struct. Whatever else it takes says in its annotation where it stands:
`Annotated[int, Between(1, 100), In("query", "How many rounds, at most.")]`. A change without a `body` has none. From the same
declarations the OpenAPI document is made (`web/documents/openapi.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from feltlab.web.http.problems import Problem, response_of
from feltlab.web.http.shapes import Mistakes, Shape, shape_of
from feltlab.web.http.strict import read_body
from feltlab.web.http.wording import detail_of, said, status_words

Function: TypeAlias = Callable[..., Awaitable[Response]]
F = TypeVar("F", bound=Function)
API = "/api/v1"
JSON = "application/json"
CHANGES = ("POST", "PUT", "DELETE")
BODY_PLACE = ("body",)


class In(NamedTuple):
    """Where a parameter stands in a request, and what the document says of it."""

    place: Literal["path", "query", "header"]
    words: str
    example: Any = None
    name: str = ""  # where it is another than the parameter's


class Said(NamedTuple):
    """An answer that is no struct: its description, and the media type and schema of what it holds."""

    words: str
    media: str = ""
    schema: dict[str, Any] = {}


class Parameter(NamedTuple):
    """Something that a route's function takes from an address or a header."""

    field: str
    given: In
    at: tuple[str, str]  # where it stands, and its name there
    shape: Shape
    default: Any

    @property
    def required(self) -> bool:
        """Whether a request must have it."""
        return self.default is inspect.Parameter.empty


class Route:
    """One of the service's routes."""

    def __init__(
        self, method: str, path: str, answer: Any, function: Function, *, status: int, tags: Sequence[str]
    ) -> None:
        self.method, self.path, self.answer, self.function = method, path, answer, function
        self.status, self.tags = status, tags
        self.name, self.label = function.__name__, path.removeprefix(API)  # as metrics call it
        self.words = inspect.getdoc(function) or ""
        hints = get_type_hints(function, include_extras=True)
        taken = inspect.signature(function).parameters.values()
        self.parameters = [_parameter(one, hints[one.name]) for one in taken if one.name not in ("request", "body")]
        self.body = shape_of(hints["body"]) if "body" in hints else None

    async def answer_to(self, request: Request) -> Response:
        """What the function makes of a request, once everything that it takes is read."""
        mistakes = Mistakes()
        given = {one.field: _value(one, request, mistakes) for one in self.parameters}
        if self.body is not None:
            given["body"] = self._read(self.body, request, mistakes)
        elif self.method in CHANGES and request.scope["state"]["body"] not in (b"", b"{}"):
            raise Problem(400, "no-body", "this request has no body, or an empty object")
        if mistakes:
            raise Problem(422, "invalid", detail_of(mistakes), errors=said(mistakes))
        return await self.function(request, **given)

    @staticmethod
    def _read(shape: Shape, request: Request, mistakes: Mistakes) -> Any:
        value = read_body(request.scope["state"]["body"], request.headers.get("content-type", ""))
        if value is None:
            return mistakes.note(BODY_PLACE, "this is missing")
        return shape.read(value, BODY_PLACE, mistakes)


def _parameter(declared: inspect.Parameter, hint: Any) -> Parameter:
    given = next((part for part in get_args(hint) if isinstance(part, In)), None)
    if given is None:
        raise TypeError(f"{declared.name} does not say where it stands in a request")
    return Parameter(declared.name, given, (given.place, given.name or declared.name), shape_of(hint), declared.default)


def _value(parameter: Parameter, request: Request, mistakes: Mistakes) -> Any:
    place, name = parameter.at
    if place == "path":
        text = request.path_params[name]
    else:
        text = (request.query_params if place == "query" else request.headers).get(name)
    if text is not None:
        return parameter.shape.read_text(text, parameter.at, mistakes)
    return mistakes.note(parameter.at, "this is missing") if parameter.required else parameter.default


class Routes(list[Route]):
    """Routes of one part of the service, with what their addresses begin with and the parts of the document they are in."""

    def __init__(self, prefix: str, *tags: str) -> None:
        super().__init__()
        self._prefix, self._tags = prefix, tags

    def add(
        self, method: str, path: str, answer: Any, function: Function, *, status: int = 200, tags: Sequence[str] = ()
    ) -> None:
        """Answer requests of a method to a path by a function."""
        self.append(Route(method, self._prefix + path, answer, function, status=status, tags=(*self._tags, *tags)))

    def _decorator(self, method: str, path: str, answer: Any, status: int, tags: Sequence[str]) -> Callable[[F], F]:
        def decorate(function: F) -> F:
            self.add(method, path, answer, function, status=status, tags=tags)
            return function

        return decorate

    def get(self, path: str, answer: Any, *, tags: Sequence[str] = ()) -> Callable[[F], F]:
        """A route that only looks. `answer` is a struct, `list[…]` of one, or `Said`."""
        return self._decorator("GET", path, answer, 200, tags)

    def post(self, path: str, answer: Any, *, status: int = 200) -> Callable[[F], F]:
        """A route that does something."""
        return self._decorator("POST", path, answer, status, ())

    def put(self, path: str, answer: Any, *, status: int = 200) -> Callable[[F], F]:
        """A route that puts something in the place of what is there."""
        return self._decorator("PUT", path, answer, status, ())

    def delete(self, path: str, answer: Any, *, status: int = 200) -> Callable[[F], F]:
        """A route that ends something."""
        return self._decorator("DELETE", path, answer, status, ())


class Branch:
    """The addresses that begin alike: a step is a name, or a parameter that any name fits."""

    def __init__(self) -> None:
        self.names: dict[str, Branch] = {}
        self.parameter: tuple[str, Branch] | None = None
        self.routes: dict[str, Route] = {}

    def step(self, part: str) -> Branch:
        """The branch behind a part of a route's path."""
        if not part.startswith("{"):
            return self.names.setdefault(part, Branch())
        if self.parameter is None:
            self.parameter = (part[1:-1], Branch())
        name, branch = self.parameter
        assert name == part[1:-1], f"two names for one parameter: {name} and {part}"
        return branch


class Addresses:
    """All routes, found by their address. A name is looked for before a parameter."""

    def __init__(self, routes: Iterable[Route], nowhere: Callable[[Request], Response | None]) -> None:
        self._root, self._nowhere = Branch(), nowhere
        for route in routes:
            branch = self._root
            for part in route.path.split("/"):
                branch = branch.step(part)
            branch.routes[route.method] = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the route; that there is none is a problem, and for a browser the page."""
        routes, scope["path_params"] = self._find(scope["path"])
        route = routes.get(scope["method"])
        if route is not None:
            scope["route"] = route
            await (await route.answer_to(Request(scope, receive)))(scope, receive, send)
            return
        request = Request(scope, receive)
        status = HTTPStatus.METHOD_NOT_ALLOWED if routes else HTTPStatus.NOT_FOUND
        response = None if routes else self._nowhere(request)
        if response is None:
            problem = Problem(status, "http", status_words(status, request.method))
            response = response_of(problem, request.url.path, request.state.request_id)
            if routes:
                response.headers["Allow"] = ", ".join(sorted(routes))
        await response(scope, receive, send)

    def _find(self, path: str) -> tuple[dict[str, Route], dict[str, str]]:
        branch, given = self._root, {}
        for part in path.split("/"):
            if part in branch.names:
                branch = branch.names[part]
            elif part and branch.parameter is not None:
                name, branch = branch.parameter
                given[name] = part
            else:
                return {}, {}
        return branch.routes, given
