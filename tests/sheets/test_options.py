"""Which lines are for some options only, and which can be paid at a table at all: the same as by looking at every cell."""

from itertools import product

import pytest

from feltlab.floor.house.config import Wish, configure
from feltlab.games.blackjack import never_done
from feltlab.games.rules import ANY_RATIO, choose
from feltlab.sheets import builtin, builtin_names, load_text, options
from feltlab.sheets.options import options_of_lines
from feltlab.tables import set_up
from feltlab.wagers.budget import WorkBudget
from feltlab.wagers.wager import Wager, compile_wager
from support import slow_sheets

WIDE = "total == 9 and cards == 4 and dealer.cards == 3 and result == win and soft and option == o1"
OTHER = "total == 10 or soft and cards == 3 or dealer.cards == 4 or result == win"


def many_paytables(count):
    """The attack: two options, and every paytable with the same two lines."""
    text = slow_sheets.head() + "".join(f'[[option]]\nid = "o{n}"\nsentence = "s"\n' for n in range(2))
    text += '[[wager]]\nid = "w"\nname = "W"\nneeds = "dealer-finished"\n'
    text += "".join(f'[[wager.line]]\nname = "L{n}"\nwhen = "{when}"\n' for n, when in enumerate((WIDE, OTHER)))
    return text + "".join(
        f'[[wager.paytable]]\nid = "p{n}"\npays = {{ l0 = "1:1", l1 = "{n + 1}:1" }}\n' for n in range(count)
    )


def test_paytables_that_are_alike_are_compiled_once(monkeypatch):
    sheet = load_text(many_paytables(900), "x.toml")
    made = []
    monkeypatch.setattr(
        options, "compile_wager", lambda *given, **more: made.append(given) or compile_wager(*given, **more)
    )
    work = WorkBudget()
    assert options_of_lines(sheet, sheet.wager("w"), work) == {"l0": ["o1"]}
    assert len(made) == 2 and 0 < work.done < work.most


def test_paytables_that_conditions_name_are_not_alike():
    text = many_paytables(3).replace(OTHER, "option == o0 and paytable != p2 or option == o1 and paytable == p2")
    sheet = load_text(text, "x.toml")
    assert options_of_lines(sheet, sheet.wager("w")) == {"l0": ["o1"]}


def by_every_cell(wager, never):
    made = wager.cells.partition
    gone = [place for place, atom in enumerate(made.atoms) if atom.text in never and atom.low == 0]
    paid = set()
    for group, values in zip(made.group_of, product(*(range(a.low, a.high + 1) for a in made.atoms)), strict=True):
        if not any(values[place] for place in gone):
            paid.update(made.groups[group])
    return tuple(line for place, line in enumerate(wager.lines) if place in paid)


@pytest.mark.parametrize("name", builtin_names())
def test_what_can_be_paid_is_found_by_looking_at_every_cell(name):
    sheet = builtin(name)
    for rule in sheet.rules:
        for value in rule.values if rule.values != ANY_RATIO else [rule.default]:
            setup = set_up(sheet, rules={rule.key: value})
            never = never_done(setup.rules) if sheet.game == "blackjack" else ()
            for wager in setup.wagers.values():
                assert wager.payable(never) == by_every_cell(wager, never)


@pytest.mark.parametrize("facts", [["doubled", "split", "surrendered"], ["surrendered"], ["total", "doubled"], []])
def test_facts_that_never_are_wherever_they_stand(facts):
    text = slow_sheets.lines(
        ["doubled and total == 20", "split and soft", "surrendered or total == 9 and split", "soft and doubled", "cards == 3"],
        10_000, slow_sheets.WAGER, slow_sheets.head(),
    )  # fmt: skip
    wager = set_up(load_text(text, "x.toml")).wagers["w0"]
    assert wager.payable(facts) == by_every_cell(wager, facts)


def test_a_table_is_ready_with_all_that_it_posts(monkeypatch):
    """What can be paid is figured in the thread that sets a table up, never by the desk that everybody waits for."""
    wish = Wish("bad-beat-blackjack", decks=3)
    config, text = configure(wish)
    table = config.table(text)
    monkeypatch.setattr(Wager, "payable", lambda *given: pytest.fail("figured late"))
    assert table.setup.payable["main"] and choose(table.setup.sheet.rules, {})
