"""Looking back and behind: my rounds, a round told and seen again, accounts, the house's tables and books."""

import json
import re

import pytest
from playwright.sync_api import expect

from feltlab.client import Client, ServiceError
from support.floor.inside import Inside
from support.page.browsing import PHONE, WIDE
from support.paths import TESTS
from support.playthrough import Playthrough
from support.stacking import stacked

TOLD = TESTS / "playthroughs"
BEATEN = Playthrough.read(TOLD / "bad-beat-blackjack/20-beaten.txt")
THREE_CARDS = Playthrough.read(TOLD / "bad-beat-baccarat/nine-over-eight-three-cards-player.txt")
BLACKJACK, BACCARAT, MANY, ONE, OTHER, THOUGHT = 1, 2, 3, 4, 5, 6
SHEETS = {
    BLACKJACK: "bad-beat-blackjack",
    BACCARAT: "bad-beat-baccarat",
    MANY: "bad-beat-baccarat",
    ONE: "bad-beat-blackjack",
    OTHER: "bad-beat-blackjack",
    THOUGHT: "bad-beat-blackjack",
}
MINUS = "\N{MINUS SIGN}"
PASSWORD = "three crows on a wire"


def cards(playthrough):
    return " ".join(item.split()[-1] for item in playthrough.items("Cards"))


