"""Wagers that the deal takes or settles: counted as a table does it, and refused where the end could be another."""

import json
from fractions import Fraction
from itertools import permutations

import pytest

from feltlab.analysis import analyse
from feltlab.cards import cards
from feltlab.errors import SheetError
from feltlab.exact.counting import dealer, first_cards
from feltlab.exact.counting.recount import Recount
from feltlab.exact.methods import counted, is_counted
from feltlab.exact.reachable import check_reachable
from feltlab.exact.shoe import ShoeComposition
from feltlab.rounds.commands import Act, Deal, Insure
from feltlab.rounds.conformance import check_sheet
from feltlab.rounds.open import open_round
from feltlab.rounds.player import default_bets, place_bets
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import load_text
from feltlab.simulation import simulate
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from support.soak import soak

HEAD = 'id = "t"\nname = "T"\ngame = "blackjack"\n'
ACES = "identical(first, second) and rank(first) == ace and suit(first) == spades"


def wager(id, lines, **keys):
    text = f'\n[[wager]]\nid = "{id}"\nname = "W"\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())
    for number, (when, pays) in enumerate(lines):
        text += f'[[wager.line]]\nname = "L{number}"\nwhen = "{when}"\npays = "{pays}"\n'
    return text


def moments(*given):
    return "[" + ", ".join(f'{{ at = "{at}", when = "{when}" }}' for at, when in given) + "]"


SUITED, PAIR = ("suited(first, second)", "2:1"), ("pair(first, second)", "9:1")
HOLE = ("pair(up, hole)", "5:1")
# What the deal does to each is more than the lines say: conditions that no sheet which passes its check would have.
WAGERS = [
    wager("taken", [PAIR, SUITED], settled='"deal"', take=moments(("deal", "rank(up) == king or suited(first, up)"))),
    wager("taken-then-end", [PAIR, SUITED], take=moments(("deal", "pair(first, up)"))),
    wager("settled", [HOLE, SUITED], needs='"dealer-two-cards"', settled=moments(("deal", "suited(second, up)"), ("end", "always"))),
    wager("both", [HOLE, PAIR], needs='"dealer-two-cards"', take=moments(("deal", "rank(first) == ace")),
          settled=moments(("deal", "rank(second) == ace or rank(up) == king"), ("end", "always"))),
    wager("facts", [("total >= 20", "3:1"), ("soft", "1:1")], settled='"deal"', take=moments(("deal", "total == 20 and suited(first, second)"))),
    wager("natural", [("natural and suited(first, second)", "5:1"), PAIR], settled=moments(("naturals", "natural"), ("end", "always"))),
    wager("dealer", [("dealer.natural", "7:1"), SUITED], needs='"dealer-two-cards"', take=moments(("deal", "natural")),
          settled=moments(("deal", "pair(first, second)"), ("end", "always"))),
    wager("sum", [PAIR, SUITED, HOLE], settle='"sum"', needs='"dealer-two-cards"', settled=moments(("deal", "not suited(first, up)"), ("end", "always"))),
]  # fmt: skip
SMALL = "As Ah Ad Ks Kh 7s 7d 9h"
FILL = [20] * 30  # sixes, for a dealer who draws: no wager here looks at them


def small_shoe():
    wanted = cards(SMALL)
    return ShoeComposition(tuple(wanted.count(card) for card in range(52)))


def dealt(table, order):
    """A round of one spot: nobody insures, and the hand stands."""
    round_ = open_round(table, Stacked([order[0], order[2], order[1], order[3], *FILL]))
    place_bets(round_, 1, default_bets(table))
    round_.do(Deal())
    while (waits := round_.waits_for) is not None:
        round_.do(Insure(waits.spot, 0) if waits.kind == "insurance" else Act(waits.spot, "stand"))
    return round_


@pytest.fixture(scope="module")
def by_hand():
    """Every ordered deal of a small shoe, at a table: how often each wager came to each end."""
    sheet = load_text(HEAD + "".join(WAGERS), "x.toml")
    table = open_table(set_up(sheet))
    ends = {id: {} for id in table.setup.wagers}
    for first, second, up, hole in permutations(cards(SMALL), 4):
        for bet in dealt(table, (first, second, up, hole)).felt.bets.values():
            if bet.settled is not None:
                end = bet.settled.lines
                ends[bet.wager][end] = ends[bet.wager].get(end, 0) + 1
    return table.setup, ends


