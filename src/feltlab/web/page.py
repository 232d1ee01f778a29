"""The page: built files that come with the package, and its one document for every address of its rooms."""

from __future__ import annotations

import gzip
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from feltlab.floor.desk import NotFound
from feltlab.web.http.problems import Problem
from feltlab.web.http.routing import Routes, Said
from feltlab.web.http.wording import status_words

BUILT = Path(__file__).parent / "built"
ROOMS = (
    "/tables/{table}",
    "/rounds/{round}",
    "/history",
    "/account",
    "/lab",
    "/lab/{sheet}",
    "/lab/{sheet}/{view}",
)
PAGE = Said("The page.", "text/html")
PROGRAMS = ("/api/", "/assets/")  # what is asked for there is nothing that a person looks at
FOR_EVER = "public, max-age=31536000, immutable"  # an asset's name changes with what is in it
SMALLEST = 1000  # bytes that are worth the compression


class File(NamedTuple):
    """A built file, ready to be sent."""

    content: bytes
    compressed: bytes | None
    type: str

    def answer(self, request: Request, cache: str) -> Response:
        """The file as the browser takes it."""
        headers = {"cache-control": cache, "vary": "accept-encoding"}
        if self.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.compressed, headers={**headers, "content-encoding": "gzip"}, media_type=self.type)
        return Response(self.content, headers=headers, media_type=self.type)


def read(folder: Path = BUILT) -> dict[str, File]:
    """All files of the page by their address, compressed once; none if it has not been built."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            packed = gzip.compress(content, mtime=0) if len(content) >= SMALLEST else None
            files["/" + path.relative_to(folder).as_posix()] = File(content, packed, type)
    return files


def nowhere(request: Request) -> Response | None:
    """For a browser at an address where nothing is: the page, which says so and shows a way home. Programs get none."""
    document = request.app.state.pages.get("/index.html")
    wants_page = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
    if document is None or not wants_page or request.url.path.startswith(PROGRAMS):
        return None
    answer: Response = document.answer(request, "no-cache")
    answer.status_code = 404
    return answer


def page_routes(files: dict[str, File]) -> Routes:
    """The routes of the page, where it has been built."""
    routes = Routes("")
    if "/index.html" not in files:
        return routes

    async def room(request: Request) -> Response:
        if not request.path_params.get("table", "1").isdecimal():
            if (page := nowhere(request)) is None:
                raise Problem(404, "http", status_words(404, request.method))
            return page
        return files["/index.html"].answer(request, "no-cache")

    async def asset(request: Request) -> Response:
        found = files.get(request.url.path)
        if found is None:
            raise NotFound("there is no such file; load the page again")
        return found.answer(request, FOR_EVER if request.url.path.startswith("/assets/") else "no-cache")

    for path in ("/", *ROOMS, *(f"{path}/" for path in ROOMS)):
        routes.add("GET", path, PAGE, room)
    for path in ("/assets/{name}", "/favicon.svg"):
        routes.add("GET", path, PAGE, asset)
    return routes
