"""Rounds by the book: the order of steps, what is refused and why, replays, and what the log keeps."""

import pytest

from feltlab.cards import cards, names
from feltlab.errors import FeltlabError, Refused
from feltlab.money import Rounding
from feltlab.rounds.bets import Cash
from feltlab.rounds.commands import Act, Deal, EvenMoney, Insure, PlaceBet
from feltlab.rounds.events import BetSettled, CardDealt, HandEnded, HoleShown, Peeked, StepBegan
from feltlab.rounds.narration import narrate
from feltlab.rounds.open import open_round, replay
from feltlab.rounds.round import decode, encode
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import Limit, open_table
from support.stacked import dealt


def table(sheet="bad-beat-blackjack", limits=None, rounding=None, **choices):
    return open_table(set_up(load(sheet), **choices), limits=limits, rounding=rounding)


def steps(round_):
    return [event.step for event in round_.log if isinstance(event, StepBegan)]


ALL_STEPS = ["wagers", "deal", "take", "insurance", "naturals", "actions", "dealer", "settlement"]


def test_the_eight_steps_in_the_sheets_order():
    round_ = dealt(table(), "Ks 6h Qd 9c 6s", Act(1, "stand"), bets=[("main", 1000), ("bad-beat", 500)])
    assert steps(round_) == ALL_STEPS


def test_step_4_a_dealers_natural_goes_straight_to_the_end():
    round_ = dealt(table(), "Ks Ah Qd Kc", Insure(1), bets=[("main", 1000), ("bad-beat", 500)])
    assert steps(round_) == ["wagers", "deal", "take", "insurance", "settlement"]
    assert Peeked(True) in round_.log


def test_step_3_takes_what_can_no_longer_win_before_insurance():
    round_ = dealt(table(), "2s Ah 3d Kc", Insure(1), bets=[("main", 1000), ("bad-beat", 500)])
    taken = next(place for place, event in enumerate(round_.log) if isinstance(event, BetSettled) and event.taken)
    assert round_.log[taken].wager == "bad-beat"
    assert taken < round_.log.index(StepBegan("insurance"))


def test_step_5_pays_a_natural_and_its_bonus_before_anybody_acts():
    round_ = open_round(table(), Stacked(cards("As Ts 6h Kd 8d 9c 5s")))
    for spot in (1, 2):
        for wager in ("main", "bad-beat"):
            round_.do(PlaceBet(spot, wager, 1000))
    round_.do(Deal())
    paid = [
        (event.spot, event.wager, event.lines)
        for event in round_.log
        if isinstance(event, BetSettled) and not event.taken
    ]
    assert paid == [(1, "main", ("natural",)), (1, "bad-beat", ("win",))]
    assert round_.waits_for.spot == 2


def test_step_8_main_then_insurance_then_bonus():
    round_ = dealt(table(), "Ks Ah Qd Kc", Insure(1, 500), bets=[("main", 1000), ("bad-beat", 500)])
    order = [event.wager for event in round_.log if isinstance(event, BetSettled)]
    assert order == ["main", "insurance", "bad-beat"]


def test_baccarat_steps():
    at = table("bad-beat-baccarat")
    third = dealt(at, "Ks 2h Qd Tc 6s 5d", bets=[("banker", 1000)])
    assert steps(third) == ["wagers", "deal", "third", "settlement"]
    natural = dealt(at, "Ks 9h 8d Tc", bets=[("banker", 1000)])
    assert steps(natural) == ["wagers", "deal", "settlement"]


def test_the_dealer_draws_only_for_a_wager_that_needs_it():
    bust = dealt(table(), "Ts 6h 6d 9c Ks", Act(1, "hit"))
    assert sum(isinstance(event, CardDealt) for event in bust.log) == 5
    assert HoleShown(32) in bust.log
    no_hole = dealt(table(rules={"hole-card": "none-all"}), "Ts 6h 6d Ks", Act(1, "hit"))
    assert no_hole.over
    assert len(no_hole.hands.dealer.cards) == 1


def test_a_wager_on_the_dealer_is_played_out_though_all_have_bust(tmp_path):
    at = open_table(set_up(load("docs/examples/dealer-bust.toml")))
    round_ = dealt(at, "Ts 6h 6d 9c Ks Kd", Act(1, "hit"), bets=[("main", 1000), ("dealer-bust", 500)])
    assert [event.lines for event in round_.log if isinstance(event, BetSettled)] == [(), ("bust-with-three-cards",)]


