"""Every room of the page on every width: turned and printed, nothing breaks, nothing is there twice, nothing sticks out."""

import httpx
import pytest
from playwright.sync_api import expect

from feltlab.client import Client
from support.floor.inside import Inside
from support.page.browsing import PHONE, TABLET, WIDE, Visitor
from support.stacking import stacked

SHEETS = ("bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack")
LAB = [f"/lab/{SHEETS[1]}/{view}" for view in ("figures", "curves", "audit", "simulate")]
LAB += [f"/lab/{SHEETS[0]}/{view}" for view in ("figures", "strategy", "simulate")]
ROOMS = ["/", "/history", "/account", "/lab", *LAB, "/lab/own", "/tables/1", "/tables/2", "/tables/3", "/nothing/here"]  # fmt: skip
UPRIGHT = {"width": 768, "height": 1024}
SIZES = [WIDE, TABLET, PHONE]
LONG = 240_000  # ms, for play that is figured or compiled on a busy machine


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("whole"), *SHEETS, practice=True) as found:
        yield found


READY = {
    "figures": ".panel table.figures tbody tr td.number",
    "curves": "[data-testid=chart]",
    "audit": "#findings",
    "simulate": "[data-testid=rounds]",
    "strategy": "[data-testid=strategy]",
    "own": "[data-testid=analyse]",
    "history": "main h1, main h2",
    "account": "main h1, main h2",
    "lab": "main h1",
    "here": "[data-testid=nowhere]",
    "": "[data-testid^=table-]",
}


def open_room(me: Visitor, path: str) -> None:
    me.go(path)
    table = path.startswith("/tables/")
    shown = "[data-testid=sit], [data-testid=leave]" if table else READY[path.rpartition("/")[2]]
    me.page.locator(shown).first.wait_for(timeout=LONG)


TWICE = """
() => {
  const seen = new Map();
  for (const one of document.querySelectorAll('[id]')) seen.set(one.id, (seen.get(one.id) ?? 0) + 1);
  return [...seen].filter(([, count]) => count > 1).map(([id, count]) => `${id}: ${count}`);
}
"""
FORMS = "() => [...document.forms].map((form) => form.getAttribute('aria-label') ?? form.className)"
# A field's id or name is a property of its form, and takes the place of what the form could do by that name.
SHADOWED = """
() => {
  const plain = document.createElement('form');
  const said = (one) => [one.id, one.getAttribute('name')].filter(Boolean);
  const fields = [...document.forms].flatMap((form) => [...form.elements, ...form.querySelectorAll('img')].flatMap(said).filter((name) => name in plain));
  const named = [...document.querySelectorAll('form[name], img[name], object[name], embed[name], iframe[name], img[id], object[id]')];
  return [...fields, ...named.flatMap(said).filter((name) => name in Document.prototype)];
}
"""
# What is wider than the panel, the room or the window that it stands in; what scrolls by itself may be.
STICKS_OUT = """
() => [document.documentElement, ...document.querySelectorAll('main, header, .panel, .panel form, .panel fieldset, .controls, aside, article')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible')
  .map((one) => `${one.tagName} ${one.className} ${one.getAttribute('aria-label') ?? ''}: ${one.scrollWidth} in ${one.clientWidth}`)
"""


@pytest.mark.parametrize("path", ROOMS)
def test_a_room_is_turned_and_printed(visit, path):
    """No error (closing a visitor fails on any), every element once, as many forms as before."""
    me = visit(TABLET)
    open_room(me, path)
    before = me.page.evaluate(FORMS)
    for size in (UPRIGHT, TABLET, PHONE, WIDE, UPRIGHT, WIDE):
        me.page.set_viewport_size(size)
        me.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert me.page.evaluate(TWICE) == [] and me.page.evaluate(FORMS) == before, size
    me.page.pdf(width="600px", height="800px")
    me.page.emulate_media(media="print")
    me.page.evaluate("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))")
    me.page.emulate_media(media="screen")
    assert me.page.evaluate(TWICE) == [] and me.page.evaluate(FORMS) == before


def test_what_is_typed_into_the_chooser_outlives_a_turn(visit):
    me = visit(TABLET)
    open_room(me, "/lab/bad-beat-baccarat/figures")
    me.page.get_by_test_id("remove").fill("As Kd")
    me.page.set_viewport_size(UPRIGHT)
    expect(me.page.get_by_test_id("table-choices")).to_be_visible()
    expect(me.page.get_by_test_id("remove")).to_be_hidden()
    me.click("table-choices")
    expect(me.page.get_by_test_id("remove")).to_have_value("As Kd")
    me.page.set_viewport_size(TABLET)
    expect(me.page.get_by_test_id("table-choices")).to_be_hidden()
    expect(me.page.get_by_test_id("remove")).to_be_visible()


