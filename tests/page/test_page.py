"""People play every sheet in a browser, from the lobby to the last payment; stacked shoes make the amounts exact."""

import re

import pytest
from playwright.sync_api import expect

from support.floor.inside import Inside
from support.page.browsing import PHONE, WIDE, axe
from support.page.play import MINUS, amount, play, wish
from support.page.play import cards as cards_of
from support.paths import TESTS
from support.playthrough import Playthrough
from support.service.servers import SHEETS, Server
from support.soak import soak
from support.stacking import stacked

BLACKJACK, BACCARAT, SLICK = SHEETS
FILES = sorted(path for sheet in (*SHEETS, "base-blackjack", "base-baccarat") for path in (TESTS / "playthroughs" / sheet).glob("*.txt"))  # fmt: skip
ALL = [f"{path.parent.name}/{path.stem}" for path in FILES if "rounds-down" not in path.stem]  # a chip is no odd cent
PART = [
    "bad-beat-blackjack/20-beaten",
    "bad-beat-blackjack/resplit-bonus-on-first-hand",
    "bad-beat-blackjack/early-take-option-2-small-pair",
    "bad-beat-blackjack/insured-20-beaten-by-natural",
    "bad-beat-blackjack/even-money-bonus-follows-hands",
    "bad-beat-blackjack/each-spot-has-its-own-bonus",
    "bad-beat-blackjack/surrender-with-bonus",
    "bad-beat-baccarat/nine-over-eight-two-cards",
    "bad-beat-baccarat/no-commission-three-card-7-with-banker-7",
    "bad-beat-baccarat/banker-7-with-commission",
    "big-slick-blackjack/action-match-on-several-hits",
    "big-slick-blackjack/action-match-on-split-hands",
    "big-slick-blackjack/both-big-slick-in-one-suit",
    "base-blackjack/double-after-split",
    "base-blackjack/two-spots-one-insures",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("page")) as found:
        yield found
        found.check()


@pytest.fixture
def table(house, stacks):
    """Open a table whose first cards are known, with time to think."""

    def open_table(sheet, cards, **more):
        return stacks.open(house, cards, sheet=sheet, **{"decision_seconds": 600, "betting_seconds": 600, **more})

    return open_table


@pytest.mark.parametrize("name", soak(ALL, PART))
def test_playthrough(house, stacks, visit, name):
    told = Playthrough.read(TESTS / "playthroughs" / f"{name}.txt")
    play(visit(), told, stacks.open(house, cards_of(told), **wish(told)))


def test_every_wager_of_baccarat_at_once(table, visit):
    """Two-card 9 over two-card 8 on the table of tests/printed/bad-beat-baccarat.txt: what pays, and all that does not."""
    me = visit()
    me.sit(table(BACCARAT, "2h 3c 7s 5d", decks=8))
    places = me.page.get_by_test_id(re.compile(r"^wager-1-")).all()
    wagers = [place.get_attribute("data-testid").removeprefix("wager-1-") for place in places]
    assert len(wagers) == 12 and {"player", "banker", "tie", "bad-beat", "banker-7", "player-8"} <= set(wagers)
    me.click("chip-500")
    for wager in wagers:
        me.click(f"wager-1-{wager}")
    me.sees("deal", "Deal 60")
    me.click("deal")
    two_card = next(wager for wager in wagers if "two" in wager)
    pays = {"player": 500, "bad-beat": 5000, two_card: 25_000}
    for wager in wagers:
        me.sees(f"result-1-{wager}", f"+{amount(pays[wager])}" if wager in pays else f"{MINUS}5")
    me.sees("net", f"+{amount(sum(pays.values()) - 500 * (len(wagers) - len(pays)))}")
    me.sees("count-player", "1")


def test_by_keyboard_alone_on_a_phone(table, visit):
    """tests/playthroughs/big-slick-blackjack/action-match-match.txt, without a mouse: every step by tab, enter and letters."""
    me = visit(PHONE)
    me.go("/")
    number = table(SLICK, "Td 9s 2c 8d 9h", decks=6)
    me.go("/")
    me.tab_to(f"table-{number}")
    me.press("Enter")
    me.tab_to("spot-1")
    me.press("Enter")
    me.tab_to("sit")
    me.press("Enter")
    expect(me.page.get_by_test_id("leave")).to_be_visible()
    me.tab_to("wager-1-main")
    me.press("2", "Enter", "Enter")
    me.tab_to("deal")
    me.press("Enter")
    me.sees("total-1-0", "12")
    me.tab_to("side-action-match-500")
    me.press("Enter", "h")
    me.sees("result-1-main", "+10")
    me.sees("result-1-action-match", "+25")
    me.sees("net", "+35")
    assert me.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "nothing sticks out"