def test_split_hands_are_played_one_after_the_other_with_the_new_hand_to_the_right():
    stack = "8s 6h 8d 9c 8h 3c Ts 5d 9h 4s 6c"
    round_ = dealt(table(), stack, Act(1, "split"), Act(1, "split"))
    hands = round_.hands.spots[1].hands
    assert [hand.id for hand in hands] == [0, 2, 1]
    for action in ("double", "hit", "stand"):
        round_.do(Act(1, action))
    assert [names(hand.cards) for hand in hands] == ["8s 3c Ts", "8h 5d 9h", "8d 4s"]
    assert round_.over


@pytest.mark.parametrize(
    ("rules", "stack", "before", "action", "says"),
    [
        ({}, "Ts 6h 6d 9c", (), "surrender", "this house offers no surrender; spot 1 may stand, hit or double"),
        ({"surrender": "late"}, "2s 6h 6d 9c 2h", ("hit",), "surrender", "only the first two cards can be surrendered"),
        ({}, "Ts 6h 6d 9c", (), "split", "Ts and 6d are not a pair that can be split here"),
        ({"unlike-tens": "no"}, "Ts 6h Kd 9c", (), "split", "Ts and Kd are not a pair"),
        ({"double": "9-11"}, "5s 6h 3d 9c", (), "double", "this house allows doubling only on totals of 9-11"),
        ({"das": "no"}, "8s 6h 8d 9c 3h", ("split",), "double", "does not allow doubling after a split"),
        ({}, "2s 6h 3d 9c 2h", ("hit",), "double", "a hand of 3 cards cannot double"),
        ({}, "2s 6h 3d 9c 2h", ("hit",), "split", "a hand of 3 cards cannot split"),
        ({"resplit": "2"}, "8s 6h 8d 9c 8h", ("split",), "split", "this house allows splitting to at most 2 hands"),
        ({"resplit-aces": "yes"}, "As 6h Ad 9c Ah", ("split",), "hit", "a split ace gets one card only"),
        ({"hit-split-aces": "yes"}, "As 6h Ad 9c Ah", ("split",), "split", "aces can be split only once here"),
        ({}, "Ts 6h 6d 9c", (), "fold", "'fold' is not an action"),
        (
            {"surrender": "early"},
            "Ts Kh 6d 9c",
            (),
            "hit",
            "it is too early for 'hit'; spot 1 may surrender or continue",
        ),
    ],
)
def test_illegal_actions_get_a_reason(rules, stack, before, action, says):
    round_ = dealt(table(rules=rules), stack, *(Act(1, each) for each in before))
    state = encode(round_.log)
    with pytest.raises(Refused, match=says):
        round_.do(Act(1, action))
    assert not round_.can(Act(1, action))
    assert encode(round_.log) == state


def test_commands_out_of_turn():
    at = table()
    round_ = open_round(at, Stacked(cards("Ts 9s 6h 6d 8d 9c 5c 5d 5h")))
    for command, says in [
        (Deal(), "nobody has placed a wager"),
        (Act(1, "hit"), "the table waits for bets"),
        (Insure(1), "the table waits for bets"),
        (PlaceBet(8, "main", 100), "there is no spot 8; this table has spots 1 to 7"),
        (PlaceBet(0, "main", 100), "there is no spot 0"),
        (PlaceBet(1, "mian", 100), "does not offer 'mian'; did you mean 'main'"),
        (PlaceBet(1, "insurance", 100), "insurance is not placed before the deal, but at 'insurance'"),
        (PlaceBet(1, "main", 0), "more than zero"),
        (PlaceBet(1, "main", -500), "more than zero"),
        (PlaceBet(1, "main", 10**30), "outside the table's limits, 0.01 to 10,000.00"),
    ]:
        with pytest.raises(Refused, match=says):
            round_.do(command)
    round_.do(PlaceBet(1, "bad-beat", 100))
    with pytest.raises(Refused, match="spot 1 has side wagers but no main wager"):
        round_.do(Deal())
    round_.do(PlaceBet(1, "main", 100))
    round_.do(PlaceBet(2, "main", 100))
    with pytest.raises(Refused, match="spot 1 has a main wager already"):
        round_.do(PlaceBet(1, "main", 100))
    round_.do(Deal())
    for command, says in [
        (Act(2, "hit"), "it is the turn of spot 1, not of spot 2"),
        (Deal(), "dealt already"),
        (PlaceBet(3, "main", 100), "no more bets"),
        (Insure(1), "the table waits for an action"),
        (EvenMoney(1), "the table waits for an action"),
        (Act(1, "hit", {"bad-beat": 100}), "bad-beat cannot be placed with 'hit'"),
        (Act(1, "hit", {"action-match": 100}), "does not offer 'action-match'"),
    ]:
        with pytest.raises(Refused, match=says):
            round_.do(command)
    round_.do(Act(1, "stand"))
    round_.do(Act(2, "stand"))
    assert round_.over
    with pytest.raises(Refused, match="the round is over"):
        round_.do(Act(1, "stand"))