def test_no_field_takes_the_place_of_a_property(visit, house):
    me = visit()
    for path in ROOMS:
        open_room(me, path)
        assert me.page.evaluate(SHADOWED) == [], path
    me.go("/account")
    me.page.get_by_test_id("who").wait_for()
    assert me.page.evaluate(SHADOWED) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
def test_nothing_is_wider_than_its_panel(visit, size):
    me = visit(size)
    for path in ROOMS:
        open_room(me, path)
        for panel in me.page.locator("aside details.panel > summary, aside summary.button:visible").all():
            panel.click()
        assert me.page.evaluate(STICKS_OUT) == [], path


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
@pytest.mark.parametrize(("sheet", "cards"), [(SHEETS[0], "As 6h 8d 9c Ts 7c 2c"), (SHEETS[2], "8s 6h 8d 9c Ts 7c 2c")])
def test_the_coach_keeps_to_its_panel(visit, house, stacks, size, sheet, cards):
    me = visit(size)
    bets = {"main": 2500, **({"bad_beat": 500} if sheet == SHEETS[0] else {"big_slick": 500})}
    me.go(f"/tables/{stacks.open(house, cards, sheet=sheet, decks=6, decision_seconds=600)}")
    me.page.get_by_test_id("coach").check()
    me.sit_here()
    me.bet(**bets)
    me.click("deal")
    expect(me.page.get_by_test_id("coach-now")).to_be_visible()
    assert me.page.evaluate(STICKS_OUT) == []
    table, panel = (me.page.get_by_test_id("coach-now"), me.page.get_by_role("region", name="Coach"))
    inside, outside = table.bounding_box(), panel.bounding_box()
    assert inside["x"] >= outside["x"] and inside["x"] + inside["width"] <= outside["x"] + outside["width"]


# ---- addresses where nothing is


@pytest.mark.parametrize("path", ["/nowhere", "/tables/x", "/lab/a/b/c", "/history/more", "/rounds/1/2", "/healthzz", "/%00"])  # fmt: skip
def test_a_browser_is_shown_a_way_home(server, path):
    answer = httpx.get(server.url + path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.status_code == 404 and answer.headers["content-type"].startswith("text/html")
    assert answer.text == httpx.get(server.url + "/").text
    for accept in ("*/*", "application/json"):
        told = httpx.get(server.url + path, headers={"Accept": accept})
        assert told.status_code == 404 and told.json()["detail"] == "there is nothing at this address"


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/api/v1/tables/77", "/assets/nothing.js"])
def test_what_programs_ask_for_is_answered_to_programs(server, path):
    answer = httpx.get(server.url + path, headers={"Accept": "text/html"})
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"


def test_nowhere_leads_home(visit):
    me = visit()
    me.go("/nowhere/at/all")
    expect(me.page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()
    me.page.get_by_test_id("nowhere").get_by_role("link", name="To the tables").click()
    expect(me.page.get_by_test_id("table-1")).to_be_visible()


# ---- what a table prints


@pytest.mark.parametrize(
    ("option", "top", "lines"),
    [
        ("commission", "19 to 20", ["Banker wins, less commission 19:20", "Tie push"]),
        (
            "no-commission",
            "1 to 1",
            ["Banker wins with a three-card 7, no commission push", "Banker wins, no commission 1:1", "Tie push"],
        ),
    ],
)
def test_a_table_prints_what_it_pays(visit, house, stacks, option, top, lines):
    """On the felt and in the rules, for the Banker wager of either game."""
    table = stacks.open(house, "2h 3c 7s 5d", sheet=SHEETS[1], decks=8, option=option)
    for size in (WIDE, PHONE):
        me = visit(size)
        me.go(f"/tables/{table}")
        expect(me.page.get_by_test_id("wager-1-banker").locator(".pay")).to_have_text(top + " ")
        me.page.get_by_text("Rules, limits and pays").click()
        banker = me.page.locator("table.figures", has=me.page.locator("caption", has_text="Banker 0.01"))
        rows = [" ".join(row.locator("th, td").all_inner_texts()) for row in banker.locator("tr").all()]
        assert rows == lines


def test_the_api_posts_what_the_page_shows(server, house, stacks):
    table = stacks.open(house, "2h 3c 7s 5d", sheet=SHEETS[1], decks=8, option="commission")
    with Client(server.url).guest() as guest:
        wagers = {wager["id"]: wager["lines"] for wager in guest.table(table)["about"]["wagers"]}
    assert [(line["id"], line["pays"]) for line in wagers["banker"]] == [
        ("banker-wins-commission", "19:20"),
        ("tie", "push"),
    ]
