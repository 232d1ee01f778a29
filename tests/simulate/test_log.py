"""The log: what it says is what was counted, whatever was dealt, and its file is whole or not there."""

import sys
from fractions import Fraction
from functools import cache

import duckdb
import numpy as np
import pytest
from pyarrow import compute, parquet

from feltlab.analysis import analyse
from feltlab.errors import FeltlabError
from feltlab.games.blackjack import card_points
from feltlab.hands.graph import CARDS
from feltlab.sheets import load_text
from feltlab.simulate.prepare import DealSettings, PlayerPlans, prepare
from feltlab.simulate.stats.tally import Tally
from feltlab.simulate.trace import dealing, log
from feltlab.simulate.trace.log import Logged
from feltlab.strategy import standard_chart
from feltlab.strategy.plan import plan_of
from feltlab.tables import set_up

SHEETS = ["bad-beat-baccarat", "bad-beat-blackjack", "big-slick-blackjack"]
TABLES = [(sheet, mode, 1) for sheet in SHEETS for mode in ("fresh", "shoe")]
TABLES += [(sheet, mode, 3) for sheet in SHEETS[1:] for mode in ("fresh", "shoe")]


@cache
def prepared(sheet, mode="fresh", spots=1, decks=6, cut=78, batches=4, cards=52):
    """A few batches at a sheet's usual table, from the first cards of the decks, and the table."""
    setup, playing = analyse(sheet, decks=decks).setup, None
    if setup.sheet.game == "blackjack":
        chart = standard_chart(decks, setup.rules)
        playing = PlayerPlans({up: plan_of(chart, up, setup.house) for up in CARDS})
    batch = 500 if mode == "fresh" else 6
    dealing = DealSettings(mode, [decks * (card < cards) for card in range(52)], 7, cut if mode == "shoe" else 0, spots)
    return prepare(setup, dealing, playing, batches * batch - 3, batch), setup


def logged(path, ready, todo=None):
    """What an engine that logs deals, and the log as a table."""
    (work, meaning), setup = ready
    tally = Tally.of(work)
    for part in Logged(path, meaning, setup).deal(work, todo or [(0, work.batches)]):
        tally.add(part)
    return tally, parquet.read_table(path)


def expected(measured, counts):
    """How often each way to end was counted."""
    laid = measured.cells >= 0
    return np.bincount(measured.cells[laid], counts[laid], len(measured.ways)).astype(int).tolist()


@pytest.mark.parametrize(("sheet", "mode", "spots"), TABLES)
def test_sums_of_the_log_are_those_of_the_counts(tmp_path, sheet, mode, spots):
    path = tmp_path / "hands.parquet"
    (work, meaning), _ = ready = prepared(sheet, mode, spots)
    tally, table = logged(path, ready)
    whole = Tally.of(work)
    whole.add(work.part(0, work.batches))
    assert np.array_equal(tally.counts, whole.counts) and np.array_equal(tally.cross, whole.cross)
    for one in meaning.measured:
        id, outcomes, ways = one.wager.id, one.wager.cells.outcomes, expected(one, tally.counts)
        net = sum(
            count * outcomes[way.outcome].pays * way.stake for count, way in zip(ways, one.ways, strict=True)
        )  # fmt: skip
        by_duckdb = duckdb.sql(f"""select sum("{id}_net"), count("{id}_net") from '{path}'""").fetchall()[0]
        assert by_duckdb == (pytest.approx(float(net)), np.count_nonzero(~table[f"{id}_net"].is_null().to_numpy()))
        assert compute.sum(table[f"{id}_net"]).as_py() == pytest.approx(float(net))
        if one.wager.on_hit_cards:
            assert compute.sum(table[f"{id}_bets"]).as_py() == sum(ways) > 0
        else:
            lines = {}
            for count, way in zip(ways, one.ways, strict=True):
                name = " ".join(one.wager.line_ids(outcomes[way.outcome])) or "lost"
                lines[name] = lines.get(name, 0) + count
            found = dict(
                duckdb.sql(f"""select "{id}", count(*) from '{path}' where "{id}" is not null group by 1""").fetchall()
            )
            assert found == {name: count for name, count in lines.items() if count}
    dealt = duckdb.sql(f"select count(distinct ({'shoe, ' if mode == 'shoe' else ''}round)) from '{path}'").fetchall()[
        0
    ]
    assert dealt == (int(meaning.rounds @ tally.counts),)


