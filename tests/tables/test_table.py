"""Jurisdictions, limits and shoes."""

from collections import Counter

import pytest

from feltlab import jurisdictions
from feltlab.errors import FeltlabError, Refused, SetupError, SheetError
from feltlab.rounds.commands import PlaceBet
from feltlab.rounds.open import open_round
from feltlab.rounds.shoe import Shoe, Stacked, below, seeded, shuffle, shuffled, unbiased
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import Limit, games, open_table

WASHINGTON = jurisdictions.load("washington")


def test_washington_is_dated_and_sourced():
    assert WASHINGTON.as_of == "2026-11-01"
    assert WASHINGTON.source == ["WAC 230-15-040", "WAC 230-15-065", "WAC 230-15-140"]
    assert WASHINGTON.max_wager.cents == 40_000
    assert (WASHINGTON.games.most, WASHINGTON.games.most_above, WASHINGTON.games.above) == (6, 3, "5.00")


def test_no_jurisdiction_unless_named():
    table = open_table(set_up(load("bad-beat-blackjack")))
    assert table.jurisdiction is None
    table.check_amount("main", 1_000_000)


def test_a_wager_over_the_law_is_refused_with_the_rule():
    table = open_table(set_up(load("bad-beat-blackjack")), jurisdiction=WASHINGTON)
    round_ = open_round(table, Stacked(()))
    round_.do(PlaceBet(1, "main", 40_000))
    with pytest.raises(
        Refused, match=r"main: 400.01 is over the limit of WAC 230-15-140: a single wager may not exceed"
    ):
        round_.do(PlaceBet(2, "main", 40_001))
    with pytest.raises(SetupError, match=r"limits of main: 500.00 is over the limit of WAC 230-15-140"):
        open_table(table.setup, limits={"main": Limit(100, 50_000)}, jurisdiction=WASHINGTON)


def test_the_whole_baccarat_sheet_is_six_games():
    setup = set_up(load("bad-beat-baccarat"))
    assert list(games(setup)) == [
        "baccarat",
        "bad-beat",
        "super-shot-bad-beat",
        "super-shot-tie",
        "banker-7",
        "player-8",
    ]
    assert open_table(setup, jurisdiction=WASHINGTON).limits["banker-7"].most == 500
    three = {id: Limit(100, 1000) for id in ("bad-beat", "banker-7")}
    assert open_table(setup, limits=three, jurisdiction=WASHINGTON)
    with pytest.raises(
        SetupError, match="baccarat, bad-beat, banker-7, player-8 allow more than 5.00, too many for WAC 230-15-040"
    ):
        open_table(setup, limits={**three, "player-8": Limit(100, 501)}, jurisdiction=WASHINGTON)


def test_too_many_games(tmp_path):
    profile = tmp_path / "strict.toml"
    profile.write_text('id="s"\nname="S"\nas_of="2026"\nsource=["x"]\n[games]\nmost=5\nrule="Rule 5"\n')
    with pytest.raises(SetupError, match="this table has 6 games on one hand, too many for Rule 5"):
        open_table(set_up(load("bad-beat-baccarat")), jurisdiction=jurisdictions.load(str(profile)))


def test_what_large_odds_ask_of_the_house():
    baccarat = open_table(set_up(load("bad-beat-baccarat")), jurisdiction=WASHINGTON)
    assert [note.split(":")[0] for note in baccarat.notes] == ["WAC 230-15-140"]
    assert "aggregate payout limit" in baccarat.notes[0]
    slick = open_table(
        set_up(load("big-slick-blackjack")),
        limits={"big-slick": Limit(100, 40_000), "main": Limit(100, 40_000)},
        jurisdiction=WASHINGTON,
    )
    assert len(slick.notes) == 1  # one prize of 400,000 dollars, and no second above 25,000
    both = open_table(
        set_up(load("bad-beat-baccarat"), offered=["super-shot-9-8-three", "super-shot-8-7", "banker-7"]),
        limits={
            "super-shot-9-8-three": Limit(100, 40_000),
            "banker-7": Limit(100, 500),
            "super-shot-8-7": Limit(100, 40_000),
        },
        jurisdiction=WASHINGTON,
    )
    assert len(both.notes) == 1  # 25 to 1 on 400 dollars is 10,000
    assert open_table(set_up(load("bad-beat-blackjack")), jurisdiction=WASHINGTON).notes == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('as_of = "2026-11-01"', "", "missing key 'as_of'"),
        ("most = 6", "mots = 6", "games: unknown key 'mots'; did you mean 'most'?"),
        ('amount = "400.00"', 'amount = "lots"', "'lots' is not an amount"),
        ('above = "5.00"', "", "most_above and above go together"),
    ],
)
def test_mistakes_in_a_profile(tmp_path, old, new, says):
    from pathlib import Path

    text = (Path(jurisdictions.__file__).parent / "washington.toml").read_text()
    assert old in text
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace(old, new))
    with pytest.raises(SheetError, match=says):
        jurisdictions.load(str(mine))


