"""The built-in sheets say what the published ones do; and a good error for every mistake in a sheet."""

import os
import re
from fractions import Fraction

import pytest

from feltlab import jurisdictions
from feltlab.audit import audit
from feltlab.errors import SetupError, SheetError
from feltlab.lab.error_lines import line_of
from feltlab.sheets import builtin_names, load, load_text
from feltlab.strategy import parse_chart
from feltlab.tables import set_up
from feltlab.wagers.definition import clauses

GOOD = """
id = "mine"
name = "Mine"
game = "blackjack"
decks = [6]

[[wager]]
id = "side"
name = "Side"
settled = "deal"

[[wager.line]]
name = "Pair"
when = "pair(first, second)"
pays = "11:1"
"""


def wrong(text):
    with pytest.raises(SheetError) as error:
        load_text(text, "mine.toml")
    said = str(error.value)
    assert said.startswith("mine.toml")
    assert "\n" not in said
    return said


# ---- what the published sheets say, written down once more


def test_deck_counts_options_and_wagers():
    blackjack, baccarat, slick = (
        load(name) for name in ("bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack")
    )
    assert (blackjack.decks, baccarat.decks, slick.decks) == ([1, 2, 3, 4, 5, 6, 7, 8], [6, 8], [1, 2, 4, 6, 8])
    assert (list(blackjack.options), list(baccarat.options), list(slick.options)) == (
        ["1", "2"],
        ["commission", "no-commission"],
        [],
    )
    assert blackjack.wager("bad-beat").paytable_ids() == ["P1", "P2", "P3", "P4", "P5", "L1", "L2", "L3", "L4", "L5"]
    assert slick.wager("big-slick").paytable_ids() == ["plain", "bonus"]
    assert slick.wager("action-match").paytable_ids() == ["A", "B"]
    families = [wager.family for wager in baccarat.file.wager if not wager.audit_only]
    assert (families.count("super-shot-bad-beat"), families.count("super-shot-tie"), families.count(None)) == (4, 3, 3)


CLAIMS = {
    ("bad-beat-blackjack", 2): "P1 9.71 P2 8.64 P3 6.12 P4 5.05 P5 3.23 L1 9.48 L2 8.40 L3 5.89 L4 4.81 L5 2.99",
    ("bad-beat-blackjack", 6): "P1 9.03 P2 7.88 P3 5.37 P4 4.21 P5 2.51 L1 8.77 L2 7.61 L3 5.10 L4 3.95 L5 2.25",
    ("big-slick-blackjack", 2): "A 3.10 B 5.80",
    ("big-slick-blackjack", 4): "A 4.40 B 4.40",
    ("big-slick-blackjack", 6): "A 3.60 B 5.40",
    ("big-slick-blackjack", 8): "A 3.40 B 4.80",
}


@pytest.mark.parametrize(("sheet", "decks"), CLAIMS)
def test_printed_edges_are_claims(sheet, decks):
    claims = [claim for claim in load(sheet).file.claim if claim.decks == decks and claim.figure == "house-edge"]
    values = {paytable: value for claim in claims for paytable, value in claim.values.items()}
    words = CLAIMS[sheet, decks].split()
    assert values == {name: f"{value}%" for name, value in zip(words[::2], words[1::2], strict=True)}
    if sheet == "bad-beat-blackjack":
        assert all((claim.option, claim.rules) == ("2", {"soft17": "hit"}) for claim in claims)


def test_option_1_is_said_to_cost_two_points_more():
    claims = [claim for claim in load("bad-beat-blackjack").file.claim if claim.figure != "house-edge"]
    assert [(len(claim.values), set(claim.values.values())) for claim in claims] == [(10, {"2%"})]


@pytest.mark.parametrize("name", builtin_names())
def test_every_fact_has_its_source(name):
    sheet = load(name)
    known = {source.id for source in sheet.file.source}
    said = [wager.source for wager in sheet.file.wager]
    said += [table.source for wager in sheet.file.wager if not wager.audit_only for table in wager.paytable]
    said += [claim.source for claim in sheet.file.claim]
    assert said
    assert all(source and source.split(",")[0] in known for source in said)
    assert sheet.file.reading
    assert all(claim.reading for claim in sheet.file.claim)


