"""What `import feltlab` offers: exactly these names, nothing loaded before it is used, and objects that show themselves."""

import re
import subprocess
import sys
from fractions import Fraction

import pytest

import feltlab as fl
from feltlab import api
from support.paths import ROOT

NAMES = ["Basic", "Bonus", "Chart", "Client", "Composition", "DealtRound", "FeltlabError", "Figures", "Finding", "GameTable", "Joint", "Law", "NotCountedError", "Refused", "RuleSheet", "SetupError", "SheetError", "Standard", "TableChoice", "join", "load_chart", "load_sheet", "parse_chart", "sheet_names"]  # fmt: skip


def test_the_names_are_these():
    assert sorted(api.__all__) == sorted(NAMES)
    assert dir(fl) == sorted(["__version__", *NAMES])
    for name in NAMES:
        assert getattr(fl, name).__doc__, name
    with pytest.raises(AttributeError, match="feltlab has no 'nothing'"):
        _ = fl.nothing


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, feltlab as fl; print(sorted(name for name in sys.modules if name.startswith(('feltlab.', 'numpy', 'numba'))))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
    code = "import sys, feltlab as fl; fl.load_sheet('bad-beat-baccarat').table(); print({'numba', 'httpx', 'sqlalchemy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_any_module_can_be_the_first_that_is_imported():
    code = """
import sys
from importlib import import_module
from pkgutil import iter_modules
import feltlab
for module in iter_modules(feltlab.__path__):
    for loaded in [name for name in sys.modules if name.partition(".")[0] == "feltlab"]:
        del sys.modules[loaded]
    import_module(f"feltlab.{module.name}")
    print(module.name)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert {"analysis", "html", "wagers", "cli"} <= set(run.stdout.split())


def test_pages_import_feltlab_alone():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [block for page in pages for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)]
    assert len(blocks) >= 4
    for block in blocks:
        imported = re.findall(r"^\s*(?:from|import) (feltlab\S*.*)$", block, re.M)
        assert imported in ([], ["feltlab as fl"]), block


def test_a_sheet_is_loaded_by_name_path_and_text(tmp_path):
    text = (ROOT / "docs/examples/perfect-pairs.toml").read_text()
    file = tmp_path / "mine.toml"
    file.write_text(text)
    by_path, by_text = fl.load_sheet(file), fl.load_sheet(text)
    assert by_path == by_text == fl.load_sheet(str(file))
    assert fl.sheet_names() == [fl.load_sheet(name).id for name in fl.sheet_names()]
    with pytest.raises(fl.SheetError, match="there is no sheet 'bad-beat'"):
        fl.load_sheet("bad-beat")
    with pytest.raises(fl.SheetError, match="the sheet is not TOML.*line 1"):
        fl.load_sheet("what\nis this")


def test_a_choice_is_named_where_it_is_wrong():
    sheet = fl.load_sheet("bad-beat-blackjack")
    with pytest.raises(fl.SetupError, match="decks, not 9"):
        sheet.table(decks=9)
    with pytest.raises(TypeError, match="deck"):
        sheet.table(deck=6)
    with pytest.raises(fl.FeltlabError, match="there is no strategy 'best'"):
        sheet.table(strategy="best")


def test_a_table_from_end_to_end():
    sheet = fl.load_sheet("bad-beat-blackjack")
    table = sheet.table(decks=6, option="2", paytables="P1", rules={"soft17": "stand"})
    edge = table.figures("bad-beat", strategy="bonus").house_edge
    assert edge == table.figures("bad-beat", strategy=fl.Bonus()).house_edge
    assert set(table.action_values("8s 8h", up="Td")) == {"stand", "hit", "double", "split"}
    run = table.simulate(100_000, seed=7, strategy="bonus", engine="cpu")
    assert abs(run["bad-beat"].house_edge.z(edge)) < 4 and run["bad-beat"].z == run["bad-beat"].house_edge.z(
        float(edge)
    )
    assert "soft17=stand" in repr(table)
    assert {finding.sheet for finding in sheet.audit()} == {"bad-beat-blackjack"}


def test_the_choice_has_its_own_strategy():
    sheet = fl.load_sheet("bad-beat-blackjack")
    table = sheet.table(decks=1, strategy="bonus")
    assert table.figures("bad-beat").house_edge == sheet.table(decks=1).figures("bad-beat", "bonus").house_edge
    assert table.simulate(1000).played_by == "bonus"


def test_a_hand_is_dealt_and_played():
    table = fl.load_sheet("bad-beat-blackjack").table(decks=6, option="2", paytables="P1")
    hand = table.deal("Ks 6h Qd 9c 6s", bets={"main": 10_00, "bad-beat": 5_00})
    assert (hand.spot, hand.over, hand.actions) == (1, False, ("stand", "hit", "double", "split"))
    assert hand.hands == {"dealer": ["6h"], "spot 1": ["Ks Qd"]}
    with pytest.raises(fl.Refused):
        hand.act("surrender")
    assert hand.act("stand") is hand and hand.over and hand.actions == ()
    assert hand.net == 9000 and hand.nets == {1: 9000}
    assert repr(hand) == "<dealer 6h 9c 6s; spot 1 Ks Qd; net +90.00>"
    assert "21" in str(hand) and len(hand.log) > 8
    with pytest.raises(fl.Refused, match="the round is over"):
        hand.act("stand")


def test_insurance_is_answered_by_name():
    table = fl.load_sheet("bad-beat-blackjack").table(decks=6)
    stacked = "Ks Ah Qd Kc"
    offered = table.deal(stacked, bets={"main": 10_00})
    assert offered.actions == ("insure", "decline")
    assert offered.act("insure").net == 0  # 5 at 2 to 1 for the 10 that a natural takes
    assert table.deal(stacked, bets={"main": 10_00}).act("insure", amount=2_00).net == -6_00
    assert table.deal(stacked, bets={"main": 10_00}).act("decline").net == -10_00


def test_a_coup_is_dealt():
    coup = fl.load_sheet("bad-beat-baccarat").table(decks=8).deal("9s 8h Kd Kc", bets={"player": 10_00})
    assert coup.over and coup.net == 10_00
    assert coup.hands == {"player": ["9s Kd"], "banker": ["8h Kc"]}


def test_the_same_seed_deals_the_same_round():
    table = fl.load_sheet("big-slick-blackjack").table()
    assert repr(table.deal(seed=3, spots=2)) == repr(table.deal(seed=3, spots=2)) != repr(table.deal(seed=4, spots=2))


@pytest.mark.parametrize("name", ["bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack"])
def test_objects_show_themselves(name):
    sheet = fl.load_sheet(name)
    table = sheet.table()
    for shown in (sheet, table):
        assert sheet.file.name in repr(shown) and "\n" not in repr(shown)
        assert shown._repr_html_().startswith(f"<table><caption>{sheet.file.name}")


def test_a_run_shows_itself():
    run = fl.load_sheet("bad-beat-baccarat").table().simulate(20_000, seed=1)
    assert repr(run).startswith("<20,000 rounds of Bad Beat Baccarat") and "bad-beat " in repr(run)
    shown = run._repr_html_()
    assert shown.count("<tr>") == 1 + len(run.compared()) and f"{run['bad-beat'].house_edge.value:.4%}" in shown


def test_figures_are_exact_where_they_are_counted():
    table = fl.load_sheet("bad-beat-baccarat").table(decks=8)
    assert isinstance(table.figures("bad-beat").house_edge, Fraction)
