"""The coach at a live table: what is said of each question, and what the decisions of a round that is over have cost."""

from fractions import Fraction

import pytest

from feltlab.analysis import analyse
from feltlab.client import Client, ServiceError
from support.floor.inside import Inside
from support.postgres import PATIENT
from support.service.servers import SHEETS
from support.stacking import stacked

BLACKJACK, BACCARAT, SLICK = SHEETS
PLAY = {"decks": 6, "option": "2", "paytables": ["P1"]}
SOFT_19 = "As 6h 8d 9c Ts"  # against a six, doubled


@pytest.fixture(scope="module")
def server(tmp_path_factory, stacks):
    with stacked(stacks), Inside(tmp_path_factory.mktemp("coach")) as found:
        yield found


@pytest.fixture
def ada(server):
    with Client(server.url, patience=PATIENT).guest() as found:
        found.buy_chips(10_000_000)
        yield found


@pytest.fixture
def sit(house, stacks, ada):
    """Sit down at a table of a sheet whose first cards are known, and bet there."""

    def at(sheet, cards, chips=1_000_000, **bets):
        seat = ada.sit(stacks.open(house, cards, sheet=sheet, decks=6), [1], chips)
        seat.bet({wager.replace("_", "-"): stake for wager, stake in bets.items()})
        seat.deal()
        return seat

    return at


def coach(seat):
    found = seat._client.request("GET", f"/tables/{seat.table}/coach")
    return found, {one["action"]: one for one in found["actions"]}


def judged(seat):
    return seat._client.request("GET", f"/rounds/{seat.table}-1/coach")


def close(value):
    return pytest.approx(value, rel=0, abs=1e-12)


def refused(client, path):
    with pytest.raises(ServiceError) as found:
        client.request("GET", path)
    return found.value


def test_a_bonus_that_rides_on_the_hand_is_in_the_figures(sit):
    """Soft 19 against a six is doubled for the main wager alone, and stood on for a bonus of half the stake."""
    seat = sit(BLACKJACK, SOFT_19, main=1000, bad_beat=500)
    said, actions = coach(seat)
    table = analyse("bad-beat-blackjack", **PLAY)
    alone = table.action_values("As 8d", "6h")
    assert (said["cards"], said["up"], said["stake"], said["best"]) == (["As", "8d"], "6h", 1000, "stand")
    assert alone["double"] > alone["stand"]
    for action in ("stand", "hit", "double"):
        assert actions[action]["main"] == close(alone[action])
        assert actions[action]["total"] == close(actions[action]["main"] + actions[action]["side"]["bad-beat"])
    assert actions["double"]["side"]["bad-beat"] == close(-0.5) == actions["hit"]["side"]["bad-beat"], "lost by a card"


def test_what_a_mistake_cost(sit):
    seat = sit(BLACKJACK, SOFT_19, main=1000, bad_beat=500)
    seat.act("double")
    (said,) = judged(seat)
    by = {one["action"]: one["total"] for one in said["actions"]}
    assert (said["chosen"], said["best"]) == ("double", "stand")
    assert said["cost"] == pytest.approx(1000 * (by["stand"] - by["double"]), abs=1e-4)
    assert said["cost"] > 500, "half of the bonus's stake at least"


def test_insurance_is_weighed_by_the_cards_that_are_seen(sit):
    seat = sit(BLACKJACK, "9h Ad 7c 4s 5h", main=1000)
    said, actions = coach(seat)
    tens, cards = 16 * 6, 52 * 6 - 3
    insured = Fraction(1, 2) * (3 * Fraction(tens, cards) - 1)
    assert list(actions) == ["insure", "decline"] and said["best"] == "decline"
    assert actions["insure"]["side"] == {"insurance": close(float(insured))}
    played = max(analyse("bad-beat-blackjack", **PLAY).action_values("9h 7c", "Ad").values())
    kept = (1 - Fraction(tens, cards)) * Fraction(played) - Fraction(tens, cards)
    assert actions["decline"]["total"] == close(float(kept))
    seat.act("insure", amount=200)
    said, actions = coach(seat)
    assert said["best"] == "hit" and set(actions) == {"stand", "hit", "double"}
    seat.act("hit")
    insurance, hit = judged(seat)
    assert insurance["chosen"] == "insure" and hit["chosen"] == "hit" and hit["cost"] == 0
    assert insurance["cost"] == pytest.approx(-200 * float(2 * insured), abs=1e-4), (
        "for what was laid, not for the most"
    )