def test_procedure_of_bad_beat_blackjack_has_its_eight_steps():
    steps = [step.step for step in load("bad-beat-blackjack").procedure]
    assert steps == ["wagers", "deal", "take", "insurance", "naturals", "actions", "dealer", "settlement"]


def test_moments_of_the_wagers():
    """When each built-in wager is placed, taken and settled."""
    moments = {}
    for name in builtin_names():
        for wager in load(name).wagers.values():
            said = [
                [clause.at for clause in clauses(part)]
                for part in (wager.placed, wager.take, wager.settled, wager.needs)
            ]
            moments[name[:3], wager.id] = said
    assert moments["bad", "bad-beat"] in (
        [["before-deal"], ["deal", "action"], ["naturals", "end"], ["dealer-two-cards"]],
        [["before-deal"], [], ["end"], []],
    )
    assert moments["big", "big-slick"] == [["before-deal"], [], ["deal", "end"], ["dealer-two-cards"]]
    assert moments["big", "action-match"] == [["before-hit", "before-double"], [], ["hit"], []]
    assert moments["big", "insurance"] == [["insurance"], [], ["naturals", "end"], ["dealer-two-cards"]]


# ---- setting up


def test_usual_tables():
    assert set_up(load("bad-beat-blackjack")).headline() == "6 decks, option 2, paytable bad-beat P1"
    assert set_up(load("bad-beat-baccarat")).headline() == "8 decks, option commission"
    assert set_up(load("big-slick-blackjack")).headline() == "6 decks, paytable big-slick bonus, action-match A"


def test_a_paytable_is_offered_only_where_it_is_printed():
    slick = load("big-slick-blackjack")
    offered = {decks: list(set_up(slick, decks=decks).paytables) for decks in slick.decks}
    both = ["big-slick", "action-match"]
    assert offered == {1: ["big-slick"], 2: both, 4: ["action-match"], 6: both, 8: ["action-match"]}
    with pytest.raises(SetupError, match="paytable A of action-match is printed for 2, 4, 6 or 8 decks, not 1"):
        set_up(slick, decks=1, paytables=["A"])
    with pytest.raises(SetupError, match="big-slick is printed for 1, 2 or 6 decks, not 8"):
        set_up(slick, decks=8, offered=["big-slick"])
    with pytest.raises(SetupError, match="is printed for 1, 2, 4, 6 or 8 decks, not 3"):
        set_up(slick, decks=3)


def test_a_licensee_chooses_the_wagers():
    baccarat = load("bad-beat-baccarat")
    assert list(set_up(baccarat, offered=["banker-7"]).paytables) == ["banker-7"]
    assert list(set_up(baccarat, offered=[]).paytables) == []
    with pytest.raises(SetupError, match="has no wager 'banker-8'; did you mean 'banker-7'"):
        set_up(baccarat, offered=["banker-8"])
    with pytest.raises(SetupError, match="it is only computed, never offered"):
        set_up(baccarat, offered=["super-shot-as-one"])