def test_insurance_is_at_most_half():
    round_ = dealt(table(), "Ks Ah Qd 9c")
    assert round_.waits_for.most == 500
    assert not round_.waits_for.even_money
    with pytest.raises(Refused, match="insurance is at most 1:2 of the main wager, 5.00 here"):
        round_.do(Insure(1, 501))
    with pytest.raises(Refused, match="or 0 to decline it"):
        round_.do(Insure(1, -1))
    with pytest.raises(Refused, match="even money is only for a natural"):
        round_.do(EvenMoney(1))
    round_.do(Insure(1, 499))
    assert [event.back for event in round_.log if isinstance(event, BetSettled)] == [0]


def test_even_money_only_where_a_natural_pays_three_to_two():
    for natural, offered in [("3:2", True), ("6:4", True), ("6:5", False), ("1:1", False)]:
        assert dealt(table(rules={"natural": natural}), "As Ah Kd 9c").waits_for.even_money is offered


def test_early_surrender_is_asked_once_and_before_insurance():
    round_ = dealt(table(rules={"surrender": "early"}), "Ts Ah 6d 9c")
    assert round_.waits_for.kind == "surrender"
    round_.do(Act(1, "continue"))
    assert round_.waits_for.kind == "insurance"
    round_.do(Insure(1))
    assert "surrender" not in round_.waits_for.actions
    plain = dealt(table(rules={"surrender": "early"}), "Ts 7h 6d 9c")
    assert "surrender" in plain.waits_for.actions  # where the dealer can have no natural, early and late are the same


def test_baccarat_base_wager_optional_or_mandatory():
    free = open_round(table("bad-beat-baccarat"), Stacked(cards("Ks 9h 8d Tc")))
    free.do(PlaceBet(1, "banker-7", 500))
    assert free.can(Deal())
    bound = open_round(table("bad-beat-baccarat", rules={"base-wager": "mandatory"}), Stacked(()))
    bound.do(PlaceBet(1, "banker-7", 500))
    with pytest.raises(Refused, match="no player or banker or tie wager"):
        bound.do(Deal())
    with pytest.raises(Refused, match="has no decisions after the deal"):
        bound.do(Act(1, "hit"))


def test_a_stacked_deck_that_runs_out_says_so():
    with pytest.raises(FeltlabError, match="only 3 cards, and the round needs another"):
        dealt(table(), "Ks Ah Qd")


def test_rounding_is_the_tables():
    down = dealt(table(), "As 6h Kd 9c", bets=[("main", 501)])
    up = dealt(table(rounding=Rounding("up")), "As 6h Kd 9c", bets=[("main", 501)])
    coarse = dealt(table(rounding=Rounding("down", 100)), "As 6h Kd 9c", bets=[("main", 500)])
    assert [round_.felt.nets()[1] for round_ in (down, up, coarse)] == [751, 752, 700]
    with pytest.raises(Refused, match="main: 5.01 is not a multiple of the smallest coin, 1.00"):
        dealt(table(rounding=Rounding("down", 100)), "As 6h Kd 9c", bets=[("main", 501)])


def test_table_limits_are_refused_with_the_limit():
    round_ = open_round(table(limits={"bad-beat": Limit(100, 2500)}), Stacked(()))
    for amount in (99, 2501):
        with pytest.raises(Refused, match="outside the table's limits, 1.00 to 25.00"):
            round_.do(PlaceBet(1, "bad-beat", amount))
    round_.do(PlaceBet(1, "bad-beat", 100))


