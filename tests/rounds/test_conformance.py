"""The suite that every sheet must pass, run over all built-in sheets and all examples; and that it can fail."""

from pathlib import Path
from random import Random

import pytest

from feltlab.errors import SheetError
from feltlab.exact.counting import first_cards
from feltlab.exact.shoe import ShoeComposition
from feltlab.rounds.conformance import check_sheet, deal_at_random
from feltlab.sheets import builtin_names, load, load_text
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from support.paths import EXAMPLES


@pytest.mark.parametrize("name", [*builtin_names(), *map(str, EXAMPLES)], ids=lambda name: Path(name).stem)
def test_sheet_conforms(name):
    report = check_sheet(load(name))
    assert report.rounds >= 40


def test_a_wager_taken_too_early_is_found():
    text = (Path(load.__code__.co_filename).parent / "builtin" / "bad-beat-blackjack.toml").read_text()
    wrong = text.replace(
        '{ at = "deal", when = "not may_still_qualify" }', '{ at = "deal", when = "not total in 19..20" }'
    )
    assert wrong != text
    with pytest.raises(SheetError, match="bad-beat was taken early but would have been paid"):
        check_sheet(load_text(wrong, "wrong.toml"), rounds=60)


def test_a_wager_settled_too_early_is_found():
    text = (Path(load.__code__.co_filename).parent / "builtin" / "bad-beat-blackjack.toml").read_text()
    wrong = text.replace(
        'settled = [{ at = "naturals", when = "natural" }, { at = "end" }]',
        'settled = [{ at = "action", when = "stood" }, { at = "end" }]',
    )
    assert wrong != text
    with pytest.raises(SheetError, match="bad-beat was settled early as"):
        check_sheet(load_text(wrong, "wrong.toml"))


AT_DEAL = """
id = "mine"
name = "Mine"
game = "blackjack"
decks = [6]

[[wager]]
id = "side"
name = "Side"
settled = "deal"

[[wager.line]]
name = "Middle"
when = "total in 16..21"
pays = "1:1"
"""


def test_a_wager_settled_at_the_deal_sees_the_hand_as_dealt():
    """Drawing cards later changes the total, and nothing of a wager whose last moment is the deal."""
    for fact in ("total in 16..21", "soft", "cards == 2", "natural", "not bust and total != 20"):
        assert check_sheet(load_text(AT_DEAL.replace("total in 16..21", fact), "deal.toml"), rounds=60)


def test_all_that_settle_it_agree():
    """What is counted and what tables pay are the same; so is what is played out and what was conformed to."""
    sheet = load_text(AT_DEAL, "deal.toml")
    wager, shoe = set_up(sheet).wagers["side"], ShoeComposition.of(6)
    law = first_cards.law(wager, shoe)
    kinds = [min(rank, 10) for rank in range(1, 14)]  # of each 24 cards
    two = sum(
        24 * (24 if one != other else 23)
        for one, first in enumerate(kinds)
        for other, second in enumerate(kinds)
        if 16 <= first + second + (10 if 1 in (first, second) else 0) <= 21
    )
    assert law.ways[1] * 312 * 311 == two * law.total
    table, chance, paid = open_table(set_up(sheet)), Random(5), 0
    for _ in range(200):
        round_ = deal_at_random(table, chance)
        for bet in round_.felt.bets.values():
            if bet.wager == "side":
                first, second = round_.hands.hand(bet.spot, 0).first_ranks()
                hard = min(first, 10) + min(second, 10)
                middle = 16 <= hard + (10 if 1 in (first, second) else 0) <= 21
                split = len(round_.hands.spots[bet.spot].hands) > 1  # the first hand has another second card then
                assert split or bet.settled.lines == (("middle",) if middle else ())
                paid += middle
    assert paid > 20


def test_taking_at_the_deal_is_held_against_the_hand_as_dealt():
    text = AT_DEAL.replace('settled = "deal"', 'settled = "deal"\ntake = [{ at = "deal", when = "total < 16" }]')
    assert check_sheet(load_text(text, "deal.toml"), rounds=60)
    with pytest.raises(SheetError, match=r"side was taken early but would have been paid \(middle\)"):
        check_sheet(load_text(text.replace("total < 16", "total < 18"), "deal.toml"), rounds=60)


def test_settled_at_the_deal_and_else_at_the_end_is_still_early():
    early = 'settled = [{ at = "deal", when = "soft" }, { at = "end" }]'
    text = AT_DEAL.replace('settled = "deal"', early)
    with pytest.raises(SheetError, match="side was settled early as 'middle' but ended as lost"):
        check_sheet(load_text(text, "deal.toml"), seed=2, rounds=60)