def test_two_prices_for_one_event_are_not_posted_together():
    baccarat = load("bad-beat-baccarat")
    for price in ("50", "45"):
        assert set_up(baccarat, offered=[f"super-shot-9-8-two-{price}"])
    assert "super-shot-9-8-two-45" not in set_up(baccarat).wagers
    with pytest.raises(SetupError, match="super-shot-9-8-two-50 or super-shot-9-8-two-45, not both"):
        set_up(baccarat, offered=["super-shot-9-8-two-50", "super-shot-9-8-two-45"])


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"decks": 9}, "is printed for 1, 2, 3, 4, 5, 6, 7 or 8 decks, not 9"),
        ({"decks": 0}, "decks, not 0"),
        ({"option": "3"}, "has no option '3'; 1 or 2"),
        ({"paytables": ["P9"]}, "has no paytable 'P9'; known: L1, L2"),
        ({"paytables": ["P1", "P2"]}, "one paytable of bad-beat, not both P1 and P2"),
        ({"paytables": ["good-beat=P1"]}, "has no wager 'good-beat'; did you mean 'bad-beat'"),
        ({"rules": {"soft71": "hit"}}, "there is no rule 'soft71' here; did you mean 'soft17'"),
        ({"rules": {"soft17": "maybe"}}, "rule soft17 cannot be 'maybe'; it is hit or stand"),
        ({"rules": {"natural": "lots"}}, "rule natural: 'lots' is not a pay"),
        ({"rules": {"natural": "push"}}, "does not pay"),
        ({"pays": {"bad-beat/30-beaten": "3:1"}}, "has no line '30-beaten'; did you mean '20-beaten'"),
        ({"pays": {"bad-beat/20-beaten": "many"}}, "'many' is not a pay"),
        ({"offered": [], "pays": {"bad-beat/20-beaten": "3:1"}}, "the table does not offer bad-beat"),
    ],
)
def test_what_a_setup_cannot_be(choices, says):
    with pytest.raises(SetupError, match=re.escape(says)):
        set_up(load("bad-beat-blackjack"), **choices)


def test_differences_mark_a_table_modified():
    sheet = load("bad-beat-blackjack")
    assert set_up(sheet, decks=2, option="1", paytables=["L4"]).differences == ()
    changed = set_up(sheet, rules={"soft17": "stand"}, pays={"bad-beat/win": "lose"}).differences
    assert [tuple(difference) for difference in changed] == [
        ("rule soft17", "hit", "stand", True),
        ("the pay of bad-beat/win", "push", "lose", False),
    ]
    assert set_up(sheet, pays={"bad-beat/win": "lose"}).wagers["bad-beat"].lines[-1].pays == -1
    (difference,) = set_up(load("big-slick-blackjack"), rules={"ace-low": "no"}).differences
    assert difference.sentence() == "rule ace-low is no (the sheet says yes)"


# ---- mistakes in a sheet


