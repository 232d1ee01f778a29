"""The service from end to end, as programs use it: the client, the bot, the house."""

import threading
from pathlib import Path
from unittest import mock

import httpx
import msgspec
import pytest

from feltlab.client import Client, ServiceError
from feltlab.client.bot import Bot, default_stakes, join
from feltlab.floor.ledger.books import NOT_YET
from feltlab.floor.records.heads import KeptHeads
from feltlab.floor.records.proof import prove
from feltlab.floor.records.replaying import verify_shoe
from feltlab.floor.storage.read_only import open_read_only
from feltlab.floor.tables import live
from feltlab.web import services
from feltlab.web.lab import figuring
from support.floor.floors import secret_of, stacked
from support.floor.inside import Inside
from support.service.servers import SHEETS

EXAMPLES = Path("docs/examples")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Inside(tmp_path_factory.mktemp("service"), *SHEETS) as found:
        yield found
        found.check()


@pytest.fixture
def ada(server):
    with Client(server.url).guest() as found:
        found.buy_chips(1_000_000)
        yield found


def opened(house, **wish):
    """A table that nobody else of these tests sits at."""
    return house.change("POST", "/tables", wish)["about"]["id"]


def refused(act, *arguments):
    """What a server says to something that it refuses."""
    with pytest.raises(ServiceError) as found:
        act(*arguments)
    return found.value


# ---- who is here


def test_somebody_can_delete_their_data(server, house):
    table = opened(house, sheet="bad-beat-blackjack", decks=6)
    with Client(server.url).guest() as zed, Client(server.url).guest() as other:
        zed.buy_chips(10_000)
        seat = zed.sit(table, spots=[1], chips=5_000)
        seat.bet({"main": 1000})
        name = zed.me()["name"]
        zed.change("DELETE", "/me")
        assert refused(zed.me).status == 401
        now = other.table(table)["now"]
        assert now["seats"] == now["round"]["bets"] == []
        assert name not in other._http.get(f"/api/v1/rounds/{table}-1").text
    assert refused(house.change, "DELETE", "/me").status == 403
    with open_read_only(server.services.settings.db) as db:
        assert prove(db).faults == []


def test_heads_are_for_everybody_and_cost_the_database_nothing(server, monkeypatch):
    asked = []
    find = server.services._find_heads
    monkeypatch.setattr(server.services, "_find_heads", lambda: asked.append(1) or find())
    monkeypatch.setattr(server.services, "_heads_until", 0.0)
    monkeypatch.setattr(services, "HEADS_SECONDS", 1e9)
    try:
        answers = [httpx.get(f"{server.url}/api/v1/heads") for _ in range(20)]
    finally:
        server.services._heads_until = 0.0
    assert len(asked) == 1 and len({answer.text for answer in answers}) == 1
    assert answers[0].headers["content-type"].startswith("text/plain")
    key = server.services.seal.signer.public_key().public_bytes_raw().hex()
    kept = KeptHeads(answers[0].text, key)
    with open_read_only(server.services.settings.db) as db:
        found = prove(db, kept)
    assert (found.faults, found.heads) == ([], kept.count)


def test_a_guest_is_given_a_name_and_no_chips(server):
    with Client(server.url).guest() as guest:
        me = guest.me()
    assert me["name"].startswith("guest-")
    assert (me["kind"], me["chips"], me["tables"]) == ("guest", 0, [])


def test_an_account_is_made_logged_out_of_and_logged_in_to(server):
    with Client(server.url).register("Ada Quill", "a long password") as ada:
        assert ada.me()["kind"] == "player"
        assert ada.buy_chips(5000) == 5000
        ada.request("DELETE", "/sessions")
        assert refused(ada.me).status == 401
    with Client(server.url) as again:
        assert refused(again.log_in, "Ada Quill", "another password").kind == "unknown-name-or-password"
        again.log_in("  Ada   Quill ", "a long password")
        assert again.me()["chips"] == 5000


