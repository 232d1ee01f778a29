"""Sheets that are meant to be slow to check: shapes that fill 64 kB with one expensive thing, and mixtures at random.

`python tests/support/slow_sheets.py SECONDS` looks for slow ones for so long and says what the slowest were.
"""

from __future__ import annotations

import random
import re
import sys
import time

from support.paths import ROOT

LARGEST = 65_536
HEAD = 'id = "slow"\nname = "Slow"\ngame = "{game}"\n'
DEFINE = "\n[define]\n"
WAGER = '\n[[wager]]\nid = "w{n}"\nname = "W"\nneeds = "dealer-finished"\n'
SUM = WAGER + 'settle = "sum"\n'  # lines that do not leave each other out
BACCARAT_WAGER = '\n[[wager]]\nid = "w{n}"\nname = "W"\n'
LINE = '[[wager.line]]\nname = "L{n}"\nwhen = "{when}"\npays = "1:1"\n'
WIDE = "total == {t} and dealer.total != 1 and dealer.cards > 1"  # 27 x 27 x 14 x ... cells
SHAPES = {}


def shape(function):
    """A text of at most this many characters, by name."""
    SHAPES[function.__name__] = function
    return function


def filled(parts, size, before=""):
    """As many parts as fit."""
    text = [before]
    left = size - len(before)
    for part in parts:
        left -= len(part)
        if left < 0:
            break
        text.append(part)
    return "".join(text)


def head(game="blackjack"):
    return HEAD.format(game=game)


def counting(template, **more):
    n = 0
    while True:
        yield template.format(n=n, t=n % 27 + 4, **more)
        n += 1