def test_a_row_tells_a_hand(tmp_path):
    _, table = logged(tmp_path / "hands.parquet", prepared("big-slick-blackjack"))
    rows = table.to_pylist()
    assert rows[0] | {"dealer": "", "decisions": ""} == {
        "round": 1, "spot": 1, "hand": 1, "hands": 1, "cards": rows[0]["cards"], "dealer": "", "decisions": "",
        "stake": 1, "main": "lost", "main_net": -1.0, "insurance": None, "insurance_net": None, "big-slick": "lost",
        "big-slick_net": -1.0, "action-match_bets": 2, "action-match_net": 4.0,
    }  # fmt: skip
    by_round = {}
    for row in rows:
        by_round.setdefault(row["round"], []).append(row)
    assert sorted(by_round) == list(range(1, 1998))
    words = set()
    for hands in by_round.values():
        assert [row["hand"] for row in hands] == list(range(1, hands[0]["hands"] + 1))
        for row in hands:
            cards, decisions = row["cards"].split(), row["decisions"].split()
            words |= set(decisions)
            taken = decisions.count("hit") + decisions.count("double")
            assert len(cards) == 2 + taken and row["stake"] == 1 + ("double" in decisions)
            assert row["action-match_bets"] == decisions.count("hit")
            assert (row["big-slick"] is None) == (row["hand"] > 1)
        if len(hands) > 1:
            first = {points(row["cards"][:2]) for row in hands}
            assert len(first) == 1 and sum(row["decisions"].count("split") for row in hands) == len(hands) - 1
    assert words == {"stand", "hit", "double", "split"}


def points(card):
    """What a card of a text counts."""
    return card_points(4 * "A23456789TJQK".index(card[0]))


def test_a_row_tells_a_coup(tmp_path):
    _, table = logged(tmp_path / "coups.parquet", prepared("bad-beat-baccarat", "shoe"))
    before = (1, 0)
    for row in table.to_pylist():
        assert (row["shoe"], row["round"]) in ((before[0], before[1] + 1), (before[0] + 1, 1))
        before = row["shoe"], row["round"]
        for hand in ("player", "banker"):
            counts = ["A23456789".find(card[0]) + 1 for card in row[f"{hand}_cards"].split()]
            assert 2 <= len(counts) <= 3 and sum(counts) % 10 == row[f"{hand}_total"]
        won = row["player_total"] - row["banker_total"]
        assert row["player_net"] == (won > 0) - (won < 0)


@pytest.mark.parametrize(("mode", "spots", "cut"), [("fresh", 7, 0), ("shoe", 7, 2), ("shoe", 2, 0)])
def test_small_shoes_and_small_traces(tmp_path, monkeypatch, mode, spots, cut):
    """A deck without tens: rounds that cannot be dealt to their end, shoes shuffled in the middle of one."""
    ready = prepared("bad-beat-blackjack", mode, spots, decks=1, cut=cut, batches=3, cards=36)
    monkeypatch.setattr(dealing, "WORDS", 2 * dealing.most_words(spots))
    monkeypatch.setattr(log, "WORDS", 5000)
    monkeypatch.setattr(log, "MOST_WORDS", 9000)
    (work, meaning), _ = ready
    tally, table = logged(tmp_path / "hands.parquet", ready)
    assert np.array_equal(tally.counts, work.part(0, work.batches).counts)
    assert tally.counts[meaning.lost] > 0 or spots < 7
    keys = [table[name].to_pylist() for name in (("shoe", "round") if mode == "shoe" else ("round",))]
    rounds = list(zip(*keys, strict=True))
    assert rounds == sorted(rounds) and len(set(rounds)) == meaning.rounds @ tally.counts
    assert len(rounds) == tally.counts[: work.game.at_cross].sum()


def test_more_that_is_dealt_is_added(tmp_path):
    path, ((work, meaning), setup) = tmp_path / "hands.parquet", prepared("big-slick-blackjack")
    engine = Logged(path, meaning, setup)
    for todo in ([(0, 1)], [(1, 3), (3, 4)]):
        assert [part.first for part in engine.deal(work, todo)] == [batch for one in todo for batch in range(*one)]
    again, table = logged(tmp_path / "again.parquet", prepared("big-slick-blackjack"))
    assert parquet.read_table(path) == table and again.batches == 4
    assert table.schema.metadata[b"feltlab"] == b"big-slick-blackjack"


