"""Cards on the felt: rank and suit of every one are in sight, however many hands a spot has been split into."""

import re

import pytest
from playwright.sync_api import expect

from feltlab.client import Client
from support.floor.inside import Inside
from support.page.browsing import PHONE, TABLET, WIDE, Visitor
from support.page.hands import HANDS, split_hands
from support.stacking import stacked

BLACKJACK = "bad-beat-blackjack"
SIZES = [WIDE, TABLET, PHONE]
DEEP = {3: ("2", "A")}
ALL = {1: ("2", "A"), 2: ("3", "2"), 3: ("4", "3"), 4: ("5", "3"), 5: ("8", "T"), 6: ("7", "T"), 7: ("6", "4")}
CARDS = {1: 8, 2: 6, 3: 5, 4: 4, 5: 2, 6: 2, 7: 4}
# Which of a felt's cards have an index that something else covers: looked at in the middle of its letters.
COVERED = """
() => [...document.querySelectorAll('.felt-table g.card')].flatMap((card) => {
  card.scrollIntoView({ block: 'center', inline: 'center' });
  return [...card.querySelectorAll('[data-index]')].flatMap((index) => {
    const box = index.getBoundingClientRect();
    const points = [0.15, 0.5, 0.85].flatMap((x) => [0.4, 0.6].map((y) => [box.left + box.width * x, box.top + box.height * y]));
    const wrong = points.filter(([x, y]) => document.elementFromPoint(x, y)?.closest('g.card') !== card);
    return wrong.length ? [`${card.querySelector('title').textContent}: ${index.textContent}, ${wrong.length} of ${points.length}`] : [];
  });
})
"""
LETTERS = """
() => Math.min(...[...document.querySelectorAll('.felt-table [data-index]')].map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("hands")) as found:
        yield found
        found.check()


@pytest.fixture
def played(server, house, stacks):
    """A round in which each spot has four hands, all but its last decision taken."""
    clients = []

    def play(spots, cards):
        deck, decisions = split_hands(BLACKJACK, spots, cards)
        table = stacks.open(house, deck, sheet=BLACKJACK, decks=8, decision_seconds=600, betting_seconds=600)
        client = Client(server.url).guest()
        clients.append(client)
        client.buy_chips(1_000_000)
        seat = client.sit(table, list(spots), 1_000_000)
        for spot in spots:
            seat.bet({"main": 1000}, spot)
        seat.deal()
        for action in decisions:
            seat.act(action)
        return table, seat

    yield play
    for client in clients:
        client.close()


def sees_all_cards(me: Visitor, hands: list[list[str]]) -> None:
    """As many cards as there are, with every index in sight and large enough to be read."""
    cards = me.page.get_by_role("group", name="The felt").locator("g.card")
    expect(cards).to_have_count(sum(map(len, hands)) + 2)  # and the dealer's
    assert me.page.evaluate(COVERED) == []
    assert me.page.evaluate(LETTERS) >= 9.5


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
def test_four_hands_of_eight_cards(played, visit, size):
    table, seat = played(DEEP, {3: 8})
    hands = [hand.cards for hand in seat.round.spots["3"]]
    assert [len(hand) for hand in hands] == [8] * HANDS
    me = visit(size)
    me.go(f"/tables/{table}")
    if size is PHONE:
        me.click("spot-3")
    sees_all_cards(me, hands)
    me.sees("total-3-0", "9/19")
    seat.act("stand")
    me.sees("dealer-total", "17")
    sees_all_cards(me, hands)


@pytest.mark.parametrize("size", [WIDE, TABLET], ids=lambda size: str(size["width"]))
def test_seven_spots_with_four_hands_each(played, visit, size):
    table, seat = played(ALL, CARDS)
    hands = [hand.cards for found in seat.round.spots.values() for hand in found]
    assert len(hands) == HANDS * len(ALL)
    me = visit(size)
    me.go(f"/tables/{table}")
    expect(me.page.get_by_test_id("total-7-0")).to_be_visible()
    sees_all_cards(me, hands)


def test_every_spot_can_be_looked_at_on_a_phone(played, visit):
    """One spot is drawn large; a tap shows another, also one that somebody else plays, and one's own turn comes first."""
    table, seat = played(ALL, CARDS)
    me = visit(PHONE)
    me.go(f"/tables/{table}")
    expect(me.page.get_by_test_id("hands-7")).to_be_visible()  # it is asked
    for spot in ALL:
        me.click(f"spot-{spot}")
        expect(me.page.get_by_test_id(f"hands-{spot}")).to_be_visible()
        expect(me.page.get_by_test_id(f"spot-{spot}").first).to_contain_text(f"{HANDS} hands")
        sees_all_cards(me, [hand.cards for hand in seat.round.spots[str(spot)]])
    assert me.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_spot_of_somebody_else_is_looked_at_until_one_is_asked(server, house, stacks, visit):
    slow = {"decision_seconds": 600, "betting_seconds": 600}
    table = stacks.open(house, "9s 8s 7c 9h 8h Tc", sheet=BLACKJACK, decks=8, **slow)
    me = visit(PHONE)
    me.go(f"/tables/{table}")
    me.sit_here(2)
    with Client(server.url).guest() as other:
        other.buy_chips(10_000)
        seat = other.sit(table, [1], 10_000)
        expect(me.page.get_by_test_id("spot-1").first).to_have_attribute("aria-label", re.compile(other.name))
        me.bet_on(2, main=500)
        me.sees("deal", "Deal 5")
        seat.bet({"main": 500})
        seat.deal()
        me.click("deal")
        expect(me.page.get_by_test_id("total-2-0")).to_have_text("16")
        me.click("spot-1")
        expect(me.page.get_by_test_id("total-1-0")).to_have_text("18")
        seat.look()
        seat.act("stand")
        expect(me.page.get_by_test_id("action-stand")).to_be_visible()
        expect(me.page.get_by_test_id("total-2-0")).to_have_text("16")
        me.act("stand")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
