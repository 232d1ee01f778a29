"""People play every sheet in a browser, from the lobby to the last payment; stacked shoes make the amounts exact."""

import pytest
from playwright.sync_api import expect

from browsing import PHONE, WIDE, Visitor, chromium
from inside import Inside
from servers import SHEETS
from stacking import stacked

BLACKJACK, BACCARAT, SLICK = 1, 2, 3
STACKS = {
    "1-1": "Ks 6h Qd 9c 6s  8d 6h 8c Ts 3s Tc 2d Kd 7s",  # 20 beaten by 21; then eights split, one of them doubled
    "2-1": "2h 3c 7s 5d",  # 9 over 8 with two cards each
    "3-1": "Td 9s 2c 8d 9h",  # a hit matches the up card
}


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with stacked(STACKS), Inside(tmp_path_factory.mktemp("page"), *SHEETS) as found:
        yield found


@pytest.fixture
def visit(browser, request):
    visitors = []

    def come(server, size=WIDE, theme="light"):
        visitors.append(Visitor(browser, server.url, size, theme))
        return visitors[-1]

    yield come
    for visitor in visitors:
        visitor.close()


def test_bad_beat_blackjack(server, visit):
    """tests/playthroughs/bad-beat-blackjack/20-beaten.txt, and a split with a double after it."""
    me = visit(server)
    me.sit(BLACKJACK)
    me.bet(main=500, bad_beat=500)
    me.click("deal")
    me.sees("total-1-0", "20")
    me.act("stand")
    me.sees("dealer-total", "21")
    me.sees("result-1-main", "5")
    me.sees("result-1-bad-beat", "+100")
    expect(me.page.get_by_test_id("wager-1-bad-beat")).to_contain_text("20 beaten")
    me.sees("net", "+95")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("595")


def test_bad_beat_baccarat(server, visit):
    """tests/playthroughs/bad-beat-baccarat/nine-over-eight-two-cards.txt, on Player and the Bad Beat wager."""
    me = visit(server)
    me.sit(BACCARAT)
    me.bet(player=500, bad_beat=500)
    me.click("deal")
    me.sees("result-1-bad-beat", "+50")
    me.sees("net", "+55")
    expect(me.page.get_by_test_id("scoreboard")).to_be_visible()


def test_big_slick_with_action_match_by_keyboard_on_a_phone(server, visit):
    """tests/playthroughs/big-slick-blackjack/action-match-match.txt."""
    me = visit(server, PHONE)
    me.sit(SLICK)
    me.bet(main=500)
    me.page.locator("main").focus()
    me.page.keyboard.press("Enter")
    me.sees("total-1-0", "12")
    me.click("side-action-match-500")
    me.page.keyboard.press("h")
    me.sees("result-1-action-match", "+25")
    me.sees("net", "+30")
    assert me.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "nothing sticks out"
