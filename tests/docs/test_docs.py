"""The documentation is run: every TOML file in it loads, every snippet runs, every command in it prints what it says."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from feltlab.errors import SheetError
from feltlab.exact.reachable import check_reachable
from feltlab.rounds.conformance import check_sheet
from feltlab.sheets import load_text
from feltlab.strategy import parse_chart
from feltlab.wagers import baccarat_facts, blackjack_facts
from feltlab.wagers.types import BOOL
from support.paths import ROOT
from support.service.servers import Server

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
SERVER = "http://127.0.0.1:8000"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with Server(f"sqlite:///{folder / 'felt.db'}", folder) as found:
        yield found


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return BLOCK.findall(page.read_text())


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines it should print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(wanted: list[str], printed: list[str]) -> bool:
    """The same lines; `...` stands for any number of them."""
    if not wanted:
        return not printed
    if wanted[0] == "...":
        return any(matches(wanted[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and wanted[0].rstrip() == printed[0].rstrip() and matches(wanted[1:], printed[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path, request):
    for language, file, text in blocks(page):
        if language == "toml":
            assert file, "a snippet without a name is not tried"
            (tmp_path / file).write_text(text)
        elif language == "text" and file:
            (tmp_path / file).write_text(text)
            parse_chart(text, file)
        elif language == "python":
            # A page that talks to a server gets one.
            url = request.getfixturevalue("server").url if SERVER in text else ""
            subprocess.run([sys.executable, "-c", text.replace(SERVER, url)], check=True, cwd=tmp_path)
        elif language == "console":
            for command, wanted in commands(text):
                if command.startswith("feltlab "):
                    done = subprocess.run(
                        [sys.executable, "-c", "from feltlab.cli import main; main()", *shlex.split(command)[1:]],
                        capture_output=True, text=True, cwd=tmp_path, check=False,
                    )  # fmt: skip
                    printed = (done.stdout + done.stderr).splitlines()
                    assert matches(wanted, printed), f"{command}\n" + "\n".join(printed)
                else:
                    assert command.startswith(("make ", "git ", "cd "))
        else:
            assert language in ("text", "json")


def test_every_snippet_of_the_side_bet_page_is_a_sheet_or_a_shown_mistake():
    wrong = []
    found = [(file, text) for language, file, text in blocks(ROOT / "docs" / "side-bets.md") if language == "toml"]
    for file, text in found:
        try:
            sheet = load_text(text, file)
            check_reachable(sheet)
            check_sheet(sheet, rounds=10)
        except SheetError:
            wrong.append(file)
    assert len(found) == 10
    assert wrong == ["wrong.toml", "shadowed.toml", "mixed.toml"]


@pytest.mark.parametrize(
    "vocabulary", [blackjack_facts.VOCABULARY, baccarat_facts.VOCABULARY], ids=lambda words: words.game
)
def test_every_fact_and_question_is_documented(vocabulary):
    text = (ROOT / "docs" / "side-bets.md").read_text()
    for fact in vocabulary.facts.values():
        names = ", ".join(sorted(fact.type.names, key=fact.type.names.__getitem__))
        what = "yes or no" if fact.type == BOOL else names or f"{fact.low} to {fact.high}"
        assert f"| `{fact.name}` | {what} | {fact.sentence} |" in text
    for question in vocabulary.functions.values():
        assert re.search(rf"\| `{question.name}\(.*\)` \| .* \| {re.escape(question.sentence)} \|", text)
    for name in vocabulary.cards:
        assert f"`{name}`" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_import_nothing_but_feltlab(page):
    """`import feltlab as fl` and the standard library are all that a reader needs."""
    for language, _, text in blocks(page):
        for node in ast.walk(ast.parse(text)) if language == "python" else ():
            if isinstance(node, ast.ImportFrom):
                assert node.module in sys.stdlib_module_names, text
            elif isinstance(node, ast.Import):
                for name in node.names:
                    assert name.name in sys.stdlib_module_names or (name.name, name.asname) == ("feltlab", "fl"), text


def test_the_glossary_has_each_word_once():
    page = (ROOT / "docs" / "glossary.md").read_text()
    sections = page.split("\n## ")[1:]
    words = [re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", section, re.MULTILINE)[1:] for section in sections]
    named = [word for section in words for words_, _ in section for word in words_.split(", ")]
    assert len(named) == len(set(named)) > 80
    for section in words:
        assert [word for word, _ in section] == sorted((word for word, _ in section), key=str.lower)
        assert all(not sentence.endswith(".") for _, sentence in section)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_nothing_names_a_machine_or_a_registry():
    """No absolute path of a machine and no package host in anything that is kept."""
    kept = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True).stdout.split()
    banned = re.compile(
        "|".join(
            [
                r"/ro" r"ot/",
                r"/wo" r"rk/",
                r"/ho" r"me/\w",
                r"pypi\.o" r"rg",
                r"files\.python" r"hosted",
                r"registry\.n" r"pmjs",
            ]
        )
    )
    for name in kept:
        path = ROOT / name
        if path.is_file():
            found = banned.search(path.read_bytes().decode("utf-8", "replace"))
            assert found is None, f"{name}: {found and found[0]}"