def test_the_good_one_is_good():
    assert load_text(GOOD, "mine.toml").wager("side").paytable_ids() == ["standard"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id = "mine"', "id = mine", "is not TOML: Invalid value (at line 2, column 6)"),
        ('id = "mine"', "", "missing key 'id'"),
        ('id = "mine"', 'id = "my bet"', "'id' is not an id"),
        ('name = "Mine"', 'nmae = "Mine"', "unknown key 'nmae'; did you mean 'name'?"),
        ('name = "Mine"', "name = 3", "name: expected a text, not a whole number"),
        ('name = "Mine"', 'name = ""', "'name' is empty"),
        ('name = "Mine"', f'name = "{"x" * 3000}"', "'name' is longer than 2000 characters"),
        (
            'game = "blackjack"',
            'game = "poker"',
            "game: 'poker' is not an allowed value; it is blackjack or baccarat",
        ),
        ("decks = [6]", "decks = [9]", "'decks' are 1 to 8, not 9"),
        ("decks = [6]", "decks = []", "at least one deck count"),
        ("decks = [6]", 'decks = "six"', "decks: expected a list, not a text"),
        (
            'settled = "deal"',
            'settled = "later"',
            "wager 'side', settled: 'later' is not a moment for this; it is deal",
        ),
        ('settled = "deal"', 'settled = ["deal"]', "wager 1 ('side')"),
        ('settled = "deal"', "settled = []", "settled: at least one moment is needed"),
        ('settled = "deal"', 'stetled = "deal"', "wager 1 ('side'): unknown key 'stetled'; did you mean 'settled'?"),
        ('settled = "deal"', 'rides = "each-hand"', "only the main wager rides on each hand"),
        (
            'settled = "deal"',
            'placed = "insurance"',
            "the moment 'insurance' is only for insurance and the main wager",
        ),
        ('settled = "deal"', 'placed = [{ at = "before-deal", when = "soft" }]', "'soft' cannot be used here"),
        (
            'settled = "deal"',
            'take = [{ at = "deal", when = "result == win" }]',
            "take, at 'deal': 'result' cannot be used here",
        ),
        ('settled = "deal"', 'excludes = ["other"]', "excludes: there is no wager 'other'"),
        ('settled = "deal"', 'at_most = "half"', "'half' is not a pay"),
        ('name = "Pair"', 'name = "Pair"\nid = "a b"', "wager 1 ('side'), line 1 ('a b'): 'id' is not an id"),
        (
            'when = "pair(first, second)"',
            'wehn = "always"',
            "line 1 ('Pair'): unknown key 'wehn'; did you mean 'when'?",
        ),
        (
            'when = "pair(first, second)"',
            'when = "pair(first, scond)"',
            "wager 'side', line 'Pair': 'scond' is not a card",
        ),
        (
            'when = "pair(first, second)"',
            'when = "result == win"',
            "settled at 'deal', before it is known; write settled = \"end\"",
        ),
        (
            'when = "pair(first, second)"',
            'when = "never"',
            "line 'Pair': it can never hold, because its condition contradicts itself",
        ),
        ('when = "pair(first, second)"', 'when = "total == 3"', "contradicts itself"),
        ('when = "pair(first, second)"', 'when = "soft and not soft"', "contradicts itself"),
        ('pays = "11:1"', "", "line 'Pair': it has no pay"),
        ('pays = "11:1"', 'pays = "eleven"', "line 'Pair': 'eleven' is not a pay"),
        ('pays = "11:1"', 'pays = "rule nothing"', "there is no rule 'nothing' to pay by"),
        ('pays = "11:1"', "pays = 11", "line 1 ('Pair'), pays: expected"),
        ('id = "side"', 'id = "main"', "wager 'main' is given twice"),
    ],
)
def test_mistakes(old, new, says):
    assert old in GOOD
    assert says in wrong(GOOD.replace(old, new, 1))


def test_shadowed_line():
    more = '\n[[wager.line]]\nname = "Aces"\nwhen = "pair(first, second) and rank(first) == ace"\npays = "25:1"\n'
    assert "line 'Aces': it can never be paid, because 'Pair' before it takes every case" in wrong(GOOD + more)


def test_shadowed_by_two_lines_together():
    more = '\n[[wager.line]]\nname = "Other"\nwhen = "not pair(first, second)"\npays = "1:1"\n'
    more += '\n[[wager.line]]\nname = "Soft"\nwhen = "soft"\npays = "2:1"\n'
    assert "because 'Pair' and 'Other' before it takes every case" in wrong(GOOD + more)


def test_a_line_for_one_option_only_is_no_contradiction():
    text = GOOD + '\n[[option]]\nid = "a"\nsentence = "A."\n[[option]]\nid = "b"\nsentence = "B."\n'
    text = text.replace('when = "pair(first, second)"', 'when = "option == b and pair(first, second)"')
    assert load_text(text, "mine.toml")


def test_cell_space_too_large():
    when = "rank(first) == rank(second) and suit(first) == suit(second) and rank(up) == ace and suit(up) == hearts and total == 20"
    said = wrong(GOOD.replace("pair(first, second)", when))
    # 14 ranks and 5 suits (none included) of each of three cards, and 27 totals
    assert (
        "its lines distinguish 9,261,000 cases, more than 100,000; use fewer facts (total alone has 27 values)" in said
    )


def test_sheets_that_take_too_long_are_refused():
    many = "".join(f'\n[[wager.line]]\nname = "L{n}"\nwhen = "total == {n + 4}"\npays = "1:1"\n' for n in range(40))
    assert "it has 41 lines; a wager has at most 40" in wrong(GOOD + many)
    line = '\n[[wager.line]]\nname = "L{n}"\nwhen = "total == {n} and rank(first) == rank(second) and suit(up) == hearts"\npays = "1:1"\n'
    wager = '\n[[wager]]\nid = "w{w}"\nname = "W"\nsettled = "deal"\n'
    slow = "".join(
        wager.replace("{w}", str(w)) + "".join(line.replace("{n}", str(n)) for n in range(4, 31)) for w in range(30)
    )
    assert "takes too long to check" in wrong(GOOD + slow)