def test_log_replays_from_json():
    round_ = dealt(table(), "8s 6h 8d 9c 3h 9s Ts 4d 8c", Act(1, "split"), Act(1, "double"), Act(1, "stand"))
    assert round_.over
    again = replay(round_.table, decode(encode(round_.log)))
    assert (again.felt, again.step, again.hands) == (round_.felt, round_.step, round_.hands)
    with pytest.raises(FeltlabError, match="this is not the log of a round"):
        decode(b'[{"event": "theft"}]')


def test_a_half_replayed_round_goes_on():
    stack = "8s 6h 8d 9c 3h 9s Ts 4d 8c"
    round_ = dealt(table(), stack, Act(1, "split"))
    again = replay(round_.table, round_.log)
    again.source = round_.source
    assert again.waits_for == round_.waits_for
    again.do(Act(1, "double"))
    assert isinstance(again.log[-1], HandEnded | CardDealt)


def test_cash_moves_between_players_felt_and_house():
    round_ = open_round(table(), Stacked(cards("Ks 6h Qd 9c 6s")))
    round_.do(PlaceBet(1, "main", 1000))
    assert (Cash.of(round_.log).players, Cash.of(round_.log).felt) == ({1: -1000}, 1000)
    round_.do(Deal())
    round_.do(Act(1, "stand"))
    assert Cash.of(round_.log) == Cash({1: -1000}, 0, 1000)


def test_every_event_of_a_rich_round_is_told():
    at = table("big-slick-blackjack", rules={"surrender": "early"})
    round_ = dealt(at, "8s Ah 8d 9c 3h 9s 2s Ts", Act(1, "continue"), Insure(1, 100), Act(1, "split"), Act(1, "double"),
                   Act(1, "hit", {"action-match": 100}), Act(1, "stand"), bets=[("main", 1000), ("big-slick", 500)])  # fmt: skip
    told = [sentence.text for sentence in narrate(at, round_.log)]
    for sentence in [
        "spot 1 wagers 5.00 on big-slick",
        "spot 1, big-slick: Pair, pays 3:1, 15.00 won on 5.00",
        "spot 1 does not surrender",
        "spot 1 wagers 1.00 on insurance",
        "the dealer looks at the hole card: no natural",
        "spot 1, insurance: 1.00 lost",
        "spot 1 now has 2 hands",
        "spot 1 adds 10.00 to main",
        "spot 1, hand 1 gets 9s: 20",
        "spot 1, hand 1 stays on 20",
        "spot 1, hand 2 gets 2s: 10",
        "spot 1, hand 2, action-match: 1.00 lost",
        "the hole card is 9c: the dealer has soft 20",
    ]:
        assert sentence in told, told


def test_original_wagers_only_takes_exactly_the_original_whatever_the_coin():
    at = table(rules={"hole-card": "none-original"}, rounding=Rounding("down", 50))
    round_ = dealt(at, "6s Kh 5d 2c Ac", Act(1, "double"), bets=[("main", 550)])
    assert round_.felt.nets() == {1: -550}


def test_a_dealers_natural_is_settled_in_the_order_of_step_8():
    """A pair of eights waits in Option 2; nobody acts, so the bonus is not taken before main and insurance."""
    round_ = dealt(table(), "8s Ah 8d Kc", Insure(1, 500), bets=[("main", 1000), ("bad-beat", 500)])
    settled = [(event.wager, event.taken) for event in round_.log if isinstance(event, BetSettled)]
    assert settled == [("main", False), ("insurance", False), ("bad-beat", False)]


def test_insurance_is_offered_as_the_limits_allow():
    high = table(limits={"insurance": Limit(100, 10_000), "main": Limit(100, 100_000)})
    round_ = dealt(high, "Ks Ah Qd 9c", bets=[("main", 50_000)])
    assert round_.waits_for.most == 10_000
    assert round_.can(Insure(1, 10_000))
    low = table(limits={"insurance": Limit(500, 10_000), "main": Limit(100, 100_000)})
    assert dealt(low, "Ks Ah Qd 9c", bets=[("main", 500)]).waits_for.kind == "action"  # no amount is legal: not asked
    assert dealt(table(rounding=Rounding("down", 100)), "Ks Ah Qd 9c", bets=[("main", 500)]).waits_for.most == 200


