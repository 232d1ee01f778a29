"""The chart of a strategy: that it says what is played, in every form that it is written in."""

import csv
import io
import json
import os
import re
import subprocess
from functools import cache

import pytest
from rich.console import Console
from typer.testing import CliRunner

from feltlab.analysis import Analysis
from feltlab.cli import app
from feltlab.cli.strategy_chart import COLOURS, FEW_COLOURS, print_chart
from feltlab.errors import FeltlabError
from feltlab.exact.blackjack.advice.chart import plays
from feltlab.exact.blackjack.strategies import play
from feltlab.figures import Figures
from feltlab.games import blackjack
from feltlab.games.rules import choose
from feltlab.sheets import load
from feltlab.strategy import Basic, Composition, parse_chart, parse_strategy, standard_chart
from feltlab.strategy.chart import Cell, card_letter
from feltlab.strategy.chart_text import CODES, UP_CARDS
from feltlab.strategy.drawing import AFTER_SPLIT, Play, code_of, draw, meaning
from feltlab.tables import set_up
from support.paths import ROOT
from support.terminals import FELTLAB, at_a_terminal

SHEET = "bad-beat-blackjack"
UPS = [card_letter(up) for up in UP_CARDS]


@cache  # the same command is asked about from several sides
def output(*arguments):
    done = CliRunner().invoke(app, ["strategy", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def data(*arguments):
    return json.loads(output(*arguments, "--json"))


def refused(*arguments):
    with pytest.raises(FeltlabError) as error:
        CliRunner().invoke(app, ["strategy", *arguments], catch_exceptions=False)
    assert "\n" not in str(error.value)
    return str(error.value)


def row(text, label):
    """The codes of a row of the chart that is drawn."""
    (line,) = [line for line in text.splitlines() if re.match(rf"{label}  ", line)]
    return line.removeprefix(label).split()


def in_terminal(columns, *arguments):
    usual = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    env = usual | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    child = at_a_terminal("strategy", *arguments, columns=columns, env=env)
    text = child.read()
    child.close()
    assert child.exitstatus == 0
    return text.replace("\r\n", "\n")


def unstyled(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def drawn(setup, played):
    das = bool(setup.house.double_after_split)
    return draw(plays(played), AFTER_SPLIT if das else ("stand", "hit"))


# ---- what it says


def choices(codes):
    """What a code does, with doubling and splitting allowed and not."""
    return [next((action for action in codes if action in legal), None) for legal in
            (("stand", "hit", "double", "split"), ("stand", "hit", "split"))]  # fmt: skip


@pytest.mark.parametrize(("decks", "soft17"), [(6, "hit"), (6, "stand"), (8, "hit")])
def test_basic_agrees_with_the_shipped_chart(decks, soft17):
    shipped = standard_chart(decks, choose(blackjack.RULES, {"soft17": soft17}))
    found = data(SHEET, "--decks", str(decks), "--rule", f"soft17={soft17}")["chart"]
    cells = 0
    for kind, totals in (("hard", range(5, 21)), ("soft", range(13, 21)), ("pair", range(1, 11))):
        for total in totals:
            for up in UP_CARDS:
                label = card_letter(total) if kind == "pair" else str(total)
                code = found[kind][label][card_letter(up)]
                assert choices(CODES[code]) == choices(shipped.cells[Cell(kind, total, up)]), (kind, label, up, code)
                cells += 1
    assert cells == 340


def test_the_drawn_chart():
    text = output(SHEET, "--decks", "6")
    assert text.startswith("Bad Beat Blackjack  6 decks, option 2, paytable bad-beat P1; strategy basic\n")
    assert "house edge 0.6181% on main\n" in text
    assert row(text, "hard") == row(text, "soft") == row(text, "pair") == UPS
    assert row(text, "hard 5-8") == ["H"] * 10
    assert row(text, "hard 16") == ["S"] * 5 + ["H"] * 5
    assert row(text, "soft 18") == ["Ds"] * 5 + ["S", "S", "H", "H", "H"]
    assert row(text, "pair 9") == ["P", "P", "P", "P", "P", "S", "P", "P", "S", "S"]
    assert "Ds  double, else stand" in text
    assert "surrender" not in text  # the legend is of the codes that are there
    assert "not played as their cells say" not in text


def test_house_rules_alone_are_plain_blackjack():
    text = output("soft17=stand,das=no,decks=2,surrender=late")
    assert text.startswith("Blackjack  2 decks, soft17=stand, das=no, surrender=late; strategy basic\n")
    assert "modified" not in text
    assert "surrender, else hit" in text
    assert row(text, "pair 4") == ["H"] * 10  # without doubling after a split
    one = data("soft17=stand,das=no", "--decks", "2", "--rule", "surrender=late")
    sheet = data(SHEET, "--decks", "2", "--rule", "soft17=stand", "--rule", "das=no", "--rule", "surrender=late")
    assert (one["sheet"], one["option"], one["paytables"], one["modified"]) == (None, None, {}, False)
    assert (sheet["sheet"], sheet["option"], sheet["modified"]) == (SHEET, "2", True)
    assert one["chart"] == sheet["chart"]
    assert one["house_edge"] == sheet["house_edge"]
    assert one["rules"] == sheet["rules"]


def test_a_modified_sheet_says_so():
    assert "modified: rule soft17 is stand" in output(SHEET, "--rule", "soft17=stand")


def test_single_hands_are_listed_where_they_differ():
    text = output("decks=2", "--strategy", "composition")
    assert row(text, "hard 12")[2] == "S"
    assert "hand T,2 v 4: H" in text
    listed = re.findall(r"hand \S+ v \w: \w+", text)
    more = int(re.search(r"and (\d+) more", text)[1])
    found = data("decks=2", "--strategy", "composition")["hands"]
    assert len(listed) == 30
    assert len(found) == 30 + more
    assert {"hand": "T,2", "up": "4", "code": "H"} in found
    assert all(len(hand["hand"]) == 3 for hand in found[:3])  # two cards come first


def test_the_bonus_marks_what_it_changes():
    text = output(SHEET, "--decks", "6", "--strategy", "bonus")
    assert re.search(r"house edge 0\.\d{4}% on main, 9\.0[23]\d\d% on bad-beat\n", text)  # the sheet prints 9.03%
    assert row(text, "soft 19")[4] == "S*"
    assert row(text, "pair 9") == ["P", "P", "P", "P", "P", "P*", "P", "P", "P*", "P*"]
    assert text.count("*") == 5  # four cells and the legend
    assert "A,8 v 6: stand (without it: double, else stand)\n" in text
    assert "9,9 v T: split (without it: stand)\n" in text
    found = data(SHEET, "--decks", "6", "--strategy", "bonus")
    assert found["bonus"][0] == {"hand": "A,8", "up": "6", "code": "S", "without": "Ds"}
    assert found["chart"]["soft"]["19"]["6"] == "Ds"  # the chart itself is the play without
    assert set(found["house_edge"]) == {"main", "bad-beat"}


def test_a_dealer_who_stands_on_soft_17_leaves_nothing_to_change_on_a_soft_19():
    found = data(SHEET, "--decks", "6", "--strategy", "bonus", "--rule", "soft17=stand")
    assert "A,8" not in {change["hand"] for change in found["bonus"]}


def test_removed_cards():
    assert "strategy basic, without 5s 5h" in output("decks=1", "--remove", "5s 5h")
    assert data("decks=1", "--remove", "5s,5h")["removed"] == ["5s", "5h"]
    aces = "As Ah Ad Ac"
    text = output("decks=1", "--remove", aces, "--strategy", "composition")
    assert row(text, "hard 16")[-1] == "-"
    columns = [line[-1] for line in csv.reader(io.StringIO(output("decks=1", "--remove", aces, "--csv", "-")))]
    assert columns[0] == "A"
    assert set(columns[1:39]) == {"-"}
    parse_chart(output("decks=1", "--remove", aces, "--chart", "-"), "no aces")


# ---- files


def test_csv(tmp_path):
    file = tmp_path / "chart.csv"
    text = output(SHEET, "--decks", "6", "--strategy", "bonus", "--csv", str(file))
    assert row(text, "hard 11") == ["D"] * 10  # the chart is drawn all the same
    printed = output(SHEET, "--decks", "6", "--strategy", "bonus", "--csv", "-")
    assert printed == file.read_text()
    head, *rows = csv.reader(io.StringIO(printed))
    assert head == ["kind", "total", *UPS]
    assert [line[0] for line in rows[:38]] == ["hard"] * 18 + ["soft"] * 10 + ["pair"] * 10
    assert ["hard", "16", "S", "S", "S", "S", "S", "H", "H", "H", "H", "H"] in rows
    assert ["soft", "19", "S", "S", "S", "S", "Ds", "S", "S", "S", "S", "S"] in rows
    assert ["bonus", "A,8", "", "", "", "", "S", "", "", "", "", ""] in rows
    assert ["bonus", "9,9", "", "", "", "", "", "P", "", "", "P", "P"] in rows
    assert ["hand", "T,4,2", "", "", "", "", "", "", "", "", "S", ""] in rows
    assert {line[0] for line in rows[38:]} == {"hand", "bonus"}


@pytest.mark.parametrize(
    ("strategy", "decks", "rules"),
    [
        ("basic", 6, {}),
        ("basic", 2, {"surrender": "late", "das": "no"}),
        ("basic", 1, {"surrender": "early", "soft17": "stand"}),
        ("basic", 1, {"resplit": "2", "double": "10-11"}),
        ("basic", 8, {"hole-card": "none-all"}),
        ("basic", 4, {"hit-split-aces": "yes", "resplit-aces": "yes"}),
        ("composition", 1, {"das": "no"}),
        ("composition", 2, {"surrender": "late"}),
        ("bonus", 6, {}),
        ("bonus", 1, {"das": "no", "unlike-tens": "no"}),
        ("joint:0.5", 2, {"surrender": "late"}),
    ],
)
def test_the_chart_read_back_plays_the_same(strategy, decks, rules):
    setup = set_up(load(SHEET), decks=decks, rules=rules)
    game = Analysis(setup).game
    played = play(game, setup, parse_strategy(strategy))
    drawing = drawn(setup, played)
    text = drawing.text(["a remark"], {"decks": str(decks), "source": "computed"})
    again = game.play(parse_chart(text, "again", das=bool(setup.house.double_after_split)), played.side)
    assert again.expected == pytest.approx(played.expected, abs=1e-13)
    assert (again.side is None) == (played.side is None)
    if played.side:
        edges = [Figures(one.law(played.side)).house_edge for one in (played, again)]
        assert edges[0] == pytest.approx(edges[1], abs=1e-13)
    assert drawn(setup, again).text(["a remark"], {"decks": str(decks), "source": "computed"}) == text
    assert not re.search(r"\bP[hds]\b", text)


@pytest.mark.parametrize("rules", [{}, {"surrender": "late"}, {"surrender": "early", "hit-split-aces": "yes"}])
@pytest.mark.parametrize("decks", [1, 6])
def test_basic_is_drawn_as_the_engine_says_it(decks, rules):
    setup = set_up(load(SHEET), decks=decks, rules=rules)
    played = play(Analysis(setup).game, setup, Basic())
    drawing = drawn(setup, played)
    assert not drawing.exceptions
    assert not drawing.changes
    for cell, actions in played.chart.cells.items():
        if cell[:2] != ("soft", 12):  # two aces: what they do unsplit is forced, or among the pairs
            assert drawing.cells[cell] == code_of(actions), cell


def test_a_chart_file_goes_round(tmp_path):
    file = tmp_path / "mine.txt"
    first = data(SHEET, "--strategy", "bonus", "--chart", str(file))
    text = file.read_text()
    assert text.startswith("# Bad Beat Blackjack  6 decks, option 2, paytable bad-beat P1; strategy bonus\n")
    assert "hand A,8 v 6 bonus: S\n" in text
    second = data(SHEET, "--strategy", str(file))
    assert second["house_edge"] == pytest.approx(first["house_edge"], abs=1e-13)
    assert [second[key] for key in ("chart", "hands", "bonus")] == [first[key] for key in ("chart", "hands", "bonus")]
    own = parse_chart(text, "mine")
    for hand in first["hands"]:
        assert f"hand {hand['hand']} v {hand['up']}: {hand['code']}" in text
    assert own.source == "computed by feltlab strategy"


def test_a_pair_that_is_not_played_as_its_total_when_it_can_be_split_no_more():
    pair = Play((6, 6), 3, "P", unsplit="S")
    drawing = draw([pair, Play((2, 10), 3, "H"), Play((3, 9), 3, "H")])
    assert drawing.unsplit == (pair,)
    assert drawing.cells[pair.cell] == "P"
    assert re.search(r"^pair 6   S   S ", drawing.text(), re.M)
    assert "hand 6,6 v 3: P " in drawing.text()
    assert not draw([pair._replace(unsplit="H"), Play((2, 10), 3, "Rh")]).unsplit  # nobody surrenders a split hand


@pytest.mark.parametrize(("code", "actions"), CODES.items())
def test_every_code_is_found_from_its_actions(code, actions):
    assert code_of(actions) == code
    assert meaning(code).startswith(actions[0])


# ---- terminals


def test_colours_only_in_a_terminal():
    assert "\x1b" not in output(SHEET, "--decks", "6", "--strategy", "bonus")
    text = in_terminal(80, SHEET, "--decks", "6")
    assert "\x1b[38;2;255;255;255;48;2;175;0;0m S  " in text
    assert unstyled(text).split() == output(SHEET, "--decks", "6").split()
    assert row(unstyled(text), "hard 16") == ["S"] * 5 + ["H"] * 5


@pytest.fixture(scope="module")
def composition():
    setup = set_up(load(SHEET), decks=2, rules={"surrender": "late"}, offered=[])
    return drawn(setup, play(Analysis(setup).game, setup, Composition()))


def on_screen(drawing, columns, colours):
    file = io.StringIO()
    print_chart(Console(file=file, width=columns, force_terminal=True, color_system=colours, _environ={}), drawing)
    return file.getvalue()


@pytest.mark.parametrize("columns", [60, 80, 105, 106, 120, 200])
def test_it_fits(composition, columns):
    text = unstyled(on_screen(composition, columns, "truecolor"))
    assert max(map(len, text.splitlines())) <= columns
    beside = re.search(r"^hard 5-8 .* soft 13 ", text, re.M)
    assert bool(beside) == (columns >= 106)
    for action in ("stand", "hit", "double, else hit", "double, else stand", "split", "surrender, else hit"):
        assert re.search(rf" {action}\b", text)


def test_colours_of_terminals(composition):
    assert "\x1b[97;41m S  " in on_screen(composition, 80, "standard")
    assert "48;" not in on_screen(composition, 80, None)
    first = {line[0] for line in re.findall(r"48;2;[\d;]+m (\S+)", on_screen(composition, 80, "truecolor"))}
    assert first == {"S", "H", "D", "P", "R"} == set(COLOURS) == set(FEW_COLOURS)


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bad-beat-baccarat"], "bad-beat-baccarat is baccarat: baccarat has no decisions"),
        (["bad-beat-blackjak"], "there is no sheet 'bad-beat-blackjak'; did you mean"),
        ([SHEET, "--strategy", "basik"], "there is no strategy and no file 'basik'"),
        ([SHEET, "--strategy", "joint"], "needs the ratio of the side stake to the main one"),
        (["soft17=stand", "--strategy", "bonus"], "name a sheet that has one instead of rules"),
        (["sof17=stand"], "there is no rule 'sof17' here; did you mean 'soft17'?"),
        (["soft17=sometimes"], "rule soft17 cannot be 'sometimes'; it is hit or stand"),
        (["soft17=stand,das"], "house rule 'das': write it as KEY=VALUE"),
        (["soft17=stand,soft17=hit"], "house rule 'soft17' is given twice"),
        (["decks=2", "--decks", "2"], "the number of decks is given twice"),
        (["decks=9"], "'9' decks: plain blackjack is played with 1, 2, 3, 4, 5, 6, 7 or 8"),
        (["decks=6", "--option", "1"], "plain blackjack has none"),
        (["decks=6", "--paytable", "P1"], "plain blackjack has none"),
        ([SHEET, "--decks", "all"], "a chart is for one table"),
        ([SHEET, "--rule", "hard17=hit"], "there is no rule 'hard17' here"),
        ([SHEET, "--remove", "Xx"], "'Xx' is not a card"),
        ([SHEET, "--csv", "-", "--chart", "-"], "only one of --csv -, --chart - and --json can be printed"),
        ([SHEET, "--csv", "-", "--json"], "only one of --csv -, --chart - and --json can be printed"),
        ([SHEET, "--csv", "no/such/folder/chart.csv"], "no/such/folder/chart.csv cannot be written: No such file"),
    ],
)
def test_bad_input(arguments, says, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert says in refused(*arguments)


def test_a_mistake_is_one_line_with_code_2():
    done = subprocess.run(
        [*FELTLAB, "strategy", "bad-beat-baccarat"], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("feltlab: bad-beat-baccarat is baccarat")
    assert done.stderr.count("\n") == 1