def test_dealer_facts_need_the_dealer():
    text = GOOD.replace('settled = "deal"\n', "")
    assert 'needs = "dealer-two-cards"' in wrong(text.replace("pair(first, second)", "rank(hole) == ace"))
    assert 'needs = "dealer-' in wrong(text.replace("pair(first, second)", "dealer.bust"))
    seen = text.replace('name = "Side"', 'name = "Side"\nneeds = "dealer-two-cards"')
    assert load_text(seen.replace("pair(first, second)", "dealer.natural"), "mine.toml")
    assert 'needs = "dealer-finished"' in wrong(seen.replace("pair(first, second)", "dealer.bust"))


def test_paytables_and_lines_belong_together():
    table = '\n[[wager.paytable]]\nid = "A"\npays = { pair = "11:1" }\n'
    plain = GOOD.replace('pays = "11:1"\n', "")
    assert load_text(plain + table, "mine.toml")
    assert "its pay is in the paytables" in wrong(GOOD + table)
    assert "there is no line 'pear'; did you mean 'pair'?" in wrong(
        plain + table.replace("pair", "pear") + table.replace('"A"', '"B"')
    )
    assert "it is given twice for 6 decks" in wrong(plain + table + table)
    assert "the sheet is for 6 decks, not 8" in wrong(plain + table.replace('id = "A"', 'id = "A"\ndecks = [8]'))
    assert "no paytable names it; add 'pair'" in wrong(plain + '\n[[wager.paytable]]\nid = "A"\npays = {}\n')


def test_lines_added_up_never_lose_more_than_the_stake():
    more = '\n[[wager.line]]\nname = "Soft"\nwhen = "soft"\npays = "lose"\n'
    text = (GOOD + more).replace('settled = "deal"', 'settled = "deal"\nsettle = "sum"').replace('"11:1"', '"lose 1:2"')
    outcomes = set_up(load_text(text, "mine.toml")).wagers["side"].cells.outcomes
    assert {outcome.lines: outcome.pays for outcome in outcomes} == {
        (): -1,
        (0,): Fraction(-1, 2),
        (1,): -1,
        (0, 1): -1,
    }


def test_moments_must_fit_together():
    """A wager that could stay on the felt, or be settled by a card it was not placed on, is refused."""
    deal = 'settled = "deal"'
    for moments, says in [
        ('settled = [{ at = "deal", when = "soft" }]', "the last moment must have no condition"),
        ('settled = "naturals"', "not every round reaches 'naturals'; end the list with"),
        ('settled = "action"', "not every round reaches 'action'"),
        ('settled = "insurance"', "the moment 'insurance' is only for insurance and the main wager"),
        ('settled = "hit"', "only a wager that is placed 'before-hit'"),
        ('placed = "before-hit"', "a wager on a hit card is placed only at"),
        ('placed = "before-hit"\nsettled = "deal"', "a wager on a hit card is placed only at"),
        ('placed = [{ at = "before-deal" }, { at = "before-hit" }]\nsettled = "hit"', "is placed only at"),
        ("placed = []", "at least one moment is needed"),
        ('at_most = "lose"', "is not a share of the main wager"),
        ('at_most = "push"', "is not a share of the main wager"),
    ]:
        assert says in wrong(GOOD.replace(deal, moments))
    assert load_text(GOOD.replace(deal, 'placed = "before-hit"\nsettled = "hit"'), "mine.toml")


def test_the_result_needs_the_dealers_second_card():
    text = GOOD.replace('settled = "deal"\n', "").replace("pair(first, second)", "result == win")
    assert 'needs = "dealer-two-cards"' in wrong(text)
    assert load_text(text.replace('name = "Side"', 'name = "Side"\nneeds = "dealer-two-cards"'), "mine.toml")


