"""What people do without meaning it: click twice, log out in another tab, lose what they wrote, come to a wrong address."""

import re

import pytest
from playwright.sync_api import expect

from support.floor.inside import Inside
from support.page.browsing import SECONDS
from support.stacking import stacked

BLACKJACK, BACCARAT, SLICK = "bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack"
PASSWORD = "three crows on a wire"
LONG = 240_000  # ms, for play that is figured on a busy machine


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("slips"), practice=True) as found:
        yield found
        found.check()


@pytest.fixture
def table(house, stacks):
    def open_table(cards="Ks 6h Qd 9c 6s", sheet=BLACKJACK, **more):
        return stacks.open(house, cards, sheet=sheet, decks=6, decision_seconds=600, betting_seconds=600, **more)

    return open_table


def another_tab(me, path):
    """Of the same browser; the first one is not looked at meanwhile."""
    page = me.page.context.new_page()
    page.set_default_timeout(SECONDS)
    page.goto(me.url + path)
    return page


def enter(page, name, *, fresh=False):
    page.get_by_test_id("to-register" if fresh else "to-log-in").click()
    page.get_by_test_id("name").fill(name)
    page.get_by_test_id("password").fill(PASSWORD)
    page.get_by_test_id("enter").click()


def dealt(me, number):
    """In the middle of a hand."""
    me.sit(number)
    me.bet(main=500)
    me.click("deal")
    expect(me.page.get_by_test_id("action-stand")).to_be_visible()


def who(page):
    return page.evaluate("fetch('/api/v1/session').then((answer) => answer.json())")["me"]


# ---- two tabs


def test_who_registers_in_another_tab_plays_on_under_the_new_name(table, visit):
    me = visit()
    dealt(me, table())
    other = another_tab(me, "/account")
    enter(other, "Tabitha", fresh=True)
    expect(me.page.get_by_role("banner")).to_contain_text("Tabitha")
    expect(me.page.get_by_test_id("spot-1")).to_contain_text("Tabith")
    me.act("stand")
    expect(me.page.get_by_test_id("net")).to_be_visible()


def test_who_logs_out_in_another_tab_is_told_and_made_no_guest(table, visit):
    me = visit()
    dealt(me, table())
    enter(page := another_tab(me, "/account"), "Tabby", fresh=True)
    expect(page.get_by_test_id("who")).to_have_text("Tabby")  # a guest would be asked before they are logged out
    page.get_by_test_id("log-out").click()
    expect(me.page.get_by_test_id("logged-out")).to_contain_text("You were logged out.")
    me.page.wait_for_timeout(4000)  # longer than a lost stream waits before it is asked for again
    assert who(page) is None, "nobody was made a guest"
    enter(page, "Tabby")
    expect(me.page.get_by_test_id("logged-out")).to_have_count(0)
    expect(me.page.get_by_test_id("connection")).to_have_text("live")
    me.act("stand")
    expect(me.page.get_by_test_id("net")).to_be_visible()


def test_who_was_logged_out_goes_on_as_a_guest_when_they_say_so(table, visit):
    me = visit()
    me.go(f"/tables/{table()}")
    expect(me.page.get_by_test_id("connection")).to_have_text("live")
    page = another_tab(me, "/account")
    enter(page, "Tabs", fresh=True)
    page.get_by_test_id("log-out").click()
    me.click("go-on-as-guest")
    expect(me.page.get_by_test_id("connection")).to_have_text("live")
    me.sit_here()
    expect(page.get_by_test_id("who")).to_contain_text("guest-")


def test_a_session_that_another_tab_began_does_not_stand_in_the_way(visit):
    """Without a word between the tabs, as where a browser has none for them."""
    me = visit()
    me.page.add_init_script("BroadcastChannel.prototype.postMessage = () => {}")
    me.go("/account")
    enter(me.page, "Stale", fresh=True)
    expect(me.page.get_by_test_id("who")).to_have_text("Stale")
    me.click("log-out")
    expect(me.page.get_by_role("heading", name="Your account", level=1)).to_be_visible()
    me.page.evaluate("fetch('/api/v1/guests', {method: 'POST'})")
    enter(me.page, "Stale")
    expect(me.page.get_by_test_id("who")).to_have_text("Stale")


# ---- at the table


def test_enter_deals_after_a_box_was_ticked(table, visit):
    me = visit()
    me.sit(table())
    me.bet(main=500)
    me.click("coach")
    expect(me.page.get_by_test_id("coach")).to_be_focused()
    me.press("Enter")
    expect(me.page.get_by_test_id("action-stand")).to_be_visible()
    expect(me.page.get_by_test_id("coach")).to_be_checked()