def test_even_money_follows_the_pay_that_is_posted():
    assert not dealt(table(pays={"main/natural": "6:5"}), "As Ah Kd 9c").waits_for.even_money


def test_a_share_of_the_main_wager_binds_hit_wagers_too(tmp_path):
    sheet = tmp_path / "tenth.toml"
    sheet.write_text(
        'id = "t"\nname = "T"\ngame = "blackjack"\n[[wager]]\nid = "side"\nname = "S"\nplaced = "before-hit"\n'
        'settled = "hit"\nat_most = "1:10"\n[[wager.line]]\nname = "Red"\nwhen = "color(hit) == red"\npays = "1:1"\n'
    )
    round_ = dealt(open_table(set_up(load(str(sheet)))), "5s 6h 3d 9c")
    assert round_.can(Act(1, "hit", {"side": 100}))
    with pytest.raises(Refused, match="side is at most 1:10 of the main wager, 1.00 here"):
        round_.do(Act(1, "hit", {"side": 101}))


def test_a_wager_settled_by_the_action_waits_for_a_split_hands_second_card(tmp_path):
    sheet = tmp_path / "split.toml"
    sheet.write_text(
        'id = "t"\nname = "T"\ngame = "blackjack"\n[[wager]]\nid = "side"\nname = "S"\n'
        'settled = [{ at = "action", when = "split" }, { at = "end" }]\n'
        '[[wager.line]]\nname = "High"\nwhen = "split and total >= 20"\npays = "100:1"\n'
    )
    bets = [("main", 1000), ("side", 500)]
    round_ = dealt(open_table(set_up(load(str(sheet)))), "2s 6h 2d 9c Ts", Act(1, "split"), bets=bets)
    assert not [event for event in round_.log if isinstance(event, BetSettled)]


def test_a_placing_condition_on_the_tables_choices_counts(tmp_path):
    sheet = tmp_path / "extra.toml"
    sheet.write_text(
        'id = "t"\nname = "T"\ngame = "blackjack"\n[[rule]]\nkey = "extra"\nvalues = ["yes", "no"]\ndefault = "no"\n'
        'sentence = "?"\n[[wager]]\nid = "side"\nname = "S"\nsettled = "deal"\n'
        'placed = [{ at = "before-deal", when = "rule.extra" }]\n'
        '[[wager.line]]\nname = "Pair"\nwhen = "pair(first, second)"\npays = "1:1"\n'
    )
    for extra in ("yes", "no"):
        round_ = open_round(open_table(set_up(load(str(sheet)), rules={"extra": extra})), Stacked(()))
        assert round_.can(PlaceBet(1, "side", 100)) is (extra == "yes")


@pytest.mark.parametrize(
    "command",
    [None, "deal", 3, PlaceBet(1, "main", 10.5), PlaceBet(1, "main", True), PlaceBet(1.5, "main", 100), PlaceBet("1", "main", 100),
     PlaceBet(1, None, 100), Act("1", "hit"), Act(1, "hit", None), Act(1, "hit", {"main": 2.5}), Insure(None)],
)  # fmt: skip
@pytest.mark.parametrize("sheet", ["bad-beat-blackjack", "bad-beat-baccarat"])
def test_what_is_no_command_is_refused(sheet, command):
    round_ = open_round(table(sheet), Stacked(()))
    assert not round_.can(command)
    with pytest.raises(Refused, match="this is not a command"):
        round_.do(command)
    assert round_.log == []


def test_reasons_that_depend_on_what_was_asked_before():
    early = dealt(table(rules={"surrender": "early"}), "Ts Kh 6d 9c", Act(1, "continue"))
    with pytest.raises(Refused, match="surrender was declined before the dealer peeked"):
        early.do(Act(1, "surrender"))
    aces = dealt(table(rules={"hit-split-aces": "yes", "das": "no"}), "As 6h Ad 9c 5h", Act(1, "split"))
    with pytest.raises(Refused, match="does not allow doubling after a split"):
        aces.do(Act(1, "double"))


def test_a_log_of_another_round_is_refused():
    round_ = dealt(table(), "Ks 6h Qd 9c 6s", Act(1, "stand"))
    with pytest.raises(FeltlabError, match="this is not the log of a round at this table"):
        replay(round_.table, round_.log[-3:])
