"""The page as files: what is built is served, small and for ever; rooms are one document; the policy lets it run."""

import asyncio
import gzip
import subprocess
import sys
import zipfile

import httpx
import pytest

from feltlab.web.http.routing import Addresses
from feltlab.web.page import BUILT, nowhere, page_routes, read
from support.floor.inside import Inside
from support.paths import ROOT

LARGEST_FIRST_VISIT = 300_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    assert (BUILT / "index.html").exists(), "the page is not built: make page"
    with Inside(tmp_path_factory.mktemp("page"), "bad-beat-blackjack") as found:
        yield found


@pytest.mark.parametrize(
    "path",
    ["/", "/tables/1", "/lab", "/lab/bad-beat-blackjack/audit", "/rounds/1-1", "/history", "/tables/1/", "/lab/"],
)
def test_every_room_is_one_document(server, path):
    answer = httpx.get(server.url + path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert (
        answer.headers["cache-control"] == "no-cache"
        and "script-src 'self'" in answer.headers["content-security-policy"]
    )
    assert "<script" in answer.text and "://" not in answer.text, "nothing is loaded from elsewhere"


def test_assets_are_small_and_kept(server):
    files = read()
    first = httpx.get(server.url + "/").text
    wanted = [path for path in files if path in first]
    assert any(path.endswith(".js") for path in wanted) and any(path.endswith(".css") for path in wanted)
    for path in wanted:
        answer = httpx.get(server.url + path)
        assert ("content-encoding" in answer.headers) == (files[path].compressed is not None)
        assert answer.content == files[path].content
        plain = httpx.get(server.url + path, headers={"Accept-Encoding": "identity"})
        assert plain.content == files[path].content and "content-encoding" not in plain.headers
    everything = sum(len(file.compressed or file.content) for file in files.values())
    assert everything < LARGEST_FIRST_VISIT, "even all rooms together are less than a first visit may be"


def test_what_is_not_there_is_a_problem(server):
    answer = httpx.get(server.url + "/assets/nothing.js")
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"
    assert httpx.get(server.url + "/nowhere").status_code == 404
    assert httpx.get(server.url + "/assets/..%2f..%2fapp.py").status_code == 404


def test_a_folder_of_files(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "assets" / "a-1.js").write_text("let a;" * 1000)
    files = read(tmp_path)
    assert gzip.decompress(files["/assets/a-1.js"].compressed) == b"let a;" * 1000
    app = Addresses(page_routes(files), nowhere)

    async def look(path):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://page") as browser:
            return await browser.get(path)

    assert asyncio.run(look("/assets/a-1.js")).headers["cache-control"] == "public, max-age=31536000, immutable"
    assert asyncio.run(look("/")).text == "<!doctype html>"


def test_without_the_page_nothing_is_added(tmp_path):
    assert page_routes(read(tmp_path)) == []


def test_a_wheel_contains_the_page(tmp_path):
    """Whoever installs the package needs no node: what `make page` built is in it."""
    program = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(program, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "feltlab/web/built/index.html" in names
    assert {name.rpartition(".")[2] for name in names if name.startswith("feltlab/web/built/assets/")} >= {"js", "css"}
