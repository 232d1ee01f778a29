"""What people type and what is refused: each number field says what may be written, each refusal says why, in view and aloud."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.floor.inside import Inside
from support.page.browsing import PHONE, WIDE, Visitor
from support.stacking import stacked

BLACKJACK, BACCARAT = "bad-beat-blackjack", "bad-beat-baccarat"
NONE = ["-5", "0", "1e99", "", "abc"]


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("numbers"), practice=True) as found:
        yield found


@pytest.fixture
def table(house, stacks):
    def open_table(sheet, cards, **more):
        return stacks.open(house, cards, **{"sheet": sheet, "decks": 6, "decision_seconds": 600, **more})

    return open_table


def refuses(me: Visitor, hook: str, texts: list[str], sentence: str) -> None:
    """Each of these texts is answered by the sentence, at once and where it is written; a screen reader is told it."""
    field, why = me.page.get_by_test_id(hook), me.page.get_by_test_id(f"{hook}-why")
    for text in texts:
        field.fill(text)
        expect(why).to_contain_text(sentence)
        expect(field).to_have_attribute("aria-invalid", "true")
        assert why.get_attribute("role") == "status" and field.get_attribute("aria-describedby") == why.get_attribute("id")  # fmt: skip


def takes(me: Visitor, hook: str, text: str) -> None:
    me.page.get_by_test_id(hook).fill(text)
    expect(me.page.get_by_test_id(f"{hook}-why")).to_be_empty()


def test_a_simulation_is_started_with_numbers_alone(visit):
    me = visit()
    me.go(f"/lab/{BACCARAT}/simulate")
    refuses(me, "rounds", [*NONE, "1.5", "1000000001"], "Write a whole number from 1 to 1,000,000,000")
    me.click("start")
    expect(me.page.get_by_role("alert")).to_contain_text("Not started: the rounds cannot be as written.")
    expect(me.page.get_by_test_id("rounds")).to_have_value("1000000001")
    takes(me, "rounds", "1,000")
    refuses(me, "spots", [*NONE, "1.5", "8"], "Write a whole number from 1 to 7")
    takes(me, "spots", "2")
    refuses(me, "seed", ["-5", "1e99", "", "abc", "1.5"], "Write a whole number from 0 to 9,007,199,254,740,991")
    takes(me, "seed", "0")
    for empty in ("rounds", "seed", "spots"):
        field = me.page.get_by_test_id(empty)
        before = field.input_value()
        field.fill("")
        me.press("Tab")
        expect(field).to_have_value("")
        me.click("start")
        expect(me.page.get_by_role("alert")).to_contain_text("Not started")
        expect(field).to_be_focused()
        field.fill(before)
        expect(me.page.get_by_role("alert")).to_have_count(0)
    me.click("start")
    expect(me.page.get_by_text("seed 0, a fresh shoe each round, 2 spots")).to_be_visible()


def test_an_address_with_a_wrong_number_says_so(visit):
    me = visit()
    me.go(f"/lab/{BACCARAT}/simulate?rounds=-5&spots=99")
    expect(me.page.get_by_test_id("rounds")).to_have_value("-5")
    expect(me.page.get_by_test_id("rounds-why")).to_contain_text("from 1 to 1,000,000,000")
    expect(me.page.get_by_test_id("spots-why")).to_contain_text("from 1 to 7")
    me.click("start")
    expect(me.page.get_by_role("alert")).to_contain_text("the rounds and the spots cannot be as written")
    assert me.page.url.endswith("rounds=-5&spots=99"), "nothing was started"


def test_amounts_of_money(table, visit):
    """In the purse, on sitting down, with more chips, and for insurance."""
    me = visit()
    number = table(BLACKJACK, "9h Ad 7c 4s 5h 2c")
    me.go(f"/tables/{number}")
    refuses(me, "sit-chips", [*NONE, "1.555", "10000.01"], "Write an amount from 0.01 to 10,000")
    me.click("spot-1")
    me.click("sit")
    expect(me.page.get_by_test_id("sit-chips")).to_be_focused()
    expect(me.page.get_by_text("Write an amount from 0.01 to 10,000")).to_have_count(1)
    takes(me, "sit-chips", "1.5")
    takes(me, "sit-chips", "500")
    me.click("sit")
    expect(me.page.get_by_test_id("leave")).to_be_visible()
    me.click("more-chips")
    refuses(me, "bring-amount", [*NONE, "9500.01"], "Write an amount from 0.01 to 9,500")
    me.click("bring")
    expect(me.page.get_by_test_id("bring-amount")).to_be_focused()
    expect(me.page.get_by_text("Write an amount from 0.01 to 9,500")).to_have_count(1)
    takes(me, "bring-amount", "1.50")
    me.click("bring")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("501.50")
    me.bet(main=2500)
    me.click("deal")
    refuses(me, "insurance-amount", [*NONE, "12.51"], "Write an amount from 0.01 to 12.50")
    expect(me.page.get_by_test_id("action-insure")).to_be_disabled()
    takes(me, "insurance-amount", "1.5")
    me.sees("action-insure", "Insure 1.50")
    me.act("decline")
    me.act("stand")
    me.go("/account")
    expect(me.page.get_by_test_id("purse")).to_have_text("9,498.50")
    refuses(me, "buy-amount", [*NONE, "1.555", "9999999999", "9" * 20], "Write an amount from 0.01 to 999,990,501.50")
    me.click("buy")
    expect(me.page.get_by_test_id("buy-amount")).to_be_focused()
    expect(me.page.get_by_text("Write an amount from 0.01 to")).to_have_count(1)


def test_a_pay_that_is_none_is_said(visit):
    me = visit()
    me.go(f"/lab/{BACCARAT}")
    field = me.page.get_by_test_id("pay-tie-tie")
    for text in ("-5", "1e99", "", "abc", "1.5"):
        field.fill(text)
        expect(me.page.get_by_text("write 25:1, push or lose")).to_be_visible()
    field.fill("0")
    expect(me.page.get_by_text("write 25:1, push or lose; 8:1 holds until then")).to_be_visible()
    me.press("Tab")
    expect(field).to_have_value("0")
    expect(me.page.get_by_text("write 25:1, push or lose; 8:1 holds until then")).to_be_visible()


def test_every_number_field_is_one_that_says_so(visit, table):
    """No field is left to what a browser makes of a number."""
    me = visit()
    for path in ("/", "/account", "/lab", f"/lab/{BACCARAT}", f"/lab/{BACCARAT}/simulate", "/lab/own", f"/tables/{table(BACCARAT, '2h 3c 7s 5d')}"):  # fmt: skip
        me.go(path)
        expect(me.page.locator("main h1").first).to_be_visible()
        expect(me.page.locator("input[type=number]")).to_have_count(0)


# ---- refusals


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_any_free_spot_seats_somebody(table, visit, size):
    me = visit(size)
    me.go(f"/tables/{table(BLACKJACK, 'Ks 6h Qd 9c 6s')}")
    me.click("sit-anywhere")
    expect(me.page.get_by_test_id("leave")).to_be_visible()
    expect(me.page.get_by_test_id("my-chips")).to_have_text("500")


def test_sitting_down_without_a_spot_says_what_is_missing(table, visit):
    me = visit()
    me.go(f"/tables/{table(BLACKJACK, 'Ks 6h Qd 9c 6s')}")
    me.click("sit")
    for hook in ("problem", "said"):
        me.sees(hook, "Choose a free spot on the felt first, or take any")


def test_who_has_lost_all_chips_is_told_so_and_offered_more(table, visit):
    me = visit()
    me.go(f"/tables/{table(BLACKJACK, '2s 6h Td Tc 5h  2s 6h Td Tc 5h')}")
    me.page.get_by_test_id("sit-chips").fill("5")
    me.sit_here()
    me.bet(main=500)
    me.click("deal")
    me.act("stand")
    me.sees("net", "5")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("0")
    me.sees("offer-chips", "You have no chips at this table.")
    me.click("wager-1-main")
    for hook in ("problem", "said"):
        me.sees(hook, "You have 0 at the table, and that would be 5")
    me.click("bring-more")
    me.page.get_by_test_id("bring-amount").fill("20")
    me.click("bring")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("20")
    expect(me.page.get_by_test_id("offer-chips")).to_have_count(0)


def test_who_has_no_chips_anywhere_is_sent_to_buy_some(table, visit):
    me = visit()
    number = table(BLACKJACK, "2s 6h Td Tc 5h")
    me.go(f"/tables/{number}")
    me.page.get_by_test_id("sit-chips").fill("10000")
    me.sit_here()
    me.bet(main=100_000)
    for _ in range(9):
        me.click("wager-1-main")
    me.click("deal")
    me.act("stand")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("0")
    expect(me.page.get_by_test_id("buy-more")).to_have_attribute("href", "/account")
    me.click("more-chips")
    expect(me.page.get_by_text("You have no chips away from the tables.")).to_be_visible()
    me.click("leave")
    me.click("sit-anywhere")
    for hook in ("problem", "said"):
        me.sees(hook, "You have no chips to bring")


def test_what_is_wrong_is_not_counted_where_more_may_be(visit):
    """A sheet is checked up to its first mistake; two wagers of this one are wrong."""
    me = visit()
    me.go("/lab/own")
    expect(me.page.get_by_test_id("own-verdict")).to_contain_text("A good sheet")
    text = me.page.get_by_test_id("own-text").input_value()
    me.page.get_by_test_id("own-text").fill(text.replace("pair(first", "pear(first").replace('"25:1"', '"many"'))
    verdict = me.page.get_by_test_id("own-verdict")
    expect(verdict).to_contain_text("what is wrong is marked. More may come to light when that is mended.")
    expect(verdict).not_to_contain_text("one thing")


# ---- what figures are of


def saved(me: Visitor, group: str, kind: str) -> str:
    with me.page.expect_download() as found:
        me.page.get_by_role("group", name=f"Download {group}").first.get_by_role("button", name=kind).click()
    return Path(found.value.path()).read_text()


def test_cards_that_are_gone_stand_in_the_headline_and_in_files(visit):
    me = visit()
    address = f"/lab/{BACCARAT}/figures?decks=6&option=no-commission&rule=tie=9&pay=bad-beat/8-over-7=7:1&remove=As+Kd"
    me.go(address)
    expect(me.page.get_by_test_id("headline")).to_have_text("6 decks, option no-commission, without As Kd")
    expect(me.page.get_by_label("Not as printed")).to_contain_text("rule tie is 9")
    said = address.replace("/figures", "")
    for row in csv.DictReader(io.StringIO(saved(me, f"{BACCARAT}-edges", "CSV"))):
        assert row["table"] == said
    for group in (f"{BACCARAT}-edges", "bad-beat-returns", "bad-beat-money"):
        assert {row["table"] for row in json.loads(saved(me, group, "JSON"))} == {said}
    assert f"<desc>{said.replace('&', '&amp;')}</desc>" in saved(me, "bad-beat-money", "SVG")


def test_a_simulation_says_all_that_it_is_of(visit):
    me = visit()
    me.go(f"/lab/{BACCARAT}/simulate?decks=6&rule=tie=9&remove=As+Kd&rounds=1000")
    me.click("start")
    headline = me.page.locator("header p.soft", has_text="seed 1")
    expect(headline).to_contain_text("6 decks, option commission, without As Kd; rule tie is 9")
    expect(me.page.get_by_test_id("sim-status")).to_have_text("done", timeout=120_000)
    (where,) = {row["table"] for row in json.loads(saved(me, "simulation-", "JSON"))}
    assert where.startswith(f"/lab/{BACCARAT}?decks=6") and "remove=As+Kd" in where and "seed=1" in where


def test_a_strategy_stands_in_the_headline(visit):
    me = visit()
    me.go(f"/lab/{BLACKJACK}?strategy=composition&remove=5s")
    expect(me.page.get_by_test_id("headline")).to_contain_text("without 5s, strategy composition")