def lines(whens, size, wager=WAGER, before="", each=40):
    """Wagers of forty lines with these conditions, one after another."""

    def parts():
        for n, when in enumerate(whens):
            yield (wager.replace("{n}", str(n // each)) if n % each == 0 else "") + LINE.format(n=n, when=when)

    return filled(parts(), size, before)


def forever(*texts):
    while True:
        yield from texts


@shape
def one_set_of_the_same(size):
    return lines(forever("result in {win, " + ", ".join(["push"] * 300) + "}"), size, wager=SUM, before=head())


@shape
def sets_in_many_cells(size):
    members = ", ".join(str(number) for number in range(40, 300))
    when = f"total in {{{members}}} or dealer.total in {{1, 2}} or cards in {{{members[:300].rpartition(',')[0]}}} or result == win"
    return lines(forever(when), size, wager=SUM, before=head())


@shape
def sets_of_facts(size):
    members = ", ".join(["dealer.total", "dealer.cards"] * 50)
    return lines(forever(f"total in {{{members}}} and cards == 40"), size, wager=SUM, before=head())


@shape
def wide_lines(size):
    return lines((WIDE.format(t=n % 27 + 4) for n in range(10**6)), size, wager=SUM, before=head())


@shape
def most_cells(size):
    when = "rank(first) == {t} and rank(second) == {t} and rank(up) == {t} and soft and bust and doubled and split and natural"
    return lines((when.format(t=n % 9 + 2) for n in range(10**6)), size, wager=SUM, before=head())


@shape
def sums_of_all(size):
    sums = " + ".join(["cards"] * 10 + ["dealer.cards"] * 10)
    return lines(forever(f"{sums} == 99 and total == 9 and result == push"), size, wager=SUM, before=head())


@shape
def paid_together(size):
    facts = (
        [f"total == {n + 4}" for n in range(13)]
        + [f"dealer.total > {n}" for n in range(13)]
        + [f"cards > {n}" for n in range(14)]
    )
    return lines(facts, size, wager=SUM, before=head())


@shape
def paid_together_in_thousands_of_ways(size):
    facts = "soft bust natural doubled split stood surrendered even_money dealer.bust dealer.natural".split()  # noqa: SIM905
    facts += [f"pair({cards})" for cards in ("first, second", "first, up", "second, up", "first, hole", "up, hole")]
    return lines(facts, size, wager=SUM, before=head())


@shape
def definitions_that_double(size):
    text = head() + DEFINE + 'd0 = "soft"\n' + "".join(f'd{n + 1} = "d{n} or d{n}"\n' for n in range(60))
    return text + WAGER.format(n=0) + LINE.format(n=0, when="d60")


@shape
def definitions_that_do_not_quite_double_enough(size):
    text = head() + DEFINE + 'd0 = "soft"\n' + "".join(f'd{n + 1} = "d{n} or d{n}"\n' for n in range(6))
    return filled(counting('e{n} = "d6"\n'), size, text)


@shape
def many_long_definitions(size):
    long = " or ".join(["soft"] * 200)
    return filled(counting('e{n} = "d"\n'), size, head() + DEFINE + f'd = "{long}"\n')


@shape
def brackets_in_definitions(size):
    deep = "(" * 38 + "soft" + ")" * 38
    return lines(forever(" or ".join(["d"] * 240)), size, wager=SUM, before=head() + DEFINE + f'd = "{deep}"\n')


@shape
def a_chain_of_definitions(size):
    text = head() + DEFINE + 'd0 = "soft"\n' + "".join(f'd{n + 1} = "d{n}"\n' for n in range(25))
    return lines(forever(" or ".join(["d25"] * 8)), size, wager=SUM, before=text)


@shape
def short_lines_with_long_meaning(size):
    long = " or ".join(["soft"] * 240)
    return lines(forever("d"), size, wager=SUM, before=head() + DEFINE + f'd = "{long}"\n')


@shape
def deep_brackets(size):
    return lines(forever("(" * 39 + "soft" + ")" * 39), size, wager=SUM, before=head())


@shape
def too_deep_brackets(size):
    return head() + WAGER.format(n=0) + LINE.format(n=0, when="(" * 1990)


@shape
def nots(size):
    return lines(forever("not " * 38 + "soft"), size, wager=SUM, before=head())


@shape
def spaces(size):
    return lines(forever("soft" + " " * 1990), size, wager=SUM, before=head())


def ruled(rules, values, size, when, before=""):
    text = head() + before
    for n in range(rules):
        names = ", ".join(f'"v{value}"' for value in range(values))
        text += f'[[rule]]\nkey = "r{n}"\nvalues = [{names}]\ndefault = "v0"\nsentence = "?"\n'
    return lines(forever(when), size, wager=SUM, before=text)


@shape
def rules_multiplied(size):
    used = " or ".join(f"rule.r{n} == v1" for n in range(9))
    return ruled(9, 2, size, f"({used}) and total == 9")


@shape
def rules_multiplied_too_often(size):
    used = " or ".join(f"rule.r{n} == v1" for n in range(30))
    return ruled(30, 2, size, f"({used}) and total == 9")


@shape
def rules_multiplied_in_wide_lines(size):
    used = " or ".join(f"rule.r{n} == v1" for n in range(3))
    return ruled(3, 8, size, f"({used}) and total == 9 and dealer.total == 9 and dealer.cards == 4")


@shape
def rules_of_many_values(size):
    values = (size - 2000) // 9
    return ruled(1, values, size, "rule.r0 == v1 or soft")


@shape
def many_rules(size):
    rules = filled(
        counting('[[rule]]\nkey = "r{n}"\nvalues = ["a", "b"]\ndefault = "a"\nsentence = "?"\n'), size - 500, head()
    )
    return lines(["soft"], size, before=rules)


@shape
def many_options(size):
    used = filled(counting('[[option]]\nid = "o{n}"\nsentence = "O"\n'), size // 2, head())
    return lines(forever("option == o1 or soft"), size, before=used)


@shape
def five_hundred_options(size):
    used = filled(counting('[[option]]\nid = "o{n}"\nsentence = "O"\n'), 500 * 36, head())
    return lines(forever("option == o1 and total == 9 or cards == 9"), size, wager=SUM, before=used)


@shape
def many_paytables(size):
    text = lines(["soft"], size, before=head()).replace('pays = "1:1"\n', "")
    return filled(counting('[[wager.paytable]]\nid = "p{n}"\npays = {{ l0 = "1:1" }}\n'), size, text)


@shape
def many_paytables_of_sums(size):
    whens = ["total == 9 and cards == 9 and paytable == p1", *(f"cards == {n}" for n in range(2, 21))]
    text = lines(whens, size, before=head()).replace('pays = "1:1"\n', "").replace("needs", 'settle = "sum"\nneeds')
    pays = ", ".join(f'l{n} = "1:1"' for n in range(20))
    return filled(counting('[[wager.paytable]]\nid = "p{n}"\npays = {{ ' + pays + " }}\n"), size, text)


@shape
def paytables_and_rules(size):
    used = " or ".join(f"rule.r{n} == v1" for n in range(6))
    text = ruled(6, 2, 3000, f"{used} or total == 9")
    text = text.replace('pays = "1:1"\n', "")
    names = re.findall(r'name = "(L\d+)"', text)
    pays = ", ".join(f'{name.lower()} = "1:1"' for name in names)
    tables = counting('[[wager.paytable]]\nid = "p{n}"\npays = {{ ' + pays + " }}\n")
    return filled(tables, size, text)


@shape
def many_wagers(size):
    return lines(forever("total == 9"), size, before=head(), each=1)


@shape
def many_lines(size):
    return lines(forever("total == 9"), size, before=head(), each=10**6)


@shape
def many_clauses(size):
    text = lines(["soft"], size, before=head() + DEFINE + f'd = "{" or ".join(["soft"] * 240)}"\n')
    take = ", ".join(['{ at = "action", when = "d" }'] * ((size - len(text) - 100) // 31))
    return text.replace("needs", f"take = [{take.replace(', {', ',' + chr(10) + '{')}]\nneeds")


@shape
def clauses_of_many_wagers(size):
    text = head() + DEFINE + f'd = "{" or ".join(["soft"] * 200)}"\n'
    take = ",\n".join(['{ at = "action", when = "d" }'] * 20)
    return lines(forever("soft"), size, wager=WAGER + f"take = [{take}]\n", before=text, each=1)


@shape
def the_same_decks(size):
    return (
        HEAD.format(game="blackjack")
        + "decks = ["
        + "6,\n" * ((size - 500) // 3)
        + "]\n"
        + WAGER.format(n=0)
        + LINE.format(n=0, when="soft")
    )


@shape
def many_exclusions(size):
    return (
        head()
        + WAGER.format(n=0)
        + "excludes = ["
        + '"w0",\n' * ((size - 500) // 6)
        + "]\n"
        + LINE.format(n=0, when="soft")
    )


@shape
def unknown_paytable_keys(size):
    text = lines(["soft"], size, before=head()).replace('pays = "1:1"\n', "")
    return text + '[[wager.paytable]]\nid = "p"\npays = { ' + f'"{"a" * 4900}" = "1:1"' + " }\n"


def varied(n, length):
    """A long word in which no letter is frequent."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" * (length // 60 + 1)
    return f"d{n}_" + letters[:length]


@shape
def long_names_alike(size):
    parts = (f'{varied(n, 1800)} = "soft"\n' for n in range(10**6))
    text = filled(parts, size - 3000, head() + DEFINE)
    return text + WAGER.format(n=0) + LINE.format(n=0, when=varied("x", 1800))


@shape
def many_names_alike(size):
    parts = (f'{varied(n, 40)} = "soft"\n' for n in range(10**6))
    text = filled(parts, size - 1000, head() + DEFINE)
    return text + WAGER.format(n=0) + LINE.format(n=0, when=varied("x", 40))


@shape
def an_unknown_key_that_is_long(size):
    return head() + varied("x", 4900) + " = 1\n"


@shape
def many_unknown_wagers(size):
    text = lines(["soft"], size, before=head())
    claim = '[[claim]]\nwager = "w0"\nfigure = "house-edge"\nsource = "s"\nvalues = {{ standard = "1%" }}\n'
    return filled(counting(claim), size, text)


@shape
def many_sources(size):
    text = filled(counting('[[source]]\nid = "s{n}"\ntitle = "T"\n'), size // 2, lines(["soft"], size, before=head()))
    claim = '[[claim]]\nwager = "w0"\nfigure = "house-edge"\nsource = "s{n}"\nvalues = {{ standard = "1%" }}\n'
    return filled((claim.format(n=n % 500) for n in range(10**6)), size, text)


@shape
def dotted_keys(size):
    return filled(counting("a{n}" + ".a" * 2450 + " = 1\n"), size, head())


@shape
def quoted_dotted_keys(size):
    return filled(counting('"a{n}"' + '."a"' * 1200 + " = 1\n"), size, head())


@shape
def a_dotted_header_with_many_keys(size):
    return filled(counting("k{n} = 1\n"), size, head() + "[a" + ".a" * 2400 + "]\n")


@shape
def dotted_keys_in_inline_tables(size):
    return filled(counting("x{n} = {{ a" + ".a" * 2400 + " = 1 }}\n"), size, head())


@shape
def dotted_headers(size):
    return filled(counting("[[a{n}" + ".a" * 2400 + "]]\n"), size, head())


@shape
def keys_with_spaced_dots(size):
    return filled(counting("a{n}" + " . a" * 1200 + " = 1\n"), size, head())


@shape
def a_key_hidden_by_a_string(size):
    return filled(counting('x{n} = {{ s = """\n\'""", a' + ".a" * 2400 + " = 'x' }}\n"), size, head())


@shape
def words_without_dots(size):
    return filled(forever("a" * 4990 + "\n"), size, head())


@shape
def nested_arrays(size):
    return filled(counting("x{n} = " + "[" * 400 + "]" * 400 + "\n"), size, head())


@shape
def nested_arrays_too_deep(size):
    return filled(counting("x{n} = " + "[" * 2490 + "]" * 2490 + "\n"), size, head())


@shape
def nested_inline_tables(size):
    return filled(counting("x{n} = " + "{{a=" * 200 + "1" + "}}" * 200 + "\n"), size, head())


@shape
def many_tables(size):
    return filled(counting("[t{n}]\n"), size, head())


@shape
def many_lines_of_nothing(size):
    return head() + "\n" * (size - 100)


@shape
def many_escapes(size):
    return head() + 'summary = """' + "\\u0041" * ((size - 200) // 6) + '"""\n'


@shape
def huge_numbers(size):
    return filled(counting("decks{n} = " + "9" * 4900 + "\n"), size, head())


@shape
def huge_hexadecimal_numbers(size):
    return head() + "decks = [0x" + "f" * 4900 + "]\n"


@shape
def huge_floats(size):
    return head() + "decks = [1e999999999]\n"


@shape
def huge_pays(size):
    return lines(["soft"], size, before=head()).replace("1:1", "9" * 1900 + ":1")


@shape
def huge_pays_in_paytables(size):
    text = lines(["soft"], size, before=head()).replace('pays = "1:1"\n', "")
    return text + '[[wager.paytable]]\nid = "p"\npays = { l0 = """' + "9 \n" * ((size - 800) // 3) + '""" }\n'


@shape
def coprime_pays(size):
    text = lines((f"total != {n + 40}" for n in range(40)), size, before=head()).replace(
        "needs", 'settle = "sum"\nneeds'
    )
    place = iter(range(9_999_000, 10**7))
    return re.sub("1:1", lambda _: f"1:{next(place)}", text)


@shape
def a_range_of_everything(size):
    return lines(forever("total in 1..999999 and cards in 0..999999"), size, wager=SUM, before=head())


@shape
def a_long_error(size):
    return lines([f"{'x' * 1900} == 1"], size, before=head()).replace("L0", "n" * 1990)


@shape
def baccarat_cells(size):
    when = "player.total == 9 and banker.total == 8 and player.cards == 2 and banker.cards == 3 and margin == 1 and winner.cards == 2"
    return lines(forever(when), size, wager=BACCARAT_WAGER + 'settle = "sum"\n', before=head("baccarat"))


@shape
def shadowed_lines(size):
    used = " or ".join(f"rule.r{n} == v1" for n in range(5))
    text = ruled(5, 2, size // 2, f"({used}) or total == 9 and dealer.total == 9")
    return lines(["always", *["total == 9 and dealer.total == 9"] * 30], size, before=text.partition("[[wager]]")[0])


@shape
def errors_quoted(size):
    return head() + filled(counting('[[wager]]\nid = "w{n}"\nname = "W"\n'), size - 100) + "line = 3\n"


@shape
def headers_alike(size):
    return filled(
        counting('[[wager]]\nid = "w{n}"\nname = "W"\n[[wager.line]]\nname = "L"\nwhen = "soft"\npays = "1:1"\nx=1\n'),
        size,
        head(),
    )


# ---- mixtures

BASES = [
    path.read_text()
    for path in sorted(
        [*(ROOT / "src/feltlab/sheets/builtin").glob("*.toml"), *(ROOT / "docs/examples").glob("*.toml")]
    )
]


def mixed(seed, size=LARGEST):
    """A sheet made of another: entries repeated, conditions nested, doubled, widened and named, until it is so long."""
    chance = random.Random(seed)
    text = (
        chance.choice(BASES)
        if chance.random() < 0.7
        else SHAPES[chance.choice(list(SHAPES))](chance.randrange(1000, size))
    )
    for _ in range(chance.randrange(1, 40)):
        if len(text) >= size:
            break
        text = chance.choice(CHANGES)(text, chance)
    cut = text.rfind("\n[[", 0, size) if len(text) > size and chance.random() < 0.9 else size
    return text[: cut if cut > 0 else size]


def _entries(text):
    return [match.start() for match in re.finditer(r"^\[\[", text, re.MULTILINE)] + [len(text)]


def _repeat(text, chance):
    places = _entries(text)
    if len(places) < 2:
        return text
    first = chance.randrange(len(places) - 1)
    last = min(len(places) - 1, first + chance.choice([1, 1, 2, 5]))
    part, many = text[places[first] : places[last]], chance.choice([2, 8, 40, 400])
    renamed = [
        re.sub(r'^(id|name|key) = "([^"]*)"', rf'\1 = "\g<2>{n}"', part, flags=re.MULTILINE)
        for n in range(min(many, LARGEST // (len(part) + 1)))
    ]
    return text[: places[last]] + "".join(renamed) + text[places[last] :]


def _on_condition(change):
    def changed(text, chance):
        found = list(re.finditer(r'when = "([^"]*)"', text))
        if not found:
            return text
        if chance.random() < 0.5:
            one = chance.choice(found)
            return text[: one.start(1)] + change(one[1], chance)[:2000] + text[one.end(1) :]
        return re.sub(r'when = "([^"]*)"', lambda one: f'when = "{change(one[1], chance)[:2000]}"', text)

    return changed


FACTS = [
    "total",
    "dealer.total",
    "cards",
    "dealer.cards",
    "hand",
    "rank(first)",
    "rank(up)",
    "suit(first)",
    "points(second)",
    "result",
    "soft",
    "natural",
    "winner.total",
    "loser.total",
    "margin",
    "player.total",
    "banker.total",
]


def _widened(when, chance):
    fact = chance.choice(FACTS)
    value = {"result": "win", "suit(first)": "hearts"}.get(fact, "9")
    return f"({when}) {chance.choice(['and', 'or'])} {fact} {chance.choice(['==', '!='])} {value}"


def _set(when, chance):
    low = chance.randrange(30)
    members = ", ".join(str(n) for n in range(low, low + chance.choice([3, 30, 300])))
    return f"({when}) or {chance.choice(FACTS[:9])} in {{{members}}}"


def _defined(text, chance):
    depth = chance.randrange(1, 12)
    body = "".join(f'q{n + 1} = "q{n} {chance.choice(["or", "and"])} not q{n}"\n' for n in range(depth))
    if "q0 =" not in text:
        text = (
            text.replace(DEFINE, f'{DEFINE}q0 = "soft"\n{body}', 1)
            if DEFINE in text
            else text + f'{DEFINE}q0 = "soft"\n{body}'
        )
    return _on_condition(lambda when, chance: f"({when}) or q{depth}")(text, chance)


def _chosen(text, chance):
    many, values = chance.choice([1, 3, 6, 9]), chance.choice([2, 3, 20])
    if 'key = "z0"' in text or text.find("\n[") < 0:
        return text
    names = ", ".join(f'"v{n}"' for n in range(values))
    rules = "".join(
        f'[[rule]]\nkey = "z{n}"\nvalues = [{names}]\ndefault = "v0"\nsentence = "?"\n' for n in range(many)
    )
    used = " or ".join(f"rule.z{n} == v1" for n in range(many))
    return _on_condition(lambda when, chance: f"({when}) or {used}")(text + "\n" + rules, chance)


def _summed(text, chance):
    return text.replace('settled = "', 'settle = "sum"\nsettled = "').replace('needs = "', 'settle = "sum"\nneeds = "')


def _long_names(text, chance):
    word = varied(chance.randrange(9), chance.choice([50, 500, 1900]))
    return re.sub(r'name = "', f'name = "{word}', text, count=chance.choice([0, 1]))


CHANGES = [
    _repeat, _repeat, _repeat,
    _on_condition(_widened), _on_condition(_widened), _on_condition(_set),
    _on_condition(lambda when, chance: f"({when}) or ({when})"),
    _on_condition(lambda when, chance: "(" * 20 + when + ")" * 20),
    _on_condition(lambda when, chance: "not " * 20 + f"({when})"),
    _defined, _chosen, _summed, _long_names,
]  # fmt: skip


def checked(text):
    """Check a text as the lab and the command do, down to the error sentence and its line."""
    from feltlab.errors import FeltlabError
    from feltlab.exact.reachable import check_reachable
    from feltlab.lab.about import about
    from feltlab.lab.error_lines import line_of
    from feltlab.rounds.conformance import check_sheet
    from feltlab.sheets import load_text

    try:
        sheet = load_text(text, "the sheet")
        about(sheet, text)
        check_reachable(sheet)
        check_sheet(sheet)
    except FeltlabError as error:
        line_of(text, str(error))
        return str(error)
    return "good"


def hunt(seconds):
    """Look for slow ones for so long; say the slowest."""
    slowest, first = [], time.time()
    named = [(name, make(LARGEST)) for name, make in SHAPES.items()]
    seed = int(first)
    while time.time() - first < seconds or named:
        name, text = named.pop(0) if named else (seed, mixed(seed))
        seed += 1
        assert len(text) <= LARGEST, name
        begin = time.process_time()
        said = checked(text)
        slowest.append((time.process_time() - begin, name, len(text), said[:150].replace("\n", " ")))
        slowest = sorted(slowest, key=lambda one: one[0], reverse=True)[:40]
    sys.stdout.write(f"{seed - int(first)} tried\n")
    for took, *rest in slowest:
        sys.stdout.write(f"{took:8.2f} {rest}\n")


if __name__ == "__main__":
    hunt(float(sys.argv[1]))