def test_a_name_is_the_same_however_it_is_written(server):
    with Client(server.url).register("\uff22\uff45\uff41", "a long password") as bea, Client(server.url) as again:
        assert bea.name == "Bea"
        assert again.log_in("\uff22\uff45\uff41", "a long password").name == "Bea"
        assert refused(again.register, "Bea", "a long password").status in (403, 409)


@pytest.mark.parametrize("name", ["ab", "guest-12345678", "_ada_", "a" * 41, "Ada\u0000", "Ada\u202equill", "<script>"])
def test_a_name_that_cannot_be_shown_is_refused(server, name):
    with Client(server.url) as nobody:
        assert "name" in str(refused(nobody.register, name, "a long password"))


@pytest.mark.parametrize("password", ["short", "", "x" * 201])
def test_a_password_of_the_wrong_length_is_refused(server, password):
    with Client(server.url) as nobody:
        assert refused(nobody.register, "Carl", password).status in (409, 422)


def test_chips_are_bought_up_to_a_limit(server):
    with Client(server.url).guest() as guest:
        assert guest.buy_chips(100) == 100
        assert guest.buy_chips(200) == 300
        assert refused(guest.buy_chips, 0).status == 409
        assert refused(guest.buy_chips, 100_000_000_000).status == 409
        assert guest.me()["chips"] == 300


# ---- a table


def test_the_lobby_lists_tables_with_their_limits_and_free_spots(server):
    with Client(server.url) as nobody:
        lines = nobody.tables()
    assert {line["sheet"] for line in lines} >= set(SHEETS)
    one = next(line for line in lines if line["sheet"] == "bad-beat-blackjack")
    assert one["game"] == "blackjack" and one["limits"]["main"] == [1, 1_000_000]
    assert set(one["free"]) <= set(range(1, one["seats"] + 1))


def test_a_table_says_what_is_played_there(server):
    with Client(server.url) as nobody:
        about = nobody.table(1)["about"]
    assert about["sheet"] == "bad-beat-blackjack"
    assert "bad-beat" in {wager["id"] for wager in about["wagers"]}
    assert all(line["pays"] for wager in about["wagers"] for line in wager["lines"])
    assert about["config"]["decks"] == 6 and len(about["config_sha256"]) == 64
    assert about["procedure"]