def test_the_coach_says_that_it_is_working(table, visit):
    me, held = visit(), []

    def hold(route):
        held.append(route)

    me.page.route("**/coach", hold)
    me.sit(table())
    me.bet(main=500)
    me.click("coach")
    expect(me.page.get_by_text("It speaks when you are asked.")).to_be_visible()
    me.click("deal")
    me.sees("coach-wait", "Working it out …")
    expect(me.page.get_by_text("It speaks when you are asked.")).to_have_count(0)
    held[0].continue_()
    expect(me.page.get_by_test_id("coach-now")).to_be_visible(timeout=LONG)
    expect(me.page.get_by_test_id("action-stand").locator("kbd")).to_have_text("S")


def test_a_table_that_closes_gives_the_chips_back_and_offers_no_seat(visit, tmp_path):
    with Inside(tmp_path, BLACKJACK) as closing, closing.house() as house:
        me = visit(at=closing)
        me.sit(1)
        purse = me.page.get_by_role("banner").locator(".chips")
        expect(purse).to_have_text("9,500")
        house.change("DELETE", "/tables/1")
        expect(me.page.get_by_text("This table is closed")).to_be_visible()
        expect(purse).to_have_text("10,000")
        expect(me.page.get_by_test_id("sit")).to_have_count(0)
        expect(me.page.get_by_role("link", name="See the tables that are open")).to_be_visible()
        me.page.close()


# ---- accounts


def test_a_guest_with_chips_is_asked_before_they_are_given_up(table, visit):
    me = visit()
    me.go("/account")
    enter(me.page, "Keeps", fresh=True)
    expect(me.page.get_by_test_id("who")).to_have_text("Keeps")
    me.click("log-out")
    expect(me.page.get_by_role("heading", name="Your account", level=1)).to_be_visible()
    me.sit(table())
    me.go("/account")
    enter(me.page, "Keeps")
    asked = me.page.get_by_role("group", name=re.compile("you have 9,500 in chips and your seat at table"))
    expect(asked).to_be_visible()
    me.click("give-up-not")
    expect(asked).to_have_count(0)
    assert who(me.page)["kind"] == "guest"
    me.click("enter")
    me.click("give-up-sure")
    expect(me.page.get_by_test_id("who")).to_have_text("Keeps")


def test_nobody_has_no_rounds_and_is_refused_nothing(visit):
    me, refused = visit(), []
    me.page.on("response", lambda answer: answer.status >= 400 and refused.append(answer.url))
    me.go("/history")
    me.sees("no-rounds", "No rounds yet")
    me.page.wait_for_load_state("networkidle")
    assert refused == []


def test_a_limit_that_holds_later_stays_asked_for(visit):
    me = visit()
    me.go("/account")
    enter(me.page, "Later", fresh=True)
    for minutes in ("1", "60"):
        if not me.page.get_by_test_id("limit-time").is_checked():
            me.click("limit-time")
        me.page.get_by_test_id("most-minutes").fill(minutes)
        expect(me.page.get_by_test_id("limits-said")).to_be_empty()
        me.click("set-limits")
        me.sees("limits-said", "Your limits are set")
    me.sees("limits-now", "play for 1 minute in a day of play")
    me.sees("limits-now", "play for 60 minutes")
    expect(me.page.get_by_test_id("most-minutes")).to_have_value("60")


# ---- the house


def test_what_was_done_is_told_in_words(server, table, visit):
    number = table()
    me = visit()
    me.sit(number)
    me.go("/account")
    house = visit()
    house.go("/account")
    house.page.get_by_test_id("name").fill("house")
    house.page.get_by_test_id("password").fill(server.house_password)
    house.click("enter")
    acts = house.page.get_by_test_id("acts")
    expect(acts).to_contain_text("house logged in")
    expect(acts).to_contain_text("bought 10,000 in chips")
    expect(acts).to_contain_text(f"house opened table {number}")
    expect(acts).not_to_contain_text(re.compile(r"person:|amount:|\bat: |link:|row:|[{}_]"))


# ---- the lab


def test_two_clicks_open_one_table(house, visit):
    me, before = visit(), len(house.tables())
    me.go("/lab/own")
    me.page.get_by_test_id("play-it").dblclick()
    expect(me.page).to_have_url(re.compile(r"/tables/\d+$"))
    me.page.wait_for_load_state("domcontentloaded")
    assert len(house.tables()) == before + 1


def test_what_is_written_is_not_lost(visit):
    me = visit()
    me.go("/lab/own")
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("A good sheet")
    field = me.page.get_by_test_id("own-text")
    mine = field.input_value().replace("Lucky Pair", "My Pair").replace("pair(first", "pear(first")
    field.fill(mine)
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("Not yet a sheet")
    me.page.get_by_role("link", name="Tables").click()
    expect(me.page.get_by_role("heading", name="Open tables")).to_be_visible()
    me.page.go_back()
    expect(field).to_have_value(mine)
    me.go("/lab/own")
    expect(field).to_have_value(mine)
    me.page.get_by_test_id("example").select_option(BACCARAT)
    expect(me.page.get_by_text("What you have written goes away")).to_be_visible()
    me.click("replace-not")
    expect(field).to_have_value(mine)
    expect(me.page.get_by_test_id("example")).to_have_value("")
    me.page.get_by_test_id("example").select_option(BACCARAT)
    me.click("replace-sure")
    expect(field).to_have_value(re.compile('id = "bad-beat-baccarat"'))