def test_what_takes_too_long_is_refused_at_once():
    chained = "".join(f'd{n} = "{"not " * 20}d{n + 1}"\n' for n in range(60)) + 'd60 = "soft"\n'
    assert "too long" in wrong(GOOD + "\n[define]\n" + chained)
    wide = '\n[define]\nw = "' + " or ".join(["soft"] * 130) + '"\n'
    many = wide + 'x = "w or w or w or w"\n'
    assert "with its definitions expanded, the condition is too long" in wrong(GOOD + many)
    assert "line 16 is longer than 5000 characters" in wrong(GOOD + "a" + ".a" * 3000 + " = 1\n")
    options = "".join(f'\n[[option]]\nid = "o{n}"\nsentence = "O."\n' for n in range(5000))
    assert load_text(GOOD + options, "mine.toml")


def test_more_that_must_be_there():
    source = '\n[[source]]\nid = "book"\ntitle = "A book"\n'
    assert load_text(GOOD.replace('name = "Side"', 'name = "Side"\nsource = "book, page 3"') + source, "mine.toml")
    assert "there is no such [[source]]" in wrong(
        GOOD.replace('name = "Side"', 'name = "Side"\nsource = "nowhere"') + source
    )
    claim = (
        '\n[[claim]]\nwager = "side"\nfigure = "house-edge"\nsource = "me"\nvalues = { standard = "1%" }\ndecks = 8\n'
    )
    assert "is printed for 6 decks, not 8" in wrong(GOOD + claim)
    assert "procedure: its steps must be wagers, deal, take" in wrong(
        GOOD + '\n[[procedure]]\nstep = "deal"\nsentence = "D."\n'
    )
    rule = '\n[[rule]]\nkey = "which"\nvalues = ["a-b", "A_B"]\ndefault = "a-b"\nsentence = "?"\n'
    assert "is not an id" in wrong(GOOD + rule)
    assert "differ only in - and _, or in capitals" in wrong(GOOD + rule.replace("A_B", "A-B"))
    assert "word of the language" in wrong(GOOD + '\n[define]\nalways = "soft"\n')
    assert "is a definition of the base game" in wrong(GOOD + '\n[define]\nmay_give_back = "soft"\n')
    assert "define: the definition 'ace' has the name of a value (a rank)" in wrong(GOOD + '\n[define]\nace = "soft"\n')
    assert "rule 'soft17' is given twice: the game has one of that name" in wrong(
        GOOD + rule.replace("which", "soft17").replace("A_B", "c")
    )
    assert "wager 'main' is given twice: the game has one of that name" in wrong(GOOD.replace('"side"', '"main"'))
    capitals = rule.replace('"a-b", "A_B"', '"Big", "Small"').replace('"a-b"', '"Big"')
    assert set_up(load_text(GOOD + capitals, "mine.toml"), rules={"which": "small"}).rules["which"] == "Small"


def test_definitions():
    define = '\n[define]\npaired = "pair(first, second)"\n'
    assert load_text((GOOD + define).replace('when = "pair(first, second)"', 'when = "paired"'), "mine.toml")
    assert "define: in the definition of 'paired': unknown fact 'soff'; did you mean 'soft'?" in wrong(
        GOOD + define.replace("pair(first, second)", "soff")
    )
    assert "has the name of a fact" in wrong(GOOD + define.replace("paired", "soft"))
    assert "is not a name" in wrong(GOOD + define.replace("paired", '"a-b"'))


def test_rules_of_the_sheets_own():
    rule = '\n[[rule]]\nkey = "low"\nvalues = ["yes", "no"]\ndefault = "yes"\nsentence = "Low?"\n'
    sheet = load_text((GOOD + rule).replace('"pair(first, second)"', '"rule.low and pair(first, second)"'), "mine.toml")
    assert set_up(sheet, rules={"low": "no"}).rules["low"] == "no"
    assert "its default must be one of them" in wrong(GOOD + rule.replace('default = "yes"', 'default = "perhaps"'))
    assert "rule 'soft17' is given twice" in wrong(GOOD + rule.replace("low", "soft17", 1))