def test_a_round_from_sitting_down_to_leaving(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    seat = ada.sit(table, [3], 50_000)
    assert ada.me() | {"csrf": ""} == {
        "name": ada.name,
        "kind": "guest",
        "chips": 950_000,
        "tables": [table],
        "csrf": "",
    }
    assert seat.spots == (3,) and seat.chips == 50_000 and seat.betting
    seat.bet({"main": 1000, "bad-beat": 500})
    assert seat.chips == 48_500
    seat.bet({"main": 2000})  # instead
    assert seat.chips == 48_000
    seat.deal()
    while asked := seat.my_turn:
        seat.act("decline" if asked.kind == "insurance" else "stand")
    assert seat.betting and seat.round.step == "over"
    back = sum(bet.back for bet in seat.round.bets)
    assert seat.chips == 48_000 + back
    seat.leave()
    assert seat.spots == ()
    assert ada.me()["chips"] == 998_000 + back


def test_who_has_wagered_everything_still_sits_there(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    seat = ada.sit(table, [1], 1000)
    seat.bet({"main": 1000})
    assert ada.me()["tables"] == [table]
    seat.leave()
    assert ada.me()["tables"] == []


def test_chips_are_brought_and_no_more_than_there_are(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    seat = ada.sit(table, [1, 2], 1000)
    seat.bring(500)
    assert seat.chips == 1500
    assert refused(seat.bring, 10_000_000).status == 409
    assert refused(seat.bet, {"main": 1501}).status == 409
    assert refused(seat.bet, {"main": 1000, "no-such": 1}).status == 409
    assert seat.look().round is None and seat.chips == 1500  # a refusal leaves no trace


def test_the_last_ten_rounds_are_recalled(server, house, ada):
    table = opened(house, sheet="bad-beat-baccarat")
    seat = ada.sit(table, [1], 100_000)
    for stake in range(1, 13):
        seat.bet({"player": 100 * stake})
        seat.deal()
    rounds = ada.rounds()
    assert [line["id"] for line in rounds] == [f"{table}-{number}" for number in range(12, 2, -1)]
    assert [line["stake"] for line in rounds] == [100 * stake for stake in range(12, 2, -1)]
    assert len(ada.rounds(12)) == 12
    assert sum(line["back"] - line["stake"] for line in ada.rounds(12)) == seat.chips - 100_000


def test_a_round_is_told_step_by_step_and_in_words(server, house, ada):
    table = opened(house, sheet="big-slick-blackjack")
    seat = ada.sit(table, [2], 100_000)
    Bot(seat, ada.table(table)["about"], {"main": 1000}).play(1)
    found = ada.request("GET", f"/rounds/{table}-1")
    assert found["over"] and found["shoe"] == f"{table}-1"
    names = [event["event"] for step in found["steps"] for event in step["events"]]
    assert names[0] == "round" and "card" in names and names[-1] == "over"
    assert found["bets"][0]["player"] == ada.name
    assert any("main" in line for line in found["told"])
    assert refused(ada.request, "GET", f"/rounds/{table}-99").status == 404


def test_a_shoe_is_revealed_when_it_is_over_and_proves_its_order(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack", decks=1, behind_cut=40, paytables=["P1"])
    seat = ada.sit(table, [1], 100_000)
    seat.add_seed("three crows on a wire")
    bot = Bot(seat, ada.table(table)["about"], {"main": 1000})
    first = ada.request("GET", f"/shoes/{table}-1")
    assert not first["revealed"] and first["order"] is None and first["reserve"] is None
    while seat.look().shoe.number == 1:
        bot.play(1)
    found = ada.request("GET", f"/shoes/{table}-1")
    assert found["revealed"] and found["commitment"] == first["commitment"]
    assert found["seeds"] == [[ada.name, "three crows on a wire"]] and found["rounds"][0] == f"{table}-1"
    with open_read_only(server.services.settings.db) as db:
        verify_shoe(db, table, 1)


# ---- the house


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_the_house_opens_a_table_of_its_own_sheet_and_a_bot_plays_it(server, house, name):
    table = opened(house, text=(EXAMPLES / f"{name}.toml").read_text(), name=f"Own {name}")
    assert house.table(table)["about"]["name"] == f"Own {name}"
    bot = join(server.url, table, (1, 2))
    assert bot.play(4) == 4
    laid = {wager for line in bot.seat._client.rounds(4) for wager in _wagers(bot.seat._client, line["id"])}
    assert laid >= set(bot.before_deal())
    bot.seat.leave()
    bot.seat._client.close()


def _wagers(client, round_id):
    return {bet["wager"] for bet in client.request("GET", f"/rounds/{round_id}")["bets"]}


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_bot_plays_every_built_in_sheet(server, house, sheet):
    table = opened(house, sheet=sheet)
    bot = join(server.url, table, (1, 3))
    assert bot.play(8) == 8
    assert len(bot.seat._client.rounds(100)) == 8
    bot.seat._client.close()


def test_a_table_in_washington_keeps_its_law(server, house, ada):
    error = refused(house.change, "POST", "/tables", {"sheet": "bad-beat-baccarat", "jurisdiction": "washington", "limits": {"tie": [100, 50_000]}})  # fmt: skip
    assert error.status == 422 and "WAC 230-15-140" in str(error)
    about = house.table(opened(house, sheet="bad-beat-baccarat"))["about"]
    sides = [wager["id"] for wager in about["wagers"] if not wager["base"]]
    large = {id: [100, 10_000] for id in sides}
    error = refused(house.change, "POST", "/tables", {"sheet": "bad-beat-baccarat", "jurisdiction": "washington", "limits": large})  # fmt: skip
    assert error.status == 422 and "WAC 230-15-040" in str(error)
    table = opened(house, sheet="bad-beat-baccarat", jurisdiction="washington")
    assert any("WAC 230-15-140" in note for note in house.table(table)["about"]["notes"])
    seat = ada.sit(table, [1], 100_000)
    error = refused(seat.bet, {"player": 40_001})
    assert error.status == 409 and "WAC 230-15-140" in str(error)
    seat.bet({"player": 40_000})


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"sheet": "bad-beat-blackjak"}, "did you mean 'bad-beat-blackjack'?"),
        ({"sheet": "bad-beat-blackjack", "text": "id = 1"}, "but not both"),
        ({}, "but not both"),
        ({"sheet": "bad-beat-baccarat", "decks": 7}, "decks"),
        ({"sheet": "bad-beat-blackjack", "rules": {"fly": "yes"}}, "fly"),
        ({"sheet": "bad-beat-blackjack", "jurisdiction": "nowhere"}, "jurisdiction"),
        ({"sheet": "bad-beat-blackjack", "seats": 8}, "seats"),
        ({"sheet": "bad-beat-blackjack", "limits": {"main": [500, 100]}}, "limits of main"),
        ({"text": "this is no sheet"}, "sheet"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_words(house, wish, words):
    error = refused(house.change, "POST", "/tables", wish)
    assert error.status == 422 and words in str(error)


def test_a_closed_table_gives_everybody_their_chips_and_the_house_its_win(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    seat = ada.sit(table, [1], 100_000)
    bot = Bot(seat, ada.table(table)["about"], {"main": 1000})
    bot.play(3)
    bot.bet()
    chips = seat.chips + 1000
    events = house.change("DELETE", f"/tables/{table}")["events"]
    assert {event["event"] for event in events} >= {"take-back", "leave", "reveal", "table-closed"}
    assert ada.me()["chips"] == 900_000 + chips
    assert table not in {line["id"] for line in ada.tables()}
    assert ada.table(table)["now"]["status"] == "closed"
    assert refused(ada.sit, table, [1], 1000).status == 409
    assert refused(house.change, "DELETE", f"/tables/{table}").status == 409


def test_a_table_that_closes_in_a_round_closes_after_it(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    seat = ada.sit(table, [1], 100_000)
    while not seat.my_turn:
        seat.bet({"main": 1000})
        seat.deal()
    assert house.change("DELETE", f"/tables/{table}")["now"]["status"] == "closing"
    while asked := seat.my_turn:
        seat.act("decline" if asked.kind == "insurance" else "stand")
    assert seat.now.status == "closed" and seat.spots == ()


def test_the_house_voids_a_round_and_the_record_says_why(server, house, ada):
    table = opened(house, sheet=SHEETS[0])
    seat = ada.sit(table, [3], 50_000)
    seat.bet({"main": 1000, "bad-beat": 500})
    said = {"reason": "a card was seen that nobody should have"}
    assert refused(ada.change, "POST", f"/tables/{table}/void", said).status == 403
    assert refused(house.change, "POST", f"/tables/{table}/void", {"reason": ""}).status == 422
    assert refused(house.change, "POST", f"/tables/{table}/void", {"reason": "two\nlines"}).status == 409
    step = house.change("POST", f"/tables/{table}/void", said)
    assert [event["event"] for event in step["events"]] == ["void", "settled", "settled", "over"]
    assert step["now"]["seats"][0]["chips"] == 50_000
    record = ada.request("GET", f"/rounds/{table}-1")
    assert record["over"] and f"the round is void: {said['reason']}" in record["told"]
    assert ada.request("GET", f"/rounds/{table}-1/coach") == []
    assert refused(house.change, "POST", f"/tables/{table}/void", said).status == 409
    house.change("DELETE", f"/tables/{table}")
    with open_read_only(server.services.settings.db) as db:
        verify_shoe(db, table, 1)


def test_what_was_decided_before_a_round_was_void_is_weighed(server, house, ada):
    def known(shoe, count, burn, behind_cut):
        order = stacked("2h 9h 3c 5c 4d", count, burn)
        return secret_of(order, count, shoe=shoe, burn=burn, behind_cut=behind_cut)

    with mock.patch.object(live, "new_secret", known):
        table = opened(house, sheet=SHEETS[0])
    seat = ada.sit(table, [1], 50_000)
    seat.bet({"main": 1000})
    seat.deal()
    seat.act("hit")
    house.change("POST", f"/tables/{table}/void", {"reason": "enough"})
    (decision,) = ada.request("GET", f"/rounds/{table}-1/coach")
    assert (decision["chosen"], decision["cost"]) == ("hit", 0)
    assert ada.request("GET", f"/rounds/{table}-1/replay")["frames"][-1]["round"]["dealer"]["cards"] == ["9h", "--"]


def test_the_books_show_what_was_won_beside_what_was_to_be_expected(server, house):
    table = opened(house, sheet="bad-beat-baccarat", option="no-commission")
    bot = join(server.url, table, (1,))
    bot.play(20)
    book = house.request("GET", f"/books/{table}")
    while any(line["note"] == NOT_YET for line in book["wagers"]):
        book = house.request("GET", f"/books/{table}")
    assert (book["rounds"], book["sheet"]) == (20, "bad-beat-baccarat")
    wagers = {line["wager"]: line for line in book["wagers"]}
    banker = wagers["banker"]
    assert banker["bets"] == 20 and banker["handle"] == 20_000
    assert banker["edge"] == pytest.approx(0.0102, abs=2e-4)
    assert banker["expected"] == pytest.approx(20_000 * banker["edge"])
    assert sum(line["win"] for line in book["wagers"]) == book["float"] == 1_000_000 - bot.seat.chips
    bot.seat._client.close()
    assert refused(house.request, "GET", "/books/999999").status == 404


# ---- live


def test_followers_are_told_every_step_and_take_up_where_they_lost_it(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    heard, enough = [], threading.Event()

    def follow():
        with Client(server.url).guest() as watcher:
            events = watcher.events(table)
            for said in events:
                heard.append(said)
                if said.get("now") and said["now"]["seq"] >= 8:
                    break
            events.close()
        enough.set()

    thread = threading.Thread(target=follow)
    thread.start()
    while not heard:
        enough.wait(0.01)
    seat = ada.sit(table, [1], 100_000)
    bot = Bot(seat, ada.table(table)["about"], {"main": 1000})
    while seat.now.seq < 8:
        bot.play(1)
    thread.join(120)
    assert enough.is_set()
    seqs = [said["seq"] for said in heard]
    assert seqs == list(range(1, seqs[-1] + 1))
    resumed = ada.events(table, after=3)
    again = [next(resumed) for _ in range(4, seqs[-1] + 1)]
    resumed.close()
    assert [(said["seq"], said["events"]) for said in again] == [(said["seq"], said["events"]) for said in heard[3:]]


def test_two_clients_play_at_one_table(server, house, ada):
    table = opened(house, sheet="big-slick-blackjack")
    with Client(server.url).guest() as bea:
        bea.buy_chips(100_000)
        first, second = ada.sit(table, [1, 2], 50_000), bea.sit(table, [5], 50_000)
        assert refused(bea.sit, table, [6], 100).status == 409
        for seat, spot in ((first, 1), (first, 2), (second, 5)):
            seat.bet({"main": 1000}, spot)
        first.deal()
        assert first.betting, "the table waits for Bea"
        assert refused(second.bet, {"main": 5}, 1).status == 409
        second.deal()
        while True:
            first.look()
            second.look()
            if first.betting:
                break
            seat = first if first.my_turn else second
            assert not (first.my_turn and second.my_turn)
            seat.act("decline" if seat.my_turn.kind == "insurance" else "stand")
        assert {bet.spot for bet in first.round.bets} == {1, 2, 5}
        assert first.round == second.round
        assert {seat.name for seat in first.now.seats} == {ada.name, bea.name}


@pytest.mark.parametrize("option", ["commission", "no-commission"])
def test_several_bettors_on_one_coup(server, house, option):
    table = opened(house, sheet="bad-beat-baccarat", option=option, seats=14)
    bets = [{"player": 1000}, {"banker": 2000}, {"tie": 300}, {"banker": 2000, "bad-beat": 100}]
    clients = [Client(server.url).guest() for _ in bets]
    seats = []
    for spot, client in enumerate(clients, start=4):
        client.buy_chips(1_000_000)
        seats.append(client.sit(table, [spot], 1_000_000))
    for _ in range(6):
        before = [seat.look() and seat.chips for seat in seats]
        for seat, bet in zip(seats, bets, strict=True):
            seat.bet(bet)
        for seat in seats:
            seat.deal()
        found = seats[-1].round
        player, banker = found.player.total, found.banker.total
        won = [seat.look() and seat.chips - chips for seat, chips in zip(seats, before, strict=True)]
        assert won[0] == (1000 if player > banker else -1000 if banker > player else 0)
        assert won[2] == (-300 if player != banker else 300 * 8)
        paid = 1900 if option == "commission" else 0 if (banker, len(found.banker.cards)) == (7, 3) else 2000
        assert won[1] == (paid if banker > player else -2000 if player > banker else 0)
    for client in clients:
        client.close()


def test_default_stakes_stay_within_limits(server, house):
    table = opened(house, sheet="bad-beat-blackjack", limits={"main": [2500, 5000], "bad-beat": [100, 300]})
    about = house.table(table)["about"]
    assert default_stakes(about) == {"main": 2500, "bad-beat": 300}


def test_a_request_that_is_sent_again_is_answered_again(server, house, ada):
    table = opened(house, sheet="bad-beat-blackjack")
    body, key = {"spots": [1], "chips": 1000}, "the-same-key"
    first = ada.change("POST", f"/tables/{table}/seat", body, key)
    again = ada.change("POST", f"/tables/{table}/seat", body, key)
    assert (first["again"], again["again"]) == (False, True)
    assert {**first, "again": True} == again
    assert ada.change("POST", "/me/chips", {"amount": 7}, "one-more-key") == ada.change(
        "POST", "/me/chips", {"amount": 7}, "one-more-key"
    )
    assert refused(ada.change, "POST", "/me/chips", {"amount": 8}, "one-more-key").kind == "key-used"
    assert refused(ada.change, "POST", f"/tables/{table}/deal", None, key).kind == "key-used"
    assert refused(ada.change, "POST", "/me/chips", {"amount": 8}, key).kind == "key-used"
    assert refused(ada.change, "POST", f"/tables/{table}/deal", None, "one-more-key").kind == "key-used"


def test_health(server, house):
    with Client(server.url) as nobody:
        for path, said in (("/healthz", "alive"), ("/readyz", "ready")):
            answer = nobody._http.get(path)
            assert answer.status_code == 200 and said in msgspec.json.decode(answer.content)
    assert "feltlab_requests_total" in house._http.get("/metrics").text


def test_all_chips_are_in_the_books(server, house, ada, monkeypatch):
    monkeypatch.setattr(figuring, "PATIENCE", 0.1)
    found = house.request("GET", "/books")
    assert found["players"] + found["floats"] + found["house"] == found["bought_in"] > 0
    assert {book["table"] for book in found["tables"]} >= {1, 2, 3}
    notes = {line["note"] for book in found["tables"] for line in book["wagers"] if line["edge"] is None}
    assert notes <= {NOT_YET}, "exact figures take a while; the books do not wait for them"
