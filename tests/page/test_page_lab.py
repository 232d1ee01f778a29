"""The lab in a browser: what it shows is what independent sources and the analysis say, to the last digit shown."""

import csv
import io
import json
import os
import re
import signal
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from feltlab.analysis import analyse
from feltlab.audit import audit
from feltlab.exact.blackjack.advice.deviations import deviations
from feltlab.sheets import load
from feltlab.simulation import simulate
from support.floor.inside import Inside
from support.page.browsing import PHONE, SECONDS, Visitor, axe
from support.service.servers import SHEETS
from support.stacking import stacked

PUBLISHED = {one["id"]: one["value"] for one in json.loads(Path("tests/published/counted.json").read_text())}
PAIRS = Path("docs/examples/perfect-pairs.toml")
LONG = 240_000  # ms, for play that is figured or compiled on a busy machine
MINUS = "\N{MINUS SIGN}"
BACCARAT, BLACKJACK, SLICK = "/lab/bad-beat-baccarat", "/lab/bad-beat-blackjack", "/lab/big-slick-blackjack"
VIEWS = (
    "/lab",
    f"{BACCARAT}/figures",
    f"{BLACKJACK}/figures",
    f"{SLICK}/figures",
    f"{BACCARAT}/curves",
    f"{SLICK}/audit",
    f"{BLACKJACK}/strategy?ratio=1",
    f"{BACCARAT}/simulate",
    "/lab/own",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with stacked({"1-1": "Ah 9c As 8d"}), Inside(tmp_path_factory.mktemp("lab"), practice=True) as found:
        yield found


def percent(value, digits=4) -> str:
    """A share as the page writes it."""
    return f"{100 * float(value):.{digits}f} %".replace("-", MINUS)


def shows(me: Visitor, wager: str, edge) -> None:
    """The glance has this edge, for the table as it is chosen now."""
    row = me.page.get_by_test_id(f"row-{wager}")
    expect(me.page.get_by_test_id(f"edge-{wager}")).to_have_text(percent(edge), timeout=LONG)
    expect(row).to_have_attribute("aria-busy", "false", timeout=LONG)


def settled(me: Visitor) -> None:
    """Nothing is being fetched or figured any more."""
    me.page.wait_for_load_state("networkidle", timeout=LONG)
    expect(me.page.locator("main h1").first).to_be_visible()
    expect(me.page.locator("[aria-busy=true]")).to_have_count(0)
    expect(me.page.get_by_role("status").filter(has_text="…")).to_have_count(0, timeout=LONG)


def region(me: Visitor, name: str) -> Locator:
    """A part of the page by its heading."""
    return me.page.locator("section", has=me.page.get_by_role("heading", name=name, exact=True)).first


def download(me: Visitor, within: Locator, kind: str) -> bytes:
    with me.page.expect_download() as found:
        within.get_by_role("button", name=kind, exact=True).first.click()
    assert found.value.suggested_filename.endswith(f".{kind.lower()}")
    return Path(found.value.path()).read_bytes()


def table_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


# ---- figures


def test_the_glance_of_baccarat_has_the_published_edges(visit):
    me = visit()
    me.go("/lab")
    me.click("sheet-bad-beat-baccarat")
    for wager, id in (("player", "player"), ("banker", "banker5"), ("tie", "tie8")):
        shows(me, wager, PUBLISHED[f"bac-main-he-8d-{id}-mb"])
    shows(me, "bad-beat", -PUBLISHED["bac-badbeat-any-8d-ev"])
    me.click("view-audit")
    expect(me.page).to_have_title(re.compile("^Bad Beat Baccarat V2: audit "))


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_glance_has_the_edges_of_the_analysis(visit, sheet):
    me, table = visit(), analyse(sheet)
    me.go(f"/lab/{sheet}")
    for id, wager in table.setup.wagers.items():
        known = [None, "basic"] if wager.on_hit_cards else ["basic" if table.law(id).strategy else None]
        for strategy in known:
            key = f"{id}-in-play" if wager.on_hit_cards and strategy else id
            shows(me, key, table.figures(id, strategy).house_edge)


def test_a_return_table_has_the_published_combinations(visit):
    me = visit()
    me.go(BACCARAT)
    figures = analyse("bad-beat-baccarat").figures("bad-beat")
    for row in figures.rows:
        cells = me.page.get_by_test_id(f"line-bad-beat-{'+'.join(row.lines)}").locator("td")
        expect(cells.nth(1)).to_have_text(f"{row.combinations:,}")
        expect(cells.nth(2)).to_have_text(f"{float(row.probability):.6f}")
        expect(cells.nth(3)).to_have_text(f"{float(row.returns):.6f}".replace("-", MINUS))
    first = me.page.get_by_test_id("line-bad-beat-9-over-8-three-cards")
    expect(first).to_contain_text(f"{PUBLISHED['bac-badbeat-any-8d-e0-count']:,}")
    expect(first).to_contain_text(f"{PUBLISHED['bac-badbeat-any-8d-e0-return']:.6f}")
    kept = percent(figures.house_edge, 2).removesuffix(" %")
    money = region(me, "Bad Beat Baccarat").get_by_role("img")
    expect(money).to_have_attribute("aria-label", re.compile(f"The house keeps {kept}$"))


def test_a_pay_that_is_typed_changes_the_figures_and_print_is_a_click_away(visit):
    me, printed = visit(), analyse("bad-beat-baccarat").figures("bad-beat")
    me.go(BACCARAT)
    shows(me, "bad-beat", printed.house_edge)
    field = me.page.get_by_test_id("pay-bad-beat-8-over-7")
    field.fill("25 to")
    expect(me.page.get_by_text("write 25:1, push or lose")).to_be_visible()
    field.fill("7")
    (line,) = [row for row in printed.rows if row.lines == ("8-over-7",)]
    edge = printed.house_edge - Fraction(line.combinations, printed.law.total)  # one more for each of them
    shows(me, "bad-beat", edge)
    expect(me.page.get_by_label("Not as printed")).to_have_text(
        "the pay of bad-beat/8-over-7 is 7:1 (the sheet says 6:1)"
    )
    expect(field).to_be_focused()
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie8-mb"])
    me.click("printed-bad-beat")
    shows(me, "bad-beat", printed.house_edge)
    expect(field).to_have_value("6:1")
    assert me.page.url.endswith(f"{BACCARAT}/figures")


def test_a_rule_and_another_paytable_change_the_figures(visit):
    me = visit()
    me.go(BACCARAT)
    me.page.get_by_test_id("rule-tie").select_option("9")
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie9-mb"])
    me.go(BLACKJACK)
    me.page.get_by_text("House rules").click()
    me.page.get_by_test_id("rule-soft17").select_option("stand")
    me.page.get_by_test_id("rule-natural").fill("6:5")
    me.click("paytable-bad-beat-P5")
    rules = {"soft17": "stand", "natural": "6:5"}
    table = analyse("bad-beat-blackjack", paytables=["P5"], rules=rules)
    shows(me, "main", -table.play("basic").expected)
    shows(me, "bad-beat", table.figures("bad-beat", "basic").house_edge)
    me.page.get_by_test_id("play").select_option("bonus")
    shows(me, "bad-beat", table.figures("bad-beat", "bonus").house_edge)


def test_paytables_of_one_name_have_the_pays_for_the_decks(visit):
    me = visit()
    me.go(SLICK)
    for decks, paytable in ((6, "B"), (2, "B"), (8, "A")):
        me.page.get_by_test_id("decks").select_option(str(decks))
        me.page.get_by_test_id(f"paytable-action-match-{paytable}").first.click()
        shows(me, "action-match", analyse("big-slick-blackjack", decks=decks, paytables=[paytable]).figures("action-match").house_edge)  # fmt: skip
    expect(me.page.get_by_test_id("row-big-slick")).to_contain_text("not printed for 8 decks")


def test_a_wager_that_is_not_at_the_table_is_offered_in_place_of_its_rival(visit):
    me = visit()
    me.go(BACCARAT)
    me.click("offer-super-shot-9-8-two-45")
    rival = analyse("bad-beat-baccarat").figures("super-shot-9-8-two-50")
    shows(me, "super-shot-9-8-two-45", rival.house_edge + 5 * rival.hit_frequency)  # the same event at 45:1, not 50:1
    expect(me.page.get_by_test_id("offer-super-shot-9-8-two-50")).to_be_visible()


def test_an_edit_by_keyboard_alone(visit):
    me = visit()
    me.go(f"{BACCARAT}/figures")
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie8-mb"])

    def tab_to(hook):
        for _ in range(80):
            if me.page.evaluate("document.activeElement?.dataset.testid") == hook:
                return
            me.page.keyboard.press("Tab")
        raise AssertionError(f"{hook} is not reached")

    tab_to("pay-tie-tie")
    me.page.keyboard.press("ArrowUp")
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie9-mb"])
    me.page.keyboard.press("Shift+Tab")
    me.page.keyboard.press("Shift+Tab")
    tab_to("printed-tie")
    me.page.keyboard.press("Enter")
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie8-mb"])


def test_what_cannot_be_is_said_in_words(visit):
    me = visit()
    me.go(f"{BACCARAT}/figures?remove=Xx")
    expect(me.page.get_by_role("alert")).to_contain_text("'Xx' is not a card")
    me.page.get_by_test_id("remove").fill("As")
    me.page.keyboard.press("Enter")
    shows(me, "tie", analyse("bad-beat-baccarat", remove="As").figures("tie").house_edge)
    me.go("/lab/no-such-sheet")
    expect(me.page.get_by_role("alert")).to_contain_text("There is no sheet “no-such-sheet” here")


def test_a_copy_is_a_sheet_with_the_pays_in_force(visit):
    me = visit()
    me.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    me.go(f"{BACCARAT}/figures?rule=tie=9&pay=bad-beat/8-over-7=7:1")
    me.click("copy")
    told = "The sheet is on the clipboard. Rules are the table's, and not in it: tie = 9."
    expect(me.page.get_by_text(told)).to_be_visible()
    text = me.page.evaluate("navigator.clipboard.readText()")
    before = load("bad-beat-baccarat")
    assert text.count('"7:1"') == 1 and f'id = "{before.id}"' in text
    me.page.get_by_role("group", name="This table as a sheet").get_by_role("button", name="Edit").click()
    expect(me.page.get_by_test_id("own-text")).to_have_value(text)
    me.click("analyse")
    shows(
        me, "bad-beat", analyse("bad-beat-baccarat", pays={"bad-beat/8-over-7": "7:1"}).figures("bad-beat").house_edge
    )


# ---- curves


def test_curves_answer_the_pointer_and_the_keys(visit):
    me = visit()
    me.go(f"{BACCARAT}/curves")
    settled(me)

    def edge(**choices):
        return percent(analyse("bad-beat-baccarat", **choices).figures("bad-beat").house_edge)

    decks = region(me, "Against the decks")
    box = decks.get_by_test_id("chart").bounding_box()
    for place, count in ((0.9, 8), (0.2, 6)):
        me.page.mouse.move(box["x"] + place * box["width"], box["y"] + box["height"] / 2)
        expect(decks.get_by_test_id("readout")).to_have_text(f"decks {count}: house edge {edge(decks=count)}")
    cards = region(me, "One card gone")
    chart = cards.get_by_test_id("chart")
    chart.focus()
    for key, rank in (("Home", "A"), ("ArrowRight", "2"), ("End", "K"), ("ArrowLeft", "Q")):
        me.page.keyboard.press(key)
        expect(cards.get_by_test_id("readout")).to_contain_text(
            f"card gone {rank}: house edge {edge(remove=f'{rank}s')}"
        )
        expect(chart).to_have_attribute("aria-valuetext", re.compile(f"^card gone {rank}: "))
    me.page.get_by_test_id("line").select_option("any-by-one")
    pays = region(me, "Against the pay of Any other win by one")
    expect(pays).to_have_attribute("aria-busy", "false")
    pays.get_by_test_id("chart").focus()
    me.page.keyboard.press("End")
    expect(pays.get_by_test_id("readout")).to_have_text(
        f"pay to 1 2:1: house edge {edge(pays={'bad-beat/any-by-one': '2:1'})}"
    )
    deep = region(me, "Deep in the shoe")
    deep.get_by_test_id("chart").focus()
    me.page.keyboard.press("Home")
    expect(deep.get_by_test_id("readout")).to_contain_text("share of the shoe dealt 10 %: house edge")
    expect(deep.get_by_test_id("readout")).to_contain_text("nine of ten between")


def test_curves_keep_their_wager_when_the_table_changes(visit):
    me = visit()
    me.go(f"{BACCARAT}/curves?wager=tie")
    settled(me)
    me.page.get_by_test_id("decks").select_option("6")
    expect(me.page.get_by_test_id("wager")).to_have_value("tie")
    expect(me.page).to_have_url(re.compile(r"/curves\?decks=6&wager=tie$"))


# ---- audit and strategy


def test_the_audit_gives_a_verdict_and_says_why(visit):
    me = visit()
    me.go(f"{SLICK}/audit")
    findings = list(audit(load("big-slick-blackjack")))
    rows = me.page.get_by_test_id("finding")
    expect(rows).to_have_count(len(findings))
    for at, one in enumerate(findings):
        expect(rows.nth(at)).to_contain_text(one.printed)
        expect(rows.nth(at)).to_contain_text(percent(one.computed[0], 3))
        expect(rows.nth(at)).to_contain_text("does not follow")
        expect(rows.nth(at)).to_contain_text(one.words)
    me.go(f"{BLACKJACK}/audit")
    (noisy, *_) = audit(load("bad-beat-blackjack"))
    expect(rows.first).to_contain_text("holds within noise")
    expect(rows.first).to_contain_text(noisy.words)
    me.go(f"{BACCARAT}/audit")
    expect(me.page.get_by_text("The sheet prints no figures")).to_be_visible()


def test_the_slider_changes_the_plays_that_are_outlined(visit):
    me, table = visit(), analyse("bad-beat-blackjack")
    letters = "-A23456789T"
    found = deviations(table.play("bonus").game, table.setup.wagers["bad-beat"])
    pays_from = {
        ("19" if len(set(one.hand)) > 1 else letters[one.hand[0]], letters[one.up]): one.ratio for one in found
    }
    assert set(pays_from) == {("19", "6"), ("9", "A"), ("9", "7"), ("9", "T")}
    me.go(f"{BLACKJACK}/strategy")
    settled(me)
    outlined = me.page.locator("td.changed")
    expect(outlined).to_have_count(0)
    slider = me.page.get_by_test_id("ratio")
    slider.focus()
    for stake in (0.01, 0.02, 0.03, 0.04, 0.05):
        me.page.keyboard.press("ArrowRight")
        wanted = {place for place, ratio in pays_from.items() if ratio <= stake}
        expect(outlined).to_have_count(len(wanted))
        assert {tuple(hook.split("-")[1:]) for hook in outlined.evaluate_all("all => all.map((one) => one.dataset.testid)")} == wanted  # fmt: skip
    shown = me.page.get_by_test_id("strategy-edge-bad-beat")
    expect(shown).to_have_text(percent(table.figures("bad-beat", "joint:0.05").house_edge))
    expect(me.page.get_by_test_id("cell-9-T").last).to_contain_text("P*")
    expect(me.page.get_by_test_id("cell-9-T").last).to_have_attribute(
        "title", re.compile("^split while .* without it stand")
    )
    assert me.page.url.endswith("ratio=0.05")


# ---- simulations


def test_a_simulation_closes_in_on_the_exact_figures(visit):
    me = visit()
    me.go(f"{BACCARAT}/simulate?rounds=2000000&seed=7")
    me.click("start")
    expect(me.page.get_by_test_id("sim-status")).to_have_text("done", timeout=LONG)
    made = simulate(analyse("bad-beat-baccarat"), rounds=2_000_000, seed=7)
    for one in made.run.sampled():
        expect(me.page.get_by_test_id(f"sim-edge-{one.wager.id}")).to_have_text(percent(one.house_edge.value))
    expect(me.page.get_by_test_id("sim-dealt")).to_have_text("2,000,000")
    rows = table_of(download(me, region(me, "Simulated against exact"), "CSV"))
    assert [row["wager"] for row in rows] == [one.wager.id for one in made.run.sampled()]
    tie = next(row for row in rows if row["wager"] == "tie")
    assert float(tie["exact"]) == pytest.approx(PUBLISHED["bac-main-he-8d-tie8-mb"], abs=5e-7)
    assert int(tie["bets"]) == 2_000_000


@contextmanager
def not_dealing():
    """Meanwhile the process that deals stands still: a fast machine does not come to the end before a slow page."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # they come and go
            for child in (task / "children").read_text().split():
                found += [int(child)] if "feltlab.lab.dealing" in Path(f"/proc/{child}/cmdline").read_text() else []
    (dealing,) = found
    os.kill(dealing, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was ended meanwhile
            os.kill(dealing, signal.SIGCONT)


def test_a_simulation_goes_on_without_its_tab_and_is_stopped(visit):
    me = visit()
    me.go(f"{BACCARAT}/simulate?rounds=1000000000")
    me.click("start")
    chart = region(me, "Tie")
    expect(chart.locator("path.band")).to_have_attribute("d", re.compile("^M.*Z$"), timeout=LONG)
    expect(chart).to_contain_text(f"exact {percent(PUBLISHED['bac-main-he-8d-tie8-mb'])}")
    expect(me.page.get_by_text(re.compile(r"rounds, [\d.]+ (million|billion) a second"))).to_be_visible()
    with not_dealing():
        dealt = int(me.page.get_by_test_id("sim-dealt").inner_text().replace(",", ""))
        left, me.page = me.page, me.page.context.new_page()
        left.close()
        me.page.set_default_timeout(SECONDS)
        me.go("/lab")
        me.page.get_by_role("region", name="My simulations").get_by_role("link").first.click()
        expect(me.page.get_by_test_id("sim-status")).to_have_text("dealing")
        before = me.page.get_by_test_id("sim-dealt").inner_text()
    expect(me.page.get_by_test_id("sim-dealt")).not_to_have_text(before)
    with not_dealing():
        me.click("stop")
        expect(me.page.get_by_test_id("sim-status")).to_have_text("stopped")
    more = me.page.get_by_test_id("sim-dealt").inner_text()
    assert dealt < int(more.replace(",", "")) < 1_000_000_000
    me.page.reload()
    expect(me.page.get_by_test_id("sim-dealt")).to_have_text(more)
    expect(me.page.get_by_test_id("sim-status")).to_have_text("stopped")
    guest = visit()
    guest.go(me.page.url.removeprefix(me.url))
    expect(guest.page.get_by_test_id("sim-dealt")).to_have_text(more)


# ---- one's own side bet


def lucky_pair() -> Fraction:
    """The edge of the example: two cards of one rank from eight decks, aces at 25:1, others at 11:1."""
    pair = Fraction(31, 415)
    aces = pair / 13
    return (1 - pair) - 25 * aces - 11 * (pair - aces)


def test_a_wrong_sheet_is_marked_the_mended_one_is_analysed_simulated_and_played(visit):
    me = visit()
    me.go("/lab/own")
    verdict = me.page.get_by_test_id("own-verdict")
    expect(verdict).to_contain_text("A good sheet")
    good = me.page.get_by_test_id("own-text").input_value()
    me.page.get_by_test_id("own-text").fill(good.replace('pair(first, second)"', 'pear(first, second)"'))
    expect(verdict).to_contain_text("Not yet a sheet")
    error = me.page.get_by_test_id("own-error")
    expect(error).to_have_count(1)
    expect(error).to_contain_text("pear")
    expect(error).to_have_attribute("data-line", "17")
    expect(me.page.get_by_test_id("analyse")).to_have_count(0)
    error.get_by_role("button", name="line 17").click()
    area = "document.querySelector('[data-testid=own-text]')"
    assert me.page.evaluate(f"{area}.value.slice({area}.selectionStart, {area}.selectionEnd)") == 'when = "pear(first, second)"'  # fmt: skip
    me.page.keyboard.type('when = "pair(first, second)"')
    expect(verdict).to_contain_text("A good sheet. Lucky Pair")
    me.click("analyse")
    shows(me, "lucky-pair", lucky_pair())
    me.page.get_by_role("link", name="your own sheet").click()
    me.click("simulate-it")
    me.page.get_by_test_id("rounds").fill("1000")
    me.click("start")
    expect(me.page.get_by_test_id("sim-status")).to_have_text("done", timeout=LONG)
    expect(region(me, "Simulated against exact")).to_contain_text(percent(lucky_pair()))
    me.go("/lab/own")
    me.click("play-it")
    expect(me.page).to_have_url(re.compile("/tables/1$"))
    me.click("spot-1")
    me.click("sit")
    me.bet(main=500, lucky_pair=500)
    me.click("deal")
    me.sees("result-1-lucky-pair", "+125")


def test_a_text_of_very_many_lines_draws_only_those_in_view(visit):
    me = visit()
    me.go("/lab/own")
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("A good sheet")
    area, numbers = me.page.get_by_test_id("own-text"), me.page.get_by_test_id("line-number")
    # Not typed: the browser's own editing takes minutes for that many lines, on an empty page too.
    area.evaluate(
        "area => { area.value = 'ab' + '\\nab'.repeat(19999); area.dispatchEvent(new Event('input', { bubbles: true })) }"
    )
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("Not yet a sheet", timeout=LONG)
    expect(numbers.first).to_have_text("1")
    assert numbers.count() < 100
    area.evaluate("area => area.scrollTo(0, area.scrollHeight)")
    expect(numbers.last).to_have_text("20000")
    assert numbers.count() < 100
    area.fill("game =")
    expect(numbers).to_have_text(["1"])


def test_a_file_is_uploaded(visit):
    me = visit()
    me.go("/lab/own")
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("A good sheet")
    me.page.get_by_label("or upload a file").set_input_files(PAIRS)
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("Perfect Pairs")
    me.click("analyse")
    shows(me, "perfect-pairs", analyse(str(PAIRS)).figures("perfect-pairs").house_edge)


def test_a_server_where_players_open_no_tables_says_what_to_do(visit, tmp_path):
    with Inside(tmp_path) as closed:
        me = visit(at=closed)
        me.go("/lab/own")
        me.click("play-it")
        me.sees("not-played", "Players open no tables on this server. Start it with “feltlab serve --practice”")
        me.page.close()


# ---- addresses and downloads


def test_an_address_shows_the_same_to_somebody_else(visit):
    me, other = visit(), visit()
    me.go(BACCARAT)
    me.page.get_by_test_id("decks").select_option("6")
    me.page.get_by_test_id("option").select_option("no-commission")
    me.page.get_by_test_id("pay-tie-tie").fill("9")
    edge = (
        analyse("bad-beat-baccarat", decks=6, option="no-commission", pays={"tie/tie": "9:1"}).figures("tie").house_edge
    )
    shows(me, "tie", edge)
    other.go(me.page.url.removeprefix(me.url))
    shows(other, "tie", edge)
    expect(other.page.get_by_test_id("pay-tie-tie")).to_have_value("9:1")
    expect(other.page.get_by_test_id("headline")).to_have_text("6 decks, option no-commission")
    me.click("view-curves")
    me.page.get_by_test_id("wager").select_option("bad-beat")
    me.page.get_by_test_id("line").select_option("7-over-6")
    other.go(me.page.url.removeprefix(me.url))
    expect(region(other, "Against the pay of 7 over 6").get_by_test_id("chart")).to_be_visible()
    me.go("/lab/own")
    expect(me.page).to_have_url(re.compile(r"sheet=[0-9a-f]{64}$"))
    me.page.get_by_test_id("own-text").fill(PAIRS.read_text())
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("Perfect Pairs")
    other.go(me.page.url.removeprefix(me.url))
    expect(other.page.get_by_test_id("own-text")).to_have_value(PAIRS.read_text())


def test_figures_are_downloaded_as_they_are(visit):
    me, table = visit(), analyse("bad-beat-baccarat")
    me.go(BACCARAT)
    shows(me, "bad-beat", table.figures("bad-beat").house_edge)
    glance = region(me, "House edges")
    edges = {id: float(table.figures(id).house_edge) for id in table.setup.wagers}
    assert {row["wager"]: float(row["house edge"]) for row in table_of(download(me, glance, "CSV"))} == edges
    assert {row["wager"]: row["house edge"] for row in json.loads(download(me, glance, "JSON"))} == edges
    wager = region(me, "Bad Beat Baccarat")
    rows = table_of(download(me, wager.get_by_role("group", name="Download bad-beat-returns"), "CSV"))
    wanted = [(row.name, str(row.combinations), float(row.probability)) for row in table.figures("bad-beat").rows]
    assert [(row["event"], row["combinations"], float(row["probability"])) for row in rows] == wanted
    money = wager.get_by_role("group", name="Download bad-beat-money")
    assert download(me, money, "SVG").startswith(b"<svg ") and download(me, money, "PNG").startswith(b"\x89PNG\r\n")
    with me.page.expect_download() as found:
        me.page.get_by_role("group", name="This table as a sheet").get_by_role("button", name="Download").click()
    assert 'id = "bad-beat-baccarat"' in Path(found.value.path()).read_text()


def test_curves_audit_and_strategy_are_downloaded(visit):
    me = visit()
    me.go(f"{BACCARAT}/curves?wager=tie")
    settled(me)
    decks = region(me, "Against the decks")
    edges = {count: float(analyse("bad-beat-baccarat", decks=count).figures("tie").house_edge) for count in (6, 8)}
    assert {int(row["decks"]): float(row["house edge"]) for row in table_of(download(me, decks, "CSV"))} == edges
    assert {int(row["decks"]): row["house edge"] for row in json.loads(download(me, decks, "JSON"))} == edges
    svg = download(me, decks, "SVG").decode()
    assert svg.startswith("<svg ") and ">house edge</text>" in svg and "var(" not in svg
    assert download(me, decks, "PNG").startswith(b"\x89PNG\r\n\x1a\n")
    me.go(f"{SLICK}/audit")
    rows = table_of(download(me, region(me, "Printed against computed"), "CSV"))
    assert [row["printed"] for row in rows] == [one.printed for one in audit(load("big-slick-blackjack"))]
    me.go(f"{BLACKJACK}/strategy?ratio=1")
    chart = {
        (row["kind"], row["hand"]): row for row in table_of(download(me, me.page.get_by_test_id("strategy"), "CSV"))
    }
    assert (
        chart["pair", "9"]["v T"] == "P*" and chart["soft", "19"]["v 6"] == "S*" and chart["hard", "16"]["v T"] == "H"
    )


# ---- for everybody


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_of_the_lab_has_a_grave_fault(visit, theme):
    me = visit(theme=theme)
    for path in VIEWS:
        me.go(path)
        settled(me)
        assert not (found := axe(me.page)), (path, found)
    me.page.get_by_test_id("own-text").fill("game =")
    expect(me.page.get_by_test_id("own-error")).to_be_visible()
    assert not axe(me.page)
    me.go(f"{BACCARAT}/simulate?rounds=1000")
    me.click("start")
    expect(me.page.get_by_test_id("sim-status")).to_have_text("done", timeout=LONG)
    assert not axe(me.page)


def test_nothing_sticks_out_on_a_phone(visit):
    me = visit(PHONE)
    for path in VIEWS:
        me.go(path)
        settled(me)
        assert me.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    me.go(f"{BACCARAT}/figures")
    me.click("table-choices")
    me.page.get_by_test_id("rule-tie").select_option("9")
    shows(me, "tie", PUBLISHED["bac-main-he-8d-tie9-mb"])
