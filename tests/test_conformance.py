"""The suite that every sheet must pass, run over all built-in sheets and all examples; and that it can fail."""

from pathlib import Path

import pytest

from feltlab.errors import SheetError
from feltlab.sheets import builtin_names, load, load_text
from feltlab.table.conformance import check_sheet

EXAMPLES = sorted((Path(__file__).parent.parent / "docs" / "examples").glob("*.toml"))


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
