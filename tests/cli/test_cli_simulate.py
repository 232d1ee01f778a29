"""`feltlab simulate` as a user runs it: tables, JSON, a live bar, control-C, and one clear line for every mistake."""

import json
from time import monotonic

import pexpect
import pytest

from support.commands import data, mistaken, output, refused, run
from support.terminals import at_a_terminal

BACCARAT = ("simulate", "bad-beat-baccarat", "--seed", "7")


def test_a_table_of_edges_beside_the_exact_ones():
    text = output(*BACCARAT, "--rounds", "1e6")
    assert "1,000,000 rounds from full shoes, seed 7" in text
    assert "a second" in text
    (row,) = (line.split() for line in text.splitlines() if line.startswith("bad-beat "))
    assert row[0] == "bad-beat" and row[3] == "6.8813%" and abs(float(row[4])) < 4 and row[6] == "1,000,000"


def test_lines():
    text = output(*BACCARAT, "--rounds", "1e5", "--lines", "--offer", "bad-beat")
    assert "Three-card 9 over three-card 8" in text and "chi-square" in text


def test_json_has_every_figure_with_its_error_and_the_exact_one():
    found = data("simulate", "bad-beat-blackjack", "--rounds", "200000", "--seed", "1", "--strategy", "bonus")
    assert found["rounds"] == 200_000 and found["strategy"] == "bonus" and found["complete"]
    assert found["rounds_a_second"] > 0
    by_id = {wager["wager"]: wager for wager in found["wagers"]}
    for name in (
        "house_edge",
        "element_of_risk",
        "average_wager",
        "hit_frequency",
        "push_frequency",
        "variance",
        "skewness",
    ):
        figure = by_id["main"][name]
        assert figure["low"] < figure["value"] < figure["high"] and abs(figure["z"]) < 4.5, name
    assert by_id["bad-beat"]["fit"]["p"] > 1e-4
    assert sum(line["count"] for line in by_id["bad-beat"]["lines"]) == 200_000
    assert by_id["insurance"]["bets"] == sum(line["count"] for line in by_id["insurance"]["lines"])


def test_the_same_seed_gives_the_same_counts_on_one_and_two_threads():
    first, second = (data(*BACCARAT, "--rounds", "300001", "--engine", f"cpu:{threads}") for threads in (1, 2))
    counts = [[line["count"] for wager in found["wagers"] for line in wager["lines"]] for found in (first, second)]
    assert counts[0] == counts[1]


def test_without_a_seed_one_is_chosen_and_told():
    found = data("simulate", "bad-beat-baccarat", "--rounds", "1000")
    again = data("simulate", "bad-beat-baccarat", "--rounds", "1000", "--seed", str(found["seed"]))
    assert [wager["lines"] for wager in found["wagers"]] == [wager["lines"] for wager in again["wagers"]]


def test_whole_shoes_say_how_far_they_are_from_a_full_one():
    text = output("simulate", "bad-beat-baccarat", "--mode", "shoe", "--cut", "20", "--rounds", "20000", "--seed", "1")
    assert "the cut card 20 from the end" in text and "fresh shoe  difference" in text


def test_until(tmp_path):
    done = run(*BACCARAT, "--until", "banker:0.003")
    assert done.returncode == 0
    assert done.stderr.startswith("banker within 0.003 takes about ") and done.stderr.count("\n") == 1


def test_a_checkpoint_is_taken_up_again(tmp_path):
    path = str(tmp_path / "run.json")
    first = data(*BACCARAT, "--rounds", "20000", "--checkpoint", path)
    done = run(*BACCARAT, "--rounds", "20000", "--checkpoint", path, "--json")
    assert "20,000 rounds are dealt" in done.stderr
    assert json.loads(done.stdout)["wagers"] == first["wagers"]
    assert "seed is 7 there and 8 here" in refused(
        "simulate", "bad-beat-baccarat", "--rounds", "20000", "--seed", "8", "--checkpoint", path
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--rounds", "0"), "at least 1 round"),
        (("--rounds", "-1"), "at least 1 round"),
        (("--rounds", "1e30"), "at most 1e+15"),
        (("--rounds", "ten"), "write a whole number"),
        (("--rounds", "nan"), "write a whole number"),
        (("--rounds", "1.5"), "rounds are whole"),
        (("--mode", "shoe", "--cut", "416"), "the cut card lies 6 to 414 cards from the end"),
        (("--mode", "shoe", "--cut", "-1"), "the cut card lies 6 to 414 cards from the end"),
        (("--mode", "shoes"), "it is fresh"),
        (("--cut", "20"), "add --mode shoe"),
        (("--spots", "2"), "a coup is the same for all"),
        (("--seed", "-1"), "a seed is a whole number"),
        (("--strategy", "basic"), "which has no decisions"),
        (("--engine", "gpu"), "use --engine cpu"),
        (("--engine", "cpu:0"), "write a number of threads"),
        (("--engine", "quantum"), "there is no engine 'quantum'"),
        (("--until", "bad-beat"), "such as bad-beat:0.0001"),
        (("--until", "bad-beat:0"), "such as bad-beat:0.0001"),
        (("--until", "bad-bet:0.01"), "did you mean 'bad-beat'"),
        (("--checkpoint", "nowhere/run.json"), "cannot be written"),
        (("--log", "nowhere/hands.parquet"), "there is no folder"),
        (("--log", "hands.parquet", "--engine", "ray"), "--log is written by one processor"),
        (("--remove", "Zz"), "Zz"),
    ],
)
def test_mistakes_are_one_line(arguments, says, tmp_path):
    assert says in mistaken("simulate", "bad-beat-baccarat", *arguments, cwd=tmp_path)


def test_a_ray_address_that_does_not_answer_is_told_and_not_waited_for():
    begun = monotonic()
    assert "nothing answers at 127.0.0.1:1" in refused(*BACCARAT, "--engine", "ray:127.0.0.1:1")
    assert monotonic() - begun < 100  # Ray itself tries for minutes


def test_a_terminal_shows_a_bar_and_control_c_ends_with_the_result_so_far():
    child = at_a_terminal(*BACCARAT, "--rounds", "1e13", seconds=240)
    child.expect(r"[\d,]+ rounds, [\d.]+ (million|billion) a second, bad-beat [\d.]+% ± [\d.]+%")
    child.sendintr()
    child.expect(r"[\d,]+ rounds from full shoes, seed 7")
    child.expect("super-shot-tie-6-7")
    child.expect("stopped by control-C")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