STACKS = {
    f"{BLACKJACK}-1": f"{cards(BEATEN)} {cards(BEATEN)}",
    f"{BACCARAT}-1": f"{cards(THREE_CARDS)} {cards(THREE_CARDS)}",
    f"{ONE}-1": "Ks 6h Qd 9c 6s 2h",
    f"{OTHER}-1": "Ks 6h Qd 4d 3h Js",  # as at the table before, as far as anybody sees while the player decides
    f"{THOUGHT}-1": cards(BEATEN),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with stacked(STACKS), Inside(tmp_path_factory.mktemp("rooms")) as found:
        with found.house() as house:
            for sheet in SHEETS.values():
                house.change("POST", "/tables", {"sheet": sheet})
        yield found
        found.check()


def money(cents):
    """An amount as the page writes it: these have no odd cents."""
    return str(cents // 100) if cents >= 0 else f"{MINUS}{-cents // 100}"


def won(cents):
    return f"+{money(cents)}" if cents > 0 else money(cents)


def stakes(playthrough):
    return {item.split()[2]: round(100 * float(item.split()[3])) for item in playthrough.items("Bets")}


def rows(playthrough, decks, **paytables):
    """What the playthrough says of each wager at a table."""
    return {wager: row for wager, (row,) in playthrough.expected(decks, paytables).items()}


ENDS = {
    BLACKJACK: rows(BEATEN, 6, **{"bad-beat": "P1"}),
    BACCARAT: rows(THREE_CARDS, 8),
}


def sit(server, table):
    client = Client(server.url).guest()
    client.buy_chips(100_000)
    return client, client.sit(table, [1], 50_000)


def replay(client, id):
    return client.request("GET", f"/rounds/{id}/replay")


# ---- the route


@pytest.mark.parametrize(("table", "playthrough"), [(BLACKJACK, BEATEN), (BACCARAT, THREE_CARDS)])
def test_a_replay_ends_as_the_round_is_stored(server, table, playthrough):
    client, seat = sit(server, table)
    seat.bet(stakes(playthrough))
    seat.deal()
    while seat.my_turn:
        seat.act("stand")
    id = f"{table}-{seat.round.number}"
    found, stored = replay(client, id), client.request("GET", f"/rounds/{id}")
    frames, end = found["frames"], found["frames"][-1]["round"]
    assert found["over"] and end == client.table(table)["now"]["round"], "the felt that was left"
    assert [frame["text"] for frame in frames] == stored["told"]
    for paid, lies in zip(stored["bets"], end["bets"], strict=True):
        assert {key: paid[key] for key in lies} == lies, "what was paid lies there"
        expected = ENDS[table][paid["wager"]]
        assert (lies["stake"], lies["back"]) == (expected.stake, expected.back)
    steps = [frame["step"] for frame in frames if frame["opens"]]
    assert steps == [chapter["step"] for chapter in stored["story"]]
    dealt = [frame["dealt"] - frames[0]["dealt"] for frame in frames]
    assert dealt == sorted(dealt) and dealt[-1] == len(playthrough.items("Cards"))
    seat.leave()
    client.close()


def test_nobody_learns_a_card_of_a_round_that_is_still_played(server):
    """A bystander sees what the table shows: shoes that differ in unseen cards alone give one answer."""
    with Client(server.url).guest() as bystander:
        answers, seats = [], []
        for table in (ONE, OTHER):
            client, seat = sit(server, table)
            seat.bet({"main": 1000, "bad-beat": 500})
            seat.deal()
            answers.append(replay(bystander, f"{table}-1"))
            assert answers[-1]["frames"][-1]["round"] == client.table(table)["now"]["round"]
            seats.append((client, seat))
        one, other = ({**answer, "id": ""} for answer in answers)
        assert one == other and not one["over"]
        assert one["frames"][-1]["round"]["dealer"]["cards"] == ["6h", "--"]

        for client, seat in seats:
            seat.act("stand")
            client.close()
        frames = replay(bystander, f"{ONE}-1")["frames"]
    assert frames[: len(one["frames"])] == one["frames"], "the beginning is what was seen then"
    turned = next(place for place, frame in enumerate(frames) if "hole card is" in frame["text"])
    assert "9c" not in json.dumps(frames[:turned]), "not even now, before it is turned"
    assert frames[turned]["round"]["dealer"]["cards"] == ["6h", "9c"]
    lies = [place for place, frame in enumerate(frames) if "--" in json.dumps(frame["round"])]
    assert lies == list(range(lies[0], turned)), "its back is seen from the deal on"


def test_wagers_that_were_taken_back_are_not_replayed(server):
    client, seat = sit(server, THOUGHT)
    for amount in (500, 2500, 1000):
        seat.bet({"main": amount})
    seat.deal()
    told = client.request("GET", f"/rounds/{THOUGHT}-1")["told"]
    assert "spot 1 wagers 25.00 on main" in told and "spot 1 takes 25.00 back from main" in told
    frames = replay(client, f"{THOUGHT}-1")["frames"]
    assert [frame["text"] for frame in frames[:2]] == ["Wagers", "spot 1 wagers 10.00 on main"]
    assert [bet["stake"] for bet in frames[-1]["round"]["bets"]] == [1000]
    seat.act("stand")
    seat.leave()
    client.close()


@pytest.mark.parametrize("id", ["1-999", "99-1"])
def test_there_is_no_replay_of_no_round(server, id):
    with Client(server.url).guest() as client, pytest.raises(ServiceError, match=f"there is no round {id}") as error:
        replay(client, id)
    assert error.value.status == 404
    with Client(server.url) as nobody, pytest.raises(ServiceError) as error:
        replay(nobody, id)
    assert error.value.status == 401


# ---- the page


def lay(me, playthrough):
    """The chips of a playthrough, with as many clicks as they take."""
    for wager, amount in stakes(playthrough).items():
        chip = 500 if amount % 500 == 0 else 100
        me.click(f"chip-{chip}")
        for _ in range(amount // chip):
            me.click(f"wager-1-{wager}")
    me.sees("deal", f"Deal {money(sum(stakes(playthrough).values()))}")


def felt(me):
    """What can be seen on the felt: cards and their backs, totals, and what came of the wagers."""
    drawn = me.page.get_by_role("group", name="The felt")
    ends = drawn.locator('[data-testid^="result-"], [data-testid$="-total"], [data-testid^="total-"]')
    return drawn.locator(".card title").all_text_contents(), ends.all_text_contents()


def played(me, table, playthrough, actions=()):
    """Play it, from the lobby on; gives the felt as it was left."""
    me.sit(table)
    lay(me, playthrough)
    me.click("deal")
    for action in actions:
        me.act(action)
    net = sum(row.back - row.stake for row in ENDS[table].values())
    me.sees("net", won(net))
    left = felt(me)
    me.click("leave")
    expect(me.page.get_by_test_id("sit")).to_be_visible()
    return left, net


def newest(me, table):
    """The round that is at the top of my history."""
    me.page.get_by_role("link", name="Rounds").click()
    first = me.page.get_by_test_id("rounds").locator("tbody tr").first
    expect(first).to_contain_text(f"table {table}")
    return first


def sees_payments(me, ends, whose="you"):
    for wager, row in ends.items():
        paid = me.page.get_by_test_id(f"paid-1-{wager}")
        expect(paid.locator("td.number")).to_have_text([money(row.stake), money(row.back), won(row.back - row.stake)])
        if row.pays != "lose":
            expect(paid).to_contain_text(row.pays.replace(" to ", ":"))
        expect(paid.locator("td").first).to_have_text(f"1 {whose}")


def moments(me):
    """Every moment of the replay from the first on: its sentence, and the felt."""
    me.click("first")
    found = []
    while True:
        me.sees("moment-of", f"{len(found) + 1} of ")
        found.append((me.page.get_by_test_id("sentence").inner_text(), *felt(me)))
        if me.page.get_by_test_id("on").is_disabled():
            return found
        me.click("on")


def test_a_blackjack_round_is_kept_told_and_seen_again(server, visit):
    """tests/playthroughs/bad-beat-blackjack/20-beaten.txt."""
    me = visit()
    me.go("/history")
    me.sees("no-rounds", "No rounds yet")
    left, net = played(me, BLACKJACK, BEATEN, ["stand"])
    line = newest(me, BLACKJACK)
    expect(line.locator("td.number")).to_have_text(["15", money(1500 + net), won(net)])
    line.get_by_role("link").click()

    sees_payments(me, ENDS[BLACKJACK])
    expect(me.page.get_by_test_id("round-net")).to_have_text(won(net))
    me.sees("step-take", "The dealer takes a Bad Beat wager that can no longer win")
    me.sees("step-dealer", "the hole card is 9c: the dealer has 15")
    me.sees("step-settlement", "spot 1, Bad Beat Blackjack: 20 beaten, pays 20:1, 100.00 won on 5.00")
    config = me.page.evaluate("fetch('/api/v1/tables/1').then((answer) => answer.json())")["about"]
    me.sees("config-hash", config["config_sha256"])
    me.sees("sheet-hash", config["config"]["sheet_sha256"])
    me.sees("unrevealed", "still in use")
    assert felt(me) == left, "the page opens with the felt as it was left"

    seen = moments(me)
    turned = next(place for place, (sentence, *_) in enumerate(seen) if "hole card is 9c" in sentence)
    backs = ["a card face down" in shown for _, shown, _ in seen]
    assert all("9 of clubs" not in shown for _, shown, _ in seen[:turned])
    assert all("9 of clubs" in shown for _, shown, _ in seen[turned:])
    assert backs.index(True) == next(n for n, (said, *_) in enumerate(seen) if "face down" in said)
    assert not any(backs[turned:]) and all(backs[backs.index(True) : turned])
    assert seen[0][1:] == ([], []) and seen[-1][1:] == left
    assert "21" in left[1] and "+100" in left[1] and f"{MINUS}10" in left[1]


def test_a_coup_is_kept_told_and_seen_again_on_a_phone(server, visit):
    """tests/playthroughs/bad-beat-baccarat/nine-over-eight-three-cards-player.txt."""
    me = visit(PHONE, "dark")
    left, net = played(me, BACCARAT, THREE_CARDS)
    line = newest(me, BACCARAT)
    expect(line.locator("td.number")).to_have_text(["32", money(3200 + net), won(net)])
    line.get_by_role("link").click()

    sees_payments(me, ENDS[BACCARAT])
    me.sees("step-third", "Player gets 4s: 9")
    assert felt(me) == left
    seen = moments(me)
    assert [len(shown) for _, shown, _ in seen] == sorted(len(shown) for _, shown, _ in seen)
    order = [sentence.split()[2] for sentence, *_ in seen if " gets " in sentence]
    assert [card.rstrip(":") for card in order] == cards(THREE_CARDS).split()
    assert seen[-1][1:] == left and "+200" in left[1] and "+400" in left[1]
    assert me.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "nothing sticks out"


def test_a_replay_is_moved_by_keys_slider_and_steps(server, visit):
    me = visit()
    client, seat = sit(server, MANY)
    seat.bet({"player": 500})
    seat.deal()
    count = len(replay(client, f"{MANY}-1")["frames"])
    seat.leave()
    client.close()
    me.go(f"/rounds/{MANY}-1")
    me.sees("moment-of", f"{count} of {count}")
    keys = me.page.keyboard
    for key, place in (("Home", 1), ("ArrowLeft", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        keys.press(key)
        me.sees("moment-of", f"{place} of {count}")
    keys.press("Home")
    keys.press(" ")
    me.sees("play", "Pause")
    expect(me.page.get_by_test_id("moment-of")).not_to_contain_text(re.compile(r"^[12] of "))
    keys.press(" ")
    me.sees("play", "Play")
    me.page.get_by_test_id("moment").fill(str(count - 2))
    me.sees("moment-of", f"{count - 1} of {count}")
    me.page.get_by_test_id("step-deal").get_by_role("button").click()
    me.sees("sentence", "Step 2: Deal")
    expect(me.page.get_by_test_id("replay").get_by_role("button", name="Player")).to_have_count(0)
    me.click("last")
    expect(me.page.get_by_test_id("on")).to_be_disabled()


def test_twelve_rounds_leave_ten_and_more_in_the_history(server, visit):
    me = visit()
    me.sit(MANY)
    me.bet(banker=500)
    for _ in range(12):
        before = me.page.get_by_test_id("why").get_attribute("href") if me.page.get_by_test_id("why").count() else ""
        me.click("deal")
        expect(me.page.get_by_test_id("why")).not_to_have_attribute("href", before)
    last = me.page.get_by_test_id("why").get_attribute("href")
    me.click("leave")
    expect(me.page.get_by_test_id("sit")).to_be_visible()
    me.go("/history")
    lines = me.page.get_by_test_id("rounds").locator("tbody tr")
    expect(lines).to_have_count(12)
    links = [link.get_attribute("href") for link in lines.get_by_role("link").all()]
    end = int(last.rpartition("-")[2])
    assert links == [f"/rounds/{MANY}-{number}" for number in range(end, end - 12, -1)], "the latest first"


def test_a_round_that_is_not_there_says_so(server, visit):
    me = visit()
    me.go("/rounds/1-9999")
    expect(me.page.get_by_role("heading", name="There is no round 1-9999")).to_be_visible()


# ---- accounts


def enter(me, name, password, fresh=False):
    me.click("to-register" if fresh else "to-log-in")
    me.page.get_by_test_id("name").fill(name)
    me.page.get_by_test_id("password").fill(password)
    me.click("enter")


def test_an_account_keeps_its_chips(server, visit):
    me = visit()
    me.go("/account")
    enter(me, "Ada", "too short", fresh=True)
    me.sees("entrance-problem", "a password has 10 to 200 characters")
    enter(me, "Ada", PASSWORD, fresh=True)
    expect(me.page.get_by_test_id("who")).to_have_text("Ada")
    expect(me.page.get_by_test_id("purse")).to_have_text("0")
    me.page.get_by_test_id("buy-amount").fill("1234.50")
    me.click("buy")
    expect(me.page.get_by_test_id("purse")).to_have_text("1,234.50")
    me.page.get_by_test_id("buy-amount").fill("99999999999")
    me.click("buy")
    expect(me.page.get_by_test_id("buy-amount-why")).to_have_text("Write an amount from 0.01 to 999,998,765.50")
    expect(me.page.get_by_test_id("buy-amount")).to_be_focused()
    expect(me.page.get_by_role("heading", name="The books")).to_have_count(0)
    expect(me.page.get_by_test_id("open")).to_have_count(0)

    me.click("log-out")
    enter(me, "Ada", "not her password")
    me.sees("entrance-problem", "the name or the password is wrong")
    enter(me, "Ada", PASSWORD, fresh=True)
    me.sees("entrance-problem", "the name 'Ada' is taken")
    enter(me, "Ada", PASSWORD)
    expect(me.page.get_by_test_id("purse")).to_have_text("1,234.50")


def test_a_guest_is_told_what_logging_out_gives_up(server, visit):
    me = visit()
    me.sit(MANY, 2)
    me.click("leave")
    expect(me.page.get_by_test_id("sit")).to_be_visible()
    me.go("/account")
    expect(me.page.get_by_test_id("purse")).to_have_text("10,000")
    me.click("log-out")
    expect(me.page.get_by_text("nobody can come back to this name, its 10,000 in chips")).to_be_visible()
    me.click("log-out-sure")
    expect(me.page.get_by_role("heading", name="Your account", level=1)).to_be_visible()


# ---- the house


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_double_click_answers_no_question(visit, tmp_path, size):
    with Inside(tmp_path, "bad-beat-baccarat") as server:
        house = visit(size, at=server)
        house.go("/account")
        enter(house, "house", server.house_password)
        button = house.page.get_by_test_id("close-1")
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        house.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(house.page.get_by_test_id("close-1-sure")).to_be_enabled()
        assert house.page.evaluate("fetch('/api/v1/tables').then((answer) => answer.json())")[0]["status"] == "open"
        house.click("close-1-not")
        expect(house.page.get_by_test_id("close-1-sure")).to_have_count(0)
        expect(button).to_be_focused()

        guest = visit(size, at=server)
        guest.sit(1)
        guest.go("/account")
        button = guest.page.get_by_test_id("log-out")
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        guest.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(guest.page.get_by_test_id("log-out-sure")).to_be_enabled()
        assert guest.page.evaluate("fetch('/api/v1/session').then((answer) => answer.json())")["me"]["kind"] == "guest"


def test_the_house_opens_a_table_reads_its_books_and_closes_it(visit, tmp_path):
    stacks = {"1-1": cards(THREE_CARDS)}
    with stacked(stacks), Inside(tmp_path, "bad-beat-baccarat") as server:
        client, seat = sit(server, 1)
        seat.bet(stakes(THREE_CARDS))
        seat.deal()
        house = visit(at=server)
        house.go("/account")
        enter(house, "house", server.house_password)
        house.sees("book-1", "1 round")
        reads_the_books(house)

        opens_a_table(house)
        house.go("/")
        house.sees("table-2", "paytable bad-beat L3")
        house.sees("table-2", "The quiet corner")
        house.go("/account")
        house.sees("book-2", "Nothing was wagered yet")

        for table in (2, 1):
            house.click(f"close-{table}")
            house.click(f"close-{table}-sure")
            expect(house.page.get_by_test_id(f"close-{table}")).to_have_count(0)
        assert client.tables() == [] and client.me()["tables"] == []
        house.go("/")
        expect(house.page.get_by_text("No table is open.")).to_be_visible()
        with pytest.raises(ServiceError, match="only a house account"):
            client.request("GET", "/books")
        client.close()

        me = visit(at=server)  # the shoe is over now: everybody can verify the round
        me.go("/rounds/1-1")
        sees_payments(me, ENDS[BACCARAT], client.name)
        me.click("verify")
        me.sees("verdict", "All 6 cards seen in 1 round are those of the shoe, in order")
        server.check()


def reads_the_books(house):
    """What the playthrough paid is what the house lost; the edge is the one that the README prints."""
    row = house.page.get_by_test_id("book-1-bad-beat")
    expect(row.locator("td").nth(1)).to_have_text("5")
    expect(row.locator("td").nth(2)).to_have_text(f"{MINUS}200")
    for _ in range(60):
        if "still being counted" not in row.inner_text():
            break
        with house.page.expect_response("**/books"):  # which waits a while for the figures
            house.click("look-again")
    expect(row.locator("td").nth(4)).to_have_text("6.881 %")
    expect(row.locator("td").nth(5)).to_have_text("+0.34")
    expect(row.locator("td").nth(6)).to_have_text(f"{MINUS}12.03")  # 200.344 over 5 times 3.3301
    net = sum(row.back - row.stake for row in ENDS[BACCARAT].values())
    house.sees("sums", "1,000")
    house.sees("book-1", won(-net))


def opens_a_table(house):
    def pick(what, value):
        house.page.get_by_test_id(f"new-{what}").select_option(value)

    pick("sheet", "big-slick-blackjack")
    pick("decks", "1")
    pick("paytable-action-match", "A")
    house.click("open")
    house.sees("open-problem", "paytable A of action-match is printed for 2, 4, 6 or 8 decks, not 1")
    pick("sheet", "bad-beat-blackjack")
    pick("decks", "2")
    pick("option", "1")
    pick("paytable-bad-beat", "L3")
    house.page.get_by_test_id("new-name").fill("The quiet corner")
    house.click("open")
    house.sees("opened", "The quiet corner is open: 2 decks, option 1, paytable bad-beat L3")
    house.sees("book-2", "The quiet corner")