def test_plays_pay_at_the_stake_that_is_played_for(visit):
    me = visit()
    me.go(f"/lab/{BLACKJACK}/strategy?strategy=joint:1")
    rows = me.page.get_by_role("region", name="Deviations").first.locator("tbody tr")
    expect(rows.first).to_contain_text("✓ pays", timeout=LONG)
    expect(me.page.get_by_role("region", name="Deviations").first).not_to_contain_text("does not pay")
    expect(me.page.locator("output[for=ratio]")).to_have_text("1.00")
    expect(me.page.locator("dl.facts div", has=me.page.get_by_test_id("cost"))).to_contain_text(
        "against its own best play card by card"
    )
    me.go(f"/lab/{BLACKJACK}/strategy")
    expect(me.page.get_by_test_id("strategy-edge-main")).to_be_visible(timeout=LONG)
    expect(me.page.get_by_test_id("cost")).to_have_count(0)
    me.go(f"/lab/{BLACKJACK}/strategy?strategy=bonus")
    expect(rows.first).to_be_visible(timeout=LONG)
    expect(me.page.get_by_role("region", name="Deviations").first).not_to_contain_text("does not pay")
    expect(me.page.get_by_role("columnheader", name=re.compile("^at "))).to_have_count(0)


def test_a_simulation_goes_by_the_name_of_its_sheet(visit):
    me = visit()
    me.go(f"/lab/{BACCARAT}/simulate?rounds=1000")
    me.click("start")
    expect(me.page.get_by_role("heading", level=1)).to_have_text("Simulation of Bad Beat Baccarat V2")
    expect(me.page.get_by_test_id("sim-status")).to_have_text("done", timeout=LONG)
    me.go("/lab")
    mine = me.page.get_by_role("region", name="My simulations")
    expect(mine.get_by_role("link", name="Bad Beat Baccarat V2")).to_be_visible()


RAW = re.compile(r"POST|/api/|JSON|hash|expected an?|nothing that this|\bkB\b|Table\.|\bId:")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/lab/nosuch", "There is no sheet “nosuch” here."),
        ("/lab/own?sheet=zzz", "There is no sheet at this address."),
        ("/lab/simulations/zzz", "There is no such simulation"),
        (f"/lab/{BACCARAT}?decks=99", "is printed for 6 or 8 decks, not 99"),
        (
            f"/lab/{BACCARAT}?pay=bad-beat/8-over-7=0:1",
            "The pay of “8 over 7” of Bad Beat Baccarat: '0:1' is not a pay",
        ),
        (f"/lab/{BACCARAT}/strategy", "there is no strategy to draw"),
    ],
)
def test_a_wrong_address_is_answered_in_plain_words(visit, path, says):
    me = visit()
    me.go(path)
    main = me.page.get_by_role("main")
    expect(main).to_contain_text(says)
    expect(main).not_to_contain_text(RAW)
    expect(me.page.get_by_role("button", name="Try again")).to_have_count(0)
    expect(main.get_by_role("link").first).to_be_visible()
    if path.endswith("/strategy"):
        expect(me.page.get_by_role("navigation", name="Views").locator("[aria-current=page]")).to_have_text("Strategy")


def test_a_text_that_is_no_sheet_is_answered_in_plain_words(visit):
    me = visit()
    me.go("/lab/own")
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("A good sheet")
    text = me.page.get_by_test_id("own-text")
    good, room = text.input_value(), me.page.get_by_role("main")
    for wrong, says in (
        ("", "There is nothing written yet."),
        (good.replace('"blackjack"', '"poker"'), "'poker' is not an allowed value; it is blackjack or baccarat"),
        (good + ("#" + "x" * 4000 + "\n") * 16, "a sheet has at most 60,000 letters, and this text has 64,"),
        (good + ("#" + '"' * 4000 + "\n") * 14, "This text is too long to be checked here."),
    ):
        text.fill(wrong)
        expect(room).to_contain_text(says)
        assert not re.search(r"POST|JSON|expected an?|\bkB\b", room.inner_text())


def test_the_audit_speaks_of_wagers_and_rules_by_name(visit):
    me = visit()
    me.go(f"/lab/{SLICK}/audit")
    audit = me.page.get_by_test_id("audit")
    expect(audit).to_contain_text("as 'Action Match, overlapping events added up' it would be", timeout=LONG)
    expect(audit).to_contain_text("ace low: no")
    expect(audit).not_to_contain_text(re.compile("action-match-overlapping|ace-low"))
    me.page.emulate_media(media="print")
    other = me.page.get_by_role("region", name="House edges under other readings")
    assert other.evaluate("(one) => one.scrollHeight <= one.clientHeight"), "all of it is on paper"