def test_chips_are_laid_taken_back_doubled_and_laid_again(table, visit):
    me = visit()
    me.sit(table(BLACKJACK, "Ks 6h Qd 9c 6s  Kd 6c Qh 9d 6d", decks=6, limits={"main": [500, 10_000]}))
    me.bet(main=500, bad_beat=500)
    me.sees("deal", "Deal 10")
    me.click("double-bets")
    me.sees("deal", "Deal 20")
    me.click("undo")
    me.sees("deal", "Deal 10")
    me.page.get_by_test_id("wager-1-bad-beat").click(button="right")
    me.sees("deal", "Deal 5")
    me.click("chip-10000")
    me.click("wager-1-main")
    me.sees("problem", "Blackjack takes 100 at most")
    me.sees("deal", "Deal 5")
    me.click("chip-100")
    me.click("clear")
    me.click("wager-1-main")
    me.sees("problem", "Blackjack takes 5 or more")
    me.bet(main=500, bad_beat=500)
    me.click("deal")
    me.act("stand")
    me.sees("net", "+95")
    me.sees("rebet", "Rebet 10")
    me.click("rebet")
    me.click("deal")
    me.act("stand")
    expect(me.page.get_by_test_id("my-chips")).to_have_text("690")


def test_two_browsers_at_one_table(table, visit):
    """Each sees the other's chips, cards and result as they come; whose turn it is not has no buttons."""
    number = table(BLACKJACK, "Ks 9h 6h Qd 9c 9s 6s", decks=6)
    one, two = visit(), visit(theme="dark")
    one.sit(number, 1)
    two.sit(number, 2)
    one.bet(main=500, bad_beat=500)
    two.click("chip-2500")
    two.click("wager-2-main")
    expect(one.page.get_by_test_id("wager-2-main")).to_have_attribute("aria-label", re.compile("25 laid"))
    one.click("deal")
    one.sees("deal", "Waiting for the others")
    two.click("deal")
    one.sees("total-2-0", "18")
    two.sees("total-1-0", "20")
    expect(two.page.get_by_test_id("action-stand")).to_have_count(0)
    one.act("stand")
    two.act("stand")
    for me in (one, two):
        me.sees("dealer-total", "21")
        me.sees("result-1-bad-beat", "+100")
        me.sees("result-2-main", f"{MINUS}25")
    one.sees("net", "+95")
    two.sees("net", f"{MINUS}25")


def test_a_reload_in_the_middle_of_a_hand(table, visit):
    me = visit()
    me.sit(table(BLACKJACK, "8s 6h 8d Tc  3h Th Kd 9s", decks=6))
    me.bet(main=500, bad_beat=500)
    me.click("deal")
    me.act("split")
    me.sees("total-1-0", "11")
    me.page.reload()
    me.sees("total-1-0", "11")
    me.act("double")
    me.sees("total-1-0", "21")
    me.sees("total-1-1", "18")
    me.act("stand")
    me.sees("dealer-total", "25")
    me.sees("net", "+10")


@pytest.fixture
def mortal(tmp_path):
    """A server as a process of its own, which deals known cards at its table and can be killed."""

    def served(cards):
        url, script = f"sqlite:///{tmp_path / 'felt.db'}", TESTS / "support/service/stacked_server.py"
        return Server(url, tmp_path, sheets=[BLACKJACK], script=script, environment={"FELTLAB_STACK": cards})

    return served


def test_the_server_killed_in_the_middle_of_a_hand(mortal, visit):
    """The page says that the line is lost, and comes back to the same cards; then the round goes on to its end."""
    with mortal("Ks 6h Qd 9c 6s") as server:
        me = visit(at=server)
        me.sit(1)
        me.bet(main=500, bad_beat=500)
        me.click("deal")
        me.sees("total-1-0", "20")
        server.kill()
        me.sees("connection", "connection lost")
        server.start()
        me.sees("connection", "live")
        me.sees("total-1-0", "20")
        me.act("stand")
        me.sees("result-1-bad-beat", "+100")
        me.sees("net", "+95")