@pytest.mark.parametrize("where", ["batch_ends", "write", "_group", None])
def test_control_c_keeps_the_batches_that_were_counted(tmp_path, monkeypatch, where):
    """While a batch is dealt, before it is written, while it is, and while somebody else counts it."""
    path, ((work, meaning), setup) = tmp_path / "hands.parquet", prepared("big-slick-blackjack")
    parts = Logged(path, meaning, setup).deal(work, [(0, 4)])
    assert next(parts).batches == next(parts).batches == 1 and not path.exists()
    monkeypatch.setattr(log, "WORDS", 1)
    if where is not None:
        usual, pressed = getattr(log.LogFile, where), []

        def press(*given):
            if pressed:
                return usual(*given)
            pressed.append(where)
            raise KeyboardInterrupt

        monkeypatch.setattr(log.LogFile, where, press)
    with pytest.raises(KeyboardInterrupt):
        parts.throw(KeyboardInterrupt) if where is None else next(parts)
    assert max(parquet.read_table(path)["round"].to_pylist()) == 1000
    assert [file.name for file in tmp_path.iterdir()] == ["hands.parquet"]


def test_a_file_that_was_there_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path, ((work, meaning), setup) = tmp_path / "hands.parquet", prepared("big-slick-blackjack")
    path.write_text("old")
    parts = Logged(path, meaning, setup).deal(work, [(0, 4)])
    next(parts)
    with pytest.raises(ZeroDivisionError):
        parts.throw(ZeroDivisionError)
    assert path.read_text() == "old" and [file.name for file in tmp_path.iterdir()] == ["hands.parquet"]
    parts = Logged(path, meaning, setup).deal(work, [(0, 4)])
    next(parts)
    parts.close()  # nobody wants more
    assert max(parquet.read_table(path)["round"].to_pylist()) == 500


def test_what_cannot_be_written_is_said_before_a_card_is_dealt(tmp_path, monkeypatch):
    (_, meaning), setup = prepared("big-slick-blackjack")
    with pytest.raises(FeltlabError, match=r"^--log .*/none/x.parquet: there is no folder .*/none; make it first$"):
        Logged(tmp_path / "none" / "x.parquet", meaning, setup)
    with pytest.raises(FeltlabError, match=r"^--log .* is a folder; name a file in it$"):
        Logged(tmp_path, meaning, setup)
    long = tmp_path / ("x" * 253)  # a name that the disk cannot have with anything after it
    with pytest.raises(FeltlabError, match=r"^--log .* cannot be written: File name too long$"):
        Logged(long, meaning, setup)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FeltlabError, match=r"^--log needs pyarrow: install feltlab\[log\]$"):
        Logged(tmp_path / "x.parquet", meaning, setup)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fails_is_said_in_a_line(tmp_path, monkeypatch):
    path, ((work, meaning), setup) = tmp_path / "hands.parquet", prepared("big-slick-blackjack")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    with pytest.raises(FeltlabError, match=r"^--log .*hands.parquet cannot be written: No space left on device$"):
        list(Logged(path, meaning, setup).deal(work, [(0, 4)]))
    assert not list(tmp_path.iterdir())


def test_a_wager_with_the_name_of_a_column_is_refused(tmp_path):
    line = '[[wager.line]]\nname = "Tie"\nwhen = "result == tie"\npays = "8:1"\n'
    text = f'id = "clash"\nname = "Clash"\ngame = "baccarat"\ndecks = [6]\n[[wager]]\nid = "round"\nname = "R"\n{line}'
    setup = set_up(load_text(text, "clash.toml"))
    work, meaning = prepare(setup, DealSettings("fresh", [6] * 52, 7), None, 2, 2)
    with pytest.raises(FeltlabError, match="the wager round would take the column 'round'"):
        next(Logged(tmp_path / "x.parquet", meaning, setup).deal(work, [(0, 1)]))


def test_pays_of_a_log_are_exact_where_they_can_be(tmp_path):
    _, table = logged(tmp_path / "coups.parquet", prepared("bad-beat-baccarat"))
    assert {Fraction(net).limit_denominator(100) for net in table["banker_net"].to_pylist()} == {
        Fraction(19, 20), Fraction(0), Fraction(-1),
    }  # fmt: skip
