"""No text makes a sheet expensive to check: what is done is counted in calls and bytes, never in seconds.

`make test` tries the worst shapes and some mixtures; FELTLAB_SOAK=1 tries all of them, and hundreds of mixtures.
"""

import cProfile
import re
import tracemalloc
from array import array
from itertools import combinations

import pytest

from feltlab.errors import LONGEST_SENTENCE, MOST_NAMES, SheetError, nearest
from feltlab.exact import reachable
from feltlab.files import LARGEST_FILE, LONGEST_LINE, LONGEST_TEXT, MOST_KEY_PARTS, parse_toml
from feltlab.rounds import conformance
from feltlab.sheets import builtin_names, lint, load, load_text, loader
from feltlab.tables import set_up
from feltlab.wagers import budget, cells, conditions, language, wager
from feltlab.wagers.cells import Partition
from support import slow_sheets
from support.paths import EXAMPLES, ROOT
from support.slow_sheets import LARGEST, SHAPES, checked, mixed
from support.soak import SOAK, soak

pytestmark = pytest.mark.slow

MOST_CALLS = 60_000_000  # of functions, Python's and built in, for any text of 64 kB
MOST_BYTES = 64_000_000

# The most expensive of each kind: cells, choices, definitions, paytables, moments, groups, the parser.
WORST = (
    "one_set_of_the_same", "wide_lines", "rules_multiplied", "many_clauses", "paid_together", "a_dotted_header_with_many_keys", "short_lines_with_long_meaning",
    "the_same_decks", "long_names_alike", "huge_hexadecimal_numbers", "huge_pays_in_paytables", "definitions_that_double",
)  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """What other tests left in memory makes nothing cheaper here."""
    checked(slow_sheets.head())  # what is made once in a process is made
    loader._cached.cache_clear()
    monkeypatch.setattr(wager, "_partitions", wager._PartitionCache())