def test_an_action_while_the_server_is_away_is_done_once(mortal, visit):
    """It is sent again until there is an answer, and played once. The third time it is on its way until the server is back."""
    with mortal("5s 6h 4d Tc 2s 3s 9d") as server:
        me, sent = visit(at=server), []
        me.sit(1)
        me.bet(main=500)
        me.click("deal")
        me.sees("total-1-0", "9")
        server.kill()

        def send(route):
            sent.append(route)
            if len(sent) != 3:
                route.continue_()

        me.page.route("**/moves", send)
        me.act("hit")
        for _ in range(1200):
            if len(sent) == 3:
                break
            me.page.wait_for_timeout(100)
        assert [route.request.headers["idempotency-key"] for route in sent] == 3 * [
            sent[0].request.headers["idempotency-key"]
        ]
        server.start()
        sent[2].continue_()
        me.sees("total-1-0", "11")
        expect(me.page.get_by_test_id("action-hit")).to_be_enabled()
        me.sees("total-1-0", "11")


def test_the_coach(table, visit):
    """A soft 19 against a six: doubling is best for the main wager alone, and a mistake with the bonus on it."""
    me = visit()
    me.go("/")
    me.click(f"table-{table(BLACKJACK, 'As 6h 8d 9c Ts 7c', decks=6)}")
    me.page.get_by_test_id("coach").check()
    me.sit_here()
    me.bet(main=2500, bad_beat=500)
    me.click("deal")
    expect(me.page.get_by_test_id("action-stand")).to_contain_text("★")
    expect(me.page.get_by_test_id("worth-double")).to_contain_text("%")
    me.act("double")
    expect(me.page.get_by_test_id("mistakes")).to_contain_text("Stand was best")
    me.sees("lost", "Mistakes of this round cost")
    said = me.page.get_by_test_id("lost").inner_text()
    me.click("why")
    me.click("judge")
    expect(me.page.get_by_test_id("lost")).to_have_text(said)


def test_a_fair_shoe_is_verified_in_the_browser(table, visit):
    """A seed of one's own, the shoe's end, the reveal, and the order worked out again on the page."""
    me = visit()
    number = table(BACCARAT, "2h 3c 7s 5d", decks=6, behind_cut=300)
    me.sit(number)
    me.page.get_by_test_id("fairness").locator("summary").click()
    promise = me.page.get_by_test_id("commitment").inner_text()
    me.page.get_by_test_id("own-seed").fill("seven plain geese")
    me.click("add-seed")
    expect(me.page.get_by_test_id("fairness")).to_contain_text("seven plain geese")
    for _ in range(3):
        me.bet(player=500)
        me.click("deal")
        expect(me.page.get_by_test_id("net")).to_be_visible()
    expect(me.page.get_by_test_id("commitment")).not_to_have_text(promise)
    me.click("verify")
    verdict = me.page.get_by_test_id("verdict")
    expect(verdict).to_contain_text("1 seed")
    expect(verdict.get_by_text("✗")).to_have_count(0)
    expect(verdict.get_by_text("✓")).to_have_count(4)


def test_everything_is_said_to_who_listens(table, visit):
    """Cards, totals, turns and results are told in a live region."""
    me = visit()
    me.sit(table(BLACKJACK, "Ks 6h Qd 9c 6s", decks=6))
    me.bet(main=500, bad_beat=500)
    me.click("deal")
    me.sees("said", "Your spot 1: king of spades, queen of diamonds; 20. Dealer: 6 of hearts, a card face down.")
    me.sees("said", "Your turn on spot 1: Stand, Hit, Double, Split.")
    me.act("stand")
    me.sees("said", "Dealer: 6 of hearts, 9 of clubs, 6 of spades; 21.")
    me.sees("said", "Bad Beat Blackjack wins 100, 20 beaten.")
    me.sees("said", "You won 95 in all.")