def test_unknown_jurisdiction():
    with pytest.raises(SheetError, match="there is no jurisdiction 'washingtn'; did you mean 'washington'"):
        jurisdictions.load("washingtn")


@pytest.mark.parametrize("limit", [Limit(0, 10), Limit(20, 10), Limit(1, 10**15)])
def test_limits_that_make_no_sense(limit):
    with pytest.raises(SetupError, match="limits of main"):
        open_table(set_up(load("bad-beat-blackjack")), limits={"main": limit})


def test_limits_of_wagers_that_are_not_offered():
    with pytest.raises(SetupError, match="does not offer 'mian'; did you mean 'main'"):
        open_table(set_up(load("bad-beat-blackjack")), limits={"mian": Limit(1, 2)})


# ---- shoes


def test_every_order_is_as_likely():
    """All bit strings that a shuffle of four cards can take give each of the 24 orders equally often."""
    orders = Counter()

    def walk(bits: tuple[int, ...]) -> None:
        given = iter(bits)
        try:
            cards = [0, 1, 2, 3]
            shuffle(cards, unbiased(lambda width: next(given)))
            orders[tuple(cards)] += 1
        except StopIteration:
            for number in range(4 if len(bits) < 2 else 2):
                walk((*bits, number))

    # 4 numbers of two bits, 3 of two bits (one thrown away, not tried again here), 2 of one bit
    for first in range(4):
        for second in range(3):
            for third in range(2):
                walk((first, second, third))
    assert len(orders) == 24
    assert set(orders.values()) == {1}


def test_numbers_below_a_bound_are_not_folded():
    given = iter([7, 5, 6, 2])
    assert below(5, lambda width: next(given)) == 2
    assert below(1, lambda width: 1 / 0) == 0


def test_shoes():
    shoe = seeded(6, 1)
    assert sorted(shoe.order) == sorted(list(range(52)) * 6)
    assert shoe.dealt == 1  # the burn card
    assert not shoe.cut_is_out
    for _ in range(6 * 39 - 1):
        shoe.draw()
    assert shoe.cut_is_out
    shoe.shuffle()
    assert (shoe.dealt, shoe.cut_is_out) == (1, False)
    assert seeded(6, 1).order == seeded(6, 1).order != seeded(6, 2).order
    assert shuffled(6).order != shuffled(6).order
    empty = Shoe(1, lambda bound: 0, behind_cut=0, burn=0)
    for _ in range(52):
        empty.draw()
    with pytest.raises(FeltlabError, match="every card lies on the felt"):
        empty.draw()
    with pytest.raises(SetupError, match="cannot lie 52 cards from the end of 52 cards"):
        seeded(1, 1, behind_cut=52)
    with pytest.raises(SetupError, match="cannot lie -1"):
        seeded(1, 1, behind_cut=-1)


def test_seeded_shoe_is_fixed_forever():
    """The same seed deals the same cards on every machine and in every version: a change here breaks replays."""
    from feltlab.cards import names

    assert names(seeded(1, 7).order[:8]) == "8s 5c Jc 8c 3h Kh 3s 9d"


def test_a_shoe_that_runs_out_is_dealt_on_from_the_discards():
    shoe = seeded(1, 3, behind_cut=0, burn=0)
    for _ in range(40):
        shoe.draw()
    assert not shoe.begin_round()
    first = [shoe.draw() for _ in range(12)]
    more = [shoe.draw() for _ in range(40)]
    assert sorted(first + more) == list(range(52))  # no card is on the felt twice
    with pytest.raises(FeltlabError, match="every card lies on the felt"):
        shoe.draw()
    assert shoe.begin_round()  # the cut card is out: everything is shuffled
    assert shoe.dealt == 0


def test_the_reserve_counts_every_prize():
    slick = set_up(load("big-slick-blackjack"), pays={"big-slick/big-slick": "100:1"})
    limits = {"big-slick": Limit(100, 40_000), "main": Limit(100, 40_000)}
    notes = open_table(slick, limits=limits, jurisdiction=WASHINGTON).notes
    assert "(40,000.00)" in notes[1]


def test_rounding_rules_that_make_no_sense():
    from feltlab.money import Rounding

    for rounding in (Rounding("sideways"), Rounding("down", 0), Rounding("down", 0.5)):
        with pytest.raises(SetupError, match="rounding is|smallest coin"):
            open_table(set_up(load("bad-beat-blackjack")), rounding=rounding)


def test_stacked_decks_are_made_of_cards():
    with pytest.raises(FeltlabError, match="numbers from 0 to 51"):
        Stacked([500])