def calls(text):
    """How many functions are called in checking a text as the lab does, and what it says."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        said = checked(text)
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats()), said


def must_be_cheap(text):
    assert len(text) <= LARGEST
    count, said = calls(text)
    assert count <= MOST_CALLS, said
    assert "\n" not in said and len(said) <= LONGEST_SENTENCE
    for raw in ("sys.", "Traceback", "int string conversion", "recursion"):
        assert raw not in said


def refused(text):
    with pytest.raises(SheetError) as error:
        load_text(text, "x.toml")
    return str(error.value)


@pytest.mark.parametrize("name", SHAPES if SOAK else WORST)
def test_no_shape_is_expensive(name):
    must_be_cheap(SHAPES[name](LARGEST))


@pytest.mark.parametrize("seed", range(soak(400, 12)))
def test_no_mixture_is_expensive(seed):
    must_be_cheap(mixed(seed))


@pytest.mark.parametrize("name", SHAPES if SOAK else ("many_clauses", "paid_together", "many_tables", "many_rules"))
def test_no_shape_takes_much_memory(name):
    text = SHAPES[name](LARGEST)
    tracemalloc.start()
    try:
        checked(text)
        assert tracemalloc.get_traced_memory()[1] <= MOST_BYTES
    finally:
        tracemalloc.stop()


def test_a_set_of_one_value_over_and_over():
    """The attack: a set counted as one part however long it was, so that 16 kB took 15 seconds."""
    text = SHAPES["one_set_of_the_same"](16_000)
    count, said = calls(text)
    assert "line 'L0': this value is in the set already; write each value once (at character 23 of" in said
    assert count < 200_000
    long = "result in {win, push} or total in {" + ", ".join(str(n) for n in range(40, 400)) + "}"
    sheet = slow_sheets.lines(
        [long.replace("40", str(n)) for n in range(1, 9)], 16_000, slow_sheets.SUM, slow_sheets.head()
    )
    count, said = calls(sheet)
    assert said == "good" and count < 3_000_000  # members are looked up, not gone through


def test_what_is_good_has_room():
    """Everything that comes with Feltlab is far below what is allowed."""
    for name in [*builtin_names(), *map(str, EXAMPLES)]:
        assert steps(load(name)) < budget.MOST_STEPS / 10


def steps(sheet):
    counted = budget.WorkBudget()
    for one in (*sheet.base.wager, *sheet.file.wager):
        for _ in lint.variants(sheet, one, counted):
            pass
    return counted.done


def test_a_house_with_many_bets_has_room():
    """Forty wagers of ten lines each, one with fifty paytables, on options and a rule: more than any published sheet."""
    of_three = [
        "suited(first, second, up) and trips(first, second, up)", "straight(first, second, up) and suited(first, second, up)",
        "trips(first, second, up)", "straight(first, second, up)", "suited(first, second, up)", "rank(up) == ace",
        "rank(up) == king", "rank(up) == queen", "rank(up) == jack", "option == open and rank(up) in {9, 10}",
    ]  # fmt: skip
    of_two = [f"pair(first, second) and rank(first) == {rank} and suited(first, second)" for rank in range(2, 10)]
    of_two += ["rule.tens and points(first) + points(second) == 20", "option == strict and pair(first, second)"]
    of_all = [f"dealer.bust and dealer.cards == {n}" for n in range(3, 11)] + ["total == 20 and result == lose", "soft"]
    sets = [(of_three, 'settled = "deal"'), (of_two, 'settled = "deal"'), (of_all, 'needs = "dealer-finished"')]
    wagers = "".join(
        f'\n[[wager]]\nid = "w{n}"\nname = "W"\n{sets[n % 3][1]}\n'
        + "".join(slow_sheets.LINE.format(n=place, when=when) for place, when in enumerate(sets[n % 3][0]))
        for n in range(39)
    )
    tables = "".join(f'[[wager.paytable]]\nid = "p{n}"\npays = {{ top = "{n + 1}:1" }}\n' for n in range(50))
    last = '\n[[wager]]\nid = "last"\nname = "L"\nsettled = "deal"\n[[wager.line]]\nname = "Top"\nwhen = "pair(first, up)"\n'
    choices = "".join(f'\n[[option]]\nid = "{id}"\nsentence = "O."\n' for id in ("open", "strict"))
    rule = '\n[[rule]]\nkey = "tens"\nvalues = ["yes", "no"]\ndefault = "no"\nsentence = "?"\n'
    sheet = load_text(slow_sheets.head() + choices + rule + wagers + last + tables, "many.toml")
    assert len(sheet.file.wager) == 40 and steps(sheet) < budget.MOST_STEPS / 2
    assert len(set_up(sheet).wagers) == 42


def test_a_sheet_is_checked_once():
    text = (ROOT / "docs" / "examples" / "21-plus-3.toml").read_text()
    first, second = load_text(text, "x.toml"), load_text(text, "x.toml")
    assert first is second
    wrong = text.replace("flush(", "flesh(")
    said = [refused(wrong) for _ in range(3)]
    assert len(set(said)) == 1 and "unknown question 'flesh(...)'; did you mean 'flush'?" in said[0]
    kept = loader._cached.cache_info()
    assert (kept.hits, kept.misses) == (3, 2)
    for number in range(loader.MOST_CACHED + 5):
        load_text(f"{text}\n# {number}", "x.toml")
    assert loader._cached.cache_info().currsize == loader.MOST_CACHED
    before = loader._cached.cache_info()
    load_text(f"{text}\n#" + "x\n#" * loader.LONGEST_CACHED, "x.toml")  # too long to be kept
    assert loader._cached.cache_info() == before


def test_partitions_are_kept_up_to_a_number_of_cells():
    kept = wager._PartitionCache()
    for number in range(200):
        kept.put(number, Partition((), (), ((),), array("I", bytes(4 * 90_000))))
    left = [number for number in range(200) if kept.get(number) is not None]
    assert sum(len(kept.get(number).group_of) for number in left) <= wager.MOST_CACHED_CELLS
    assert left == list(range(200 - len(left), 200))  # the last ones
    small = wager._PartitionCache()
    for number in range(wager.MOST_PARTITIONS + 100):
        small.put(number, Partition((), (), ((),), array("I", [0])))
    assert sum(small.get(number) is not None for number in range(700)) == wager.MOST_PARTITIONS


def test_what_is_kept_does_not_change_what_is_counted():
    """A sheet is good or too long wherever it is read, after whatever else was read there."""
    text = SHAPES["wide_lines"](LARGEST)
    said = checked(text)
    loader._cached.cache_clear()
    assert "the sheet takes too long to check" in said and checked(text) == said


def test_a_key_of_many_parts():
    deep = ".".join("a" * (MOST_KEY_PARTS + 1))
    for line in (
        deep,
        f"[{deep}]",
        f"[[{deep}]]",
        f"x = {{ {deep} = 1 }}",
        deep.replace(".", " .\t"),
        deep.replace("a", '"a"'),
    ):
        with pytest.raises(SheetError, match="line 2, a dotted key has more than 20 parts"):
            parse_toml(f"x = 1\n{line}", "x.toml")
    assert parse_toml(deep[2:] + " = 1\n", "x.toml")  # twenty
    told = (
        'x = "One. Two. Three... '
        + "and so on. " * 100
        + "............................"
        + '"\n# ........................\n'
    )
    assert parse_toml(told, "x.toml")


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029", "\x1c", "\x0b"])
def test_a_key_that_only_looks_like_several_lines(mark):
    """The attack: what Python takes for the end of a line, and TOML does not, stood in quoted keys."""
    parts = [f'"{mark}"' if n % 19 == 18 else "a" for n in range(2000)]
    with pytest.raises(SheetError, match="line 2, a dotted key has more than 20 parts|line 2 is longer than"):
        parse_toml(f"x = 1\n{'.'.join(parts)} = 1\n", "x.toml")
    with pytest.raises(SheetError, match="line 2, a dotted key has more than 20 parts"):
        parse_toml(f"x = 1\n[{'.'.join(parts[:50])}]\n", "x.toml")


def test_the_largest_file_takes_memory_by_its_length_alone():
    """The most parts that a megabyte can have, in headers and in keys: twice as much takes twice as much."""
    taken = []
    for size in (LARGEST_FILE // 8, LARGEST_FILE // 4):
        lines = (f"[b.b{n}{'.a' * (MOST_KEY_PARTS - 2)}]\n" for n in range(size))
        text = slow_sheets.filled(lines, size)
        tracemalloc.start()
        try:
            parse_toml(text, "x.toml")
            taken.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert taken[1] < 2.5 * taken[0] and taken[1] < LARGEST_FILE // 4 * 600


def test_numbers_that_have_no_text():
    """Thousands of digits are neither shown nor blamed on the interpreter."""
    for number, says in (
        ("9" * 4900, "a number in it is too long; a sheet needs none above 8"),
        ("0x" + "f" * 4900, "'decks' are 1 to 8, not a number that large"),
        ("-" + "9" * 4000, "'decks' are 1 to 8, not a number that large"),
        ("9", "'decks' are 1 to 8, not 9"),
        ("2026-02-30", "Invalid date"),
    ):
        assert says in refused(slow_sheets.head() + f"decks = [{number}]\n")


def test_hints_are_short_and_quick():
    names = [slow_sheets.varied(n, 2000) for n in range(30)]
    assert nearest(slow_sheets.varied("x", 2000), names) == "none is similar"
    assert nearest("zzz", [f"a{n:03}" for n in range(100)]).endswith(f"a{MOST_NAMES - 1:03} and 60 more")
    profile = cProfile.Profile()
    profile.runcall(nearest, slow_sheets.varied("x", 2000), names)
    assert sum(entry.callcount for entry in profile.getstats()) < 500


def test_rounds_of_any_sheet_are_few():
    """What conformance deals does not grow with what a sheet lists."""
    sheet = load_text(SHAPES["many_paytables"](LARGEST), "x.toml")
    report = conformance.check_sheet(sheet, rounds=1)
    assert len(sheet.file.wager[0].paytable) > 1000
    assert report.tables <= 8 + 2 * conformance.MOST_TABLES


def test_wagers_that_take_too_many_deals_are_not_judged(monkeypatch):
    """What is read is bounded for a sheet, what looks at less comes first, and what was not judged is named."""
    few = slow_sheets.WAGER.format(n="-few") + slow_sheets.LINE.format(n="F", when="dealer.bust")
    look = "suited(first, second, up) and identical(first, {card}) and rank(hole) == {rank}"
    text = slow_sheets.lines(
        [look.format(card=card, rank=n + 2) for n in range(8) for card in ("second", "up", "hole")], LARGEST,
        '\n[[wager]]\nid = "w{n}"\nname = "W"\nneeds = "dealer-two-cards"\n', slow_sheets.head(), each=1,
    )  # fmt: skip
    sheet = load_text(text + few, "x.toml")
    monkeypatch.setattr(reachable, "MOST_READ", 300_000)
    read, tried = {}, []
    spend, possible = reachable.Budget.spend, reachable._possible

    def spent(budget, pieces):
        spend(budget, pieces)
        read[tried[-1]] = read.get(tried[-1], 0) + pieces

    def looked_at(game, made, *given):
        tried.append(made.id)
        return possible(game, made, *given)

    monkeypatch.setattr(reachable.Budget, "spend", spent)
    monkeypatch.setattr(reachable, "_possible", looked_at)
    not_judged = reachable.check_reachable(sheet)
    judged = {wager.id for wager in sheet.file.wager} - {*not_judged}
    assert len(judged) > 1 and not_judged, "too little to need a bound"
    assert tried[0] == "w-few" and "w-few" in judged
    assert sum(read.values()) <= 300_000
    assert judged <= {*tried} and set(not_judged) <= {wager.id for wager in sheet.file.wager}


@pytest.mark.parametrize(
    ("needs", "lines"),
    [
        ("dealer-two-cards", ["same_color(first, {a}) and not (pair(first, second) and {all})", "{all} and same_color(up, {a})"]),
        ("dealer-finished", ["dealer.bust and dealer.cards == 9 and suit(up) == spades and rank(hole) == {rank}"]),
        ("dealer-finished", ["total == 21 and cards == 9 and suit(first) == hearts and suit(up) == spades and suited(second, {a})"]),
    ],
)  # fmt: skip
def test_lines_that_cards_hardly_make(needs, lines):
    """The attack: 4 kB of wagers that look at many cards took a minute, for all their questions were charged alike."""
    pairs = [f"{one}, {other}" for one, other in combinations(("first", "second", "up", "hole"), 2)]
    every = " and ".join(f"{ask}({pair})" for ask in ("same_color", "pair", "suited") for pair in pairs[:4])
    some = ["up", "first"] if needs == "dealer-finished" else ["second", "up", "hole"]
    written = [
        line.format(all=every, a=card, rank=n + 2).replace("suited(second, first)", "suited(second, up)")
        for n in range(7)
        for card in some
        for line in lines
    ]
    wager_ = f'\n[[wager]]\nid = "w{{n}}"\nname = "W"\nneeds = "{needs}"\n'
    must_be_cheap(slow_sheets.lines(written[:40], LARGEST, wager_, slow_sheets.head(), each=1))


BOUNDS = {
    "characters of a condition": language.LONGEST,
    "parts of a condition, with definitions expanded": conditions.MOST_PARTS,
    "brackets and `not`s in each other": language.DEEPEST,
    "terms of a sum": language.MOST_TERMS,
    "cases that a wager's lines distinguish": cells.MOST_CELLS,
    "combinations of lines that a `sum` pays together": cells.MOST_GROUPS,
    "wagers of a sheet": lint.MOST_WAGERS,
    "lines of a wager": lint.MOST_LINES,
    "moments of one kind": wager.MOST_CLAUSES,
    "combinations of rules and options that a wager depends on": lint.MOST_VARIANTS,
    "parts of the conditions of all lines": lint.MOST_LINE_PARTS,
    "parts of the conditions of all moments": lint.MOST_TIMED_PARTS,
    "steps of checking a sheet": budget.MOST_STEPS,
    "values read to find lines that no cards can make": reachable.MOST_READ,
    "characters of a text": LONGEST_TEXT,
    "characters of a line of the file": LONGEST_LINE,
    "parts of a dotted key": MOST_KEY_PARTS,
    "bytes of a file": LARGEST_FILE,
}


def test_the_bounds_are_as_documented():
    page = (ROOT / "docs" / "side-bets.md").read_text()
    table = page.partition("## How large a sheet may be")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([^|]+) \| ([\d,]+) \| [^|]+ \|$", table, re.MULTILINE))
    assert rows == {what: f"{number:,}" for what, number in BOUNDS.items()}
