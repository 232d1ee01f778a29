"""Rounds written by hand from the sheets, each played at a real table; and every printed line is reached by one."""

from collections import Counter
from pathlib import Path

import pytest

from feltlab.cards import name
from feltlab.money import parse_pay
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.conformance import check_round
from feltlab.rounds.events import CardDealt, DealerEnded
from feltlab.sheets import builtin_names, load
from feltlab.sheets.loader import base
from support.paths import ROOT, TESTS
from support.playthrough import FILES, Playthrough, ratio, settled, sheet_name, table_rows

PLAYTHROUGHS = [Playthrough.read(path) for path in FILES]


def printed(sheet: str) -> dict[tuple[str, str, str, str], str]:
    """A sheet's paytables as transcribed by hand: (wager, paytable, decks, line) to pay."""
    rows = table_rows((TESTS / "printed" / f"{sheet}.txt").read_text())
    return {(row["wager"], row["paytable"], row["decks"], row["line"]): row["pays"] for row in rows}


EXAMPLES = [f"docs/examples/{path.name}" for path in sorted((ROOT / "docs" / "examples").glob("*.toml"))]
SHEETS = [*builtin_names(), *EXAMPLES]

PRINTED = {path.stem: printed(path.stem) for path in (TESTS / "printed").glob("*.txt")}


@pytest.mark.parametrize("told", PLAYTHROUGHS, ids=lambda told: told.name)
def test_playthrough(told):
    for decks, paytables in told.runs():
        round_, source = told.play(decks, paytables)
        assert round_.over, f"waits for {round_.waits_for}"
        assert source.dealt == len(source.order), "cards are left over"
        check_cards(told, round_)
        check_result(told, round_)
        check_payments(told, round_, told.expected(decks, paytables))
        check_round(round_)
        assert max(Counter(source.order).values()) <= decks


def check_cards(told, round_):
    """Each card goes where the file says."""
    dealt = [event for event in round_.log if isinstance(event, CardDealt)]
    to = [
        f"spot {event.spot} {name(event.card)}" if event.to == "spot" else f"{event.to} {name(event.card)}"
        for event in dealt
    ]
    assert to == told.items("Cards")


def check_result(told, round_):
    for item in told.items("Result"):
        who, _, totals = item.partition(" has ")
        wanted = [int(total) for total in totals.split(" and ")]
        if who.startswith("spot"):
            assert [hand.total for hand in round_.hands.spots[int(who[5:])].hands] == wanted
        elif isinstance(round_, BlackjackRound):
            assert [event.total for event in round_.log if isinstance(event, DealerEnded)] == wanted
        else:
            assert [round_.coup.points(who)] == wanted


def check_payments(told, round_, expected):
    actual = settled(round_)
    assert set(actual) == set(expected)
    for wager, rows in expected.items():
        said = [
            (tuple(row.line.split("+")) if row.line != "-" else (), ratio(row.pays), row.stake, row.back)
            for row in rows
        ]
        done = [(event.lines, parse_pay(event.pays), event.stake, event.back) for event in actual[wager]]
        assert done == said, wager


@pytest.mark.parametrize("told", PLAYTHROUGHS, ids=lambda told: told.name)
def test_payment_follows_from_the_printed_paytable(told):
    """Pay times stake again, from the transcription alone: no part of the engine is asked."""
    sheet = Path(told.fields["Sheet"]).stem
    tables = PRINTED[sheet] | PRINTED["base-blackjack"] | PRINTED["base-baccarat"]
    for row in told.rows:
        if row.line == "-":
            assert (row.pays, row.back) == ("lose", 0)
            continue
        pay = sum(ratio(printed_pay(tables, row, line, told.rules)) for line in row.line.split("+"))
        assert ratio(row.pays) == pay
        kept, moving = (row.stake, row.stake * pay) if pay >= 0 else (0, row.stake * (1 + pay))
        assert row.back == (0 if row.pays == "lose" else kept + int(moving))


def printed_pay(tables, row, line, rules):
    """What the transcription says of a line; two pays are set by a house rule instead."""
    if (row.wager, line) == ("main", "natural"):
        return rules.get("natural", "3:2").replace(":", " to ")
    if (row.wager, line) == ("tie", "tie"):
        return f"{rules.get('tie', '8')} to 1"
    keys = [(row.wager, paytable, decks, line) for paytable in (row.paytable, "-") for decks in (row.decks, "all")]
    return next(tables[key] for key in keys if key in tables)


def reached() -> set[tuple[str, str, str, int, str]]:
    found = set()
    for told in PLAYTHROUGHS:
        for decks, paytables in told.runs():
            for wager, rows in told.expected(decks, paytables).items():
                for row in rows:
                    for line in row.line.split("+"):
                        found.add((told.fields["Sheet"], wager, paytables.get(wager, "-"), decks, line))
    return found


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_printed_line_is_reached(sheet):
    """Each line of each paytable for each deck count it is printed for."""
    done = reached()
    for wager in load(sheet_name(sheet)).file.wager:
        if wager.audit_only:
            continue
        for paytable in wager.paytables():
            for decks in paytable.decks or load(sheet_name(sheet)).decks:
                for line in paytable.pays:
                    id = paytable.id if wager.paytable else "-"
                    assert (sheet, wager.id, id, decks, line) in done


@pytest.mark.parametrize("game", ["blackjack", "baccarat"])
def test_every_base_line_is_reached(game):
    lines = {(wager, line) for _, wager, _, _, line in reached()}
    assert {(wager.id, line.key) for wager in base(game).wager for line in wager.line} <= lines


@pytest.mark.parametrize("sheet", SHEETS)
def test_sheet_says_what_is_printed(sheet):
    """The TOML file and the hand-made transcription agree, pay for pay, with nothing missing on either side."""
    found = {}
    for wager in load(sheet_name(sheet)).file.wager:
        for paytable in wager.paytables() if not wager.audit_only else []:
            for decks in paytable.decks or ["all"]:
                for line, pays in paytable.pays.items():
                    key = (wager.id, paytable.id if wager.paytable else "-", str(decks), line)
                    found[key] = parse_pay(pays)
    assert found == {key: ratio(pays) for key, pays in PRINTED[Path(sheet).stem].items()}
