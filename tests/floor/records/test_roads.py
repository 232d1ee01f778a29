"""The roads of the scoreboard, against shoes whose roads were drawn by hand and a second statement of the rule."""

import random

import pytest

from feltlab.floor.records.roads import ROWS, roads
from support.floor.inside import Inside

SHORT = {"P": "player", "B": "banker", "T": "tie"}


def road(text):
    return roads([SHORT[letter] for letter in text])


def drawn(marks):
    """A grid as lines of letters, the way it is seen."""
    grid = {(mark.column, mark.row): mark.is_[0] for mark in marks}
    columns = 1 + max(column for column, _ in grid)
    lines = ["".join(grid.get((column, row), ".") for column in range(columns)) for row in range(ROWS)]
    return [line.rstrip(".") for line in lines if line.strip(".")]


def test_bead_plate_goes_down_six_and_on():
    assert drawn(road("BPTBBPPB").bead) == ["bp", "pb", "t", "b", "b", "p"]


def test_big_road_begins_a_column_for_each_run():
    assert drawn(road("BBPBPPP").big) == ["bpbp", "b..p", "...p"]


def test_ties_go_with_the_result_before_them_and_first_ones_with_the_first():
    marks = road("TTBTTTP").big
    assert [(mark.is_, mark.ties) for mark in marks] == [("banker", 5), ("player", 0)]


def test_a_long_run_turns_at_the_bottom_and_the_next_one_goes_below_the_turn():
    assert drawn(road("B" * 8 + "PP").big) == ["bp", "bp", "b", "b", "b", "bbb"]


def test_a_run_turns_where_a_tail_lies():
    # eight of Banker lie along the bottom row; the seven of Player below them stop one row higher and turn too
    assert drawn(road("B" * 8 + "P" * 7).big) == ["bp", "bp", "bp", "bp", "bppp", "bbb"]


def test_derived_roads_begin_where_they_can():
    assert drawn(road("BPB").big_eye) == ["r"], "first of the third column: the two before it are as long"
    assert road("BP").big_eye == []
    assert drawn(road("BBPP").big_eye) == ["r"], "second of the second column: there is one beside it"
    assert drawn(road("BPP").big_eye) == ["b"], "none beside it, one above that"
    assert drawn(road("BPPP").big_eye) == ["br"], "and then none beside nor above"
    assert road("BPB").small == [] and len(road("BPBP").small) == 1
    assert road("BPBP").cockroach == [] and len(road("BPBPB").cockroach) == 1


def second_statement(results, back):
    """The derived road by looking at a drawn big road without tails: is there a mark beside, and one above that?"""
    columns = []
    for result in results:
        if result != "tie":
            if not columns or columns[-1][0] != result:
                columns.append([])
            columns[-1].append(result)
    marks = {(column, row) for column, run in enumerate(columns) for row in range(len(run))}
    colours = []
    for column, run in enumerate(columns):
        for row in range(len(run)):
            if row == 0:
                if column - 1 - back < 0:
                    continue
                one, other = (sum(c == at for c, _ in marks) for at in (column - 1, column - 1 - back))
                colours.append("red" if one == other else "blue")
            elif column - back >= 0:
                beside, above = (column - back, row) in marks, (column - back, row - 1) in marks
                colours.append("red" if beside == above else "blue")
    return colours


@pytest.mark.parametrize("seed", range(50))
def test_derived_roads_against_a_second_statement(seed):
    dice = random.Random(seed)
    results = dice.choices(list(SHORT.values()), [45, 46, 9], k=80)
    found = roads(results)
    for back, marks in ((1, found.big_eye), (2, found.small), (3, found.cockroach)):
        assert [mark.is_ for mark in marks] == second_statement(results, back)
    for marks in (found.bead, found.big, found.big_eye, found.small, found.cockroach):
        places = [(mark.column, mark.row) for mark in marks]
        assert len(set(places)) == len(places) and all(row < ROWS for _, row in places)
    assert sum(mark.ties + 1 for mark in found.big) == len(results)


def test_the_scoreboard_of_a_table(tmp_path):
    from feltlab.client import Client, ServiceError

    with Inside(tmp_path, "bad-beat-baccarat", "bad-beat-blackjack") as server, Client(server.url).guest() as me:
        me.buy_chips(100_000)
        seat = me.sit(1, [1], 100_000)
        results = []
        for _ in range(5):
            seat.bet({"player": 1000})
            (over,) = [event for event in seat.deal() if event["event"] == "coup-over"]
            results.append((over["result"], over["player"], over["banker"]))
        found = me.request("GET", "/tables/1/scoreboard")
        assert [(one["result"], one["player"], one["banker"]) for one in found["results"]] == results
        assert [mark["is"] for mark in found["roads"]["bead"]] == [result for result, _, _ in results]
        story = me.request("GET", f"/rounds/{found['results'][-1]['round']}")["story"]
        assert [chapter["step"] for chapter in story][:2] == ["wagers", "deal"] and story[-1]["step"] == "settlement"
        assert all(chapter["rule"] for chapter in story) and any(
            "wins" in line or "tie" in line for line in story[-1]["lines"]
        )
        with pytest.raises(ServiceError, match="not baccarat"):
            me.request("GET", "/tables/2/scoreboard")