def test_claims_readings_and_the_usual_table_refer_to_what_is_there():
    claim = '\n[[claim]]\nwager = "sid"\nfigure = "house-edge"\nsource = "me"\nvalues = { standard = "1%" }\n'
    assert "claim: there is no wager 'sid'; did you mean 'side'?" in wrong(GOOD + claim)
    good = claim.replace("sid", "side")
    assert load_text(GOOD + good, "mine.toml")
    assert "no paytable 'P1'" in wrong(GOOD + good.replace("standard", "P1"))
    assert "there is no reading 'r'" in wrong(GOOD + good + 'reading = "r"\n')
    assert "has no option '7'" in wrong(GOOD + good + 'option = "7"\n')
    assert "there is no rule 'x'" in wrong(GOOD + good + 'rules = { x = "y" }\n')
    reading = '\n[[reading]]\nid = "r"\npoint = "p"\nreading = "r"\nevidence = "e"\n'
    assert "reading 'r': there is no rule 'x'" in wrong(GOOD + reading + 'rule = "x"\n')
    assert "reading 'r': there is no wager 'x'" in wrong(GOOD + reading + 'wager = "x"\n')
    assert "is printed for 6 decks, not 8" in wrong(GOOD + "\n[table]\ndecks = 8\n")
    assert "no paytable 'Z' of a wager 'side'" in wrong(GOOD + '\n[table]\ndecks = 6\npaytables = { side = "Z" }\n')


CLAIM = """
[[claim]]
wager = "side"
figure = "house-edge"
source = "s"
values = { standard = "9.71%" }
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("9.71%", "about 3 %", "values, standard: 'about 3 %' is not a percentage; write it like 9.71 or 9.71%"),
        ("9.71%", "0." + "0" * 400, "is not a percentage"),
        ("9.71%", "nan", "'nan' is not a percentage"),
        ("9.71%", "inf", "'inf' is not a percentage"),
        ("9.71%", "1e5", "'1e5' is not a percentage"),
        ("9.71%", "1_0", "'1_0' is not a percentage"),
        ("9.71%", "\u0663", "is not a percentage"),
        ('"house-edge"', '"house-edge-option-1-less-option-2"', "no options '1' and '2' to compare"),
    ],
)
def test_a_claim_is_a_figure(old, new, says):
    """The attack: an audit that ended in the interpreter's own words."""
    sheet = GOOD + CLAIM
    assert [finding.claimed for finding in audit(load_text(sheet, "mine.toml"))] == [pytest.approx(0.0971)]
    if "options" in says:
        sheet += '\n[[option]]\nid = "3"\nsentence = "s"\n'
    assert says in wrong(sheet.replace(old, new))


@pytest.mark.parametrize("mark", ["\\u001b", "\\u0007", "\\u0085", "\\u009b", "\u2028", "\u202e", "\\u0000", "\x85"])
def test_control_characters(mark, tmp_path):
    """What would reach a terminal as a command, wherever it stands."""
    shown = f"U+{ord(mark if len(mark) == 1 else chr(int(mark[2:], 16))):04X}"
    for place in ('name = "Mine', 'name = "Side', 'name = "Pair'):
        said = wrong(GOOD.replace(place, place + mark))
        assert f"it contains the control character {shown}; remove it" in said and said.isprintable()
    said = wrong(GOOD + f'[define]\n"a{mark}" = "never"\n')
    assert shown in said and said.isprintable()
    with pytest.raises(SheetError, match="contains the control character"):
        jurisdictions.load(write(tmp_path / "law.toml", f'id = "x"\nname = "X{mark}"\nas_of = "2026"\nsource = []\n'))
    if len(mark) == 1:
        with pytest.raises(SheetError, match="contains the control character"):
            parse_chart(f"source: {mark}\n", "chart")


def write(path, text):
    path.write_text(text)
    return str(path)