def test_cards_move_unless_that_is_not_wanted(table, visit):
    """With motion the cards come one after the other, and all can be shown at once; the end is the same."""
    me = visit(motion=True)
    me.sit(table(BLACKJACK, "Ks 6h Qd 9c 6s", decks=6))
    me.bet(main=500, bad_beat=500)
    me.click("deal")
    expect(me.page.get_by_text("The cards are dealt")).to_be_visible()
    me.sees("total-1-0", "20")
    me.act("stand")
    me.sees("net", "+95")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_room_of_the_table_has_a_grave_fault(table, visit, theme):
    """axe in the lobby, at each felt before and in a round, and where one looks back; on both widths."""
    for size in (WIDE, PHONE):
        me = visit(size, theme)
        seen = {}

        def look(name, me=me, seen=seen):
            seen[name] = axe(me.page)

        number = table(BLACKJACK, "As 6h 8d 9c Ts 7c", decks=6)
        me.go("/")
        expect(me.page.get_by_test_id(f"table-{number}")).to_be_visible()
        look("lobby")
        me.go(f"/tables/{number}")
        me.page.get_by_test_id("coach").check()
        look("standing at a table")
        me.sit_here()
        me.bet(main=500, bad_beat=500)
        look("bets")
        me.click("deal")
        expect(me.page.get_by_test_id("coach-now")).to_be_visible()
        look("asked, with the coach")
        me.act("stand")
        expect(me.page.get_by_test_id("mistakes")).to_be_visible()
        look("over")
        me.click("why")
        expect(me.page.get_by_text("Settlement").first).to_be_visible()
        look("why")
        me.go(f"/tables/{table(BACCARAT, '2h 3c 7s 5d')}")
        me.sit_here()
        me.bet(player=500)
        me.click("deal")
        expect(me.page.get_by_test_id("net")).to_be_visible()
        me.page.get_by_test_id("fairness").locator("summary").click()
        look("baccarat")
        me.go("/history")
        expect(me.page.get_by_role("link", name="Bad Beat Baccarat V2").first).to_be_visible()
        look("history")
        me.go("/account")
        expect(me.page.get_by_test_id("purse")).to_be_visible()
        look("account")
        me.go("/tables/99999")
        expect(me.page.get_by_role("heading", name="There is no table 99999")).to_be_visible()
        look("nothing here")
        faults = "\n".join(f"{name}: {one}" for name, found in seen.items() for one in found)
        assert not faults, faults


def test_a_chip_that_comes_too_late_is_not_laid_on_the_next_round(table, visit):
    """A slow line: the wagers are dealt without the chip, and it stays with its owner."""
    number = table(BACCARAT, "2h 3c 7s 5d", decks=8, betting_seconds=1)
    one, two = visit(), visit()
    one.sit(number, 1)
    two.sit(number, 2)
    one.bet(player=500)
    expect(two.page.get_by_test_id("spot-1")).to_have_attribute("aria-label", re.compile("5 laid"))
    held = []

    def hold(route):
        held.append(route)

    one.page.route("**/bets", hold)
    one.click("wager-1-player")
    two.bet_on(2, player=500)
    two.click("deal")
    two.sees("net", "+5")  # the time of the other was up
    one.sees("net", "+5")
    assert len(held) == 1 and '"player":1000' in held[0].request.post_data
    held[0].continue_()
    one.sees("problem", "these are for round 1")
    expect(one.page.get_by_test_id("my-chips")).to_have_text("505")
    one.sees("rebet", "Rebet 5")
    one.sees("deal", "Rebet and deal")


def test_a_key_that_is_held_down_decides_once_and_insures_for_what_is_shown(table, visit):
    me = visit()
    me.sit(table(BLACKJACK, "9h Ad 7c 4s 5h 2c", decks=6))
    me.bet(main=2500)
    me.page.keyboard.down("Enter")
    for _ in range(5):
        me.page.keyboard.down("Enter")
    me.page.keyboard.up("Enter")
    me.page.get_by_test_id("insurance-amount").fill("2")
    me.sees("action-insure", "Insure 2")
    me.page.get_by_test_id("insurance-amount").blur()
    me.press("i")
    me.sees("total-1-0", "16")
    me.act("stand")
    me.sees("result-1-insurance", f"{MINUS}2")


def test_who_is_forgotten_by_the_server_is_told_and_somebody_new_when_they_say_so(mortal, visit):
    """Logged out elsewhere: the table is seen again, as a guest who does not sit there."""
    with mortal("Ks 6h Qd 9c 6s") as server:
        me = visit(at=server)
        me.sit(1)
        server.kill()
        me.sees("connection", "connection lost")
        me.page.context.clear_cookies()  # not before: what the page asks meanwhile would log it out at once
        server.start()
        me.sees("logged-out", "You were logged out.")
        me.click("go-on-as-guest")
        me.sees("connection", "live")
        expect(me.page.get_by_test_id("sit")).to_be_visible()
