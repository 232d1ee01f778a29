"""The condition language: what it means, and a good error for every mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltlab.cards import card
from feltlab.errors import FeltlabError
from feltlab.wagers import baccarat_facts, blackjack_facts
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.cells import MOST_CELLS, partition
from feltlab.wagers.conditions import Constant, Scope, check_definitions, condition
from feltlab.wagers.language import ConditionError, parse
from feltlab.wagers.types import BOOL, INT, Type

MODE = Type("mode", {"fast": 0, "slow": 1})
SCOPE = Scope(
    blackjack_facts.VOCABULARY,
    {
        "option": Constant(INT, 2),
        "rule.das": Constant(BOOL, 1),
        "mode": Constant(MODE, 1),
        "move": Constant(Type("move", {"stand": 0, "total": 1, "hit": 2}), 2),
    },
    {"twenty": "total == 20", "circle": "round", "round": "circle", "lost": "result == lose"},
)
BLANK = HandView(*([0] * len(HandView._fields)))


def view(**facts):
    return BLANK._replace(**facts)


@pytest.mark.parametrize(
    ("text", "facts", "holds"),
    [
        ("total == 20", {"total": 20}, True),
        ("total != 20", {"total": 20}, False),
        ("total < 20", {"total": 19}, True),
        ("total <= 20", {"total": 21}, False),
        ("total > 20", {"total": 20}, False),
        ("total >= 20", {"total": 20}, True),
        ("total in 19..21", {"total": 21}, True),
        ("total in 19..21", {"total": 18}, False),
        ("total in {4, 10..12, 20}", {"total": 11}, True),
        ("total in {4, 10..12, 20}", {"total": 13}, False),
        ("not total in 19..21", {"total": 18}, True),
        ("not soft and total == 20", {"total": 20}, True),
        ("not (soft or total == 20)", {"total": 20}, False),
        ("soft or natural and doubled", {"soft": 1}, True),  # and binds closer than or
        ("(soft or natural) and doubled", {"soft": 1}, False),
        ("total - dealer.total == 3", {"total": 20, "dealer_total": 17}, True),
        ("total + cards - 2 == 21", {"total": 20, "cards": 3}, True),
        ("result == lose", {"result": 0}, True),
        ("push == result", {"result": 1}, True),
        ("result in {push, win}", {"result": 2}, True),
        ("lost and twenty", {"result": 0, "total": 20}, True),
        ("rank(first) == ace", {"first": card("Ah")}, True),
        ("rank(first) >= 8", {"first": card("8h")}, True),
        ("rank(first) in {8, 9, ten}", {"first": card("Th")}, True),
        ("suit(up) == hearts", {"up": card("Ah")}, True),
        ("color(up) == red", {"up": card("Ac")}, False),
        ("points(up) == 10", {"up": card("Kc")}, True),
        ("rank(hit) == none", {"hit": -1}, True),
        ("pair(first, second)", {"first": card("Ah"), "second": card("As")}, True),
        ("suited(first, up)", {"first": card("Ah"), "up": card("2h")}, True),
        ("identical(first, up)", {"first": card("Ah"), "up": card("Ah")}, True),
        ("count(ace, first, second) == 1", {"first": card("Ah"), "second": card("2s")}, True),
        ("count(7, first, second) == 2", {"first": card("7h"), "second": card("7s")}, True),
        ("matches(up, first, second) == 2", {"first": 0, "second": 1, "up": 2}, True),
        ("suited_matches(up, first, second) == 1", {"first": 0, "second": 2, "up": 2}, True),
        ("option == 2 and rule.das", {}, True),
        ("mode == slow", {}, True),
        ("mode in {fast}", {}, False),
        ("total in {dealer.total, 20}", {"total": 17, "dealer_total": 17}, True),
        ("total in {dealer.total, 20}", {"total": 20, "dealer_total": 17}, True),
        ("total in {dealer.total..20, 4}", {"total": 16, "dealer_total": 17}, False),
        ("total in {cards + 10, 19..20, 15}", {"total": 12, "cards": 2}, True),
        ("total in {20..19, 15}", {"total": 20}, False),  # from 20 to 19 is nothing
        ("ace in {rank(first), rank(second)}", {"first": card("Kh"), "second": card("Ah")}, True),
        ("soft in {natural, bust}", {"soft": 1, "natural": 0, "bust": 1}, True),
        ("move == hit and hit == move", {}, True),  # a card's name, but here a value of the choice
        ("move in {stand, hit}", {}, True),
        ("move != total", {}, True),
        ("always", {}, True),
        ("never", {}, False),
    ],
)
def test_meaning(text, facts, holds):
    assert condition(text, SCOPE).holds(view(**facts)) is holds


@pytest.mark.parametrize(
    ("text", "says", "position"),
    [
        ("", "empty", 1),
        ("totl == 20", "unknown fact 'totl'; did you mean 'total'?", 1),
        ("total == twnty", "unknown fact 'twnty'; did you mean 'twenty'?", 10),
        ("total = 20", "write == to compare", 7),
        ("total == 20 & soft", "write and", 13),
        ("total == '20'", "names need no quotes", 10),
        ("result == 3", "one of lose, push, win cannot be compared with a number", 11),
        ("result == wni", "'wni' is not one of lose, push, win; did you mean 'win'?", 11),
        ("result < win", "'<' compares numbers", 8),
        ("result in lose..win", "a range needs numbers", 11),
        ("total and soft", "a condition is needed here, but this is a number", 1),
        ("soft == 1", "yes or no cannot be compared with a number", 9),
        ("soft + 1 == 2", "only numbers can be added", 1),
        ("total", "a condition is needed here", 1),
        ("first == up", "'first' is a card; ask a question about it", 1),
        ("pair(first)", "takes 2 cards, not 1", 1),
        ("trips(first, second)", "takes 3 cards, not 2", 1),
        ("rank(first, second) == 2", "takes 1 cards, not 2", 1),
        ("pear(first, second)", "unknown question 'pear(...)'; did you mean 'pair'?", 1),
        ("pair(first, scond)", "'scond' is not a card; did you mean 'second'?", 13),
        ("pair(first, 3)", "takes names of cards, not 3", 13),
        ("pair(first, first)", "names the same card twice", 1),
        ("count(first, second) == 1", "takes a rank first", 7),
        ("count(1, second) == 1", "takes a rank first", 7),
        ("rank(first) == joker", "'joker' is not 2 to 10 or one of", 16),
        ("(total == 20", "')' is missing", 13),
        ("total == 20)", "')' was not expected", 12),
        ("total in {19, 20", "'}' is missing", 17),
        ("17 < total < 20", "cannot be chained", 12),
        ("total ==", "is missing before 'the end'", 9),
        ("and soft", "is missing before 'and'", 1),
        ("circle", "uses itself", 1),
        ("total == 99999999", "larger than any fact of a card game", 10),
        ("soft soft", "'soft' was not expected here", 6),
        ("mode == quick", "'quick' is not one of fast, slow", 9),
        ("ace == king", "unknown fact 'ace'", 1),
        ("result in {win, push, push}", "in the set already; write each value once", 23),
        ("total in {4, 20, 10..12, 11}", "in the set already", 26),
        ("total in {10..12, 4, 8..10}", "in the set already", 22),
        ("rank(first) in {1, 9, ace}", "in the set already", 23),
        ("rank(first) in {9, jocker}", "'jocker' is not 2 to 10 or one of", 20),
        ("total in {4, soft}", "a number cannot be compared with yes or no", 14),
        ("__import__('os')", "names need no quotes", 12),
        ("total.__class__", "unknown fact", 1),
        ("(" * 100 + "soft" + ")" * 100, "nested more than 40 deep", 41),
        ("not " * 100 + "soft", "nested more than 40 deep", 161),
        ("1" + "+1" * 100 + " == 2", "at most 20 terms", 41),
        ("soft " + "or soft " * 500, "at most 2000 characters", 2001),
    ],
)
def test_mistakes(text, says, position):
    with pytest.raises(ConditionError) as error:
        condition(text, SCOPE)
    assert says in str(error.value)
    assert error.value.position == position
    assert "\n" not in str(error.value)


def test_facts_not_yet_known_are_refused():
    early = Scope(blackjack_facts.VOCABULARY, known=frozenset({"deal"}), too_early="wait for the dealer")
    assert condition("rank(up) == ace", early)
    for text in ("result == win", "rank(hole) == ace", "dealer.cards == 3", "suited(up, hit)"):
        with pytest.raises(ConditionError, match="wait for the dealer"):
            condition(text, early)


def test_baccarat_has_its_own_words():
    scope = Scope(baccarat_facts.VOCABULARY)
    coup = baccarat_facts.coup_view(
        *(card(text) for text in ("7s", "Ts", "2h")), *(card(text) for text in ("8s", "Kd")), -1
    )
    holds = ["result == player", "margin == 1", "winner.total == 9", "winner.cards == 3", "loser.cards == 2"]
    assert all(condition(text, scope).holds(coup) for text in holds)
    assert condition("rank(banker.third) == none and straight(player.first, banker.first)", scope).holds(coup)
    with pytest.raises(ConditionError, match=r"unknown fact 'dealer\.total'"):
        condition("dealer.total == 3", scope)


def test_cells_agree_with_direct_evaluation():
    texts = ["total == 20 and result == lose", "total in 19..21 and result == push", "soft"]
    conditions = [condition(text, SCOPE) for text in texts]
    made = {settle: partition(conditions, settle) for settle in ("first", "sum")}
    for total in range(4, 31):
        for result in range(3):
            for soft in range(2):
                seen = view(total=total, result=result, soft=soft)
                true = tuple(place for place, item in enumerate(conditions) if item.holds(seen))
                cells = {
                    settle: table.groups[table.group_of[table.cell(lambda atom, view=seen: atom.read(view))]]
                    for settle, table in made.items()
                }
                assert cells == {"first": true[:1], "sum": true}
    assert len(made["first"].group_of) == 27 * 3 * 2


def test_too_many_cells():
    text = "rank(first) == rank(second) and rank(up) == rank(hole) and total == dealer.total"
    with pytest.raises(FeltlabError, match=rf"more than {MOST_CELLS:,}; use fewer facts \(total alone has 27 values\)"):
        partition([condition(text, SCOPE)], "first")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    position = 1
    try:
        condition(text, SCOPE)
    except ConditionError as error:
        position = error.position
    assert 1 <= position <= len(text) + 1


WORDS = st.sampled_from(
    [
        "total",
        "soft",
        "result",
        "win",
        "19",
        "20",
        "(",
        ")",
        "{",
        "}",
        "..",
        "==",
        "<",
        "in",
        "and",
        "or",
        "not",
        "+",
        "-",
        "pair(",
        "first",
        ",",
        "second",
        "up",
        "count(",
        "ace",
        "twenty",
    ]
)


@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_any_words_are_read_or_refused(text):
    try:
        parse(text)
        condition(text, SCOPE)
    except ConditionError:
        pass


def test_every_part_is_counted():
    """Names, members of sets and definitions are evaluated like anything else: a long condition is long however written."""
    sizes = {
        "soft": 1,
        "total == 20": 3,
        "twenty": 4,
        "not soft": 2,
        "soft or bust or natural": 4,
        "result in {win, push}": 4,
        "total in {4..6, 8}": 5,
        "total in {dealer.total..20}": 4,
        "total + cards - 2 == 21": 7,
    }
    assert {text: condition(text, SCOPE).size for text in sizes} == sizes
    members = ", ".join(f"{number}" for number in range(4, 354))
    twice = Scope(blackjack_facts.VOCABULARY, definitions={"many": "total in {" + members + "}"})
    with pytest.raises(ConditionError, match="the condition is too long: more than 500 parts; shorten it"):
        condition("many or many", twice)


def test_written_members_are_looked_up():
    """What is written out in a set is not gone through one by one: the item is asked once, and then found."""
    asked = []

    class Seen(list):
        def __getitem__(self, place):
            asked.append(place)
            return super().__getitem__(place)

    long = condition("total in {" + ", ".join(f"{number}" for number in range(4, 400)) + "}", SCOPE)
    assert long.evaluate(Seen([399])) and len(asked) == 1
    assert not long.evaluate(Seen([400])) and len(asked) == 2


@pytest.mark.parametrize(
    ("name", "what"),
    [
        *[(name, "a fact") for name in ("total", "soft", "result", "hand")],
        *[(name, "a card") for name in ("first", "up", "hit")],
        *[(name, "a question about cards") for name in ("pair", "count", "rank", "straight")],
        *[(name, r"a value \(a rank\)") for name in ("ace", "ten", "none")],
        *[(name, r"a value \(a suit\)") for name in ("hearts", "clubs")],
        *[(name, r"a value \(a color\)") for name in ("red", "black")],
        *[(name, r"a value \(a result\)") for name in ("win", "push", "lose")],
        *[(name, "a word of the language") for name in ("always", "never", "and", "or", "not", "in")],
        *[(name, "a choice of the table") for name in ("option", "paytable", "rule")],
    ],
)
def test_a_definition_has_a_name_of_its_own(name, what):
    """It is the definition that is named, whatever the conditions are that its name would have changed."""
    others = {"aces": "rank(first) == ace", "reds": "color(first) == red", name: "soft", "late": "bust"}
    with pytest.raises(FeltlabError, match=rf"^the definition '{name}' has the name of {what}; choose another name$"):
        check_definitions(Scope(blackjack_facts.VOCABULARY, definitions=others))


def test_definitions_with_odd_names_are_only_names():
    names = ("__class__", "__init__", "remove", "constructor", "main", "side", "stand", "late", "x")
    scope = Scope(blackjack_facts.VOCABULARY, definitions=dict.fromkeys(names, "soft"))
    check_definitions(scope)
    for name in names:
        assert condition(name, scope).holds(view(soft=1)) and not condition(name, scope).holds(view(soft=0))