def test_a_key_written_as_the_place_of_a_mistake():
    """The attack: thousands of digits where the number of an entry is looked for."""
    for key in (f"x - at `$[{'9' * 4400}]`", "x - at `$.wager[0]`", "x - at `$.wager[7].line[0]`"):
        said = wrong(f'"{key}" = 1\n{GOOD}')
        assert said.startswith(f"mine.toml: unknown key '{key[:60]}"[:80])
        assert line_of(GOOD, said.removeprefix("mine.toml: ")) in (None, 2)
    named = GOOD.replace('"Pair"', '"line 99999999999999999999999, x"').replace("second)", "secnd)")
    assert line_of(named, wrong(named).removeprefix("mine.toml: ")) == 14


# ---- files that are no sheets


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x00\x01\x02", "is not a text file"),
        (b"\xff\xfe name", "is not UTF-8 text (byte 0)"),
        (b"x" * 1_000_001, "is larger than 1,000,000 bytes"),
        (b"[" * 100_000, "line 1 is longer than 5000 characters"),
        (b"a = " + b"[\n" * 5_000, "nested too deeply"),
        (b"", "missing key 'id'"),
        (b"a = 1\na = 2", "is not TOML"),
        (b"a = 99999999999999999999999999999", "unknown key 'a'"),
    ],
)
def test_files_that_are_no_sheets(tmp_path, content, says):
    path = tmp_path / "my.toml"
    path.write_bytes(content)
    with pytest.raises(SheetError, match=re.escape(says)):
        load(str(path))


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(SheetError, match="is a folder"):
        load(str(tmp_path))
    with pytest.raises(SheetError, match="does not exist"):
        load(str(tmp_path / "none.toml"))
    with pytest.raises(SheetError, match="is not a plain file"):
        load("/dev/zero")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(SheetError, match="is not a plain file"):
        load(str(tmp_path / "pipe.toml"))
    with pytest.raises(SheetError, match="did you mean 'bad-beat-baccarat'"):
        load("bad-beat-bacarat")
    with pytest.raises(SheetError, match=re.escape(r"'a\x00b.toml' does not exist")):
        load("a\x00b.toml")
    with pytest.raises(SheetError, match="cannot be read"):
        load("x" * 5000 + ".toml")
    # a byte-order mark and Windows line ends are no mistake
    (tmp_path / "dos.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load(str(tmp_path / "dos.toml")).id == "mine"


def test_values_of_choices_may_be_called_as_cards_are():
    """A dealer who hits a soft 17, and the hit card: where a rule is compared, its values come first."""
    for when in ("rule.soft17 == hit", "hit == rule.soft17", "rule.soft17 in {hit, stand}"):
        sheet = load_text(GOOD.replace("pair(first, second)", f"soft and {when}"), "mine.toml")
        assert [len(set_up(sheet, rules={"soft17": how}).wagers["side"].constants()) for how in ("hit", "stand")] == [
            1,
            1,
        ]
    named = '\n[[option]]\nid = "up"\nsentence = "U."\n[[option]]\nid = "soft"\nsentence = "S."\n'
    assert load_text(
        GOOD.replace("pair(first, second)", "option == soft and soft or option == up") + named, "mine.toml"
    )


def test_values_that_a_condition_could_not_tell_apart_are_refused():
    """`9-11` is written v9_11 in a condition, and so would be `v9-11`."""
    rule = '\n[[rule]]\nkey = "which"\nvalues = ["9-11", "v9-11"]\ndefault = "9-11"\nsentence = "?"\n'
    assert "rule 'which': two of its values are written alike in a condition" in wrong(GOOD + rule)
    options = "".join(f'\n[[option]]\nid = "{id}"\nsentence = "O."\n' for id in ("9-11", "v9-11"))
    assert "option: two of them are written alike in a condition" in wrong(GOOD + options)
    tables = "".join(f'\n[[wager.paytable]]\nid = "{id}"\npays = {{ pair = "2:1" }}\n' for id in ("1-a", "v1-a"))
    plain = GOOD.replace('pays = "11:1"\n', "")
    assert "paytable: two of them are written alike in a condition" in wrong(plain + tables)