def test_even_money(sit):
    seat = sit(BLACKJACK, "Kh As Ac 6c", main=1000)
    said, actions = coach(seat)
    natural = Fraction(16 * 6 - 1, 52 * 6 - 3)
    assert actions["even-money"]["total"] == 1 and said["best"] == "decline"
    assert actions["decline"]["total"] == close(float(Fraction(3, 2) * (1 - natural)))
    assert actions["insure"]["total"] == close(1.0), "that is what even money is"
    seat.act("even-money")
    (answer,) = judged(seat)
    assert answer["chosen"] == "even-money"
    assert answer["cost"] == pytest.approx(1000 * float(Fraction(3, 2) * (1 - natural) - 1), abs=1e-4)


def test_a_wager_on_the_next_card_is_offered_with_its_worth(sit):
    """Action Match, table A, six decks, against a nine: any card may come but the hand and the up card."""
    seat = sit(SLICK, "Td 9s 2c 8d 9h", main=1000, big_slick=500)
    said, actions = coach(seat)
    suited, rank, suit = 5, 18, 12 * 6  # nines of spades, other nines, other spades
    worth = 16 * suited + 5 * rank - (52 * 6 - 3 - suited - rank - suit)
    assert said["offers"] == {"action-match": close(worth / (52 * 6 - 3))}
    assert all(one["side"] == {} for one in actions.values()), "Big Slick is over with the first cards"


def test_after_a_look_the_next_card_is_not_the_hole_card(sit):
    """The same against an ace, under which no ten lies: one card more of all others may be gone."""
    seat = sit(SLICK, "Td As 2c 8d 9h", main=1000)
    seat.act("decline")
    said, _ = coach(seat)
    pays = {True: {True: 16, False: 5}, False: {True: 0, False: -1}}  # is it an ace, is it a spade
    ways = total = 0
    for rank in range(1, 14):
        for spade in (True, False):
            here = 6 * (1 if spade else 3) - (rank == 1 and spade) - (rank in (2, 10) and not spade)
            for hole, holes in ((rank, here), (None, 52 * 6 - 3 - here - (16 * 6 - 1 if rank < 10 else 0))):
                if rank < 10 or hole is None:
                    chances = (here - (hole is not None)) * (holes if rank < 10 else 52 * 6 - 3 - (16 * 6 - 1))
                    ways, total = ways + pays[rank == 1][spade] * chances, total + chances
    assert said["offers"] == {"action-match": close(ways / total)}


def test_what_nobody_could_pay_for_is_no_mistake(sit):
    """Eleven with the last chip: it would be doubled, but is hit."""
    seat = sit(BLACKJACK, "6s 6h 5d Tc 9s 9h", chips=1000, main=1000)
    said, actions = coach(seat)
    assert (list(actions), said["best"]) == (["stand", "hit"], "hit")
    seat.act("hit")
    seat.act("stand")
    hit, stand = judged(seat)
    assert (hit["best"], hit["cost"]) == ("hit", 0) and [one["action"] for one in hit["actions"]] == ["stand", "hit"]
    assert stand["cost"] == 0


def test_where_there_is_nothing_to_say(sit, ada):
    seat = sit(BLACKJACK, "Js 9d Jd 8s", main=1000)
    assert refused(ada, f"/rounds/{seat.table}-1/coach").status == 409, "a round in play is not judged yet"
    seat.act("stand")
    assert "waits for no decision" in str(refused(ada, f"/tables/{seat.table}/coach"))
    coup = sit(BACCARAT, "2h 3c 7s 5d", player=500)
    assert "no coach" in str(refused(ada, f"/tables/{coup.table}/coach"))
    assert judged(coup) == []
    with Client(ada._http.base_url) as nobody:
        assert refused(nobody, f"/rounds/{seat.table}-1/coach").status == 401
