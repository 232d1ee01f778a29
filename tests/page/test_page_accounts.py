"""Accounts at the page: the first visit, a guest who registers, passwords, sessions, second factors, what the house did."""

import base64
import sqlite3

import pytest
from playwright.sync_api import expect

from feltlab.client import Client
from feltlab.floor.desk import clock
from feltlab.floor.people import totp
from feltlab.floor.storage.store import LiveTables
from support.floor.inside import Inside
from support.page.browsing import PHONE, TABLET, WIDE, axe

PASSWORD, NEW = "three crows on a wire", "four crows on a wire"
GOOD, BROKEN = 1, 2


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("accounts"), "bad-beat-blackjack", "bad-beat-baccarat") as found:
        yield found
        found.check()


def enter(me, name, password, *, fresh):
    me.click("to-register" if fresh else "to-log-in")
    me.page.get_by_test_id("name").fill(name)
    me.page.get_by_test_id("password").fill(password)
    me.click("enter")


def test_the_first_visit_goes_well_in_every_request(visit):
    me, failed = visit(), []
    me.page.on("response", lambda answer: answer.status >= 400 and failed.append(f"{answer.status} {answer.url}"))
    me.page.on("console", lambda said: said.type == "error" and failed.append(said.text))
    for path in ("/", "/account"):
        me.go(path)
        expect(me.page.get_by_role("link", name="Log in")).to_be_visible()
        me.page.wait_for_load_state("networkidle")
    assert failed == []


def test_a_guest_who_registers_goes_on_as_who_they_are(visit):
    me = visit()
    me.sit(GOOD, 1)
    me.go("/account")
    chips = me.page.get_by_test_id("purse").inner_text()
    enter(me, "Pagewalker", PASSWORD, fresh=True)
    me.sees("who", "Pagewalker")
    me.sees("purse", chips)
    me.go(f"/tables/{GOOD}")
    expect(me.page.get_by_test_id("leave")).to_be_visible()
    me.click("leave")
    expect(me.page.get_by_test_id("sit")).to_be_visible()


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (PHONE, "dark")])
def test_an_account_is_kept_safe(server, visit, size, theme, tmp_path):
    name = f"Keeper {theme}"
    elsewhere = Client(server.url, patience=0).register(name, PASSWORD)
    me = visit(size, theme)
    me.go("/account")
    enter(me, name, PASSWORD, fresh=False)
    expect(me.page.get_by_test_id("sessions").get_by_role("listitem")).to_have_count(2)
    me.click("to-password")
    me.page.get_by_test_id("present").fill("not the password")
    me.page.get_by_test_id("fresh").fill(NEW)
    me.click("change-password")
    me.sees("security-problem", "the present password is wrong")
    me.page.get_by_test_id("present").fill(PASSWORD)
    me.click("change-password")
    me.sees("security-said", "The password is changed")
    expect(me.page.get_by_test_id("sessions").get_by_role("listitem")).to_have_count(1)
    elsewhere.close()
    me.click("to-factor")
    me.page.get_by_test_id("factor-present").fill(NEW)
    me.click("factor-step")
    secret = base64.b32decode(me.page.get_by_test_id("factor-secret").inner_text())
    code = totp.code(secret, clock() // 1000 // totp.PERIOD)
    me.page.get_by_test_id("factor-code").fill(code)
    me.click("factor-step")
    expect(me.page.get_by_test_id("recovery").get_by_role("listitem")).to_have_count(8)
    recovery = me.page.get_by_test_id("recovery").get_by_role("listitem").first.inner_text()
    assert axe(me.page) == []
    assert me.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    me.page.screenshot(path=tmp_path / "security.png", full_page=True)
    me.click("log-out")
    enter(me, name, NEW, fresh=False)
    me.sees("entrance-problem", "second factor")
    me.page.get_by_test_id("code").fill(recovery)
    me.click("enter")
    me.sees("who", name)


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (TABLET, "dark"), (PHONE, "dark")])
def test_somebody_limits_themselves(visit, size, theme, tmp_path):
    me = visit(size, theme)
    me.go("/account")
    enter(me, f"Limited {size['width']}", PASSWORD, fresh=True)
    me.sees("limits-now", "You may lose any amount and play for any time")
    me.click("limit-loss")
    me.page.get_by_test_id("most-loss").fill("25,5")
    me.sees("most-loss-why", "Write an amount from 0 to 1,000,000,000")
    expect(me.page.get_by_test_id("set-limits")).to_be_disabled()
    me.page.get_by_test_id("most-loss").fill("25.50")
    me.click("limit-time")
    me.page.get_by_test_id("most-minutes").fill("90")
    me.click("set-limits")
    me.sees("limits-said", "Your limits are set")
    me.sees("limits-now", "You may lose 25.50 and play for 90 minutes in a day of play")
    me.click("limit-loss")
    me.click("set-limits")
    me.sees("limits-now", "you may lose any amount and play for 90 minutes")
    expect(me.page.get_by_test_id("limit-loss")).not_to_be_checked()
    before = me.page.get_by_test_id("limits-now").inner_text()
    me.click("set-limits")
    me.sees("limits-said", "Your limits are set")
    expect(me.page.get_by_test_id("limits-now")).to_have_text(before)
    assert axe(me.page) == []
    assert me.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    me.page.screenshot(path=tmp_path / "limits.png", full_page=True)


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "dark"), (PHONE, "light")])
def test_a_damaged_table_is_out_of_order_and_the_house_sees_why(server, visit, size, theme, tmp_path):
    def anew(desk):
        desk.tables = LiveTables(desk.tables.seal)

    file = server.folder / "felt.db"
    with sqlite3.connect(file) as db:
        (state,) = db.execute("SELECT state FROM tables WHERE id = ?", [BROKEN]).fetchone()
        db.execute("UPDATE tables SET state = '{' WHERE id = ?", [BROKEN])
    server.at_desk(anew)
    try:
        me = visit(size, theme)
        me.go("/")
        me.sees(f"table-{BROKEN}", "Out of order")
        me.sees(f"table-{BROKEN}", "Chips and wagers stay where they are")
        expect(me.page.get_by_test_id(f"table-{GOOD}")).to_have_attribute("href", f"/tables/{GOOD}")
        assert axe(me.page) == []
        me.page.screenshot(path=tmp_path / "lobby.png", full_page=True)
        me.go("/account")
        enter(me, "house", server.house_password, fresh=False)
        me.sees("acts", "logged in")
        assert axe(me.page) == []
        assert me.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        me.page.screenshot(path=tmp_path / "house.png", full_page=True)
        me.go("/")
        me.sees(f"table-{BROKEN}", "its state cannot be read")
        me.page.wait_for_load_state("networkidle")
    finally:
        with sqlite3.connect(file) as db:
            db.execute("UPDATE tables SET state = ? WHERE id = ?", [state, BROKEN])
        server.at_desk(anew)