@pytest.mark.parametrize("id", [text.split('"')[1] for text in WAGERS])
def test_counted_as_a_table_does_it(by_hand, id):
    setup, ends = by_hand
    made = setup.wagers[id]
    assert first_cards.can_be_counted(made)
    law = first_cards.law(made, small_shoe())
    deals = sum(ends[id].values())
    expected = {lines: Fraction(count, deals) for lines, count in ends[id].items()}
    found = {
        made.line_ids(made.cells.outcomes[outcome]): Fraction(ways, law.total)
        for outcome, ways in enumerate(law.ways)
        if ways
    }
    assert found == expected
    if id not in ("settled", "sum", "dealer"):  # four cards with their suits, from any composition, are too many
        assert Recount(made).chances(small_shoe()) == pytest.approx([ways / law.total for ways in law.ways])


@pytest.mark.parametrize("id", [text.split('"')[1] for text in WAGERS])
def test_dealt_by_the_million_it_is_the_same(id):
    text = HEAD + next(text for text in WAGERS if f'"{id}"' in text)
    made = simulate(
        analyse(load_text(text, "x.toml"), decks=2), rounds=soak(10_000_000, 400_000), seed=5, engine_name="cpu:1"
    )
    assert made[id].exact is not None and made[id].warning is None
    assert abs(made[id].z) < 4.5


def test_what_play_decides_is_not_counted():
    late = wager("late", [PAIR, SUITED], take=moments(("action", "cards > 2 and color(first) == red")))
    hidden = wager(
        "hidden", [HOLE], needs='"dealer-two-cards"', settled=moments(("naturals", "natural"), ("end", "always"))
    )
    bust = wager(
        "bust",
        [("dealer.bust", "2:1")],
        needs='"dealer-finished"',
        settled=moments(("naturals", "always"), ("end", "always")),
    )
    natural = wager("hit", [("natural", "2:1")], placed='"before-hit"', settled='"hit"')
    setup = set_up(load_text(HEAD + late + hidden + bust + natural, "x.toml"))
    for id in ("late", "hidden", "bust", "hit"):
        assert not first_cards.can_be_counted(setup.wagers[id]) and not dealer.can_be_counted(setup.wagers[id])
        assert not is_counted("blackjack", setup.wagers[id])
    insurance = set_up(load_text(HEAD, "x.toml")).wagers["insurance"]
    assert counted("blackjack", insurance, ShoeComposition.of(6), setup.house).total


def checked(text):
    sheet = load_text(HEAD + text, "x.toml")
    check_reachable(sheet)
    check_sheet(sheet)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # The attack: cards so rare that rounds dealt at random never meet them.
        (wager("w", [(ACES, "3000:1"), SUITED], settled='"deal"', take=moments(("deal", ACES))), "the deal takes it where it would have been paid (L0)"),
        (wager("w", [("dealer.bust", "1:1"), (ACES, "1000:1")], needs='"dealer-finished"', settled=moments(("deal", ACES), ("end", "always"))), "was settled early as 'l1' but ended as 'l0'"),
        (wager("w", [(f"{ACES} and rank(hole) == ace", "900:1"), SUITED], needs='"dealer-two-cards"', settled=moments(("deal", ACES), ("end", "always"))), "the deal settles it as 'L1' where it could end as 'L0'"),
        (wager("w", [("total == 21 and cards > 2", "9:1")], take=moments(("deal", f"{ACES}"))), "was taken early but would have been paid (l0)"),
        (wager("w", [("stood and total > 12", "9:1")], settled=moments(("action", ACES), ("end", "always"))), "was settled early as lost but ended as 'l0'"),
    ],
)  # fmt: skip
def test_an_early_end_that_could_be_another_is_refused(text, says):
    with pytest.raises(SheetError) as error:
        checked(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        wager("w", [PAIR, (f"{ACES}", "never")][:1], settled='"deal"', take=moments(("deal", "not pair(first, second)"))),
        wager("w", [("pair(first, second) and pair(second, hole)", "50:1")], needs='"dealer-two-cards"', settled=moments(("deal", "not pair(first, second)"), ("end", "always"))),
        wager("w", [(ACES, "999:1"), SUITED], settled=moments(("deal", ACES), ("end", "always"))),
        wager("w", [("dealer.bust and pair(first, second)", "5:1")], needs='"dealer-finished"', take=moments(("deal", "not pair(first, second)"))),
    ],
)  # fmt: skip
def test_an_early_end_that_could_be_no_other_is_fine(text):
    checked(text)


def test_the_command_refuses_it(tmp_path):
    from typer.testing import CliRunner

    from feltlab.cli import app

    file = tmp_path / "take.toml"
    file.write_text(HEAD + wager("w", [(ACES, "3000:1"), SUITED], settled='"deal"', take=moments(("deal", ACES))))
    found = CliRunner().invoke(app, ["check", str(file), "--json"])
    assert found.exit_code != 0
    file.write_text(HEAD + wager("w", [(ACES, "3000:1"), SUITED], settled='"deal"'))
    assert json.loads(CliRunner().invoke(app, ["check", str(file), "--json"]).stdout)["ok"]