def test_a_hand_of_eleven_cards(house, stacks, visit, size):
    """By itself on its spot, and beside a dealer with many cards."""
    table = stacks.open(house, "As 2s Ah 3h Ac Ad As Ah Ac Ad As 2c 2d Ah 2h 3c 3s 2s", sheet=BLACKJACK, decks=8, decision_seconds=600)  # fmt: skip
    me = visit(size)
    me.go(f"/tables/{table}")
    me.sit_here()
    me.bet(main=500)
    me.click("deal")
    expect(me.page.get_by_test_id("action-hit")).to_be_enabled()
    for count in range(3, 10):
        me.act("hit")
        expect(me.page.get_by_test_id("hands-1").locator("g.card")).to_have_count(count)
        expect(me.page.get_by_test_id("action-hit")).to_be_enabled()
    sees_all_cards(me, [["A"] * 9])
    me.act("stand")
    expect(me.page.get_by_test_id("net")).to_be_visible()
    assert me.page.evaluate(COVERED) == []


def test_ticking_the_coach_leaves_the_keys_to_the_game(house, stacks, visit):
    """While the clock runs: a box that was ticked has the focus, and takes no letter."""
    table = stacks.open(house, "5s 6h 4d Tc 2s 3s 9d", sheet=BLACKJACK, decks=8, decision_seconds=600)
    me = visit()
    me.go(f"/tables/{table}")
    me.sit_here()
    me.bet(main=500)
    me.click("deal")
    me.sees("total-1-0", "9")
    me.page.get_by_test_id("coach").check()
    assert me.page.evaluate("document.activeElement.dataset.testid") == "coach"
    me.press("h")
    me.sees("total-1-0", "11")
    me.press(" ")
    expect(me.page.get_by_test_id("coach")).not_to_be_checked()
    me.press("s")
    expect(me.page.get_by_test_id("net")).to_be_visible()


def test_letters_in_a_field_are_not_played(house, stacks, visit):
    table = stacks.open(house, "5s 6h 4d Tc 2s 3s 9d", sheet=BLACKJACK, decks=8, decision_seconds=600)
    me = visit()
    me.go(f"/tables/{table}")
    me.sit_here()
    me.bet(main=500)
    me.click("deal")
    me.sees("total-1-0", "9")
    me.click("more-chips")
    me.page.get_by_test_id("bring-amount").focus()
    me.press("h", "s")
    expect(me.page.get_by_test_id("bring-amount-why")).to_contain_text("Write an amount from 0.01 to")
    me.sees("total-1-0", "9")
